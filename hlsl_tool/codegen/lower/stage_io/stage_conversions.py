"""Convert values between their HLSL types and the types of interface variables."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import casts
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.stage_io.stage_items import Item, StageVariable, is_bool_variable
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Scalar, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import ModuleBuilder


def from_variable(ctx: Lowering, value: int, item: Item, v: StageVariable) -> int:
    """Convert the loaded value of an input variable to the type and meaning that HLSL specifies."""
    b, t = ctx.b, item.type
    system, builtin = v.semantic.system, v.is_builtin
    if system in ("DISPATCHTHREADID", "GROUPTHREADID", "GROUPID") and builtin:
        n = ty.component_count(t)
        return value if n == 3 else b.extract(value, 0) if n == 1 else b.shuffle(value, value, range(n))
    if system == "COVERAGE":
        mask = b.extract(value, 0)
        return mask if t is ty.UINT else b.unary(op.OpBitcast, ctx.type(t), mask)
    if system == "INNERCOVERAGE":
        return b.select(value, b.const_uint(1), b.const_uint(0))
    if system == "BARYCENTRICS":
        x, y = b.extract(value, 0), b.extract(value, 1)
        z = b.binary(op.OpFSub, b.f32(), b.const_f32(1.0), b.binary(op.OpFAdd, b.f32(), x, y))
        return b.construct(b.vector(b.f32(), 3), [x, y, z])
    if system == "DOMAINLOCATION" and ty.component_count(t) != 3:
        return b.shuffle(value, value, [0, 1])
    if (
        builtin
        and system in ("TESSFACTOR", "INSIDETESSFACTOR")
        and not (isinstance(t, Array) and t.size == b.type_info(b.type_id_of(value)).count)
    ):
        parts = [b.extract(value, k) for k in range(factor_count(t))]
        return parts[0] if isinstance(t, Scalar) else b.construct(ctx.type(t), parts)
    if system == "POSITION" and v.point == "PSIn" and ctx.options.use_dx_position_w:
        w = b.extract(value, 3)
        return b.insert(b.binary(op.OpFDiv, b.f32(), b.const_f32(1.0), w), value, 3)
    if is_bool_variable(item, v.semantic, v.point):
        as_uint = ty.with_element(t, ty.UINT)
        if not item.array:
            return casts.numeric(ctx, value, as_uint, t)
        elements = [casts.numeric(ctx, b.extract(value, k), as_uint, t) for k in range(item.array)]
        return b.construct(b.array(ctx.type(t), item.array), elements)
    return value


def store_factors(b: ModuleBuilder, variable: int, t: Type, value: int) -> None:
    """Store tessellation levels to the first elements of the array, whose length Vulkan fixes at four and two."""
    n = factor_count(t)
    if isinstance(t, Array) and n == b.pointee_of(variable).count:
        b.store(variable, value)
        return
    for i in range(n):
        at = b.access_chain(b.f32(), variable, [b.const_uint(i)])
        b.store(at, b.extract(value, i) if not isinstance(t, Scalar) else value)


def factor_count(t: Type) -> int:
    """Return the number of tessellation levels in a value of type ``t``."""
    return (t.size or 1) if isinstance(t, Array) else ty.component_count(t)
