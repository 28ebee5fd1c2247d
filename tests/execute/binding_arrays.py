"""Layouts and bind groups with arrays of resources, which the C library of PyPI's `wgpu` has and its API has not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

from wgpu.backends.wgpu_native import _api, ffi, lib

SPELLED = re.compile(r"binding_array<(.*), (\d+)>")
FEATURES = (
    "texture-binding-array",
    "buffer-binding-array",
    "storage-resource-binding-array",
    "sampled-texture-and-storage-buffer-array-non-uniform-indexing",
    "storage-texture-array-non-uniform-indexing",
)
ELEMENTS = 1000
"""The number of elements in arrays of a shader stage that a device is asked for."""

_KINDS = (
    ("buffers", "bufferCount", "WGPUBuffer[]", _api.GPUBuffer),
    ("samplers", "samplerCount", "WGPUSampler[]", _api.GPUSampler),
    ("textureViews", "textureViewCount", "WGPUTextureView[]", _api.GPUTextureView),
)


@contextmanager
def limits(supported: bool) -> Iterator[None]:
    """Ask devices that are requested inside the `with` block for arrays of resources, if they support them."""
    plain = _api.new_struct_p

    def with_limits(ctype: str, **members: Any) -> Any:
        if ctype == "WGPUNativeLimits *" and supported:
            members["maxBindingArrayElementsPerShaderStage"] = ELEMENTS
            members["maxBindingArraySamplerElementsPerShaderStage"] = ELEMENTS
        return plain(ctype, **members)

    with mock.patch.object(_api, "new_struct_p", with_limits):
        yield


@contextmanager
def arrays(resources: Mapping[int, Sequence[Any]]) -> Iterator[None]:
    """Make arrays of these bindings in the layouts and bind groups that are created inside the `with` block."""
    plain = _api.new_struct
    kept: list[Any] = []

    def with_arrays(ctype: str, **members: Any) -> Any:
        elements = resources.get(members.get("binding", -1))
        if elements is not None and ctype == "WGPUBindGroupLayoutEntry":
            extras = ffi.new("WGPUBindGroupLayoutEntryExtras *")
            extras.chain.sType = lib.WGPUSType_BindGroupLayoutEntryExtras
            extras.count = len(elements)
        elif elements is not None and ctype == "WGPUBindGroupEntry":
            extras = ffi.new("WGPUBindGroupEntryExtras *")
            extras.chain.sType = lib.WGPUSType_BindGroupEntryExtras
            members |= {**dict.fromkeys(("buffer", "sampler", "textureView"), ffi.NULL), "size": 0}
            objects = [element["buffer"] if isinstance(element, dict) else element for element in elements]
            for member, count, spelled, kind in _KINDS:
                if isinstance(objects[0], kind):
                    kept.append(ffi.new(spelled, [element._internal for element in objects]))
                    setattr(extras, member, kept[-1])
                    setattr(extras, count, len(objects))
        else:
            return plain(ctype, **members)
        kept.append(extras)
        return plain(ctype, **members, nextInChain=ffi.addressof(extras.chain))

    with mock.patch.object(_api, "new_struct", with_arrays):
        yield
