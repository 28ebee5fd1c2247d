"""Measure the CPU time of library calls that share no caches, and of calls of the real DXC in the same process.

    python bench/library_calls.py --jobs jobs.json --trees FOLDER [--rounds N] [--json FILE]

Each shader of the list, which has the format of bench/engine, is a call.  Ours is `compile_shader` with a memory of its
own and without a store, theirs is IDxcCompiler3::Compile; both with -O3 and without validation, in turns, shader by
shader.  The time of the process that runs SPIRV-Tools for us counts.  The library is found as in
bench/compile_samples.py.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
from pathlib import Path
from typing import Any

from forms import import_from_package

import_from_package()

from start_up import ticks

from hlsl_tool import compile_shader
from hlsl_tool.base.options.command_line import parse
from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
from hlsl_tool.base.system.deep_stack import with_deep_stack
from tests.oracle.dxc import Library, library


class Job:
    """A shader in the list."""

    def __init__(self, listed: dict[str, Any], trees: Path) -> None:
        self.tree = str(listed["id"]).partition("/")[0]
        self.root = trees / listed["root"]
        self.file = str(listed["file"])
        words = ["-T", listed["profile"], "-E", listed["entry"], "-O3", "-Vd", "-HV", "2018"]
        words += [word for macro in listed["defines"] for word in ("-D", macro)]
        words += [word for folder in listed["include_dirs"] for word in ("-I", folder)]
        self.words = [self.file, *words, *listed["args"]]
        self.options = parse([*words, *listed["args"], self.file]).options

    def ours(self) -> bool:
        """Compile the shader with empty caches; return whether that succeeded."""
        fs = CachedFileSystem(OSFileSystem(str(self.root)))
        path = fs.resolve(self.file)
        source = SourceFile.from_bytes(self.file, path, fs.read(path) or b"")
        options = self.options
        return compile_shader(source, entry=options.entry, profile=options.profile, options=options, fs=fs).ok

    def theirs(self, dxc: Library) -> bool:
        """Compile the shader with DXC; return whether that succeeded."""
        return dxc.compile((self.root / self.file).read_bytes(), self.words)[0] == 0


def spent() -> float:
    """Return the seconds that this process and its children have used."""
    return ticks(os.getpid()) / os.sysconf("SC_CLK_TCK")


def measure(jobs: list[Job], dxc: Library, rounds: int) -> tuple[float, float]:
    """Return the median seconds of (ours, theirs) for all jobs; shaders that either rejects are omitted."""
    taken = []
    for job in jobs:
        os.chdir(job.root)
        if job.ours() and job.theirs(dxc):
            taken.append(job)
    print(f"{jobs[0].tree}: {len(taken)} of {len(jobs)} shaders", flush=True)
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(rounds):
        for name, way in (("ours", Job.ours), ("theirs", lambda job: job.theirs(dxc))):
            before = spent()  # a tick is 10 ms: by tree, not by shader
            for job in taken:
                os.chdir(job.root)
                way(job)
            times[name].append(spent() - before)
    return statistics.median(times["ours"]), statistics.median(times["theirs"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=Path, required=True)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    arguments = parser.parse_args()
    path = library()
    if path is None:
        parser.error("the library of DXC is missing: set DXC_LIBRARY")
    with contextlib.redirect_stderr(None):
        dxc = Library(path)
    jobs = [Job(listed, arguments.trees.resolve()) for listed in json.loads(arguments.jobs.read_text())]
    rows = {}
    for tree in sorted({job.tree for job in jobs}):
        ours, theirs = measure([job for job in jobs if job.tree == tree], dxc, arguments.rounds)
        rows[tree] = {"ours": ours, "theirs": theirs}
        print(f"{tree}: {ours:.2f} s, DXC {theirs:.2f} s, ratio {ours / theirs:.2f}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps({"unit": "s of CPU", "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    with_deep_stack(main)
