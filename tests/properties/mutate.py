"""Damage many HLSL files and compile them: no traceback, no hang, no invalid module without a located error.

    python tests/properties/mutate.py                          200 mutations of the repository's own shaders and cases
    python tests/properties/mutate.py FOLDER --count 10000     of other files
    python tests/properties/mutate.py --only 4711 --show       one mutation again, with its text

The command line of a file is that in its first ``RUN:`` line; without one, the profile is guessed.  ``--keep FOLDER``
saves the first source of every finding.  HLSL_TOOL_MUTATIONS is the number for the test suite.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import functools
import json
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE)]

from mutations import mutate, mutate_options  # noqa: E402

DEFAULT = (ROOT / "shaders", ROOT / "tests" / "cases")
SECONDS = 10.0
RUN_LINE = re.compile(r"// RUN:\s*(?:not\s+)?(?:%dxc)?\s*([^|>\n]*)")
DROPPED = re.compile(r"-fcgl|-spirv|-Vd|-P|-verify|%s|-no-warnings|-ast-dump.*|--check-prefix=.*")
BAD = ("crash", "hang", "invalid")


@dataclass(frozen=True, slots=True)
class Finding:
    number: int
    kind: str
    """``ok``, ``refused``, ``told`` (spirv-val refuses the module, and the message has a position), or one of BAD."""
    signature: str = ""
    """Key that is equal for findings that probably have one cause."""


def sources(folders: list[pathlib.Path], listed: pathlib.Path | None = None) -> list[pathlib.Path]:
    """Return the files in folders; with ``listed``, only those that the list names, relative to the folder."""
    names = set(listed.read_text().split()) if listed else None
    return [
        path
        for folder in folders
        for path in ([folder] if folder.is_file() else sorted(folder.rglob("*.hlsl")))
        if names is None or str(path.relative_to(folder)) in names
    ]


def command_line(text: str) -> list[str]:
    match = RUN_LINE.search(text)
    if match and "-T" in match[1]:
        with contextlib.suppress(ValueError):
            words = shlex.split(match[1])
            return [word for word in words if not DROPPED.fullmatch(word) and "%" not in word]
    stage = next((s for s, mark in (("cs", "numthreads"), ("ps", "SV_Target")) if mark in text), "vs")
    return ["-T", f"{stage}_6_2", "-E", "main"]


def read(path: pathlib.Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def mutation(files: list[pathlib.Path], seed: int, number: int) -> tuple[pathlib.Path, str, list[str]]:
    """Return (file, damaged text, command line) of the mutation with this number."""
    numbers = random.Random(f"{seed}/{number}")
    path = numbers.choice(files)
    text = read(path)
    others = [read(numbers.choice(files)) for _ in range(3)]
    arguments = mutate_options(command_line(text), numbers)
    return path, mutate(text, others, numbers), [*arguments, "-I", str(path.parent)]


def judge(folder: str, text: str, arguments: list[str]) -> tuple[str, str]:
    """Return (kind, description) of one compilation's result; equal faults have equal descriptions.

    The kinds are ``ok``, ``refused``, ``told`` (invalid SPIR-V with a source location), ``invalid`` and ``crash``.
    """
    from hlsl_tool.cli.dxc import run

    source = pathlib.Path(folder, "x.hlsl")
    source.write_text(text, encoding="utf-8", errors="surrogateescape")
    try:
        status, _, messages = run([*arguments, "x.hlsl", "-Fo", "x.spv"], folder)
    except Exception as error:  # noqa: BLE001  this is what is looked for
        frame = traceback.extract_tb(error.__traceback__)[-1]
        text = re.sub(r"\d+|'[^']*'|`[^`]*`", "N", str(error))[:80]
        place = f"{pathlib.Path(frame.filename).name}:{frame.name}"
        return "crash", f"{type(error).__name__} {place} {text}"
    if status == 0:
        return "ok", ""
    bad = re.search(r"(?:generated SPIR-V is invalid|failed to (?:optimize|legalize) SPIR-V): ([^\n]*)", messages)
    if bad or status not in (1, 2) or "Traceback" in messages or "internal compiler error" in messages:
        words = bad[1] if bad else messages.strip().split("\n")[-1]
        placed = bad is not None and re.search(r":\d+:\d+: (?:fatal )?error: generated SPIR-V is invalid", messages)
        return "told" if placed else "invalid", re.sub(r"'[^']*'|%?\d+(?:\[[^\]]*\])?|\[[^\]]*\]", "N", words)[:120]
    return "refused", ""


def work(files: list[pathlib.Path], seed: int, numbers: list[int]) -> None:
    """Judge mutations and print a line of JSON for each; end the process if one takes too long."""
    from hlsl_tool.base.system.deep_stack import with_deep_stack

    current: list[tuple[int, float]] = []

    def say(finding: Finding) -> None:
        print(json.dumps([finding.number, finding.kind, finding.signature]), flush=True)

    def loop() -> None:
        with tempfile.TemporaryDirectory() as folder:
            for number in numbers:
                _, text, arguments = mutation(files, seed, number)
                current[:] = [(number, time.monotonic())]
                kind, signature = with_deep_stack(functools.partial(judge, folder, text, arguments))
                say(Finding(number, kind, signature))

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.25)
        if current and time.monotonic() - current[0][1] > SECONDS:
            say(Finding(current[0][0], "hang", _where()))
            os._exit(3)


def _where() -> str:
    """Return the names of the four innermost functions on the deepest stack of this process's threads."""
    stacks = (traceback.extract_stack(frame) for frame in sys._current_frames().values())
    deepest = max(stacks, key=len)
    return " < ".join(frame.name for frame in reversed(deepest[-4:]))


