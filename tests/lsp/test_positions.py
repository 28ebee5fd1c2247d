"""Positions of the protocol count UTF-16 units; offsets count characters."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.source.text import offset_of, position_of, range_of
from hlsl_tool.base.source import SourceFile

TEXT = "float a;\n// \N{GRINNING FACE}\u00e9 b \N{MUSICAL SYMBOL G CLEF}c\n\nend"


@pytest.fixture
def file() -> SourceFile:
    return SourceFile.from_bytes("a.hlsl", "a.hlsl", TEXT.encode())


def test_each_character_has_a_position(file: SourceFile) -> None:
    for offset in range(len(TEXT) + 1):
        before = TEXT[:offset]
        column = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
        position = lsp.Position(before.count("\n"), column)
        assert position_of(file, offset) == position
        assert offset_of(file, position) == offset


@pytest.mark.parametrize(
    ("line", "column", "offset"),
    [
        (0, 99, TEXT.index("\n")),
        (1, 99, TEXT.index("\n\n")),
        (2, 5, TEXT.index("\n\n") + 1),
        (3, 3, len(TEXT)),
        (9, 0, len(TEXT)),
    ],
)
def test_positions_behind_the_end(file: SourceFile, line: int, column: int, offset: int) -> None:
    assert offset_of(file, lsp.Position(line, column)) == offset


def test_ranges(file: SourceFile) -> None:
    start = TEXT.index("c\n")
    assert range_of(file, start, start + 1) == lsp.Range(lsp.Position(1, 11), lsp.Position(1, 12))
    assert range_of(file, -5, 10**9) == lsp.Range(lsp.Position(0, 0), lsp.Position(3, 3))
