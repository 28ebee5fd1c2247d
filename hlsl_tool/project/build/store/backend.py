"""The interface of a back end of the store, and the format of index entries.

As in Bazel's caches there are two kinds of content.  *Blobs* (`cas`) are stored by the SHA-256 of their content.
*Index entries* (`ac`, action cache) are stored by a key, and list the hashes of blobs; they are `ActionResult` messages
of the Remote Execution API.  The server bazel-remote checks them, and returns one only while it has all blobs that its
field `output_files` lists.  So small blobs, which the entry contains, are in `stdout_raw`: to store a typical result
takes one request.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from hashlib import sha256
from typing import Literal, NamedTuple, Protocol

Kind = Literal["ac", "cas"]

MAX_BLOB = 1 << 28
"""Limit on the bytes of a blob: outputs of shaders are smaller, and a server must not fill the memory."""


class Unavailable(Exception):
    """Raised if a back end does not answer or cannot store; the text is the reason, for the user."""

    def __init__(self, reason: str, *, weight: int = 1) -> None:
        super().__init__(reason)
        self.weight = weight
        """Weight towards giving the place up: a timeout counts more than a quick refusal."""


class Backend(Protocol):
    """Stores bytes by kind and key.  Several threads use it at a time; every method may raise `Unavailable`."""

    name: str
    """The name of the place in messages."""
    read_only: bool
    is_remote: bool
    """Whether stored bytes leave this machine's file systems."""
    inline_size: int
    """Bytes of the largest blob that index entries contain."""

    def get(self, kind: Kind, key: str) -> bytes | None:
        """Return the bytes; `None` if the back end does not have them."""
        ...

    def put(self, kind: Kind, key: str, data: bytes) -> None:
        """Store bytes."""
        ...

    def has(self, kind: Kind, key: str, data: bytes) -> bool:
        """Return whether the back end has exactly these bytes; False if a check costs more than writing them."""
        ...

    def drop(self, kind: Kind, key: str) -> None:
        """Remove bytes that turned out to be wrong, if the back end can remove anything."""

    def close(self) -> None:
        """Close connections and folders."""
        ...


def content_key(data: bytes) -> str:
    """Return the key of a blob: the SHA-256 of its content in hexadecimal."""
    return sha256(data).hexdigest()


# ------------------------------------------------------------------------------------------- index entries
# build.bazel.remote.execution.v2: ActionResult.output_files = 2, .stdout_raw = 5; OutputFile.path = 1, .digest = 2,
# .contents = 5; Digest.hash = 1, .size_bytes = 2.  Protocol buffers, encoding: tag = field << 3 | wire type.

_HASH = re.compile(r"[0-9a-f]{64}")


class Named(NamedTuple):
    """A blob that an index entry refers to."""

    hash: str
    contents: bytes | None
    """The blob itself, if the entry contains it."""


def index_entry(blobs: dict[str, bytes], *, inline: Collection[str] = ()) -> bytes:
    """Encode an index entry that refers to ``blobs`` by name; it contains the bytes of those in ``inline``."""
    listed, contained = bytearray(), bytearray()
    for name, data in blobs.items():
        digest = _field(1, content_key(data).encode()) + (b"\x10" + _varint(len(data)) if data else b"")
        file = _field(1, name.encode()) + _field(2, digest)
        if name in inline:
            contained += _field(2, file + _field(5, data))
        else:
            listed += _field(2, file)
    return bytes(listed) + (_field(5, bytes(contained)) if contained else b"")


def indexed(entry: bytes) -> dict[str, Named]:
    """Decode an index entry: return name → blob; raise ValueError for bytes that are no index entry."""
    blobs: dict[str, Named] = {}
    for number, value in _fields(entry):
        if number == 5 and isinstance(value, bytes):
            blobs.update(indexed(value))
        if number != 2 or not isinstance(value, bytes):
            continue  # other programs may add other fields
        file = dict(_fields(value))
        name, digest = file.get(1), file.get(2)
        if not isinstance(name, bytes) or not isinstance(digest, bytes):
            raise ValueError("a file without a name or digest")
        key = dict(_fields(digest)).get(1)
        if not isinstance(key, bytes) or not _HASH.fullmatch(key.decode("ascii", "replace")):
            raise ValueError("a digest without a hash")
        contents = file.get(5)
        blobs[name.decode()] = Named(key.decode(), contents if isinstance(contents, bytes) else None)
    return blobs


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """Decode a protobuf message: return (field number, value) of each field; raise ValueError if it is truncated."""
    fields: list[tuple[int, int | bytes]] = []
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = _read_varint(data, at)
            fields.append((tag >> 3, value))
            continue
        size, at = (8, at) if wire == 1 else (4, at) if wire == 5 else _read_varint(data, at)
        if wire not in (1, 2, 5) or at + size > len(data):
            raise ValueError("not an entry")
        fields.append((tag >> 3, data[at : at + size]))
        at += size
    return fields


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("not an entry")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
