"""Servers of results that did not answer lately: builds leave them alone for some minutes.

A file for each in the user's cache folder, whose modification time is that of the failure.
"""

from __future__ import annotations

import contextlib
import os
import time
from binascii import crc32

from hlsl_tool.base.system.user_folder import make_private, touch_private, user_folder

REST = 300.0
"""Seconds for which a server is left alone."""


def _path(name: str) -> str:
    return os.path.join(user_folder(), "unreachable", f"{crc32(name.encode()):08x}")


def note(name: str) -> None:
    """Record that a server did not answer; without a cache folder it is tried again by each build."""
    path = _path(name)
    with contextlib.suppress(OSError):
        if make_private(os.path.dirname(path)):
            touch_private(path)


def remaining(name: str) -> float:
    """Return for how many more seconds a server is left alone; 0 if it is not."""
    try:
        age = time.time() - os.lstat(_path(name)).st_mtime
    except OSError:
        return 0.0
    return REST - age if 0 <= age < REST else 0.0
