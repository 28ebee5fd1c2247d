"""Arrays that remain on a device between calls, and samplers."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .backend import Backend, Memory, SamplerState
from .choice import backend as choose
from .encodings import Array, Encoding
from .errors import wrong_argument


class DeviceArray:
    """An array that remains on a device between calls: a buffer or a texture, depending on the kernels that use it.

    ``shape`` and ``dtype`` are those of the numpy array from which it was created.
    """

    def __init__(self, array: Array, device: Backend) -> None:
        self._host = np.array(array, order="C")
        self._backend = device
        self._memory: Memory | None = None
        self._encoding: Encoding | None = None
        self._is_stale = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._host.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self._host.dtype

    def numpy(self) -> Array:
        """Copy the array from the device to a numpy array."""
        self._synchronise()
        return self._host.copy()

    def set(self, array: Array) -> None:
        """Replace the content; raise ``ArgumentError`` for another shape or type."""
        array = np.asarray(array)
        if array.shape != self.shape or array.dtype != self.dtype:
            problem = f"is {array.dtype} {array.shape}, and the array on the device is {self.dtype} {self.shape}"
            raise wrong_argument("array", problem)
        self._host[...] = array
        self._is_stale = False
        if self._memory is not None and self._encoding is not None:
            self._memory.write(self._encoding.encode(self._host))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self.numpy(), dtype)

    def __repr__(self) -> str:
        return f"DeviceArray({self.dtype} {self.shape}, {self._backend.library}: {self._backend.name})"

    def _synchronise(self) -> None:
        if self._is_stale and self._memory is not None and self._encoding is not None:
            self._backend.download(self._memory)
            self._encoding.decode(self._memory.read(), self._host)
            self._is_stale = False

    @property
    def host(self) -> Array:
        """The copy of the array in host memory, which may be older than the one on the device."""
        return self._host

    def memory(self, name: str, encoding: Encoding, device: Backend, *, written: bool) -> Memory:
        """Return the device memory for a parameter; if the array is in another kind of memory, move it.

        ``written``: the kernel writes to it.
        """
        if device is not self._backend:
            problem = f"is an array of {self._backend.library}, and the kernel runs on {device.library}"
            raise wrong_argument(name, problem, "Give `gpu.array` and `gpu.load` the same device.")
        last = self._encoding
        if self._memory is None or last is None or last.key != encoding.key or last.storage < encoding.storage:
            self._synchronise()
            self._memory = encoding.create(device)
            self._encoding = encoding
            self._memory.write(encoding.encode(self._host))
        self._is_stale = self._is_stale or written
        return self._memory


class Sampler:
    """The state of a sampler; created by ``sampler``."""

    def __init__(self, state: SamplerState) -> None:
        self.state = state

    def __repr__(self) -> str:
        return f"Sampler({self.state.filter}, {self.state.address}, {self.state.compare or 'no comparison'})"


Comparison = Literal["", "never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always"]


def array(values: Any, *, device: str | None = None) -> DeviceArray:
    """Copy a numpy array to a device; kernels accept the result in place of a numpy array.

    The content remains on the device until ``numpy()`` copies it back.
    """
    host = np.asarray(values)
    if host.dtype.hasobject or host.dtype.kind not in "biufcV":
        raise wrong_argument("values", f"is an array of {host.dtype}, and devices hold numbers")
    return DeviceArray(host, choose(device))


def sampler(
    filter: Literal["linear", "nearest"] = "linear",
    address: Literal["clamp", "wrap", "mirror"] = "clamp",
    compare: Comparison = "",
) -> Sampler:
    """Return a sampler; with ``compare``, a ``SamplerComparisonState``.

    Raises ``ArgumentError`` for invalid values.
    """
    choices = {"filter": ("linear", "nearest"), "address": ("clamp", "wrap", "mirror"), "compare": Comparison.__args__}  # type: ignore[attr-defined]
    for name, value in (("filter", filter), ("address", address), ("compare", compare)):
        if value not in choices[name]:
            raise wrong_argument(name, f"cannot be {value!r}; it is one of {', '.join(map(repr, choices[name]))}")
    return Sampler(SamplerState(filter, address, compare))
