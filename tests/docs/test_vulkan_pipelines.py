"""The host that the page about Vulkan's pipelines shows compiles against the tables that its build writes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import steps
from tests.docs.test_commands import ROOT, carry_out


def test_the_host_compiles(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if shutil.which("g++") is None or not Path("/usr/include/vulkan/vulkan_core.h").exists():
        pytest.skip("needs g++ and the headers of Vulkan")
    page = (ROOT / "docs/how-to/vulkan-pipelines.md").read_text(encoding="utf-8")
    project = tmp_path / "project"
    project.mkdir()
    skipped = []
    for step in steps(page):
        carry_out(step, project, tmp_path / "cache", request)
        skipped += [command.line for command in step.commands if step.not_run]
    (command,) = skipped
    done = subprocess.run(
        command.replace("-Wall", "-Wall -Werror"), shell=True, cwd=project, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
