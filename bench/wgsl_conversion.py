"""Measure the CPU time of converting SPIR-V to WGSL, and that of the command lines of Tint and naga on the same files.

    python bench/wgsl_conversion.py [FOLDER] [--tint 'tint {in} --format wgsl -o {out}']
                                    [--naga 'node bench/naga.mjs {in} {out}'] [--rounds N] [--count N]

FOLDER contains .spv files; by default they are those of the samples.  Only files that all converters accept count.
Each file is converted by a new process; ours is also measured within one process, as in our builds.  Each round goes
through all converters, one after the other; CPU time is that of the process and of its children.
"""

from __future__ import annotations

import argparse
import dataclasses
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
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


def cpu() -> float:
    """Return the CPU seconds of this process and its children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def samples(folder: Path) -> Iterator[Path]:
    """Yield the compiled modules of the samples."""
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
    from hlsl_tool.compiler.compile import compile_shader
    from hlsl_tool.compiler.result import Memory
    from hlsl_tool.project.config.load import load

    memory, fs = Memory(), CachedFileSystem(OSFileSystem(str(ROOT)))
    for number, permutation in enumerate(load(str(ROOT), ["config/shaders"], Sink()).permutations):
        path = ROOT / permutation.source
        source = SourceFile.from_bytes(permutation.source, str(path), path.read_bytes())
        options = dataclasses.replace(permutation.options, validate="no")
        result = compile_shader(
            source, entry=options.entry, profile=options.profile, options=options, fs=fs, memory=memory
        )
        path = folder / f"{number}.spv"
        path.write_bytes(result.spirv)
        yield path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--tint", help="command line with {in} and {out}")
    parser.add_argument("--naga", help="command line with {in} and {out}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--count", type=int, help="take that many files, spread over all")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        output = Path(temporary, "out.wgsl")
        own = f"{shlex.quote(sys.executable)} -m hlsl_tool wgsl {{in}} -o {{out}}"
        converters: dict[str, Converter] = {
            "ours, in process": lambda path: within(path, validate=False),
            "ours, in process, with spirv-val": lambda path: within(path, validate=True),
            "ours, command line": command(f"{own} --no-validate", output),
            "ours, command line, with spirv-val": command(own, output),
        }
        for name in ("tint", "naga"):
            template = getattr(options, name)
            if template:
                converters[f"{name}, command line"] = command(template, output)
        if options.folder is not None:
            files = sorted(path.resolve() for path in options.folder.rglob("*.spv") if path.is_file())
        else:
            files = list(samples(Path(temporary)))
        if options.count:
            files = files[:: max(1, len(files) // options.count)][: options.count]
        taken = {name: {path for path in files if convert_one(path)} for name, convert_one in converters.items()}
        for name, those in taken.items():
            print(f"{name:36} takes {len(those)} of {len(files)}")
        files = [path for path in files if all(path in those for those in taken.values())]
        print(f"{len(files)} modules that all take, {sum(path.stat().st_size for path in files) // 4} words\n")
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in converters}
        for _ in range(options.rounds):
            for name, convert_one in converters.items():
                start, before = time.perf_counter(), cpu()
                for path in files:
                    convert_one(path)
                times[name].append((cpu() - before, time.perf_counter() - start))
        reference = sorted(each for each, _ in times["ours, command line"])[options.rounds // 2]
        for name, measured in times.items():
            middle = sorted(each for each, _ in measured)[options.rounds // 2]
            least = min(wall for _, wall in measured)
            print(
                f"{name:36} {1000 * middle / len(files):8.2f} ms CPU a module, {middle / reference:6.3f} of our command"
                f" line; {len(files) / least:8.1f} a second"
            )


if __name__ == "__main__":
    main()
