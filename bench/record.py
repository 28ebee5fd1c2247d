"""Run the benchmarks that docs/performance.md shows, and write their results to one JSON file.

    python bench/record.py --dxc "DRIVER LIBRARY" --jobs jobs.json --trees FOLDER --edit TREE HEADER OLD NEW
        --json bench/records/NAME.json
    python bench/record.py --page docs/performance.md bench/records/*.json

DRIVER takes DXC's command line and LIBRARY is libdxcompiler: the first is a process for each shader, below ninja, the
second is called in process.  ``--edit`` is as in bench/engine.  $HLSL_TOOL_PACKAGE names the folder of another form of
hlsl_tool, such as a compiled one.  Nothing else should run meanwhile; it takes about a quarter of an hour.

The second command writes the page from records, a column for each.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from forms import PACKAGE, ROOT

HERE = Path(__file__).resolve().parent
Record = dict[str, Any]


# ---------------------------------------------------------------- measure


def measure(arguments: argparse.Namespace) -> Record:
    """Run all benchmarks; raise CalledProcessError if one fails."""
    trees = ["--jobs", str(arguments.jobs.resolve()), "--trees", str(arguments.trees.resolve())]
    edit = ["--edit", *arguments.edit] if arguments.edit else []
    commands = {
        "engine": ["engine", *trees, "--dxc", arguments.dxc, "-j2", "--ways", "set", *edit],
        "cold": ["engine/cold.py", *trees, "--dxc", arguments.dxc, "-j", "2", "8", "16", "--ways", "build"],
        "samples": ["compile_samples.py", "--rounds", "3"],
        "calls": ["library_calls.py", *trees],
        "start_up": ["start_up.py"],
        "watch": ["watch.py", *trees, "--count", "0"],
        "null_build": ["null_build.py"],
    }
    environment = {**os.environ, "DXC_LIBRARY": shlex.split(arguments.dxc)[-1]}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    runs = json.loads(arguments.json.read_text())["runs"] if arguments.only and arguments.json.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (program, *words) in commands.items():
            if arguments.only and name not in arguments.only.split(","):
                continue
            print(f"\n== {name}", flush=True)
            out = Path(folder) / f"{name}.json"
            command = [sys.executable, str(HERE / program), *words, "--json", str(out)]
            subprocess.run(command, check=True, env=environment, cwd=folder)  # not where hlsl_tool lies
            runs[name] = json.loads(out.read_text())
    return {"about": about(arguments), "runs": runs}


def about(arguments: argparse.Namespace) -> dict[str, str]:
    """Return a description of the measured versions and the machine."""
    version = subprocess.run(
        [sys.executable, "-m", "hlsl_tool", "--version"],
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        cwd=tempfile.gettempdir(),  # not where another hlsl_tool lies
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    ninja = subprocess.run(["ninja", "--version"], capture_output=True, text=True, check=False)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "form": "compiled" if "compiled" in version else "interpreted",
        "hlsl_tool": f"{version.removeprefix('hlsl_tool ')}, commit {commit.stdout.strip() or 'unknown'}",
        "machine": f"{_processor()}, {os.cpu_count()} processors, {platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "peers": f"{arguments.peer}, ninja {ninja.stdout.strip()}",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


# ---------------------------------------------------------------- the page


def _engine(runs: Any, tree: str, name: str) -> Any:
    return next(row for row in runs["engine"][tree] if row["name"].startswith(name))


def _calls(tree: str) -> Callable[[Any], str]:
    def value(runs: Any) -> str:
        row = runs["calls"]["rows"][tree]
        return f"{row['ours'] / row['theirs']:.2f} ({row['ours']:.2f} s / {row['theirs']:.2f} s)"

    return value


def _samples(runs: Any) -> str:
    rows = runs["samples"]["rows"]
    ours, theirs = rows["-O3, cold"], rows["DXC -O3"]
    return f"{ours / theirs:.2f} ({ours:.2f} s / {theirs:.2f} s)"


def _call(name: str) -> Callable[[Any], str]:
    return lambda runs: f"{runs['start_up']['rows'][name]:.0f} ms"


def _edit(name: str) -> Callable[[Any], str]:
    def value(runs: Any) -> str:
        row = _engine(runs, "wicked", name)
        return f"{row['wall']:.2f} s ({row['note'].partition(';')[0]})"

    return value


def _save(name: str) -> Callable[[Any], str]:
    return lambda runs: f"{runs['watch']['rows'][name]['total']:.0f} ms"


def _heaviest(runs: Any) -> str:
    return f"{max(row['total'] for row in runs['watch']['rows'].values()):.0f} ms"


def _null(runs: Any) -> str:
    return f"{runs['null_build']['rows']['scons, set node']['wall']:.2f} s"


TREES = {
    "wicked": "WickedEngine",
    "rbdoom": "RBDOOM-3-BFG",
    "nrd": "NVIDIA Real-Time Denoisers",
    "donut": "Donut",
    "sascha": "Sascha Willems's samples",
    "tiny": "shaders of three lines",
}
"""Tree of bench/engine/cold.py → its name on the page."""


def _cold_table(record: Record) -> str:
    """Return the cold builds of a record as a table, a row for each tree and number of processes."""
    lines = [
        f"Cold builds by `hlsl_tool build`, {record['about']['form']}, beside ninja with DXC:",
        "",
        "| | CPU, no server | CPU, server warm | wall, no server | wall, server warm |",
        "|---|---|---|---|---|",
    ]
    rows = {
        (row["tree"], row["processes"], row["kind"]): row for row in record["runs"]["cold"] if row["way"] == "build"
    }
    places = {tree: place for place, tree in enumerate(TREES)}
    for tree, processes in sorted({row[:2] for row in rows}, key=lambda row: (places[row[0]], row[1])):
        alone, warm = rows[tree, processes, "alone"], rows[tree, processes, "warm"]
        cells = [_ratio(row, unit) for unit in ("cpu", "wall") for row in (alone, warm)]
        lines.append(f"| {TREES[tree]} ({alone['shaders']}), `-j{processes}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def _ratio(row: Any, unit: str) -> str:
    ours, theirs = row[unit], row[f"dxc_{unit}"]
    return f"{ours / theirs:.2f} ({ours:.2f} s / {theirs:.2f} s)"


ROWS: dict[str, Callable[[Any], str]] = {
    "library calls without a shared memory, WickedEngine, CPU / DXC in process": _calls("wicked"),
    "the same, Sascha Willems's samples": _calls("sascha"),
    "the samples of `shaders/`, -O3, each with an empty memory, CPU / DXC in process": _samples,
    "`hlsl2spirv` on a trivial shader, server warm, CPU of client and server": _call("server warm: both"),
    "the same without a server": _call("hlsl2spirv --no-server"),
    "first `compile_shader` of a process, with the start of Python, CPU": _call("compile_shader"),
    "`hlsl_tool --version`, CPU": _call("hlsl_tool --version"),
    "edit of a function in a header of WickedEngine, `scons`, wall": _edit("body edit"),
    "edit of a comment there, wall": _edit("comment edit"),
    "save to new `.spv` in a warm watcher, small shader, wall": _save("small"),
    "the same, typical shader of WickedEngine": _save("typical"),
    "the same, its heaviest": _heaviest,
    "build of 2,000 shaders with nothing to do, `scons`, wall": _null,
}
"""Row of the page → its value in a record's runs."""

