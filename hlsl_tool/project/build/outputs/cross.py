"""Convert a compiled shader to MSL, GLSL, ESSL and HLSL by SPIRV-Cross."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.diagnostics.catalogue import tools
from hlsl_tool.base.options.cross import CROSS
from hlsl_tool.cross import Converted, CrossError, CrossMissing, convert_all
from hlsl_tool.cross.library import advice
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.problems import CannotWrite

if TYPE_CHECKING:
    from hlsl_tool.compiler.result import CompileResult


def convert_job(job: Job, result: CompileResult) -> dict[str, Converted]:
    """Return the module of a job in all languages among its outputs; raise `CannotWrite` if one is impossible."""
    wanted = {
        language: {name: getattr(job.options, f"{language}_{name}") for name in options}
        for language, options in CROSS.items()
        if language in job.targets
    }
    try:
        return convert_all(result.spirv, wanted)
    except CrossMissing:
        kinds, install = ", ".join(wanted), advice()
        raise CannotWrite(Sink().error(tools.CROSS_MISSING, None, kind=kinds, name=job.name, install=install)) from None
    except CrossError as error:
        kind, reason = error.language, error.reason
        raise CannotWrite(Sink().error(codes.NO_OUTPUT, None, kind=kind, name=job.name, reason=reason)) from None
