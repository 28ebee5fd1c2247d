"""Warnings about components, bits or values of constants that an implicit conversion loses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate, evaluate_int
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
    return is_narrower(s, t), isinstance(target, Scalar) and t.category != "float"


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
    return (_stored(value, target) - value) % (1 << _storage_bits(source)) == 0


def _storage_bits(t: Scalar) -> int:
    """Return the bits in which clang stores an integer type: 16 for ``min12int``."""
    return 16 if _width(t) < 16 else _width(t)


def _stored(value: int, t: Scalar) -> int:
    """Return ``value`` wrapped to the range of an integer type."""
    bits = _storage_bits(t)
    value &= (1 << bits) - 1
    return value - (1 << bits) if t.category == "int" and value >> (bits - 1) else value


# -------------------------------------------------------------------------------------------------------------- values


def check_value(ctx: Context, e: hir.Expr, to: Scalar) -> None:
    """Warn if the conversion of a constant scalar to an integer type or ``bool`` changes its value.

    Like clang, check floats only if they are literals, optionally with a sign, and integers by the bits they need.
    """
    if to.category == "float":
        return
    source = ty.element_of(e.type)
    if isinstance(e, hir.Ternary):
        check_value(ctx, _written(e.then), to)
        check_value(ctx, _written(e.otherwise), to)
    elif source is None or not isinstance(e.type, Scalar) or source is to:
        return
    elif source.category == "float":
        _check_float(ctx, e, source, to)
    elif source.is_integer and to.is_integer and (source.is_literal or _storage_bits(to) < _storage_bits(source)):
        _check_integer(ctx, e, to)


def check_items(ctx: Context, items: Sequence[hir.Expr], to: Type, targets: Sequence[Type]) -> None:
    """Warn about constant scalars in an initialiser list or constructor whose value the component type changes.

    ``targets`` are the component types. Lists of floats are not checked.
    """
    element = ty.element_of(to)
    if element is not None and element.category == "float":
        return
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


def _check_float(ctx: Context, e: hir.Expr, source: Scalar, to: Scalar) -> None:
    sign, literal = 1, e
    if isinstance(literal, hir.Unary) and literal.op in ("+", "-"):
        sign, literal = (-1 if literal.op == "-" else 1), _written(literal.operand)
    if not isinstance(literal, hir.Literal_) or not isinstance(literal.value, float):
        return
    value = literal.value
    if to.category == "bool":
        if value not in (0, 1):
            _warn_literal(ctx, e, to, sign * value, str(value >= 1).lower())
        return
    bits = _storage_bits(to)
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if to.category == "int" else (0, (1 << bits) - 1)
    whole = math.trunc(value) if math.isfinite(value) else (high + 1 if value > 0 else low - 1)
    if whole != value or not low <= whole <= high:
        _warn_literal(ctx, e, to, sign * value, str(sign * max(low, min(whole, high))))


def _warn_literal(ctx: Context, e: hir.Expr, to: Scalar, value: float, result: str) -> None:
    src, dst = ty.display(e.type), ty.display(to)
    ctx.warn(language.LITERAL_CONVERSION, e.pos, src=src, dst=dst, value=f"{value:g}", result=result)


def _check_integer(ctx: Context, e: hir.Expr, to: Scalar) -> None:
    value = e.value if isinstance(e, hir.Literal_) else evaluate_int(e)
    if not isinstance(value, int) or (value if value >= 0 else ~value).bit_length() + (value < 0) <= _storage_bits(to):
        return
    src, dst = ty.display(e.type), ty.display(to)
    ctx.warn(language.CONSTANT_CONVERSION, e.pos, src=src, dst=dst, value=value, result=_stored(value, to))
