"""What the last build left behind, as stamps: so that the next one sees with a `stat` a file that nothing is to be
done.

It lies beside the log.  It holds a digest and a stamp for every file that a record of the log mentions, every path that
was looked for in vain, and, once all shaders of a plan are current, the key of that plan and the stamp of the log.  If
plan, log, files and paths are as they were, so is every shader; neither the log nor the plan need be read then.

It says nothing that the log does not say: without it files are read, and that is all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from hlsl_tool.build.currency.digests import Digests, Entry, stamp_of
from hlsl_tool.system.atomic_write import WriteError, read_own, write_own
from hlsl_tool.system.file_names import LOG_NAME

if TYPE_CHECKING:
    from hlsl_tool.build.currency.log import Record

STATE_NAME = ".hlsl_tool.state"
FORMAT = "state 3"

_SEAL = 32
"""Letters."""


def seal(head: dict[str, Any], rest: Any, key: bytes = b"") -> bytes:
    """Two lines of JSON under a hash: what is torn or damaged is not read.

    Without a key the hash says nothing of who wrote the file: whoever reads it checks the shape of what is in it.
    """
    lines = "\n".join(json.dumps(each, separators=(",", ":")) for each in (head, rest)).encode()
    return _hash(lines, key) + b"\n" + lines


def _hash(lines: bytes, key: bytes) -> bytes:
    return blake2b(lines, digest_size=_SEAL // 2, key=key).hexdigest().encode()


def unseal(data: bytes | None, key: bytes = b"") -> tuple[dict[str, Any], bytes] | None:
    """(first line, the second as it is); none for what is damaged, or was not written by `seal` with this key."""
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
    """What a state file says."""

    files: dict[str, Entry]
    missing: list[str]
    log: Stamp
    plan: str
    """Key of the plan whose shaders are all current; empty if there is none."""
    size: int
    """How many shaders that plan has."""
    stale: list[str]
    """Stale outputs that the last build found (`stale_outputs`)."""


class Details(NamedTuple):
    """The part of a state file that only a build with something to do reads."""

    seconds: dict[str, float]
    keys: dict[str, str]


def _read_content(head: dict[str, Any]) -> Content | None:
    """Columns are checked as a whole: there are thousands of files."""
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


def _says_the_same(one: Content, other: Content) -> bool:
    """Whether the files have the same contents, whatever their stamps, and the log is the same."""
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
    """The state of one output folder."""

    def __init__(self, root: str, output_dir: str) -> None:
        self.root = root
        self.path = os.path.join(root, output_dir, STATE_NAME)
        self.log = os.path.join(root, output_dir, LOG_NAME)
        found = unseal(read_own(self.path))
        self.content = _read_content(found[0]) if found is not None else None
        self._rest = found[1] if found is not None else b""

    @cached_property
    def details(self) -> Details:
        return _read_details(self._rest)

    def table(self) -> dict[str, Entry]:
        """For `Digests`; its own, to be changed."""
        return dict(self.content.files) if self.content is not None else {}

    def seconds(self) -> dict[str, float]:
        """Job → how long it was compiled."""
        return dict(self.details.seconds)

    def keys(self) -> dict[str, str]:
        """Job → the key of its record, of those which SCons's own database knows."""
        return dict(self.details.keys)

    def stale(self) -> list[str]:
        """Stale outputs that the last build found and that still exist (`stale_outputs`)."""
        stale = self.content.stale if self.content is not None else []
        return [path for path in stale if os.path.lexists(os.path.join(self.root, path))]

    def mentions(self, paths: Container[str]) -> bool:
        """Whether shaders read, looked for in vain, or came to one of these, which are in the case that the system
        compares."""
        root, content = self.root, self.content
        names = (*content.files, *content.missing) if content is not None else ()
        return any(os.path.normcase(os.path.normpath(os.path.join(root, name))) in paths for name in names)

    def count(self, plan: str) -> int | None:
        """How many shaders the plan of this key has, if every one of them is current."""
        content = self.content
        if content is None or content.plan != plan or content.log != stamp_of(self.log):
            return None
        files = content.files
        root, isabs = self.root + os.sep, os.path.isabs
        moved = []
        for name, entry in files.items():
            # `os.path.join` costs more than `stat`.
            try:
                found = os.stat(name if isabs(name) else root + name)
            except (OSError, ValueError):
                return None
            if (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino) != entry[:4]:
                moved.append(name)
        if any(os.path.exists(os.path.join(self.root, name)) for name in content.missing):
            return None
        if moved:  # touched, or too young to be trusted: the same text is the same
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
                        digests.digest_fresh(name)
                        entry = digests.table.get(name)
                    if entry is not None:
                        files[name] = entry
                    if entry is None or entry[4] != known:
                        plan = ""
        content = Content(files, sorted(missing), log, plan, count, list(stale))
        details = Details(seconds, keys or {})
        before = self.content
        if not plan and before is not None and _says_the_same(before, content):
            # What was known of a plan holds; files that were too young to be trusted may have come to rest.
            content, details = content._replace(plan=before.plan, size=before.size), self.details
        if content != before or details != self.details:
            self._write(content, details)

    def _write(self, content: Content, details: Details) -> None:
        try:
            write_own(self.path, _sealed(content, details))
        except WriteError:
            return  # the next build reads files in place of stamps
        self.content, self.details = content, details
