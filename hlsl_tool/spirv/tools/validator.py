"""Validate modules for their target environment with spirv-val."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.spirv.enums import Capability
from hlsl_tool.spirv.grammar.tables import ENUMERANTS

from .locate import Tool
from .run import TIMEOUT, TOO_OLD, Outcome, clean, run_tool

Layout = Literal["vulkan", "gl", "scalar"]
"""Block layout rules to check: relaxed (vulkan, the default), strict (gl), scalar (also for DirectX's layout)."""

Verdict = Literal["valid", "invalid", "unknown"]

_LAYOUT_FLAGS: dict[str, list[str]] = {
    "vulkan": ["--relax-block-layout"],
    "gl": [],
    "scalar": ["--scalar-block-layout"],
}


_NOT_ENABLED = re.compile(r"Capability (\w+) is not allowed by .* \(or requires extension\)")


_OLDER_NAMES = {"SPV_KHR_compute_shader_derivatives": "SPV_NV_compute_shader_derivatives"}
"""Extension → the one it was promoted from, with the same enumerants, for a spirv-val that knows only that one."""


def _by_older_names(data: bytes) -> bytes:
    """Return the module with extensions renamed to their older names, which have as many words."""
    for name, old in _OLDER_NAMES.items():
        size = (len(name) // 4 + 1) * 4
        assert (len(old) // 4 + 1) * 4 == size
        data = data.replace(name.encode().ljust(size, b"\0"), old.encode().ljust(size, b"\0"))
    return data


def _unknown_enabler(messages: str, data: bytes) -> str | None:
    """Return the extension that spirv-val demands although the module declares it: it is newer than spirv-val."""
    refusal = _NOT_ENABLED.search(messages)
    number = getattr(Capability, refusal.group(1), None) if refusal is not None else None
    if number is None:
        return None
    enablers = ENUMERANTS["Capability"][number][3]
    return next((name for name in enablers if name.encode() + b"\0" in data), None)


_FORMER_RULES = (
    (
        "Derivative instructions require Fragment or GLCompute execution model:",  # newer: "..., MeshEXT or TaskEXT"
        "compute_shader_derivatives",
        "derivatives outside pixel and compute shaders",
    ),
    (
        "BuiltIn CullPrimitiveEXT variable needs to be a boolean value array",  # 2025.1 wants no array
        "mesh_shader",
        "SV_CullPrimitive",
    ),
    (
        "Invalid instruction OpHitObjectRecordFromQueryEXT",  # 2025.5 lacks an operand of 2026
        "shader_invocation_reorder",
        "the hit kind of OpHitObjectRecordFromQueryEXT",
    ),
    (
        "Image Operand Offset can only be used with OpImage*Gather operations",
        "",
        "offsets that are not constant",
    ),
)
"""(message of a spirv-val that knows an extension only in part, part of the extension's name, what it cannot judge)."""

_KNOWS_OFFSETS = "v2025.1"
"""The first spirv-val, of those that were tried, with a flag for variable offsets."""

_NO_LINKAGE = "Capability Linkage is not allowed by Vulkan"


def _former_rule(messages: str, data: bytes) -> str | None:
    return next((what for rule, name, what in _FORMER_RULES if rule in messages and name.encode() in data), None)


class Complaint(NamedTuple):
    """An error of spirv-val: its message, and the number of the instruction, counted from 1 (0 if not known)."""

    instruction: int
    text: str


def complaint(
    data: bytes, target_env: str, *, tool: Tool, sink: Sink, layout: Layout = "vulkan", timeout: float = TIMEOUT
) -> Complaint | None:
    """Return spirv-val's error about an invalid module, to find its source location; `None` if the module is valid."""
    arguments = ["--target-env", tool.environment(target_env), *_LAYOUT_FLAGS[layout]]
    outcome = run_tool(tool, arguments, data, sink=sink, timeout=timeout)
    if outcome is None or outcome.status == 0:
        return None
    number = re.match(r"error: line (\d+): ", outcome.messages)
    return Complaint(int(number[1]) if number else 0, clean(outcome.messages))


def validate(
    data: bytes,
    target_env: str,
    *,
    tool: Tool,
    sink: Sink,
    layout: Layout = "vulkan",
    before_legalization: bool = False,
    max_id: int | None = None,
    variable_offsets: bool = False,
    timeout: float = TIMEOUT,
) -> Verdict:
    """Validate a module and report errors; warn about features that this spirv-val is too old to check.

    ``before_legalization`` allows the patterns that legalisation removes (output of -fcgl). A library with exports is
    checked as universal SPIR-V: Vulkan has no linkage, and the module is not for a pipeline before it is linked.
    """
    flags = list(_LAYOUT_FLAGS[layout])
    if before_legalization:
        flags.append("--before-hlsl-legalization")
    if variable_offsets and tool.version >= _KNOWS_OFFSETS:
        flags.append("--allow-offset-texture-operand")
    if max_id is not None:
        flags += ["--max-id-bound", str(max_id)]

    def run(data: bytes, environment: str) -> Outcome | None:
        return run_tool(tool, ["--target-env", environment, *flags], data, sink=sink, timeout=timeout)

    outcome = run(data, tool.environment(target_env))
    if outcome is not None and outcome.status:
        older = _by_older_names(data)
        if older != data:
            data = older
            outcome = run(data, tool.environment(target_env))
    if outcome is not None and outcome.status and _NO_LINKAGE in outcome.messages:
        outcome = run(data, f"spv1.{memoryview(data).cast('I')[1] >> 8 & 0xFF}")  # the version in the header
    if outcome is None:
        return "invalid"
    return _verdict(outcome, data, tool, sink) if outcome.status else "valid"


def _verdict(outcome: Outcome, data: bytes, tool: Tool, sink: Sink) -> Verdict:
    """Report why spirv-val rejected a module: it is invalid, or uses a feature that this spirv-val does not know."""
    too_old = re.search(TOO_OLD, outcome.messages)
    if too_old:
        unknown: str | None = too_old.group(0).removeprefix("Invalid ")
    else:
        unknown = _unknown_enabler(outcome.messages, data) or _former_rule(outcome.messages, data)
    if unknown is not None:
        sink.warning(codes.NOT_VALIDATED, None, tool=tool.name, version=tool.version, what=unknown)
        return "unknown"
    note = sink.note(codes.VALIDATION_NOTE, None)
    sink.error(codes.VALIDATION_FAILED, None, message=clean(outcome.messages), notes=[note])
    return "invalid"
