"""The state file: stamps of all files, so that a build with nothing to do needs only one `stat` for each file.

It is stored beside the log.  It contains the digest and stamp of every file that the log mentions, every path that was
looked up and did not exist and, if a whole plan is up to date, the key of that plan and the stamp of the log.  If plan,
log, files and missing paths are unchanged, everything is up to date, and neither the log nor the plan is read.

The state file only repeats information of the log: without it, files are read again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from hlsl_tool.base.system.atomic_write import WriteError, read_own, write_own
from hlsl_tool.base.system.file_names import LOG_NAME
from hlsl_tool.base.system.paths import is_there, without_links
from hlsl_tool.project.build.currency.digests import Digests, Entry, stamp_in, stamp_of
from hlsl_tool.project.config.trust import fence

if TYPE_CHECKING:
    from hlsl_tool.project.build.currency.log import Record

STATE_NAME = ".hlsl_tool.state"
FORMAT = "state 3"

_SEAL = 32
"""Length of the hash in hexadecimal digits."""


def seal(head: dict[str, Any], rest: Any, key: bytes = b"") -> bytes:
    """Return a file of three lines: a hash of the rest, which detects damage, and ``head`` and ``rest`` as JSON.

    The hash uses the secret ``key``. Without a key anyone can make such a file, so the reader must check the types of
    the content.
    """
    lines = "\n".join(json.dumps(line, separators=(",", ":")) for line in (head, rest)).encode()
    return _hash(lines, key) + b"\n" + lines


def _hash(lines: bytes, key: bytes) -> bytes:
    return blake2b(lines, digest_size=_SEAL // 2, key=key).hexdigest().encode()


def unseal(data: bytes | None, key: bytes = b"") -> tuple[dict[str, Any], bytes] | None:
    """Check a file that `seal` made with the same key; return (its first JSON line decoded, its second one as bytes).

    `None` if the hash does not match.
    """
    if data is None or _hash(data[_SEAL + 1 :], key) != data[:_SEAL]:
        return None
    head, _, rest = data[_SEAL + 1 :].partition(b"\n")
    try:
        content = json.loads(head)
    except (ValueError, RecursionError):
        return None
    return (content, rest) if isinstance(content, dict) else None


Stamp = tuple[int, int, int, int]


class Content(NamedTuple):
    """The first line of a state file: stamps and digests of files, missing paths, and the plan that is up to date."""

    files: dict[str, Entry]
    missing: list[str]
    log: Stamp
    plan: str
    """Key of the plan of which everything is current; empty if there is none."""
    size: int
    """Number of shaders of that plan."""
    stale: list[str]
    """Stale outputs of the last build (`stale_outputs`)."""


class Details(NamedTuple):
    """The second line of a state file: durations and log keys of jobs; a build with nothing to do does not read it."""

    seconds: dict[str, float]
    keys: dict[str, str]


def _read_content(head: dict[str, Any]) -> Content | None:
    """Return the content of the first line; `None` if its types are wrong.

    Whole columns are checked at a time, for speed.
    """
    if head.get("format") != FORMAT:
        return None
    names, stamps, digests = head.get("names"), head.get("stamps"), head.get("digests")
    missing, log, plan, size, stale = (head.get(key) for key in ("missing", "log", "plan", "size", "stale"))
    if not (_all(names, str) and _all(digests, str) and _all(missing, str) and _all(log, int) and _all(stale, str)):
        return None
    if not isinstance(stamps, list) or len(stamps) != 4 or not all(_all(column, int) for column in stamps):
        return None
    if {len(names), len(digests)} != set(map(len, stamps)) or len(log) != 4:
        return None
    if not isinstance(plan, str) or type(size) is not int:
        return None
    files = dict(zip(names, zip(*stamps, digests, strict=True), strict=True))
    return Content(files, missing, tuple(log), plan, size, stale)


def _read_details(rest: bytes) -> Details:
    try:
        content = json.loads(rest)
        seconds, keys = content["seconds"], content["keys"]
        is_plain = _all(list(seconds.values()), float) and _all(list(keys.values()), str)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        is_plain = False
    return Details(seconds, keys) if is_plain else Details({}, {})


def _all(column: Any, kind: type) -> TypeGuard[list[Any]]:
    return isinstance(column, list) and set(map(type, column)) <= {kind}


def _is_same_content(one: Content, other: Content) -> bool:
    """Return whether two state files have equal digests, missing paths and stamp of the log.

    The stamps (times, size, inode) of other files are not compared.
    """
    if (one.missing, one.log) != (other.missing, other.log) or one.files.keys() != other.files.keys():
        return False
    return all(one.files[name][4] == entry[4] for name, entry in other.files.items())


def _sealed(content: Content, details: Details) -> bytes:
    columns = list(zip(*content.files.values(), strict=True)) or [()] * 5
    head = {
        "format": FORMAT,
        "names": list(content.files),
        "stamps": columns[:4],
        "digests": columns[4],
        "missing": content.missing,
        "log": content.log,
        "plan": content.plan,
        "size": content.size,
        "stale": content.stale,
    }
    return seal(head, details._asdict())


class State:
    """The state file of one output folder: reads it, answers queries about it, and writes a new one."""

    def __init__(self, root: str, output_dir: str) -> None:
        self.root = root
        self.below = fence(root, output_dir)
        self.path = os.path.join(root, output_dir, STATE_NAME)
        self.log = os.path.join(root, output_dir, LOG_NAME)
        lines = unseal(read_own(self.path))
        self.content = _read_content(lines[0]) if lines is not None else None
        self._rest = lines[1] if lines is not None else b""

    @cached_property
    def details(self) -> Details:
        return _read_details(self._rest)

    def table(self) -> dict[str, Entry]:
        """Return a copy of the files' stamps and digests, for `Digests`."""
        return dict(self.content.files) if self.content is not None else {}

    def seconds(self) -> dict[str, float]:
        """Return job → seconds of its last compilation."""
        return dict(self.details.seconds)

    def keys(self) -> dict[str, str]:
        """Return job → key of its log record, for the records that SCons has confirmed."""
        return dict(self.details.keys)

    def stale(self) -> list[str]:
        """Return the stale outputs of the last build that still exist."""
        stale = self.content.stale if self.content is not None else []
        return [path for path in stale if os.path.lexists(os.path.join(self.root, path))]

    def mentions(self, paths: Container[str]) -> bool:
        """Return whether a job read, wrote or looked for one of ``paths`` (absolute, in the platform's normal case)."""
        root, content = self.root, self.content
        names = (*content.files, *content.missing) if content is not None else ()
        return any(os.path.normcase(without_links(os.path.join(root, name))) in paths for name in names)

    def count(self, plan: str) -> int | None:
        """Return the number of shaders of the plan with key ``plan`` if everything in it is up to date, else `None`."""
        content = self.content
        if content is None or content.plan != plan or content.log != stamp_of(self.log):
            return None
        files = content.files
        root, isabs = self.root + os.sep, os.path.isabs
        moved = []
        for name, entry in files.items():
            # `os.path.join` costs more than `stat`.
            try:
                status = os.stat(name if isabs(name) else root + name)
            except (OSError, ValueError):
                return None
            if stamp_in(status) != entry[:4]:
                moved.append(name)
        if any(is_there(os.path.join(self.root, name)) for name in content.missing):
            return None
        if moved:  # touched, or too young to be trusted: compare the contents
            digests = Digests(self.root, self.table())
            if any(digests.digest_fresh(name) != files[name][4] for name in moved):
                return None
            if digests.changed:
                self._write(content._replace(files=digests.table), self.details)
        return content.size

    def save(
        self,
        digests: Digests,
        seconds: dict[str, float],
        records: Iterable[Record],
        *,
        plan: str = "",
        count: int = 0,
        keys: dict[str, str] | None = None,
        stale: Sequence[str] = (),
    ) -> None:
        """Write the stamps of all files that ``records`` mention.

        With ``plan`` (its key), also record that everything in that plan is up to date; ``records`` are then those of
        the plan. If a file changed after its digest was recorded, the plan is not stored.
        """
        log = stamp_of(self.log)
        if log is None:
            return
        files: dict[str, Entry] = {}
        missing: dict[str, None] = {}
        for record in records:
            missing.update(dict.fromkeys(record.missing))
            for names in (record.files, record.outputs):
                for name, digest in names.items():
                    entry = files.get(name) or digests.table.get(name)
                    if entry is None or entry[4] != digest:  # written since it was last looked at
                        digests.digest_fresh(name)
                        entry = digests.table.get(name)
                    if entry is not None:
                        files[name] = entry
                    if entry is None or entry[4] != digest:
                        plan = ""
        content = Content(files, sorted(missing), log, plan, count, list(stale))
        details = Details(seconds, keys or {})
        before = self.content
        if not plan and before is not None and _is_same_content(before, content):
            # The plan is still current; files that were too young to be trusted may be at rest now.
            content, details = content._replace(plan=before.plan, size=before.size), self.details
        if content != before or details != self.details:
            self._write(content, details)

    def _write(self, content: Content, details: Details) -> None:
        try:
            write_own(self.path, _sealed(content, details), below=self.below)
        except WriteError:
            return  # the next build reads files in place of stamps
        self.content, self.details = content, details
