"""Analyse an expression and convert it: functions that all rules call for their operands.

`check` returns an l-value or an r-value, `rvalue` an r-value, `converted` an r-value of a given type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from hlsl_tool.base.diagnostics import Code
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Enum, ObjectType, Scalar, Type
from hlsl_tool.frontend.sema.rules.expressions import conversions
from hlsl_tool.frontend.sema.rules.warnings import implicit_conversions as losses
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.handlers import check_expression as check
from hlsl_tool.frontend.sema.scope.handlers import check_expressions as check_all
from hlsl_tool.frontend.syntax import ast


def rvalue(ctx: Context, e: ast.Expr) -> hir.Expr:
    """Analyse an expression and load its value; raise `Poisoned` if it is invalid."""
    return conversions.load(check(ctx, e))


def converted(ctx: Context, e: ast.Expr, to: Type) -> hir.Expr:
    """Analyse an expression and implicitly convert it to ``to``."""
    return convert(ctx, check(ctx, e), to)


def convert(
    ctx: Context,
    e: hir.Expr,
    to: Type,
    code: Code | None = None,
    shown: Callable[[Type], str] = ty.display,
    *,
    keeps_bits: bool = False,
) -> hir.Expr:
    """Implicitly convert an expression; warn about truncation and, unless ``keeps_bits``, about lost bits.

    If there is no conversion, report it with ``code`` and raise `Poisoned`. ``shown`` spells types in warnings.
    """
    if e.type is to:
        return conversions.load(e)
    c = _conversion(ctx, e, to, code)
    losses.check(ctx, e, to, truncates=c.truncates, keeps_bits=keeps_bits, shown=shown)
    return conversions.apply(e, to, c)


def convert_silently(ctx: Context, e: hir.Expr, to: Type) -> hir.Expr:
    """Implicitly convert an expression without warnings; for contexts with warnings of their own, such as ``case``."""
    return conversions.load(e) if e.type is to else conversions.apply(e, to, _conversion(ctx, e, to, None))


def _conversion(ctx: Context, e: hir.Expr, to: Type, code: Code | None) -> conversions.Conversion:
    """Return the implicit conversion of ``e`` to ``to``.

    If there is none, report it (with ``code``) and raise `Poisoned`.
    """
    c = conversions.classify(e.type, to, explicit=False, hlsl_version=ctx.language.hlsl_version)
    if c is None and ty.INVALID in (e.type, to):
        raise Poisoned
    if c is None:
        mismatch(ctx, e, to, code)
    return c


def mismatch(ctx: Context, e: hir.Expr, to: Type, code: Code | None = None) -> NoReturn:
    """Report that ``e`` does not convert to ``to``, with ``code`` if it is that of an initialiser; raise `Poisoned`."""
    if code is not None and code in (codes.CANNOT_INITIALIZE, codes.CANNOT_INIT_PARAM, codes.CANNOT_INIT_RETURN):
        category = "lvalue" if e.is_lvalue else "rvalue"
        hint = small_float_hint(e.type, to)
        ctx.fail(code, e.pos, dst=ty.display(to), src=ty.display(e.type), category=category, hint=hint)
    no_conversion(ctx, e.pos, e.type, to)


def no_conversion(ctx: Context, pos: int, src: Type, dst: Type) -> NoReturn:
    """Report that ``src`` does not convert to ``dst``; raise `Poisoned`."""
    hint = small_float_hint(src, dst)
    ctx.fail(codes.NO_CONVERSION, pos, src=ty.display(src), dst=ty.display(dst), hint=hint)


def small_float_hint(*types: Type) -> str | None:
    """Return a hint about arithmetic if one of the types is a bfloat16 or float8; otherwise ``None``."""
    name = next(filter(None, map(ty.small_float, types)), "")
    if not name:
        return None
    back = "vk::khr::ToBFloat16" if "bfloat16" in name else "vk::ext::ToFloat8E4M3` or `vk::ext::ToFloat8E5M2"
    forth = f"{name.rpartition('::')[0]}::ToFloat"
    return f"`{forth}` converts `{name}` to `float`, which has arithmetic, and `{back}` back"


def contents(e: hir.Expr) -> hir.Expr:
    """Return the struct inside of a ``ConstantBuffer<T>`` or ``TextureBuffer<T>``.

    Return other expressions unchanged.
    """
    t = e.type
    if isinstance(t, ObjectType) and t.name in ("ConstantBuffer", "TextureBuffer"):
        return hir.Cast("contents", e, t.element, e.pos, is_lvalue=True)
    return e


def explicit(ctx: Context, x: hir.Expr, to: Type, pos: int, *, warns: bool = True) -> hir.Expr:
    """Explicitly convert ``x`` to ``to``, like a cast expression; ``warns`` about constants that are out of range."""
    c = conversions.classify(x.type, to, explicit=True, hlsl_version=ctx.language.hlsl_version)
    if c is None:
        no_conversion(ctx, pos, x.type, to)
    if x.is_lvalue and x.type is to:
        return x  # stays an l-value: like DXC, accept `(float4)v = ...`
    if warns and isinstance(to, Scalar) and isinstance(x.type, Scalar) and x.type.category == "float":
        losses.check_overflow(ctx, x, to)
    return conversions.apply(x, to, c, explicit=True)


def decay(e: hir.Expr) -> hir.Expr:
    """Convert an enum operand to its integer type; return other operands unchanged."""
    e = conversions.load(e)
    if isinstance(e.type, Enum):
        return hir.Cast("noop", e, e.type.underlying, e.pos)
    return e


def to_bool(ctx: Context, e: hir.Expr, pos: int) -> hir.Expr:
    """Convert the condition of a statement to a scalar bool."""
    e = conversions.load(e)
    element = ty.element_of(e.type)
    if element is None or element.category in ("void", "string") or ty.component_count(e.type) != 1:
        is_vector = element is not None and isinstance(e.type, (ty.Vector, ty.Matrix))
        hint = "`all(...)` or `any(...)` makes one bool of the components" if is_vector else None
        ctx.fail(codes.CONDITION_TYPE, pos, type=ty.display(e.type), hint=hint)
    return convert(ctx, e, ty.BOOL)


__all__ = [
    "check",
    "check_all",
    "contents",
    "convert",
    "convert_silently",
    "converted",
    "decay",
    "explicit",
    "mismatch",
    "rvalue",
    "to_bool",
]
