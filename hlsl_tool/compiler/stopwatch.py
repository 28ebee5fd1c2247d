"""The durations of a compilation's stages, as a table and as a trace.  Used for statistics only."""

from __future__ import annotations

import time
from typing import NamedTuple

STAGES = ("preprocess", "look up", "parse", "analyse", "lower", "optimise", "validate", "check", "outputs")
"""Names of laps, in the order of a compilation."""


class Lap(NamedTuple):
    """The time that one stage of a compilation took; times are seconds since the start of the compilation."""

    stage: str
    begin: float
    end: float
    cpu: float
    """Processor time of this process; programs that it runs are not counted."""


class Stopwatch:
    """Measures consecutive stages."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}
        """Stage → milliseconds."""
        self.laps: list[Lap] = []
        self.began = time.time()
        """When the compilation began, in seconds since 1970."""
        self._start = self._last = time.perf_counter()
        self._last_cpu = time.process_time()

    def lap(self, stage: str) -> None:
        """Add the time since the last call to ``stage``."""
        now, cpu = time.perf_counter(), time.process_time()
        self.ms[stage] = self.ms.get(stage, 0.0) + (now - self._last) * 1000
        self.laps.append(Lap(stage, self._last - self._start, now - self._start, cpu - self._last_cpu))
        self._last, self._last_cpu = now, cpu


def report(watch: Stopwatch, title: str) -> str:
    """Return a table of the stages with processor and wall clock times, the longest first."""
    stages = [(stage, *_times(watch, stage)) for stage in watch.ms]
    cpu, wall = sum((row[1] for row in stages), 0.0), sum((row[2] for row in stages), 0.0)
    rule = "=" * 72
    lines = [rule, f"Time report: {title}".center(72).rstrip(), rule, f"{'CPU time':>20}{'wall clock':>22}  stage"]
    for stage, *times in (*sorted(stages, key=lambda row: -row[2]), ("total", cpu, wall)):
        parts = zip((20, 22), times, (cpu, wall), strict=True)
        columns = (f"{f'{x:.4f} s ({100 * x / whole if whole else 0:5.1f} %)':>{width}}" for width, x, whole in parts)
        lines.append(f"{''.join(columns)}  {stage}")
    return "\n".join(lines) + "\n"


def _times(watch: Stopwatch, stage: str) -> tuple[float, float]:
    own = [lap for lap in watch.laps if lap.stage == stage]
    return sum((lap.cpu for lap in own), 0.0), sum((lap.end - lap.begin for lap in own), 0.0)


def trace(watch: Stopwatch, detail: str, granularity: int = 0) -> str:
    """Return the stages as JSON in Chrome's trace event format, for chrome://tracing and Perfetto.

    Laps shorter than ``granularity`` microseconds are omitted, but included in the totals at the end.
    """
    import json  # start-up time

    whole = sum((lap.end - lap.begin for lap in watch.laps), 0.0)
    events = [_event("ExecuteCompiler", 0, 0.0, whole, detail=detail)]
    for lap in watch.laps:
        if (lap.end - lap.begin) * 1e6 >= granularity:
            events.append(_event(lap.stage, 0, lap.begin, lap.end - lap.begin))
    for number, stage in enumerate(sorted(watch.ms, key=lambda stage: -watch.ms[stage]), 1):
        count = sum(lap.stage == stage for lap in watch.laps)
        average = {"count": count, "avg ms": round(watch.ms[stage] / count, 3)}
        events.append(_event(f"Total {stage}", number, 0.0, watch.ms[stage] / 1000, **average))
    name = {"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "hlsl2spirv"}}
    content = {"traceEvents": [*events, name], "beginningOfTime": int(watch.began * 1e6)}
    return json.dumps(content, indent=1) + "\n"


def _event(name: str, thread: int, begin: float, seconds: float, **arguments: object) -> dict[str, object]:
    """Return a complete event of the trace format; its times are microseconds."""
    times = {"ts": round(begin * 1e6), "dur": round(seconds * 1e6)}
    return {"name": name, "ph": "X", "pid": 1, "tid": thread, **times, "args": arguments}
