"""Read regular files only: reading a pipe may block forever, and a device may have no end."""

from __future__ import annotations

import errno
import os
import stat

from hlsl_tool.base.system.paths import extended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

MAX_SIZE = 64 << 20
"""Limit on the bytes of a source or configuration file."""

_FLAGS = (
    getattr(os, "O_NONBLOCK", 0)  # opening a pipe waits for its writer otherwise
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_KINDS = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a pipe"),
    (stat.S_ISSOCK, "it is a socket"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
)


def read_regular(path: str | os.PathLike[str], limit: int | None = None) -> bytes:
    """Return the content of a regular file; raise ``OSError`` for other paths, or for more than ``limit`` bytes."""
    with open(path, "rb", opener=open_regular) as stream:
        data = stream.read() if limit is None else _read(stream, limit + 1)
    if limit is not None and len(data) > limit:
        raise OSError(errno.EFBIG, f"it is larger than {limit >> 20} MiB")
    return data


def _read(stream: BinaryIO, most: int) -> bytes:
    """Return up to ``most`` bytes.

    The stream is read in parts, because `read` allocates memory for the requested number of bytes.
    """
    size = min(most, os.fstat(stream.fileno()).st_size + 1)
    data = stream.read(size)
    if len(data) == size < most:  # it has grown, or its system has no sizes, as /proc
        data += stream.read(most - size)
    return data


def is_binary(data: bytes) -> bool:
    """Return whether the content of a file is no text: its begin has a zero byte, and no mark of UTF-16."""
    return b"\0" in data[:8192] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))


def why_unreadable(path: str) -> str | None:
    """Return why an existing path cannot be read as a source; ``None`` if it can, or if it does not exist."""
    try:
        read_regular(path, MAX_SIZE)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        return error.strerror or str(error)
    return None


def shared_file(outputs: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the names of the first two outputs (name, path) that are the same file; `None` if all are different.

    Symbolic and hard links are resolved.  Empty paths, and devices such as `/dev/null`, are ignored.
    """
    seen: dict[object, str] = {}
    for name, path in outputs:
        if not path:
            continue
        identity: object = os.path.realpath(path)
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            pass
        else:
            if not stat.S_ISREG(status.st_mode):
                continue
            identity = status.st_dev, status.st_ino
        if identity in seen:
            return seen[identity], name
        seen[identity] = name
    return None


def open_regular(path: str, flags: int) -> int:
    """An ``opener`` for `open` that only accepts regular files; raises ``OSError`` for others, without blocking."""
    try:
        descriptor = os.open(extended(path), flags | _FLAGS, 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO:  # sockets and unconnected devices
            raise OSError(errno.EINVAL, "it is a socket") from None
        raise
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    kind = next((words for is_kind, words in _KINDS if is_kind(mode)), "it is no regular file")
    raise OSError(errno.EINVAL, kind)
