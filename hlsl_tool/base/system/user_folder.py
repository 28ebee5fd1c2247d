"""The user's cache folder, and private folders. Clients of the server import this module: it imports next to nothing.

The user chooses the path of a private folder, which may have symbolic links. Only the user can create files in it, so
that its files are opened by their paths and not by descriptors of the folders around them (`folders`).
"""

from __future__ import annotations

import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from socket import socket

_FLAGS: int = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


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


def make_private(folder: str, rights: int = 0o077) -> bool:
    """Make a folder, unless it exists; return whether it is private. Raise OSError.

    A private folder belongs to this user, and grants others none of ``rights``, which are permission bits.
    """
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return is_private(folder, rights)


def open_private(path: str) -> int:
    """Open a file of a private folder for reading and writing, and make it. Raise OSError, also for a link."""
    return os.open(path, _FLAGS, 0o600)


def touch_private(path: str) -> float:
    """Set the time of a file of a private folder to now; return its time before, 0 if it is new. Raise OSError."""
    try:
        before = os.lstat(path).st_mtime
    except FileNotFoundError:
        before = 0.0
    descriptor = open_private(path)
    try:
        os.utime(descriptor)
    finally:
        os.close(descriptor)
    return before


def bind_private(listener: socket, path: str) -> None:
    """Bind a socket to a path in a private folder, in place of an earlier socket or link.

    Raise OSError, also for any other file at this path, which is not ours.
    """
    remove_private(path)
    listener.bind(path)


def remove_private(path: str) -> None:
    """Remove a socket or link of a private folder, if it exists. Raise OSError; leave other files alone."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISSOCK(mode) or stat.S_ISLNK(mode):
        os.unlink(path)
