"""``SV_ClipDistance`` and ``SV_CullDistance``: all scalars and vectors of each share one array variable.

Manual: *ClipDistance & CullDistance*.
"""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.stage_io.semantics import Semantic
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import BuiltIn, Decoration, StorageClass

_BUILTINS = {"CLIPDISTANCE": BuiltIn.ClipDistance, "CULLDISTANCE": BuiltIn.CullDistance}

_TEXTS = {"CLIPDISTANCE": "SV_ClipDistance", "CULLDISTANCE": "SV_CullDistance"}


@dataclass(slots=True)
class ClipCull:
    """The array variables for one entry point, and the sizes from which they are created.

    Sizes are recorded by direction, system value and semantic index before the variables exist.
    """

    sizes: dict[tuple[str, str], dict[int, int]] = field(default_factory=dict)
    arrays: dict[str, int] = field(default_factory=dict)
    """Direction → length of the outer array of control points or vertices."""
    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    """The semantic for reflection: as written, or without the index if there are several."""
    variables: dict[tuple[str, str], int] = field(default_factory=dict)

    def record(self, semantic: Semantic, t: Type, point: str, array: int) -> None:
        """Record the size of one ``SV_ClipDistance`` or ``SV_CullDistance``; do nothing for other semantics."""
        if semantic.system in _BUILTINS:
            key = (_direction(point), semantic.system)
            self.sizes.setdefault(key, {})[semantic.index] = _components(t)
            self.texts[key] = _TEXTS[semantic.system] if key in self.texts else semantic.text
            self.arrays[_direction(point)] = array

    def create(self, ctx: Lowering) -> None:
        """Create the array variables, inputs before outputs."""
        b = ctx.b
        for direction, storage in (("In", StorageClass.Input), ("Out", StorageClass.Output)):
            for system, builtin in _BUILTINS.items():
                sizes = self.sizes.get((direction, system))
                if not sizes:
                    continue
                array = b.array(b.f32(), sum(sizes.values()))
                if self.arrays[direction]:
                    array = b.array(array, self.arrays[direction])
                v = self.variables[direction, system] = b.builtin_variable(array, storage, builtin)
                if ctx.options.reflect_decorations:
                    b.decorate_string(v, Decoration.UserSemantic, self.texts[direction, system])

    def ids(self) -> list[int]:
        return list(self.variables.values())

    def place(self, semantic: Semantic, point: str) -> tuple[int, int]:
        """Return (array variable, offset of a semantic's first component).

        Components are in order of semantic index.
        """
        key = (_direction(point), semantic.system)
        sizes = self.sizes[key]
        return self.variables[key], sum(n for i, n in sizes.items() if i < semantic.index)

    def read(self, ctx: Lowering, semantic: Semantic, t: Type, point: str, array: int) -> int:
        variable, offset = self.place(semantic, point)
        if array:
            parts = [self._read_one(ctx, variable, offset, t, [ctx.b.const_uint(i)]) for i in range(array)]
            return ctx.b.construct(ctx.b.array(ctx.type(t), array), parts)
        return self._read_one(ctx, variable, offset, t, [])

    def read_output(self, ctx: Lowering, semantic: Semantic, t: Type, point: str, index: int) -> int:
        """Return the value of a semantic that invocation ``index`` of the hull shader wrote."""
        variable, offset = self.place(semantic, point)
        return self._read_one(ctx, variable, offset, t, [index])

    def _read_one(self, ctx: Lowering, variable: int, offset: int, t: Type, outer: list[int]) -> int:
        """Return a scalar or vector, or an array of either, from consecutive elements of the array variable.

        ``outer`` are the indices before those of the elements.
        """
        b = ctx.b
        if isinstance(t, Array):
            per = _components(t.element)
            places = range(offset, offset + per * (t.size or 0), per)
            return b.construct(ctx.type(t), [self._read_one(ctx, variable, at, t.element, outer) for at in places])
        parts = [
            b.load(b.access_chain(b.f32(), variable, [*outer, b.const_uint(offset + i)])) for i in range(_components(t))
        ]
        return parts[0] if len(parts) == 1 else b.construct(ctx.type(t), parts)

    def write(
        self, ctx: Lowering, semantic: Semantic, t: Type, point: str, value: int, outer: Sequence[int] = ()
    ) -> None:
        """Store the value of a semantic.

        ``outer`` is the index of the control point or vertex, if there is such a dimension.
        """
        variable, offset = self.place(semantic, point)
        start = ctx.b.const_uint(offset)
        if isinstance(t, Array):
            per = _components(t.element)
            for i in range(t.size or 0):
                self._write_one(ctx, variable, [*outer, _plus(ctx, start, i * per)], t.element, value, (i,))
            return
        self._write_one(ctx, variable, [*outer, start], t, value, ())

    def _write_one(
        self, ctx: Lowering, variable: int, index: list[int], t: Type, value: int, path: tuple[int, ...]
    ) -> None:
        """Store the scalar or vector at member path ``path`` of ``value`` to consecutive array elements.

        Indices are computed by instructions, as in DXC.
        """
        b = ctx.b
        n = ty.component_count(t)
        for i in range(n):
            place = [*index[:-1], _plus(ctx, index[-1], i) if n > 1 else index[-1]]
            at = b.access_chain(b.f32(), variable, place)
            inner = (*path, i) if n > 1 else path
            b.store(at, b.extract(value, *inner) if inner else value)


def _plus(ctx: Lowering, offset: int, more: int) -> int:
    return ctx.b.binary(op.OpIAdd, ctx.b.u32(), offset, ctx.b.const_uint(more))


def _direction(point: str) -> str:
    return "In" if point.endswith("In") else "Out"


def _components(t: Type) -> int:
    if isinstance(t, Array):
        return (t.size or 1) * _components(t.element)
    return ty.component_count(t)
