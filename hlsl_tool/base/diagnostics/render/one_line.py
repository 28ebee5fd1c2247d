"""Render each diagnostic as one line, in the format of gcc or MSVC."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.diagnostic import Diagnostic
from hlsl_tool.base.diagnostics.render.words import SEVERITY_WORDS, one_line, suffix
from hlsl_tool.base.diagnostics.visible import visible_name


def as_gcc(diagnostics: Sequence[Diagnostic]) -> str:
    """Return lines ``file:line:col: error: message [-Wflag] [HLSL0000]``."""
    return "".join(
        f"{_gcc_place(d)}{SEVERITY_WORDS[d.severity]}: {_message(d)}{suffix(d)}\n" for d in _all(diagnostics)
    )


def as_msvc(diagnostics: Sequence[Diagnostic]) -> str:
    """Return lines ``file(line,col): error HLSL0000: message``."""
    return "".join(f"{_msvc_place(d)}{_msvc_word(d)}: {_message(d)}\n" for d in _all(diagnostics))


def _all(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    return [item for d in diagnostics for item in d.flatten()]


def _message(d: Diagnostic) -> str:
    hint = f" (hint: {one_line(d.hint)})" if d.hint else ""
    return one_line(d.message) + hint


def _gcc_place(d: Diagnostic) -> str:
    place = d.location
    if place is None:
        return "hlsl_tool: "
    return f"{visible_name(place.file)}:{max(place.line, 1)}:{max(place.col, 1)}: "


def _msvc_place(d: Diagnostic) -> str:
    place = d.location
    if place is None:
        return "hlsl_tool : "
    return f"{visible_name(place.file)}({max(place.line, 1)},{max(place.col, 1)}): "


def _msvc_word(d: Diagnostic) -> str:
    word = SEVERITY_WORDS[d.severity]
    return f"{word} {d.code.id}" if d.code.id and d.severity != "note" else word
