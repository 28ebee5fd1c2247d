"""Render diagnostics as workflow commands of GitHub Actions, which show them as annotations of changed lines."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.diagnostic import Diagnostic, Location
from hlsl_tool.base.diagnostics.visible import visible, visible_name

from .words import SEVERITY_WORDS, suffix

_COMMANDS = {"fatal": "error", "error": "error", "warning": "warning", "note": "notice"}


def as_github(diagnostics: Sequence[Diagnostic]) -> str:
    """Return one line for each diagnostic: `::error file=a.hlsl,line=1,col=2,title=HLSL0301 undeclared::message`.

    Hint and notes are part of the message, because GitHub shows at most ten annotations of a kind for each step.
    """
    return "".join(f"::{_COMMANDS[d.severity]} {_properties(d)}::{_data(_message(d))}\n" for d in diagnostics)


def _properties(d: Diagnostic) -> str:
    properties = []
    if d.location is not None:
        properties.append(("file", visible_name(d.location.file).replace("\\", "/")))
        if d.location.line:
            properties += [("line", str(d.location.line)), ("col", str(max(d.location.col, 1)))]
    properties.append(("title", f"{d.code.id} {d.code.name}".strip()))
    return ",".join(f"{name}={_property(value)}" for name, value in properties)


def _message(d: Diagnostic) -> str:
    lines = [f"{d.message}{suffix(d)}"]
    if d.hint:
        lines.append(f"hint: {d.hint}")
    lines += [
        f"{_place(note.location)}{SEVERITY_WORDS[note.severity]}: {note.message}"
        for child in d.notes
        for note in child.flatten()
    ]
    return visible("\n".join(lines))


def _place(place: Location | None) -> str:
    return f"{visible_name(place.file)}:{max(place.line, 1)}:{max(place.col, 1)}: " if place is not None else ""


def _data(text: str) -> str:
    """Escape the text after `::`."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape the value of a property, which is terminated by a comma or a colon."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
