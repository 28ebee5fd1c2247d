"""Validate modules with spirv-val."""

from __future__ import annotations

import os

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import compiler as codes
from hlsl_tool.base.options.compile_options import MAX_ID, CompileOptions
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.passes.pointer_casts import replace_casts
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.ir import Module
from hlsl_tool.spirv.tools.locate import INSTALL, find_tool
from hlsl_tool.spirv.tools.validator import Complaint, Layout, complaint, validate

_VALIDATOR_LAYOUT: dict[str, Layout] = {"vulkan": "vulkan", "dx": "scalar", "gl": "gl", "scalar": "scalar"}

_OVERLAPPING = (
    "what FXC packs behind a matrix or array overlaps for SPIR-V: change the order of the members, or leave validation"
    " out (-Vd)"
)


def tool_path(options: CompileOptions, name: str) -> str | None:
    """Return the path of a tool in the folder that the options name; ``None`` if they name none."""
    return os.path.join(options.spirv_tools, name) if options.spirv_tools else None


@dataclass(slots=True)
class Validation:
    """Validates the modules of one compilation, each distinct module only once."""

    options: CompileOptions
    accepted: bytes = b""
    """The last module that was valid."""

    def accepts(self, module: Module) -> bool:
        """Return whether a module is valid, without reporting anything."""
        data, unreported = encode(module), Sink()
        is_valid = validated(data, self.options, unreported)
        if is_valid and not unreported.diagnostics:  # else `run` reports that there is no validator
            self.accepted = data
        return is_valid

    def run(self, data: bytes, sink: Sink) -> bool:
        """Validate a module and report why it is not valid; return whether it is."""
        return data == self.accepted or validated(data, self.options, sink)


def validated_library(data: bytes, options: CompileOptions, sink: Sink) -> bool:
    """Validate a module that is to be linked and report why it is not valid; return whether it is.

    Typed accesses of byte-address buffers are valid only after the link.
    """
    module = decode(data)
    if replace_casts(module):
        data = encode(module)
    return validated(data, options, sink, before_legalization=True)


def validated(data: bytes, options: CompileOptions, sink: Sink, *, before_legalization: bool = False) -> bool:
    """Validate a module and report why it is not valid; return whether it is.

    ``before_legalization`` allows what legalisation removes.
    If there is no validator, return False if the options require one, else warn and return True.
    """
    required = options.validate == "required" or bool(options.spirv_tools)
    validator = find_tool("spirv-val", tool_path(options, "spirv-val"), sink=sink if required else None)
    if validator is None:
        if not required:
            sink.warning(codes.NOT_CHECKED, None, tools="spirv-val", what="validated", install=INSTALL)
        return not required
    verdict = validate(
        data,
        options.target_env,
        tool=validator,
        sink=sink,
        layout=_VALIDATOR_LAYOUT[options.layout],
        max_id=options.max_id if options.max_id > MAX_ID else None,
        before_legalization=before_legalization,
        variable_offsets=options.variable_offsets,
    )
    if verdict == "invalid" and options.layout == "dx" and "layout rules" in sink.diagnostics[-1].message:
        sink.diagnostics[-1].hint = _OVERLAPPING
    return verdict != "invalid"


def complain(data: bytes, options: CompileOptions) -> Complaint | None:
    """Return spirv-val's error about a module without reporting it; ``None`` if the module is valid."""
    unreported = Sink()
    validator = find_tool("spirv-val", tool_path(options, "spirv-val"), sink=None)
    if validator is None:
        return None
    layout = _VALIDATOR_LAYOUT[options.layout]
    return complaint(data, options.target_env, tool=validator, sink=unreported, layout=layout)
