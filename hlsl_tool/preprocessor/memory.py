"""All that the preprocessor remembers between shaders: one object, handed in, safe to drop.

With an empty one the results are the same.  Everything is keyed by content: a file by its bytes, a run of text by its
characters, an expansion by the macros it can see, an ``#include`` by the macros its files mention.
"""

from __future__ import annotations

from typing import NamedTuple

from hlsl_tool.preprocessor.inclusion.visit import Source, Visit
from hlsl_tool.preprocessor.lexing.parsed import Interner, MacroSet, Names, ParsedFile
from hlsl_tool.preprocessor.macros.definitions import Macro
from hlsl_tool.source import SourceFile


class IncludeResult(NamedTuple):
    """What one ``#include`` did, for one set of macros."""

    visit: Visit
    runs: tuple[list[str], ...]
    sources: tuple[Source, ...]
    defined: dict[str, Macro]
    undefined: tuple[str, ...]
    files: tuple[tuple[ParsedFile, str], ...]
    """Every file read, with its shown name, in the order of the first visit."""
    missing: tuple[str, ...]
    """Paths that were looked for and were not there."""
    asked: tuple[ParsedFile, ...]
    """Files of which only was asked whether they are there."""
    once: frozenset[str]
    """Files that declared ``#pragma once``."""
    reach: int
    """How many levels above its own directory it looked for files."""
    pasted: frozenset[str]
    """Identifiers that ``##`` made."""
    includes: int
    tokens: int


class IncludeGroup(NamedTuple):
    """Results that looked at the same names: by the macros these names had, and the files already seen ``once``."""

    names: Names
    paths: frozenset[str]
    """Files whose ``#pragma once`` state was asked for."""
    outer: tuple[str, ...] | None
    """The directories of the including files, if an include was looked for there; ``None``: they did not matter."""
    results: dict[tuple[MacroSet, frozenset[str]], IncludeResult]


class IncludeKey(NamedTuple):
    """Which header, and what decides where its own includes are found."""

    path: str
    name: str
    include_dirs: tuple[str, ...]
    flavour: tuple[object, ...]
    """Options that change how includes are resolved and what is reported."""


class Prelude(NamedTuple):
    """The predefined macros and those of the command line."""

    macros: dict[str, Macro]
    visits: tuple[Visit, ...]


class PreprocessorMemory:
    """See the module.  Not thread-safe: one for each worker."""

    __slots__ = ("files", "includes", "interner", "preludes")

    def __init__(self) -> None:
        self.interner = Interner()
        self.files: dict[str, ParsedFile] = {}
        """By path; replaced when the content is another."""
        self.includes: dict[IncludeKey, list[IncludeGroup]] = {}
        self.preludes: dict[tuple[object, ...], Prelude] = {}

    def parse(self, path: str, data: bytes, name: str) -> ParsedFile:
        """The file with this content, parsed now or before."""
        known = self.files.get(path)
        if known is not None and known.source.data == data:
            return known
        parsed = self.files[path] = ParsedFile(SourceFile.from_bytes(name, path, data), self.interner)
        return parsed

    def parse_main(self, source: SourceFile) -> ParsedFile:
        known = self.files.get(source.path)
        if known is not None and known.source.data == source.data:
            return known
        parsed = self.files[source.path] = ParsedFile(source, self.interner)
        return parsed

    def clear(self) -> None:
        """Forget everything (a long-lived process that has seen too much)."""
        self.interner = Interner()
        self.files.clear()
        self.includes.clear()
        self.preludes.clear()


__all__ = ["IncludeGroup", "IncludeKey", "IncludeResult", "Prelude", "PreprocessorMemory"]
