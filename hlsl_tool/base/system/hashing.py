"""blake2b as in `hashlib`, but without loading OpenSSL, which takes as long as parsing a small shader."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:  # an implementation of Python without this module
    from hashlib import blake2b

__all__ = ["blake2b"]
