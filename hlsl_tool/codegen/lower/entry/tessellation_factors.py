"""``Process*TessFactors*``: round tessellation factors as the tessellator does.

The results depend on the partitioning of the hull shader. As Direct3D documents, U's inside factor follows from the two
edges that run along U: of the edges U=0, V=0, U=1 and V=1 these are the second and the fourth.
"""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.lower.core import constants, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.intrinsics.math import write_out
from hlsl_tool.frontend.sema.checks.entries.stage_checks import STAGES
from hlsl_tool.frontend.sema.checks.reachable.graph import reach
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.spirv import glsl, op

_LIMITS = {"integer": (1, 64), "fractional_odd": (1, 63), "fractional_even": (2, 64)}
"""Partitioning → the smallest and the largest factor."""
_CUTOFF = 3.0
"""Below this factor ``fractional_odd`` takes the unscaled factors: smaller ones divide a side in one segment only."""
_SIDES = {"ProcessQuad": ((0, 1, 2, 3),), "ProcessTri": ((0, 1, 2),), "Process2DQuad": ((1, 3), (0, 2))}
"""Start of a name → for each inside factor, the edges that it is computed from."""
_REDUCTIONS = {"Max": glsl.NMax, "Min": glsl.NMin}


@dataclass(slots=True)
class _Factors:
    """Arithmetic on factors for one partitioning; ``NMax`` and ``NMin`` replace NaN by the limit."""

    ctx: Lowering
    partitioning: str

    def least(self, x: int, limit: float, t: Type) -> int:
        return self.ctx.b.glsl(glsl.NMin, self.ctx.type(t), x, constants.splat(self.ctx, limit, t))

    def greatest(self, x: int, limit: float, t: Type) -> int:
        return self.ctx.b.glsl(glsl.NMax, self.ctx.type(t), x, constants.splat(self.ctx, limit, t))

    def clamp(self, x: int, t: Type) -> int:
        """Clamp factors to the range that the partitioning allows."""
        low, high = _LIMITS[self.partitioning]
        return self.least(self.greatest(x, low, t), high, t)

    def round(self, x: int, t: Type) -> int:
        """Round clamped factors up to integers for integer partitioning; return them unchanged for a fractional one."""
        return self.ctx.b.glsl(glsl.Ceil, self.ctx.type(t), x) if self.partitioning == "integer" else x

    def reduce(self, edges: int, sides: Sequence[Sequence[int]], kind: str) -> int:
        """Return the id of a scalar or vector with one factor for each group of edges in ``sides``.

        ``edges`` is the id of the vector of edge factors; a group lists indices into it. A group's factor is the
        average, maximum or minimum (``kind``) of its edges' factors.
        """
        b, number = self.ctx.b, self.ctx.b.f32()
        parts = []
        for group in sides:
            first, *rest = [b.extract(edges, i) for i in group]
            for x in rest:
                if kind in _REDUCTIONS:
                    first = b.glsl(_REDUCTIONS[kind], number, first, x)
                else:
                    first = b.binary(op.OpFAdd, number, first, x)
            if kind not in _REDUCTIONS:
                first = b.binary(op.OpFMul, number, first, b.const_f32(1 / len(group)))
            parts.append(first)
        return parts[0] if len(parts) == 1 else b.construct(self.ctx.type(_type_of(len(parts))), parts)

    def inside(self, edges: int, scale: int, sides: Sequence[Sequence[int]], kind: str) -> int:
        """Return the inside factors: edge factors reduced by ``kind``, scaled by ``scale`` and clamped; not rounded.

        ``edges`` is the vector of edge factors; each group of indices into it in ``sides`` gives one inside factor.
        """
        b, t = self.ctx.b, _type_of(len(sides))
        scaled = b.binary(op.OpFMul, self.ctx.type(t), self.reduce(edges, sides, kind), scale)
        clamped = self.clamp(scaled, t)
        if self.partitioning != "fractional_odd":
            return clamped
        unscaled = self.clamp(self.reduce(edges, sides, "Max" if kind == "Max" else "Avg"), t)
        clamped = self._where_small(clamped, self.least(unscaled, _CUTOFF, t), t)
        if len(sides) == 1:
            return clamped
        both = b.glsl(glsl.NMax, b.f32(), b.extract(clamped, 0), b.extract(clamped, 1))
        larger = self.least(both, _CUTOFF, ty.FLOAT)
        return self._where_small(clamped, b.construct(self.ctx.type(t), [larger, larger]), t)

    def _where_small(self, x: int, small: int, t: Type) -> int:
        """Return ``x`` with each component below the cutoff replaced by the same component of ``small``."""
        b, condition = self.ctx.b, self.ctx.type(ty.with_element(t, ty.BOOL))
        return b.select(b.binary(op.OpFOrdLessThan, condition, x, constants.splat(self.ctx, _CUTOFF, t)), small, x)


