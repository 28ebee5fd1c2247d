"""Dimensions of texture types, and image formats of element types (manual: *Texture Types*)."""

from __future__ import annotations

from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Scalar, Type
from hlsl_tool.spirv.enums import Dim, ImageFormat

# (category, bits of storage) -> formats for 1, 2 and 4 components
_FORMATS: dict[tuple[str, int], tuple[int, int, int]] = {
    ("int", 32): (ImageFormat.R32i, ImageFormat.Rg32i, ImageFormat.Rgba32i),
    ("int", 16): (ImageFormat.R16i, ImageFormat.Rg16i, ImageFormat.Rgba16i),
    ("int", 8): (ImageFormat.R8i, ImageFormat.Rg8i, ImageFormat.Rgba8i),
    ("uint", 8): (ImageFormat.R8ui, ImageFormat.Rg8ui, ImageFormat.Rgba8ui),
    ("uint", 32): (ImageFormat.R32ui, ImageFormat.Rg32ui, ImageFormat.Rgba32ui),
    ("uint", 16): (ImageFormat.R16ui, ImageFormat.Rg16ui, ImageFormat.Rgba16ui),
    ("float", 32): (ImageFormat.R32f, ImageFormat.Rg32f, ImageFormat.Rgba32f),
    ("float", 16): (ImageFormat.R16f, ImageFormat.Rg16f, ImageFormat.Rgba16f),
    ("int", 64): (ImageFormat.R64i, 0, 0),
    ("uint", 64): (ImageFormat.R64ui, 0, 0),
}


# the 32-bit type of the same category that Vulkan has images of; `texels` refuses to read or write doubles, but images
# that are merely declared must be valid
_SAMPLED = {
    ty.FLOAT16: ty.FLOAT,
    ty.INT16: ty.INT,
    ty.UINT16: ty.UINT,
    ty.INT8: ty.INT,
    ty.UINT8: ty.UINT,
    ty.DOUBLE: ty.FLOAT,
}


def component(element: Type) -> Scalar:
    """Return the component type of an element; ``float`` for a struct, which is reported elsewhere."""
    return ty.element_of(element) or ty.FLOAT


def sampled_component(element: Type, *, is_widened: bool) -> Scalar:
    """Return the component type (Sampled Type) of an image with elements of this type.

    Booleans become unsigned integers. Vulkan has no sampled types of 8 or 16 bits, nor doubles: with ``is_widened``
    such elements become 32-bit.
    """
    scalar = component(element)
    if scalar.category == "bool":
        return ty.UINT
    return _SAMPLED.get(scalar, scalar) if is_widened else scalar


def image_format(element: Type, *, is_widened: bool) -> int:
    """Return the format of a storage image or texel buffer with elements of this type; Unknown if there is none.

    DXC uses 16-bit formats only for minimum-precision types, whose components have 32 bits; here 16-bit components
    widened to 32 bits get them as well.
    """
    first, count = ty.element_of(element), ty.component_count(element)
    if first is None or count not in (1, 2, 4):
        return ImageFormat.Unknown
    bits = first.bits
    if first.is_min_precision or first is ty.HALF:
        bits = 16
    if first in _SAMPLED and not is_widened:
        return ImageFormat.Unknown
    row = _FORMATS.get((first.category, bits))
    return row[{1: 0, 2: 1, 4: 2}[count]] if row is not None else ImageFormat.Unknown


_FORMAT_NAMES = {
    "unknown": "Unknown",
    "r11g11b10f": "R11fG11fB10f",
    "rgb10a2": "Rgb10A2",
    "rgb10a2ui": "Rgb10a2ui",
}


def image_format_by_name(name: str) -> int | None:
    """Return the image format for a name such as ``rgba8snorm`` (manual: *Vulkan specific attributes*)."""
    spelling = _FORMAT_NAMES.get(name.lower(), name).lower()
    for attribute, value in vars(ImageFormat).items():
        if attribute.lower() == spelling and isinstance(value, int):
            return int(value)
    return None


def format_fits(number: int, component: ty.Scalar) -> bool:
    """Return whether an image format matches a component type (Vulkan: *Image Format and Type Matching*)."""
    if number == ImageFormat.Unknown:
        return True
    name = next(k for k, v in vars(ImageFormat).items() if v == number and isinstance(v, int))
    category = "uint" if name.endswith("ui") else "int" if name.endswith("i") else "float"
    return component.category == category and (component.bits == 64) == name.startswith("R64")


_DIMS = {"1D": Dim.Dim1D, "2D": Dim.Dim2D, "3D": Dim.Dim3D, "Cu": Dim.Cube, "CU": Dim.Cube}


def texture_dim(suffix: str) -> tuple[int, bool, bool]:
    """Return (Dim, arrayed, multisampled) for the rest of a type's name after ``Texture``, such as ``2DMSArray``."""
    return _DIMS[suffix[:2]], suffix.endswith("Array"), "MS" in suffix
