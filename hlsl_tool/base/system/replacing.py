"""Replace files by renaming: retry while a program has the old file open; let a program write the new file."""

from __future__ import annotations

import contextlib
import errno
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DELAYS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between attempts: virus scanners and indexers close a file soon, a game that maps it does not."""

_HELD = (5, 32, 33, 1224)
"""Windows: access denied, sharing violation, lock violation, a mapped section is open."""


def replace_file(source: str, target: str) -> None:
    """Rename ``source`` to ``target``, replacing an existing file; raise ``OSError``.

    On Windows, a file that another program has open cannot be replaced: retry for a while, then raise an error that
    says so.
    """
    for delay in (*DELAYS, None):
        try:
            os.replace(source, target)
            return
        except PermissionError as error:
            if getattr(error, "winerror", None) not in _HELD:
                raise
            if delay is None:
                reason = "another program holds the file open, or it is read-only"
                raise PermissionError(errno.EACCES, reason, target) from error
            time.sleep(delay)


@contextlib.contextmanager
def written_by_program(path: str, mode: int) -> Iterator[str]:
    """Yield a temporary name for a program to write to; then set the mode of the file and rename it. Raise OSError.

    ``path`` is in a private folder, or in a new one. The temporary file is removed after an exception.
    """
    scratch = f"{path}.{os.getpid()}"
    try:
        yield scratch
        os.chmod(scratch, mode)
        replace_file(scratch, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(scratch)
