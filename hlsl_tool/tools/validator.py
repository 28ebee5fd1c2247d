"""spirv-val: is the module good SPIR-V for its target environment?"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from hlsl_tool.diagnostics.catalogue import tools as codes
from hlsl_tool.diagnostics.sink import Sink
from hlsl_tool.spirv.enums import Capability
from hlsl_tool.spirv.grammar.tables import ENUMERANTS

from .locate import Tool
from .optimizer import TARGET_ENVS
from .run import TIMEOUT, TOO_OLD, clean, run_tool

Layout = Literal["vulkan", "gl", "scalar"]
"""Block layout rules to check: relaxed (Vulkan's, the default), strict (OpenGL's), scalar (also for DirectX's)."""

Verdict = Literal["valid", "invalid", "unknown"]

_LAYOUT_FLAGS: dict[str, list[str]] = {
    "vulkan": ["--relax-block-layout"],
    "gl": [],
    "scalar": ["--scalar-block-layout"],
}


_NOT_ENABLED = re.compile(r"Capability (\w+) is not allowed by .* \(or requires extension\)")


_OLDER_NAMES = {"SPV_KHR_compute_shader_derivatives": "SPV_NV_compute_shader_derivatives"}
"""Extension → the one it was promoted from, with the same enumerants: what an older spirv-val knows it by."""


def _by_older_names(data: bytes) -> bytes:
    """The module with its extensions under their older names, which take as many words."""
    for name, old in _OLDER_NAMES.items():
        size = (len(name) // 4 + 1) * 4
        assert (len(old) // 4 + 1) * 4 == size
        data = data.replace(name.encode().ljust(size, b"\0"), old.encode().ljust(size, b"\0"))
    return data


def _unknown_enabler(messages: str, data: bytes) -> str | None:
    """The extension that spirv-val asks for though the module declares it: it came after this spirv-val."""
    found = _NOT_ENABLED.search(messages)
    number = getattr(Capability, found.group(1), None) if found is not None else None
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
)
"""Complaints of a spirv-val to which an extension was only half known; what of its name the module declares; what
could not be judged."""


def _former_rule(messages: str, data: bytes) -> str | None:
    return next((what for rule, name, what in _FORMER_RULES if rule in messages and name.encode() in data), None)


class Complaint(NamedTuple):
    """What spirv-val refuses: which instruction, counted from 1, or 0; and its words."""

    instruction: int
    text: str


def complaint(
    data: bytes, target_env: str, *, tool: Tool, sink: Sink, layout: Layout = "vulkan", timeout: float = TIMEOUT
) -> Complaint | None:
    """The same check as `validate`, for a message about the place of an error; None where there is none."""
    arguments = ["--target-env", TARGET_ENVS[target_env], *_LAYOUT_FLAGS[layout]]
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
    timeout: float = TIMEOUT,
) -> Verdict:
    """Validate a module; errors and the warning that spirv-val is too old to judge go to the sink.

    ``before_legalization``: allow the patterns that legalisation removes (output of -fcgl).
    """
    arguments = ["--target-env", TARGET_ENVS[target_env], *_LAYOUT_FLAGS[layout]]
    if before_legalization:
        arguments.append("--before-hlsl-legalization")
    if max_id is not None:
        arguments += ["--max-id-bound", str(max_id)]
    outcome = run_tool(tool, arguments, data, sink=sink, timeout=timeout)
    if outcome is None:
        return "invalid"
    if outcome.status == 0:
        return "valid"
    older = _by_older_names(data)
    if older != data:
        return validate(
            older,
            target_env,
            tool=tool,
            sink=sink,
            layout=layout,
            before_legalization=before_legalization,
            max_id=max_id,
            timeout=timeout,
        )
    too_old = TOO_OLD.search(outcome.messages)
    if too_old:
        what = too_old.group(0).removeprefix("Invalid ")
        sink.warning(codes.NOT_VALIDATED, None, tool=tool.name, version=tool.version, what=what)
        return "unknown"
    unknown = _unknown_enabler(outcome.messages, data) or _former_rule(outcome.messages, data)
    if unknown is not None:
        sink.warning(codes.NOT_VALIDATED, None, tool=tool.name, version=tool.version, what=unknown)
        return "unknown"
    note = sink.note(codes.VALIDATION_NOTE, None)
    sink.error(codes.VALIDATION_FAILED, None, message=clean(outcome.messages), notes=[note])
    return "invalid"
