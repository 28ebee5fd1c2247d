"""Measure the time from a save to the new .spv in a running watcher, by stages, in milliseconds of wall time.

    python bench/watch.py [--rounds N] [--jobs jobs.json --trees FOLDER] [--files N] [--count N]

One `hlsl_tool watch --events` process watches a copy of a project with `optimize: none` and no validation.  A shader's
source is saved repeatedly, by a temporary file and a rename, each time with another number in a constant that is added
to it; the time of a save ends when this program has read the `unchanged` or `built` event.  The columns:

    event     from the rename until the watcher knows the affected shaders, and the transport of the event
    compile   the compiler, including its look-ups in the store
    write     the rest: records, outputs
    CPU       CPU time per save of the watcher and its children, including work after the event (Linux only)
    first     total time of the first save of the shader after the start of a watcher of a built project

The shader is a small sample; with ``--jobs`` a typical and the most expensive shader of a list (by DXC's time) are
added.  ``--files`` adds a shader with N headers, which are not saved: more files to watch.  The last table is
the null check of a project with N shaders: one file is saved without a change; and no event came for a while, so that
the stamps of all files are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from forms import PACKAGE, ROOT, import_from_package

import_from_package()

from store import options

SETTLED = 6.0
"""Seconds between the start of a watcher and the first save."""

SAVED = ("built", "unchanged")
"""The events of a save: a constant that nothing uses leaves the outputs as they were."""

HEAVIEST = ("objectPS", "envMapPS")


def sample() -> dict[str, Any]:
    """Return the smallest source of the samples that contains a pixel shader."""
    found = [path for path in sorted((ROOT / "shaders").rglob("*.hlsl")) if "PSMain(" in path.read_text()]
    path = min(found, key=lambda path: (path.stat().st_size, path))
    return {
        "source": path.relative_to(ROOT).as_posix(),
        "entry": "PSMain",
        "profile": "ps_6_0",
        "include_dirs": ["shaders/include"],
        "target_env": "vulkan1.1",
    }


def listed(path: Path) -> dict[str, dict[str, Any]]:
    jobs: list[dict[str, Any]] = json.loads(path.read_text())
    largest = max((job["root"] for job in jobs), key=[job["root"] for job in jobs].count)
    mine = sorted((job for job in jobs if job["root"] == largest), key=lambda job: job["dxc_ms"])
    found = {"typical": mine[len(mine) // 2]}
    found |= {name: job for job in mine if (name := Path(job["file"]).stem) in HEAVIEST}
    return {name: _entry(job) for name, job in found.items()}


def _entry(job: dict[str, Any]) -> dict[str, Any]:
    return {
        "source": f"{job['root']}/{job['file']}",
        "entry": job["entry"],
        "profile": job["profile"],
        "include_dirs": [f"{job['root']}/{folder}" for folder in job["include_dirs"]],
        "defines": {d.partition("=")[0]: d.partition("=")[2] or "1" for d in job["defines"]},
        "hlsl_version": 2018,
        **options(job["args"]),
    }


class Watched:
    def __init__(self, root: Path, cache: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hlsl_tool", "watch", "--root", str(root), "--events"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def event(self, *kinds: str) -> dict[str, Any]:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            event: dict[str, Any] = json.loads(line)
            if event["event"] in kinds:
                return event
            assert event["event"] != "failed", event
        raise EOFError("the watcher has ended")

    def build(self) -> None:
        """Wait until everything is built, then end the watcher."""
        try:
            self.event("settled")
        finally:
            self.close()

    def cpu(self) -> float:
        """Return the CPU seconds so far, including ended processes."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return float("nan")
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def save(path: Path, text: str) -> float:
    temporary = path.with_name(path.name + ".saving")
    temporary.write_text(text)
    now = time.perf_counter()
    os.replace(temporary, path)
    return now


def project(folder: Path, shaders: dict[str, dict[str, Any]], trees: Path | None) -> Path:
    root = folder / "project"
    (root / "config/shaders").mkdir(parents=True)
    shutil.copytree(ROOT / "shaders", root / "shaders")
    for top in {shader["source"].split("/")[0] for shader in shaders.values()} - {"shaders"}:
        shutil.copytree((trees or folder) / top, root / top)
    entries = [
        {**shader, "name": name, "optimize": "none", "validate": False, "outputs": ["spv"]}
        for name, shader in shaders.items()
    ]
    content = {"source_dir": ".", "shaders": [_split(entry) for entry in entries]}
    (root / "config/shaders/all.yaml").write_text(json.dumps(content, indent=1))
    return root


def add_files(root: Path, count: int) -> None:
    """Add a shader that includes so many headers, in folders of fifteen: files that the watcher has to know."""
    headers = [f"many/f{number // 15}/h{number}.h" for number in range(count)]
    for number, header in enumerate(headers):
        (root / "shaders" / header).parent.mkdir(parents=True, exist_ok=True)
        (root / "shaders" / header).write_text(f"static const float many{number} = {number};\n")
    includes = "".join(f'#include "{header}"\n' for header in headers)
    (root / "shaders/many.hlsl").write_text(includes + "float4 PSMain() : SV_Target { return many0; }\n")
    entry = {"source": "shaders/many.hlsl", "optimize": "none", "validate": False, "outputs": ["spv"]}
    entry["entries"] = [{"entry": "PSMain", "profile": "ps_6_0"}]
    content = {"source_dir": ".", "shaders": [entry]}
    (root / "config/shaders/many.yaml").write_text(json.dumps(content, indent=1))


