"""The comments above a declaration, which describe it."""

from __future__ import annotations

from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.apps.lsp.source.occurrences import redeclarations
from hlsl_tool.apps.lsp.source.references import Declaration
from hlsl_tool.base.source import SourceFile

LONGEST = 40
"""Limit on the lines of a comment."""


def comments(analysis: Analysis, declaration: Declaration) -> list[str]:
    """Return the comment above a declaration as one text, or above another declaration of the same function."""
    for other in redeclarations(analysis, declaration):
        index = analysis.places.index(other.first, other.chunk)
        if index is None:
            continue
        origin = analysis.tokens.origin(index)
        text = above(origin.file, origin.file.line_col(origin.start)[0]) if origin.is_written else ""
        if text:
            return [text]
    return []


def above(file: SourceFile, line: int) -> str:
    """Return the text of the comment that ends in the line above ``line``; empty without one.

    Lines that only have attributes may stand in between.
    """
    at = line - 1
    while at > 0 and file.line_text(at).strip().startswith("[") and file.line_text(at).strip().endswith("]"):
        at -= 1
    if at < 1:
        return ""
    if file.line_text(at).strip().endswith("*/"):
        return _block(file, at)
    lines: list[str] = []
    while at > 0 and len(lines) < LONGEST and file.line_text(at).strip().startswith("//"):
        lines.insert(0, file.line_text(at).strip().lstrip("/!").strip())
        at -= 1
    return "\n".join(lines).strip()


def _block(file: SourceFile, last: int) -> str:
    """Return the text of a ``/* ... */`` that ends in a line and begins a line."""
    lines: list[str] = []
    for at in range(last, max(0, last - LONGEST), -1):
        text = file.line_text(at).strip()
        lines.insert(0, text.removesuffix("*/").removeprefix("/*").strip("*! ").strip())
        if text.startswith("/*"):
            return "\n".join(lines).strip()
    return ""
