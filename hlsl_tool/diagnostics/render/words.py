"""Pieces that several forms share."""

from __future__ import annotations

from hlsl_tool.diagnostics.model import Diagnostic
from hlsl_tool.diagnostics.visible import visible

SEVERITY_WORDS = {"fatal": "fatal error", "error": "error", "warning": "warning", "note": "note"}


def suffix(d: Diagnostic) -> str:
    """The option that governs a warning and the stable code, each in brackets; a note belongs to its message."""
    if d.severity == "note":
        return ""
    flag = f" [{d.flag}]" if d.flag else ""
    return f"{flag} [{d.code.id}]" if d.code.id else flag


def one_line(text: str) -> str:
    """A message that came with line feeds, as one line."""
    return visible(" ".join(text.split("\n")) if "\n" in text else text)
