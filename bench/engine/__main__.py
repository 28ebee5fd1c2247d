"""Measure builds of an engine's shaders, and the same builds by `ninja` with a process of the real DXC for each shader.

    python bench/engine --jobs jobs.json --trees FOLDER --dxc "DRIVER LIBRARY" -j2
        [--edit TREE HEADER OLD NEW] [--only TREE] [--ways set,single,build] [--json FILE]

The list has an object for each shader: id (its first part names the tree), root (the folder in FOLDER that DXC is run
in), file, entry, profile, defines, include_dirs, args: DXC's arguments besides -spirv.  DRIVER is a program that takes
DXC's command line; the words before that are as in ``--dxc``.  Both sides get the same jobs:

* ours: a project with a configuration, built by `scons shaders` with one node for all shaders (``set``), with a node
  for each (``single``), or by `hlsl_tool build`.  The first of ``--ways`` is that of the rows for which one is enough.
* ninja: a build.ninja with a command for each shader.

CPU time is user and system time of a command and of all processes below it, from its start: Python, reading the
configuration, starting workers and spirv-opt count.  A job that fails with us counts at DXC's time.  The store is a
folder of its own, empty before a cold build and filled by it.  ninja is not run after an edit of a header: the
row has the number of processes that it would start, each of them as in a cold build.

``--edit``: a header of a tree, relative to FOLDER, a text in the body of one of its functions, and its replacement.
The number of shaders that reach that function is computed by analysis, independently of the build.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE.parents[1])]

from forms import PACKAGE, import_from_package

import_from_package()

from rows import Bench, Row, Setting
from trees import WAYS

from hlsl_tool.base.system.deep_stack import with_deep_stack

FORM = "{:58}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}"


def shown(row: Row) -> str:
    ours, peer = row.ours, row.peer
    numbers = [f"{ours.cpu + row.added:.2f}", f"{ours.wall:.2f}"]
    if peer is not None:
        numbers += [f"{peer.cpu:.2f}", f"{peer.wall:.2f}"]
        numbers += [f"{(ours.cpu + row.added) / peer.cpu:.3f}", f"{ours.wall / peer.wall:.3f}"]
    text = FORM.format(row.name, *numbers, *[""] * (6 - len(numbers))).rstrip()
    return f"{text}\n    {row.note}" if row.note else text


def told(rows: list[Row]) -> list[str]:
    """Return lines that compare several rows."""
    two = next((row for row in rows if row.name.startswith("cold, default:")), None)
    one = next((row for row in rows if row.name.startswith("cold, default, -j1")), None)
    cold = [row.ours for row in rows if row.name.startswith("cold")]
    peaks = [peak for cost in cold for peak in (cost.workers.values() or [cost.peak])]
    found = [f"largest process that compiles: {max(peaks):.0f} MB"] if peaks else []
    if one and two:
        found.append(f"-j1 takes {one.ours.wall / two.ours.wall:.2f} times as long as -j2")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=Path, required=True)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--dxc", type=shlex.split, required=True, help="the command that stands before DXC's arguments")
    parser.add_argument("-j", type=int, default=2, dest="processes")
    parser.add_argument("--edit", nargs=4, action="append", default=[], metavar=("TREE", "HEADER", "OLD", "NEW"))
    parser.add_argument("--only", help="one of the trees")
    parser.add_argument("--ways", default="set,single,build")
    parser.add_argument("--json", type=Path, help="the numbers, for other programs")
    arguments = parser.parse_args()
    listed: list[dict[str, Any]] = json.loads(arguments.jobs.read_text())
    edits = {tree: (header, old, new) for tree, header, old, new in arguments.edit}
    written: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        cache = f"{folder}/cache"
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        compile_all = [sys.executable, "-m", "compileall", "-q", str(PACKAGE / "hlsl_tool")]
        subprocess.run(compile_all, env=environment, check=True)
        for name in sorted({job["id"].split("/")[0] for job in listed}):
            if arguments.only not in (None, name):
                continue
            jobs = [job for job in listed if job["id"].split("/")[0] == name]
            print(f"\n{name}: {len(jobs)} shaders, -j{arguments.processes}")
            print(FORM.format("", "CPU s", "wall s", "dxc CPU", "dxc wall", "CPU /", "wall /"), flush=True)
            bench = Bench(
                Setting(
                    Path(folder) / name,
                    arguments.trees.resolve(),
                    jobs,
                    arguments.dxc,
                    arguments.processes,
                    [WAYS[each] for each in arguments.ways.split(",")],
                    cache,
                    edits.get(name),
                )
            )
            rows = []
            for row in bench.rows():
                rows.append(row)
                print(shown(row), flush=True)
            print("\n".join(told(rows)))
            written[name] = [_numbers(row) for row in rows]
    if arguments.json:
        arguments.json.write_text(json.dumps(written, indent=1))


def _numbers(row: Row) -> dict[str, Any]:
    found = {"name": row.name, "cpu": row.ours.cpu + row.added, "wall": row.ours.wall, "note": row.note}
    if row.peer is not None:
        found |= {"dxc_cpu": row.peer.cpu, "dxc_wall": row.peer.wall}
    return {**found, "workers_mb": list(row.ours.workers.values())}


if __name__ == "__main__":
    with_deep_stack(main)
