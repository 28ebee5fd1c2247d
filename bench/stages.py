"""Measure the CPU time of each stage of compilation, summed over many shaders.

    python bench/stages.py [--jobs jobs.json --trees FOLDER [--extra "-HV 2018"]] [--match TEXT] [--rounds N]
                           [--separate] [--beside CHECKOUT] [--profile FILE] [--json FILE]

By default the sample shaders; with ``--jobs`` those of a list as bench/engine takes it.  All shaders are compiled in
one process with one memory, which is empty when a round begins, or with ``--separate`` each with a memory of its own;
a number is the median over the rounds, in milliseconds.  A stage does not include the stages that it calls.  The time
that SPIRV-Tools takes as a library in the process of `hlsl_tool.spirv.tools.host` is part of the rows spirv-opt and
spirv-val; it can be measured on Linux only.

``--beside`` runs the same rounds with the compiler of another checkout, in turns with this one, and shows both.
``--profile`` writes the statistics of one round for `python -m pstats`.  The interpreted form is measured: calls inside
of compiled modules cannot be intercepted.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import json
import resource
import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

FUNCTIONS = (
    ("preprocess", "compiler.stages", "Compilation.preprocess"),
    ("parse", "compiler.stages", "Compilation.parse"),
    ("analyse", "compiler.stages", "Compilation.analyse"),
    ("lower", "compiler.stages", "Compilation.lower"),
    ("lower: final ids", "compiler.stages", "Compilation.prepare"),
    ("facts", "compiler.finishing", "facts_of"),
    ("promote", "compiler.pipeline.spirv_opt", "promote"),
    ("promote: assembly", "codegen.passes.promote", "Assembly"),
    ("promote: assembly", "codegen.passes.promote.assembly", "Assembly.run"),
    ("promote: ids of the cache", "codegen.passes.promote.program", "CacheIds"),
    ("promote: ids of the cache", "codegen.passes.promote.function_cache", "CacheIds.function"),
    ("promote: ids of the cache", "codegen.passes.promote.function_cache", "CacheIds.entry"),
    ("promote: arrays, indices", "codegen.passes.promote", "linearize_arrays"),
    ("promote: arrays, indices", "codegen.passes.promote", "choose_indices"),
    ("promote: legality", "codegen.passes.promote", "needs_legalization"),
    ("promote: legality", "codegen.passes.promote", "find_illegal"),
    ("mask, unmask", "compiler.pipeline.spirv_opt", "mask"),
    ("mask, unmask", "compiler.pipeline.spirv_opt", "unmask"),
    ("encode", "compiler.finishing", "encode"),
    ("encode", "compiler.pipeline.spirv_opt", "encode"),
    ("decode", "compiler.finishing", "decode"),
    ("decode", "compiler.pipeline.spirv_opt", "decode"),
    ("spirv-opt", "spirv.tools.optimizer", "run_tool"),
    ("legality", "compiler.finishing", "report_illegal"),
    ("spirv-val", "spirv.tools.validator", "run_tool"),
    ("collisions of bindings", "reflection.linking.collisions", "check"),
)
"""(row, module, function)."""

COLLECTION = "collections of garbage"


class Stages:
    """A clock for each stage; the time of a stage excludes the stages that it calls."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, int] = {}
        self.hosts: list[int] = []
        """Process ids of the SPIRV-Tools hosts."""
        self._stack: list[str] = []
        self._last = 0.0

    def clock(self) -> float:
        """Return the CPU seconds of this process, its SPIRV-Tools hosts and the programs that it ran."""
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        # The clock of another process, as clock_getcpuclockid(3) names it on Linux.
        hosts: float = sum(time.clock_gettime(~number << 3 | 2) for number in self.hosts)
        return time.process_time() + ended.ru_utime + ended.ru_stime + hosts

    def _lap(self) -> None:
        now = self.clock()
        if self._stack:
            name = self._stack[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self._last = now

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function so that its time is added to a stage."""

        @functools.wraps(function, updated=())
        def call(*arguments: Any, **options: Any) -> Any:
            self._lap()
            self._stack.append(name)
            self.calls[name] = self.calls.get(name, 0) + 1
            try:
                return function(*arguments, **options)
            finally:
                self._lap()
                self._stack.pop()

        return call

    def _collected(self, phase: str, _: dict[str, int]) -> None:
        self._lap()
        if phase == "start":
            self._stack.append(COLLECTION)
            self.calls[COLLECTION] = self.calls.get(COLLECTION, 0) + 1
        elif self._stack[-1:] == [COLLECTION]:
            self._stack.pop()

    def install(self) -> None:
        """Replace the compiler's functions by timed ones."""
        for name, module, path in FUNCTIONS:
            owner: Any = importlib.import_module(f"hlsl_tool.{module}")
            *outer, attribute = path.split(".")
            for part in outer:
                owner = getattr(owner, part)
            if hasattr(owner, attribute):  # other versions lack some
                setattr(owner, attribute, self.timed(name, getattr(owner, attribute)))
        self._install_passes()
        self._install_hosts()
        gc.callbacks.append(self._collected)

    def _install_passes(self) -> None:
        from hlsl_tool.compiler import finishing, stages
        from hlsl_tool.compiler.pipeline import lowering

        def run(steps: Any, subject: Any) -> None:
            for step in steps:
                if not step.when(subject):
                    continue
                if self.timed(f"pass {step.name}", step.run)(subject) is not False and hasattr(subject, "forget_index"):
                    subject.forget_index()

        def prepare(builder: Any) -> None:
            for step in lowering.MARKS:
                self.timed(f"pass {step.name}", step.run)(builder)

        stages.run = finishing.run = run
        stages.prepare = prepare

    def _install_hosts(self) -> None:
        from hlsl_tool.spirv.tools import host

        host.WORTH = 0  # no programs: SPIRV-Tools is a library from the first module on
        start = host.Host.__init__

        def started(new: Any, *arguments: Any) -> None:
            start(new, *arguments)
            if sys.platform == "linux":
                self.hosts.append(new._process.pid)

        host.Host.__init__ = started  # type: ignore[assignment,method-assign]


def sample_jobs(match: str) -> list[Callable[[Any], bool]]:
    """Return functions that compile the sample shaders; each takes a memory and returns whether it succeeded."""
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
    from hlsl_tool.compiler import compile as compiler
    from hlsl_tool.project.build.plan import plan
    from hlsl_tool.project.config.load import load

    root = str(HERE.parent)
    fs = CachedFileSystem(OSFileSystem(root))

    def compilation(job: Any) -> Callable[[Any], bool]:
        path = fs.resolve(job.source)
        source = SourceFile.from_bytes(job.source, path, fs.read(path) or b"")
        o = job.options
        return lambda memory: (
            compiler.compile_shader(source, entry=o.entry, profile=o.profile, options=o, fs=fs, memory=memory).ok
        )

    return [compilation(job) for job in plan(load(root, ["config/shaders"], Sink())) if match in job.name]


def listed_jobs(jobs: Path, trees: Path, match: str, extra: list[str]) -> list[Callable[[Any], bool]]:
    """Return functions that compile the shaders of a list; each takes a memory and returns whether it succeeded."""
    from hlsl_tool.base.options.command_line import parse
    from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
    from hlsl_tool.compiler import compile as compiler

    systems: dict[str, Any] = {}

    def compilation(job: dict[str, Any]) -> Callable[[Any], bool]:
        fs = systems.setdefault(job["root"], CachedFileSystem(OSFileSystem(str(trees / job["root"]))))
        words = ["-T", job["profile"], *(["-E", job["entry"]] if job["entry"] else [])]
        words += [word for macro in job["defines"] for word in ("-D", macro)]
        words += [word for folder in job["include_dirs"] for word in ("-I", folder)]
        o = parse([*words, *job["args"], *extra, job["file"]]).options
        path = fs.resolve(job["file"])
        source = SourceFile.from_bytes(job["file"], path, fs.read(path) or b"")
        return lambda memory: (
            compiler.compile_shader(source, entry=o.entry, profile=o.profile, options=o, fs=fs, memory=memory).ok
        )

    return [compilation(job) for job in json.loads(jobs.read_text()) if match in job["id"]]


def serve(arguments: argparse.Namespace, checkout: Path) -> None:
    """Run one round for each line of standard input, and write its numbers as a line of JSON."""
    sys.path.insert(0, str(checkout))
    from hlsl_tool.compiler.result import Memory

    stages = Stages()
    stages.install()
    extra = shlex.split(arguments.extra)
    if arguments.jobs:
        jobs = listed_jobs(arguments.jobs, arguments.trees, arguments.match, extra)
    else:
        jobs = sample_jobs(arguments.match)
    jobs[0](Memory())  # loads the tables and starts the host
    for line in sys.stdin:
        stages.seconds, stages.calls = {}, {}
        memory = None if arguments.separate else Memory()
        run = stages.timed("other", lambda memory=memory: sum(job(memory) for job in jobs))
        if line.strip() == "profile":
            import cProfile

            profile = cProfile.Profile()
            succeeded = profile.runcall(run)
            profile.dump_stats(str(arguments.profile))
        else:
            succeeded = run()
        numbers = {"jobs": len(jobs), "ok": succeeded, "seconds": stages.seconds, "calls": stages.calls}
        print(json.dumps(numbers), flush=True)
    gc.callbacks.clear()  # the hosts, and their clocks, end before the last collection


class Server:
    """A process that runs rounds with the compiler of a checkout."""

    def __init__(self, checkout: Path) -> None:
        command = [sys.executable, __file__, "--serve", str(checkout), *sys.argv[1:]]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def round(self, word: str = "") -> dict[str, Any]:
        """Return the numbers of one round."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        numbers: dict[str, Any] = json.loads(self.process.stdout.readline())
        return numbers

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def table(rounds: list[list[dict[str, Any]]]) -> list[str]:
    """Return the lines of a table; ``rounds`` contains a list of rounds for each checkout."""
    names = list(dict.fromkeys(name for each in rounds for numbers in each for name in numbers["seconds"]))

    def median(each: list[dict[str, Any]], name: str) -> float:
        return 1000 * float(statistics.median(numbers["seconds"].get(name, 0.0) for numbers in each))

    totals = [statistics.median(sum(numbers["seconds"].values()) for numbers in each) * 1000 for each in rounds]
    rows = [("all", [each[0]["jobs"] for each in rounds], totals)]
    for name in names:
        calls = [each[0]["calls"].get(name, 0) for each in rounds]
        rows.append((name, calls, [median(each, name) for each in rounds]))
    lines = [f"{'':32}" + f"{'calls':>8}{'ms':>10}{'%':>7}" * len(rounds) + ("   ratio" if len(rounds) > 1 else "")]
    for name, calls, times in rows:
        line = f"{name:32}" + "".join(
            f"{count:8}{ms:10.1f}{100 * ms / total:7.1f}" for count, ms, total in zip(calls, times, totals, strict=True)
        )
        lines.append(line + (f"{times[1] / times[0]:8.3f}" if len(times) > 1 and times[0] else ""))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=Path)
    parser.add_argument("--trees", type=Path)
    parser.add_argument("--extra", default="", help="options for all shaders of the list")
    parser.add_argument("--match", default="", help="part of the names, or of the ids of the list")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--separate", action="store_true", help="compile each shader with a memory of its own")
    parser.add_argument("--beside", type=Path, help="another checkout, whose numbers come first")
    parser.add_argument("--profile", type=Path)
    parser.add_argument("--json", type=Path, help="the numbers of all rounds, for other programs")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        sys.path.insert(0, str(arguments.serve))
        from hlsl_tool.base.system.deep_stack import with_deep_stack

        with_deep_stack(lambda: serve(arguments, arguments.serve))
        return
    checkouts = [*([arguments.beside.resolve()] if arguments.beside else []), HERE.parent]
    servers = [Server(checkout) for checkout in checkouts]
    rounds: list[list[dict[str, Any]]] = [[] for _ in servers]
    for _ in range(arguments.rounds):
        for server, each in zip(servers, rounds, strict=True):
            each.append(server.round())
    if arguments.profile:
        servers[-1].round("profile")
    for server in servers:
        server.close()
    for checkout, each in zip(checkouts, rounds, strict=True):
        print(f"{checkout.name}: {each[0]['ok']} of {each[0]['jobs']} shaders compile")
    print("\n".join(table(rounds)))
    if arguments.json:
        arguments.json.write_text(json.dumps({str(c): each for c, each in zip(checkouts, rounds, strict=True)}))


if __name__ == "__main__":
    main()
