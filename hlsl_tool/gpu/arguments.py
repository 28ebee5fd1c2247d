"""Slots: copy the arguments of a parameter to device memory, which is reused for equal types and shapes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass

from .arrays import DeviceArray, Sampler
from .backend import Backend, Binding, Bytes, Memory, SamplerState
from .encodings import Array, Elements, Encoding, Plain, texel_buffer
from .errors import wrong_argument
from .signature import Parameter
from .textures import Texels, texture

Results = list[tuple[Memory, Callable[[], None]]]
"""The memory that a kernel writes, and the functions that copy it to the caller's arrays."""
MOST_SHAPES = 8
"""Number of shapes of arguments for which a parameter keeps memory."""


class Slot(Protocol):
    """Converts the arguments for one parameter to bindings."""

    def put(self, value: Any, results: Results) -> tuple[Binding, ...]:
        """Copy an argument to the device and return the objects to bind; raise ``ArgumentError`` if it does not fit.

        Memory that the kernel writes is added to ``results``, with a function that copies it back.
        """


def slot_for(parameter: Parameter, backend: Backend) -> Slot:
    """Return the slot for a parameter: it converts arguments to resources of the backend."""
    if parameter.kind == "sampler":
        return SamplerSlot(parameter, backend)
    if parameter.is_constant:
        return BlockSlot(parameter, backend)
    if parameter.kind == "counter":
        return CounterSlot(parameter, backend)
    return ArraySlot(parameter, backend)


class SamplerSlot:
    """Slot for samplers; the default argument is a linear sampler that clamps."""

    def __init__(self, parameter: Parameter, backend: Backend) -> None:
        self.parameter, self.backend = parameter, backend
        compares = "SamplerComparisonState" in parameter.declared
        self.default = Sampler(SamplerState(compare="less-equal" if compares else ""))
        self._made: dict[SamplerState, Any] = {}

    def put(self, value: Any, results: Results) -> tuple[Binding, ...]:
        count = self.parameter.resource.count or 1
        values = value if isinstance(value, (list, tuple)) else [self.default if value is None else value] * count
        if len(values) != count or not all(isinstance(item, Sampler) for item in values):
            needs = f"{count} samplers" if count > 1 else "a sampler"
            raise wrong_argument(self.parameter.name, f"needs {needs}", 'gpu.sampler("linear", "clamp")')
        return tuple(Binding(self._sampler(item.state), "sampler") for item in values)

    def _sampler(self, state: SamplerState) -> Any:
        if state not in self._made:
            self._made[state] = self.backend.sampler(state)
        return self._made[state]


