"""Rename locals, functions, types and private variables; refuse renames that could change the shader's meaning."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.source import builtins
from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.apps.lsp.source.cursor import Cursor, cursor_at, declarations_at, is_in_comment
from hlsl_tool.apps.lsp.source.occurrences import occurrences, origin_of, places_of
from hlsl_tool.apps.lsp.source.references import LOCALS, Declaration
from hlsl_tool.apps.lsp.source.text import offset_of, range_of
from hlsl_tool.base.source import SourceFile
from hlsl_tool.frontend.syntax.builtin_types import BUILTIN_TYPES

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
Edits = dict[str, set[tuple[int, int]]]
"""Path → (start, end) of the names to replace."""


class Refused(Exception):
    """Raised for a rename that would be wrong; the message is for the user."""


def renamed_range(analysis: Analysis, file: SourceFile, position: lsp.Position) -> lsp.Range:
    """Return the range of the name that would be renamed; raise `Refused` if it cannot be renamed."""
    cursor = _renamed(analysis, file, position)
    return range_of(file, cursor.start, cursor.end)


def _renamed(analysis: Analysis, file: SourceFile, position: lsp.Position) -> Cursor:
    """Return the cursor with its declarations if the name can be renamed; else raise `Refused`."""
    cursor = cursor_at(analysis, file, offset_of(file, position))
    if cursor.macro is not None:
        raise Refused(f"`{cursor.word}` is a macro: its other definitions and uses are not known here")
    if cursor.is_inactive:
        raise Refused("the active permutation leaves out this text; choose another permutation")
    if not cursor.declarations:
        raise Refused(f"`{cursor.word}` is declared nowhere" if cursor.word else "there is no name here")
    for declaration in cursor.declarations:
        _check_declaration(analysis, declaration)
    return cursor


def _check_declaration(analysis: Analysis, declaration: Declaration) -> None:
    name = declaration.name
    origin = origin_of(analysis, declaration)
    if origin is None or not os.path.exists(origin.file.path):
        raise Refused(f"`{name}` is declared in a header of the compiler")
    if not origin.is_written:
        raise Refused(f"the declaration of `{name}` comes from a macro")
    if name.startswith("operator"):
        raise Refused("operators cannot be renamed")
    if declaration.kind == "method" and analysis.declarations.is_derived("::".join(declaration.container)):
        raise Refused(f"`{name}` is a method of a struct with base classes: others may have to be renamed with it")
    if declaration.kind in ("cbuffer", "namespace"):
        raise Refused(f"a {declaration.kind} cannot be renamed")
    if declaration.kind == "field" or (declaration.owner is not None and declaration.owner.kind == "cbuffer"):
        raise Refused(f"`{name}` is a member: programs may find it by its name")
    if declaration.kind == "variable":
        variable = analysis.typed.variable(declaration.chunk, declaration.pos)
        if variable is None or variable.storage not in ("static", "groupshared"):
            raise Refused(f"`{name}` belongs to the shader's interface: programs may find it by its name")


def rename(
    analysis: Analysis,
    file: SourceFile,
    position: lsp.Position,
    new_name: str,
    related: Callable[[str], Iterable[Analysis]],
    entries: frozenset[str],
) -> Edits:
    """Return path → edits of a rename; raise `Refused`.

    ``related`` returns the analyses of all shaders that read a file, ``entries`` are the entry points of all shaders.
    """
    cursor = _renamed(analysis, file, position)
    name = cursor.word
    _check_new_name(analysis, new_name)
    first = cursor.declarations[0]
    is_local = first.kind in LOCALS
    if name in entries and not is_local and first.kind == "function" and not first.container:
        raise Refused(f"`{name}` is an entry point, which the configuration names")
    origin = origin_of(analysis, first)
    analyses = [analysis] if is_local or origin is None else [analysis, *related(origin.file.path)]
    edits: Edits = {}
    if first.kind in ("function", "method"):  # all overloads: calls could mean another one without the renamed one
        cursor.declarations = analysis.declarations.named(first.qualified)
    places = places_of(analysis, cursor.declarations)
    for one in analyses:
        _check_free(one, name, new_name, is_local, first)
        for occurrence in occurrences(one, name, places):
            place = occurrence.origin
            if not place.is_written:
                raise Refused(f"a macro names `{name}`: {_where(place.file, place.start)}")
            edits.setdefault(place.file.path, set()).add((place.start, place.end))
    for one in analyses:
        limits = _limits(one, first) if is_local else None
        for path in edits if is_local else one.files:
            _check_other_texts(one, path, name, edits, limits)
    return edits


def _check_new_name(analysis: Analysis, name: str) -> None:
    if not NAME.fullmatch(name):
        raise Refused(f"`{name}` is no name")
    if name in builtins.keywords() or name in BUILTIN_TYPES or builtins.signatures(name):
        raise Refused(f"`{name}` has a meaning in HLSL")
    if name in analysis.stream.macros:
        raise Refused(f"`{name}` is a macro")


def _check_free(analysis: Analysis, old: str, new: str, is_local: bool, declaration: Declaration) -> None:
    """Raise `Refused` if the new name already occurs where the renamed declaration is visible or used.

    One declaration could then hide the other.
    """
    if is_local:
        is_used = new in getattr(declaration.chunk, "identifiers", ())
    else:
        chunks = analysis.unit.chunks
        is_used = bool(analysis.declarations.named(new)) or any(
            old in chunk.identifiers and new in chunk.identifiers for chunk in chunks
        )
    if is_used:
        raise Refused(f"`{new}` is used already")


def _limits(analysis: Analysis, declaration: Declaration) -> tuple[int, int] | None:
    """Return the range of the file in which a local declaration is visible: its function.

    ``None`` if macros or includes make that impossible.
    """
    owner = declaration.owner or declaration
    first = analysis.places.index(owner.first, owner.chunk)
    last = analysis.places.index(owner.last, owner.chunk)
    if first is None or last is None:
        return None
    start, end = analysis.tokens.origin(first), analysis.tokens.origin(last)
    return (start.start, end.end) if start.file.path == end.file.path else None


def _check_other_texts(analysis: Analysis, path: str, name: str, edits: Edits, limits: tuple[int, int] | None) -> None:
    """Raise `Refused` if the name occurs in a part of the file ``path`` that the analysis cannot interpret.

    Such parts are text that false conditions exclude, bodies of macros, and unresolved names. Occurrences in ``edits``
    or outside of the range ``limits`` are accepted.
    """
    file = analysis.files.get(path)
    if file is None or name not in file.text:
        return
    low, high = limits or (0, len(file.text))
    tokens = {token.start: token.number for token in analysis.tokens.written(path)}
    for match in re.finditer(rf"\b{re.escape(name)}\b", file.text):
        at = match.start()
        if not low <= at < high or (at, match.end()) in edits.get(path, ()) or is_in_comment(analysis, file, at):
            continue
        if at not in tokens:
            raise Refused(f"the active permutation does not show what `{name}` means: {_where(file, at)}")
        if not _is_known(analysis, tokens[at]):
            raise Refused(f"it is not clear what `{name}` means: {_where(file, at)}")


def _is_known(analysis: Analysis, number: int) -> bool:
    unit = analysis.unit
    at = bisect_right(unit.bases, number) - 1
    if at < 0 or number - unit.bases[at] >= len(unit.chunks[at].tokens):
        return True
    chunk, pos = unit.chunks[at], number - unit.bases[at]
    is_annotation = pos > 0 and chunk.tokens[pos - 1] == ":"
    return is_annotation or bool(declarations_at(analysis, chunk, pos) or analysis.typed.at(chunk, pos))


def _where(file: SourceFile, offset: int) -> str:
    return f"{file.name}:{file.line_col(offset)[0]}"
