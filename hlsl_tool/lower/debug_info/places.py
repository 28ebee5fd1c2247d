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
        self._known: dict[int, tuple[str, int, int]] = {}
        self._files: dict[str, int] = {}

    def named(self, chunk: Chunk, token: int) -> tuple[str, int, int]:
        """(file, line, column) of a token, counted from the first of its chunk."""
        index = self._bases[chunk] + token
        known = self._known.get(index)
        if known is None:
            found = self.sources.unit.stream.locate(index)
            known = self._known[index] = (found.file, found.line, found.col)
        return known

    def of(self, chunk: Chunk, token: int) -> Place:
        """The same with the id of the file's OpString."""
        name, line, column = self.named(chunk, token)
        return self.file(name), line, column

    def file(self, name: str) -> int:
        """The OpString of a file.  It may be written later: ``write_names`` sees to those that nobody wrote."""
        known = self._files.get(name)
        if known is None:
            known = self._files[name] = self.b.strings.get(name) or self.b.new_id()
        return known

    def files_used(self) -> list[str]:
        return list(self._files)

    def write_names(self) -> None:
        for name, number in self._files.items():
            self.b.strings.setdefault(name, number)
