"""Initialiser lists by the rules of C++: from HLSL 202y on, and for types with unions from HLSL 202x on.

The nesting of a list follows that of the type, and members without an initialiser get their default value or zeros.
"""

from __future__ import annotations

from collections.abc import Sequence

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import modifiers as codes
from hlsl_tool.base.diagnostics.catalogue import sema
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate, round_float
from hlsl_tool.frontend.sema.model.types import Array, Enum, Field, Matrix, ObjectType, Scalar, Struct, Type, Vector
from hlsl_tool.frontend.sema.rules.expressions import conversions, initializers
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.handlers import construction
from hlsl_tool.frontend.syntax import ast


class _Items:
    """The initialisers of a list, consumed in order; each is analysed once."""

    def __init__(self, ctx: Context, written: Sequence[ast.Expr]) -> None:
        self.ctx = ctx
        self.written = written
        self.at = 0
        self._checked: tuple[int, hir.Expr] | None = None

    @property
    def is_done(self) -> bool:
        return self.at >= len(self.written)

    def current(self) -> ast.Expr:
        return self.written[self.at]

    def checked(self) -> hir.Expr:
        if self._checked is None or self._checked[0] != self.at:
            self._checked = self.at, ex.check(self.ctx, self.current())
        return self._checked[1]


@construction(ast.InitList)
def from_list(ctx: Context, e: ast.InitList, to: Type) -> hir.Expr:
    """Convert an initialiser list to type ``to``; report initialisers that have no member."""
    items = _Items(ctx, e.items)
    if isinstance(to, Struct) and to.constructors and not initializers.is_aggregate(to):
        return initializers.construct(ctx, to, ex.check_all(ctx, e.items), e.pos)
    if not _is_aggregate(to):
        value = initializers.zero(ctx, to, e.pos) if items.is_done else _element(ctx, items, to)
    else:
        value = _aggregate(ctx, items, to, e.pos)
    if not items.is_done:
        ctx.fail(codes.EXCESS_ELEMENTS, items.current().pos, what=_word(to))
    return value


def _word(t: Type) -> str:
    if isinstance(t, Struct):
        return "union" if t.alternatives else "struct"
    kinds = {Array: "array", Vector: "vector", Matrix: "matrix"}
    return next((word for kind, word in kinds.items() if isinstance(t, kind)), "scalar")


def _is_aggregate(t: Type) -> bool:
    return isinstance(t, (Array, Struct, Vector, Matrix))


def _aggregate(ctx: Context, items: _Items, to: Type, pos: int) -> hir.Expr:
    """Initialise the parts of an aggregate from the next items; parts without one get their default value."""
    if isinstance(to, Array) and to.size is None:
        parts = []
        while not items.is_done:
            parts.append(_element(ctx, items, to.element))
        return hir.InitList(parts, ty.array(to.element, len(parts)), pos)
    if isinstance(to, Struct) and to.alternatives:
        first = to.alternatives[0]
        value = _default(ctx, first, pos) if items.is_done else _element(ctx, items, first.type)
        return hir.Cast("to_union", value, to, pos)
    parts = [_default(ctx, part, pos) if items.is_done else _element(ctx, items, _type_of(part)) for part in _parts(to)]
    return hir.InitList(parts, to, pos)


def _parts(t: Type) -> list[Type | Field]:
    if isinstance(t, Array):
        return [t.element] * (t.size or 0)
    if isinstance(t, Vector):
        return [t.element] * t.size
    if isinstance(t, Matrix):
        return [ty.vector(t.element, t.cols)] * t.rows
    assert isinstance(t, Struct)
    return [*t.bases, *(f for f in t.fields if f.bits is None or f.name)]


def _type_of(part: Type | Field) -> Type:
    return part.type if isinstance(part, Field) else part


def _default(ctx: Context, part: Type | Field, pos: int) -> hir.Expr:
    if isinstance(part, Field) and part.init is not None:
        return initializers.initialize(ctx, part.init, part.type, sema.CANNOT_INITIALIZE)
    return initializers.initialize(ctx, ast.InitList([], pos), _type_of(part), None)


def _element(ctx: Context, items: _Items, t: Type) -> hir.Expr:
    """Initialise a part from the next item, or its own parts from the next items if their braces are left out."""
    written = items.current()
    if isinstance(written, ast.InitList):
        items.at += 1
        return initializers.initialize(ctx, written, t, None)
    x = items.checked()
    if _is_aggregate(t) and not _fits(ctx, x, t):
        if isinstance(t, Struct) and not t.members:
            ex.mismatch(ctx, x, t, sema.CANNOT_INITIALIZE)
        return _aggregate(ctx, items, t, written.pos)
    items.at += 1
    if isinstance(t, Scalar) and not isinstance(x.type, (Scalar, Enum)):
        ex.mismatch(ctx, x, t, sema.CANNOT_INITIALIZE)
    if isinstance(t, Struct) and t.constructors and x.type is not t:
        return initializers.construct(ctx, t, [x], written.pos)
    _check_narrowing(ctx, x, t)
    return ex.convert(ctx, x, t, sema.CANNOT_INITIALIZE)


def _fits(ctx: Context, x: hir.Expr, t: Type) -> bool:
    """Return whether an expression initialises a whole aggregate."""
    if x.type is t:
        return True
    if isinstance(t, Struct) and t.constructors and not initializers.is_aggregate(t):
        return True
    if isinstance(t, (Vector, Matrix)):
        return isinstance(x.type, type(t)) and ty.component_count(x.type) == ty.component_count(t)
    return (
        isinstance(t, Struct)
        and isinstance(x.type, (Struct, ObjectType))
        and (conversions.classify(x.type, t, explicit=False, hlsl_version=ctx.language.hlsl_version) is not None)
    )


def _check_narrowing(ctx: Context, x: hir.Expr, t: Type) -> None:
    """Report a conversion of a number that may lose its value, unless the value is a constant that is kept."""
    source, target = ty.element_of(x.type), ty.element_of(t)
    if source is None or target is None or not _narrows(source, target):
        return
    value = evaluate(conversions.load(x))
    if isinstance(value, (bool, int, float)) and _keeps(value, source, target):
        return
    ctx.fail(codes.NARROWING, x.pos, src=ty.display(x.type), dst=ty.display(t))


_FLOAT_DIGITS = {16: 11, 32: 24, 64: 53}


def _narrows(source: Scalar, target: Scalar) -> bool:
    if target.category == "bool" or source.category == "bool" or source.is_literal:
        return source.category == "float" and target.is_integer
    if source.category == "float":
        return target.is_integer or target.bits < source.bits
    if target.category == "float":
        return source.bits > _FLOAT_DIGITS.get(target.bits, source.bits)
    return (
        target.bits < source.bits
        or (target.bits == source.bits and target.category != source.category)
        or (source.category == "int" and target.category == "uint")
    )


def _keeps(value: bool | int | float, source: Scalar, target: Scalar) -> bool:
    if source.category == "float":
        return target.category == "float"
    if target.category == "float":
        return round_float(float(value), target.bits) == value
    low, high = (
        (-(1 << target.bits - 1), (1 << target.bits - 1) - 1)
        if target.category == "int"
        else (0, (1 << target.bits) - 1)
    )
    return low <= value <= high
