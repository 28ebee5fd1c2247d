"""Go to definition, find references, highlight."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.apps.lsp.source.cursor import Cursor, cursor_at
from hlsl_tool.apps.lsp.source.occurrences import Occurrence, Place, occurrences, origin_of, places_of, redeclarations
from hlsl_tool.apps.lsp.source.text import offset_of, position_of, range_of
from hlsl_tool.base.source import SourceFile
from hlsl_tool.frontend.preprocessor.macros.definitions import Macro

UriOf = Callable[[str], str]


def definition(analysis: Analysis, file: SourceFile, position: lsp.Position, uri_of: UriOf) -> list[lsp.Location]:
    """Return the locations of the declarations of the name at a position; the definition comes first."""
    cursor = cursor_at(analysis, file, offset_of(file, position))
    if cursor.include is not None:
        start = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
        return [lsp.Location(uri_of(cursor.include.path), start)] if cursor.include.path else []
    if cursor.macro is not None:
        return _macro(analysis, cursor.macro, uri_of)
    return _declared(analysis, cursor, uri_of)


def _macro(analysis: Analysis, macro: Macro, uri_of: UriOf) -> list[lsp.Location]:
    place = analysis.stream.definition_of(macro)
    if place is None or not os.path.exists(place[0].source.path):
        return []  # built in, or from the command line
    file, offset = place[0].source, place[0].physical(place[1])
    return [lsp.Location(uri_of(file.path), range_of(file, offset, offset + len(macro.name)))]


def _declared(analysis: Analysis, cursor: Cursor, uri_of: UriOf) -> list[lsp.Location]:
    same = [d for declaration in cursor.declarations for d in redeclarations(analysis, declaration)]
    here = [d for d in same if d.chunk is cursor.chunk and d.pos == cursor.pos]
    others = [d for d in same if d not in here] or here
    locations: list[lsp.Location] = []
    for declaration in sorted(others, key=lambda d: not d.has_body):
        origin = origin_of(analysis, declaration)
        if origin is None or not os.path.exists(origin.file.path):
            continue
        end = origin.end if origin.is_written else origin.start
        location = lsp.Location(uri_of(origin.file.path), range_of(origin.file, origin.start, end))
        if location not in locations:
            locations.append(location)
    bodies = [d for d in others if d.has_body]
    return locations[: len(bodies)] if bodies and cursor.declarations[0].kind in ("function", "method") else locations


def references(
    analyses: Iterable[Analysis], name: str, places: set[Place], uri_of: UriOf, *, with_declaration: bool
) -> list[lsp.Location]:
    """Return the locations of a name in several shaders, sorted, without duplicates.

    ``places`` identifies the declarations to which the name must refer.
    """
    locations: dict[tuple[str, int], lsp.Location] = {}
    for analysis in analyses:
        for occurrence in occurrences(analysis, name, places):
            if not occurrence.is_declaration or with_declaration:
                origin = occurrence.origin
                location = lsp.Location(uri_of(origin.file.path), _range(occurrence))
                locations.setdefault((origin.file.path, origin.start), location)
    return [locations[key] for key in sorted(locations)]


def _range(occurrence: Occurrence) -> lsp.Range:
    """Return the range of an occurrence; one in the body of a macro is shown at the macro's invocation."""
    origin = occurrence.origin
    return range_of(origin.file, origin.start, origin.end if origin.is_written else origin.start)


def highlights(analysis: Analysis, file: SourceFile, position: lsp.Position) -> list[lsp.DocumentHighlight]:
    """Return the ranges in one file that refer to the same declaration as the word at a position."""
    cursor = cursor_at(analysis, file, offset_of(file, position))
    if not cursor.declarations or cursor.is_inactive:
        return []
    places = places_of(analysis, cursor.declarations)
    ranges = {
        (o.origin.start, o.origin.end)
        for o in occurrences(analysis, cursor.word, places)
        if o.origin.file.path == file.path and o.origin.is_written
    }
    return [lsp.DocumentHighlight(lsp.Range(position_of(file, a), position_of(file, b))) for a, b in sorted(ranges)]
