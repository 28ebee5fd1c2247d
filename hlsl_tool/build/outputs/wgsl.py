"""Convert a compiled shader to WGSL; errors of the conversion are reported at lines of the HLSL."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hlsl_tool.build.job import Job
from hlsl_tool.diagnostics import Diagnostic, Location, Sink
from hlsl_tool.diagnostics.catalogue import build as codes
from hlsl_tool.system.dataclass import replace
from hlsl_tool.wgsl import WgslError, bindings_json, convert, convert_module

if TYPE_CHECKING:
    from hlsl_tool.compiler.result import CompileResult
    from hlsl_tool.options.model import CompileOptions


class CannotWrite(Exception):
    """An output that cannot be made, with the diagnostic for the user."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def wgsl_output(kind: str, job: Job, result: CompileResult, again: Callable[[CompileOptions], CompileResult]) -> bytes:
    """Return the WGSL, or its bindings.  ``again`` compiles with other options, to find the line of an error."""
    try:
        module = convert_module(result.spirv, {"validate": False})
        return (module.text if kind == "wgsl" else bindings_json(module.bindings)).encode()
    except WgslError as error:
        problem = error
    location = _location(problem, result)
    if location is None:
        lined = again(replace(job.options, debug=("line",), validate="no"))
        try:
            convert(lined.spirv, {"validate": False})
        except WgslError as error:
            location = _location(error, lined)
    reason = f"{problem.reason} (in `{problem.instruction}`)" if problem.instruction else problem.reason
    raise CannotWrite(Sink().error(codes.NO_OUTPUT, location, kind=kind, name=job.name, reason=reason))


def _location(error: WgslError, result: CompileResult) -> Location | None:
    """Return the location of an error in the compiled sources."""
    name, _, rest = error.place.rpartition(":")
    name, _, line = name.rpartition(":")
    file = next((file for file in result.trace.files if file.name == name), None)
    if file is None or not line.isdigit() or not rest.isdigit():
        return None
    lines = file.text.split("\n")
    row, col = int(line), int(rest)
    return Location(file.name, row, col, col + 1, lines[row - 1] if row <= len(lines) else "")
