"""Write packs; equal members give equal bytes, in whatever order they are passed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    Member,
    PackError,
    entry_size,
    key_of,
    text_hash,
)


class _Strings:
    """The string table: each text is stored once, followed by a zero byte."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.places: dict[str, tuple[int, int]] = {}

    def add(self, text: str) -> tuple[int, int]:
        """Store a text, and return its offset and its length in bytes."""
        place = self.places.get(text)
        if place is None:
            data = text.encode("utf-8", "surrogateescape")
            if b"\0" in data:
                raise PackError(f"a name has a zero in it: {text!r}")
            place = self.places[text] = (len(self.data), len(data))
            self.data += data + b"\0"
        return place


def write(members: Iterable[Member], kinds: Sequence[str] = ("spv",)) -> bytes:
    """Return the bytes of a pack with these members, and these kinds of outputs for each.

    Raises PackError if two members have the same key, or the pack would exceed 4 GiB.
    """
    members = sorted(members, key=lambda member: member.name)
    _check(members)
    strings = _Strings()
    kind_rows = [KIND.pack(*strings.add(kind)) for kind in kinds]
    blob_numbers: dict[bytes, int] = {}
    shapes = sorted(
        {(member.shader, _axes(member)) for member in members},
        key=lambda shape: (text_hash(shape[0]), -len(shape[1]), shape),
    )
    groups = {shape: number for number, shape in enumerate(shapes)}
    group_rows: list[bytes] = []
    axis_rows: list[bytes] = []
    for shader, axes in shapes:
        group_rows.append(GROUP.pack(text_hash(shader), *strings.add(shader), len(axis_rows), len(axes)))
        axis_rows += [AXIS.pack(text_hash(axis), *strings.add(axis)) for axis in axes]
    entries: list[tuple[int, bytes]] = []
    for member in members:
        numbers = []
        for kind in kinds:
            data = member.blobs.get(kind)
            numbers.append(NONE if data is None else blob_numbers.setdefault(data, len(blob_numbers)))
        key = key_of(member.shader, member.permutation)
        row = ENTRY.pack(
            key,
            groups[member.shader, _axes(member)],
            STAGES.get(member.stage, NONE),
            *strings.add(member.name),
            *strings.add(member.entry_point),
        )
        row += b"".join(number.to_bytes(4, "little") for number in numbers)
        entries.append((key, row.ljust(entry_size(len(kinds)), b"\0")))
    entries.sort()
    tables = [kind_rows, group_rows, axis_rows, [row for _, row in entries]]
    return _assembled(tables, list(blob_numbers), bytes(strings.data))


def _assembled(tables: list[list[bytes]], blobs: list[bytes], strings: bytes) -> bytes:
    """Concatenate header, tables, strings and blobs; return the bytes of the pack."""
    numbers = []
    at = HEADER.size
    for table in (*tables, [bytes(BLOB.size)] * len(blobs)):
        numbers += [len(table), at]
        at += sum(map(len, table))
        at += -at % 8
    strings_at = at
    at += len(strings) + (-len(strings) % 8)
    rows = []
    for blob in blobs:
        rows.append(BLOB.pack(at, len(blob)) if at <= NONE else b"")
        at += len(blob) + (-len(blob) % 4)
    if at > NONE:
        raise PackError(f"it would be {at} bytes long; offsets have 32 bits")
    data = bytearray(HEADER.pack(MAGIC, VERSION, at, *numbers, strings_at, len(strings)))
    for table in (*tables, rows):
        data += b"".join(table)
        data += bytes(-len(data) % 8)
    data += strings + bytes(-len(strings) % 8)
    for blob in blobs:
        data += blob + bytes(-len(blob) % 4)
    return bytes(data)


def _axes(member: Member) -> tuple[str, ...]:
    return tuple(sorted(name for name, _ in member.permutation))


def _check(members: list[Member]) -> None:
    keys: dict[int, Member] = {}
    for member in members:
        other = keys.setdefault(key_of(member.shader, member.permutation), member)
        if other is not member:
            raise PackError(f"`{other.name}` and `{member.name}` would be found under the same key")
