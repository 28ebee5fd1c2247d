"""Variables for the data that ray tracing shaders pass to each other: payloads, callable data, hit attributes."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.spirv.enums import Decoration, StorageClass

_WITHOUT_LOCATION = (
    StorageClass.HitAttributeKHR,
    StorageClass.HitObjectAttributeEXT,
    StorageClass.HitObjectAttributeNV,
)


def ray_variable(ctx: Lowering, storage: int, t: Type, name: str) -> tuple[int, int]:
    """Return (variable, location) for data of a type in a storage class; data of the same type share one variable."""
    variables: dict[Type, tuple[int, int]] = ctx.ray_data.setdefault(storage, {})
    if t not in variables:
        variable = ctx.b.global_variable(ctx.type(t), storage, name)
        variables[t] = (variable, len(variables))
        if storage not in _WITHOUT_LOCATION:
            ctx.b.decorate(variable, Decoration.Location, variables[t][1])
    return variables[t]


def variable_name(x: hir.Expr) -> str:
    """Return the name of the variable that an expression names; ``""`` for other expressions."""
    while isinstance(x, (hir.Load, hir.Cast)):
        x = x.operand
    return x.var.name if isinstance(x, hir.VarRef) else ""
