"""Leaves: members of a block without structs (scalars, vectors, matrices, arrays of them), as strided views of bytes.

A view has HLSL's shape: the dimensions of arrays, then (rows, columns) of a matrix or the components of a vector.
Majorness and padding are represented by strides, so that code that writes to a view can ignore them.
"""

from __future__ import annotations

import re

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.reflection.member_layout import component_kind
from hlsl_tool.reflection.reflection import MemberFacts, Type

from .errors import Array, PackError, numpy

NUMBERS = {
    ("float", 16): "<f2",
    ("float", 32): "<f4",
    ("float", 64): "<f8",
    ("int", 8): "<i1",
    ("int", 16): "<i2",
    ("int", 32): "<i4",
    ("int", 64): "<i8",
    ("uint", 8): "<u1",
    ("uint", 16): "<u2",
    ("uint", 32): "<u4",
    ("uint", 64): "<u8",
}
"""(kind, bits) → the type's name in numpy."""

_SCALAR = (
    r"(?:[us]norm )?(?:bool|u?int(?:(?:8|16|32|64)_t)?|dword|half|float(?:(?:16|32|64)_t)?|double"
    r"|min(?:10|12|16)(?:float|int|uint))"
)
_MATRIX = re.compile(rf"{_SCALAR}([1-4])x([1-4])(?:\[\d*\])*$")
_BOOL = re.compile(r"bool(?:[1-4](?:x[1-4])?)?(?:\[\d*\])*$")


@dataclass(slots=True)
class Leaf:
    """The layout of a block's member that consists of numbers of one type: dimensions, and strides in bytes."""

    number: str
    """The type's name in numpy."""
    array: tuple[int, ...]
    """The dimensions of arrays, outermost first."""
    shape: tuple[int, ...]
    """() for a scalar, (n,) for a vector, (rows, columns) for a matrix."""
    strides: tuple[int, ...]
    """Bytes from one to the next, for each dimension of ``array`` and of ``shape``."""
    boolean: bool = False

    @property
    def is_matrix(self) -> bool:
        """Whether the leaf is a matrix, or an array of them."""
        return len(self.shape) == 2

    def view(self, data: bytearray | memoryview, offset: int, path: str) -> Array:
        """Return a numpy array that shares the bytes of ``data``; raise ``PackError`` if it does not fit."""
        whole = self.array + self.shape
        last = sum((n - 1) * step for n, step in zip(whole, self.strides, strict=True))
        if offset + last + numpy().dtype(self.number).itemsize > len(data):
            raise PackError(path, "does not fit into its block")
        return numpy().ndarray(self.array + self.shape, self.number, data, offset, self.strides)


def number(t: Type) -> str | None:
    """Return the numpy name of a scalar type or of a component type; ``None`` for other types."""
    if t.kind == "pointer":
        return "<u8" if t.size == 8 else None
    return NUMBERS.get((component_kind(t), t.bits))


def leaf(t: Type, facts: MemberFacts | None = None) -> Leaf | None:
    """Return the layout of a type; ``None`` if it contains structs.

    ``facts`` is information of the HLSL source about the member.
    """
    declared = facts.get("type", "") if facts else ""
    by_columns = facts is not None and facts.get("majorness") == "column_major"
    array: list[int] = []
    strides: list[int] = []
    inner = t
    while inner.kind == "array" and inner.element is not None and inner.count is not None and inner.stride is not None:
        array.append(inner.count)
        strides.append(inner.stride)
        inner = inner.element
    name = number(inner)
    if name is None:
        return None
    size = inner.bits // 8
    shape: tuple[int, ...] = ()
    if inner.kind == "vector":
        shape, own = (inner.columns,), (size,)
    elif inner.kind == "matrix":
        if not inner.stride or not inner.majorness:
            return None
        along = inner.stride
        shape = (inner.rows, inner.columns)
        own = (size, along) if inner.majorness == "column_major" else (along, size)  # type: ignore[assignment]
    else:
        own = ()  # type: ignore[assignment]
    stored = Leaf(name, tuple(array), shape, (*strides, *own), _BOOL.match(declared) is not None)
    return _as_declared(stored, declared, by_columns=by_columns)


def _as_declared(stored: Leaf, declared: str, *, by_columns: bool) -> Leaf:
    """Return the layout of a matrix that SPIR-V stores as vectors or arrays, with the shape that HLSL declares.

    Such matrices consist of integers, or have one row or column. ``declared`` is the type in HLSL, and ``by_columns``
    is true if columns are contiguous. Other layouts are returned unchanged.
    """
    match = _MATRIX.match(declared)
    if match is None or stored.is_matrix:
        return stored
    rows, columns = int(match[1]), int(match[2])
    whole = stored.array + stored.shape
    lengths = [n for n in ((columns, rows) if by_columns else (rows, columns)) if n > 1]
    at = len(whole)
    parts: list[int] = []
    while len(parts) < len(lengths) and at:
        at -= 1
        parts.insert(0, at)
    if [whole[i] for i in parts] != lengths:
        return stored
    steps = iter([stored.strides[i] for i in (reversed(parts) if by_columns else parts)])
    strides = tuple(next(steps) if n > 1 else 0 for n in (rows, columns))
    return Leaf(stored.number, whole[:at], (rows, columns), stored.strides[:at] + strides, stored.boolean)


# ------------------------------------------------------------------------------------------------------------ values


