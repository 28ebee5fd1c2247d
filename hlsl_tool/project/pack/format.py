"""Records and keys of pack files; `docs/how-to/pack.md` describes the bytes. All numbers are little-endian."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from hlsl_tool.base.system.dataclass import dataclass

MAGIC = b"HLSLPACK"
VERSION = 1
NONE = 0xFFFF_FFFF
SUFFIX = ".hlslpack"

HEADER = struct.Struct("<8sII 2I 2I 2I 2I 2I 2I")
"""Magic, version, size; then (count, offset) of kinds, groups, axes, entries and blobs; (offset, size) of strings."""
KIND = struct.Struct("<II")  # its text
GROUP = struct.Struct("<Q II II")  # hash of the shader's name, its text, first axis, number of axes
AXIS = struct.Struct("<Q II")  # hash of the macro's name, its text
ENTRY = struct.Struct("<Q I I II II")  # key, group, stage, name, entry point; numbers of blobs follow
BLOB = struct.Struct("<II")  # offset, size

STAGES = {
    "vertex": 0,
    "tessellation control": 1,
    "tessellation evaluation": 2,
    "geometry": 3,
    "fragment": 4,
    "compute": 5,
    "task": 5364,
    "mesh": 5365,
    "library": NONE,
}
"""Stage, as the manifest has it → execution model of SPIR-V."""

_MASK = (1 << 64) - 1


class PackError(Exception):
    """Raised if a pack cannot be written; the message is the reason."""


class BadPack(Exception):
    """Raised for bytes that are not a pack, or a damaged one."""


@dataclass(slots=True)
class Member:
    """One permutation of a shader, with its outputs, to be written into a pack."""

    name: str
    shader: str
    """The name without the permutation."""
    permutation: tuple[tuple[str, str], ...]
    stage: str
    entry_point: str
    blobs: dict[str, bytes]
    """Kind of output → content."""


def entry_size(kinds: int) -> int:
    """Return the size in bytes of an entry's record, which lists ``kinds`` blob numbers; a multiple of eight."""
    return (ENTRY.size + 4 * kinds + 7) & ~7


def text_hash(text: str) -> int:
    """Return a 64-bit hash of a text: FNV-1a over its UTF-8 bytes, then MurmurHash3's final mixing step."""
    value = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogateescape"):
        value = (value ^ byte) * 0x100000001B3 & _MASK
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & _MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    return value ^ value >> 33


def key_of(shader: str, permutation: Iterable[tuple[str, str]]) -> int:
    """Return the key of a permutation: the sum of the hashes of its shader's name and of each `MACRO=VALUE`.

    The order of the macros does not matter.
    """
    return (text_hash(shader) + sum(text_hash(f"{name}={value}") for name, value in permutation)) & _MASK
