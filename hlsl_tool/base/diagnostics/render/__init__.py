"""Render diagnostics: as text, editor formats, JSON, SARIF and GitHub annotations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hlsl_tool.base.diagnostics.diagnostic import Diagnostic
from hlsl_tool.base.diagnostics.render.one_line import as_gcc, as_msvc

from .as_github import as_github
from .as_json import as_json
from .as_sarif import as_sarif
from .text import as_text

FORMS: dict[str, Callable[[Sequence[Diagnostic]], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "gcc": as_gcc,
    "msvc": as_msvc,
    "github": as_github,
}


def render(diagnostics: Sequence[Diagnostic], form: str = "text", *, color: bool = False) -> str:
    """Render diagnostics as text that ends with a line feed; without diagnostics, line formats return ``""``.

    ``form``: ``text`` (the format of clang and DXC, with caret, include stack and macro backtrace), ``gcc`` and
    ``msvc`` (one line each), ``github`` (workflow annotations, one line each), ``json`` and ``sarif`` (one document).
    ``color`` affects only ``text``.  Raises ``ValueError`` for any other form.
    """
    if form == "text":
        return as_text(diagnostics, color=color)
    try:
        return FORMS[form](diagnostics)
    except KeyError:
        raise ValueError(f"unknown form of diagnostics '{form}'; there are {', '.join(FORMS)}") from None


__all__ = ["FORMS", "render"]
