"""What SPIRV-Tools' ``spread-volatile-semantics`` has to do, which this package does not do."""

from __future__ import annotations

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Module

_B = e.BuiltIn
_STAGES = frozenset(
    (
        e.ExecutionModel.RayGenerationKHR,
        e.ExecutionModel.IntersectionKHR,
        e.ExecutionModel.AnyHitKHR,
        e.ExecutionModel.ClosestHitKHR,
        e.ExecutionModel.MissKHR,
        e.ExecutionModel.CallableKHR,
    )
)
_OF_RAY_TRACING = frozenset(
    (
        _B.SMIDNV,
        _B.WarpIDNV,
        _B.SubgroupSize,
        _B.SubgroupLocalInvocationId,
        _B.SubgroupEqMask,
        _B.SubgroupGeMask,
        _B.SubgroupGtMask,
        _B.SubgroupLeMask,
        _B.SubgroupLtMask,
        _B.RayTmaxKHR,
    )
)


def spreads_volatile(module: Module) -> bool:
    """Whether there are built-ins whose loads have to be volatile in a stage of the module."""
    decorations = [i.operands for i in module.annotations if i.op == op.OpDecorate]
    builtins = {operands[2] for operands in decorations if operands[1] == e.Decoration.BuiltIn}
    if _B.HelperInvocation in builtins:
        return True
    return any(i.operands[0] in _STAGES for i in module.entry_points) and not builtins.isdisjoint(_OF_RAY_TRACING)
