"""The sanitizer finds faults that were put into shaders, at their lines, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hlsl_tool import gpu
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.gpu.checking import Sanitizer, checked_options, observed
from hlsl_tool.gpu.files.values import missing

FOLDER = Path(__file__).parent / "faults"
MARK = re.compile(r"// (\w+): ([a-z-]+)$")
PIXELS = ("outputs", "derivatives")
"""Files with pixel shaders."""


def marks() -> list[tuple[str, str, list[tuple[int, str]]]]:
    """Return the file, the entry point and its faults: (line, kind)."""
    rows: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for path in sorted(FOLDER.glob("*.hlsl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            mark = MARK.search(line)
            if mark is not None:
                rows.setdefault((path.stem, mark[1]), []).append((number, mark[2]))
    return [(*key, faults) for key, faults in rows.items()]


def found(file: str, entry: str, check: str = "strict") -> list[tuple[int, str]]:
    """Run an entry point, and return the lines and kinds of the findings."""
    is_pixel = file in PIXELS
    options = checked_options(CompileOptions(profile="ps_6_6" if is_pixel else "cs_6_6", target_env="vulkan1.3"))
    kernel = gpu.load(FOLDER / f"{file}.hlsl", entry, options=options, device="cpu")
    arguments: dict[str, Any] = {}
    for parameter in kernel.parameters:
        if parameter.name == "pictures":
            arguments["pictures"] = [np.ones((4, 4, 4), np.float32)] * 4
        elif parameter.name == "sources":
            arguments["sources"] = [np.ones(4, np.float32)] * 4
    arguments |= missing(kernel, arguments, 128, 1)
    sanitizer = Sanitizer(check)
    with observed(kernel.backend, sanitizer):
        kernel(groups=(16, 16) if is_pixel else 2, **arguments)
    lines = []
    for finding in sanitizer.findings:
        assert finding.position is not None
        lines.append((finding.position.line, finding.kind))
    return sorted(lines)


def label(value: object) -> str:
    """Return the name of a test's parameter; the faults have none."""
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(("file", "entry", "faults"), marks(), ids=label)
def test_faults_are_found_at_their_lines(file: str, entry: str, faults: list[tuple[int, str]]) -> None:
    assert found(file, entry) == faults
