"""Measure a build with nothing to do in a large tree: CPU and wall time, beside ninja's.

    python bench/null_build.py [--shaders N] [--rounds N] [--keep FOLDER]

The tree is generated: a source for every four shaders (two entries, two permutations each), which includes its share of
40 headers.  It is built once by `hlsl_tool build`, then by each of the ways, and a second time; from then on nothing is
left to do, which is measured.  Ninja has the same outputs, sources and headers, and a command that is never run.
Modules are compiled beforehand, as where hlsl_tool is installed.
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
import time
from pathlib import Path

from forms import PACKAGE, ROOT

HEADERS = 40
INCLUDED = 12
PER_SOURCE = 4

SCONSTRUCT = """\
env = Environment(tools=["hlsl"], toolpath=[{toolpath!r}])
env.SConsignFile(".sconsign." + ARGUMENTS.get("scons_nodes", "auto"))  # neither way is to find the other's
env.HlslShaders("config/shaders")
env.Default("shaders")
"""
NINJA = """\
rule shader
  command = false
  depfile = $out.d
  deps = gcc
rule touched
  command = true
"""


def generate(root: Path, count: int) -> list[tuple[str, list[str]]]:
    """Write a project; return (output without suffix, files that it reads) of each shader."""
    folder = root / "shaders"
    (folder / "include").mkdir(parents=True)
    (root / "config/shaders").mkdir(parents=True)
    (root / "SConstruct").write_text(SCONSTRUCT.format(toolpath=str(ROOT / "site_scons/site_tools")))
    for number in range(HEADERS):
        text = f"float shared_{number}(float x) {{ return x * {number}.5; }}\n"
        (folder / f"include/h{number:02}.hlsli").write_text(text)
    found = []
    shaders = []
    for number in range((count + PER_SOURCE - 1) // PER_SOURCE):
        used = sorted({(number * 7 + step * 3) % HEADERS for step in range(INCLUDED)})
        name = f"area{number % 20:02}/s{number:04}"
        (folder / name).parent.mkdir(exist_ok=True)
        lines = [f'#include "h{each:02}.hlsli"' for each in used]
        lines += [f"float4 {entry}() : SV_Target {{ return shared_{used[0]}(QUALITY + {number}); }}" for entry in "AB"]
        (folder / f"{name}.hlsl").write_text("\n".join(lines) + "\n")
        entries = [{"entry": entry, "profile": "ps_6_0"} for entry in "AB"]
        shaders.append({"source": f"{name}.hlsl", "defines": {"QUALITY": [0, 1]}, "entries": entries})
        reads = [f"shaders/{name}.hlsl", *(f"shaders/include/h{each:02}.hlsli" for each in used)]
        found += [(f"{name}.{entry}.QUALITY={value}", reads) for entry in "AB" for value in (0, 1)]
    content = {"include_dirs": ["include"], "optimize": "none", "validate": False, "shaders": shaders}
    (root / "config/shaders/all.yaml").write_text(json.dumps(content, indent=1))
    return found


def write_ninja(root: Path, jobs: list[tuple[str, list[str]]]) -> None:
    lines = [NINJA]
    for name, reads in jobs:
        outputs = " ".join(f"build/shaders/{name}{suffix}" for suffix in (".spv", ".json"))
        lines.append(f"build {outputs}: touched {reads[0]} | {' '.join(reads[1:])}\n")
    (root / "build.ninja").write_text("".join(lines))


class Tree:
    def __init__(self, root: Path, cache: Path) -> None:
        self.root = root
        self.environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONPYCACHEPREFIX": str(cache)}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.environment.pop("PYTHONUNBUFFERED", None)

    def run(self, *command: str) -> tuple[float, float, str]:
        """Run a command; return (CPU seconds, wall seconds, its last line)."""
        before, began = _children(), time.perf_counter()
        done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)
        wall = time.perf_counter() - began
        if done.returncode:
            sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return _children() - before, wall, (done.stdout.splitlines() or [""])[-1].rsplit(" (", 1)[0]


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shaders", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    parser.add_argument("--keep", type=Path, help="generate the tree here, and leave it")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "pyc"
        root = arguments.keep or Path(folder) / "project"
        jobs = generate(root, arguments.shaders)
        tree = Tree(root, cache)
        python = sys.executable
        ways = {
            "python -c pass": (python, "-c", "pass"),
            "import SCons.Script": (python, "-c", "import SCons.Script"),
            "scons, set node": (python, "-m", "SCons", "-Q", "scons_nodes=set"),
            "scons, single nodes": (python, "-m", "SCons", "-Q", "scons_nodes=single"),
            "hlsl_tool build": (python, "-m", "hlsl_tool", "build"),
        }
        if shutil.which("ninja"):
            write_ninja(root, jobs)
            ways["ninja"] = ("ninja", "--quiet")
        used, _, line = tree.run(python, "-m", "hlsl_tool", "build")
        print(f"built once: {line}, {used:.1f} s CPU")
        times: dict[str, list[tuple[float, float]]] = {}
        lines: dict[str, str] = {}
        for command in ways.values():
            for _ in range(2):
                tree.run(*command)
        for _ in range(arguments.rounds):  # way by way within a round: what else the machine does meets all alike
            for name, command in ways.items():
                cpu, wall, lines[name] = tree.run(*command)
                times.setdefault(name, []).append((cpu, wall))
        reference = times.get("ninja")
        print(f"{len(jobs)} shaders, nothing to do; medians of {arguments.rounds} rounds")
        print(f"{'':22}{'CPU':>9}{'wall':>10}{'CPU / ninja':>13}")
        for name, found in times.items():
            row = f"{name:22}{_median(found, 0):7.3f} s{_median(found, 1):8.3f} s"
            if reference:
                row += f"{statistics.median(a[0] / b[0] for a, b in zip(found, reference, strict=True)):13.1f}"
            print(f"{row}  {lines[name]}")
        if arguments.json:
            rows = {name: {"cpu": _median(found, 0), "wall": _median(found, 1)} for name, found in times.items()}
            content = {"unit": "s", "rounds": arguments.rounds, "shaders": len(jobs), "rows": rows}
            arguments.json.write_text(json.dumps(content, indent=1) + "\n")


def _median(found: list[tuple[float, float]], which: int) -> float:
    return statistics.median(each[which] for each in found)


if __name__ == "__main__":
    main()
