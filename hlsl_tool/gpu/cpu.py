"""The backend without a device: the interpreter of SPIR-V runs kernels on numpy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from hlsl_tool.interpreter import (
    FORMATS,
    ExecutionError,
    NotInterpretedError,
    Program,
    Resources,
    Scene,
    Settings,
    ShaderTables,
    dispatch,
    fill,
    texel_buffer,
    trace_rays,
    tracing_program,
)
from hlsl_tool.interpreter import Buffer as InterpretedBuffer
from hlsl_tool.interpreter import Image as InterpretedImage
from hlsl_tool.interpreter import Sampler as InterpretedSampler
from hlsl_tool.interpreter.runtime.memory import AddressSpace
from hlsl_tool.interpreter.stages.fill import pictures_of
from hlsl_tool.spirv.enums import ExecutionModel

from .backend import Binding, Bindings, Bytes, Code, ImageShape, Memory, SamplerState
from .errors import DriverError, ExecutionFailedError, NoDeviceError, UnsupportedError

NAME = "interpreter"
MOST_TEXELS, MOST_LAYERS = 16384, 2048
"""The limits of images, so that a kernel that runs here also runs on devices."""


@contextmanager
def interpreter_errors(name: str) -> Iterator[None]:
    """Convert exceptions of the interpreter to those of this package; ``name`` is the kernel's."""
    try:
        yield
    except NotInterpretedError as error:
        raise UnsupportedError(name, f"the interpreter has no {error.what}", 'device="vulkan"') from error
    except ExecutionError as error:
        raise ExecutionFailedError(error.problem) from error


class CpuBackend:
    """The interpreter as a backend."""

    library = "cpu"
    name = NAME

    def __init__(self, wanted: str = "") -> None:
        self.settings = Settings()
        """Choices of runs, such as an observer."""
        self.pictures: dict[int, Any] = {}
        """The targets of the last pixel shader that ran: location → array (height, width, 4)."""
        self.scissor: tuple[int, int, int, int] | None = None
        """The only pixels for which pixel shaders run: left, top, and behind the right and lower ones."""
        self.scene: Scene | None = None
        """The scene of all acceleration structures."""
        self.tables: ShaderTables | None = None
        """The shaders that rays call."""
        if wanted.lower() not in NAME:
            raise NoDeviceError(f"the library cpu has no device `{wanted}` (there are: `{NAME}`)")

    def pipeline(self, code: Code, constants: Mapping[int, int | float | bool]) -> Pipeline:
        """Return the pipeline for these values of specialisation constants, by id."""
        with interpreter_errors(code.name):
            return Pipeline(self, code, constants)

    def buffer(self, size: int, kind: str) -> Buffer:
        """Create a buffer; the kind is irrelevant."""
        return Buffer(size)

    def image(self, shape: ImageShape) -> Image:
        """Create an image; raise ``DriverError`` if it exceeds the limits that devices commonly have."""
        if max(shape.size) > MOST_TEXELS or shape.layers > MOST_LAYERS:
            sides = " × ".join(map(str, (*shape.size, shape.layers)))
            raise DriverError(
                f"a texture of {sides} texels is too large; the device takes {MOST_TEXELS} in one direction"
            )
        return Image(shape)

    def sampler(self, state: SamplerState) -> InterpretedSampler:
        """Create a sampler."""
        how = state.filter
        return InterpretedSampler(how, how, how, (state.address,) * 3, state.compare)

    def download(self, item: Memory) -> None:
        """Do nothing: the memory is the host's."""


class Buffer:
    """A buffer in the host's memory."""

    def __init__(self, size: int) -> None:
        self.item = InterpretedBuffer(np.zeros(max(size, 4), np.uint8))

    def write(self, data: Bytes) -> None:
        """Copy bytes to the start of the buffer."""
        self.item.bytes[: data.size] = data.reshape(-1).view(np.uint8)

    def read(self) -> Bytes:
        """Return the content."""
        return self.item.bytes


class Image:
    """An image in the host's memory."""

    def __init__(self, shape: ImageShape) -> None:
        self.shape = shape
        form = FORMATS[shape.format.spirv]
        self.item = InterpretedImage(form, shape.size, layers=shape.layers, levels=shape.levels)

    def write(self, data: Bytes) -> None:
        """Set the texels of all mip levels."""
        self.item.buffer.bytes[: data.size] = data.reshape(-1).view(np.uint8)

    def read(self) -> Bytes:
        """Return the texels of all mip levels."""
        return self.item.buffer.bytes


class Pipeline:
    """A kernel in the form that the interpreter runs."""

    def __init__(self, backend: CpuBackend, code: Code, constants: Mapping[int, int | float | bool]) -> None:
        self.backend, self.name = backend, code.name
        if backend.tables is not None:
            self.program = tracing_program(code.spirv, code.entry, backend.tables, constants)
        else:
            self.program = Program(code.spirv, code.entry, constants)

    def bind(self, bindings: Bindings) -> Bound:
        """Bind resources to the pipeline."""
        return Bound(self, bindings)


class Bound:
    """A pipeline with its resources."""

    def __init__(self, pipeline: Pipeline, bindings: Bindings) -> None:
        self.pipeline = pipeline
        self._bindings = {
            (place[0] or 0, place[1] or 0): [_item(binding) for binding in many]
            for place, many in bindings.items()
            if place != (None, None)
        }

    def run(self, groups: tuple[int, int, int], push: bytes, downloads: Sequence[Memory]) -> None:
        """Run the kernel; results are in the memory of the resources.

        A pixel shader runs for each pixel of a picture with the size ``groups``, a ray generation shader for
        ``groups`` rays.  Other stages of draws run in a ``Drawing``.
        """
        program, resources = self.pipeline.program, self.resources(push)
        settings = self.pipeline.backend.settings
        with interpreter_errors(self.pipeline.name):
            if program.model == ExecutionModel.Fragment:
                targets = fill(program, groups[:2], resources, settings, self.pipeline.backend.scissor)
                self.pipeline.backend.pictures = pictures_of(targets)
            elif program.model == ExecutionModel.RayGenerationKHR:
                trace_rays(program, self.pipeline.backend.tables or ShaderTables(), groups, resources, settings)
            elif program.model == ExecutionModel.GLCompute:
                dispatch(program, groups, resources, settings)
            else:
                raise NotInterpretedError("call of this stage alone: it runs in a draw, by `hlsl_tool run`")

    def resources(self, push: bytes, space: AddressSpace | None = None) -> Resources:
        """Return the resources of a run; stages that share buffers need one address space."""
        return Resources(self._bindings | self._scenes(), push, space=space or AddressSpace())

    def _scenes(self) -> dict[tuple[int, int], list[Any]]:
        """Return the scene for each acceleration structure."""
        scene = self.pipeline.backend.scene
        variables = self.pipeline.program.variables if scene is not None else ()
        return {v.place: [scene] for v in variables if v.type.kind == "acceleration_structure" and v.place is not None}


def _item(binding: Binding) -> Any:
    """Return the interpreter's object for a binding."""
    item = binding.item
    if isinstance(item, Buffer) and binding.format is not None:
        return texel_buffer(item.item, FORMATS[binding.format.spirv])
    return item.item if isinstance(item, (Buffer, Image)) else item
