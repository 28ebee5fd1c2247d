"""The backend for WebGPU: runs our WGSL on PyPI's ``wgpu``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import wgpu

from hlsl_tool.wgsl import Binding as WgslBinding
from hlsl_tool.wgsl import WgslError, convert_module

from .backend import Binding, Bindings, Bytes, Code, ImageShape, Memory, Place, SamplerState
from .errors import DriverError, NoDeviceError, UnsupportedError
from .naga import for_naga, lacks

FEATURES = ("shader-f16", "subgroup", "float32-filterable", "texture-adapter-specific-format-features")
"""Features that are switched on where they are available."""
_ADDRESSING = {"wrap": "repeat", "mirror": "mirror-repeat", "clamp": "clamp-to-edge"}
_CAPITAL = re.compile(r"[A-Z]")
_PREFERENCE = ("DiscreteGPU", "IntegratedGPU", "VirtualGPU")
_ROW = 256
"""Alignment in bytes of each row of a texture in a buffer."""


@contextmanager
def driver_errors() -> Iterator[None]:
    """Convert exceptions of ``wgpu`` to ``DriverError``."""
    try:
        yield
    except (wgpu.GPUError, RuntimeError, ValueError) as error:
        raise DriverError(str(error)) from error


class WebGpuBackend:
    """The backend for one WebGPU device."""

    library = "wgpu"

    def __init__(self, wanted: str = "") -> None:
        try:
            adapters = wgpu.gpu.enumerate_adapters_sync()
        except RuntimeError as error:
            raise NoDeviceError(f"wgpu gave: {error}") from error
        names = ", ".join(dict.fromkeys(f"`{adapter.info['device']}`" for adapter in adapters)) or "none"
        adapters = [a for a in adapters if wanted.lower() in a.info["device"].lower()]
        if not adapters:
            raise NoDeviceError(f"wgpu has no device `{wanted}` (there are: {names})" if wanted else "wgpu has none")
        adapter = min(adapters, key=lambda a: ([*_PREFERENCE, a.info["adapter_type"]]).index(a.info["adapter_type"]))
        features = sorted(set(FEATURES) & set(adapter.features))
        with driver_errors():
            self.device = adapter.request_device_sync(required_features=features, required_limits=adapter.limits)
        self.name: str = adapter.info["device"]

    def pipeline(self, code: Code, constants: Mapping[int, int | float | bool]) -> Pipeline:
        """Return the pipeline for these values of specialisation constants, by id."""
        return Pipeline(self.device, code, constants)

    def buffer(self, size: int, kind: str) -> Buffer:
        """Create a buffer; the kind is irrelevant."""
        with driver_errors():
            return Buffer(self.device, size)

    def image(self, shape: ImageShape) -> Image:
        with driver_errors():
            return Image(self.device, shape)

    def sampler(self, state: SamplerState) -> SamplerState:
        """Return ``state`` unchanged.

        WebGPU's samplers are created when resources are bound, because WGSL may need several samplers with one state,
        such as a filtering and a comparison sampler.
        """
        return state

    def download(self, item: Memory) -> None:
        """Copy the content from the device, so that ``read`` returns it."""
        assert isinstance(item, (Buffer, Image))
        with driver_errors():
            encoder = self.device.create_command_encoder()
            item.record_download(encoder)
            self.device.queue.submit([encoder.finish()])
            item.fetch()


class Buffer:
    """A buffer, and a second one for reading its content back."""

    def __init__(self, device: Any, size: int) -> None:
        self.device = device
        self.size = max(-(-size // 4) * 4, 16)
        flags = wgpu.BufferUsage
        usage = flags.STORAGE | flags.UNIFORM | flags.COPY_DST | flags.COPY_SRC
        self.handle = device.create_buffer(size=self.size, usage=usage)
        self._staging: Any = None
        self._contents: Bytes = np.zeros(0, np.uint8)
        self.used = 4
        """The bytes that a shader sees: those of the array."""

    def write(self, data: Bytes) -> None:
        """Copy bytes to the start of the buffer."""
        self.used = max(-(-data.size // 4) * 4, 4)
        if data.size % 4:
            data = np.concatenate([data, np.zeros(-data.size % 4, np.uint8)])
        self.device.queue.write_buffer(self.handle, 0, data)

    def read(self) -> Bytes:
        """Return the bytes that the last call of ``fetch`` read from the device."""
        return self._contents

    def record_download(self, encoder: Any) -> None:
        """Record a command that copies the buffer to the second one, whose content ``fetch`` reads."""
        if self._staging is None:
            flags = wgpu.BufferUsage
            self._staging = self.device.create_buffer(size=self.size, usage=flags.MAP_READ | flags.COPY_DST)
        encoder.copy_buffer_to_buffer(self.handle, 0, self._staging, 0, self.size)

    def fetch(self) -> None:
        """Wait until the copy of ``record_download`` is done, and store the bytes, which ``read`` returns."""
        self._contents = _mapped(self._staging)


class Image:
    """A texture, and a buffer for reading its texels back."""

    def __init__(self, device: Any, shape: ImageShape) -> None:
        self.device, self.shape = device, shape
        flags = wgpu.TextureUsage
        usage = flags.COPY_DST | flags.COPY_SRC | flags.TEXTURE_BINDING
        if shape.storage:
            usage |= flags.STORAGE_BINDING
        width, height, depth = shape.size
        self._flat = shape.view[:2] if shape.view[0] != "c" else "2d"
        self._depth = depth if self._flat == "3d" else shape.layers
        self.handle = device.create_texture(
            size=(width, height, self._depth),
            format=shape.format.webgpu,
            mip_level_count=shape.levels,
            dimension=self._flat,
            usage=usage,
        )
        self.view = self.handle.create_view(dimension=shape.view)
        self._row = -(-width * shape.format.size // _ROW) * _ROW
        self._staging: Any = None
        self._contents: Bytes = np.zeros(0, np.uint8)

    def write(self, data: Bytes) -> None:
        """Set the texels of all mip levels."""
        offset = 0
        for level, ((width, height, depth), size) in enumerate(self.shape.level_sizes()):
            self.device.queue.write_texture(
                {"texture": self.handle, "mip_level": level},
                data[offset : offset + size],
                {"bytes_per_row": width * self.shape.format.size, "rows_per_image": height},
                (width, height, depth if self._flat == "3d" else self.shape.layers),
            )
            offset += size

    def read(self) -> Bytes:
        """Return the texels that the last call of ``fetch`` read from the device."""
        return self._contents

    def record_download(self, encoder: Any) -> None:
        """Record a command that copies the first mip level to a buffer, whose content ``fetch`` reads."""
        width, height, _ = self.shape.size
        size = self._row * height * self._depth
        if self._staging is None:
            flags = wgpu.BufferUsage
            self._staging = self.device.create_buffer(size=size, usage=flags.MAP_READ | flags.COPY_DST)
        encoder.copy_texture_to_buffer(
            {"texture": self.handle, "mip_level": 0},
            {"buffer": self._staging, "bytes_per_row": self._row, "rows_per_image": height},
            (width, height, self._depth),
        )

    def fetch(self) -> None:
        """Wait until the copy of ``record_download`` is done; store its texels without padding, for ``read``."""
        rows = _mapped(self._staging).reshape(-1, self._row)
        self._contents = rows[:, : self.shape.size[0] * self.shape.format.size].reshape(-1)


def _mapped(buffer: Any) -> Bytes:
    """Map a buffer and return a copy of its content."""
    buffer.map_sync(wgpu.MapMode.READ)
    try:
        return np.frombuffer(buffer.read_mapped(), np.uint8)
    finally:
        buffer.unmap()


_OPTIONS = {"validate": False, "immediates": "uniform", "storage_formats": "exact"}
"""Options of the conversion: buffers and textures are those of the SPIR-V."""


class Pipeline:
    """A compute pipeline and its bind group layouts."""

    def __init__(self, device: Any, code: Code, constants: Mapping[int, int | float | bool]) -> None:
        self.device, self.name = device, code.name
        try:
            converted = convert_module(code.spirv, _OPTIONS)
        except WgslError as error:
            raise UnsupportedError(code.name, f"WGSL: {error}", 'device="vulkan"') from error
        self.bindings = [b for b in converted.bindings if b.visibility]
        count = max((b.group for b in self.bindings), default=-1) + 1
        self.groups = [[b for b in self.bindings if b.group == group] for group in range(count)]
        text = for_naga(converted.text)
        if missing := lacks(text):
            raise UnsupportedError(code.name, f"wgpu has no {missing}", 'device="vulkan"')
        with driver_errors():
            self.layouts = [
                device.create_bind_group_layout(entries=[_layout_entry(b) for b in group]) for group in self.groups
            ]
            layout = device.create_pipeline_layout(bind_group_layouts=self.layouts)
            module = device.create_shader_module(code=text)
            values = {str(number): float(value) for number, value in constants.items()}
            stage = {"module": module, "entry_point": code.entry, "constants": values}
            self.handle = device.create_compute_pipeline(layout=layout, compute=stage)
        self.push_size = max((r.type.size or 0 for r in code.reflection.push_constants), default=0)

    def bind(self, bindings: Bindings) -> Bound:
        with driver_errors():
            return Bound(self, bindings)


class Bound:
    """A pipeline with its bind groups."""

    def __init__(self, pipeline: Pipeline, bindings: Bindings) -> None:
        self.pipeline, self.device = pipeline, pipeline.device
        self.bindings = bindings
        self._push = Buffer(self.device, pipeline.push_size) if pipeline.push_size else None
        self._last_push = b""
        self._groups = [
            self.device.create_bind_group(
                layout=layout,
                entries=[{"binding": b.binding, "resource": self._resource(b)} for b in group],
            )
            for layout, group in zip(pipeline.layouts, pipeline.groups, strict=True)
        ]

    def _resource(self, binding: WgslBinding) -> Any:
        source = binding.source or {}
        place: Place = (source.get("set"), source.get("binding"))
        if place == (None, None):
            assert self._push is not None
            return {"buffer": self._push.handle}
        bound: Binding = self.bindings[place][source.get("element", 0)]
        if isinstance(bound.item, SamplerState):
            return _sampler(self.device, bound.item, binding.layout["sampler"]["type"])
        if isinstance(bound.item, Image):
            declared = binding.layout.get("storageTexture", {}).get("format")
            given = bound.item.shape.format.webgpu
            if declared not in (None, given):  # the conversion to WGSL widens formats that WebGPU cannot read and write
                problem = f"WebGPU cannot read and write textures of format {given} (`{binding.name}`)"
                raise UnsupportedError(self.pipeline.name, problem, 'device="vulkan"')
            return bound.item.view
        if binding.layout["buffer"]["type"] == "uniform":
            return {"buffer": bound.item.handle}
        return {"buffer": bound.item.handle, "offset": 0, "size": bound.item.used}

    def run(self, groups: tuple[int, int, int], push: bytes, downloads: Sequence[Memory]) -> None:
        """Run the kernel, copy the results back, and wait."""
        with driver_errors():
            if self._push is not None and push != self._last_push:
                self._push.write(np.frombuffer(push, np.uint8))
                self._last_push = push
            encoder = self.device.create_command_encoder()
            work = encoder.begin_compute_pass()
            work.set_pipeline(self.pipeline.handle)
            for number, group in enumerate(self._groups):
                work.set_bind_group(number, group)
            work.dispatch_workgroups(*groups)
            work.end()
            for item in downloads:
                assert isinstance(item, (Buffer, Image))
                item.record_download(encoder)
            self.device.queue.submit([encoder.finish()])
            for item in downloads:
                assert isinstance(item, (Buffer, Image))
                item.fetch()


def _layout_entry(binding: WgslBinding) -> dict[str, Any]:
    """Return the bind group layout entry for a binding of the WGSL, with keys in the spelling of the package wgpu."""
    (kind, layout), *_ = binding.layout.items()
    plain = {_snake(key): value for key, value in layout.items() if key != "minBindingSize"}
    return {"binding": binding.binding, "visibility": binding.visibility, _snake(kind): plain}


def _snake(name: str) -> str:
    return _CAPITAL.sub(lambda match: "_" + match[0].lower(), name)


def _sampler(device: Any, state: SamplerState, kind: str) -> Any:
    """Create a WebGPU sampler with this state for a binding of the given kind.

    A non-filtering sampler has the filter `nearest`; the comparison is used only for a comparison sampler.
    """
    mode = "nearest" if kind == "non-filtering" else state.filter
    address = _ADDRESSING[state.address]
    return device.create_sampler(
        mag_filter=mode,
        min_filter=mode,
        mipmap_filter=mode,
        lod_max_clamp=32.0,
        address_mode_u=address,
        address_mode_v=address,
        address_mode_w=address,
        **({"compare": state.compare or "less-equal"} if kind == "comparison" else {}),
    )
