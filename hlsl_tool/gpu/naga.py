"""Adapt our WGSL to naga, the WGSL compiler in PyPI's ``wgpu``."""

from __future__ import annotations

import re

_UNKNOWN = ("enable subgroups;\n", "enable wgpu_binding_array;\n", "diagnostic(off, subgroup_uniformity);\n")
"""Directives that naga rejects, although it supports subgroup operations and arrays of resources."""
_MORE_UNKNOWN = re.compile(r"(?<=enable f16), [\w, ]+(?=;)")
"""The same extensions in a directive with another one."""
_LACKS = ("subgroupElect", "enable primitive_index", "enable clip_distances")


def lacks(text: str) -> str:
    """Return the name of the first WGSL extension that the text enables and naga lacks; empty if there is none."""
    return next((word.removeprefix("enable ") for word in _LACKS if word in text), "")


def for_naga(text: str) -> str:
    """Return WGSL without the directives that naga does not support."""
    for line in _UNKNOWN:
        text = text.replace(line, "")
    return _MORE_UNKNOWN.sub("", text)
