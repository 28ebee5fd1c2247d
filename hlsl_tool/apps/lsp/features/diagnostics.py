"""Convert diagnostics of the compiler to those of the language server protocol."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.source.text import units
from hlsl_tool.base.diagnostics import Diagnostic
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.source import SourceFile
from hlsl_tool.base.system import paths
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.config.hints import configured

SOURCE = "hlsl_tool"
_SEVERITIES = {
    "fatal": lsp.DiagnosticSeverity.Error,
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
PathOf = Callable[[str], str]
"""Returns the absolute path of a file by its name in diagnostics."""


@dataclass(slots=True)
class Converter:
    """Converts the compiler's diagnostics about one target to those of the language server protocol."""

    path_of: PathOf
    uri_of: Callable[[str], str]
    files: Mapping[str, SourceFile] = field(default_factory=dict)
    """The files that were read, by their names in diagnostics."""
    label: str = ""
    """The permutation, which the messages name."""

    def by_path(self, diagnostics: Iterable[Diagnostic], default: str) -> dict[str, list[lsp.Diagnostic]]:
        """Return path of the file → diagnostics; those without a source location are at the start of ``default``."""
        grouped: dict[str, list[lsp.Diagnostic]] = {}
        for diagnostic in configured(list(diagnostics)):
            place = diagnostic.location
            path = self.path_of(place.file) if place is not None and place.file else default
            grouped.setdefault(path, []).append(self.converted(diagnostic))
        return grouped

    def converted(self, diagnostic: Diagnostic) -> lsp.Diagnostic:
        """Convert one diagnostic with its notes, hint and fix-its."""
        message = diagnostic.message + (f"\nhint: {diagnostic.hint}" if diagnostic.hint else "")
        message += f"\n(in {self.label})" if self.label else ""
        return lsp.Diagnostic(
            range_at(diagnostic.location),
            message,
            severity=_SEVERITIES[diagnostic.severity],
            code=diagnostic.code.id,
            source=SOURCE,
            related_information=self._related(diagnostic) or None,
            data={"fixes": fixes} if (fixes := self._fixes(diagnostic)) else None,
        )

    def _related(self, diagnostic: Diagnostic) -> list[lsp.DiagnosticRelatedInformation]:
        """Return the notes, and the macro expansions that contain the source location."""
        related = [
            lsp.DiagnosticRelatedInformation(self._location(note.location.file, range_at(note.location)), note.message)
            for note in diagnostic.notes
            if note.location is not None and note.location.file
        ]
        place = diagnostic.location
        for frame in place.macro_stack if place is not None else ():
            start = lsp.Position(max(frame.line - 1, 0), units(frame.source_line, max(frame.col - 1, 0)))
            where = self._location(frame.file, lsp.Range(start, start))
            related.append(lsp.DiagnosticRelatedInformation(where, f"expanded from macro '{frame.name}'"))
        return related

    def _location(self, name: str, where: lsp.Range) -> lsp.Location:
        return lsp.Location(self.uri_of(self.path_of(name)), where)

    def _fixes(self, diagnostic: Diagnostic) -> list[dict[str, object]]:
        """Return the fix-its as plain data, for code actions.

        [] if one concerns a file that the analysis did not read.
        """
        fixes: list[dict[str, object]] = []
        for fix in diagnostic.fixes:
            file = self.files.get(fix.file)
            if file is None:
                return []
            line = file.line_text(fix.line)
            start, end = units(line, fix.col - 1), units(line, fix.end_col - 1)
            uri = self.uri_of(self.path_of(fix.file))
            fixes.append({"uri": uri, "line": fix.line - 1, "start": start, "end": end, "text": fix.text})
        return fixes


def on_line(line: int, message: str) -> lsp.Diagnostic:
    """Return a warning about a whole line, whose number is 0-based."""
    where = lsp.Range(lsp.Position(line, 0), lsp.Position(line + 1, 0))
    return lsp.Diagnostic(where, message, severity=lsp.DiagnosticSeverity.Warning, source=SOURCE)


def range_at(place: Location | None) -> lsp.Range:
    """Convert a source location to a range; `None` gives the start of the file."""
    if place is None or place.line < 1:
        return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
    start = units(place.source_line, max(place.col - 1, 0))
    end = units(place.source_line, max(place.end_col - 1, 0))
    line = place.line - 1
    return lsp.Range(lsp.Position(line, start), lsp.Position(line, max(end, start)))


def absolute(root: str, files: dict[str, str], default: str) -> PathOf:
    """Return a function that converts file names in diagnostics to absolute paths.

    ``files`` maps the names of the files that were read to their paths.  A name that is no file becomes ``default``.
    """

    def path_of(name: str) -> str:
        path = files.get(name)
        if path is not None:
            return path
        candidate = paths.absolute(name, root)
        return candidate if os.path.exists(candidate) else default

    return path_of
