"""Diagnostics of the compiler as those of the protocol."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from lsprotocol import types as lsp

from hlsl_tool.diagnostics import Diagnostic
from hlsl_tool.diagnostics.model import Location
from hlsl_tool.lsp.source.text import units

SOURCE = "hlsl_tool"
PAGES = "reference/diagnostics/"
_SEVERITIES = {
    "fatal": lsp.DiagnosticSeverity.Error,
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
PathOf = Callable[[str], str]
"""Returns the absolute path of a file by its name in diagnostics."""


def by_path(
    diagnostics: Iterable[Diagnostic], path_of: PathOf, uri_of: Callable[[str], str], default: str, label: str = ""
) -> dict[str, list[lsp.Diagnostic]]:
    """Return diagnostics by the path of their file; those without a place are put at the start of ``default``.

    ``label`` names the permutation in the messages.
    """
    grouped: dict[str, list[lsp.Diagnostic]] = {}
    for diagnostic in diagnostics:
        place = diagnostic.location
        path = path_of(place.file) if place is not None and place.file else default
        grouped.setdefault(path, []).append(converted(diagnostic, path_of, uri_of, label))
    return grouped


def converted(diagnostic: Diagnostic, path_of: PathOf, uri_of: Callable[[str], str], label: str = "") -> lsp.Diagnostic:
    """Return one diagnostic with its notes and its hint."""
    message = diagnostic.message + (f"\nhint: {diagnostic.hint}" if diagnostic.hint else "")
    message += f"\n(in {label})" if label else ""
    related = [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(uri_of(path_of(note.location.file)), range_at(note.location)), note.message
        )
        for note in diagnostic.notes
        if note.location is not None and note.location.file
    ]
    place = diagnostic.location
    for frame in place.macro_stack if place is not None else ():
        start = lsp.Position(max(frame.line - 1, 0), max(frame.col - 1, 0))
        where = lsp.Location(uri_of(path_of(frame.file)), lsp.Range(start, start))
        related.append(lsp.DiagnosticRelatedInformation(where, f"expanded from macro '{frame.name}'"))
    return lsp.Diagnostic(
        range_at(place),
        message,
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code.id,
        source=SOURCE,
        related_information=related or None,
    )


def range_at(place: Location | None) -> lsp.Range:
    """Return the range of a location; the start of the file for none."""
    if place is None or place.line < 1:
        return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    start = units(place.source_line, max(place.col - 1, 0))
    end = units(place.source_line, max(place.end_col - 1, 0))
    line = place.line - 1
    return lsp.Range(lsp.Position(line, start), lsp.Position(line, max(end, start)))


def absolute(root: str, files: dict[str, str], default: str) -> PathOf:
    """Return the function from names in diagnostics to paths; ``files`` has those that were read, by name."""

    def path_of(name: str) -> str:
        path = files.get(name)
        if path is not None:
            return path
        candidate = os.path.normpath(os.path.join(root, name))
        return candidate if os.path.exists(candidate) else default

    return path_of
