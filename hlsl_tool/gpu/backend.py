"""The interface that the backends for Vulkan, WebGPU and the interpreter implement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.reflection.reflection import Reflection

from .formats import Format

Bytes = npt.NDArray[np.uint8]
Place = tuple[int | None, int | None]
"""(set, binding); (None, None) for push constants."""


@dataclass(frozen=True, slots=True)
class ImageShape:
    """The dimensions and format of an image."""

    view: str
    """As in WebGPU: ``1d``, ``2d``, ``3d``, ``cube``, ``1d-array``, ``2d-array``, ``cube-array``."""
    format: Format
    size: tuple[int, int, int]
    """(width, height, depth)"""
    layers: int = 1
    levels: int = 1
    storage: bool = False
    """Whether a shader writes it, or reads it as a storage image."""

    def level_sizes(self) -> Iterator[tuple[tuple[int, int, int], int]]:
        """Yield (width, height, depth) and the size in bytes of each mip level."""
        for level in range(self.levels):
            width, height, depth = (max(1, side >> level) for side in self.size)
            yield (width, height, depth), width * height * depth * self.layers * self.format.size

    @property
    def bytes(self) -> int:
        """The size in bytes of all mip levels."""
        return sum(size for _, size in self.level_sizes())


@dataclass(frozen=True, slots=True)
class SamplerState:
    """Filter, address mode and comparison of a sampler."""

    filter: str = "linear"
    address: str = "clamp"
    compare: str = ""
    """A comparison as WebGPU names it, such as ``less-equal``; empty for a sampler that does not compare."""


class Memory(Protocol):
    """A buffer or an image on a device."""

    def write(self, data: Bytes) -> None:
        """Set the content; for an image, the bytes of all its levels."""

    def read(self) -> Bytes:
        """Return the bytes of the last download; a run of a kernel and `Backend.download` make downloads."""


@dataclass(frozen=True, slots=True)
class Binding:
    """A buffer, image or sampler to bind; ``format`` is the texel format of a texel buffer, else ``None``."""

    item: Any
    kind: str
    """The kind of the resource in the reflection."""
    format: Format | None = None


@dataclass(slots=True)
class Code:
    """A compiled kernel, independent of a device: its SPIR-V module and its reflection."""

    name: str
    entry: str
    spirv: bytes
    reflection: Reflection


Bindings = Mapping[Place, Sequence[Binding]]
"""The elements of each binding."""


class Bound(Protocol):
    """A pipeline with its resources bound."""

    def run(self, groups: tuple[int, int, int], push: bytes, downloads: Sequence[Memory]) -> None:
        """Run the kernel and wait; download the content of ``downloads``, so that ``read`` returns the results."""


class Pipeline(Protocol):
    """A kernel on a device, compiled for given values of its specialisation constants."""

    def bind(self, bindings: Bindings) -> Bound:
        """Bind resources to the pipeline."""


class Backend(Protocol):
    """A device on which kernels run."""

    library: str
    """``vulkan``, ``wgpu`` or ``cpu``."""
    name: str
    """The name of the device."""

    def pipeline(self, code: Code, constants: Mapping[int, int | float | bool]) -> Pipeline:
        """Return the pipeline for these values of specialisation constants, by id."""

    def buffer(self, size: int, kind: str) -> Memory:
        """Create a buffer for a kind of resource in the reflection."""

    def image(self, shape: ImageShape) -> Memory:
        """Create an image."""

    def sampler(self, state: SamplerState) -> Any:
        """Create a sampler."""

    def download(self, item: Memory) -> None:
        """Copy the content of a buffer or image from the device, so that ``read`` returns it."""
