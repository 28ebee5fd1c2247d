"""Measure the CPU time of starting Python, the commands and the library, and of calls of a warm compile server.

    python bench/start_up.py [--rounds N] [--json FILE]

Each row is the CPU time of a whole process in milliseconds, the median of the rounds; the rows take turns within a
round. Modules are compiled beforehand, as where hlsl_tool is installed. With a server the CPU time of its workers is
added; it is counted in ticks of 10 ms, so it is the mean over a row of calls.
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
from collections.abc import Sequence
from pathlib import Path

from forms import PACKAGE

SHADER = "float4 main() : SV_Target { return float4(1, 0.5, 0, 1); }\n"
FIRST = "import hlsl_tool; assert hlsl_tool.compile_shader(open('a.hlsl').read(), profile='ps_6_0').ok"
CALL = ("-m", "hlsl_tool.hlsl2spirv", "-T", "ps_6_0", "a.hlsl", "-Fo", "a.spv")

ROWS = {
    "python": ("-c", "pass"),
    "import of the client": ("-c", "import hlsl_tool.apps.server.client"),
    "hlsl_tool --version": ("-m", "hlsl_tool", "--version"),
    "hlsl2spirv --no-server": (*CALL, "--no-server"),
    "compile_shader": ("-c", FIRST),
}
"""Name of a row → arguments of Python."""

CALLS = 50
"""Number of calls of the warm server."""


class Bench:
    """A folder with a shader, and the environment of the calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "a.hlsl").write_text(SHADER)
        (folder / "run" / "hlsl_tool").mkdir(parents=True, mode=0o700)
        (folder / "run").chmod(0o700)
        own = {"PYTHONPATH": str(PACKAGE), "PYTHONPYCACHEPREFIX": str(folder / "pyc")}
        self.environment = {**os.environ, **own, "XDG_RUNTIME_DIR": str(folder / "run")}
        for name in ("PYTHONDONTWRITEBYTECODE", "HLSL_TOOL_SERVER"):
            self.environment.pop(name, None)

    def run(self, *arguments: str) -> float:
        """Return the CPU time of a process and its children, in milliseconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=self.environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def rows(self, rounds: int) -> dict[str, float]:
        """Return name of a row → median milliseconds."""
        for arguments in ROWS.values():
            self.run(*arguments)
        times: dict[str, list[float]] = {name: [] for name in ROWS}
        for _ in range(rounds):
            for name, arguments in ROWS.items():
                times[name].append(self.run(*arguments))
        return {name: statistics.median(row) for name, row in times.items()}

    def server(self) -> dict[str, float]:
        """Return the rows of calls that a warm server answers; empty if no server can run."""
        if not Path("/proc/self/stat").exists():
            return {}
        command = [sys.executable, "-m", "hlsl_tool.apps.server"]
        with subprocess.Popen(command, cwd=self.folder, env=self.environment) as process:
            try:
                while not any((self.folder / "run/hlsl_tool").glob("server-*[0-9a-f]")):
                    if process.poll() is not None:
                        raise SystemExit("the server does not start")
                    time.sleep(0.05)
                for _ in range(5):
                    self.run(*CALL)
                before = ticks(process.pid)
                clients = [self.run(*CALL) for _ in range(CALLS)]
                served = (ticks(process.pid) - before) * 1000 / os.sysconf("SC_CLK_TCK") / CALLS
            finally:
                process.terminate()
        client = statistics.median(clients)
        return {"server warm: client": client, "server warm: server": served, "server warm: both": client + served}


def ticks(process: int) -> int:
    """Return the CPU time in ticks of a process and its children, including ended ones."""
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if process in (int(path.parent.name), int(fields[1])):
            total += sum(map(int, fields[11:15]))
    return total


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    arguments = parser.parse_args(argv)
    folder = Path(tempfile.mkdtemp(prefix="hs"))  # short: the path of a socket has at most 103 bytes
    try:
        bench = Bench(folder)
        rows = {**bench.rows(arguments.rounds), **bench.server()}
    finally:
        shutil.rmtree(folder)
    for name, value in rows.items():
        print(f"{name:24}{value:8.1f} ms")
    if arguments.json:
        content = {"unit": "ms of CPU", "rounds": arguments.rounds, "rows": rows}
        arguments.json.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
