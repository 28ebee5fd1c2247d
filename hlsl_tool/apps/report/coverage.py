"""Lines that no configured permutation compiles, from the conditional regions that the preprocessor skipped.

Each job is preprocessed again with its own options: `Visit.skipped` has the regions.  Jobs share the results for the
headers that they see alike, so this takes a fraction of the time of a build.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
from hlsl_tool.base.system.dataclass import asdict, dataclass, field
from hlsl_tool.base.system.paths import relative
from hlsl_tool.base.system.regular_files import MAX_SIZE, is_binary, read_regular
from hlsl_tool.compiler.preprocessing import preprocess_options
from hlsl_tool.frontend.preprocessor import PreprocessorMemory, preprocess
from hlsl_tool.frontend.preprocessor.inclusion.lookup import BUILTIN_PREFIX
from hlsl_tool.frontend.preprocessor.inclusion.visit import Include, Visit
from hlsl_tool.frontend.preprocessor.lexing.parsed import CLAUSES, CONDITIONS, Directive, Item, ParsedFile
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.config.permutation import Project

MAX_TEXT = 12
"""The number of lines of a region that the report shows."""


@dataclass(slots=True)
class Region:
    """Consecutive lines that no permutation compiles.  Lines are counted from 1."""

    first: int
    last: int
    lines: int
    """Number of its lines with code: without comments, empty lines and the directives of conditions."""
    condition: str
    """The directive that begins the region, such as `#if QUALITY > 2`; empty for a file that no shader reads."""
    text: list[str] = field(default_factory=list)
    """The first `MAX_TEXT` lines."""


@dataclass(slots=True)
class FileCoverage:
    """The lines of a file with code, and those that no permutation compiles."""

    name: str
    lines: int
    regions: list[Region] = field(default_factory=list)
    is_read: bool = True

    @property
    def left(self) -> int:
        """Number of lines that no permutation compiles."""
        return sum(region.lines for region in self.regions)


@dataclass(slots=True)
class Coverage:
    """The lines of a project's files, as far as permutations compile them."""

    files: list[FileCoverage]
    """Those with the most lines that no permutation compiles come first."""
    permutations: int
    """Number of permutations that were counted."""
    missing: list[tuple[str, str]]
    """(name, reason) of the permutations that were not: not built, or out of date."""

    @property
    def lines(self) -> int:
        """Number of lines with code."""
        return sum(file.lines for file in self.files)

    @property
    def left(self) -> int:
        """Number of lines that no permutation compiles."""
        return sum(file.left for file in self.files)

    def sentence(self) -> str:
        """Return the result in one line."""
        if not self.permutations:
            return f"no lines are counted: none of {len(self.missing)} permutations is up to date"
        share = f"{100 * (self.lines - self.left) / self.lines:.1f} %" if self.lines else "100 %"
        of = f"{self.permutations} of {self.permutations + len(self.missing)} permutations"
        return f"{share} of {self.lines} lines are compiled by {of}; {_counted(self.left)} by none"


def coverage(project: Project, jobs: Sequence[Job], missing: Sequence[tuple[str, str]]) -> Coverage:
    """Return the coverage of the files of a project by ``jobs``; ``missing`` is (name, reason) of the others.

    Files of the same kinds that no job reads, in the same folders, count as not compiled.
    """
    root = project.root
    fs, memory = CachedFileSystem(OSFileSystem(root)), PreprocessorMemory()
    files: dict[str, _File] = {}
    seen: set[int] = set()
    kept: list[Visit] = []  # ids of visits stay valid
    for job in jobs:
        path = fs.resolve(job.source)
        data = fs.read(path)
        if data is None:
            continue
        source = SourceFile.from_bytes(job.source, path, data)
        stream = preprocess(source, preprocess_options(job.options), fs=fs, memory=memory, sink=Sink())
        for visit in _visits(stream.main):
            if id(visit) in seen or visit.file.source.path.startswith(BUILTIN_PREFIX):
                continue
            seen.add(id(visit))
            kept.append(visit)
            files.setdefault(visit.file.source.path, _File(visit.file)).add(visit)
    rows = [file.coverage(relative(path, root)) for path, file in files.items()]
    rows += _unread(root, {row.name for row in rows}, os.path.join(root, project.output_dir), memory)
    return Coverage(sorted(rows, key=lambda row: (-row.left, row.name)), len(jobs), list(missing))


def _visits(main: Visit) -> Iterator[Visit]:
    """Yield the visit of a file and of all files that it includes."""
    todo = [main]
    while todo:
        visit = todo.pop()
        yield visit
        todo += (event.visit for _, event in visit.events if isinstance(event, Include))


class _File:
    """The items of a file that all visits so far have skipped."""

    def __init__(self, file: ParsedFile) -> None:
        self.file = file
        self.left: set[int] | None = None
        """Indices of items; ``None`` before the first visit."""

    def add(self, visit: Visit) -> None:
        """Remove the items that a visit has not skipped."""
        skipped = {index for first, end in visit.skipped for index in range(first, end)}
        self.left = skipped if self.left is None else self.left & skipped

    def coverage(self, name: str) -> FileCoverage:
        """Return the regions of the items that are left."""
        items = self.file.items
        lines = _Lines(self.file)
        row = FileCoverage(name, sum(len(lines.of(item)) for item in items))
        first = -1
        for index in range(len(items) + 1):
            is_left = self.left is not None and index in self.left
            if is_left and first < 0:
                first = index
            elif not is_left and first >= 0:
                numbers = [number for item in items[first:index] for number in lines.of(item)]
                if numbers:
                    row.regions.append(_region(self.file, numbers, _condition(items, first - 1)))
                first = -1
        return row


