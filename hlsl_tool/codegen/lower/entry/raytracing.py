"""Wrappers of ray tracing shaders (manual: *Ray Tracing Shader Stages*).

A parameter's position decides its meaning: the first is the payload or callable data, which is written back; the second
has the attributes of the hit.
"""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.spirv.enums import StorageClass

PARAMETERS: dict[str, tuple[int, ...]] = {
    "raygeneration": (),
    "intersection": (),
    "anyhit": (StorageClass.IncomingRayPayloadKHR, StorageClass.HitAttributeKHR),
    "closesthit": (StorageClass.IncomingRayPayloadKHR, StorageClass.HitAttributeKHR),
    "miss": (StorageClass.IncomingRayPayloadKHR,),
    "callable": (StorageClass.IncomingCallableDataKHR,),
}
"""Stage → storage classes of its parameters."""


def write_body(ctx: Lowering, f: Function, wrapper: int) -> None:
    """Write the wrapper's body: load the parameters, call the function, store the payload or callable data back."""
    b, classes = ctx.b, PARAMETERS[ctx.stage]
    holders: list[Value] = []
    written: list[tuple[int, Value]] = []
    for p, storage in zip(f.params, classes, strict=True):
        holder = memory.local(ctx, p.type, f"param.var.{p.name}")
        variable = b.global_variable(ctx.type(p.type), storage, p.name)
        ctx.owned_globals[variable] = wrapper
        b.store(holder.id, b.load(variable))
        holders.append(holder)
        if p.direction == "inout":
            written.append((variable, holder))
            ctx.incoming_payloads[p] = variable
    b.call(ctx.functions[f], ctx.type(f.return_type), [h.id for h in holders])
    for variable, holder in written:
        b.store(variable, b.load(holder.id))
