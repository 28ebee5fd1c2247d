"""Diagnostics that a store holds as JSON: valid data gives equal diagnostics, damaged data gives none."""

from __future__ import annotations

import json

import pytest

from hlsl_tool.base.diagnostics import Diagnostic, Location
from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.diagnostics.diagnostic import IncludeFrame, MacroFrame
from hlsl_tool.project.build.currency.plain_diagnostics import diagnostic_of, plain_diagnostic

PLACE = Location(
    "a.hlsl",
    3,
    5,
    9,
    "  x = y;",
    (IncludeFrame("b.hlsl", 1), IncludeFrame("c.hlsl", 2)),
    (MacroFrame("M", "a.hlsl", 1, 9, "#define M y"),),
    17,
)
NOTE = Diagnostic(codes.CANNOT_READ, "note", "a note")
MESSAGE = Diagnostic(codes.CANNOT_WRITE, "warning", "a message", PLACE, [NOTE], "a hint", "-Wx")


def stored() -> dict[str, object]:
    found: dict[str, object] = json.loads(json.dumps(plain_diagnostic(MESSAGE)))
    return found


def test_they_come_back() -> None:
    assert diagnostic_of(stored()) == MESSAGE
    assert diagnostic_of(json.loads(json.dumps(plain_diagnostic(NOTE)))) == NOTE


AT = plain_diagnostic(MESSAGE)["at"]


@pytest.mark.parametrize("change", [
    {"code": "HLSL9999"}, {"code": 1}, {"severity": "worse"}, {"severity": []}, {"message": 1}, {"hint": []},
    {"flag": None}, {"notes": 1}, {"notes": [1]}, {"at": 1}, {"at": {}}, {"at": {"file": "x"}},
    {"at": {**AT, "line": "3"}}, {"at": {**AT, "include_stack": [["a"]]}},
    {"at": {**AT, "macro_stack": [[1, 2, 3, 4, 5]]}},
    {"at": {**AT, "source_line": None}}, {"at": {**AT, "more": 1}},
])  # fmt: skip
def test_another_shape_is_none(change: dict[str, object]) -> None:
    data = {**stored(), **json.loads(json.dumps(change))}
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        diagnostic_of(data)