PAGE = """\
<!-- Written by `python bench/record.py --page`; see bench/records. -->

# Performance

How long builds take beside [ninja](https://ninja-build.org) with one process of the real
[DXC](https://github.com/microsoft/DirectXShaderCompiler) for each shader, and calls beside DXC as a library.  Both
sides of a ratio ran on the same machine in one run; a ratio below 1 means that hlsl_tool takes less.  CPU time is that
of all processes, SPIRV-Tools included.

{cold}

No server: none runs, and the build starts one for the next. Server warm: one runs that has never seen the project
([server](how-to/server.md)). Values are medians of rounds in which the sides took turns.

|{forms} |
|{rules}|
{rows}

|{forms} |
|{rules}|
{about}

To measure it yourself, write a list of shaders as `bench/engine/__main__.py` describes, and run with nothing else
at work:

<!-- not run: needs DXC and the sources of engines, and takes a quarter of an hour -->
```sh
python bench/record.py --dxc "DRIVER LIBRARY" --jobs jobs.json --trees FOLDER \\
    --edit TREE HEADER OLD NEW --json bench/records/NAME.json
python bench/record.py --page docs/performance.md bench/records/*.json
```

`$HLSL_TOOL_PACKAGE` selects another form than this checkout, such as the site-packages of an installed
[compiled wheel](how-to/compiled.md).
"""


def page(records: list[Record]) -> str:
    """Return the text of the page, with a column for each record."""
    forms = " | ".join([" ", *(record["about"]["form"] for record in records)])
    rows = [
        f"| {name} | " + " | ".join(value(record["runs"]) for record in records) + " |" for name, value in ROWS.items()
    ]
    names = [name for name in records[0]["about"] if name != "form"]
    about = [f"| {name} | " + " | ".join(record["about"][name] for record in records) + " |" for name in names]
    rules = "|".join(["---"] * (len(records) + 1))
    cold = "\n\n".join(_cold_table(record) for record in records if "cold" in record["runs"])
    return PAGE.format(cold=cold, forms=forms, rules=rules, rows="\n".join(rows), about="\n".join(about))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dxc", help="the command that stands before DXC's arguments; its last word is the library")
    parser.add_argument("--peer", default="DXC 1.6 (libdxcompiler 3.7)", help="name and version of that compiler")
    parser.add_argument("--jobs", type=Path)
    parser.add_argument("--trees", type=Path)
    parser.add_argument("--edit", nargs=4, metavar=("TREE", "HEADER", "OLD", "NEW"))
    parser.add_argument("--json", type=Path, help="write the record to this file")
    parser.add_argument("--only", help="run these and keep the others of the record: engine,samples,calls,…")
    parser.add_argument("--page", type=Path, help="write the page from the records that follow")
    parser.add_argument("records", type=Path, nargs="*")
    arguments = parser.parse_args()
    if arguments.page:
        arguments.page.write_text(page([json.loads(path.read_text()) for path in arguments.records]))
    elif arguments.dxc and arguments.jobs and arguments.trees and arguments.json:
        arguments.json.write_text(json.dumps(measure(arguments), indent=1) + "\n")
    else:
        parser.error("--dxc, --jobs, --trees and --json are needed to measure")


if __name__ == "__main__":
    main()
