"""Digests of files, which are read again only where their stamps differ from those of the last build.

A stamp is what the file system says of a file: times, size, inode.  It stands for the content only if the file was at
rest when it was read: one that was written within the same tick of the clock could be written again without a change of
its stamp (git calls such entries racily clean).  So the digest of a file that is younger than `AT_REST` is not trusted
later, and the file is read once more.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from hlsl_tool.build.digest import digest
from hlsl_tool.system.atomic_write import read_bytes

AT_REST = 2_000_000_000
"""Nanoseconds: the coarsest clock of a file system that is in use (FAT's)."""

Entry = tuple[int, int, int, int, str]
"""Time of the content, time of the inode, size, inode; digest."""

UNTRUSTED = (-1, -1, -1, -1)


def stamp_of(path: str) -> tuple[int, int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


class Digests:
    """Digests of files under a root."""

    def __init__(self, root: str, table: dict[str, Entry] | None = None) -> None:
        self.root = root
        self.known: dict[str, str] = {}
        """Asked for in this build, until it is forgotten."""
        self.seen: dict[str, tuple[int, int, int, int]] = {}
        """The stamps that `now` has met, which may be those of young files: within one build that will do."""
        self.table = table if table is not None else {}
        """As of the last look at each file; empty digests are not in it."""
        self.changed = False
        """Whether the table is another than at the start."""

    def digest_cached(self, name: str) -> str:
        """Looked at once until it is forgotten.  Empty where there is no such file."""
        found = self.known.get(name)
        if found is None:
            found = self.known[name] = self.digest_fresh(name)
        return found

    def digest_fresh(self, name: str) -> str:
        """The digest of the file as it is at this moment."""
        path = os.path.join(self.root, name)
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
        found = digest(data)
        new = (*(stamp if max(stamp[:2]) + AT_REST < now else UNTRUSTED), found)
        if new != entry:
            self.table[name] = new
            self.changed = True
        return found

    def digest_stat(self, name: str) -> str:
        """As `get`, but should somebody have written the file since it was last read, that is noticed."""
        stamp = stamp_of(os.path.join(self.root, name))
        if stamp is None or self.seen.get(name) != stamp:
            self.known.pop(name, None)
            if stamp is not None:
                self.seen[name] = stamp
        return self.digest_cached(name)

    def forget(self, names: Iterable[str] | None = None) -> None:
        if names is None:
            self.known.clear()
        else:
            for name in names:
                self.known.pop(name, None)
