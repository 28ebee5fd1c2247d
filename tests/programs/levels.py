"""Execute shaders as compiled at several levels, or by several compilers, with the same data.

    python -m tests.programs.levels                         the samples of this repository
    python -m tests.programs.levels FOLDER                  the project in a folder, by its config/shaders
    python -m tests.programs.levels FOLDER FOLDER...        modules (.spv) of the same names in several folders

Compute shaders write to their resources, pixel shaders also to targets; a vertex shader's outputs are written to a
buffer. Contents of resources are made up. ``--forms`` are options of the compiler, for projects.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import sys
from collections.abc import Iterator
from dataclasses import replace

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.project.config.load import load
from hlsl_tool.project.config.permutation import Permutation
from tests.execute.vulkan import Vulkan

from .execution import KINDS, Execution, Verdict

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORMS: dict[str, dict[str, object]] = {
    "O0": {"optimize": "none"},
    "O3": {"optimize": "performance"},
    "Os": {"optimize": "size"},
    "vulkan": {"debug": ("vulkan",)},
    "rich": {"debug": ("rich",)},
    "line": {"debug": ("line",)},
}
DEFAULT = ("O0", "O3", "vulkan")


def permutations(root: pathlib.Path) -> list[Permutation]:
    """Return the permutations of a project: each entry point and profile once for each set of defines."""
    sink = Sink()
    project = load(str(root), ["config/shaders"], sink)
    if sink.error_count:
        raise SystemExit("\n".join(diagnostic.message for diagnostic in sink.diagnostics))
    return list(project.permutations)


def compiled(root: pathlib.Path, permutation: Permutation, form: str, memory: Memory) -> bytes | str:
    """Return the module of a permutation with the options ``form``, or the first error message."""
    path = root / permutation.source
    source = SourceFile.from_bytes(permutation.source, str(path), path.read_bytes())
    options = replace(permutation.options, **FORMS[form])  # type: ignore[arg-type]
    fs = CachedFileSystem(OSFileSystem(str(root)))
    result = compile_shader(source, entry=options.entry, profile=options.profile, options=options, fs=fs, memory=memory)
    return result.spirv if result.ok else next(d.message for d in result.diagnostics if d.severity == "error")


def judge(
    root: pathlib.Path, permutation: Permutation, forms: tuple[str, ...], run: Execution, memory: Memory
) -> Verdict:
    """Compile a permutation with several sets of options and compare what the modules write."""
    modules: dict[str, bytes] = {}
    for form in forms:
        module = compiled(root, permutation, form, memory)
        if isinstance(module, str):
            return Verdict("different", f"{form} is refused: {module}")
        modules[form] = module
    return run.compare(modules)


def _projects(root: pathlib.Path, forms: tuple[str, ...], only: str, run: Execution) -> Iterator[tuple[str, Verdict]]:
    memory = Memory()
    for permutation in permutations(root):
        if only in permutation.name:
            yield permutation.name, judge(root, permutation, forms, run, memory)


def _folders(folders: list[pathlib.Path], only: str, run: Execution) -> Iterator[tuple[str, Verdict]]:
    names = set.intersection(*({path.name for path in folder.glob("*.spv")} for folder in folders))
    for name in sorted(names):
        if only in name:
            yield name, run.compare({str(folder): (folder / name).read_bytes() for folder in folders})


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--forms", nargs="+", choices=list(FORMS), default=list(DEFAULT))
    parser.add_argument("--only", default="", help="a part of the name")
    parser.add_argument("--verbose", action="store_true", help="also show shaders that are equal")
    options = parser.parse_args()
    vulkan = Vulkan()
    run = Execution(vulkan)
    if len(options.folders) > 1:
        verdicts = _folders(options.folders, options.only, run)
    else:
        verdicts = _projects(next(iter(options.folders), ROOT), tuple(options.forms), options.only, run)
    counts: collections.Counter[str] = collections.Counter()
    for name, verdict in verdicts:
        counts[verdict.kind] += 1
        if verdict.kind != "equal" or options.verbose:
            print(f"{name}: {verdict.kind}: {verdict.detail}", flush=True)
    vulkan.close()
    print(", ".join(f"{kind} {counts[kind]}" for kind in KINDS if counts[kind]))
    return int(bool(counts["different"]))


if __name__ == "__main__":
    sys.exit(main())
