"""Compare the size of optimised modules with that of modules for which spirv-opt runs more of the passes.

    python bench/module_sizes.py [--against legalize|performance] [--jobs jobs.json --trees FOLDER] [--match TEXT]
                                 [--keep FOLDER] [--show N]

Each shader is compiled twice: with -O as usual, and

* ``--against legalize``: without our promotion (`codegen.passes.promote`), which only this program can switch off;
  spirv-opt runs its legalisation and all passes of -O instead;
* ``--against performance``: with promotion; spirv-opt runs all passes of -O, and not only those that
  `hlsl_tool.spirv.tools.passes` selects for promoted modules.

The shaders are the samples; with ``--jobs`` those of a list in the format of bench/engine.  Sizes are in words of 32
bits, header included.  Modules that are larger when compiled as usual are listed; ``--keep`` writes both forms of
these.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE / "engine")]

from trees import Ours

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.system.deep_stack import with_deep_stack
from hlsl_tool.compiler.pipeline import facts, spirv_opt
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import compile_job, disk
from hlsl_tool.project.build.plan import plan
from hlsl_tool.project.build.workers.worker import new_memory
from hlsl_tool.project.config.load import load

WAYS = ("ours", "legalize", "performance")


def modules(root: str, jobs: list[Job], way: str) -> dict[str, bytes]:
    """Name → SPIR-V, of those that compile."""
    own = facts._is_promotable, spirv_opt.form_of
    if way == "legalize":
        facts._is_promotable = lambda *_: False
    elif way == "performance":
        spirv_opt.form_of = lambda _: None
    memory = new_memory()
    found = {}
    try:
        for job in jobs:
            result = compile_job(job, root, disk(root), memory)
            if result.ok:
                found[job.name] = result.outputs["spv"]
            else:
                print(f"{job.name} does not compile ({way})", file=sys.stderr)
    finally:
        facts._is_promotable, spirv_opt.form_of = own
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", choices=WAYS[1:], default=WAYS[1])
    parser.add_argument("--jobs", type=Path)
    parser.add_argument("--trees", type=Path)
    parser.add_argument("--match", default="", help="part of the names, or of the ids of the list")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--show", type=int, default=20, help="how many of the larger ones")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = str(HERE.parent)
        if arguments.jobs:
            listed = [job for job in json.loads(arguments.jobs.read_text()) if arguments.match in job["id"]]
            root = str(Ours(Path(folder), arguments.trees.resolve(), listed, folder, {}).root)
        jobs = plan(load(root, ["config/shaders"], Sink()))
        if not arguments.jobs:
            jobs = [job for job in jobs if arguments.match in job.name]
        jobs = [
            replace(
                job, options=replace(job.options, validate="no"), targets={"spv": job.targets["spv"]}, _cache_key=""
            )
            for job in jobs
            if job.options.optimize == "performance"
        ]
        ours, theirs = (modules(root, jobs, way) for way in (WAYS[0], arguments.against))
    both = [(name, len(ours[name]) // 4, len(theirs[name]) // 4) for name in ours if name in theirs]
    if not both:
        parser.error(f"no shader is called {arguments.match}, is optimized and compiles")
    groups = sorted({name.split("/")[0] for name, _, _ in both})
    print(f"{'':28}{'modules':>9}{'ours':>10}{'theirs':>10}{'ratio':>8}{'smaller':>9}{'equal':>7}{'larger':>8}")
    for group in ("", *groups):
        rows = [row for row in both if not group or row[0].split("/")[0] == group]
        mine, other = sum(row[1] for row in rows), sum(row[2] for row in rows)
        counts = [sum(a < b for _, a, b in rows), sum(a == b for _, a, b in rows), sum(a > b for _, a, b in rows)]
        print(
            f"{group or 'all':28}{len(rows):9}{mine:10}{other:10}{mine / other:8.3f}"
            f"{counts[0]:9}{counts[1]:7}{counts[2]:8}"
        )
    larger = sorted((row for row in both if row[1] > row[2]), key=lambda row: row[2] - row[1])
    print("\nlarger as they are compiled:" if larger else "\nnone is larger as it is compiled")
    for name, mine, other in larger[: arguments.show]:
        print(f"  {mine - other:+6} words of {other:6} ({mine / other - 1:+.1%})  {name}")
    if arguments.keep:
        for name, _, _ in larger:
            for way, found in zip(("ours", "theirs"), (ours, theirs), strict=True):
                path = arguments.keep / way / f"{name.replace(os.sep, '__')}.spv"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(found[name])


if __name__ == "__main__":
    with_deep_stack(main)
