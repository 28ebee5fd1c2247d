"""A secret key of the user: state files signed with it were written by a build of the same user.

The key is created at its first use in the user's cache folder, readable by the user only. Where it cannot be stored
there is no key, and state that needs one is computed again each time.
"""

from __future__ import annotations

import os
from functools import cache

from hlsl_tool.system.atomic_write import WriteError, read_own, write_own
from hlsl_tool.system.user_folder import is_private, user_folder

SIZE = 32


@cache
def user_key() -> bytes | None:
    """Return the key of `SIZE` bytes; `None` if it cannot be stored or if another user could have written it."""
    folder = user_folder()
    if not os.path.isabs(folder):  # there is no home
        return None
    path = os.path.join(folder, "key")
    key = _read(path)
    if key is None:
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            write_own(path, os.urandom(SIZE), mode=0o600)
        except (OSError, WriteError):
            return None
        key = _read(path)
    return key


def _read(path: str) -> bytes | None:
    key = read_own(path)
    return key if key is not None and len(key) == SIZE and is_private(path) else None
