"""Compare the compiled form (docs/how-to/compiled.md) with Python: CPU time of each stage in both forms, side by side.

    python bench/compiled.py FOLDER [--jobs jobs.json --trees TREES [--extra "-HV 2018"]] [--match TEXT] [--rounds N]
                             [--ways=-fcgl,-O0,-O3] [--shared] [--beside FOLDER] [--json FILE]

FOLDER holds the compiled package: the site-packages that it was installed into, or the folder of an unpacked wheel.
By default the sample shaders; with ``--jobs`` those of a list as bench/engine takes it.  One worker process for each
form compiles every shader with a memory of its own (``--shared``: one for all of them) and writes the SPIR-V's hash;
the two take turns, round by round, so that a machine that slows down slows both.  ``--beside`` compares with another
folder instead of this checkout.  spirv-opt is left out, since it runs in a process of its own; nothing is validated.
It fails where the two forms do not make the same bytes.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import hashlib
import json
import os
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
WAYS: dict[str, dict[str, Any]] = {
    "-fcgl": {"codegen_only": True},
    "-O0": {"optimize": "none"},
    "-O3": {"optimize": "performance"},
}


def sample_jobs(match: str) -> list[tuple[str, str, str, Any]]:
    """Return (name, root, file, options) of the sample shaders."""
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.project.build.plan import plan
    from hlsl_tool.project.config.load import load

    jobs = plan(load(str(ROOT), ["config/shaders"], Sink()))
    return [(job.name, str(ROOT), job.source, job.options) for job in jobs if match in job.name]


def listed_jobs(jobs: Path, trees: Path, match: str, extra: list[str]) -> list[tuple[str, str, str, Any]]:
    """Return (name, root, file, options) of the shaders in a list."""
    from hlsl_tool.base.options.command_line import parse

    out = []
    for job in json.loads(jobs.read_text()):
        if match in job["id"]:
            words = ["-T", job["profile"], *(["-E", job["entry"]] if job["entry"] else [])]
            words += [word for macro in job["defines"] for word in ("-D", macro)]
            words += [word for folder in job["include_dirs"] for word in ("-I", folder)]
            options = parse([*words, *job["args"], *extra, job["file"]]).options
            out.append((job["id"], str(trees / job["root"]), job["file"], options))
    return out


def work(arguments: argparse.Namespace) -> None:
    """Run a round for each line of standard input."""
    time.perf_counter = time.process_time  # the stages are measured in CPU time
    from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
    from hlsl_tool.compiler.compile import compile_shader
    from hlsl_tool.compiler.result import Memory

    if arguments.jobs:
        jobs = listed_jobs(arguments.jobs, arguments.trees, arguments.match, shlex.split(arguments.extra))
    else:
        jobs = sample_jobs(arguments.match)
    gc.disable()  # as in worker processes
    for _ in sys.stdin:
        spent: dict[str, dict[str, float]] = {name: {} for name in arguments.ways.split(",")}
        made = hashlib.sha256()
        for way, stages in spent.items():
            systems: dict[str, Any] = {}
            memory = Memory()
            for name, root, file, given in jobs:
                fs = systems.setdefault(root, CachedFileSystem(OSFileSystem(root)))
                path = fs.resolve(file)
                source = SourceFile.from_bytes(file, path, fs.read(path) or b"")
                options = dataclasses.replace(given, validate="no", **WAYS[way])
                if not arguments.shared:
                    gc.collect()
                    memory = Memory()
                start = time.process_time()
                result = compile_shader(
                    source, entry=options.entry, profile=options.profile, options=options, fs=fs, memory=memory
                )
                stages["all"] = stages.get("all", 0.0) + time.process_time() - start
                assert result.ok, (name, [str(d) for d in result.diagnostics][:3])
                for stage, ms in result.watch.ms.items():
                    stages[stage] = stages.get(stage, 0.0) + ms / 1000
                made.update(result.spirv)
        print(json.dumps([len(jobs), spent, made.hexdigest()]), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the compiled hlsl_tool lies")
    parser.add_argument("--jobs", type=Path)
    parser.add_argument("--trees", type=Path)
    parser.add_argument("--extra", default="", help="options for all shaders of the list")
    parser.add_argument("--match", default="", help="part of the names, or of the ids of the list")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ways", default="-fcgl,-O0,-O3", help="of the options, separated by commas")
    parser.add_argument("--shared", action="store_true", help="one memory for all shaders")
    parser.add_argument("--beside", default=str(ROOT), help="folder of the other form")
    parser.add_argument("--json", type=Path, help="the numbers of all rounds, for other programs")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        from hlsl_tool.base.system.deep_stack import with_deep_stack

        with_deep_stack(lambda: work(arguments))
        return 0
    workers = [
        subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), *sys.argv[1:], "--work"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(folder).resolve()), "PYTHONSAFEPATH": "1"},
        )
        for folder in (arguments.beside, arguments.folder)
    ]
    rounds: list[list[dict[str, dict[str, float]]]] = [[] for _ in workers]
    hashes = set()
    jobs = 0
    for number in range(arguments.rounds + 1):
        for worker, kept in zip(workers, rounds, strict=True):
            assert worker.stdin is not None and worker.stdout is not None
            worker.stdin.write("\n")
            worker.stdin.flush()
            jobs, spent, made = json.loads(worker.stdout.readline())
            hashes.add(made)
            if number:  # the first round loads what is loaded on demand
                kept.append(spent)
    for worker in workers:
        worker.communicate()
    print(f"{jobs} jobs, medians of {arguments.rounds} rounds, CPU time of the compiler itself in ms")
    print(f"{'':20}{'Python':>9}{'compiled':>10}{'gain':>7}")
    for way in arguments.ways.split(","):
        for stage in rounds[0][0][way]:
            plain, compiled = (statistics.median(kept[way].get(stage, 0.0) for kept in each) for each in rounds)
            if plain > 0.0005:
                print(f"{way:6} {stage:13}{plain * 1e3:9.1f}{compiled * 1e3:10.1f}{plain / compiled:7.2f}", flush=True)
    print("the same bytes" if len(hashes) == 1 else "NOT the same bytes")
    if arguments.json:
        arguments.json.write_text(json.dumps(rounds))
    return len(hashes) - 1


if __name__ == "__main__":
    sys.exit(main())
