"""Options spelled as a command line parse to the same options."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.command_line import parse
from hlsl_tool.base.options.compile_options import ALL_SPACES, DEBUG_EVERYTHING, HLSL_202X, CompileOptions
from hlsl_tool.base.options.flags import flags_of
from hlsl_tool.base.options.kinds import (
    Bool,
    Choice,
    Debug,
    HexInt,
    Int,
    ListOf,
    Optimize,
    Place,
    Registers,
    Row,
    Shifts,
    Text,
    Tristate,
    Validate,
    Version,
)
from hlsl_tool.base.options.table import TABLE

SAMPLES = {
    Bool: [True],
    Tristate: [True, False],
    Int: [7],
    HexInt: [0xABC],
    Text: ["a b"],
    Version: [2018, HLSL_202X],
    Shifts: [((3, 0), (4, 1)), ((5, ALL_SPACES),)],
    Registers: [(("t3", 1, 5, 2), ("b0", 0, 1, 0))],
    Place: [(4, 1)],
    Debug: [DEBUG_EVERYTHING, ("file", "line")],
    Optimize: ["none", "size", ("-O", "--loop-unroll")],
    Validate: ["no"],
}


def values(row: Row) -> list[object]:
    kind = row.kind
    if isinstance(kind, Choice):
        return list(kind.values)
    if isinstance(kind, ListOf):
        return [kind.item.values[:1] if isinstance(kind.item, Choice) else ("one", "two")]
    if row.field == "defines":
        return [(("A", None), ("B", ""), ("C", "x y=z"))]
    if row.field == "profile":
        return ["cs_6_6"]
    return SAMPLES[type(kind)]


@pytest.mark.parametrize(
    ("row", "value"), [(row, value) for row in TABLE if row.flags for value in values(row)], ids=str
)  # a compilation has no flags for conversions of a build
def test_flags_parse_to_the_options(row: Row, value: object) -> None:
    profile = "lib_6_6" if row.group == "library" or row.field == "payload_qualifiers" else "ps_6_2"
    if row.field == "invert_y":
        profile = "vs_6_2"
    words = flags_of(CompileOptions(**{"profile": profile, row.field: value}))
    assert getattr(parse([*words, "x.hlsl"]).options, row.field) == value


def test_options_at_their_defaults_have_no_flags() -> None:
    assert flags_of(CompileOptions()) == []