def _type_of(count: int) -> Type:
    return ty.FLOAT if count == 1 else ty.vector(ty.FLOAT, count)


def _partitioning(ctx: Lowering, c: hir.IntrinsicCall) -> str:
    """Return the partitioning that all hull shaders calling the current function share; report differing ones."""
    ctx.beyond_dxc(c.name, c.pos)
    if ctx.stage != "hs":
        ctx.fail(codes.FUNCTION_STAGE, c.pos, name=c.name, stage=STAGES.get(ctx.stage) or ctx.stage)
    names = set()
    for f in ctx.program.entries:
        a = find_attribute(f.attributes, "partitioning")
        if find_attribute(f.attributes, "patchconstantfunc") and ctx.function in _reached(ctx, f):
            names.add(str(a.args[0]) if a is not None and a.args else "")
    if len(names) != 1:
        ctx.fail(codes.FEATURE_UNSUPPORTED, c.pos, what=f"'{c.name}' for hull shaders of different partitionings")
    name = names.pop()
    if name == "pow2":
        ctx.fail(codes.PARTITIONING_POW2, c.pos)
    if name not in _LIMITS:
        ctx.fail(codes.ATTRIBUTE_MISSING, c.pos, stage="hull", attribute="partitioning")
    return name


def _reached(ctx: Lowering, hull: Function) -> list[Function]:
    """Return the functions that a hull shader or its patch constant function calls, directly or indirectly."""
    a = find_attribute(hull.attributes, "patchconstantfunc")
    name = a.args[0] if a is not None and a.args else ""
    patches = [f for f in ctx.program.functions if f.name == name and f.has_body and f.owner is None]
    return reach(ctx.program, [hull, *patches[-1:]])


def _outputs(ctx: Lowering, c: hir.IntrinsicCall, values: Sequence[int]) -> None:
    for target, value in zip(c.args[2:], values, strict=True):
        count = ctx.b.type_of(value).count if ctx.b.type_of(value).kind == "vector" else 1
        write_out(ctx, target, value, _type_of(count))


@intrinsic("ProcessIsolineTessFactors")
def _isoline(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    factors = _Factors(ctx, _partitioning(ctx, c))
    raw = [memory.value_of(ctx, a).id for a in c.args[:2]]
    _outputs(ctx, c, [factors.round(factors.clamp(x, ty.FLOAT), ty.FLOAT) for x in raw])


@intrinsic(*(f"{start}TessFactors{kind}" for start in _SIDES for kind in ("Avg", "Max", "Min")))
def _patch(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``Process*TessFactors*``: store the rounded edge factors, and the inside factors rounded and unrounded."""
    factors = _Factors(ctx, _partitioning(ctx, c))
    start, _, kind = c.name.partition("TessFactors")
    raw, scale = (memory.value_of(ctx, a).id for a in c.args[:2])
    edge_type, scale_type = c.args[0].type, c.args[1].type
    edges = factors.round(factors.clamp(raw, edge_type), edge_type)
    scale = factors.least(factors.greatest(scale, 0.0, scale_type), 1.0, scale_type)
    sides = _SIDES[start]
    inside = factors.inside(factors.greatest(raw, 1.0, edge_type), scale, sides, kind)
    rounded = factors.round(inside, _type_of(len(sides)))
    if start == "ProcessQuad":
        pair = ctx.type(_type_of(2))
        rounded, inside = (ctx.b.construct(pair, [x, x]) for x in (rounded, inside))
    _outputs(ctx, c, [edges, rounded, inside])
