"""Detect modules that need SPIRV-Tools' ``spread-volatile-semantics``, which promotion does not implement."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import RAY_TRACING, SUBGROUP_INPUTS
from hlsl_tool.spirv.analysis.module_index import ungrouped
from hlsl_tool.spirv.enums import BuiltIn, Decoration
from hlsl_tool.spirv.ir import Module

_CHANGING = SUBGROUP_INPUTS | {BuiltIn.RayTmaxKHR}
"""Built-ins that change while a ray tracing shader runs."""


def spreads_volatile(module: Module) -> bool:
    """Return whether the module has built-ins whose loads must be volatile in at least one of its stages."""
    decorations = [i.operands for i in ungrouped(module.annotations) if i.op == op.OpDecorate]
    builtins = {operands[2] for operands in decorations if operands[1] == Decoration.BuiltIn}
    if BuiltIn.HelperInvocation in builtins:
        return True
    return any(i.operands[0] in RAY_TRACING for i in module.entry_points) and not builtins.isdisjoint(_CHANGING)