def findings(arguments: list[str], numbers: list[int], jobs: int) -> Iterator[Finding]:
    """Yield the results of all mutations, from worker processes; one that hangs is replaced and continues after it."""
    shares = [numbers[i::jobs] for i in range(jobs)]
    lock = threading.Lock()
    done: list[Finding] = []

    def follow(share: list[int]) -> None:
        while share:
            command = [sys.executable, __file__, *arguments, "--worker"]
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
            )
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(" ".join(map(str, share)))
            process.stdin.close()
            for line in process.stdout:
                finding = Finding(*json.loads(line))
                with lock:
                    done.append(finding)
                share = share[share.index(finding.number) + 1 :]
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # the tools that a hanging worker has started
            if process.wait() not in (0, 3, -signal.SIGKILL) and share:
                with lock:
                    done.append(Finding(share[0], "crash", f"the process ended with status {process.returncode}"))
                share = share[1:]

    threads = [threading.Thread(target=follow, args=(share,)) for share in shares]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads) or done:
        with lock:
            ready, done[:] = list(done), []
        yield from ready
        time.sleep(0.1)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=pathlib.Path, default=list(DEFAULT))
    parser.add_argument("--list", type=pathlib.Path, help="a file with the names of the files to take")
    parser.add_argument("--count", type=int, default=int(os.environ.get("HLSL_TOOL_MUTATIONS", "200")))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--only", type=int)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    files = sources([folder.resolve() for folder in options.folders], options.list)
    if options.worker:
        work(files, options.seed, [int(word) for word in sys.stdin.read().split()])
        return 0
    numbers = [options.only] if options.only is not None else list(range(options.first, options.first + options.count))
    passed = [*map(str, options.folders), "--seed", str(options.seed)]
    passed += ["--list", str(options.list)] if options.list else []
    if options.show:
        for number in numbers:
            path, text, arguments = mutation(files, options.seed, number)
            print(f"// {path}\n// RUN: {shlex.join(arguments)}\n{text}")
    counts: collections.Counter[str] = collections.Counter()
    causes: dict[tuple[str, str], list[int]] = {}
    for finding in findings(passed, numbers, options.jobs):
        counts[finding.kind] += 1
        if finding.kind in BAD or finding.kind == "told":
            seen = causes.setdefault((finding.kind, finding.signature), [])
            seen.append(finding.number)
            if len(seen) == 1 and finding.kind in BAD:
                print(f"{finding.number}: {finding.kind}: {finding.signature}", flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    path, text, arguments = mutation(files, options.seed, finding.number)
                    head = f"// {path.name}: {finding.kind}: {finding.signature}\n// RUN: {shlex.join(arguments)}\n"
                    (options.keep / f"{finding.number}.hlsl").write_text(head + text)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())))
    for (kind, signature), seen in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"{len(seen):5} {kind}: {signature}   {' '.join(map(str, seen[:4]))}")
    return int(any(counts[kind] for kind in BAD))


if __name__ == "__main__":
    sys.exit(main())
