"""Writing outputs so that a reader, or a build that was killed, never sees half a file."""

from __future__ import annotations

import contextlib
import os

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
    temporary = path + TEMPORARY_SUFFIX
    try:
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        if os.path.isdir(path):
            raise WriteError(path, "there is a folder of this name")
        with open(temporary, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise WriteError(path, error.strerror or str(error)) from error


def write_all(files: dict[str, bytes]) -> None:
    """Write several files of one shader: all are on disk under temporary names before the first takes its place, so
    that a full disk leaves the old set."""
    written: list[str] = []
    try:
        for path, data in files.items():
            folder = os.path.dirname(path)
            if folder:
                os.makedirs(folder, exist_ok=True)
            if os.path.isdir(path):
                raise WriteError(path, "there is a folder of this name")
            written.append(path)
            with open(path + TEMPORARY_SUFFIX, "wb") as stream:
                stream.write(data)
        for path in files:
            os.replace(path + TEMPORARY_SUFFIX, path)
    except (OSError, WriteError) as error:
        for path in written:
            with contextlib.suppress(OSError):
                os.remove(path + TEMPORARY_SUFFIX)
        if isinstance(error, WriteError):
            raise
        raise WriteError(error.filename or (written[-1] if written else ""), error.strerror or str(error)) from error


def read_bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return None
