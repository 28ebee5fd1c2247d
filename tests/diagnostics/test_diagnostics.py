"""Each shader of this folder gets exactly the diagnostics that its lines name (`sections.py` describes the files)."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.base.options.compile_options import HLSL_202X
from tests.diagnostics.sections import Section, read, reported

FOLDER = Path(__file__).resolve().parent
SECTIONS = [section for path in sorted(FOLDER.glob("*.hlsl")) for section in read(path)]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda s: f"{s.path.stem}:{s.line}")
def test_codes_by_line(section: Section) -> None:
    notes = any(severity == "note" for _, severity, _ in section.expected)
    actual = reported(section, notes=notes)
    assert actual == section.expected, f"{section.path}:{section.line}: line (from there), severity, code"


def test_constructors_have_the_name_of_their_type() -> None:
    source = (
        "struct S { int a; S(int x) { a = x; } S(uint x) { a = x; } };\n"
        "RWBuffer<int> o; [numthreads(1, 1, 1)] void main() { S s(1.5); o[0] = s.a; }\n"
    )
    result = compile_shader(source, profile="cs_6_0", options=CompileOptions(hlsl_version=HLSL_202X))
    assert result.diagnostics[0].message == "call to 'S' is ambiguous"


@pytest.mark.parametrize(
    ("declaration", "values"),
    [
        ("int x = -2147483649.5;", "-2.14748e+09 to -2147483648"),
        ("uint x = -1.5;", "-1.5 to 0"),
        ("uint x = 4294967296.0;", "4.29497e+09 to 4294967295"),
        ("bool x = 0.5;", "0.5 to true"),
    ],
)
def test_warnings_name_the_value_that_is_stored(declaration: str, values: str) -> None:
    source = f"RWBuffer<int> o; [numthreads(1, 1, 1)] void main() {{ {declaration} o[0] = x; }}\n"
    messages = [d.message for d in compile_shader(source, profile="cs_6_0").diagnostics if d.code.id == "HLSL1520"]
    assert [message.partition("changes value from ")[2] for message in messages] == [values]


def test_every_section_expects_something() -> None:
    assert len(SECTIONS) >= 200
    assert all(section.expected for section in SECTIONS if section.path.stem != "mistakes")
