"""Warnings about components, bits or values of constants that an implicit conversion loses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate, evaluate_int, nearest_integer, round_float, wrap
from hlsl_tool.frontend.sema.model.types import Matrix, Scalar, Type
from hlsl_tool.frontend.sema.rules.expressions import conversions
from hlsl_tool.frontend.sema.scope.context import Context


def check(
    ctx: Context,
    e: hir.Expr,
    to: Type,
    *,
    truncates: bool,
    keeps_bits: bool = False,
    keeps_value: bool = False,
    shown: Callable[[Type], str] = ty.display,
) -> None:
    """Warn if the implicit conversion of ``e`` to ``to`` loses components, bits, or a constant's value.

    ``keeps_bits``: do not warn about lost bits; clang does not in operands of shifts.  ``keeps_value``: do not warn
    about a changed value of a constant; clang does not in comparisons.  ``truncates``: the conversion drops components.
    ``shown`` returns the spelling of a type in messages.
    """
    may_lose = _MAY_LOSE.get((e.type, to))
    if may_lose is None:
        may_lose = _may_lose(e.type, to)
        if ty.is_numeric(e.type) and ty.is_numeric(to):  # there are not many; other types live as long as a shader
            _MAY_LOSE[e.type, to] = may_lose
    bits, value = may_lose
    if bits and not keeps_bits and loses_bits(e, to):
        ctx.warn(codes.NARROWING, e.pos, src=ty.display(e.type), dst=shown(to))
    if value and not keeps_value and isinstance(to, Scalar):
        check_value(ctx, e, to)
    if _is_promotion(e.type, to):
        ctx.warn(language.PROMOTION, e.pos, src=ty.display(e.type), dst=shown(to))
    if truncates:
        ctx.warn(codes.TRUNCATION_MATRIX if isinstance(e.type, Matrix) else codes.TRUNCATION, e.pos)


_MAY_LOSE: dict[tuple[Type, Type], tuple[bool, bool]] = {}
"""Numeric types of a value and of its conversion → whether bits and whether the value of a constant may be lost."""


def _may_lose(source: Type, target: Type) -> tuple[bool, bool]:
    s, t = ty.element_of(source), ty.element_of(target)
    if s is t or s is None or t is None:
        return False, False
    is_value = isinstance(target, Scalar) and (t.category != "float" or s.constant_bits > t.constant_bits)
    return is_narrower(s, t), is_value


@cache
def _has_more_precision(source: Scalar, target: Scalar) -> bool:
    is_float = source.category == target.category == "float"
    return is_float and not (source.is_literal or target.is_literal) and source.rank < target.rank


def _is_promotion(source: Type, target: Type) -> bool:
    """Return whether a conversion increases the precision of floats."""
    s, t = ty.element_of(source), ty.element_of(target)
    return s is not None and t is not None and _has_more_precision(s, t)


def check_result(ctx: Context, operand: hir.Expr, target: Type) -> None:
    """Warn if a compound assignment computes in the type of ``operand``, and stores the result in a narrower type."""
    if loses_bits(operand, target):
        ctx.warn(codes.NARROWING, operand.pos, src=ty.display(operand.type), dst=ty.display(target))


def check_reference(ctx: Context, argument: hir.Expr, parameter: Type) -> None:
    """Warn about an argument whose ``out`` or ``inout`` parameter has a narrower type."""
    if loses_bits(argument, parameter):
        ctx.warn(codes.NARROWING, argument.pos, src=ty.display(argument.type), dst=f"{ty.display(parameter)} &")


# -------------------------------------------------------------------------------------------------------------- widths


def loses_bits(e: hir.Expr, to: Type) -> bool:
    """Return whether a conversion narrows components; a constant only if its value does not fit, ``bool`` never."""
    source, target = ty.element_of(e.type), ty.element_of(to)
    if source is target or source is None or target is None or not is_narrower(source, target):
        return False
    value = evaluate(e)
    return not isinstance(value, (int, float)) or not _fits(value, source, target)


@cache
def is_narrower(source: Scalar, target: Scalar) -> bool:
    """Return whether ``target`` cannot represent all values of ``source``; false for ``bool`` and literal types."""
    if "bool" in (source.category, target.category) or source.is_literal or target.is_literal:
        return False
    return _width(target) < _width(source)


def _width(t: Scalar) -> int:
    """Return the guaranteed number of bits of a component."""
    return min(t.bits, conversions.nominal_bits(t))


_LARGEST = {10: 65504.0, 16: 65504.0, 32: 3.4028234663852886e38}
"""Width of a floating-point type → its largest finite value."""


def _fits(value: int | float, source: Scalar, target: Scalar) -> bool:
    """Return whether the constant ``value`` of type ``source`` has the same value in type ``target``.

    A float must be in range, an integer must fit into the bits; a float never converts to an integer.
    """
    if target.category == "float":
        return abs(value) <= _LARGEST.get(_width(target), math.inf)
    if isinstance(value, float):
        return False
    return (wrap(value, target) - value) % (1 << source.constant_bits) == 0


# -------------------------------------------------------------------------------------------------------------- values


def check_value(ctx: Context, e: hir.Expr, to: Scalar) -> None:
    """Warn if the conversion of a constant scalar changes its value.

    Like clang, check whether a float is a whole number only if it is a literal, optionally with a sign, and integers by
    the bits they need.
    """
    source = ty.element_of(e.type)
    if isinstance(e, hir.Ternary) and to.category != "float":
        check_value(ctx, _written(e.then), to)
        check_value(ctx, _written(e.otherwise), to)
    elif source is None or not isinstance(e.type, Scalar) or source is to:
        return
    elif to.category == "float":
        check_overflow(ctx, e, to)
    elif source.category == "float":
        if not _check_float(ctx, e, to) and to.is_integer:
            check_overflow(ctx, e, to)
    elif source.is_integer and to.is_integer and (source.is_literal or to.constant_bits < source.constant_bits):
        _check_integer(ctx, e, to)


def check_overflow(ctx: Context, e: hir.Expr, to: Scalar) -> None:
    """Warn if a constant scalar is out of the range of a type."""
    value = evaluate(e)
    if not isinstance(value, (int, float)):
        return
    if to.is_integer:
        is_outside = not math.isfinite(value) or abs(nearest_integer(value, to) - value) >= 1
    else:
        rounds = to.category == "float" and math.isfinite(value)
        is_outside = rounds and math.isinf(round_float(float(value), to.constant_bits))
    if is_outside:
        ctx.warn(language.CONSTANT_OVERFLOW, e.pos, dst=ty.display(to))


def check_items(ctx: Context, items: Sequence[hir.Expr], to: Type, targets: Sequence[Type]) -> None:
    """Warn about constant scalars in an initialiser list or constructor whose value the component type changes.

    ``targets`` are the component types.
    """
    at = 0
    for item in items:
        target = targets[at]
        if isinstance(item.type, Scalar):
            if isinstance(target, Scalar):
                check_value(ctx, item, target)
            at += 1
        else:
            at += len(ty.flatten(item.type))


def _written(e: hir.Expr) -> hir.Expr:
    """Strip the implicit conversions of an expression."""
    while isinstance(e, hir.Cast) and not e.is_explicit:
        e = e.operand
    return e


def _check_float(ctx: Context, e: hir.Expr, to: Scalar) -> bool:
    """Warn if the conversion of a literal to an integer type or ``bool`` changes its value; return whether it does."""
    sign, literal = 1, e
    if isinstance(literal, hir.Unary) and literal.op in ("+", "-"):
        sign, literal = (-1 if literal.op == "-" else 1), _written(literal.operand)
    if not isinstance(literal, hir.Literal_) or not isinstance(literal.value, float):
        return False
    value = literal.value
    if to.category == "bool":
        changes, result = value not in (0, 1), str(value != 0).lower()
    else:
        changes, result = nearest_integer(value, to) != value, str(nearest_integer(sign * value, to))
    if changes:
        src, dst = ty.display(e.type), ty.display(to)
        ctx.warn(language.LITERAL_CONVERSION, e.pos, src=src, dst=dst, value=f"{sign * value:g}", result=result)
    return changes


def _check_integer(ctx: Context, e: hir.Expr, to: Scalar) -> None:
    value = e.value if isinstance(e, hir.Literal_) else evaluate_int(e)
    if not isinstance(value, int) or (value if value >= 0 else ~value).bit_length() + (value < 0) <= to.constant_bits:
        return
    src, dst = ty.display(e.type), ty.display(to)
    ctx.warn(language.CONSTANT_CONVERSION, e.pos, src=src, dst=dst, value=value, result=wrap(value, to))
