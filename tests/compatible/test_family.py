"""Modules of `hlsl_tool glslc` and `hlsl_tool glslang` have the same interfaces as those of glslc and glslang.

A golden file contains the interfaces of the modules that one tool writes: complete for the first command line, and as
differences from these for the other command lines. `--update-golden` writes the files with the tools of this machine.
Shaders that a tool rejects are not listed.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hlsl_tool.cli.compatible import glslang, glslc
from hlsl_tool.cli.compatible.compiling import Program, run
from hlsl_tool.compiler.result import Memory
from tests.compatible.cases import GLSLANG, GLSLC, family, glslang_words, glslc_words
from tests.compatible.interface import interface

Interfaces = dict[str, list[str]]
"""Shader → the lines of its interface."""
Compiler = Callable[[Path, str, str, str], bytes | None]
"""Compiles x.hlsl in a folder by stage, entry point and options."""

SHADERS = family()
MISSING = "needs {} (Debian package {})"
TOOLS = {
    "glslc": (glslc.main, glslc_words, GLSLC, ("glslc",), "glslc"),
    "glslang": (glslang.main, glslang_words, GLSLANG, ("glslang", "glslangValidator"), "glslang-tools"),
}
CASES = [(tool, options) for tool in TOOLS for options in TOOLS[tool][2]]
UP_TO_DATE = [
    pytest.param(tool, options, marks=[] if options == next(iter(TOOLS[tool][2])) else [pytest.mark.nightly])
    for tool, options in CASES
]
"""The first command line of each tool, and the others for the nightly run: each starts the tool forty times."""


def test_the_family_covers_all_stages() -> None:
    assert len(SHADERS) >= 40
    assert {stage for stage, _, _ in SHADERS.values()} == {"vert", "tesc", "tese", "geom", "frag", "comp"}


@pytest.mark.parametrize(("tool", "options"), CASES)
def test_interfaces_are_those_of_the_tool(tool: str, options: str, tmp_path: Path) -> None:
    expected = golden(tool)[options]
    program, memory = TOOLS[tool][0], Memory()
    ours = interfaces(tool, options, tmp_path, lambda *job: compiled(program, tool, memory, *job))
    assert len(expected) > 30
    assert {name: ours[name] for name in expected} == expected


@pytest.mark.oracle
@pytest.mark.parametrize(("tool", "options"), UP_TO_DATE)
def test_the_golden_files_are_up_to_date(tool: str, options: str, tmp_path: Path) -> None:
    path = oracle(tool)
    if version(path) != version_of_golden(tool):
        pytest.skip(f"the golden file was written with {version_of_golden(tool)}")
    assert interfaces(tool, options, tmp_path, lambda *job: compiled_by(path, tool, *job)) == golden(tool)[options]


@pytest.mark.parametrize("tool", TOOLS)
def test_write_the_golden_files(tool: str, tmp_path: Path, update_golden: bool) -> None:
    if not update_golden:
        pytest.skip("runs with --update-golden only")
    path = oracle(tool)
    first: Interfaces = {}
    lines = [version(path)]
    for options in TOOLS[tool][2]:
        result = interfaces(tool, options, tmp_path, lambda *job: compiled_by(path, tool, *job))
        first = first or result
        lines += [f"== {options}".rstrip(), *(f"failed {name}" for name in SHADERS if name not in result)]
        for name, now in result.items():
            before = first[name] if result is not first else []
            if now != before:
                lines += [
                    name,
                    *(f"  - {line}" for line in removed(before, now)),
                    *(f"  + {x}" for x in removed(now, before)),
                ]
    golden_file(tool).write_text("\n".join(lines) + "\n")


def removed(before: list[str], now: list[str]) -> list[str]:
    """Return the lines of ``before`` that are not in ``now``.

    A line that occurs several times is returned as often as ``now`` has it less.
    """
    rest = list(now)
    return [line for line in before if line not in rest or rest.remove(line)]  # type: ignore[func-returns-value]


def golden_file(tool: str) -> Path:
    """Return the path of a tool's golden file."""
    return Path(__file__).with_name(f"{tool}.golden.txt")


def version_of_golden(tool: str) -> str:
    """Return the version of the tool that wrote a golden file."""
    return golden_file(tool).read_text().partition("\n")[0]


def golden(tool: str) -> dict[str, Interfaces]:
    """Return the content of a golden file: options → shader → lines of its interface."""
    content: dict[str, Interfaces] = {}
    first: Interfaces | None = None
    name = ""
    for line in golden_file(tool).read_text().splitlines()[1:]:
        if line.startswith("=="):
            first = first if first is not None else content.get("")
            current = content[line[3:]] = {name: list(lines) for name, lines in (first or {}).items()}
        elif line.startswith("failed "):
            current.pop(line.removeprefix("failed "), None)
        elif line.startswith("  - "):
            current[name].remove(line[4:])
        elif line.startswith("  + "):
            current[name] = sorted([*current[name], line[4:]])
        else:
            name = line
            current.setdefault(name, [])
    return content


def interfaces(tool: str, options: str, folder: Path, compiler: Compiler) -> Interfaces:
    """Return the interfaces of all shaders that compile."""
    result: Interfaces = {}
    for name, (stage, entry, source) in SHADERS.items():
        (folder / "x.hlsl").write_text(source)
        (folder / "x.spv").unlink(missing_ok=True)
        spirv = compiler(folder, stage, entry, options)
        if spirv is not None:
            result[name] = interface(spirv)
    return result


def compiled(program: Program, tool: str, memory: Memory, folder: Path, stage: str, entry: str, options: str) -> bytes:
    """Return the module that `hlsl_tool glslc` or `hlsl_tool glslang` writes for x.hlsl in ``folder``."""
    words = TOOLS[tool][1](stage, entry, options)
    status, out, err = run(program, words, str(folder), memory=memory)
    assert (status, out) == (0, b""), err
    return (folder / "x.spv").read_bytes()


def compiled_by(path: str, tool: str, folder: Path, stage: str, entry: str, options: str) -> bytes | None:
    """Return the module that the program at ``path`` writes for x.hlsl in ``folder``; ``None`` if it fails."""
    words = TOOLS[tool][1](stage, entry, options)
    done = subprocess.run([path, *words], cwd=folder, capture_output=True)
    return (folder / "x.spv").read_bytes() if done.returncode == 0 and (folder / "x.spv").exists() else None


def oracle(tool: str) -> str:
    """Return the path of a tool; skip the test where it is missing."""
    programs, package = TOOLS[tool][3:]
    path = next(filter(None, map(shutil.which, programs)), None)
    if path is None:
        pytest.skip(MISSING.format(tool, package))
    return path


def version(path: str) -> str:
    """Return the first line that a tool prints for `--version`."""
    lines = subprocess.run([path, "--version"], capture_output=True, text=True).stdout.splitlines()
    return next((line for line in lines if line), "")
