"""The device features and limits that arrays of resources need in wgpu (`wgpu_types::Features`, `Limits`)."""

from __future__ import annotations

from hlsl_tool.wgsl.interface.bind_group_layouts import Binding

_FEATURES = {
    "texture": ("texture-binding-array", "sampled-texture-and-storage-buffer-array-non-uniform-indexing"),
    "sampler": ("texture-binding-array", "sampled-texture-and-storage-buffer-array-non-uniform-indexing"),
    "storageTexture": (
        "texture-binding-array",
        "storage-resource-binding-array",
        "storage-texture-array-non-uniform-indexing",
    ),
    "buffer": (
        "buffer-binding-array",
        "storage-resource-binding-array",
        "sampled-texture-and-storage-buffer-array-non-uniform-indexing",
    ),
}
"""Kind of resource → the features of its arrays.  wgpu takes every index that is read from memory as non-uniform."""


def array_features(binding: Binding) -> tuple[str, ...]:
    """Return the features that an array of resources needs in wgpu."""
    (kind,) = binding.layout
    return _FEATURES[kind]


def array_limits(binding: Binding) -> dict[str, int]:
    """Return wgpu's limits on elements of arrays, with the elements of one array."""
    limits = {"maxBindingArrayElementsPerShaderStage": binding.count}
    if "sampler" in binding.layout:
        limits["maxBindingArraySamplerElementsPerShaderStage"] = binding.count
    return limits
