"""Initialiser lists, constructors and casts between aggregates, all of which consume a flat sequence of components.

An initialiser of exactly the required type is used as a whole; another is split, no further than necessary.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from hlsl_tool.codegen.layout.rules import Rule
from hlsl_tool.codegen.lower.core import bit_fields, casts, constants, memory, relayout
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.expressions import literal_types
from hlsl_tool.codegen.lower.types.kinds import is_structured_or_byte_buffer
from hlsl_tool.frontend.sema.model import constants as evaluation
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Enum, Matrix, ObjectType, Scalar, Struct, Type, Vector


def init_list(ctx: Lowering, e: hir.InitList) -> Value:
    """Lower ``{...}`` or a constructor call; evaluate the initialisers in order."""
    targets = ty.flatten(e.type)
    items: list[tuple[Value, hir.Expr]] = []
    at = 0
    for i in e.items:
        target = targets[at] if at < len(targets) else None
        item = _constant_item(ctx, i, target) or memory.load(ctx, ctx.expr(i))
        if isinstance(item.type, Scalar) and isinstance(target, Scalar) and ty.is_numeric(target):
            if e.is_constructor:
                ctx.at_begin(i, i)
            item = ctx.rvalue(casts.numeric(ctx, item.id, item.type, target), target)  # scalars are converted at once
        items.append((item, i))
        at += len(ty.flatten(i.type))
    ctx.at(e)
    return ctx.rvalue(_Maker(ctx, items, e).make(e.type), e.type)


def _constant_item(ctx: Lowering, e: hir.Expr, t: Type | None) -> Value | None:
    """Return a foldable scalar initialiser as a constant of the component's type; ``None`` if it does not fold."""
    element = t.underlying if isinstance(t, Enum) else t
    if not isinstance(e.type, Scalar) or not isinstance(element, Scalar) or e.type is ty.STRING or element is ty.STRING:
        return None
    value = evaluation.evaluate(e if e.type is element else hir.Cast("numeric", e, element, e.pos))
    if value is None or isinstance(value, (str, list)):
        return None
    return Value(constants.scalar(ctx, value, element), element, True)


def flat_cast(ctx: Lowering, e: hir.Cast) -> Value:
    """Lower a cast to an aggregate: assign the operand's components in order, or a scalar to every component."""
    src, t = e.operand.type, e.type
    if ty.is_numeric(src) and ty.component_count(src) == 1:
        value = evaluation.evaluate(e.operand)
        if isinstance(value, (bool, int, float)) and not value:
            return ctx.rvalue(constants.null(ctx, t), t)
        operand = e.operand
        if literal_types.is_undecided(operand):
            operand = literal_types.of_its_own_width(operand)
        scalar = memory.load(ctx, ctx.expr(operand))
        return ctx.rvalue(_splat(ctx, scalar, t), t)
    value_ = memory.load(ctx, ctx.expr(e.operand))
    return Value(_Maker(ctx, [(value_, e)], e).make(t), t, True)


def _splat(ctx: Lowering, scalar: Value, t: Type) -> int:
    b = ctx.b
    if isinstance(t, Array):
        part = _splat(ctx, scalar, t.element)
        return ctx.rvalue(b.construct(ctx.type(t), [part] * (t.size or 0)), t).id
    if isinstance(t, Struct):
        return bit_fields.construct(ctx, t, [_splat(ctx, scalar, p.type) for p in ctx.types.placed(t, Rule.VOID)])
    element = ty.element_of(t)
    assert element is not None
    converted = casts.numeric(ctx, scalar.id, scalar.type, element)
    return ctx.rvalue(casts.splat(ctx, converted, t, is_folded=False), t).id