class _Lines:
    """Finds the lines with code of the items of a file."""

    def __init__(self, file: ParsedFile) -> None:
        self.file = file

    def of(self, item: Item) -> list[int]:
        """Return the numbers of the lines of an item; none for conditions, comments and empty lines."""
        if isinstance(item, Directive):
            if item.kind in CONDITIONS or item.kind in CLAUSES or not (item.kind or item.rest):
                return []
            return list(self._between(item.start, item.at + len(item.rest)))
        numbers: dict[int, None] = {}
        start = item.start
        for line in self.file.clean[item.start : item.end].split("\n"):
            text = line.strip()
            if text:
                at = start + line.index(text)
                numbers.update(dict.fromkeys(self._between(at, at + len(text))))
            start += len(line) + 1
        return list(numbers)

    def _between(self, start: int, end: int) -> range:
        """Return the lines from an offset of the text without comments to the character before another."""
        locate, physical = self.file.source.line_col, self.file.physical
        return range(locate(physical(start))[0], locate(physical(max(start, end - 1)))[0] + 1)


def _region(file: ParsedFile, numbers: Sequence[int], condition: str) -> Region:
    first, last = numbers[0], numbers[-1]
    text = [file.source.line_text(number) for number in range(first, min(last, first + MAX_TEXT - 1) + 1)]
    return Region(first, last, len(numbers), condition, text)


def _condition(items: Sequence[Item], index: int) -> str:
    """Return the directive at an index in one line; an `#else` names the condition that it belongs to."""
    item = items[index]
    if not isinstance(item, Directive):
        return ""
    text = f"#{item.kind} {item.rest}".rstrip()
    if item.kind != "else":
        return text
    for before in range(index - 1, -1, -1):
        opener = items[before]
        if isinstance(opener, Directive) and opener.kind in (*CONDITIONS, "elif") and opener.jump == index:
            return f"{text} of #{opener.kind} {opener.rest}".rstrip()
    return text


def _unread(root: str, read: Iterable[str], outputs: str, memory: PreprocessorMemory) -> list[FileCoverage]:
    """Return the files of the project that no permutation reads.

    They lie below the same folders of the project's root as files that are read, and have the same suffixes; the folder
    ``outputs`` has no sources.
    """
    names = {name for name in read if not name.startswith(("../", "/"))}
    suffixes = tuple({os.path.splitext(name)[1] for name in names} - {""})
    rows = []
    for top in sorted({name.partition("/")[0] for name in names if "/" in name}):
        for folder, inner, files in os.walk(os.path.join(root, top)):
            inner[:] = sorted(name for name in inner if not name.startswith(".") and not _is(folder, name, outputs))
            for file in sorted(files):
                path = os.path.join(folder, file)
                name = relative(path, root)
                if file.endswith(suffixes) and name not in names:
                    row = _whole(path, name, memory)
                    if row is not None:
                        rows.append(row)
    return rows


def _is(folder: str, name: str, path: str) -> bool:
    return os.path.abspath(os.path.join(folder, name)) == os.path.abspath(path)


def _whole(path: str, name: str, memory: PreprocessorMemory) -> FileCoverage | None:
    """Return a file of which no line is compiled; ``None`` if it cannot be read, is binary, or has no code."""
    try:
        data = read_regular(path, MAX_SIZE)
    except OSError:
        return None
    if is_binary(data):
        return None
    file = memory.parse_main(SourceFile.from_bytes(name, path, data))
    lines = _Lines(file)
    numbers = [number for item in file.items for number in lines.of(item)]
    if not numbers:
        return None
    return FileCoverage(name, len(numbers), [Region(numbers[0], numbers[-1], len(numbers), "")], is_read=False)


# ---------------------------------------------------------------- forms


def totals(result: Coverage) -> dict[str, Any]:
    """Return the numbers of lines, and the permutations that were not counted, as plain data."""
    return {
        "lines": result.lines,
        "not_compiled": result.left,
        "permutations": result.permutations,
        "not_counted": [{"name": name, "reason": reason} for name, reason in result.missing],
    }


def as_json(result: Coverage) -> str:
    """Return the coverage as JSON."""
    content = {
        "version": 1,
        **totals(result),
        "files": [
            {"name": file.name, "lines": file.lines, "not_compiled": file.left, "is_read": file.is_read}
            | {"regions": [{k: v for k, v in asdict(region).items() if k != "text"} for region in file.regions]}
            for file in result.files
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def as_text(result: Coverage) -> str:
    """Return the coverage as lines in the form `FILE:LINE: …`, which editors can follow."""
    lines = [result.sentence()]
    lines += [f"not counted: {name} ({reason})" for name, reason in result.missing]
    for file in result.files:
        if not file.is_read:
            lines.append(f"{file.name}: no permutation reads it, {_counted(file.left)}")
            continue
        for region in file.regions:
            lines.append(f"{file.name}:{region.first}: {region.condition}: {_counted(region.lines)}")
    return "\n".join(lines) + "\n"


def as_markdown(result: Coverage) -> str:
    """Return the coverage as a table of Markdown."""
    rows = [f"{result.sentence()}.", ""]
    rows += [f"- not counted: `{name}` ({reason})" for name, reason in result.missing]
    if result.left:
        rows += ["", "| File | Lines | Condition | Not compiled |", "|---|---|---|---:|"]
    for file in result.files:
        for region in file.regions:
            condition = f"`{region.condition}`" if file.is_read else "read by no permutation"
            rows.append(f"| `{file.name}` | {region.first}–{region.last} | {condition} | {region.lines} |")
    return "\n".join(rows) + "\n"


def _counted(number: int) -> str:
    return f"{number} line" if number == 1 else f"{number} lines"


FORMS = {"text": as_text, "json": as_json, "markdown": as_markdown}
