"""blake2b as in `hashlib`, but without loading OpenSSL, which takes as long as parsing a small shader."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # an implementation of Python without this module
    from hashlib import blake2b

__all__ = ["blake2b", "digest"]


def digest(data: bytes) -> str:
    """Return the hash of the content of a file as 32 hexadecimal digits."""
    return blake2b(data, digest_size=16).hexdigest()
