"""Blobs of permutations, as ShaderMake writes them and the loaders of NVRHI's engines read them.

A blob is the signature `NVSP`, and for each permutation the sizes of its key and of its binary (two little-endian words
of 32 bits), the key, and the binary.  A key is `NAME=value` for each macro, sorted by name, with spaces between.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

SIGNATURE = b"NVSP"
_SIZES = struct.Struct("<II")


def permutation_key(permutation: Iterable[tuple[str, str]]) -> str:
    """Return the key of a permutation: empty if no macro is defined."""
    return " ".join(f"{name}={value}" for name, value in sorted(permutation))


def write_blob(members: Sequence[tuple[str, bytes]]) -> bytes:
    """Return the blob of (key, binary) pairs; the binary itself for one without a key."""
    if len(members) == 1 and not members[0][0]:
        return members[0][1]
    parts = [SIGNATURE]
    for key, binary in members:
        name = key.encode()
        parts += [_SIZES.pack(len(name), len(binary)), name, binary]
    return b"".join(parts)