def _split(entry: dict[str, Any]) -> dict[str, Any]:
    inner = {key: entry.pop(key) for key in ("entry", "profile", "name", "defines") if key in entry}
    return {**entry, "entries": [inner]}


def first_save(root: Path, name: str, shader: dict[str, Any], cache: str) -> float:
    """Return the milliseconds of the first save after the start of a watcher with nothing to build."""
    Watched(root, cache).build()
    watched = Watched(root, cache)
    try:
        watched.event("hello")
        time.sleep(SETTLED)
        path = root / shader["source"]
        text = path.read_text()
        began = save(path, f"{text}\nstatic const float first_{name} = 1;\n")
        watched.event(*SAVED)
        total = (time.perf_counter() - began) * 1000
        save(path, text)
        watched.event("settled")
        return total
    finally:
        watched.close()


def measure(root: Path, shaders: dict[str, dict[str, Any]], rounds: int, cache: str) -> dict[str, dict[str, float]]:
    """Return shader → column → milliseconds."""
    found: dict[str, dict[str, float]] = {}
    first = {name: first_save(root, name, shader, cache) for name, shader in shaders.items()}
    watched = Watched(root, cache)
    try:
        watched.event("settled")
        names = ("total", "event", "compile", "write", "CPU", "first")
        columns = "".join(f"{name:>9}" for name in names)
        print(f"{'':12}{columns}   median of {rounds} saves, ms")
        for name, shader in shaders.items():
            path = root / shader["source"]
            text = path.read_text()
            rows = []
            for number in range(rounds + 2):
                began = save(path, f"{text}\nstatic const float watched_{name} = {number};\n")
                built = watched.event(*SAVED)
                total = (time.perf_counter() - began) * 1000
                watched.event("settled")
                time.sleep(0.4)  # as a person does
                if number == 1:
                    before = watched.cpu()
                if number >= 2:  # the first saves warm the memory up
                    rows.append((total, total - built["ms"], built["compile_ms"], built["ms"] - built["compile_ms"]))
            used = (watched.cpu() - before) * 1000 / rounds
            save(path, text)
            watched.event("settled")
            medians = [statistics.median(column) for column in zip(*rows, strict=True)]
            values = (*medians, used, first[name])
            found[name] = dict(zip(names, values, strict=True))
            print(f"{name:12}" + "".join(f"{value:9.1f}" for value in values) + f"   {shader['source']}")
    finally:
        watched.close()
    return found


def null_check(folder: Path, count: int, rounds: int) -> None:
    from hlsl_tool.project.watch.loop import Watcher
    from hlsl_tool.project.watch.screen import Screen

    root = folder / "many"
    (root / "config/shaders").mkdir(parents=True)
    (root / "shaders/common").mkdir(parents=True)
    for number in range(50):
        (root / f"shaders/common/h{number}.h").write_text(f"static const float h{number} = {number};\n")
    includes = "".join(f'#include "common/h{number}.h"\n' for number in range(30))
    for number in range(count):
        source = f"{includes}float4 main() : SV_Target {{ return h{number % 30} + {number}; }}\n"
        (root / f"shaders/s{number}.hlsl").write_text(source)
    (root / "config/shaders/all.yaml").write_text(
        json.dumps(
            {
                "shaders": [
                    {"source": "*.hlsl", "profile": "ps_6_0", "outputs": ["spv"], "optimize": "none", "validate": False}
                ]
            }
        )
    )
    watcher = Watcher(str(root), ["config/shaders"], screen=Screen(lambda text: None, str), store=["none"])
    began = time.perf_counter()
    watcher.start()
    first = time.perf_counter() - began
    place = str(root / "shaders/s7.hlsl")
    times: dict[str, list[float]] = {}
    for _ in range(max(rounds, 11)):
        for name, paths in (
            ("one file, saved as it was", {place}),
            ("nothing came for a while", set[str]()),
        ):
            began = time.perf_counter()
            watcher.step(paths)
            times.setdefault(name, []).append((time.perf_counter() - began) * 1000)
    assert not watcher.rebuilder.stale and watcher.board.batch.done == count
    watcher.close()
    print(f"\nnull check, {count} shaders with 30 headers each ({first:.0f} s to build them at first):")
    for name, found in times.items():
        print(f"  {name:32}{statistics.median(found):7.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--jobs", type=Path)
    parser.add_argument("--trees", type=Path)
    parser.add_argument("--files", type=int, default=0, help="headers of another shader of the watched project")
    parser.add_argument("--count", type=int, default=2000, help="shaders of the null check; 0 leaves it out")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    arguments = parser.parse_args()
    shaders = {"small": sample(), **(listed(arguments.jobs) if arguments.jobs else {})}
    with tempfile.TemporaryDirectory() as folder:
        root = project(Path(folder), shaders, arguments.trees)
        if arguments.files:
            add_files(root, arguments.files)
        rows = measure(root, shaders, arguments.rounds, f"{folder}/cache")
        if arguments.json:
            content = {"unit": "ms", "rounds": arguments.rounds, "rows": rows}
            arguments.json.write_text(json.dumps(content, indent=1) + "\n")
        if arguments.count:
            null_check(Path(folder), arguments.count, arguments.rounds)


if __name__ == "__main__":
    main()
