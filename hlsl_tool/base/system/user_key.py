"""A secret key of the user: a state file signed with it was written by a build of the same user.

The key is created at its first use in the user's cache folder, readable only by the user.  If it cannot be stored,
there is no key, and state that needs one is recomputed each time.
"""

from __future__ import annotations

import os
from functools import cache

from hlsl_tool.base.system.private_files import read_private, write_private

SIZE = 32
_NAME = "key"


@cache
def user_key() -> bytes | None:
    """Return the key of `SIZE` bytes; `None` if it cannot be stored, or if another user could have written it."""
    key = _read()
    if key is None and write_private(_NAME, os.urandom(SIZE)):
        key = _read()
    return key


def _read() -> bytes | None:
    key = read_private(_NAME)
    return key if key is not None and len(key) == SIZE else None
