"""Measure cold builds by `scons` with and without a compile server beside `ninja` with one DXC process a shader.

    python bench/engine/cold.py --jobs jobs.json --trees FOLDER --dxc "DRIVER LIBRARY" [-j 2 8 16] [--rounds 4]
        [--only TREE …] [--ways set,build] [--json FILE]

The list, the trees and DRIVER are those of ``bench/engine``. The tree `tiny` is generated: 40 shaders of a few lines.

Three builds run in turns, forwards and backwards: by ninja; by hlsl_tool as it is installed (no server runs, so that
the build starts one; nothing is stored); and by hlsl_tool with a server that has never seen the project. CPU time is
that of all processes, also of the server from the start of the build to its end. Values are medians.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE), str(HERE.parents[1])]

from forms import PACKAGE, import_from_package

import_from_package()

from processes import Cost
from trees import WAYS, Listed, Ninja, Ours, Way, name_of

TINY = 40
"""Number of shaders of the generated tree."""

FORM = "{:34}{:>8}{:>10}{:>10}{:>8}{:>10}{:>10}{:>8}"


class Server:
    """The compile server of an environment: starts and ends it, and reads its CPU time."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment

    def call(self, verb: str) -> str:
        command = [sys.executable, "-m", "hlsl_tool", "server", verb]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        return done.stdout

    def cpu(self) -> float:
        """Return the CPU seconds of the server and its workers so far; 0 if none runs."""
        words = self.call("status").split()
        return _cpu(int(words[1])) if words[:1] == ["process"] else 0.0


def _cpu(process: int) -> float:
    """Return the CPU seconds of a process, of its ended children, and of all descendants that run."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        children = [path.read_text().split() for path in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:
        return 0.0  # it has ended
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_cpu(int(child)) for group in children for child in group)


class Contest:
    """One tree, built by both sides in turns."""

    def __init__(self, folder: Path, trees: Path, jobs: list[Listed], driver: list[str], cache: str, way: Way) -> None:
        self.way = way
        self.names = {name_of(job) for job in jobs}
        self.ninja = Ninja(folder / "ninja", trees, jobs, driver, ["-O3"])
        self.ours = Ours(folder / "ours", trees, jobs, cache, {})
        run_folder = folder / "run"
        run_folder.mkdir(mode=0o700)
        self.ours.environment |= {"XDG_RUNTIME_DIR": str(run_folder), "HLSL_TOOL_SERVER": ""}
        self.ours.environment.pop("CI", None)
        self.server = Server(self.ours.environment)

    def theirs(self, processes: int) -> Cost:
        cost = self.ninja.build(processes)
        missing = self.names - self.ninja.built()
        assert not missing, f"DXC compiles all of the list; not {sorted(missing)}\n{cost.out[-2000:]}"
        return cost

    def alone(self, processes: int) -> Cost:
        return self._build(processes)

    def warm(self, processes: int) -> Cost:
        self.server.call("start")
        time.sleep(1.0)
        return self._build(processes)

    def _build(self, processes: int) -> Cost:
        self.ours.clean(store=True)
        before = self.server.cpu()
        cost = self.ours.build(self.way, processes)
        cost.cpu += self.server.cpu() - before
        self.server.call("stop")
        assert self.ours.built() == self.names, cost.out[-2000:]
        return cost


def measure(contest: Contest, processes: int, rounds: int) -> dict[str, Cost]:
    """Return kind of build → median cost."""
    kinds: dict[str, Callable[[int], Cost]] = {
        "dxc": contest.theirs,
        "alone": contest.alone,
        "warm": contest.warm,
    }
    costs: dict[str, list[Cost]] = {kind: [] for kind in kinds}
    for build in kinds.values():
        build(processes)  # fills the caches of the system
    for number in range(rounds):
        for kind in list(kinds)[:: 1 if number % 2 == 0 else -1]:
            costs[kind].append(kinds[kind](processes))
    return {
        kind: Cost(statistics.median(c.cpu for c in each), statistics.median(c.wall for c in each), 0.0, "", 0)
        for kind, each in costs.items()
    }


def tiny_tree(folder: Path) -> list[Listed]:
    """Write the shaders of the tree `tiny` and return their list."""
    (folder / "tiny").mkdir()
    (folder / "tiny/tint.hlsli").write_text("cbuffer C { float4 c; };\nfloat4 tint(float x) { return c * x + 1; }\n")
    jobs: list[Listed] = []
    for number in range(TINY):
        (folder / f"tiny/s{number}.hlsl").write_text(
            '#include "tint.hlsli"\n'
            f"Texture2D<float4> t : register(t{number % 8});\n"
            "float4 main(float2 p : TEXCOORD) : SV_Target\n"
            f"{{ return t.Load(int3(p * {number + 1}, 0)) * tint({number}); }}\n"
        )
        listed = {"id": f"tiny/s{number}", "root": "tiny", "file": f"s{number}.hlsl", "entry": "main"}
        jobs.append({**listed, "profile": "ps_6_0", "defines": [], "include_dirs": [], "args": []})
    return jobs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=Path, required=True)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--dxc", type=shlex.split, required=True, help="the command that stands before DXC's arguments")
    parser.add_argument("-j", type=int, nargs="+", default=[2], dest="processes")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", nargs="+", default=[], help="names of trees")
    parser.add_argument("--ways", default="set")
    parser.add_argument("--json", type=Path, help="the numbers, for other programs")
    arguments = parser.parse_args()
    listed: list[Listed] = json.loads(arguments.jobs.read_text())
    written: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        cache = f"{folder}/cache"
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        compile_all = [sys.executable, "-m", "compileall", "-q", str(PACKAGE / "hlsl_tool")]
        subprocess.run(compile_all, env=environment, check=True)
        groups = {"tiny": (Path(folder), tiny_tree(Path(folder)))}
        for name in sorted({job["id"].split("/")[0] for job in listed}):
            jobs = [job for job in listed if job["id"].split("/")[0] == name]
            groups[name] = arguments.trees.resolve(), jobs
        print(FORM.format("", "CPU s", "DXC CPU", "CPU /", "wall s", "DXC wall", "wall /", "shaders"))
        for name, (trees, jobs) in groups.items():
            if arguments.only and name not in arguments.only:
                continue
            for way in arguments.ways.split(","):
                contest = Contest(Path(folder) / f"{name}-{way}", trees, jobs, arguments.dxc, cache, WAYS[way])
                for processes in arguments.processes:
                    costs = measure(contest, processes, arguments.rounds)
                    peer = costs["dxc"]
                    for kind in ("alone", "warm"):
                        ours = costs[kind]
                        row = [f"{name}, {WAYS[way].name}, -j{processes}, {kind}"]
                        row += [f"{ours.cpu:.2f}", f"{peer.cpu:.2f}", f"{ours.cpu / peer.cpu:.2f}"]
                        row += [f"{ours.wall:.2f}", f"{peer.wall:.2f}", f"{ours.wall / peer.wall:.2f}"]
                        print(FORM.format(*row, len(jobs)), flush=True)
                        written.append(
                            {"tree": name, "way": way, "processes": processes, "kind": kind, "shaders": len(jobs)}
                            | {"cpu": ours.cpu, "wall": ours.wall, "dxc_cpu": peer.cpu, "dxc_wall": peer.wall}
                        )
    if arguments.json:
        arguments.json.write_text(json.dumps(written, indent=1))


if __name__ == "__main__":
    main()
