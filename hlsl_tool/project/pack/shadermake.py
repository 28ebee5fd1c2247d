"""Blobs of permutations in the format that ShaderMake writes, and that the loaders of NVRHI's engines read.

A blob is the signature `NVSP`, followed for each permutation by the sizes of its key and of its binary (two
little-endian words of 32 bits), the key, and the binary. A key is `NAME=value` for each macro, sorted by name,
separated by spaces.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

SIGNATURE = b"NVSP"
_SIZES = struct.Struct("<II")


def permutation_key(permutation: Iterable[tuple[str, str]]) -> str:
    """Return the key of a permutation; `""` if it defines no macro."""
    return " ".join(f"{name}={value}" for name, value in sorted(permutation))


def write_blob(members: Sequence[tuple[str, bytes]]) -> bytes:
    """Return the blob for (key, binary) pairs; for a single pair without a key, the binary itself."""
    if len(members) == 1 and not members[0][0]:
        return members[0][1]
    parts = [SIGNATURE]
    for key, binary in members:
        name = key.encode()
        parts += [_SIZES.pack(len(name), len(binary)), name, binary]
    return b"".join(parts)
