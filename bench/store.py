"""Measure the CPU time of builds with a store after typical edits, relative to a cold build and to DXC -O3.

    python bench/store.py [--rounds N] [--jobs jobs.json --trees FOLDER] [--header FILE --old TEXT --new TEXT]

Each build is a process `hlsl_tool build -j1`; the time of its children counts.  Builds of one round come one after the
other on one copy of the project: cold without a store; cold, filling one; the same with the build folder deleted;
nothing to do; a comment in a header; the body of a function in a header; the original text again.  By default the
sample shaders with config/shaders; with ``--jobs`` those of a list, each with source, entry, profile, macros.

The library is that of the tests (`tests/oracle/dxc.py`): it compiles the same jobs in process with -O3 -Vd.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from compile_samples import command_line, cpu
from forms import ROOT

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.project.build.plan import plan
from hlsl_tool.project.config.load import load
from tests.oracle.dxc import Library, library


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Tree:
    """A copy of a project, and DXC's command lines for its jobs."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.root = folder / "project"
        self.store = folder / "store"
        # As where hlsl_tool is installed: its modules need not be read as text.
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(cache)}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def samples(self) -> list[list[str]]:
        for name in ("config", "shaders"):
            shutil.copytree(ROOT / name, self.root / name)
        return [command_line(job) for job in plan(load(str(ROOT), ["config/shaders"], Sink()))]

    def listed(self, path: Path, trees: Path) -> list[list[str]]:
        jobs: list[dict[str, Any]] = json.loads(path.read_text())
        (self.root / "config/shaders").mkdir(parents=True)
        entries = []
        lines = []
        for top in sorted({job["root"].split("/")[0] for job in jobs}):
            shutil.copytree(trees / top, self.root / top)
        for job in jobs:
            source, folders = f"{job['root']}/{job['file']}", [f"{job['root']}/{f}" for f in job["include_dirs"]]
            macros = {d.partition("=")[0]: d.partition("=")[2] or "1" for d in job["defines"]}
            name = job["id"].replace("/", "-")
            entries.append(
                {
                    "source": source,
                    "include_dirs": folders,
                    "validate": False,
                    "outputs": ["spv"],
                    "hlsl_version": 2018,
                    "entries": [{"entry": job["entry"], "profile": job["profile"], "name": name, "defines": macros}],
                    **options(job["args"]),
                }
            )
            words = [str(trees / source), *job["args"], "-Vd", "-T", job["profile"], "-E", job["entry"]]
            words += [word for folder in folders for word in ("-I", str(trees / folder))]
            lines.append(words + [word for d in job["defines"] for word in ("-D", d)])
        content = {"source_dir": ".", "shaders": entries}
        (self.root / "config/shaders/all.yaml").write_text(json.dumps(content, indent=1))
        return lines

    def build(self, *arguments: str) -> tuple[float, str]:
        before = children()
        done = subprocess.run(
            [sys.executable, "-m", "hlsl_tool", "build", "--root", str(self.root), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert " 0 failed" in done.stdout, done.stdout[-2000:] + done.stderr
        last = done.stdout.splitlines()[-1:] or [done.stderr]
        return children() - before, last[0].removeprefix("shaders: ").rsplit(" (", 1)[0]


FLAGS = {
    "-fspv-target-env": "target_env",
    "-HV": "hlsl_version",
    "-fvk-use-dx-layout": "layout",
    "-Zpr": "matrix_layout",
    "-fvk-use-dx-position-w": "use_dx_position_w",
}


def options(words: list[str]) -> dict[str, Any]:
    """Convert DXC's arguments to configuration keys, as far as the lists contain them; allows all extensions."""
    found: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        name, _, value = word.partition("=")
        if name in ("-fvk-t-shift", "-fvk-b-shift", "-fvk-s-shift", "-fvk-u-shift"):
            shifts = found.setdefault("bindings", {}).setdefault("shifts", {})
            amount, space = next(rest), next(rest)
            shifts.setdefault(name[5], []).append([int(amount), space if space == "all" else int(space)])
        elif name == "-fvk-use-dx-position-w":
            found["use_dx_position_w"] = True
        elif name in ("-fvk-use-dx-layout", "-Zpr"):
            found[FLAGS[name]] = {"layout": "dx", "matrix_layout": "row_major"}[FLAGS[name]]
        elif name in FLAGS:
            found[FLAGS[name]] = value or next(rest)
    return found


def dxc_time(path: Path, lines: list[list[str]]) -> float:
    dxc = Library(path)
    before = cpu()
    for words in lines:
        dxc.compile(Path(words[0]).read_bytes(), [*words, "-O3"])
    return cpu() - before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=Path)
    parser.add_argument("--trees", type=Path)
    parser.add_argument("--header", default="shaders/include/common.hlsli")
    parser.add_argument("--body", default="shaders/include/brdf.hlsli")
    parser.add_argument("--old", default="a2 / (PI * d * d + EPSILON)")
    parser.add_argument("--new", default="a2 / (PI * d * d * 1.01 + EPSILON)")
    arguments = parser.parse_args()
    path = library()
    times: dict[str, list[float]] = {}
    words: dict[str, str] = {}
    cache = tempfile.TemporaryDirectory()
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache.name}
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(ROOT / "hlsl_tool")], env=environment, check=True)
    for _ in range(arguments.rounds):
        with tempfile.TemporaryDirectory() as folder:
            tree = Tree(Path(folder), Path(cache.name))
            lines = tree.listed(arguments.jobs, arguments.trees) if arguments.jobs else tree.samples()

            def step(name: str, *more: str, tree: Tree = tree) -> None:
                seconds, words[name] = tree.build("--store", *(more or (str(tree.store),)))
                times.setdefault(name, []).append(seconds)

            def clean(tree: Tree = tree) -> None:
                shutil.rmtree(tree.root / "build")

            header, body = tree.root / arguments.header, tree.root / arguments.body
            before = body.read_text()
            step("cold, no store", "none")
            clean()
            step("cold, empty store")
            clean()
            step("full store, build folder deleted")
            step("nothing to do")
            header.write_text("// a comment\n" + header.read_text())
            step("comment in a header")
            before = body.read_text()
            assert arguments.old in before
            body.write_text(before.replace(arguments.old, arguments.new, 1))
            step("body of a shared function")
            body.write_text(before)
            step("as it was before")
            if path:
                times.setdefault("DXC -O3 in process", []).append(dxc_time(path, lines))
    print(f"{len(lines)} jobs; medians of {arguments.rounds} rounds, CPU time; ratios round by round")
    print(f"{'':34}{'CPU':>9}{'/ cold':>9}{'/ DXC -O3':>11}")
    for name, seconds in times.items():
        row = f"{name:34}{statistics.median(seconds):7.2f} s"
        for other in ("cold, no store", "DXC -O3 in process"):
            if other in times:
                row += f"{statistics.median(a / b for a, b in zip(seconds, times[other], strict=True)):10.3f}"
        print(f"{row}  {words.get(name, '')}")


if __name__ == "__main__":
    main()
