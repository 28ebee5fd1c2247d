"""Random programs write the same whether they are optimised or not.

HLSL_TOOL_PROGRAMS is how many are run, HLSL_TOOL_PROGRAMS_FIRST the first one's number.  `differential` compares with
the real DXC, too, and makes a finding small.
"""

from __future__ import annotations

import os
import pathlib

import pytest

from tests.execute.vulkan import Vulkan
from tests.programs.differential import GOOD, Comparison, reduce_text
from tests.programs.program import program

COUNT = int(os.environ.get("HLSL_TOOL_PROGRAMS", "25"))
FIRST = int(os.environ.get("HLSL_TOOL_PROGRAMS_FIRST", "0"))


@pytest.mark.execute
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_program(seed: int, vulkan: Vulkan, tmp_path: pathlib.Path) -> None:
    made = program(seed)
    if made.native_16 and "shaderInt16" not in vulkan.features:
        pytest.skip(f"{vulkan.name} lacks 16-bit integers")
    outcome = Comparison(vulkan, tmp_path, dxc=[]).judge(made)
    assert outcome.kind in GOOD, f"{outcome.kind}: {outcome.detail}\n{made.text}"


def test_a_seed_names_a_program() -> None:
    assert program(5) == program(5)
    assert program(5).text != program(6).text


def test_programs_are_varied() -> None:
    text = "".join(program(seed).text for seed in range(60))
    for word in ("switch (", "do {", "while (", "for (", "continue;", "break;", "inout ", "out ", "struct ", "return ",
                 "default:", "min16", "_t", "double", "? ", "&&", "mul(", "transpose(", "groupshared", "static ",
                 "RWStructuredBuffer", "._m", ".rg", "[unroll]", " = {"):  # fmt: skip
        assert word in text, word


def test_reduction_keeps_what_matters() -> None:
    text = "void f() {\n    a(1 + 2);\n    if (x) {\n        b((3 * y) - 4);\n    }\n    c();\n}"
    small = reduce_text(text, lambda t: "3 * y" in t and t.count("{") == t.count("}"))
    assert "b((3 * y));" in small
    assert "a(" not in small and "c(" not in small
