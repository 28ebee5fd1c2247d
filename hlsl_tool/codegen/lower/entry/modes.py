"""Execution modes that command-line options add to every entry point (manual: *Vulkan command-line options*)."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.spirv.enums import ExecutionMode

DENORM = {"preserve": ExecutionMode.DenormPreserve, "ftz": ExecutionMode.DenormFlushToZero}
"""Value of ``-denorm`` → execution mode for 32-bit denormals; ``any`` leaves their treatment to the device."""

WIDTH = 32


def from_options(ctx: Lowering, wrapper: int) -> None:
    """Write the execution modes that options request for one entry point."""
    b, options = ctx.b, ctx.options
    if options.maximal_reconvergence:
        b.execution_mode(wrapper, ExecutionMode.MaximallyReconvergesKHR)
    if options.ieee_strict:
        b.execution_mode(wrapper, ExecutionMode.SignedZeroInfNanPreserve, WIDTH)
    if options.denorm in DENORM:
        b.execution_mode(wrapper, DENORM[options.denorm], WIDTH)
