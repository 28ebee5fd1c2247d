"""Overload ranking: the cost of converting an argument to a parameter.

The weights are HLSL's: losing components is worst, then a change of category, then of signedness, then a promotion,
then a splat; costs of one kind never add up to one of the next worse kind.  A literal converts to every type of its
family at no cost: ``f(1)`` with ``f(int)`` and ``f(uint)`` is ambiguous.  Parameter and argument are each compared with
the type in which an operator would combine them.
"""

from __future__ import annotations

from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, Scalar, Struct, Type
from hlsl_tool.frontend.sema.rules.expressions.conversions import ENUM, combine, operand_kind

_SHORTER, _PROMOTION_L, _PROMOTION_R, _INT_L, _INT_R, _CAST_L, _CAST_R, _LONGER = (1 << (7 * i) for i in range(8))
CONSTRUCTION = 1 << 56
"""Cost of a conversion by a constructor: worse than any other."""

_PROMOTIONS: dict[Scalar, tuple[Scalar, ...]] = {
    ty.FLOAT16: (ty.FLOAT, ty.HALF, ty.DOUBLE),
    ty.HALF: (ty.FLOAT, ty.DOUBLE),
    ty.FLOAT: (ty.DOUBLE,),
    ty.MIN10FLOAT: (ty.MIN16FLOAT, ty.FLOAT16, ty.FLOAT, ty.HALF, ty.DOUBLE),
    ty.MIN16FLOAT: (ty.FLOAT16, ty.FLOAT, ty.HALF, ty.DOUBLE),
    ty.INT8: (ty.INT16, ty.INT, ty.INT64, ty.UINT16, ty.UINT, ty.UINT64),
    ty.UINT8: (ty.INT16, ty.INT, ty.INT64, ty.UINT16, ty.UINT, ty.UINT64),
    ty.INT16: (ty.INT, ty.INT64, ty.UINT, ty.UINT64),
    ty.UINT16: (ty.INT, ty.INT64, ty.UINT, ty.UINT64),
    ty.INT: (ty.INT64, ty.UINT64),
    ty.UINT: (ty.INT64, ty.UINT64),
    ty.MIN12INT: (ty.MIN16INT, ty.INT, ty.INT64),
    ty.MIN16INT: (ty.INT, ty.INT64),
    ty.MIN16UINT: (ty.UINT, ty.UINT64),
}
"""Type → the types it promotes to."""


_SCORES: dict[tuple[Type, Type], int] = {}
"""Pair of numeric types → cost, of all pairs seen so far."""


def score(src: Type, dst: Type) -> int:
    """Return the cost of passing an argument of type ``src`` to a parameter of type ``dst``; 0 is an exact match."""
    if src is dst:
        return 0
    known = _SCORES.get((src, dst))
    if known is not None:
        return known
    if isinstance(src, ObjectType) or isinstance(dst, ObjectType):
        return 0 if isinstance(src, ObjectType) and isinstance(dst, ObjectType) and src.name == dst.name else _CAST_R
    if isinstance(src, Struct) and isinstance(dst, Struct):
        return 1  # to a base class: worse than exact, better than anything else
    a, b = ty.flatten(dst), ty.flatten(src)
    costs: set[int] = set()
    for left, right in zip(a, b, strict=False):
        costs |= _costs(left, right)
    if len(b) < len(a):
        costs.add(_SHORTER)
    if len(a) < len(b):
        costs.add(_LONGER)
    total = sum(costs)
    if ty.is_numeric(src) and ty.is_numeric(dst):
        _SCORES[src, dst] = total
    return total


def _costs(left: Type, right: Type) -> set[int]:
    """Return the costs of converting a component from its type in the argument, ``right``, to that in the parameter."""
    want, have = operand_kind(left), operand_kind(right)
    if left is right or want is have:
        return set()
    both = combine(want, have) if want is not None and have is not None else None
    if want is None or have is None or both is None:
        return {_CAST_L, _CAST_R}
    costs = {_cost(want, both, (_PROMOTION_L, _INT_L, _CAST_L)), _cost(both, have, (_PROMOTION_R, _INT_R, _CAST_R))}
    return costs - {0}


def _cost(left: Scalar, right: Scalar, weights: tuple[int, int, int]) -> int:
    if left is right:
        return 0
    promotion, signedness, cast = weights
    if left in _PROMOTIONS.get(right, ()):
        return promotion
    if left.is_min_precision or right.is_min_precision or ENUM in (left, right):
        return cast
    same_family = (left.is_integer and right.is_integer) or left.category == right.category
    if same_family and (left.is_literal or right.is_literal):
        return 0
    return signedness if left.is_integer and right.is_integer and left.bits == right.bits else cast
