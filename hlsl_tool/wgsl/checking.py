"""Is the module valid in its own environment?  What follows relies on it."""

from __future__ import annotations

import re
from copy import copy

from hlsl_tool.diagnostics.sink import Sink
from hlsl_tool.spirv import op
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.ir import Instruction, Module
from hlsl_tool.tools.locate import find_tool
from hlsl_tool.tools.validator import complaint

from .errors import WgslError

ENVIRONMENTS = {(1, 4): "vulkan1.1spirv1.4", (1, 5): "vulkan1.2", (1, 6): "vulkan1.3"}
"""The first Vulkan that takes a version of SPIR-V; earlier ones are Vulkan 1.1's."""

_LATER = re.compile(r"Capability \w+ is not allowed by Vulkan")
"""A module may use what a later Vulkan brought in spite of its version of SPIR-V: its memory model, for instance."""


_UNDECLARED = re.compile(r"requires one of these extensions: (\w+)")
"""An extension that is used and not declared changes nothing of what the module means."""


def check(data: bytes, module: Module, path: str | None = None) -> None:
    """Raise a `WgslError` with what spirv-val says."""
    sink = Sink()
    tool = find_tool("spirv-val", path, sink=sink)
    if tool is None:
        raise WgslError(sink.diagnostics[0].message)
    environment = ENVIRONMENTS.get(module.version_tuple, "vulkan1.1")
    if module.version_tuple > (1, 6):
        raise WgslError("the module has a version of SPIR-V that is newer than 1.6")
    found = complaint(data, environment, tool=tool, sink=sink, layout="scalar")
    missing = _UNDECLARED.search(found.text) if found is not None else None
    if missing is not None:
        module = copy(module)
        module.extensions = [*module.extensions, Instruction(op.OpExtension, 0, 0, [missing[1]])]
        data = encode(module)
        found = complaint(data, environment, tool=tool, sink=sink, layout="scalar")
    if found is not None and _LATER.search(found.text):
        found = complaint(data, "vulkan1.3", tool=tool, sink=sink, layout="scalar")
    if found is not None:
        raise WgslError(f"the module is not valid: {found.text}")
    if sink.error_count:
        raise WgslError(sink.diagnostics[0].message)
