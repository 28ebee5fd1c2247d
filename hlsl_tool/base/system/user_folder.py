"""The user's cache folder, and checks of private files.

Clients of the server import this module, so it imports next to nothing.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def user_folder(env: Mapping[str, str] | None = None) -> str:
    """Return hlsl_tool's folder in the system's cache folder of the user; a relative path if there is no home."""
    env = os.environ if env is None else env
    if sys.platform == "win32":
        base = env.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = env.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "hlsl_tool")


def is_private(path: str, rights: int = 0o077) -> bool:
    """Return whether a file or folder belongs to this user and grants others none of these rights.

    Links are not followed.
    """
    if not hasattr(os, "geteuid"):  # Windows: the folder's rights decide
        return True
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return status.st_uid == os.geteuid() and not status.st_mode & rights
