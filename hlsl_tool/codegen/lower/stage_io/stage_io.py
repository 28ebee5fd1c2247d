"""Load stage inputs and store stage outputs; a struct becomes one variable for each of its members.

Manual: *HLSL semantic and Vulkan Location*, *Entry function wrapper*.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.codegen.lower.core import casts
from hlsl_tool.codegen.lower.core.context import Unsupported
from hlsl_tool.codegen.lower.stage_io.clip_cull import ClipCull
from hlsl_tool.codegen.lower.stage_io.interface_variables import StageVariables
from hlsl_tool.codegen.lower.stage_io.semantics import IO, Semantic
from hlsl_tool.codegen.lower.stage_io.stage_conversions import from_variable, store_factors
from hlsl_tool.codegen.lower.stage_io.stage_items import Item, Leaf, element_count, is_bool_variable, members
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Struct, Type
from hlsl_tool.spirv import op


@dataclass(slots=True)
class StageIO(StageVariables):
    """Creates, loads and stores the interface variables of one entry point."""

    clip_cull: ClipCull = field(default_factory=ClipCull)
    invocation: int | None = None
    """The index of the element of output arrays that an invocation of a hull shader writes."""

    def read(self, item: Item, point: str, initial: int | None = None) -> int:
        """Create the input variables for a parameter and return its value.

        Members without a semantic are those of ``initial``.
        """
        return self._read(item, point, [None], initial)

    def _read(self, item: Item, point: str, inherited: list[Semantic | None], initial: int | None) -> int:
        """Create the input variables for a parameter, or a member of one, and return its value.

        ``inherited`` is the semantic of an enclosing struct, if any; its index is advanced for each member.
        """
        ctx, b = self.ctx, self.ctx.b
        if initial is not None and not isinstance(item.type, Struct) and (item.semantic or inherited[0]) is None:
            return initial
        semantic = self._semantic(item, inherited, "input")
        t = item.type
        if isinstance(t, Struct):
            if semantic is not None and inherited[0] is None:
                inherited = [semantic]
            parts = []
            for n, m in enumerate(members(ctx, t, item)):
                part = b.extract(initial, n) if initial is not None else None
                parts.append(self._read(m, point, inherited, part))
            if item.array:
                return self._transposed(t, parts, item.array)
            return b.construct(ctx.type(t), parts)
        assert semantic is not None
        if semantic.system in ("CLIPDISTANCE", "CULLDISTANCE") and self.builtin_of(item, semantic, point) != IO:
            value = self.clip_cull.read(ctx, semantic, t, point, item.array)
            semantic.index += 1
            return value
        v = self.create(item, semantic, point)
        if inherited[0] is not None:
            semantic.index += element_count(t)
        return from_variable(ctx, b.load(v.id), item, v)

    def _transposed(self, t: Struct, parts: list[int], n: int) -> int:
        """Return an array of structs from the arrays of their members."""
        ctx, b = self.ctx, self.ctx.b
        elements = [b.construct(ctx.type(t), [b.extract(p, i) for p in parts]) for i in range(n)]
        return b.construct(b.array(ctx.type(t), n), elements)

    def _semantic(self, item: Item, inherited: list[Semantic | None], direction: str) -> Semantic | None:
        own, outer = item.semantic, inherited[0]
        if outer is not None:
            if own is not None:
                self.ctx.warn(codes.SEMANTIC_OVERRIDDEN, own.pos, chunk=own.chunk, inner=own.text, outer=outer.text)
            return outer
        if own is None and not isinstance(item.type, Struct):
            self.ctx.error(codes.SEMANTIC_MISSING, item.pos, chunk=item.chunk, direction=direction, name=item.name)
            raise Unsupported
        return own

    def write(self, item: Item, point: str, value: int | None) -> list[Leaf]:
        """Create the output variables for a parameter or result and store its value.

        Without a value only create them.
        """
        leaves: list[Leaf] = []
        self._write(item, point, value, [None], leaves)
        return leaves

    def _write(
        self, item: Item, point: str, value: int | None, inherited: list[Semantic | None], leaves: list[Leaf]
    ) -> None:
        ctx, b = self.ctx, self.ctx.b
        semantic = self._semantic(item, inherited, "output")
        t = item.type
        if isinstance(t, Struct):
            if semantic is not None and inherited[0] is None:
                inherited = [semantic]
            for i, m in enumerate(members(ctx, t, item)):
                self._write(m, point, b.extract(value, i) if value is not None else None, inherited, leaves)
            return
        assert semantic is not None
        is_distance = semantic.system in ("CLIPDISTANCE", "CULLDISTANCE")
        is_distance = is_distance and self.builtin_of(item, semantic, point) != IO
        variable = None if is_distance else self.create(item, semantic, point)
        leaf = Leaf(item, replace(semantic), point, variable)
        leaves.append(leaf)
        if is_distance:
            semantic.index += 1
        elif inherited[0] is not None:
            semantic.index += element_count(t)
        if value is not None:
            self.store(leaf, value)

    def write_again(self, leaves: list[Leaf], t: Type, value: int) -> None:
        """Store another value of a parameter or result to the output variables that exist already."""
        todo = list(leaves)
        self._write_leaves(todo, t, value)
        assert not todo

    def _write_leaves(self, todo: list[Leaf], t: Type, value: int) -> None:
        if isinstance(t, Struct):
            for p in self.ctx.types.words(t):
                self._write_leaves(todo, p.type, self.ctx.b.extract(value, p.index))
            return
        self.store(todo.pop(0), value)

    def store(self, leaf: Leaf, value: int) -> None:
        """Convert the value of one output to the type of its variable and store it."""
        ctx, b, item, v = self.ctx, self.ctx.b, leaf.item, leaf.variable
        outer = [self.invocation] if item.array and self.invocation is not None else []
        if v is None:
            self.clip_cull.write(ctx, leaf.semantic, item.type, leaf.point, value, outer)
            return
        system = v.semantic.system
        if system == "POSITION" and ctx.options.invert_y and v.point in ("VSOut", "DSOut", "GSOut", "MSOut"):
            y = b.extract(value, 1)
            value = b.insert(b.unary(op.OpFNegate, b.f32(), y), value, 1)
        if is_bool_variable(item, v.semantic, v.point):
            value = casts.numeric(ctx, value, item.type, ty.with_element(item.type, ty.UINT))
        if v.is_builtin and system in ("TESSFACTOR", "INSIDETESSFACTOR"):
            store_factors(b, v.id, item.type, value)
        elif system == "COVERAGE":
            if item.type is not ty.UINT:
                value = b.unary(op.OpBitcast, b.u32(), value)
            b.store(b.access_chain(b.type_id_of(value), v.id, [b.const_uint(0)]), value)
        elif outer:
            b.store(b.access_chain(b.type_id_of(value), v.id, outer), value)
        else:
            b.store(v.id, value)

    def load_output(self, leaf: Leaf, index: int) -> int:
        """Return the value of an output variable that invocation ``index`` of the hull shader wrote."""
        ctx, b, item, v = self.ctx, self.ctx.b, leaf.item, leaf.variable
        if v is None:
            return self.clip_cull.read_output(ctx, leaf.semantic, item.type, leaf.point, index)
        t, is_bool = item.type, is_bool_variable(item, v.semantic, v.point)
        as_stored = ty.with_element(t, ty.UINT) if is_bool else t
        value = b.load(b.access_chain(ctx.type(as_stored), v.id, [index]))
        return casts.numeric(ctx, value, as_stored, t) if is_bool else value

    def ids(self) -> list[int]:
        """Return the ids of all stage variables in order, for OpEntryPoint."""
        return list(dict.fromkeys([*self.clip_cull.ids(), *(v.id for v in self.variables if self.is_global(v.id))]))
