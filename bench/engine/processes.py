"""Measure a command: CPU time including children, wall time, and the memory of each compiling process."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

WORKER = b"hlsl_tool.project.build.workers.worker"
EVERY = 0.1
"""Seconds between looks at the workers' memory: the last look misses what a worker takes at its very end."""


@dataclass
class Cost:
    cpu: float
    wall: float
    peak: float
    """The largest resident set of any of the processes in MB (ru_maxrss)."""
    out: str
    status: int
    workers: dict[int, float] = field(default_factory=dict)
    """Worker process → its largest resident set in MB (VmHWM)."""


def run(command: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> Cost:
    """Run a command and return its cost.

    CPU time is the kernel's count for the process and the children that it waited for.
    """
    began = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
    ) as process:
        look = _Look(process.pid)
        assert process.stdout is not None
        out = process.stdout.read().decode(errors="replace")
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        look.end()
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, out, process.returncode, look.found)


class _Look(threading.Thread):
    def __init__(self, top: int) -> None:
        super().__init__(daemon=True)
        self.top = top
        self.found: dict[int, float] = {}
        self.over = threading.Event()
        self.start()

    def run(self) -> None:
        while not self.over.wait(EVERY):
            for process in _workers(self.top):
                try:
                    lines = Path(f"/proc/{process}/status").read_text().splitlines()
                except OSError:
                    continue  # it has ended
                peak = next((line.split()[1] for line in lines if line.startswith("VmHWM:")), "0")
                self.found[process] = int(peak) / 1024

    def end(self) -> None:
        self.over.set()
        self.join()


def _workers(process: int) -> list[int]:
    """Return the worker processes among the descendants of a process.

    Children of a worker are skipped: they have the command line of a worker until they execute spirv-opt.
    """
    found = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            for child in path.read_text().split():
                if WORKER in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.append(int(child))
                else:
                    found += _workers(int(child))
        except OSError:
            continue  # it has ended
    return found
