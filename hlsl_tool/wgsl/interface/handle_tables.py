"""Dimensions and texel formats of SPIR-V and WGSL (specification, 6.5.1)."""

from __future__ import annotations

from hlsl_tool.spirv.enums import Dim, ImageFormat

DIMS = {
    Dim.Dim1D: ("1d", 1),
    Dim.Dim2D: ("2d", 2),
    Dim.Dim3D: ("3d", 3),
    Dim.Cube: ("cube", 3),
}
"""Dim → (name, components of a coordinate)."""

OTHER_DIMS = {
    Dim.Buffer: "texel buffers",
    Dim.SubpassData: "subpass inputs (`subpass_inputs: textures` makes them textures)",
    Dim.Rect: "rectangle textures",
}

F = ImageFormat

FORMATS = {
    F.Rgba8: "rgba8unorm", F.Rgba8Snorm: "rgba8snorm", F.Rgba8ui: "rgba8uint", F.Rgba8i: "rgba8sint",
    F.Rgba16ui: "rgba16uint", F.Rgba16i: "rgba16sint", F.Rgba16f: "rgba16float", F.R32ui: "r32uint",
    F.R32i: "r32sint", F.R32f: "r32float", F.Rg32ui: "rg32uint", F.Rg32i: "rg32sint", F.Rg32f: "rg32float",
    F.Rgba32ui: "rgba32uint", F.Rgba32i: "rgba32sint", F.Rgba32f: "rgba32float", F.R8: "r8unorm",
    F.R8Snorm: "r8snorm", F.R8ui: "r8uint", F.R8i: "r8sint", F.Rg8: "rg8unorm", F.Rg8Snorm: "rg8snorm",
    F.Rg8ui: "rg8uint", F.Rg8i: "rg8sint", F.R16ui: "r16uint", F.R16i: "r16sint", F.R16f: "r16float",
    F.Rg16ui: "rg16uint", F.Rg16i: "rg16sint", F.Rg16f: "rg16float", F.Rgb10a2ui: "rgb10a2uint",
    F.Rgb10A2: "rgb10a2unorm", F.R11fG11fB10f: "rg11b10ufloat", F.R16: "r16unorm", F.R16Snorm: "r16snorm",
    F.Rg16: "rg16unorm", F.Rg16Snorm: "rg16snorm", F.Rgba16: "rgba16unorm", F.Rgba16Snorm: "rgba16snorm",
}  # fmt: skip

UNKNOWN_FORMATS = {"f32": "rgba32float", "i32": "rgba32sint", "u32": "rgba32uint"}
"""Component → format of a texture without a format in SPIR-V: the widest, with four components as in DXC."""

WRITTEN = frozenset((
    "rgba8unorm", "rgba8snorm", "rgba8uint", "rgba8sint", "rgba16uint", "rgba16sint", "rgba16float", "r32float",
    "r32sint", "r32uint", "rg32float", "rg32sint", "rg32uint", "rgba32uint", "rgba32sint", "rgba32float",
))  # fmt: skip
"""Formats of storage textures with access read or write on every device; others need ``texture-formats-tier1``."""

READ_WRITE = frozenset(("r32float", "r32sint", "r32uint"))
"""Formats with access read_write on every device."""

READ_WRITE_TIER2 = frozenset((
    "r8unorm", "r8uint", "r8sint", "rgba8unorm", "rgba8uint", "rgba8sint", "r16uint", "r16sint", "r16float",
    "rgba16uint", "rgba16sint", "rgba16float", "rgba32uint", "rgba32sint", "rgba32float",
))  # fmt: skip
"""Formats with access read_write where the device has the feature ``texture-formats-tier2``."""

WIDENED = {
    "rg32float": ("rgba32float", 2), "rg32sint": ("rgba32sint", 2), "rg32uint": ("rgba32uint", 2),
    "rg16float": ("rgba16float", 2), "rg16sint": ("rgba16sint", 2), "rg16uint": ("rgba16uint", 2),
    "rg8unorm": ("rgba8unorm", 2), "rg8sint": ("rgba8sint", 2), "rg8uint": ("rgba8uint", 2),
}  # fmt: skip
"""Format that cannot be read and written → (one with more components that can, components)."""


def feature_of_format(name: str, access: str) -> str:
    """Return the device feature that a storage texture with this format and access needs; ``""`` for none."""
    if access == "read_write":
        return "" if name in READ_WRITE else "texture-formats-tier2"
    return "" if name in WRITTEN else "texture-formats-tier1"
