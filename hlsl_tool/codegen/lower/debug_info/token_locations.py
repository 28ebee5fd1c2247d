"""Map tokens of top-level declarations to (file name, line, column), as in diagnostics.

``#line`` is honoured; a token from a macro expansion has the location of the macro's use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.spirv.builder import ModuleBuilder

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics.diagnostic import Location
    from hlsl_tool.base.source import SourceFile

Place = tuple[int, int, int]
"""(file string id, line, column)"""


@dataclass(slots=True)
class Sources:
    """The source texts and the token locations that debug information refers to."""

    chunks: Sequence[SourceChunk]
    bases: Sequence[int]
    """Index in the token stream of each chunk's first token."""
    locate: Callable[[int], Location]
    """Location of a token by its index in the stream."""
    files: list[SourceFile]
    """Every file read, the main one first."""


class Places:
    """Cached source locations of tokens."""

    def __init__(self, builder: ModuleBuilder, sources: Sources) -> None:
        self.b = builder
        self.sources = sources
        self._bases: dict[SourceChunk, int] = dict(zip(reversed(sources.chunks), reversed(sources.bases), strict=True))
        self._named: dict[int, tuple[str, int, int]] = {}
        self._files = builder.file_names

    def named(self, chunk: SourceChunk, token: int) -> tuple[str, int, int]:
        """Return (file name, line, column) of a token, given its index in its declaration."""
        index = self._bases[chunk] + token
        place = self._named.get(index)
        if place is None:
            location = self.sources.locate(index)
            place = self._named[index] = (location.file, location.line, location.col)
        return place

    def of(self, chunk: SourceChunk, token: int) -> Place:
        """Return (id of the file name's OpString, line, column) of a token."""
        name, line, column = self.named(chunk, token)
        return self.file(name), line, column

    def file(self, name: str) -> int:
        """Return the id for a file name's OpString; ``write_names`` declares it if no other code does."""
        number = self._files.get(name)
        if number is None:
            number = self._files[name] = self.b.strings.get(name) or self.b.new_id()
        return number

    def files_used(self) -> list[str]:
        return list(self._files)

    def write_names(self) -> None:
        """Declare the OpStrings of all files whose ids were requested."""
        for name, number in self._files.items():
            self.b.strings.setdefault(name, number)
