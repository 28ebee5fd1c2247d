"""The log of an output folder: the digests of all inputs and outputs of each job.

SCons writes its own signature database only when it exits.  A build that is killed, or a watcher that runs at the same
time, therefore changes outputs without SCons's knowledge; the log records such changes.  A line of JSON is appended
before outputs are replaced (an empty record) and another one right after; the last line of a job wins, and a truncated
last line is ignored.  A record is *confirmed* once SCons has written its database; until then SCons's action compares
the outputs.

The log also stores the dependency trace, so that a build with nothing to do need not preprocess anything.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterable
from typing import Any

from hlsl_tool.base.system.atomic_write import WriteError, append_own, read_own, remove_own, write_own
from hlsl_tool.base.system.dataclass import dataclass, field

FORMAT = 1
COMPACT_FACTOR = 4
COMPACT_SLACK = 64
"""A log is compacted when it has more than `COMPACT_FACTOR` lines a job, and `COMPACT_SLACK` lines more."""


@dataclass(slots=True)
class Record:
    """Inputs and outputs of the last build of a job."""

    key: str = ""
    """Hash of options, tools and dependency trace; empty while the outputs are being replaced."""
    cache_key: str = ""
    """Hash of options and tools: the dependency trace is valid only under the same one."""
    files: dict[str, str] = field(default_factory=dict)
    """Every file that was read → digest of its content."""
    missing: list[str] = field(default_factory=list)
    """Every path that was looked up and did not exist."""
    outputs: dict[str, str] = field(default_factory=dict)
    """Every output → digest of its content."""
    is_confirmed: bool = False
    """Whether SCons's database agrees with this record."""
    interface: dict[str, Any] | None = None
    """Inputs and outputs of a graphics stage, for link checks; `None` for other shaders."""
    lines: list[str] = field(default_factory=list)
    """Options and tools (`Job.explained_lines`), to explain a later rebuild."""
    causes: list[str] = field(default_factory=list)
    """Reasons of the last build."""
    times: dict[str, float] = field(default_factory=dict)
    """Stage of the compiler → milliseconds, when it was last compiled."""
    reused: str = ""
    """`JobResult.reused` of the last build: the kind of key under which the store had the result."""
    origin: str = ""
    """The configuration that asks for the job, from the root: builds that read it may remove its stale outputs."""
    diagnostics: list[Any] = field(default_factory=list)
    """Warnings of the last build as plain data (`plain_diagnostics`), for reports about jobs that are up to date."""


class Records:
    """The log of one output folder."""

    def __init__(self, path: str, only: Iterable[str] | None = None, *, below: str = "") -> None:
        """Read the log at ``path``.

        ``only``: names of the records to read, for a process that only appends and never rewrites the log.  ``below``:
        a folder; a log that lies outside of it through a symbolic link is not written.
        """
        self.path = path
        self.below = below
        self.starts = None if only is None else tuple(_start(name).encode() for name in only)
        self.by_name: dict[str, Record] = {}
        self.lines = 0
        self.is_torn = False
        """Whether the last line was cut off by a kill, so that the next one needs a new line before it."""
        self.failed = ""
        self._read()

    def _read_again(self) -> None:
        """Reread the log, to which other processes may have appended."""
        self.by_name, self.lines = {}, 0
        self._read()

    def _read(self) -> None:
        data = read_own(self.path)
        if data is None:
            self._make_way()
            return
        lines = data.split(b"\n")
        self.is_torn = bool(lines[-1])
        if not lines[-1]:
            lines.pop()
        self.lines = len(lines)
        for line in lines:
            if self.starts is not None and not line.startswith(self.starts):
                continue
            try:
                name, record = _decode(json.loads(line.decode()))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue  # torn by a kill, or of another version: the job is built again
            self.by_name[name] = record

    def _make_way(self) -> None:
        """Remove a symbolic link or a pipe that occupies the path of the log."""
        with contextlib.suppress(OSError):
            if not stat.S_ISREG(os.lstat(self.path).st_mode):
                remove_own(self.path, below=self.below)  # fails for a folder

    def get(self, name: str) -> Record | None:
        """Return the record of a job; `None` if it was never built."""
        return self.by_name.get(name)

    def put(self, name: str, record: Record) -> None:
        """Set the record of a job, in memory and on disk.

        A log that cannot be written raises no error here: the outputs in the same folder fail, too, and report it.
        """
        self.by_name[name] = record
        try:
            self._append(("\n" if self.is_torn else "") + _encode(name, record) + "\n")
            self.is_torn = False
            self.lines += 1
        except OSError as error:
            self.failed = error.strerror or str(error)

    def _append(self, line: str) -> None:
        """Append a line.  The file is opened each time because another process may have replaced it."""
        append_own(self.path, line.encode(), below=self.below)

    def confirm(self, names: Iterable[str]) -> None:
        """Mark the records of ``names`` as confirmed: SCons's database now agrees with the disk.

        Rewrite the log if needed.  The log is reread first, because a watcher may have appended to it.
        """
        if not os.path.exists(self.path):
            return
        own = {name: self.by_name[name] for name in names if name in self.by_name}
        self._read_again()
        changed = self.lines > 2 * len(self.by_name)
        for name, record in own.items():
            current = self.by_name.get(name)
            if current is not None and current.key == record.key and record.key and not current.is_confirmed:
                current.is_confirmed = changed = True
        if changed:
            self.rewrite()

    def drop(self, names: Iterable[str]) -> None:
        """Remove the records of ``names``, in memory and on disk."""
        self._read_again()
        for name in names:
            self.by_name.pop(name, None)
        self.rewrite()

    def compact(self) -> None:
        """Rewrite the log if it has several lines for each job; long-running processes call this from time to time."""
        if self.lines > COMPACT_FACTOR * len(self.by_name) + COMPACT_SLACK:
            self.confirm(())

    def rewrite(self) -> None:
        """Replace the log with one line for each job."""
        text = "".join(_encode(name, record) + "\n" for name, record in sorted(self.by_name.items()))
        try:
            write_own(self.path, text.encode(), below=self.below)
            self.lines = len(self.by_name)
        except WriteError as error:
            self.failed = error.reason


def _start(name: str) -> str:
    """Return the JSON text with which every line of the log about the job ``name`` starts."""
    return json.dumps({"v": FORMAT, "name": name}, separators=(",", ":"), ensure_ascii=False)[:-1] + ","


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
    if record.diagnostics:
        content["diagnostics"] = record.diagnostics
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
        list(content.get("diagnostics", ())),
    )
    return str(content["name"]), record


def _texts(content: Any) -> dict[str, str]:
    if type(content) is not dict or not set(map(type, content.values())) <= {str}:
        raise ValueError("no mapping of texts")
    return content


def _names(content: Any) -> list[str]:
    if type(content) is not list or not set(map(type, content)) <= {str}:
        raise ValueError("no list of texts")
    return content
