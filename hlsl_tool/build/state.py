"""What the last build left behind, as stamps: so that the next one sees with a `stat` a file that nothing is to be
done.

It lies beside the log.  It holds a digest and a stamp for every file that a record of the log mentions, every path that
was looked for in vain, and, once all shaders of a plan are current, the key of that plan and the stamp of the log.  If
plan, log, files and paths are as they were, so is every shader; neither the log nor the plan need be read then.

It says nothing that the log does not say: without it files are read, and that is all.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Container, Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from hlsl_tool.build.digests import Digests, Entry, stamp_of
from hlsl_tool.build.files import WriteError, read_bytes, write_atomic

if TYPE_CHECKING:
    from hlsl_tool.build.records import Record

STATE_NAME = ".hlsl_tool.state"
LOG_NAME = ".hlsl_tool.log"
FORMAT = f"state 2, Python {sys.version_info[0]}.{sys.version_info[1]}"

_SEAL = 16


def seal(content: Any, rest: bytes = b"") -> bytes:
    """Plain data, and bytes behind it, under a hash: what is torn or damaged is not read."""
    head = marshal.dumps(content)
    body = len(head).to_bytes(8, "little") + head + rest
    return blake2b(body, digest_size=_SEAL).digest() + body


def unseal(data: bytes | None) -> tuple[Any, bytes] | None:
    if data is None or len(data) < _SEAL + 8 or blake2b(data[_SEAL:], digest_size=_SEAL).digest() != data[:_SEAL]:
        return None
    size = int.from_bytes(data[_SEAL : _SEAL + 8], "little")
    return marshal.loads(data[_SEAL + 8 : _SEAL + 8 + size]), data[_SEAL + 8 + size :]


class State:
    """That of one output folder."""

    def __init__(self, root: str, output_dir: str) -> None:
        self.root = root
        self.path = os.path.join(root, output_dir, STATE_NAME)
        self.log = os.path.join(root, output_dir, LOG_NAME)
        found = unseal(read_bytes(self.path))
        good = found is not None and isinstance(found[0], dict) and found[0].get("format") == FORMAT
        self.content: dict[str, Any] = found[0] if found is not None and good else {}

    def table(self) -> dict[str, Entry]:
        """For `Digests`; its own, to be changed."""
        return dict(self.content.get("files", {}))

    def seconds(self) -> dict[str, float]:
        """Job → how long it was compiled."""
        return dict(self.content.get("seconds", {}))

    def keys(self) -> dict[str, str]:
        """Job → the key of its record, of those which SCons's own database knows."""
        return dict(self.content.get("keys", {}))

    def stale(self) -> list[str]:
        """Stale outputs that the last build found and that still exist (`stale_outputs`)."""
        return [path for path in self.content.get("stale", ()) if os.path.lexists(os.path.join(self.root, path))]

    def mentions(self, paths: Container[str]) -> bool:
        """Whether shaders read, looked for in vain, or came to one of these, which are in the case that the system
        compares."""
        root = self.root
        names = (name for key in ("files", "missing") for name in self.content.get(key, ()))
        return any(os.path.normcase(os.path.normpath(os.path.join(root, name))) in paths for name in names)

    def count(self, plan: str) -> int | None:
        """How many shaders the plan of this key has, if every one of them is current."""
        content = self.content
        if not content or content["plan"] != plan or content["log"] != stamp_of(self.log):
            return None
        files: dict[str, Entry] = content["files"]
        root, isabs = self.root + os.sep, os.path.isabs
        moved = []
        for name, entry in files.items():
            # `os.path.join` costs more than `stat`.
            try:
                found = os.stat(name if isabs(name) else root + name)
            except OSError:
                return None
            if (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino) != entry[:4]:
                moved.append(name)
        if any(os.path.exists(os.path.join(self.root, name)) for name in content["missing"]):
            return None
        if moved:  # touched, or too young to be trusted: the same text is the same
            digests = Digests(self.root, self.table())
            if any(digests.look(name) != files[name][4] for name in moved):
                return None
            if digests.changed:
                self._write({**content, "files": digests.table})
        return int(content["count"])

    def save(
        self, digests: Digests, seconds: dict[str, float], records: Iterable[Record], *, plan: str = "", count: int = 0,
        keys: dict[str, str] | None = None, stale: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Remember the stamps of what records mention; with ``plan``, that all its shaders, whose records these are,
        are current.  A file that somebody has written since they were found to be takes that back."""
        log = stamp_of(self.log)
        if log is None:
            return
        files: dict[str, Entry] = {}
        missing: dict[str, None] = {}
        for record in records:
            missing.update(dict.fromkeys(record.missing))
            for names in (record.files, record.outputs):
                for name, known in names.items():
                    entry = files.get(name) or digests.table.get(name)
                    if entry is None or entry[4] != known:  # written since it was last looked at
                        digests.look(name)
                        entry = digests.table.get(name)
                    if entry is not None:
                        files[name] = entry
                    if entry is None or entry[4] != known:
                        plan = ""
        content = {
            "format": FORMAT, "files": files, "missing": sorted(missing), "log": log, "seconds": seconds, "plan": plan,
            "count": count, "keys": keys or {}, "stale": list(stale),
        }  # fmt: skip
        before = self.content
        if not plan and before and all(before[key] == content[key] for key in ("files", "missing", "log", "stale")):
            return  # what was known of a plan holds
        if content != before:
            self._write(content)

    def _write(self, content: dict[str, Any]) -> None:
        try:
            write_atomic(self.path, seal(content))
        except WriteError:
            return  # the next build reads files in place of stamps
        self.content = content
