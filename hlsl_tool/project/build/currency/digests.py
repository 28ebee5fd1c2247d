"""Digests of files; a later build reads only the files again whose stamps have changed.

A stamp consists of a file's times, size and inode.  It identifies the content only if the file was old enough when it
was read: a file that was written within the same tick of the clock could be written again without a change of its stamp
(git calls such entries racily clean).  So a later build does not trust the digest of a file that was younger than
`AT_REST`, and reads the file once more.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from hlsl_tool.base.system.atomic_write import read_bytes
from hlsl_tool.base.system.paths import UP, is_there
from hlsl_tool.project.build.digest import digest

AT_REST = 2_000_000_000
"""Nanoseconds: the resolution of the coarsest clock of a file system (FAT's)."""

Entry = tuple[int, int, int, int, str]
"""Modification time, inode change time, size, inode; digest."""

Stamp = tuple[int, int, int, int]

LINK = "link"
"""The digest of `FOLDER/..` once a link has taken the place of FOLDER."""

UNTRUSTED = (-1, -1, -1, -1)


def stamp_of(path: str) -> Stamp | None:
    """Return the stamp of a file; `None` if the file does not exist."""
    try:
        return stamp_in(os.stat(path))
    except OSError:
        return None


def stamp_in(status: os.stat_result) -> Stamp:
    """Return the stamp (times, size and inode) from an `os.stat` result; a change of the content changes the stamp."""
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


class Digests:
    """Digests of files under a root."""

    def __init__(self, root: str, table: dict[str, Entry] | None = None) -> None:
        self.root = root
        self.cached: dict[str, str] = {}
        """Digests that this build has asked for, until they are forgotten."""
        self.seen: dict[str, Stamp] = {}
        """Stamps that `digest_stat` has met; within one build those of young files are good enough."""
        self.table = table if table is not None else {}
        """File → stamp and digest of the last look; missing files are not in it."""
        self.changed = False
        """True once the table was changed."""

    def digest_cached(self, name: str) -> str:
        """Return the digest of a file, computed at the first call only; empty if the file does not exist."""
        content = self.cached.get(name)
        if content is None:
            content = self.cached[name] = self.digest_fresh(name)
        return content

    def digest_fresh(self, name: str) -> str:
        """Return the current digest of a file; empty if the file does not exist.

        The file is read only if its stamp (times, size, inode) has changed.
        """
        path = os.path.join(self.root, name)
        if name.endswith(UP):
            return LINK if is_there(path) else ""
        stamp = stamp_of(path)
        if stamp is None:
            return ""
        entry = self.table.get(name)
        if entry is not None and entry[:4] == stamp:
            return entry[4]
        now = time.time_ns()
        data = read_bytes(path)
        if data is None:
            return ""
        content = digest(data)
        new = (*(stamp if max(stamp[:2]) + AT_REST < now else UNTRUSTED), content)
        if new != entry:
            self.table[name] = new
            self.changed = True
        return content

    def digest_stat(self, name: str) -> str:
        """Return the digest of a file; empty if the file does not exist.

        A cached digest is used unless the file's stamp (times, size, inode) has changed since the last call.
        """
        stamp = stamp_of(os.path.join(self.root, name))
        if stamp is None or self.seen.get(name) != stamp:
            self.cached.pop(name, None)
            if stamp is not None:
                self.seen[name] = stamp
        return self.digest_cached(name)

    def forget(self, names: Iterable[str] | None = None) -> None:
        """Drop the cached digests of ``names``, or of all files, so that `digest_cached` computes them again."""
        if names is None:
            self.cached.clear()
        else:
            for name in names:
                self.cached.pop(name, None)
