"""Texel buffers (HLSL's `Buffer` and `RWBuffer`), as storage buffers with elements of the texels' type.

WGSL has no buffers that convert elements on reads. But SPIR-V's type has the format, and a texel of one, two or four
32-bit numbers has the same bytes as an element of a storage buffer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hlsl_tool.spirv.enums import ImageFormat
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.interface.texture import Texture
from hlsl_tool.wgsl.writer.wgsl_types import WgslTypes

if TYPE_CHECKING:
    pass


F = ImageFormat


EXPANDED = {
    **dict.fromkeys((F.R16f, F.R8, F.R16, F.R8Snorm, F.R16Snorm, F.R16i, F.R8i, F.R16ui, F.R8ui), 1),
    **dict.fromkeys((F.Rg16f, F.Rg8, F.Rg16, F.Rg8Snorm, F.Rg16Snorm, F.Rg16i, F.Rg8i, F.Rg16ui, F.Rg8ui), 2),
    **dict.fromkeys((F.Rgba16f, F.Rgba8, F.Rgba16, F.Rgba8Snorm, F.Rgba16Snorm, F.Rgba16i, F.Rgba8i), 4),
    **dict.fromkeys((F.Rgba16ui, F.Rgba8ui, F.Rgb10A2, F.Rgb10a2ui, F.Unknown), 4),
    F.R11fG11fB10f: 4,
}
"""Format → number of components, for formats whose texels have to be expanded to 32-bit numbers."""

COMPONENTS = {
    F.R32f: 1,
    F.R32i: 1,
    F.R32ui: 1,
    F.Rg32f: 2,
    F.Rg32i: 2,
    F.Rg32ui: 2,
    F.Rgba32f: 4,
    F.Rgba32i: 4,
    F.Rgba32ui: 4,
}
"""Format → number of components of a texel."""


def is_written(texture: Texture) -> bool:
    """Return whether the shader writes texels of the buffer."""
    return bool(texture.uses & {"write", "atomic"})


def declaration(types: WgslTypes, texture: Texture) -> tuple[dict[str, Any], str, str]:
    """Return (bind group layout entry, access, type in WGSL) for the storage buffer that replaces a texel buffer."""
    count = components(texture)
    scalar = types.scalar(types.view.type(texture.image.id(0)))
    element = f"atomic<{scalar}>" if is_atomic(texture) else scalar if count == 1 else types.vector(count, scalar)
    kind, access = ("storage", "read_write") if is_written(texture) else ("read-only-storage", "read")
    layout = {"buffer": {"type": kind, "minBindingSize": 4 * count}}
    return layout, access, f"array<{element}>"


def components(texture: Texture) -> int:
    """Return the number of components of a texel; raise ``Unsupported`` for formats without 32-bit components."""
    number = texture.image.id(6)
    count = COMPONENTS.get(number) or (EXPANDED.get(number) if texture.expanded else None)
    if count is None:
        raise Unsupported(
            "WGSL has no texel buffers of this format: storage buffers have texels of one, two or four 32-bit numbers"
            " (`texel_buffers: expanded` reads such)",
            texture.variable,
        )
    return count


def is_atomic(texture: Texture) -> bool:
    """Return whether the shader uses atomics on a texel buffer."""
    return "atomic" in texture.uses
