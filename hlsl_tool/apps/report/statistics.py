"""The duration of a build, from its log: by stage, shader and header; and the number of identical permutations."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.compiler.stopwatch import STAGES
from hlsl_tool.project.build.currency.log import Record, Records
from hlsl_tool.project.build.job import Job

VERSION = 1
_READING = ("preprocess", "parse")
"""Stages with a time that is divided among files in proportion to their size."""


@dataclass(slots=True)
class Shader:
    """The duration of compiling one shader."""

    name: str
    ms: float
    stages: dict[str, float]
    reused: str


@dataclass(slots=True)
class Header:
    """An included file: its size, its share of compile time, the cost of an edit, and the number of shaders."""

    name: str
    bytes: int = 0
    shaders: int = 0
    edit_ms: float = 0.0
    """The time in milliseconds of all shaders that include it: the most that an edit costs."""
    share_ms: float = 0.0
    """Milliseconds of preprocessing and parsing these shaders, in proportion to the size of the header."""


@dataclass(slots=True)
class Sharing:
    """The permutations of an entry point, and how many of their modules are distinct."""

    name: str
    permutations: int
    distinct: int
    """The number of different modules."""
    bytes: int
    distinct_bytes: int


@dataclass(slots=True)
class Statistics:
    """Durations by stage, shader and header; numbers of shaders from the store and of distinct modules."""

    built: int = 0
    missing: int = 0
    """The number of shaders without a record in the log."""
    reused: dict[str, int] = field(default_factory=dict)
    """Kind of key (`files`, `tokens`, `reach`) → number of shaders that the last build took from the store."""
    stages: dict[str, float] = field(default_factory=dict)
    shaders: list[Shader] = field(default_factory=list)
    headers: list[Header] = field(default_factory=list)
    sharing: list[Sharing] = field(default_factory=list)
    modules: int = 0
    distinct: int = 0
    bytes: int = 0
    distinct_bytes: int = 0

    @property
    def ms(self) -> float:
        """The milliseconds of all stages together."""
        return sum(self.stages.values())


def collect(root: str, jobs: Iterable[Job], records: Records) -> Statistics:
    """Return the statistics of jobs from their log records; sizes of files are the current ones."""
    jobs = list(jobs)
    statistics = Statistics()
    stages: dict[str, float] = {}
    headers: dict[str, Header] = {}
    sizes = _Sizes(root)
    entries: dict[str, list[tuple[str, int]]] = {}
    modules: dict[str, int] = {}
    for job in jobs:
        record = records.get(job.name)
        if record is None or not record.key:
            statistics.missing += 1
            continue
        statistics.built += 1
        if record.reused:
            statistics.reused[record.reused] = statistics.reused.get(record.reused, 0) + 1
        ms = sum(record.times.values())
        statistics.shaders.append(Shader(job.name, ms, record.times, record.reused))
        for stage, part in record.times.items():
            stages[stage] = stages.get(stage, 0.0) + part
        _count_headers(job, record, ms, headers, sizes)
        words = record.outputs.get(job.targets.get("spv", ""))
        if words is not None:
            size = sizes.get(job.targets["spv"])
            entries.setdefault(job.stem or job.name, []).append((words, size))
            modules[words] = size
            statistics.modules += 1
            statistics.bytes += size
    statistics.stages = {s: stages[s] for s in (*STAGES, *sorted(stages.keys() - set(STAGES))) if s in stages}
    statistics.shaders.sort(key=lambda shader: (-shader.ms, shader.name))
    statistics.headers = sorted(headers.values(), key=lambda header: (-header.share_ms, -header.edit_ms, header.name))
    statistics.sharing = [_shared(name, several) for name, several in sorted(entries.items()) if len(several) > 1]
    statistics.sharing.sort(key=lambda sharing: (sharing.distinct_bytes - sharing.bytes, sharing.name))
    statistics.distinct, statistics.distinct_bytes = len(modules), sum(modules.values())
    return statistics


def _count_headers(job: Job, record: Record, ms: float, headers: dict[str, Header], sizes: _Sizes) -> None:
    total = sum(map(sizes.get, record.files)) or 1
    reading = sum(record.times.get(stage, 0.0) for stage in _READING)
    for name in record.files:
        if name == job.source:
            continue
        header = headers.setdefault(name, Header(name, sizes.get(name)))
        header.shaders += 1
        header.edit_ms += ms
        header.share_ms += reading * sizes.get(name) / total


def _shared(name: str, modules: list[tuple[str, int]]) -> Sharing:
    return Sharing(name, len(modules), len(dict(modules)), sum(n for _, n in modules), sum(dict(modules).values()))


class _Sizes:
    def __init__(self, root: str) -> None:
        self.root = root
        self.by_name: dict[str, int] = {}

    def get(self, name: str) -> int:
        if name not in self.by_name:
            try:
                self.by_name[name] = os.path.getsize(os.path.join(self.root, name))
            except OSError:
                self.by_name[name] = 0
        return self.by_name[name]


# ------------------------------------------------------------------------------------------------------------- forms


def as_json(statistics: Statistics) -> str:
    """Return statistics as JSON text in the documented format; times are in milliseconds."""

    def ms(value: float) -> float:
        return round(value, 3)

    content: dict[str, Any] = {
        "version": VERSION,
        "shaders_built": statistics.built,
        "shaders_missing": statistics.missing,
        "reused": statistics.reused,
        "ms": ms(statistics.ms),
        "stages": {stage: ms(part) for stage, part in statistics.stages.items()},
        "shaders": [
            {"name": s.name, "ms": ms(s.ms), "stages": {n: ms(v) for n, v in s.stages.items()}, "reused": s.reused}
            for s in statistics.shaders
        ],
        "headers": [
            {"name": h.name, "bytes": h.bytes, "shaders": h.shaders, "edit_ms": ms(h.edit_ms),
             "share_ms": ms(h.share_ms)}
            for h in statistics.headers
        ],
        "modules": {"all": statistics.modules, "distinct": statistics.distinct, "bytes": statistics.bytes,
                    "distinct_bytes": statistics.distinct_bytes},
        "permutations": [
            {"name": e.name, "permutations": e.permutations, "distinct": e.distinct, "bytes": e.bytes,
             "distinct_bytes": e.distinct_bytes}
            for e in statistics.sharing
        ],
    }  # fmt: skip
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def as_text(statistics: Statistics, rows: int | None) -> str:
    """Return statistics as text tables with at most ``rows`` lines each; `None` for all."""
    counts = [f"{statistics.built} shaders built"]
    counts += [f"{statistics.missing} not"] if statistics.missing else []
    counts += [f"{sum(statistics.reused.values())} of them from the store the last time"] if statistics.reused else []
    lines = [f"{', '.join(counts)}; compiling them took {_seconds(statistics.ms)}"]
    widest = max((len(stage) for stage in statistics.stages), default=0)
    for stage, ms in statistics.stages.items():
        lines.append(f"  {stage:<{widest}}  {_seconds(ms):>9}  {ms / (statistics.ms or 1) * 100:5.1f} %")
    slowest = [[_seconds(s.ms), s.name, _main_stage(s)] for s in statistics.shaders if s.ms]
    lines += _section("slowest shaders", slowest, rows)
    lines += _section(
        "headers, by their part of preprocessing and parsing",
        [
            [_seconds(h.share_ms), h.name, f"{h.shaders} shaders, an edit costs up to {_seconds(h.edit_ms)}"]
            for h in statistics.headers
        ],
        rows,
    )
    lines += _section(
        "permutations that came to the same words",
        [
            [
                f"{e.permutations} → {e.distinct}",
                e.name,
                f"{e.bytes - e.distinct_bytes} bytes of {e.bytes} are repeated",
            ]
            for e in statistics.sharing
            if e.distinct < e.permutations
        ],
        rows,
    )
    if statistics.modules:
        modules = f"{statistics.modules} modules, {statistics.distinct} of them different"
        lines += ["", f"{modules}:  {statistics.distinct_bytes} of {statistics.bytes} bytes"]
    return "\n".join(lines) + "\n"


def _main_stage(shader: Shader) -> str:
    stage, ms = max(shader.stages.items(), key=lambda item: item[1])
    return f"{stage} {ms / (shader.ms or 1) * 100:.0f} %"


def _section(title: str, table: list[list[str]], rows: int | None) -> list[str]:
    if not table:
        return []
    shown = table if rows is None else table[:rows]
    widths = [max(len(row[column]) for row in shown) for column in range(len(table[0]))]
    lines = ["", title]
    for first, *others in shown:
        cells = [f"{text:<{width}}" for text, width in zip(others, widths[1:], strict=True)]
        lines.append(("  " + f"{first:>{widths[0]}}  " + "  ".join(cells)).rstrip())
    return lines + ([f"  … and {len(table) - len(shown)} more"] if len(table) > len(shown) else [])


def _seconds(ms: float) -> str:
    return f"{ms:.1f} ms" if ms < 1000 else f"{ms / 1000:.2f} s"