class _Maker:
    """Takes components from a queue of initialisers and constructs values of the required types."""

    def __init__(self, ctx: Lowering, items: list[tuple[Value, hir.Expr]], whole: hir.Expr) -> None:
        self.ctx = ctx
        self.items = deque(value for value, _ in items)
        self.whole = whole
        self.scalars: deque[tuple[int, Type]] = deque()
        self._origins = {value.id: e for value, e in items}
        """Id of an initialiser, or of a structure or array in it → its expression."""

    def make(self, t: Type) -> int:
        if isinstance(t, Struct):
            return self._struct(t)
        if isinstance(t, Array):
            return self._array(t)
        if isinstance(t, Matrix) and casts.is_matrix(t):
            return self._matrix(t)
        if isinstance(t, (Vector, Matrix)):
            return self._vector(t)
        if isinstance(t, ObjectType):
            if not self.items and t.name == "dx::HitObject":
                from hlsl_tool.codegen.lower.resources import hit_objects  # start-up time

                return hit_objects.empty(self.ctx, t)
            self._split_aggregates()
            return self.items.popleft().id
        return self._scalar(t)

    # --- splitting

    def _split_struct(self) -> bool:
        if not self.items or not isinstance(self.items[0].type, Struct):
            return False
        v = self.items.popleft()
        s = v.type
        assert isinstance(s, Struct)
        if any(p.bits is not None for p in self.ctx.types.placed(s, Rule.VOID)) and not self.ctx.options.codegen_only:
            self._replace(v, lambda: bit_fields.members(self.ctx, s, v.id))
        else:  # DXC gives each bit-field the whole word
            self._split(v, [(p.index, p.type) for p in self.ctx.types.placed(s, Rule.VOID)])
        return True

    def _split_array(self) -> bool:
        if not self.items or not isinstance(self.items[0].type, Array):
            return False
        v = self.items.popleft()
        t = v.type
        assert isinstance(t, Array)
        self._split(v, [(i, t.element) for i in range(t.size or 0)])
        return True

    def _split(self, v: Value, parts: list[tuple[int, Type]]) -> None:
        self._replace(v, lambda: [(self.ctx.b.extract(v.id, index), t) for index, t in parts])

    def _replace(self, v: Value, read: Callable[[], list[tuple[int, Type]]]) -> None:
        """Replace an aggregate at the head of the queue by its elements.

        ``read`` extracts them at the aggregate's position.
        """
        origin = self._origins.get(v.id, self.whole)
        self.ctx.at(origin)
        values = [Value(part, t, True) for part, t in read()]
        self.ctx.at(self.whole)
        self._origins |= {value.id: origin for value in values if isinstance(value.type, (Struct, Array))}
        self.items.extendleft(reversed(values))

    def _split_aggregates(self) -> None:
        while self._split_struct() or self._split_array():
            continue

    # --- making

    def _scalar(self, t: Type) -> int:
        if not self.scalars:
            self._split_aggregates()
            v = self.items.popleft()
            if isinstance(v.type, (Vector, Matrix)):
                self.ctx.at_part(self.whole, None if casts.is_matrix(v.type) else self._origins.get(v.id))
                plain = relayout.plain(self.ctx, v.id, v.type)
                self.scalars.extend(casts.components(self.ctx, plain, v.type))
                self.ctx.at(self.whole)
            else:
                self.scalars.append((relayout.plain(self.ctx, v.id, v.type), v.type))
        value, src = self.scalars.popleft()
        return self._converted(value, src, t)

    def _converted(self, value: int, src: Type, t: Type) -> int:
        if isinstance(src, Enum):
            src = src.underlying
        return casts.numeric(self.ctx, value, src, t.underlying if isinstance(t, Enum) else t)

    def _vector(self, t: Vector | Matrix) -> int:
        n = ty.component_count(t)
        if not self.scalars:
            self._split_aggregates()
            v = self.items[0]
            if isinstance(v.type, (Vector, Matrix)) and not casts.is_matrix(v.type) and ty.component_count(v.type) == n:
                self.items.popleft()
                src = ty.vector(v.type.element, n) if n > 1 else v.type.element
                dst = ty.vector(t.element, n) if n > 1 else t.element
                return casts.numeric(self.ctx, relayout.plain(self.ctx, v.id, v.type), src, dst)
        parts = [self._scalar(t.element) for _ in range(n)]
        return parts[0] if n == 1 else self._constructed(t, parts)

    def _constructed(self, t: Type, parts: list[int]) -> int:
        return self.ctx.rvalue(self.ctx.b.construct(self.ctx.type(t), parts), t).id

    def _matrix(self, t: Matrix) -> int:
        if not self.scalars:
            self._split_aggregates()
            v = self.items[0]
            if isinstance(v.type, Matrix) and (v.type.rows, v.type.cols) == (t.rows, t.cols):
                self.items.popleft()
                return casts.numeric(self.ctx, relayout.plain(self.ctx, v.id, v.type), v.type, t)
        row = casts.row_type(t)
        return self._constructed(t, [self._vector(row) for _ in range(t.rows)])

    def _struct(self, t: Struct) -> int:
        if not self.scalars:
            while self._split_array():
                continue
            if self.items and self.items[0].type is t:
                return relayout.plain(self.ctx, self.items.popleft().id, t)
            self._split_struct()
        values: list[int] = []
        for p in self.ctx.types.placed(t, Rule.VOID):
            values.append(self.make(p.type))
            if is_structured_or_byte_buffer(p.type):
                self.ctx.needs_legalization()  # a pointer in a value
        return bit_fields.construct(self.ctx, t, values)

    def _array(self, t: Array) -> int:
        if not self.scalars:
            while self._split_struct():
                continue
            if self.items and self.items[0].type is t:
                return relayout.plain(self.ctx, self.items.popleft().id, t)
            self._split_array()
        return self._constructed(t, [self.make(t.element) for _ in range(t.size or 0)])


__all__ = ["Scalar", "flat_cast", "init_list"]
