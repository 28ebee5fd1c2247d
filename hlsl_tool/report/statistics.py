"""Where a build's time went, by what its log tells: stages, shaders, headers, permutations that came to the same."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hlsl_tool.build.currency.log import Record, Records
from hlsl_tool.build.job import Job
from hlsl_tool.compiler.stopwatch import STAGES

VERSION = 1
_READING = ("preprocess", "parse")
"""Stages whose time is shared out among files by their length."""


@dataclass(slots=True)
class Shader:
    name: str
    ms: float
    stages: dict[str, float]
    reused: str


@dataclass(slots=True)
class Header:
    """A file that shaders include."""

    name: str
    bytes: int = 0
    shaders: int = 0
    edit_ms: float = 0.0
    """What all shaders that include it took together: what an edit of it costs at most."""
    share_ms: float = 0.0
    """Its part, by its length, of what it took to preprocess and parse these."""


@dataclass(slots=True)
class Sharing:
    """The permutations of an entry."""

    name: str
    permutations: int
    distinct: int
    """Different modules among them."""
    bytes: int
    distinct_bytes: int


@dataclass(slots=True)
class Statistics:
    built: int = 0
    missing: int = 0
    """Shaders that the log knows nothing of."""
    reused: dict[str, int] = field(default_factory=dict)
    """Key (`files`, `tokens`, `reach`) → shaders that the store had the last time."""
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
        return sum(self.stages.values())


def collect(root: str, jobs: Iterable[Job], records: Records) -> Statistics:
    """The statistics of jobs; sizes are those of files as they are now."""
    jobs = list(jobs)
    found = Statistics()
    stages: dict[str, float] = {}
    headers: dict[str, Header] = {}
    sizes = _Sizes(root)
    entries: dict[str, list[tuple[str, int]]] = {}
    modules: dict[str, int] = {}
    for job in jobs:
        record = records.get(job.name)
        if record is None or not record.key:
            found.missing += 1
            continue
        found.built += 1
        if record.reused:
            found.reused[record.reused] = found.reused.get(record.reused, 0) + 1
        ms = sum(record.times.values())
        found.shaders.append(Shader(job.name, ms, record.times, record.reused))
        for stage, part in record.times.items():
            stages[stage] = stages.get(stage, 0.0) + part
        _count_headers(job, record, ms, headers, sizes)
        words = record.outputs.get(job.targets.get("spv", ""))
        if words is not None:
            size = sizes.get(job.targets["spv"])
            entries.setdefault(job.stem or job.name, []).append((words, size))
            modules[words] = size
            found.modules += 1
            found.bytes += size
    found.stages = {s: stages[s] for s in (*STAGES, *sorted(stages.keys() - set(STAGES))) if s in stages}
    found.shaders.sort(key=lambda shader: (-shader.ms, shader.name))
    found.headers = sorted(headers.values(), key=lambda header: (-header.share_ms, -header.edit_ms, header.name))
    found.sharing = [_shared(name, several) for name, several in sorted(entries.items()) if len(several) > 1]
    found.sharing.sort(key=lambda each: (each.distinct_bytes - each.bytes, each.name))
    found.distinct, found.distinct_bytes = len(modules), sum(modules.values())
    return found


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
        self.known: dict[str, int] = {}

    def get(self, name: str) -> int:
        if name not in self.known:
            try:
                self.known[name] = os.path.getsize(os.path.join(self.root, name))
            except OSError:
                self.known[name] = 0
        return self.known[name]


# ------------------------------------------------------------------------------------------------------------- forms


def as_json(found: Statistics) -> str:
    def ms(value: float) -> float:
        return round(value, 3)

    content: dict[str, Any] = {
        "version": VERSION,
        "shaders_built": found.built,
        "shaders_missing": found.missing,
        "reused": found.reused,
        "ms": ms(found.ms),
        "stages": {stage: ms(part) for stage, part in found.stages.items()},
        "shaders": [
            {"name": s.name, "ms": ms(s.ms), "stages": {n: ms(v) for n, v in s.stages.items()}, "reused": s.reused}
            for s in found.shaders
        ],
        "headers": [
            {"name": h.name, "bytes": h.bytes, "shaders": h.shaders, "edit_ms": ms(h.edit_ms),
             "share_ms": ms(h.share_ms)}
            for h in found.headers
        ],
        "modules": {"all": found.modules, "distinct": found.distinct, "bytes": found.bytes,
                    "distinct_bytes": found.distinct_bytes},
        "permutations": [
            {"name": e.name, "permutations": e.permutations, "distinct": e.distinct, "bytes": e.bytes,
             "distinct_bytes": e.distinct_bytes}
            for e in found.sharing
        ],
    }  # fmt: skip
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def as_text(found: Statistics, rows: int | None) -> str:
    counts = [f"{found.built} shaders built"]
    counts += [f"{found.missing} not"] if found.missing else []
    counts += [f"{sum(found.reused.values())} of them from the store the last time"] if found.reused else []
    lines = [f"{', '.join(counts)}; compiling them took {_seconds(found.ms)}"]
    widest = max((len(stage) for stage in found.stages), default=0)
    for stage, ms in found.stages.items():
        lines.append(f"  {stage:<{widest}}  {_seconds(ms):>9}  {ms / (found.ms or 1) * 100:5.1f} %")
    slowest = [[_seconds(s.ms), s.name, _main_stage(s)] for s in found.shaders if s.ms]
    lines += _section("slowest shaders", slowest, rows)
    lines += _section(
        "headers, by their part of preprocessing and parsing",
        [
            [_seconds(h.share_ms), h.name, f"{h.shaders} shaders, an edit costs up to {_seconds(h.edit_ms)}"]
            for h in found.headers
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
            for e in found.sharing
            if e.distinct < e.permutations
        ],
        rows,
    )
    if found.modules:
        what = f"{found.modules} modules, {found.distinct} of them different"
        lines += ["", f"{what}: {found.distinct_bytes} of {found.bytes} bytes"]
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
