"""How many modules a second become WGSL: ours beside the command lines of Tint and naga, on the same files.

    python bench/wgsl_conversion.py FOLDER [--tint 'tint {in} --format wgsl -o {out}'] [--naga 'naga {in} {out}']

FOLDER has .spv files, of which those count that all converters take.  Command lines are started for each file, as a
build would; ours is measured so, too, and within one process, as a build of ours does it.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hlsl_tool.wgsl import WgslError, convert

ROOT = Path(__file__).resolve().parents[1]
Converter = Callable[[Path], bool]


def within(path: Path, *, validate: bool) -> bool:
    try:
        convert(path.read_bytes(), {"validate": validate})
    except WgslError:
        return False
    return True


def command(template: str, output: Path) -> Converter:
    def run(path: Path) -> bool:
        words = [word.replace("{in}", str(path)).replace("{out}", str(output)) for word in shlex.split(template)]
        return subprocess.run(words, capture_output=True, check=False, cwd=ROOT).returncode == 0

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tint", help="command line with {in} and {out}")
    parser.add_argument("--naga", help="command line with {in} and {out}")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "out.wgsl")
        own = f"{shlex.quote(sys.executable)} -m hlsl_tool wgsl {{in}} -o {{out}} --no-validate"
        converters: dict[str, Converter] = {
            "ours, in process": lambda path: within(path, validate=False),
            "ours, in process, with spirv-val": lambda path: within(path, validate=True),
            "ours, command line": command(own, output),
        }
        for name in ("tint", "naga"):
            template = getattr(options, name)
            if template:
                converters[f"{name}, command line"] = command(template, output)
        files = sorted(path.resolve() for path in options.folder.rglob("*.spv") if path.is_file())
        files = [path for path in files if all(convert_one(path) for convert_one in converters.values())]
        print(f"{len(files)} modules, {sum(path.stat().st_size for path in files) // 4} words")
        for name, convert_one in converters.items():
            times: list[float] = []
            for _ in range(options.rounds):
                start = time.perf_counter()
                for path in files:
                    convert_one(path)
                times.append(time.perf_counter() - start)
            print(f"{name:36} {len(files) / min(times):8.1f} modules a second")


if __name__ == "__main__":
    main()
