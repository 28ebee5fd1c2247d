"""Convert a compiled shader to WGSL; report errors of the conversion at lines of the HLSL source."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.diagnostics import Diagnostic, Location, Sink
from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.options.wgsl import WGSL
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.problems import CannotWrite
from hlsl_tool.wgsl import Conversion, WgslError, bindings_json, convert, convert_module

if TYPE_CHECKING:
    from hlsl_tool.base.options.compile_options import CompileOptions
    from hlsl_tool.compiler.result import CompileResult


class WgslOutputs:
    """The WGSL of one job and its bindings; the conversion runs only once for both outputs."""

    def __init__(self, job: Job, result: CompileResult, again: Callable[[CompileOptions], CompileResult]) -> None:
        self.job = job
        self.result = result
        self.again = again
        """Compiles with other options."""
        self.converted: Conversion | None = None

    def output(self, kind: str) -> bytes:
        """Return the bytes of the output ``kind``.

        Raise `CannotWrite` with a located diagnostic if WGSL cannot express it.
        """
        if self.converted is None:
            try:
                self.converted = self._readable() or convert_module(self.result.spirv, self._options())
            except WgslError as error:
                raise CannotWrite(self._diagnostic(error, kind)) from None
        converted = self.converted
        if kind == "wgsl":
            return converted.text.encode()
        needs = converted.features, converted.limits, converted.language_features
        return bindings_json(converted.bindings, *needs).encode()

    def _options(self) -> dict[str, Any]:
        options = self.job.options
        return {"validate": False, **{name: getattr(options, f"wgsl_{name}") for name in WGSL}}

    def _readable(self) -> Conversion | None:
        """Convert the unoptimised module, whose WGSL is easier to read.

        Return ``None`` if the options ask for optimised code, or if WGSL cannot express the unoptimised module.
        """
        options = self.job.options
        if options.wgsl_optimized or options.codegen_only or options.optimize == "none":
            return None
        plain = self.again(replace(options, optimize="none", validate="no"))
        if not plain.ok:
            return None
        try:
            return convert_module(plain.spirv, self._options())
        except WgslError:
            return None

    def _diagnostic(self, problem: WgslError, kind: str) -> Diagnostic:
        """Return the diagnostic of an error at its HLSL line.

        Compile again with debug information if it is needed for that.
        """
        location = _location(problem, self.result)
        if location is None:
            lined = self.again(replace(self.job.options, debug=("line",), validate="no"))
            try:
                convert(lined.spirv, self._options())
            except WgslError as error:
                location = _location(error, lined)
        reason = f"{problem.reason} (in `{problem.instruction}`)" if problem.instruction else problem.reason
        hint = "the output `webgpu_pipelines` is made of it, too" if kind == "wgsl_bindings" else None
        return Sink().error(codes.NO_OUTPUT, location, hint=hint, kind=kind, name=self.job.name, reason=reason)


def _location(error: WgslError, result: CompileResult) -> Location | None:
    """Return the HLSL source location of an error of the conversion; `None` if the module has no debug information."""
    name, _, rest = error.place.rpartition(":")
    name, _, line = name.rpartition(":")
    file = next((file for file in result.trace.files if file.name == name), None)
    if file is None or not line.isdigit() or not rest.isdigit():
        return None
    lines = file.text.split("\n")
    row, col = int(line), int(rest)
    return Location(file.name, row, col, col + 1, lines[row - 1] if row <= len(lines) else "")
