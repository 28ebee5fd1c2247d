"""Writing outputs so that a reader, or a build that was killed, never sees half a file."""

from __future__ import annotations

import contextlib
import os
import stat

TEMPORARY_SUFFIX = ".tmp~"
"""Added to the name of a file while it is written.  One name a file: what a killed build leaves, the next replaces."""


class WriteError(Exception):
    """A file cannot be written; `path` and `reason` are for the user."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


def write_atomic(path: str, data: bytes) -> None:
    """Write a file whole or not at all; the folder is made if need be."""
    write_all({path: data})


def write_all(files: dict[str, bytes]) -> None:
    """Write several files of one shader: all are on disk under temporary names before the first takes its place, so
    that a full disk leaves the old set.

    A symbolic link stays one: the file it leads to is written.  Devices and pipes (`/dev/null`) are written to, never
    replaced.
    """
    places: dict[str, str] = {}
    path = ""
    try:
        for path, data in files.items():
            if _is_special(path):
                with open(path, "wb") as stream:
                    stream.write(data)
                continue
            if os.path.isdir(path):
                raise WriteError(path, "there is a folder of this name")
            place = os.path.realpath(path) if os.path.islink(path) else path
            folder = os.path.dirname(place)
            if folder:
                os.makedirs(folder, exist_ok=True)
            places[path] = place
            with open(place + TEMPORARY_SUFFIX, "wb") as stream:
                stream.write(data)
        for path, place in places.items():  # noqa: B007  # named in the message
            os.replace(place + TEMPORARY_SUFFIX, place)
    except (OSError, WriteError) as error:
        for place in places.values():
            with contextlib.suppress(OSError):
                os.remove(place + TEMPORARY_SUFFIX)
        if isinstance(error, WriteError):
            raise
        raise WriteError(path, error.strerror or str(error)) from error


def _is_special(path: str) -> bool:
    """Does something exist there that is neither a file nor a folder?"""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def read_bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return None