class BlockSlot:
    """Slot for constant buffers; bytes are only copied if they differ from those of the last call."""

    def __init__(self, parameter: Parameter, backend: Backend) -> None:
        assert parameter.block is not None
        self.kind = parameter.kind
        if parameter.is_array:
            raise wrong_argument(parameter.name, "is an array of constant buffers, which kernels cannot have")
        self._memory = backend.buffer(-(-parameter.block.size // 16) * 16, parameter.kind)
        self._last = b""

    def put(self, value: Any, results: Results) -> tuple[Binding, ...]:
        if value != self._last:
            self._memory.write(np.frombuffer(value, np.uint8))
            self._last = value
        return (Binding(self._memory, self.kind),)


class CounterSlot:
    """Slot for the counter of an append or consume buffer; without an argument it starts at zero."""

    def __init__(self, parameter: Parameter, backend: Backend) -> None:
        self.parameter = parameter
        self._memory = backend.buffer(4, "storage_buffer")

    def put(self, value: Any, results: Results) -> tuple[Binding, ...]:
        if value is None:
            self._memory.write(np.zeros(4, np.uint8))
        elif isinstance(value, np.ndarray) and value.size == 1 and value.dtype in (np.int32, np.uint32):
            self._memory.write(np.frombuffer(value.tobytes(), np.uint8))
            results.append((self._memory, lambda: np.copyto(value, self._memory.read()[:4].view(value.dtype)[0])))
        else:
            raise wrong_argument(self.parameter.name, "needs an array of one int32", "np.zeros(1, np.int32)")
        return (Binding(self._memory, "storage_buffer"),)


@dataclass(slots=True)
class _Kept:
    """Device memory that is reused for arguments of one type and shape."""

    encoding: Encoding
    memory: Memory | None = None


class ArraySlot:
    """Slot for buffers and textures."""

    def __init__(self, parameter: Parameter, backend: Backend) -> None:
        self.parameter, self.backend = parameter, backend
        self._elements = self._structured()
        self._kept: OrderedDict[object, _Kept] = OrderedDict()

    def _structured(self) -> Elements | None:
        block, raw = self.parameter.block, "ByteAddressBuffer" in self.parameter.declared
        return Elements(self.parameter, block) if block is not None and not raw else None

    def put(self, value: Any, results: Results) -> tuple[Binding, ...]:
        """Copy the arrays that are not on the device yet; return the objects to bind."""
        if not self.parameter.is_array:
            return (self._put(value, results, 0),)
        count = self.parameter.resource.count
        if not isinstance(value, (list, tuple)) or len(value) != count:
            raise wrong_argument(self.parameter.name, f"needs a list of {count} arrays")
        return tuple(self._put(item, results, element) for element, item in enumerate(value))

    def _put(self, value: Any, results: Results, element: int) -> Binding:
        levels = self._levels(value)
        first = levels[0]
        key = (element, *((array.dtype, array.shape) for array in levels))
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = _Kept(self._encoding(levels))
            if len(self._kept) > MOST_SHAPES * (self.parameter.resource.count or 1):
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        encoding, written = kept.encoding, self.parameter.written
        if isinstance(value, DeviceArray):
            memory = value.memory(self.parameter.name, encoding, self.backend, written=written)
            return Binding(memory, self.parameter.kind, encoding.format)
        if kept.memory is None:
            kept.memory = encoding.create(self.backend)
        self._fill(kept.memory, encoding, levels)
        if written:
            self._check_writable(first)
            results.append((kept.memory, _copy_back(encoding, kept.memory, first)))
        return Binding(kept.memory, self.parameter.kind, encoding.format)

    def _levels(self, value: Any) -> Sequence[Array]:
        if isinstance(value, DeviceArray):
            value = value.host
        levels = value if isinstance(value, (list, tuple)) and self.parameter.kind == "sampled_image" else [value]
        if not levels or not all(isinstance(level, np.ndarray) for level in levels):
            problem = f"is a {type(value).__name__}, and needs a numpy array"
            raise wrong_argument(self.parameter.name, problem, "np.array(values, np.float32)")
        if any(isinstance(level, np.ma.MaskedArray) for level in levels):
            raise wrong_argument(self.parameter.name, "has a mask, which kernels cannot see", "array.filled(0)")
        if any(level.size == 0 for level in levels):
            raise wrong_argument(self.parameter.name, "is empty")
        if any(not level.dtype.isnative for level in levels):
            raise wrong_argument(
                self.parameter.name, "has the other order of bytes", "array.astype(array.dtype.newbyteorder('='))"
            )
        return levels

    def _encoding(self, levels: Sequence[Array]) -> Encoding:
        parameter, first = self.parameter, levels[0]
        if parameter.kind in ("sampled_image", "storage_image"):
            return texture(parameter, levels)
        if parameter.kind.endswith("texel_buffer"):
            return texel_buffer(parameter, first)
        if self._elements is not None:
            return self._elements.encoding(first)
        if first.dtype.hasobject:
            raise wrong_argument(parameter.name, "is an array of Python objects, and needs numbers")
        if first.nbytes % 4:
            raise wrong_argument(parameter.name, f"has {first.nbytes} bytes, and needs a multiple of 4")
        return Plain(first, parameter.kind)

    def _fill(self, memory: Memory, encoding: Encoding, levels: Sequence[Array]) -> None:
        data: Bytes
        if len(levels) > 1 and isinstance(encoding, Texels):
            data = encoding.encode_levels(levels)
        else:
            data = encoding.encode(levels[0])
        memory.write(data)

    def _check_writable(self, array: Array) -> None:
        if not array.flags.writeable:
            raise wrong_argument(
                self.parameter.name, "is read-only, and the kernel writes it", "kernel.run(…) copies it"
            )


def _copy_back(encoding: Encoding, memory: Memory, array: Array) -> Callable[[], None]:
    return lambda: encoding.decode(memory.read(), array)
