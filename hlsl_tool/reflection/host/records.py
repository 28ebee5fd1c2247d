"""``dtype``: numpy's structured types for blocks."""

from __future__ import annotations

from hlsl_tool.reflection.member_layout import lines, rooms
from hlsl_tool.reflection.reflection import Type

from ..blocks import block_of, member_names
from .errors import Array, PackError, numpy
from .leaves import number
from .transfer import What

_LARGEST = 0x7FFFFFFF


def dtype(block: What) -> Array:
    """Return the numpy type of a block; for a structured buffer, that of an element (``itemsize``: its stride).

    Vectors are sub-arrays. A matrix is a sub-array of its rows if it is row-major in memory, else of its columns. If
    elements, rows or columns are padded, each is a record with a single field ``value``: ``data["m"]["value"][...,
    column, row]``. If another member lies in the padding of the last element, row or column, the array or matrix is a
    record whose fields ``0``, ``1``, … are its elements, rows or columns.
    """
    whole = block_of(block)
    if whole.tail is not None and whole.type is None:
        return _of(whole.element, whole.stride, whole.name, whole.stride)
    assert whole.type is not None
    size = whole.size if whole.tail is None else max(whole.tail.offset or 0, whole.size)
    return _of(whole.type, size, whole.name, size)


def _of(t: Type, room: int, path: str, itemsize: int | None = None) -> Array:
    """Return a numpy type of at most ``room`` bytes for the type ``t``.

    ``path`` names the member in errors; a struct has ``itemsize`` bytes if that is given.
    """
    np = numpy()
    name = number(t)
    if t.kind == "struct":
        return _struct(t, itemsize if itemsize is not None else min(t.size or 0, room), path)
    if t.kind == "vector" and name is not None:
        return np.dtype((name, (t.columns,)))
    if t.kind == "matrix" and name is not None and t.stride is not None:
        count, within = lines(t)
        return _repeated(np.dtype((name, (within,))), count, t.stride, room)
    if t.kind == "array" and t.element is not None and t.count is not None and t.stride is not None:
        last = room - t.stride * (t.count - 1)
        inside = t.element.kind == "struct" and last >= t.stride
        element = _of(t.element, min(t.stride, last), f"{path}[]", t.stride if inside else None)
        return _repeated(element, t.count, t.stride, room)
    if name is not None:
        return np.dtype(name)
    raise PackError(path, f"numpy has no type for a {t.name or t.kind}")


def _struct(t: Type, size: int, path: str) -> Array:
    names = {id(m): name for name, m in zip(member_names(t.members), t.members, strict=True)}
    if size > _LARGEST:
        raise PackError(path, f"{size} bytes are more than numpy's types may have")
    placed = list(rooms(t, size))
    formats = [_of(m.type, room, f"{path}.{names[id(m)]}") for m, room in placed]
    for (member, _), numpy_type in zip(placed, formats, strict=True):
        if (member.offset or 0) + numpy_type.itemsize > size:
            raise PackError(f"{path}.{names[id(member)]}", "does not fit into its block")
    return numpy().dtype(
        {
            "names": [names[id(m)] for m, _ in placed],
            "formats": formats,
            "offsets": [m.offset or 0 for m, _ in placed],
            "itemsize": size,
        }
    )


def _repeated(one: Array, count: int, stride: int, room: int) -> Array:
    np = numpy()
    if one.itemsize == stride:
        return np.dtype((one, (count,)))
    if stride * count <= room:
        padded = np.dtype({"names": ["value"], "formats": [one], "offsets": [0], "itemsize": stride})
        return np.dtype((padded, (count,)))
    names = [str(i) for i in range(count)]
    offsets = [i * stride for i in range(count)]
    size = stride * (count - 1) + one.itemsize
    return np.dtype({"names": names, "formats": [one] * count, "offsets": offsets, "itemsize": size})
