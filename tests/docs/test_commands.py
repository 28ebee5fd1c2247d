"""Every command that a page shows works, and prints what the page shows (`pages.py` describes the notation)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import hlsl_tool
from tests.docs.pages import Command, Step, normalised, pages, pattern, steps
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = "<!-- folder: samples -->"


def parameters() -> list[object]:
    names = [path.relative_to(ROOT).as_posix() for path in pages(ROOT)]
    return [pytest.param(name, id=name) for name in names]


@pytest.fixture
def cache() -> Iterator[Path]:
    """A cache folder with a short path, since that of a socket has at most 103 bytes."""
    with tempfile.TemporaryDirectory(prefix="docs") as folder:
        yield Path(folder)


def environment(cache: Path) -> dict[str, str]:
    """Return an environment in which the commands of this checkout come first and stores are private."""
    env = {**os.environ, "PYTHONUTF8": "1", "NO_COLOR": "1", "XDG_CACHE_HOME": str(cache)}
    env = {name: value for name, value in env.items() if not name.startswith("HLSL_TOOL_")}
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])
    if Path(hlsl_tool.__file__).is_relative_to(ROOT):
        env["PYTHONPATH"] = str(ROOT)
    return env


def run(command: Command, folder: Path, cache: Path) -> str:
    """Run a command in the folder and return its output, or the reason why it differs from what the page shows."""
    done = subprocess.run(
        ["sh", "-e", "-c", command.line],
        cwd=folder,
        env=environment(cache),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode != command.status:
        return f"exit status {done.returncode}, not {command.status}:\n{done.stdout}"
    if command.output is None:
        return ""
    printed = "".join(line + "\n" for line in normalised(done.stdout))
    return "" if pattern(command.output).fullmatch(printed) else f"the output is:\n{done.stdout}"


def carry_out(step: Step, folder: Path, cache: Path, request: pytest.FixtureRequest) -> Path:
    """Write a file or run commands in a folder; return the folder of the next step, which `cd` changes."""
    if step.file:
        path = folder / step.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(step.text, encoding="utf-8")
    if step.needs == "vulkan":
        request.getfixturevalue("vulkan")
    elif step.needs and shutil.which(step.needs) is None:
        pytest.skip(f"no {step.needs}")
    if step.not_run:
        return folder
    for command in step.commands:
        if move := re.fullmatch(r"cd (\S+)", command.line):
            folder = (folder / move[1]).resolve(strict=True)
            continue
        problem = run(command, folder, cache)
        assert not problem, f"line {step.line}: `{command.line.rstrip()}`: {problem}"
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", parameters())
def test_page(name: str, tmp_path: Path, cache: Path, request: pytest.FixtureRequest) -> None:
    page = (ROOT / name).read_text(encoding="utf-8")
    folder = tmp_path / "project"
    folder.mkdir()
    if SAMPLES in page:
        for part in ("shaders", "docs/examples"):
            shutil.copytree(ROOT / part, folder / part)
        for part in (
            "SConstruct",
            "site_scons/site_init.py",
            "site_scons/site_tools/hlsl.py",
            "config/defaults.yaml",
            "config/shaders/lit.yaml",
        ):
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / part, folder / part)
    for step in steps(page):
        folder = carry_out(step, folder, cache, request)


@pytest.mark.parametrize("name", parameters())
def test_commands_that_are_not_run_have_a_reason(name: str) -> None:
    """Only commands that install, or run without end, may be left out."""
    page = (ROOT / name).read_text(encoding="utf-8")
    for step in steps(page):
        if step.not_run:
            assert re.match(r"(installs|downloads|runs until|takes|needs|`\.ci/run` runs) ", step.not_run + " "), step


def test_fences_name_their_language() -> None:
    """A fenced block without a language could be a command that these tests do not run."""
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        fences = re.findall(r"^ *```(.*)$", path.read_text(encoding="utf-8"), re.M)
        assert all(fences[::2]), path


def test_output_is_compared() -> None:
    shown = "one\n…\nlast … word (0.7 s)\n"
    assert pattern(shown).fullmatch("one\ntwo\nthree\nlast long word (TIME)\n")
    assert not pattern(shown).fullmatch("one\nlast word (TIME)\n")
    assert not pattern(shown).fullmatch("none\nlast long word (TIME)\n")


def test_named_files_exist() -> None:
    """Pages name files of the repository by their path, or with NAME for a part that the reader chooses."""
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in (path for path in files if "adr" not in path.parts):
        for name in re.findall(
            r"`((?:hlsl_tool|tests|docs|bench|changes)/[\w./-]*)`", page.read_text(encoding="utf-8")
        ):
            assert "NAME" in name or (ROOT / name).exists(), f"{page.relative_to(ROOT)} names {name}"
