"""What the compiled form (docs/how-to/compiled.md) gains: CPU time of the sample shaders in both forms, side by side.

    python bench/compiled.py FOLDER [--rounds N] [--only WORD]

FOLDER holds the compiled package: the site-packages that it was installed into, or the folder of an unpacked wheel.
One worker process for each form compiles every permutation of config/shaders with a memory of its own and writes the
SPIR-V's hash; the two take turns, round by round, so that a machine that slows down slows both.  spirv-opt's processes
are left out of the times, since they are the same.  It fails where the two do not make the same bytes.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
WAYS: dict[str, dict[str, Any]] = {
    "-fcgl": {"codegen_only": True, "validate": "no"},
    "-O0": {"optimize": "none", "validate": "no"},
}


def work(only: str) -> None:
    """A round for each line of the standard input."""
    from hlsl_tool.build.plan import plan
    from hlsl_tool.compiler.compile import compile_shader
    from hlsl_tool.compiler.result import Memory
    from hlsl_tool.config.load import load
    from hlsl_tool.diagnostics import Sink
    from hlsl_tool.source import CachedFileSystem, OSFileSystem, SourceFile

    jobs = [job for job in plan(load(str(ROOT), ["config/shaders"], Sink())) if only in job.name]
    disk = OSFileSystem(str(ROOT))
    gc.disable()
    for _ in sys.stdin:
        spent = dict.fromkeys(WAYS, 0.0)
        made = hashlib.sha256()
        for job in jobs:
            gc.collect()
            for name, changes in WAYS.items():
                fs = CachedFileSystem(disk)
                path = fs.resolve(job.source)
                source = SourceFile.from_bytes(job.source, path, fs.read(path) or b"")
                options = dataclasses.replace(job.options, **changes)
                start = time.process_time()
                result = compile_shader(
                    source, entry=options.entry, profile=options.profile, options=options, fs=fs, memory=Memory()
                )
                spent[name] += time.process_time() - start
                assert result.ok, job.name
                made.update(result.spirv)
        print(json.dumps([len(jobs), spent, made.hexdigest()]), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the compiled hlsl_tool lies")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="jobs whose name contains this")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.only)
        return 0
    command = [sys.executable, str(Path(__file__).resolve()), "-", "--work", "--only", arguments.only]
    workers = [
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": folder}
        )
        for folder in (str(ROOT), str(Path(arguments.folder).resolve()))
    ]
    times: list[dict[str, list[float]]] = [{name: [] for name in WAYS} for _ in workers]
    hashes = set()
    jobs = 0
    for number in range(arguments.rounds + 1):
        for worker, kept in zip(workers, times, strict=True):
            assert worker.stdin is not None and worker.stdout is not None
            worker.stdin.write("\n")
            worker.stdin.flush()
            jobs, spent, made = json.loads(worker.stdout.readline())
            hashes.add(made)
            if number:  # the first round loads what is loaded on demand
                for name, seconds in spent.items():
                    kept[name].append(seconds)
    for worker in workers:
        worker.communicate()
    print(f"{jobs} jobs, medians of {arguments.rounds} rounds, CPU time of the compiler itself")
    for name in WAYS:
        plain, compiled = (statistics.median(kept[name]) for kept in times)
        gain = plain / compiled
        print(f"{name:6} Python {plain * 1e3:7.0f} ms   compiled {compiled * 1e3:7.0f} ms   {gain:.2f} times as fast")
    print("the same bytes" if len(hashes) == 1 else "NOT the same bytes")
    return len(hashes) - 1


if __name__ == "__main__":
    sys.exit(main())
