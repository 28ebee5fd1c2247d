"""Convert between positions of the protocol (0-based lines, UTF-16 units) and offsets in a file's text."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types as lsp

from hlsl_tool.base.source import SourceFile


def offset_of(file: SourceFile, position: lsp.Position) -> int:
    """Convert a position to an offset; a position after the end of a line means its end."""
    if position.line >= file.line_count:
        return len(file.text)
    start = file.line_start(position.line + 1)
    line = file.line_text(position.line + 1)
    return start + _characters(line, position.character)


def position_of(file: SourceFile, offset: int) -> lsp.Position:
    """Convert an offset to a position; an offset beyond the text is clamped."""
    line, col = file.line_col(max(0, min(offset, len(file.text))))
    return lsp.Position(line - 1, units(file.line_text(line), col - 1))


def range_of(file: SourceFile, start: int, end: int) -> lsp.Range:
    """Convert two offsets to a range."""
    return lsp.Range(position_of(file, start), position_of(file, end))


def edited(file: SourceFile, edits: Iterable[lsp.TextEdit]) -> str:
    """Return the text of a file with edits whose ranges do not overlap."""
    text = file.text
    spans = ((offset_of(file, edit.range.start), offset_of(file, edit.range.end), edit.new_text) for edit in edits)
    for start, end, new in sorted(spans, key=lambda span: span[:2], reverse=True):
        text = text[:start] + new + text[end:]
    return text


def units(line: str, characters: int) -> int:
    """Return the number of UTF-16 units of the first ``characters`` characters of a line."""
    if line.isascii():
        return min(characters, len(line))
    return len(line[:characters].encode("utf-16-le", "surrogatepass")) // 2


def _characters(line: str, count: int) -> int:
    """Return the number of characters that take ``count`` UTF-16 units."""
    if line.isascii():
        return min(count, len(line))
    for at, character in enumerate(line):
        if count <= 0:
            return at
        count -= 2 if ord(character) > 0xFFFF else 1
    return len(line)
