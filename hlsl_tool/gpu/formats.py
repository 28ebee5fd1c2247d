"""Texel formats, selected by the type and channels of a numpy array, or by the format in the shader."""

from __future__ import annotations

from functools import cache

from hlsl_tool.base.system.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """A texel format."""

    number: str
    """numpy's name of a channel: ``float32``."""
    channels: int
    component: str
    """The type that shaders read: ``float``, ``int`` or ``uint``; integers are normalised if it is ``float``."""
    spirv: str
    """The image format in SPIR-V: ``Rgba32f``."""
    vulkan: str
    """The constant in Vulkan."""
    webgpu: str

    @property
    def size(self) -> int:
        """The size of a texel in bytes."""
        return self.channels * _BITS[self.number] // 8


_BITS = {
    "float16": 16, "float32": 32, "int8": 8, "int16": 16, "int32": 32, "uint8": 8, "uint16": 16, "uint32": 32,
    "int64": 64, "uint64": 64,
}  # fmt: skip
_SPELLINGS = [  # numpy's types, the component, and the suffixes in SPIR-V, Vulkan and WebGPU
    (("float16", "float32"), "float", "f", "SFLOAT", "float"),
    (("uint8", "uint16"), "float", "", "UNORM", "unorm"),
    (("int8", "int16"), "float", "Snorm", "SNORM", "snorm"),
    (("int8", "int16", "int32"), "int", "i", "SINT", "sint"),
    (("uint8", "uint16", "uint32"), "uint", "ui", "UINT", "uint"),
]
_CHANNELS = {1: "R", 2: "RG", 4: "RGBA"}


@cache
def formats() -> tuple[Format, ...]:
    """Return all supported texel formats, with their names in numpy, SPIR-V, Vulkan and WebGPU."""
    out = []
    for numbers, component, spirv, vulkan, webgpu in _SPELLINGS:
        for number in numbers:
            bits = _BITS[number]
            for channels, letters in _CHANNELS.items():
                name = f"VK_FORMAT_{''.join(f'{letter}{bits}' for letter in letters)}_{vulkan}"
                short = f"{letters.capitalize()}{bits}{spirv}"
                out.append(Format(number, channels, component, short, name, f"{letters.lower()}{bits}{webgpu}"))
    return tuple(out)


def by_array(number: str, channels: int, component: str) -> Format | None:
    """Return the texel format for an array with the numpy type ``number``; ``None`` if there is none.

    ``component`` is the type that the shader reads for each channel, such as ``float``.
    """
    return next((f for f in formats() if (f.number, f.channels, f.component) == (number, channels, component)), None)


def by_spirv(name: str) -> Format | None:
    """Return the format with this SPIR-V name, such as ``Rgba8``; ``None`` if there is none."""
    return next((f for f in formats() if f.spirv == name), None)


def numbers(component: str) -> list[str]:
    """Return the numpy types of arrays that a shader can read as texels with components of the type ``component``."""
    return sorted({f.number for f in formats() if f.component == component}, key=lambda n: (n[0] != "f", n))
