"""Text that several renderers use."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Diagnostic
from hlsl_tool.base.diagnostics.visible import visible

SEVERITY_WORDS = {"fatal": "fatal error", "error": "error", "warning": "warning", "note": "note"}


def suffix(d: Diagnostic) -> str:
    """Return the option that controls a warning, and the code, each in brackets; ``""`` for a note."""
    if d.severity == "note":
        return ""
    flag = f" [{d.flag}]" if d.flag else ""
    return f"{flag} [{d.code.id}]" if d.code.id else flag


def occurrences(d: Diagnostic) -> list[dict[str, object]]:
    """Return the shaders and permutations of a build that reported the diagnostic, as plain data."""
    return [
        {
            "shader": item.shader,
            "permutation": dict(item.permutation),
            **({"pipeline": item.pipeline} if item.pipeline else {}),
        }
        for item in d.occurrences
    ]


def one_line(text: str) -> str:
    """Return a message in one line: line feeds become blanks, control characters are escaped."""
    return visible(" ".join(text.split("\n")) if "\n" in text else text)
