"""``SV_ClipDistance`` and ``SV_CullDistance``: any number of scalars and vectors share one array each (manual:
*ClipDistance & CullDistance*)."""

from __future__ import annotations

from dataclasses import dataclass, field

from hlsl_tool.lower import casts
from hlsl_tool.lower.context import Lowering
from hlsl_tool.lower.semantics import Semantic
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.types import Array, Type
from hlsl_tool.spirv import enums as e

_BUILTINS = {"CLIPDISTANCE": e.BuiltIn.ClipDistance, "CULLDISTANCE": e.BuiltIn.CullDistance}


@dataclass(slots=True)
class ClipCull:
    """Sizes by direction and semantic index, recorded before any variable is made; then the variables."""

    sizes: dict[tuple[str, str], dict[int, int]] = field(default_factory=dict)
    variables: dict[tuple[str, str], int] = field(default_factory=dict)

    def record(self, semantic: Semantic, t: Type, point: str) -> None:
        """A declaration with this semantic: reserve its components."""
        if semantic.system in _BUILTINS:
            self.sizes.setdefault((_direction(point), semantic.system), {})[semantic.index] = _components(t)

    def create(self, ctx: Lowering, array_in: int = 0, array_out: int = 0) -> None:
        """The arrays, inputs first."""
        b = ctx.b
        for direction, storage, outer in (
            ("In", e.StorageClass.Input, array_in),
            ("Out", e.StorageClass.Output, array_out),
        ):
            for system, builtin in _BUILTINS.items():
                sizes = self.sizes.get((direction, system))
                if not sizes:
                    continue
                made = b.array(b.f32(), sum(sizes.values()))
                if outer:
                    made = b.array(made, outer)
                self.variables[direction, system] = b.builtin_variable(made, storage, builtin)

    def ids(self) -> list[int]:
        return list(self.variables.values())

    def _place(self, semantic: Semantic, point: str) -> tuple[int, int]:
        """The variable and the offset of an index in it: indices are laid out in order."""
        key = (_direction(point), semantic.system)
        sizes = self.sizes[key]
        return self.variables[key], sum(n for i, n in sizes.items() if i < semantic.index)

    def read(self, ctx: Lowering, semantic: Semantic, t: Type, point: str, array: int) -> int:
        variable, offset = self._place(semantic, point)
        if array:
            parts = [self._read_one(ctx, variable, offset, t, [ctx.b.const_uint(i)]) for i in range(array)]
            return ctx.b.construct(ctx.b.array(ctx.type(t), array), parts)
        return self._read_one(ctx, variable, offset, t, [])

    def _read_one(self, ctx: Lowering, variable: int, offset: int, t: Type, outer: list[int]) -> int:
        b = ctx.b
        parts = [
            b.load(b.access_chain(b.f32(), variable, [*outer, b.const_uint(offset + i)])) for i in range(_components(t))
        ]
        if isinstance(t, Array):
            per = _components(t.element)
            inner = [parts[i : i + per] for i in range(0, len(parts), per)]
            made = [x[0] if per == 1 else b.construct(ctx.type(t.element), x) for x in inner]
            return b.construct(ctx.type(t), made)
        return parts[0] if len(parts) == 1 else b.construct(ctx.type(t), parts)

    def write(self, ctx: Lowering, semantic: Semantic, t: Type, point: str, value: int | None) -> None:
        if value is None:
            return
        b = ctx.b
        variable, offset = self._place(semantic, point)
        if isinstance(t, Array):
            flat = [p for i in range(t.size or 0) for p, _ in casts.components(ctx, b.extract(value, i), t.element)]
        else:
            flat = [p for p, _ in casts.components(ctx, value, t)]
        for i, p in enumerate(flat):
            b.store(b.access_chain(b.f32(), variable, [b.const_uint(offset + i)]), p)


def _direction(point: str) -> str:
    return "In" if point.endswith("In") else "Out"


def _components(t: Type) -> int:
    if isinstance(t, Array):
        return (t.size or 1) * _components(t.element)
    return ty.component_count(t)
