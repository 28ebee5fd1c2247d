"""Literals, casts and `sizeof`."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from hlsl_tool.base.diagnostics.catalogue import language, modifiers
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import round_float
from hlsl_tool.frontend.sema.model.types import ObjectType, Scalar
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.expressions import initializers
from hlsl_tool.frontend.sema.rules.expressions.check import check, explicit
from hlsl_tool.frontend.sema.rules.warnings import unused
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.handlers import expression
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.literals import LiteralError, parse_number

_parsed = lru_cache(maxsize=1 << 12)(parse_number)  # shaders repeat the same numbers


@expression(ast.Number)
def _number(ctx: Context, e: ast.Number) -> hir.Expr:
    try:
        n = _parsed(e.text)
    except LiteralError as error:
        ctx.fail(codes.BAD_LITERAL, e.pos, text=e.text, why=error)
    if e.text[-3:].lower() == "f16" and e.text[:2].lower() != "0x" and not ctx.language.enable_16bit:
        ctx.fail(language.HALF_SUFFIX, e.pos, suffix=e.text[-3:])
    scalar = _LITERAL_TYPES[n.type]
    if isinstance(n.value, int):
        _warn_large(ctx, e, n.value, scalar)
    if ctx.language.hlsl_version >= HLSL_202X:  # no literal types any more
        scalar = _conforming(e.text.lower(), n.value, scalar)
    if scalar is ty.HALF and ctx.language.enable_16bit:
        scalar = ty.FLOAT16
    value = n.value
    if isinstance(value, int):
        if (scalar is ty.UINT and value >= 1 << 32) or (scalar is ty.INT64 and value >= 1 << 63):
            scalar = ty.UINT64
    else:
        if not scalar.is_literal:
            value = round_float(value, scalar.bits)
        if value == 0 or value == math.inf:
            _warn_range(ctx, e, value, scalar)
    return hir.Literal_(value, scalar, e.pos)


def _is_decimal(text: str) -> bool:
    return text[0] != "0" or text == "0"


def _conforming(text: str, value: float, t: Scalar) -> Scalar:
    """Return the type of the number ``text`` by the rules of C; ``t`` is its type by the rules of HLSL.

    A literal without a suffix has the first type that can represent its value. Suffix ``l`` means 64 bits.
    """
    if t is ty.LITERAL_FLOAT:
        return ty.FLOAT
    if t is ty.LITERAL_INT:
        if value < 1 << 31:
            return ty.INT
        if value < 1 << 32 and not _is_decimal(text):
            return ty.UINT
        return ty.INT64 if value < 1 << 63 else ty.UINT64
    if t in (ty.INT, ty.UINT) and "l" in text:
        return ty.INT64 if t is ty.INT else ty.UINT64
    return t


def _warn_large(ctx: Context, e: ast.Number, value: int, t: Scalar) -> None:
    """Warn about an integer whose type depends on the HLSL version, or that exceeds all signed types."""
    if t is not ty.LITERAL_INT:
        return
    if _is_decimal(e.text):
        if value >= 1 << 63:
            ctx.warn(language.LITERAL_TOO_LARGE, e.pos)
    elif 1 << 31 <= value < 1 << 32 or value >= 1 << 63:
        ctx.warn(language.LEGACY_LITERAL, e.pos)


_RANGES = {
    16: ("5.9605E-8", "65504"),
    32: ("1.40129846E-45", "3.40282347E+38"),
    64: ("4.9406564584124654E-324", "1.7976931348623157E+308"),
}
"""Bits of a floating-point type → its smallest and its largest value, as DXC writes them."""
_DIGIT = re.compile(r"0x[0.]*[1-9a-f]|(?!0x)[0.]*[1-9]", re.IGNORECASE)
"""The beginning of a number that is not zero."""


def _warn_range(ctx: Context, e: ast.Number, value: float, t: Scalar) -> None:
    """Warn about a number that its type can only represent as infinity or zero."""
    is_written = "#" in e.text if value else _DIGIT.match(e.text) is None
    if is_written:
        return
    smallest, largest = _RANGES[t.bits]
    name = "float" if t is ty.HALF else ty.display(t)  # of 32 bits without -enable-16bit-types
    limit = f"too large for type '{name}'; maximum is {largest}"
    if not value:
        limit = f"too small for type '{name}'; minimum is {smallest}"
    ctx.warn(language.LITERAL_RANGE, e.pos, limit=limit)


_LITERAL_TYPES: dict[str, Scalar] = {
    "literal int": ty.LITERAL_INT,
    "literal float": ty.LITERAL_FLOAT,
    "int": ty.INT,
    "uint": ty.UINT,
    "int64_t": ty.INT64,
    "uint64_t": ty.UINT64,
    "float": ty.FLOAT,
    "half": ty.HALF,
    "double": ty.DOUBLE,
}


@expression(ast.Bool)
def _bool(ctx: Context, e: ast.Bool) -> hir.Expr:
    return hir.Literal_(e.value, ty.BOOL, e.pos)


@expression(ast.String)
def _string(ctx: Context, e: ast.String) -> hir.Expr:
    size = len(e.value.encode("utf-8", "surrogateescape"))
    if size > ty.MAX_STRING:
        ctx.fail(codes.LITERAL_TOO_LONG, e.pos, size=size, limit=ty.MAX_STRING)
    return hir.Literal_(e.value, ty.STRING, e.pos)


@expression(ast.Char)
def _char(ctx: Context, e: ast.Char) -> hir.Expr:
    return hir.Literal_(e.value, ty.INT, e.pos)


@expression(ast.Cast)
def _cast(ctx: Context, e: ast.Cast) -> hir.Expr:
    to = type_names.resolve(ctx, e.type).type
    type_names.check_storage(ctx, e.type)
    if isinstance(to, ty.Struct) and not to.is_complete:
        ctx.fail(language.INCOMPLETE_CAST, e.pos, type=ty.display(to))
    x = check(ctx, e.operand)
    if e.kind == "c" and to is not ty.VOID:
        unused.check_comma(ctx, x)
    if isinstance(to, ty.Struct) and x.type is not to and not initializers.is_aggregate(to):
        return initializers.construct(ctx, to, [x], e.pos)
    return explicit(ctx, x, to, e.pos)


@expression(ast.SizeOf)
def _sizeof(ctx: Context, e: ast.SizeOf) -> hir.Expr:
    operand = e.operand
    if isinstance(operand, (ast.NamedType, ast.InlineType)):
        if isinstance(operand, ast.NamedType) and type_names.names_a_value(ctx, operand):
            t = check(ctx, ast.Name(operand.parts, operand.pos, operand.is_global)).type
        else:
            t = type_names.resolve(ctx, operand).type
    else:
        t = check(ctx, operand).type
    if (isinstance(t, ObjectType) and t.name not in ty.VALUE_OBJECTS) or t is ty.VOID or t is ty.STRING:
        ctx.fail(codes.SIZEOF_TYPE, e.pos, type=ty.display(t))
    if isinstance(t, ty.Struct) and not t.is_complete:
        ctx.fail(codes.SIZEOF_TYPE, e.pos, type=ty.display(t))
    if isinstance(t, Scalar):
        t = ty.concrete(t)
    return hir.SizeOf(t, ty.UINT, e.pos)


@expression(ast.InitList)
def _init_list(ctx: Context, e: ast.InitList) -> hir.Expr:
    ctx.fail(codes.NOT_A_VALUE, e.pos, name="{...}")


@expression(ast.Expansion)
@expression(ast.SizeOfPack)
def _pack(ctx: Context, e: ast.Expansion | ast.SizeOfPack) -> hir.Expr:
    """Report an expansion outside of a template with a pack; those inside of it are replaced before their analysis."""
    ctx.fail(modifiers.PACK, e.pos)


@expression(ast.SamplerState)
def _sampler_state(ctx: Context, e: ast.SamplerState) -> hir.Expr:
    ctx.fail(codes.NOT_A_VALUE, e.pos, name="sampler_state")
