"""Random programs write the same results at every level and with every kind of debug information.

HLSL_TOOL_PROGRAMS is the number of programs, HLSL_TOOL_PROGRAMS_FIRST the seed of the first one. `differential` also
compares with the real DXC, and reduces a finding.
"""

from __future__ import annotations

import os
import pathlib

import pytest

from tests.execute.vulkan import Vulkan
from tests.programs.differential import FORMS, GOOD, Comparison, forms_of, reduce_text
from tests.programs.program import program

COUNT = int(os.environ.get("HLSL_TOOL_PROGRAMS", "25"))
FIRST = int(os.environ.get("HLSL_TOOL_PROGRAMS_FIRST", "0"))


def _check(seed: int, forms: int, vulkan: Vulkan, folder: pathlib.Path) -> None:
    made = program(seed)
    if made.native_16 and "shaderInt16" not in vulkan.features:
        pytest.skip(f"{vulkan.name} lacks 16-bit integers")
    outcome = Comparison(vulkan, folder, dxc=[], forms=forms).judge(made)
    assert outcome.kind in GOOD, f"{outcome.kind}: {outcome.detail}\n{made.text}"


@pytest.mark.execute
@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_program(seed: int, vulkan: Vulkan, tmp_path: pathlib.Path) -> None:
    _check(seed, 1, vulkan, tmp_path)


@pytest.mark.execute
@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1000, 1100))
def test_program_in_every_form(seed: int, vulkan: Vulkan, tmp_path: pathlib.Path) -> None:
    _check(seed, len(FORMS), vulkan, tmp_path)


def test_every_form_has_its_turn() -> None:
    chosen = {form for seed in range(len(FORMS)) for form in forms_of(program(seed), 1)}
    assert chosen == set(FORMS)


def test_a_seed_names_a_program() -> None:
    assert program(5) == program(5)
    assert program(5).text != program(6).text


def test_programs_are_varied() -> None:
    text = "".join(program(seed).text for seed in range(60))
    for word in ("switch (", "do {", "while (", "for (", "continue;", "break;", "inout ", "out ", "struct ", "return ",
                 "default:", "min16", "_t", "double", "? ", "&&", "mul(", "transpose(", "groupshared", "static ",
                 "RWStructuredBuffer", "._m", ".rg", "[unroll]", " = {", "].change", "::change", "this"):  # fmt: skip
        assert word in text, word


def test_aliasing_programs_have_a_twin_that_copies() -> None:
    made = next(made for made in map(program, range(60)) if made.copied)
    assert made.copied.count("= ") > made.text.count("= ")
    assert "// copied" not in made.text and "// as written" not in made.copied


def test_reduction_keeps_what_matters() -> None:
    text = "void f() {\n    a(1 + 2);\n    if (x) {\n        b((3 * y) - 4);\n    }\n    c();\n}"
    small = reduce_text(text, lambda t: "3 * y" in t and t.count("{") == t.count("}"))
    assert "b((3 * y));" in small
    assert "a(" not in small and "c(" not in small
