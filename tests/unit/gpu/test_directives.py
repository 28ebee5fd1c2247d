"""Comments that contain tests: where they start and end."""

from __future__ import annotations

import pytest

from hlsl_tool.gpu.testing.directives import parse
from hlsl_tool.gpu.testing.expected_errors import TestError as DirectiveError

SOURCE = """\
// gpu test: first
// groups: 1
//
// expect: o[0] == 1
RWStructuredBuffer<float> o;
// expect: o[0] == 2
// an ordinary comment
// gpu test:
// groups: 2
// expect: o[1] == 3
"""


def test_a_test_ends_at_the_first_line_of_code() -> None:
    first, second = parse("a.hlsl", SOURCE.encode())
    assert (first.name, second.name) == ("first", "line 8")
    assert [expectation.text for expectation in first.expectations] == ["o[0] == 1"]
    assert [expectation.text for expectation in second.expectations] == ["o[1] == 3"]
    assert [test.settings["groups"].text for test in (first, second)] == ["1", "2"]
    assert (first.place.line, first.place.col) == (1, 14)


def test_words_that_are_no_directive() -> None:
    with pytest.raises(DirectiveError):
        parse("a.hlsl", b"// gpu test: x\n// an ordinary comment\n")
