"""Tokens of chunks → (file string, line, column), as messages show them: ``#line`` counts, a token that came out of a
macro stands where the macro was used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.syntax.chunks import Chunk
from hlsl_tool.syntax.parser import TranslationUnit

if TYPE_CHECKING:
    from hlsl_tool.source import SourceFile

Place = tuple[int, int, int]
"""(file string id, line, column)"""


@dataclass(slots=True)
class Sources:
    """What debug information needs to know of the text that was compiled."""

    unit: TranslationUnit
    files: list[SourceFile]
    """Every file read, the main one first."""


class Places:
    """Looks positions up, each once."""

    def __init__(self, builder: ModuleBuilder, sources: Sources) -> None:
        self.b = builder
        self.sources = sources
        self._bases = dict(zip(reversed(sources.unit.chunks), reversed(sources.unit.bases), strict=True))
        self._known: dict[int, Place] = {}

    def of(self, chunk: Chunk, token: int) -> Place:
        """The place of a token, counted from the first of its chunk."""
        index = self._bases[chunk] + token
        known = self._known.get(index)
        if known is None:
            found = self.sources.unit.stream.locate(index)
            known = self._known[index] = (self.b.string(found.file), found.line, found.col)
        return known
