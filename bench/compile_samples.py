"""Measure the CPU time of compiling the sample shaders, and that of the real DXC in the same process.

    python bench/compile_samples.py [--rounds N] [--only WORD]

Every permutation of config/shaders is a job.  Each round compiles each job in several ways, one after the other, so
that changes of the machine's speed affect all ways alike; a row shows the median of the rounds.

* front end: preprocess, lex and parse; DXC cannot run these stages alone.
* -fcgl: the whole compiler without legalisation and optimisation.
* -O3: with legalisation and optimisation, not validated.  The time of spirv-opt's process is counted.
* as configured: with the options of the configuration, as `scons shaders`; includes validation by spirv-val.

cold: each job has a memory of its own, as on a command line that compiles one shader.  shared: all jobs share one
memory, which is empty when a round begins, as in a build.  warm: the memory is kept from the earlier rounds, as in a
watcher whose files have not changed.  The times exclude the start of Python and the loading of the parser's tables.

DXC's library is that of the tests (`tests/oracle/dxc.py`), or $DXC_LIBRARY; without it only our own times are shown.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import json
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forms import ROOT, import_from_package

import_from_package()

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import ALL_SPACES, CompileOptions
from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.preprocessing import preprocess_options, warning_options
from hlsl_tool.compiler.result import Memory
from hlsl_tool.frontend.preprocessor import preprocess
from hlsl_tool.frontend.syntax.parser import parse
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.plan import plan
from hlsl_tool.project.config.load import load
from tests.oracle.dxc import Library, library


def cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


# ---------------------------------------------------------------- DXC

LAYOUTS = {
    "vulkan": [],
    "dx": ["-fvk-use-dx-layout"],
    "gl": ["-fvk-use-gl-layout"],
    "scalar": ["-fvk-use-scalar-layout"],
}
SWITCHES = {
    "invert_y": "-fvk-invert-y",
    "reflect_decorations": "-fspv-reflect",
    "enable_16bit_types": "-enable-16bit-types",
    "auto_shift_bindings": "-fvk-auto-shift-bindings",
    "preserve_bindings": "-fspv-preserve-bindings",
    "support_nonzero_base_instance": "-fvk-support-nonzero-base-instance",
}
OLD_TARGETS = {"vulkan1.1spirv1.4": "vulkan1.2"}
"""Options that a DXC of 2022 does not know."""


def command_line(job: Job) -> list[str]:
    """Return the command line of a job for DXC, without optimisation switches."""
    o = job.options
    words = [str(ROOT / job.source), "-spirv", "-Vd", "-T", o.profile, "-E", o.entry, "-HV", str(o.hlsl_version)]
    words += [word for folder in o.include_dirs for word in ("-I", str(ROOT / folder))]
    words += [word for name, value in o.defines for word in ("-D", name if value is None else f"{name}={value}")]
    words += [f"-fspv-target-env={OLD_TARGETS.get(o.target_env, o.target_env)}", "-Zpr" if o.row_major else "-Zpc"]
    words += LAYOUTS[o.layout] + [flag for name, flag in SWITCHES.items() if getattr(o, name)]
    for letter in "btsu":
        for shift, space in getattr(o, f"shift_{letter}"):
            words += [f"-fvk-{letter}-shift", str(shift), "all" if space == ALL_SPACES else str(space)]
    return words + [word for row in o.bind_registers for word in ("-fvk-bind-register", *map(str, row))]


# ---------------------------------------------------------------- ours


def source_of(job: Job, fs: CachedFileSystem) -> SourceFile:
    path = fs.resolve(job.source)
    return SourceFile.from_bytes(job.source, path, fs.read(path) or b"")


def front_end(job: Job, fs: CachedFileSystem, memory: Memory) -> int:
    """Return the number of parsed tokens."""
    sink = Sink(warning_options(job.options))
    stream = preprocess(
        source_of(job, fs), preprocess_options(job.options), fs=fs, memory=memory.preprocessor, sink=sink
    )
    parse(stream, memory=memory.syntax, sink=sink)
    assert not sink.error_count, job.name
    return len(stream)


def whole(job: Job, options: CompileOptions, fs: CachedFileSystem, memory: Memory) -> None:
    result = compile_shader(
        source_of(job, fs), entry=options.entry, profile=options.profile, options=options, fs=fs, memory=memory
    )
    assert result.ok, (job.name, [d.message for d in result.diagnostics])


Way = Callable[[Job], object]


class Memories:
    """The file cache and the compiler caches for each way of compiling."""

    def __init__(self) -> None:
        self.disk = OSFileSystem(str(ROOT))
        self.kept = {"warm": (CachedFileSystem(self.disk), Memory())}

    def begin_round(self) -> None:
        for name in ("shared front end", "shared -fcgl", "shared -O3"):
            self.kept[name] = CachedFileSystem(self.disk), Memory()

    def get(self, state: str, what: str) -> tuple[CachedFileSystem, Memory]:
        if state == "cold":
            return CachedFileSystem(self.disk), Memory()
        return self.kept[f"shared {what}" if state == "shared" else state]


def ways(memories: Memories, dxc: Library | None) -> dict[str, Way]:
    def parsed(state: str) -> Way:
        return lambda job: front_end(job, *memories.get(state, "front end"))

    def compiled(state: str, what: str = "", **changes: Any) -> Way:
        return lambda job: whole(job, dataclasses.replace(job.options, **changes), *memories.get(state, what))

    states = ("cold", "shared", "warm")
    found = {f"front end, {state}": parsed(state) for state in states}
    found |= {f"-fcgl, {state}": compiled(state, "-fcgl", codegen_only=True, validate="no") for state in states}
    found |= {f"-O3, {state}": compiled(state, "-O3", optimize="performance", validate="no") for state in states}
    found["as configured, warm"] = compiled("warm")
    if dxc is not None:
        lines: dict[str, list[str]] = {}

        def theirs(*more: str) -> Way:
            def way(job: Job) -> bool:
                words = lines.setdefault(job.name, command_line(job))
                return dxc.compile((ROOT / job.source).read_bytes(), [*words, *more])[0] == 0

            return way

        found["DXC -fcgl"] = theirs("-fcgl")
        found["DXC -O3"] = theirs("-O3")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="jobs whose name contains this")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    arguments = parser.parse_args()
    sink = Sink()
    jobs = [job for job in plan(load(str(ROOT), ["config/shaders"], sink)) if arguments.only in job.name]
    assert jobs and not sink.error_count
    path = library()
    dxc = Library(path) if path else None
    memories = Memories()
    memories.begin_round()
    everyone = ways(memories, dxc)

    gc.disable()
    refused: set[str] = set()
    for job in jobs:  # a first round, unmeasured: it fills the warm memory, and finds the jobs that DXC refuses
        for name, way in everyone.items():
            if way(job) is False:
                refused.add(job.name)
                print(f"{name} refuses {job.name}")
    jobs = [job for job in jobs if job.name not in refused]
    tokens = sum(front_end(job, CachedFileSystem(OSFileSystem(str(ROOT))), Memory()) for job in jobs)

    times: dict[str, list[float]] = {name: [] for name in everyone}
    for _ in range(arguments.rounds):
        memories.begin_round()
        spent = dict.fromkeys(everyone, 0.0)
        for number, job in enumerate(jobs):
            if number % 32 == 0:
                gc.collect()  # never while the clock runs
            for name, way in everyone.items():
                start = cpu()
                way(job)
                spent[name] += cpu() - start
        for name, seconds in spent.items():
            times[name].append(seconds)

    print(f"{len(jobs)} jobs, {tokens:,} tokens after preprocessing; medians of {arguments.rounds} rounds, CPU time")
    head = f"{'':22}{'all jobs':>12}{'per job':>11}{'per token':>12}"
    print(head + (f"{'/ DXC -fcgl':>13}{'/ DXC -O3':>12}" if dxc else ""))
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, seconds in medians.items():
        line = f"{name:22}{seconds * 1e3:9.0f} ms{seconds / len(jobs) * 1e3:8.1f} ms{seconds / tokens * 1e6:9.2f} µs"
        if dxc:
            ratios = []
            for other in ("DXC -fcgl", "DXC -O3"):  # round by round: what slows one slows the other
                ratios.append(statistics.median(a / b for a, b in zip(times[name], times[other], strict=True)))
            line += f"{ratios[0]:13.2f}{ratios[1]:12.2f}"
        print(line)
    if arguments.json:
        content = {"unit": "s of CPU", "rounds": arguments.rounds, "jobs": len(jobs), "rows": medians}
        arguments.json.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
