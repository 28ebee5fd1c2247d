"""Leaves: scalars, vectors, matrices and arrays of them, as strided views of bytes.

A view has HLSL's shape: dimensions of arrays, then (rows, columns) of a matrix or the components of a vector.
Majorness and padding are strides, so that whoever writes to a view need not think of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..model import MemberFacts, Type
from ..places import component_kind
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
"""(kind, bits) → numpy's name of the type."""

_SCALAR = (
    r"(?:[us]norm )?(?:bool|u?int(?:(?:8|16|32|64)_t)?|dword|half|float(?:(?:16|32|64)_t)?|double"
    r"|min(?:10|12|16)(?:float|int|uint))"
)
_MATRIX = re.compile(rf"{_SCALAR}([1-4])x([1-4])(?:\[\d*\])*$")
_BOOL = re.compile(r"bool(?:[1-4](?:x[1-4])?)?(?:\[\d*\])*$")


@dataclass(slots=True)
class Leaf:
    """Numbers of one kind at regular distances."""

    number: str
    """numpy's name of the type."""
    array: tuple[int, ...]
    """The dimensions of arrays."""
    shape: tuple[int, ...]
    """() of a scalar, (n,) of a vector, (rows, columns) of a matrix."""
    strides: tuple[int, ...]
    """For both."""
    boolean: bool = False

    @property
    def is_matrix(self) -> bool:
        return len(self.shape) == 2

    def view(self, data: bytearray | memoryview, offset: int, path: str) -> Array:
        """The numbers where they lie."""
        whole = self.array + self.shape
        last = sum((n - 1) * step for n, step in zip(whole, self.strides, strict=True))
        if offset + last + numpy().dtype(self.number).itemsize > len(data):
            raise PackError(path, "does not fit into its block")
        return numpy().ndarray(self.array + self.shape, self.number, data, offset, self.strides)


def number(t: Type) -> str | None:
    """numpy's name of a scalar, or of a component."""
    if t.kind == "pointer":
        return "<u8" if t.size == 8 else None
    return NUMBERS.get((component_kind(t), t.bits))


def leaf(t: Type, facts: MemberFacts | None = None) -> Leaf | None:
    """The leaf that a type is, or ``None`` for what has structs inside; ``facts``: what the source says of it."""
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
    found = Leaf(name, tuple(array), shape, (*strides, *own), _BOOL.match(declared) is not None)
    return _as_declared(found, declared, by_columns=by_columns)


def _as_declared(found: Leaf, declared: str, *, by_columns: bool) -> Leaf:
    """A matrix that SPIR-V has as vectors (integers, one row, one column) in HLSL's shape."""
    match = _MATRIX.match(declared)
    if match is None or found.is_matrix:
        return found
    rows, columns = int(match[1]), int(match[2])
    whole = found.array + found.shape
    wanted = [n for n in ((columns, rows) if by_columns else (rows, columns)) if n > 1]
    at = len(whole)
    parts: list[int] = []
    while len(parts) < len(wanted) and at:
        at -= 1
        parts.insert(0, at)
    if [whole[i] for i in parts] != wanted:
        return found
    steps = iter([found.strides[i] for i in (reversed(parts) if by_columns else parts)])
    strides = tuple(next(steps) if n > 1 else 0 for n in (rows, columns))
    return Leaf(found.number, whole[:at], (rows, columns), found.strides[:at] + strides, found.boolean)


# ------------------------------------------------------------------------------------------------------------ values


@dataclass(frozen=True, slots=True)
class HostMatrix:
    """How the host has its matrices."""

    order: str
    """``row_major``: ``value[row][column]``; ``column_major``: ``value[column][row]``."""
    padded: bool
    """Rows (or columns) of four, however many count: what SIMD types of hosts have."""


PADDED = 4


def write(found: Leaf, data: bytearray, offset: int, value: object, path: str, host: HostMatrix) -> None:
    """Put a value, or an array of values, where it belongs."""
    numbers = _numbers(found, value, path)
    if found.is_matrix:
        numbers = _matrices(found, numbers, path, host)
    wanted = found.array + found.shape
    if numbers.shape != wanted:
        needs = _shape(wanted) if wanted else "a single number"
        raise PackError(path, f"has the shape {_shape(numbers.shape)}, and needs {needs}")
    found.view(data, offset, path)[...] = numbers


