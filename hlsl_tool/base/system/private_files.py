"""Small files in the user's cache folder that no other user can read or write."""

from __future__ import annotations

import os

from hlsl_tool.base.system.atomic_write import WriteError, read_own, write_own
from hlsl_tool.base.system.user_folder import is_private, make_private, user_folder


def read_private(name: str) -> bytes | None:
    """Return the content of the file ``name`` in the user's cache folder.

    `None` if it does not exist, or if another user could have written it.
    """
    path = os.path.join(user_folder(), name)
    return read_own(path) if os.path.isabs(path) and is_private(path) else None


def write_private(name: str, data: bytes) -> bool:
    """Write the file ``name`` in the user's cache folder; return whether that was possible.

    It is impossible without a home folder, and if another user owns the cache folder.
    """
    folder = user_folder()
    if not os.path.isabs(folder):  # there is no home
        return False
    try:
        make_private(folder)  # also in a folder that others can read: its files are private
        write_own(os.path.join(folder, name), data, mode=0o600)
    except (OSError, WriteError):
        return False
    return True
