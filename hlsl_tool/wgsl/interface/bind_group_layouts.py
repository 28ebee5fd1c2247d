"""A shader's bindings as WebGPU's bind group layouts.

``bindGroups[i].entries`` can be passed to ``device.createBindGroupLayout`` unchanged: WebGPU ignores unknown keys of an
entry.  ``from`` names the SPIR-V resource with the set and binding that reflection reports.  ``immediateSize`` is that
of ``device.createPipelineLayout``, for shaders with immediates, and ``requiredFeatures`` and ``requiredLimits`` belong
to ``adapter.requestDevice``. ``requiredLanguageFeatures`` must be among ``navigator.gpu.wgslLanguageFeatures``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv.enums import ExecutionModel

VISIBILITY = {ExecutionModel.Vertex: 1, ExecutionModel.Fragment: 2, ExecutionModel.GLCompute: 4}
"""GPUShaderStage's flags."""

SAMPLE_TYPES = {"f32": "float", "i32": "sint", "u32": "uint"}
IMMEDIATE = -1
"""The group of immediates, which have neither a group nor a binding."""

ACCESS = {"read": "read-only", "write": "write-only", "read_write": "read-write"}


@dataclass(slots=True)
class Binding:
    """A WGSL variable with a binding."""

    group: int
    binding: int
    name: str
    variable: int
    """The SPIR-V variable."""
    layout: dict[str, Any]
    """The member of a GPUBindGroupLayoutEntry for the kind of resource."""
    count: int = 1
    """The number of resources: more than one for a `binding_array`."""
    count_member: str = ""
    """The member of the entry for the number; empty for one resource."""
    source: dict[str, Any] | None = None
    visibility: int = 0

    def entry(self) -> dict[str, Any]:
        plain: dict[str, Any] = {
            "binding": self.binding,
            "visibility": self.visibility,
            **self.layout,
            **({self.count_member: self.count} if self.count_member else {}),
            "name": self.name,
        }
        if self.source is not None:
            plain["from"] = self.source
        return plain


def bindings_json(
    bindings: Sequence[Binding],
    features: Sequence[str] = (),
    limits: Mapping[str, int] | None = None,
    language_features: Sequence[str] = (),
) -> str:
    """Return the bindings as JSON, with a final line break; omit bindings that no entry point uses.

    ``features`` and ``limits`` are those of the device that the shader needs: the contents of ``requiredFeatures`` and
    ``requiredLimits``. ``language_features`` are those of WGSL, the content of ``requiredLanguageFeatures``.
    """
    groups: dict[int, list[Binding]] = {}
    immediates = [binding for binding in bindings if binding.group == IMMEDIATE and binding.visibility]
    for binding in bindings:
        if binding.visibility and binding.group != IMMEDIATE:
            groups.setdefault(binding.group, []).append(binding)
    content: dict[str, Any] = {
        "bindGroups": [
            {"group": group, "entries": [b.entry() for b in sorted(groups[group], key=lambda b: b.binding)]}
            for group in sorted(groups)
        ]
    }
    if immediates:
        content["immediateSize"] = max(binding.layout["size"] for binding in immediates)
        content["immediates"] = [
            {"visibility": binding.visibility, **binding.layout, "name": binding.name, "from": binding.source}
            for binding in immediates
        ]
    if features:
        content["requiredFeatures"] = list(features)
    if limits:
        content["requiredLimits"] = dict(limits)
    if language_features:
        content["requiredLanguageFeatures"] = list(language_features)
    return json.dumps(content, indent=2) + "\n"


def texture_layout(spelled: str, sampled: str, *, filtered: bool) -> dict[str, Any]:
    """Return the layout entry for a texture's WGSL type and component type; ``filtered``: a sampler reads it."""
    head, _, arguments = spelled.rstrip(">").partition("<")
    words = head.removeprefix("texture_").split("_")
    depth, multisampled, storage = "depth" in words, "multisampled" in words, "storage" in words
    view = "-".join(word for word in words if word not in ("depth", "multisampled", "storage"))
    if storage:
        texel, _, access = arguments.partition(", ")
        return {"storageTexture": {"access": ACCESS[access], "format": texel, "viewDimension": view}}
    kind = "depth" if depth else SAMPLE_TYPES[sampled]
    if kind == "float" and (multisampled or not filtered):
        kind = "unfilterable-float"
    return {"texture": {"sampleType": kind, "viewDimension": view, "multisampled": multisampled}}
