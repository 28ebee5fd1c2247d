"""Read packs in Python.

    from hlsl_tool.project.pack import read

    pack = read("build/shaders/all.hlslpack")
    entry = pack.find("lit/pbr.PSMain", {"SHADOWS": 1, "QUALITY": 2})
    words = entry.blob("spv")

A pack is checked completely when it is opened: no offset in it leads outside of the file.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator, Mapping

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.project.pack.format import (
    AXIS,
    BLOB,
    ENTRY,
    GROUP,
    HEADER,
    KIND,
    MAGIC,
    NONE,
    STAGES,
    VERSION,
    BadPack,
    entry_size,
    key_of,
)

_STAGE_NAMES = {number: name for name, number in STAGES.items()}


Range = tuple[int, int]
"""(number of records in a table, offset of the table in bytes)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One permutation of a shader in a pack."""

    pack: Pack
    key: int
    name: str
    shader: str
    axes: tuple[str, ...]
    """The macros that the permutations of the shader differ in."""
    stage: str
    entry_point: str
    numbers: tuple[int, ...]
    """Numbers of its blobs, by kind."""

    def blob(self, kind: str = "spv") -> bytes:
        """Return the bytes of an output, such as `spv`; raise KeyError if the shader has no such output."""
        number = self.numbers[self.pack.kinds.index(kind)] if kind in self.pack.kinds else NONE
        if number == NONE:
            raise KeyError(kind)
        return self.pack.blob(number)


class Pack:
    """A pack in memory."""

    def __init__(self, data: bytes) -> None:
        """Parse and check a pack; raise BadPack if the bytes are not a pack, or a damaged one."""
        self.data = data
        self.groups: dict[str, list[tuple[str, ...]]] = {}
        """Shader → the macros of its permutations, most macros first."""
        self.by_key: dict[int, Entry] = {}
        self.by_name: dict[str, Entry] = {}
        self._texts = b""
        self._texts_at: dict[int, tuple[int, str]] = {}
        """Offset of a text → its length in bytes, and the text."""
        try:
            self._read()
        except (struct.error, UnicodeDecodeError, IndexError) as error:
            raise BadPack(str(error)) from None

    def find(self, shader: str, macros: Mapping[str, object] | None = None) -> Entry | None:
        """Return the permutation with these macros; ``None`` if there is none.

        Macros in which the shader does not vary are ignored; all in which it varies must be given.
        """
        given = {name: str(value) for name, value in (macros or {}).items()}
        for axes in self.groups.get(shader, ()):
            if all(axis in given for axis in axes):
                entry = self.by_key.get(key_of(shader, [(axis, given[axis]) for axis in axes]))
                if entry is not None and entry.shader == shader and entry.axes == axes:
                    return entry
        return None

    def named(self, name: str) -> Entry | None:
        """Return the permutation with this name, such as `lit/pbr.PSMain.SHADOWS=1`; ``None`` if there is none."""
        return self.by_name.get(name)

    def blob(self, number: int) -> bytes:
        """Return the bytes of the blob with this number."""
        at, size = self.blobs[number]
        return self.data[at : at + size]

    def __iter__(self) -> Iterator[Entry]:
        return iter(sorted(self.by_name.values(), key=lambda entry: entry.name))

    def __len__(self) -> int:
        return len(self.by_name)

    # ---- opening

    def _read(self) -> None:
        data = self.data
        if len(data) < HEADER.size or not data.startswith(MAGIC):
            raise BadPack("it does not begin as a pack does")
        _, version, size, *numbers = HEADER.unpack_from(data)
        if version != VERSION:
            raise BadPack(f"it is of version {version}; this reads {VERSION}")
        if size != len(data):
            raise BadPack(f"it is {len(data)} bytes long and should be {size}")
        kinds, groups, axes, entries, blobs, (strings, strings_size) = zip(numbers[::2], numbers[1::2], strict=True)
        self._texts = data[strings : strings + strings_size]
        if len(self._texts) != strings_size:
            raise BadPack("the strings lie outside of it")
        self.kinds = [self._text(*row) for row in self._table(KIND, kinds)]
        self.blobs = self._read_blobs(blobs)
        self._read_entries(entries, self._read_shapes(groups, axes))

    def _read_blobs(self, table: Range) -> list[tuple[int, ...]]:
        """Return the (offset, size) of each blob."""
        rows = self._table(BLOB, table)
        end = 0
        for at, length in rows:
            if at % 4 or at < end or at + length > len(self.data):
                raise BadPack("a blob lies outside of it, or in another one")
            end = at + length
        return rows

    def _read_shapes(self, groups: Range, axes: Range) -> list[tuple[str, tuple[str, ...]]]:
        """Return (name of the shader, names of its macros) for each record of the table ``groups``.

        A record describes the permutations of a shader with the same macros; it is also added to the field `groups`.
        """
        axis_names = [self._text(*row[1:]) for row in self._table(AXIS, axes)]
        shapes = []
        total = last_hash = 0
        for hashed, at, length, first, count in self._table(GROUP, groups):
            if first != total or first + count > len(axis_names):
                raise BadPack("a shader's macros lie outside of it, or are another one's")
            if hashed < last_hash:
                raise BadPack("the shaders are not sorted")
            total, last_hash = total + count, hashed
            shapes.append((self._text(at, length), tuple(axis_names[first : first + count])))
            self.groups.setdefault(shapes[-1][0], []).append(shapes[-1][1])
        return shapes

    def _read_entries(self, table: Range, shapes: list[tuple[str, tuple[str, ...]]]) -> None:
        """Add each permutation in the table to the fields `by_key` and `by_name`.

        ``shapes`` are the (shader, macro names) of the groups to which entries refer by index.
        """
        count, start = table
        blob_numbers = struct.Struct(f"<{len(self.kinds)}I")
        stride = entry_size(len(self.kinds))
        if start + count * stride > len(self.data):
            raise BadPack("the entries lie outside of it")
        last = -1
        for at in range(start, start + count * stride, stride):
            key, group, stage, *texts = ENTRY.unpack_from(self.data, at)
            if key <= last:
                raise BadPack("the keys are not sorted")
            last = key
            numbers = blob_numbers.unpack_from(self.data, at + ENTRY.size)
            if any(number != NONE and number >= len(self.blobs) for number in numbers):
                raise BadPack("an entry names a blob that is not there")
            shader, axes = shapes[group]
            stage_name = _STAGE_NAMES.get(stage, str(stage))
            entry = Entry(self, key, self._text(*texts[:2]), shader, axes, stage_name, self._text(*texts[2:]), numbers)
            self.by_key[key] = self.by_name[entry.name] = entry

    def _table(self, row: struct.Struct, table: Range) -> list[tuple[int, ...]]:
        """Return the unpacked records of a table, whose format is ``row``."""
        count, start = table
        if start + count * row.size > len(self.data):
            raise BadPack("a table lies outside of it")
        return list(row.iter_unpack(self.data[start : start + count * row.size]))

    def _text(self, at: int, size: int) -> str:
        """Return the text of ``size`` bytes at an offset of the string table.

        Raises BadPack if it starts inside another text: so all texts together are no longer than the file.
        """
        text = self._texts_at.get(at)
        if text is None:
            end = self._texts.find(0, at)
            if end < 0 or (at > 0 and self._texts[at - 1] != 0):
                raise BadPack("a text lies outside of it, or in another one")
            text = self._texts_at[at] = end - at, self._texts[at:end].decode("utf-8", "surrogateescape")
        if text[0] != size:
            raise BadPack("a text is shorter or longer than it should be")
        return text[1]


def read(path: str | os.PathLike[str]) -> Pack:
    """Return the pack in a file. Raises OSError if it cannot be read, BadPack if it is not a pack."""
    if not os.path.isfile(path) and os.path.exists(path):
        raise OSError(errno.EINVAL, "it is no regular file")  # a pipe may never begin
    with open(path, "rb") as stream:
        return Pack(stream.read())
