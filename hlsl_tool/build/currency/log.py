"""What each output on disk was built from.

SCons keeps signatures in its own database, which it writes when it ends: a build that is killed, or a watcher beside
it, changes outputs of which SCons knows nothing.  This log tells.  It is appended to right after outputs are replaced
(and before, that they are about to be), one JSON line each, and read back with the last line of a job winning; a torn
last line is passed over.  A record is *settled* once SCons has written its own database; until then SCons has to ask.

It also remembers which files a source included, so that a build with nothing to do need not preprocess anything.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hlsl_tool.system.atomic_write import WriteError, open_own, read_own, write_own

FORMAT = 1
COMPACT_FACTOR = 4
COMPACT_SLACK = 64
"""A log is compacted when it has more lines than so many a job, and so many more."""


@dataclass(slots=True)
class Record:
    """The last that happened to a job's outputs."""

    key: str = ""
    """Hash of all that decides the outputs; empty while they are being replaced."""
    cache_key: str = ""
    """Hash of that without the contents of files: under it the trace holds."""
    files: dict[str, str] = field(default_factory=dict)
    """Every file that was read → digest of its content."""
    missing: list[str] = field(default_factory=list)
    """Every path that was looked for and not there."""
    outputs: dict[str, str] = field(default_factory=dict)
    """Every output → digest of its content."""
    is_confirmed: bool = False
    interface: dict[str, Any] | None = None
    """What a stage hands over and takes, for the checks between stages; none for what is no stage of graphics."""
    lines: list[str] = field(default_factory=list)
    """The options and tools, as `Job.explained_lines` has them: for those who ask why."""
    causes: list[str] = field(default_factory=list)
    """Why it was built."""
    times: dict[str, float] = field(default_factory=dict)
    """Stage of the compiler → milliseconds, when it was last compiled."""
    reused: str = ""
    """As `JobResult.reused`: how the store had it the last time, if it did."""
    origin: str = ""
    """The configuration that asked for it, from the root: what decides who may remove the outputs as stale."""


class Records:
    """The log of one output folder."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.by_name: dict[str, Record] = {}
        self.lines = 0
        self.failed = ""
        self._read()

    def _read_again(self) -> None:
        """Forget what is known, and read what others have added meanwhile."""
        self.by_name, self.lines = {}, 0
        self._read()

    def _read(self) -> None:
        data = read_own(self.path)
        if data is None:
            self._make_way()
            return
        lines = data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        self.lines = len(lines)
        for line in lines:
            try:
                name, record = _decode(json.loads(line.decode()))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue  # torn by a kill, or of another version: the job is built again
            self.by_name[name] = record

    def _make_way(self) -> None:
        """Remove a link or a pipe that has the log's name."""
        with contextlib.suppress(OSError):
            if not stat.S_ISREG(os.lstat(self.path).st_mode):
                os.remove(self.path)  # fails for a folder

    def get(self, name: str) -> Record | None:
        return self.by_name.get(name)

    def put(self, name: str, record: Record) -> None:
        """Remember, on disk too.  Where the log cannot be written the outputs cannot either, and they complain."""
        self.by_name[name] = record
        try:
            self._append(_encode(name, record) + "\n")
            self.lines += 1
        except OSError as error:
            self.failed = error.strerror or str(error)

    def _append(self, line: str) -> None:
        """Opened for each line: another process may have put a new log in its place."""
        data = line.encode()
        try:
            with open(self.path, "ab", buffering=0, opener=open_own) as stream:
                stream.write(data)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
            with open(self.path, "ab", buffering=0, opener=open_own) as stream:
                stream.write(data)

    def confirm(self, names: Iterable[str]) -> None:
        """SCons's database agrees with the disk about these jobs: rewrite the log, one line a job.

        The log is read again first: a watcher may have added to it.
        """
        if not os.path.exists(self.path):
            return
        mine = {name: self.by_name[name] for name in names if name in self.by_name}
        self._read_again()
        changed = self.lines > 2 * len(self.by_name)
        for name, record in mine.items():
            known = self.by_name.get(name)
            if known is not None and known.key == record.key and record.key and not known.is_confirmed:
                known.is_confirmed = changed = True
        if changed:
            self.rewrite()

    def drop(self, names: Iterable[str]) -> None:
        """Remove records, on disk too: those of outputs that were removed."""
        self._read_again()
        for name in names:
            self.by_name.pop(name, None)
        self.rewrite()

    def compact(self) -> None:
        """Rewrite a log that has grown to several lines a job; whoever keeps adding to one calls it now and then."""
        if self.lines > COMPACT_FACTOR * len(self.by_name) + COMPACT_SLACK:
            self.confirm(())

    def rewrite(self) -> None:
        """Replace the log by one line a job."""
        text = "".join(_encode(name, record) + "\n" for name, record in sorted(self.by_name.items()))
        try:
            write_own(self.path, text.encode())
            self.lines = len(self.by_name)
        except WriteError as error:
            self.failed = error.reason


def _encode(name: str, record: Record) -> str:
    content = {
        "v": FORMAT,
        "name": name,
        "key": record.key,
        "decided": record.cache_key,
        "files": record.files,
        "missing": record.missing,
        "outputs": record.outputs,
        "settled": record.is_confirmed,
        **({"interface": record.interface} if record.interface is not None else {}),
        **({"lines": record.lines, "causes": record.causes} if record.lines else {}),
    }
    if record.times:
        content["times"] = {stage: round(ms, 3) for stage, ms in record.times.items()}
    if record.reused:
        content["reused"] = record.reused
    if record.origin:
        content["origin"] = record.origin
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False)


def _decode(content: Any) -> tuple[str, Record]:
    if content["v"] != FORMAT:
        raise ValueError("another version")
    record = Record(
        str(content["key"]),
        str(content["decided"]),
        _texts(content["files"]),
        _names(content["missing"]),
        _texts(content["outputs"]),
        content["settled"] is True,
        content.get("interface"),
        _names(content.get("lines", [])),
        _names(content.get("causes", [])),
        {str(stage): float(ms) for stage, ms in content.get("times", {}).items()},
        str(content.get("reused", "")),
        str(content.get("origin", "")),
    )
    return str(content["name"]), record


def _texts(found: Any) -> dict[str, str]:
    if type(found) is not dict or not set(map(type, found.values())) <= {str}:
        raise ValueError("no mapping of texts")
    return found


def _names(found: Any) -> list[str]:
    if type(found) is not list or not set(map(type, found)) <= {str}:
        raise ValueError("no list of texts")
    return found
