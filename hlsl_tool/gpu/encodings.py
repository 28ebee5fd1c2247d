"""Convert numpy arrays to the bytes that shaders read: buffers by their reflected layout, textures by their format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass, replace
from hlsl_tool.reflection.blocks import Block, member_names
from hlsl_tool.reflection.host import PackError, dtype
from hlsl_tool.reflection.host.leaves import Leaf, leaf
from hlsl_tool.reflection.reflection import MemberFacts, StageVariable, Type

from .backend import Backend, Bytes, Memory
from .errors import ArgumentError, wrong_argument
from .formats import Format, by_array, by_spirv, numbers
from .signature import Parameter

Array = npt.NDArray[Any]


class Encoding(Protocol):
    """Converts arrays of one type and shape to the content of device memory, and back."""

    @property
    def key(self) -> object:
        """A key that is equal for encodings with the same bytes in the same kind of memory."""

    @property
    def format(self) -> Format | None:
        """The texel format of a texel buffer; ``None`` for other memory."""

    @property
    def storage(self) -> bool:
        """Whether the memory is an image that shaders write; such an image can be sampled, too."""

    def create(self, backend: Backend) -> Memory:
        """Create memory for the array on a device."""

    def encode(self, array: Array) -> Bytes:
        """Convert an array to bytes."""

    def decode(self, data: Bytes, array: Array) -> None:
        """Convert bytes to values, and store them in ``array``."""


def raw_bytes(array: Array) -> Bytes:
    """Return the bytes of an array, without a copy if it is contiguous."""
    return np.frombuffer(np.ascontiguousarray(array), np.uint8)


class Plain:
    """Encoding of an array whose bytes are those of the shader's layout."""

    storage = False

    def __init__(self, array: Array, kind: str, texels: Format | None = None) -> None:
        self.size, self.kind, self.format = array.nbytes, kind, texels
        self.key = ("bytes", -(-array.nbytes // 4))

    def create(self, backend: Backend) -> Memory:
        """Create a buffer on a device."""
        return backend.buffer(self.size, self.kind)

    def encode(self, array: Array) -> Bytes:
        """Return the bytes of the array."""
        return raw_bytes(array)

    def decode(self, data: Bytes, array: Array) -> None:
        """Copy the bytes into the array."""
        array[...] = data[: self.size].view(array.dtype).reshape(array.shape)


@dataclass(frozen=True, slots=True)
class Column:
    """A member of the element type of a structured buffer; provides views of its values in all elements."""

    path: tuple[str, ...]
    """The fields that lead to it in numpy; empty for elements that are no structs."""
    offset: int
    leaf: Leaf

    @property
    def name(self) -> str:
        """The path of the member as written in HLSL."""
        return ".".join(self.path)

    def of(self, array: Array) -> Array:
        """Return a view of this member's values in all elements of a structured numpy array."""
        for name in self.path:
            array = array[name]
        return array

    def view(self, data: Any, count: int, stride: int) -> Array:
        """Return a view of this member's values in ``data``, the bytes of ``count`` elements at ``stride`` bytes."""
        whole = replace(self.leaf, array=(count, *self.leaf.array), strides=(stride, *self.leaf.strides))
        array: Array = whole.view(data, self.offset, self.name)
        return array

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the member's value in a single element, as a numpy shape."""
        return self.leaf.array + self.leaf.shape


class Records:
    """Encoding of an array whose elements differ from the shader's in padding, matrix order or order of fields."""

    format = None
    storage = False

    def __init__(self, count: int, stride: int, columns: tuple[Column, ...]) -> None:
        self.count, self.stride, self.columns = count, stride, columns
        self.size = count * stride
        self.key = ("records", count, stride, str(columns))

    def create(self, backend: Backend) -> Memory:
        """Create a buffer on a device."""
        return backend.buffer(self.size, "storage_buffer")

    def encode(self, array: Array) -> Bytes:
        """Convert the elements to the shader's layout; padding is zero."""
        data = np.zeros(self.size, np.uint8)
        elements = self._elements(array)
        for column in self.columns:
            column.view(data.data, self.count, self.stride)[...] = column.of(elements)
        return data

    def decode(self, data: Bytes, array: Array) -> None:
        """Copy the elements into the array, member by member."""
        copy = np.empty_like(array, order="C")
        elements = self._elements(copy)
        for column in self.columns:
            values = column.view(data.data, self.count, self.stride)
            target = column.of(elements)
            target[...] = values != 0 if target.dtype == np.bool_ else values
        array[...] = copy

    def _elements(self, array: Array) -> Array:
        """Return a view of the array with a single dimension for the elements."""
        shape = self.columns[0].shape if not self.columns[0].path else ()
        return np.ascontiguousarray(array).reshape(self.count, *shape)


class Elements:
    """The element type of a structured buffer: selects the encoding for an array."""

    def __init__(self, parameter: Parameter, block: Block) -> None:
        self.parameter, self.block = parameter, block
        facts = block.tail.hlsl if block.tail is not None else {}
        self.columns = tuple(_columns(block.element, facts, 0, (), (), ()))

    @cached_property
    def record(self) -> Any:
        """The numpy type with exactly the shader's layout; ``None`` if there is none."""
        try:
            return dtype(self.block)
        except PackError:
            return None

    def encoding(self, array: Array) -> Encoding:
        """Return the encoding for an array; raise ``ArgumentError`` if it does not fit."""
        if self.columns and not self.columns[0].path:
            return self._numbers(array, self.columns[0])
        if array.dtype == self.record:
            return Plain(array, "storage_buffer")
        return self._structs(array)

    def _numbers(self, array: Array, column: Column) -> Encoding:
        name, shape = self.parameter.name, column.shape
        _check_dtype(name, array, column.leaf)
        if shape and array.shape[-len(shape) :] != shape:
            raise wrong_argument(name, f"has the shape {array.shape}, and needs (…, {', '.join(map(str, shape))})")
        count = array.size // (int(np.prod(shape)) if shape else 1)
        tight = array.itemsize * int(np.prod(shape)) == self.block.stride and _is_tight(column.leaf)
        if tight and array.dtype != np.bool_:
            return Plain(array, "storage_buffer")
        return Records(count, self.block.stride, self.columns)

    def _structs(self, array: Array) -> Encoding:
        name = self.parameter.name
        if array.dtype.names is None:
            fields = ", ".join(f"`{f}`" for f in dict.fromkeys(column.path[0] for column in self.columns))
            raise wrong_argument(
                name, f"is an array of {array.dtype}, and needs structs with the fields {fields}",
                "`kernel.dtype(name)` returns numpy's type of the elements.",
            )  # fmt: skip
        flat = np.empty(1, array.dtype)
        for column in self.columns:
            try:
                values = column.of(flat)[0:1]
            except (ValueError, IndexError):
                raise wrong_argument(name, f"has no field `{column.name}`") from None
            _check_dtype(f"{name}.{column.name}", values, column.leaf)
            if values.shape[1:] != column.shape:
                problem = f"has the shape {values.shape[1:]}, and needs {column.shape}"
                raise wrong_argument(f"{name}.{column.name}", problem)
        return Records(array.size, self.block.stride, self.columns)


def _columns(
    t: Type, facts: MemberFacts, offset: int, dims: tuple[int, ...], strides: tuple[int, ...], path: tuple[str, ...]
) -> Iterator[Column]:
    numbers_here = leaf(t, facts)
    if numbers_here is not None:
        whole = replace(numbers_here, array=dims + numbers_here.array, strides=strides + numbers_here.strides)
        yield Column(path, offset, whole)
    elif t.kind == "struct":
        for name, member in zip(member_names(t.members), t.members, strict=True):
            yield from _columns(member.type, member.hlsl, offset + (member.offset or 0), dims, strides, (*path, name))
    elif t.kind == "array" and t.element is not None and t.count is not None and t.stride is not None:
        yield from _columns(t.element, {}, offset, (*dims, t.count), (*strides, t.stride), path)


def _is_tight(of: Leaf) -> bool:
    """Return whether the components of an element are contiguous, as in C."""
    step = np.dtype(of.number).itemsize
    for length, stride in zip(reversed(of.array + of.shape), reversed(of.strides), strict=True):
        if length > 1 and stride != step:
            return False
        step *= length
    return True


def _check_dtype(name: str, array: Array, of: Leaf) -> None:
    wanted = np.dtype(of.number)
    if array.dtype != wanted and not (of.boolean and array.dtype == np.bool_):
        text = "bool" if of.boolean else wanted.name
        raise wrong_argument(name, f"is an array of {array.dtype}, and needs {text}", f"array.astype(np.{text})")


def texel_buffer(parameter: Parameter, array: Array) -> Encoding:
    """Return the encoding for a texel buffer (``Buffer``, ``RWBuffer``)."""
    t = parameter.resource.type
    channels = channels_of(parameter)
    if channels > 1 and array.shape[-1:] != (channels,):
        raise wrong_argument(parameter.name, f"has the shape {array.shape}, and needs (…, {channels})")
    chosen = by_array(array.dtype.name, channels, t.component)
    if chosen is None:
        raise wrong_format(parameter.name, array, t.component)
    if t.format not in ("", "Unknown", chosen.spirv):
        raise wrong_argument(parameter.name, f"is an array of {array.dtype}, and needs the format {t.format}")
    return Plain(array, parameter.kind, chosen)


def wrong_format(name: str, array: Array, component: str) -> ArgumentError:
    """Return the error for an array whose type matches no texel format."""
    names = numbers(component)
    hint = f"array.astype(np.{next(n for n in names if n.endswith('32'))})"
    return wrong_argument(name, f"is an array of {array.dtype}, and needs {', '.join(names[:-1])} or {names[-1]}", hint)


def channels_of(parameter: Parameter) -> int:
    """Return the number of channels that the shader declares: 4 for ``Texture2D<float4>``."""
    inner = parameter.declared.partition("<")[2].partition(">")[0].rstrip()
    return int(inner[-1]) if inner[-1:] in ("2", "3", "4") and not inner.endswith(("32", "64")) else 1


def element_shape(parameter: Parameter) -> tuple[int, ...]:
    """Return the shape of an element of numbers: `(4, 4)` for ``StructuredBuffer<float4x4>``, `()` for a scalar."""
    if "ByteAddressBuffer" in parameter.declared:
        return ()
    if parameter.block is not None:
        return Elements(parameter, parameter.block).columns[0].shape
    channels = channels_of(parameter)
    if channels == 3 and parameter.kind.endswith("image"):
        channels = 4
    return (channels,) if channels > 1 else ()


def natural_type(parameter: Parameter) -> str | None:
    """Return the numpy type of the numbers in a buffer or texture; ``None`` for structs and arrays of resources."""
    if parameter.is_array:
        return None
    if parameter.block is None:
        fixed = by_spirv(parameter.resource.type.format)
        return fixed.number if fixed is not None else f"{parameter.resource.type.component}32"
    if "ByteAddressBuffer" in parameter.declared:
        return "uint32"
    columns = Elements(parameter, parameter.block).columns
    return np.dtype(columns[0].leaf.number).name if not columns[0].path else None


def attribute_parts(of: Type, value: Array, *, is_of_vertices: bool) -> dict[int, Array]:
    """Return the vectors of an input of vertices by their locations, from the first one on; vertices are the last axis.

    ``value`` has a row for each vertex.  One vector takes up to 4 numbers, as vertex formats do; matrices and arrays
    take the number that they have.  With ``is_of_vertices`` the type is an array over the vertices of a primitive.
    Raises ``ValueError`` with the problem.
    """
    vectors = list(_vectors(of.element if is_of_vertices and of.element is not None else of, 0))
    rows = value.reshape(len(value), -1)
    need = sum(width for _, width, _ in vectors)
    if rows.shape[1] > 4 if len(vectors) == 1 else rows.shape[1] != need:
        raise ValueError(f"has {need} {'number' if need == 1 else 'numbers'} for each vertex, not {rows.shape[1]}")
    out, start = {}, 0
    for location, width, number in vectors:
        part = rows if len(vectors) == 1 else rows[:, start : start + width]
        out[location] = np.ascontiguousarray(_converted(part, number).T)
        start += width
    return out


def vectors_of(
    variable: StageVariable, slots: Mapping[tuple[int, int], Array], *, is_of_vertices: bool
) -> Array | None:
    """Return an output made of the vectors at its locations; ``None`` if there are none.

    Vertices are the last axis; a matrix or an array has an axis of vectors before the others.
    """
    of = variable.type.element if is_of_vertices and variable.type.element is not None else variable.type
    parts = []
    for location, _, number in _vectors(of, variable.location or 0):
        part = slots.get((location, variable.component or 0))
        if part is None:
            return None
        parts.append(part.view(number) if part.dtype.itemsize == np.dtype(number).itemsize else part.astype(number))
    count = max(part.shape[-1] for part in parts)
    whole = [np.broadcast_to(part, (*part.shape[:-1], count)) for part in parts]
    return np.stack(whole) if of.kind in ("array", "matrix") else whole[0]


def _vectors(of: Type, location: int) -> Iterator[tuple[int, int, str]]:
    """Yield (location, number of components, type in numpy) of the vectors of an input, which begins at a location."""
    if of.kind == "array" and of.element is not None:
        for _ in range(of.count or 0):
            vectors = list(_vectors(of.element, location))
            yield from vectors
            location = _after(*vectors[-1])
        return
    word, width = of.component or of.kind, of.columns or 1
    letter = "u" if word.startswith("uint") else "i" if word.startswith("int") else "f"
    for _ in range(of.rows or 1):
        yield location, width, f"{letter}{max(of.bits // 8, 1)}"
        location = _after(location, width, f"{letter}{max(of.bits // 8, 1)}")


def _after(location: int, width: int, number: str) -> int:
    """Return the location behind a vector: vectors of three and four 64-bit components take two."""
    return location + (2 if np.dtype(number).itemsize == 8 and width > 2 else 1)


def _converted(values: Array, number: str) -> Array:
    """Return numbers as those of a type in numpy; raise ``ValueError`` for integers that it does not have."""
    if number[0] == "f":
        with np.errstate(over="ignore"):
            return values.astype(number)
    limits = np.iinfo(number)
    if not (np.isfinite(values).all() and (values == np.rint(values)).all()):
        raise ValueError("has whole numbers")
    if values.size and not limits.min <= int(values.min()) <= int(values.max()) <= limits.max:
        raise ValueError(f"has whole numbers from {limits.min} to {limits.max}")
    return values.astype(number)