def read(found: Leaf, data: memoryview, offset: int, path: str, host: HostMatrix) -> object:
    """A copy of what lies there: a Python number for a scalar, else an array."""
    numbers = found.view(data, offset, path)
    if found.is_matrix and host.order == "column_major":
        numbers = numpy().swapaxes(numbers, -1, -2)
    if found.boolean:
        numbers = numbers != 0
    if numbers.shape == ():
        return numbers.item()
    if found.is_matrix and host.padded:
        wide = numpy().zeros((*numbers.shape[:-1], PADDED), numbers.dtype)
        wide[..., : numbers.shape[-1]] = numbers
        return wide
    return numbers.copy()


def _shape(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))})" if shape else "of a single number"


def _matrices(found: Leaf, numbers: Array, path: str, host: HostMatrix) -> Array:
    """The host's matrices in HLSL's shape."""
    rows, columns = found.shape
    count, within = (rows, columns) if host.order == "row_major" else (columns, rows)
    stored = PADDED if host.padded else within
    dims = len(found.array)
    head, tail = numbers.shape[:dims], numbers.shape[dims:]
    flat = (count * stored,)
    vector = (rows * columns,)
    if head != found.array or tail not in ((count, stored), flat, *([vector] if 1 in found.shape else [])):
        wanted = _shape((*found.array, count, stored))
        raise PackError(path, f"has the shape {_shape(numbers.shape)}, and needs {wanted}{_advice(found, tail, host)}")
    if tail == vector and 1 in found.shape and tail != flat:
        return numbers.reshape(*head, rows, columns)
    numbers = numbers.reshape(*head, count, stored)[..., :within]
    return numbers if host.order == "row_major" else numpy().swapaxes(numbers, -1, -2)


def _advice(found: Leaf, tail: tuple[int, ...], host: HostMatrix) -> str:
    rows, columns = found.shape
    if rows != columns and tail == ((columns, rows) if host.order == "row_major" else (rows, columns)):
        other = "column_major" if host.order == "row_major" else "row_major"
        return f"; is it order={other!r}?"
    if not host.padded and len(tail) == 2 and tail[1] == PADDED:
        return "; if its rows are padded to four, say padded=True"
    return ""


def _numbers(found: Leaf, value: object, path: str) -> Array:
    """The value as an array of the right kind of number; each has to be in range."""
    np = numpy()
    try:
        given = np.asarray(value)
    except (ValueError, TypeError, OverflowError):
        raise PackError(path, "is no regular array of numbers") from None
    if given.dtype.kind not in "biufO":
        raise PackError(path, f"is no number but {_kind(value)}")
    target = np.dtype(found.number)
    if target.kind == "f":
        return _floats(given, target, path)
    return _integers(found, given, value, target, path)


def _floats(given: Array, target: Array, path: str) -> Array:
    np = numpy()
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


def _integers(found: Leaf, given: Array, value: object, target: Array, path: str) -> Array:
    np = numpy()
    if given.dtype.kind == "f":  # integers beyond 64 bits, or of both ends of them, arrive as floats
        given = np.asarray(value, dtype=object)
    if given.dtype.kind == "O":
        for item in given.flat:
            if not isinstance(item, (int, np.integer, np.bool_)):
                raise PackError(path, f"{item!s} is no integer")
    low, high = (0, 1) if found.boolean else (int(np.iinfo(target).min), int(np.iinfo(target).max))
    for end in (given.min(), given.max()) if given.size else ():
        if not low <= int(end) <= high:
            what = "a bool" if found.boolean else f"{'u' if low == 0 else ''}int of {target.itemsize * 8} bits"
            raise PackError(path, f"{int(end)} is out of range for {what if found.boolean else 'an ' + what}")
    return given.astype(target)


def _kind(value: object) -> str:
    return "a mapping" if isinstance(value, dict) else f"a {type(value).__name__}"
