"""Find all names in a shader that refer to a declaration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.apps.lsp.source.cursor import declarations_at
from hlsl_tool.apps.lsp.source.references import Declaration
from hlsl_tool.apps.lsp.source.token_map import Origin
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.syntax.chunks import Chunk


class Place(NamedTuple):
    """The source location of a declared name; it identifies the declaration across shaders."""

    path: str
    start: int


class Occurrence(NamedTuple):
    """A name that refers to a declaration, or that declares it."""

    origin: Origin
    is_declaration: bool


def origin_of(analysis: Analysis, declaration: Declaration) -> Origin | None:
    """Return the source range of a declared name; ``None`` if the name is not in a file."""
    index = analysis.places.index(declaration.pos, declaration.chunk)
    return None if index is None else analysis.tokens.origin(index)


def place_of(analysis: Analysis, declaration: Declaration) -> Place | None:
    """Return the location that identifies a declaration across shaders; ``None`` if the name is not in a file."""
    origin = origin_of(analysis, declaration)
    return Place(origin.file.path, origin.start) if origin is not None else None


def redeclarations(analysis: Analysis, declaration: Declaration) -> list[Declaration]:
    """Return a declaration together with the other declarations, and the definition, of the same function."""
    if declaration.kind not in ("function", "method"):
        return [declaration]
    functions = {(f.chunk, f.pos): f for f in analysis.typed.all_functions()}
    own = functions.get((declaration.chunk, declaration.pos))
    same = [declaration]
    for other in analysis.declarations.named(declaration.qualified):
        function = functions.get((other.chunk, other.pos))
        if other is not declaration and _is_same(analysis.program, own, function):
            same.append(other)
    return same


def _is_same(program: hir.Program, a: hir.Function | None, b: hir.Function | None) -> bool:
    if a is None or b is None:
        return False
    return a is b or program.definitions.get(a, a) is program.definitions.get(b, b)


def places_of(analysis: Analysis, declarations: Iterable[Declaration]) -> set[Place]:
    """Return the locations of declarations and of all their redeclarations."""
    same = [other for declaration in declarations for other in redeclarations(analysis, declaration)]
    return {place for declaration in same if (place := place_of(analysis, declaration)) is not None}


def occurrences(analysis: Analysis, name: str, places: set[Place]) -> Iterator[Occurrence]:
    """Yield the occurrences of ``name`` that refer to one of the declarations at ``places``."""
    for chunk, base in zip(analysis.unit.chunks, analysis.unit.bases, strict=True):
        if name not in chunk.identifiers:
            continue
        for pos, token in enumerate(chunk.tokens):
            if token == name:
                yield from _at(analysis, chunk, pos, base, places)


def _at(analysis: Analysis, chunk: Chunk, pos: int, base: int, places: set[Place]) -> Iterator[Occurrence]:
    for declaration in declarations_at(analysis, chunk, pos):
        if place_of(analysis, declaration) in places:
            is_declaration = (declaration.chunk, declaration.pos) == (chunk, pos)
            yield Occurrence(analysis.tokens.origin(base + pos), is_declaration)
            return
