"""Put small faults into a copy of the package, one at a time: the nearest tests must notice each.

    python -m tests.programs.mutants                       all faults of mutants.toml
    python -m tests.programs.mutants --only pack,utf-16    those whose ids or files contain one of the words
    python -m tests.programs.mutants --count 10 --seed 3   ten of them

A fault that no test notices shows a rule without a test. Write a test of the rule, not of the changed line; replace a
fault that changes no behaviour.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = pathlib.Path(__file__).with_suffix(".toml")
TIMEOUT = 300.0
"""Limit in seconds of the tests of a fault; a fault that makes them hang is noticed."""

SURVIVORS = frozenset(("part-of-composite",))
"""Ids of the faults that no test notices."""

_USAGE, _NO_TESTS = 4, 5
"""Exit statuses of pytest that show neither success nor failure."""
_LINKED = frozenset(("spirv_tools", "node_modules"))
"""Folders of large files that no fault changes: the copy has links to them."""
_LEFT_OUT = frozenset((".git", ".venv", "build", "dist", "venv", "__pycache__"))
"""Folders at the root, or of caches, that the tests do not need."""


@dataclass(frozen=True)
class Mutant:
    """A fault: a replacement in one file, with the tests that should notice it."""

    id: str
    file: str
    """The changed file, from the package's folder."""
    before: str
    after: str
    tests: tuple[str, ...]
    """Files and folders of tests, from the folder of tests."""

    def path(self, root: pathlib.Path) -> pathlib.Path:
        """Return the path of the changed file in a copy of the tree."""
        return root / "hlsl_tool" / self.file

    def applied(self, text: str) -> str:
        """Return the file's text with the fault.

        Raise ``ValueError`` if the text to replace does not occur exactly once.
        """
        count = text.count(self.before)
        if count != 1:
            raise ValueError(f"{self.id}: `before` is in {self.file} {count} times, not once")
        return text.replace(self.before, self.after)


@dataclass(frozen=True)
class Outcome:
    """The result of the tests for one fault."""

    mutant: Mutant
    is_killed: bool
    seconds: float
    detail: str
    """The test that failed, or why there is none."""


def mutants() -> list[Mutant]:
    """Return the faults listed in `mutants.toml`."""
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(**{**row, "tests": tuple(row["tests"])}) for row in rows]


class Copy:
    """A copy of the tree in which faults are applied."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.root = folder / "tree"
        self.folder = folder
        shutil.copytree(ROOT, self.root, ignore=_ignored, symlinks=True)
        for path in ROOT.glob("hlsl_tool/spirv/tools/spirv_tools"):
            (self.root / path.relative_to(ROOT)).symlink_to(path)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HLSL_TOOL_STORE")}
        paths = [str(self.root), *filter(None, [os.environ.get("PYTHONPATH", "").replace(str(ROOT), str(self.root))])]
        self.environment = {
            **environment,
            "PYTHONPATH": os.pathsep.join(paths),
            "XDG_CACHE_HOME": str(folder / "cache"),  # a faulty compiler must not write to the user's store
            "XDG_RUNTIME_DIR": "",
            "PYTHONDONTWRITEBYTECODE": "1",  # that of two faults could have one size and time
        }

    def run(self, mutant: Mutant) -> Outcome:
        """Apply the fault and run the nearest tests."""
        path = mutant.path(self.root)
        text = path.read_text(encoding="utf-8")
        path.write_text(mutant.applied(text), encoding="utf-8")
        began = time.monotonic()
        try:
            status, output = self.pytest(mutant.tests)
        finally:
            path.write_text(text, encoding="utf-8")
        return Outcome(mutant, status != 0, time.monotonic() - began, _first_failure(status, output))

    def pytest(self, tests: Iterable[str]) -> tuple[int, str]:
        """Run tests in the copy; return (exit status, output)."""
        words = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not nightly"]
        command = [sys.executable, "-m", "pytest", *words, *(f"tests/{test}" for test in tests)]
        process = subprocess.Popen(
            command,
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            output = f"no end within {TIMEOUT:g} s"
            process.returncode = -1
        finally:
            if process.poll() is None or process.returncode < 0:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if process.returncode in (_USAGE, _NO_TESTS):
            raise RuntimeError(f"no tests ran: {output.strip()[-300:]}")
        return process.returncode, output


def _ignored(folder: str, names: list[str]) -> set[str]:
    is_root = pathlib.Path(folder) == ROOT
    return {name for name in names if name in _LINKED or name.endswith("_cache") or (is_root and name in _LEFT_OUT)}


def _first_failure(status: int, output: str) -> str:
    if status == 0:
        return "all tests passed"
    for line in output.splitlines():
        if line.startswith(("FAILED ", "ERROR ")):
            return line.partition(" ")[2].partition(" - ")[0]
    lines = output.strip().splitlines()
    return lines[-1] if lines else f"status {status}"


def run(chosen: Sequence[Mutant], jobs: int, report: Callable[[Outcome], None]) -> list[Outcome]:
    """Run the tests for several faults in parallel, each in a separate copy; report each outcome when it is there."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        local, copies = threading.local(), iter(range(len(chosen)))

        def one(mutant: Mutant) -> Outcome:
            if not hasattr(local, "copy"):
                place = pathlib.Path(folder, str(next(copies)))
                place.mkdir()
                local.copy = Copy(place)
            outcome: Outcome = local.copy.run(mutant)
            report(outcome)
            return outcome

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(one, chosen))


def baseline(chosen: Sequence[Mutant]) -> str:
    """Run the tests without any fault; return the first failure, or ``""``."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        status, output = Copy(pathlib.Path(folder)).pytest(sorted({test for mutant in chosen for test in mutant.tests}))
        return _first_failure(status, output) if status else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="faults whose ids or files contain one of these words, with commas")
    parser.add_argument("--jobs", type=int, default=1, help="faults at a time")
    parser.add_argument("--count", type=int, help="as many of them, chosen by the seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--baseline", action="store_true", help="run the tests without a fault first")
    options = parser.parse_args()
    words = options.only.split(",")
    chosen = [m for m in mutants() if any(word in m.id or word in m.file for word in words)]
    if options.count is not None:
        chosen = random.Random(options.seed).sample(chosen, min(options.count, len(chosen)))
    if options.baseline and (failure := baseline(chosen)):
        print(f"fails without a fault: {failure}")
        return 2
    began = time.monotonic()

    def report(outcome: Outcome) -> None:
        word = "killed  " if outcome.is_killed else "SURVIVED"
        print(f"{word} {outcome.seconds:6.1f} s  {outcome.mutant.id}: {outcome.detail}", flush=True)

    outcomes = run(chosen, options.jobs, report)
    alive = [outcome.mutant.id for outcome in outcomes if not outcome.is_killed]
    print(f"{len(outcomes) - len(alive)} of {len(outcomes)} killed in {time.monotonic() - began:.0f} s")
    if alive:
        print(f"survivors: {', '.join(alive)}")
    return 1 if set(alive) - SURVIVORS else 0


if __name__ == "__main__":
    sys.exit(main())
