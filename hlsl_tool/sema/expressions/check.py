"""Check an expression and convert it: the functions that every rule calls for its operands.

`check` returns an l-value or an r-value, `rvalue` an r-value, `converted` an r-value of a given type.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import NoReturn

from hlsl_tool.diagnostics import Code
from hlsl_tool.diagnostics.catalogue import language
from hlsl_tool.diagnostics.catalogue import sema as codes
from hlsl_tool.sema import hir
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.constants import evaluate
from hlsl_tool.sema.context import Context, Poisoned
from hlsl_tool.sema.expressions import conversions
from hlsl_tool.sema.handlers import check_expression as check
from hlsl_tool.sema.handlers import check_expressions as check_all
from hlsl_tool.sema.types import Enum, Matrix, ObjectType, Scalar, Type
from hlsl_tool.syntax import ast


def rvalue(ctx: Context, e: ast.Expr) -> hir.Expr:
    """Analyse an expression and load its value; raise `Poisoned` if it is invalid."""
    return conversions.load(check(ctx, e))


def converted(ctx: Context, e: ast.Expr, to: Type) -> hir.Expr:
    """Analyse an expression and implicitly convert it to ``to``."""
    return convert(ctx, check(ctx, e), to)


def convert(
    ctx: Context, e: hir.Expr, to: Type, code: Code | None = None, shown: Callable[[Type], str] = ty.display
) -> hir.Expr:
    """Implicitly convert an expression; warn about truncation and loss of precision."""
    if e.type is to:
        return conversions.load(e)
    c = conversions.classify(e.type, to, explicit=False, hlsl_version=ctx.language.hlsl_version)
    if c is None and ty.INVALID in (e.type, to):
        raise Poisoned
    if c is None:
        mismatch(ctx, e, to, code)
    check_constant(ctx, e, to)
    if loses_bits(e, to):
        ctx.warn(codes.NARROWING, e.pos, src=ty.display(e.type), dst=shown(to))
    if c.truncates:
        ctx.warn(codes.TRUNCATION_MATRIX if isinstance(e.type, Matrix) else codes.TRUNCATION, e.pos)
    return conversions.apply(e, to, c)


def check_constant(ctx: Context, e: hir.Expr, to: Type) -> None:
    """Warn if a literal loses its fraction, or its value does not fit into 16 bits."""
    if not isinstance(e, (hir.Literal_, hir.Unary)):
        return
    target = ty.element_of(to)
    if target is None or not target.is_integer:
        return
    literal, value = _literal_value(e)
    if literal is None:
        return
    whole = math.trunc(value) if math.isfinite(value) else 0
    if whole != value:
        result = whole
    elif literal.is_literal and target.bits == SHORT and not (-0x8000 <= whole < 0 or _fits(whole, target)):
        result = (whole & 0xFFFF) - (0x10000 if target.category == "int" and whole & 0x8000 else 0)
    else:
        return
    src, dst = ty.display(e.type), ty.display(to)
    ctx.warn(language.LITERAL_CONVERSION, e.pos, src=src, dst=dst, value=f"{value:g}", result=result)


def _literal_value(e: hir.Expr) -> tuple[Scalar | None, float]:
    """Return the type and the value of a number, with a sign or without; no type for other expressions."""
    sign = 1
    while isinstance(e, hir.Unary) and e.op in ("+", "-"):
        sign = -sign if e.op == "-" else sign
        e = e.operand
    if not isinstance(e, hir.Literal_) or isinstance(e.value, (bool, str)) or not isinstance(e.type, Scalar):
        return None, 0
    return e.type, sign * e.value


SHORT = 16


def loses_bits(e: hir.Expr, to: Type) -> bool:
    """Return whether the conversion narrows components; constants are judged by value, ``bool`` never narrows."""
    source, target = ty.element_of(e.type), ty.element_of(to)
    if source is target or source is None or target is None or not _is_narrower(source, target):
        return False
    value = evaluate(e)
    return not isinstance(value, (bool, int, float)) or not _fits(value, target)


@cache
def _is_narrower(source: Scalar, target: Scalar) -> bool:
    """Return whether values of ``source`` may not fit into ``target``, neither being ``bool`` or a literal type."""
    if "bool" in (source.category, target.category) or source.is_literal or target.is_literal:
        return False
    return _width(target) < _width(source)


def _width(t: Scalar) -> int:
    """Return the bits that a component has at least."""
    return min(t.bits, conversions.nominal_bits(t))


def _fits(value: float, t: Scalar) -> bool:
    if t.category == "float":
        return abs(value) <= {16: 65504.0, 32: 3.4028234663852886e38}.get(t.bits, math.inf)
    low = -(1 << (t.bits - 1)) if t.category == "int" else 0
    return low <= value < (1 << (t.bits - (t.category == "int")))


def mismatch(ctx: Context, e: hir.Expr, to: Type, code: Code | None = None) -> NoReturn:
    """Report that ``e`` does not convert to ``to``, by ``code`` where an initialiser is checked; raise `Poisoned`."""
    if code is not None and code in (codes.CANNOT_INITIALIZE, codes.CANNOT_INIT_PARAM, codes.CANNOT_INIT_RETURN):
        category = "lvalue" if e.is_lvalue else "rvalue"
        ctx.fail(code, e.pos, dst=ty.display(to), src=ty.display(e.type), category=category)
    ctx.fail(codes.NO_CONVERSION, e.pos, src=ty.display(e.type), dst=ty.display(to))


def contents(e: hir.Expr) -> hir.Expr:
    """Return the struct inside a ``ConstantBuffer<T>``; return anything else unchanged."""
    t = e.type
    if isinstance(t, ObjectType) and t.name in ("ConstantBuffer", "TextureBuffer"):
        return hir.Cast("contents", e, t.element, e.pos, is_lvalue=True)
    return e


def explicit(ctx: Context, x: hir.Expr, to: Type, pos: int) -> hir.Expr:
    """Explicitly convert ``x``, as a cast does."""
    c = conversions.classify(x.type, to, explicit=True, hlsl_version=ctx.language.hlsl_version)
    if c is None:
        ctx.fail(codes.NO_CONVERSION, pos, src=ty.display(x.type), dst=ty.display(to))
    if x.is_lvalue and x.type is to:
        return x  # stays an l-value: like DXC, accept `(float4)v = ...`
    return conversions.apply(x, to, c, explicit=True)


def decay(e: hir.Expr) -> hir.Expr:
    """Convert an enum to its integer type; return other operands unchanged."""
    e = conversions.load(e)
    if isinstance(e.type, Enum):
        return hir.Cast("noop", e, e.type.underlying, e.pos)
    return e


def to_bool(ctx: Context, e: hir.Expr, pos: int) -> hir.Expr:
    """Convert the condition of a statement to a scalar bool."""
    e = conversions.load(e)
    element = ty.element_of(e.type)
    if element is None or element.category in ("void", "string") or ty.component_count(e.type) != 1:
        ctx.fail(codes.CONDITION_TYPE, pos, type=ty.display(e.type))
    return convert(ctx, e, ty.BOOL)


__all__ = [
    "check",
    "check_all",
    "contents",
    "convert",
    "converted",
    "decay",
    "explicit",
    "mismatch",
    "rvalue",
    "to_bool",
]