@dataclass(frozen=True, slots=True)
class HostMatrix:
    """How the host's values represent a matrix: the order of its indices, and whether rows are padded."""

    order: str
    """``row_major``: ``value[row][column]``; ``column_major``: ``value[column][row]``."""
    padded: bool
    """Rows (or columns) hold four numbers, of which the first ones count, as in SIMD types."""


PADDED = 4


def write(target: Leaf, data: bytearray, offset: int, value: object, path: str, host: HostMatrix) -> None:
    """Store a value, or an array of values, in ``data``.

    Raise ``PackError`` for a wrong shape or a number out of range.
    """
    numbers = _numbers(target, value, path)
    if target.is_matrix:
        numbers = _matrices(target, numbers, path, host)
    shape = target.array + target.shape
    if numbers.shape != shape:
        needs = _shape(shape) if shape else "a single number"
        raise PackError(path, f"has the shape {_shape(numbers.shape)}, and needs {needs}")
    target.view(data, offset, path)[...] = numbers


def read(source: Leaf, data: memoryview, offset: int, path: str, host: HostMatrix) -> object:
    """Copy the stored value: return a Python number for a scalar, else an array."""
    numbers = source.view(data, offset, path)
    if source.is_matrix and host.order == "column_major":
        numbers = numpy().swapaxes(numbers, -1, -2)
    if source.boolean:
        numbers = numbers != 0
    if numbers.shape == ():
        return numbers.item()
    if source.is_matrix and host.padded:
        wide = numpy().zeros((*numbers.shape[:-1], PADDED), numbers.dtype)
        wide[..., : numbers.shape[-1]] = numbers
        return wide
    return numbers.copy()


def _shape(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))})" if shape else "of a single number"


def _matrices(target: Leaf, numbers: Array, path: str, host: HostMatrix) -> Array:
    """Convert the host's matrices to HLSL's shape; for a wrong shape raise ``PackError`` with advice."""
    rows, columns = target.shape
    count, within = (rows, columns) if host.order == "row_major" else (columns, rows)
    stored = PADDED if host.padded else within
    dims = len(target.array)
    head, tail = numbers.shape[:dims], numbers.shape[dims:]
    flat = (count * stored,)
    vector = (rows * columns,)
    if head != target.array or tail not in ((count, stored), flat, *([vector] if 1 in target.shape else [])):
        needed = _shape((*target.array, count, stored))
        raise PackError(path, f"has the shape {_shape(numbers.shape)}, and needs {needed}{_advice(target, tail, host)}")
    if tail == vector and 1 in target.shape and tail != flat:
        return numbers.reshape(*head, rows, columns)
    numbers = numbers.reshape(*head, count, stored)[..., :within]
    return numbers if host.order == "row_major" else numpy().swapaxes(numbers, -1, -2)


def _advice(target: Leaf, tail: tuple[int, ...], host: HostMatrix) -> str:
    rows, columns = target.shape
    if rows != columns and tail == ((columns, rows) if host.order == "row_major" else (rows, columns)):
        other = "column_major" if host.order == "row_major" else "row_major"
        return f"; is it order={other!r}?"
    if not host.padded and len(tail) == 2 and tail[1] == PADDED:
        return "; if its rows are padded to four, say padded=True"
    return ""


def _numbers(leaf_type: Leaf, value: object, path: str) -> Array:
    """Convert a value to an array of the leaf's number type; raise ``PackError`` for a number out of range."""
    np = numpy()
    try:
        given = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        raise PackError(path, "is no regular array of numbers") from None
    if given.dtype.kind not in "biufO":
        raise PackError(path, f"is no number but {_kind(value)}")
    target = np.dtype(leaf_type.number)
    if target.kind == "f":
        return _floats(given, target, path)
    return _integers(leaf_type, given, value, target, path)


def _floats(given: Array, target: Array, path: str) -> Array:
    np = numpy()
    if given.dtype.kind == "O" and any(item is None or isinstance(item, (str, bytes)) for item in given.flat):
        raise PackError(path, "has an element that is no number")
    try:
        wide = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise PackError(path, "is no number that a float can hold") from None
    with np.errstate(over="ignore"):
        numbers = wide.astype(target)
    lost = np.isinf(numbers) & np.isfinite(wide)
    if lost.any():
        raise PackError(path, f"{wide[lost].flat[0]!s} is out of range for a float of {target.itemsize * 8} bits")
    return numbers


def _integers(leaf_type: Leaf, given: Array, value: object, target: Array, path: str) -> Array:
    np = numpy()
    if given.dtype.kind == "f":  # integers beyond 64 bits, or of both ends of them, arrive as floats
        given = np.asarray(value, dtype=object)
    if given.dtype.kind == "O":
        for item in given.flat:
            if not isinstance(item, (int, np.integer, np.bool_)):
                raise PackError(path, f"{item!s} is no integer")
    low, high = (0, 1) if leaf_type.boolean else (int(np.iinfo(target).min), int(np.iinfo(target).max))
    for end in (given.min(), given.max()) if given.size else ():
        if not low <= int(end) <= high:
            integer = f"an {'u' if low == 0 else ''}int of {target.itemsize * 8} bits"
            raise PackError(path, f"{int(end)} is out of range for {'a bool' if leaf_type.boolean else integer}")
    return given.astype(target)


def _kind(value: object) -> str:
    return "a mapping" if isinstance(value, dict) else f"a {type(value).__name__}"
