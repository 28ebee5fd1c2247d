"""Preprocessor caches that shaders share.

The caches do not affect results.  Everything is stored under its content: a file under its bytes, a run of text under
its characters, an expansion under the macros visible to it, an ``#include`` under the macros that its files mention.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hlsl_tool.base.source import SourceFile
from hlsl_tool.frontend.preprocessor.inclusion.visit import Source, Visit
from hlsl_tool.frontend.preprocessor.lexing.parsed import Interner, MacroSet, Names, ParsedFile
from hlsl_tool.frontend.preprocessor.macros.definitions import Macro


class IncludeResult(NamedTuple):
    """The result of an ``#include`` with one set of macros."""

    visit: Visit
    runs: tuple[list[str], ...]
    sources: tuple[Source, ...]
    defined: dict[str, Macro]
    undefined: tuple[str, ...]
    files: tuple[tuple[ParsedFile, str], ...]
    """Every file read, with its shown name, in the order of the first visit."""
    missing: tuple[str, ...]
    """Paths that were searched but do not exist."""
    asked: tuple[ParsedFile, ...]
    """Files that only ``__has_include`` found."""
    once: frozenset[str]
    """Files that declared ``#pragma once``."""
    reach: int
    """Number of including directories, above its own, that were searched."""
    pasted: frozenset[str]
    """Identifiers that ``##`` made."""
    includes: int
    tokens: int


class IncludeGroup(NamedTuple):
    """Cached results of an ``#include`` that depend on the same macro names.

    Each is stored under the definitions of these names and the files that ``#pragma once`` excludes.
    """

    names: Names
    paths: frozenset[str]
    """Files whose ``#pragma once`` state was tested."""
    outer: tuple[str, ...] | None
    """The directories of the including files, ``None`` if no include was searched there."""
    results: dict[tuple[MacroSet, frozenset[str]], IncludeResult]


class IncludeKey(NamedTuple):
    """Cache key of a header: its file and the inputs of include search."""

    path: str
    name: str
    include_dirs: tuple[str, ...]
    flavour: tuple[object, ...]
    """Options that affect include search and diagnostics."""


class Prelude(NamedTuple):
    """The macros defined before the first line: predefined ones and those of the command line."""

    macros: dict[str, Macro]
    visits: tuple[Visit, ...]


_PREDEFINED = Interner()


@lru_cache(maxsize=64)
def _predefined(text: str) -> ParsedFile:
    name = "<built-in>"
    return ParsedFile(SourceFile.from_bytes(name, f"{name}\0{text}", text.encode()), _PREDEFINED)


class PreprocessorMemory:
    """All caches of the preprocessor.  Not thread-safe: each worker needs its own."""

    __slots__ = ("files", "includes", "interner", "preludes")

    def __init__(self) -> None:
        self.interner = Interner()
        self.files: dict[str, ParsedFile] = {}
        """Parsed files by path; replaced when the content changes."""
        self.includes: dict[IncludeKey, list[IncludeGroup]] = {}
        self.preludes: dict[tuple[object, ...], Prelude] = {}

    def parse(self, path: str, data: bytes, name: str) -> ParsedFile:
        """Return the parsed file with this content, from the cache if possible."""
        cached = self.files.get(path)
        if cached is not None and cached.source.data == data:
            return cached
        parsed = self.files[path] = ParsedFile(SourceFile.from_bytes(name, path, data), self.interner)
        return parsed

    def parse_predefined(self, text: str) -> ParsedFile:
        """Return the parsed text of the predefined macros; there are few variants, which are cached for the process."""
        file = _predefined(text)
        self.interner.definitions.update(_PREDEFINED.definitions)
        return file

    def parse_main(self, source: SourceFile) -> ParsedFile:
        cached = self.files.get(source.path)
        if cached is not None and cached.source.data == source.data:
            return cached
        parsed = self.files[source.path] = ParsedFile(source, self.interner)
        return parsed

    def clear(self) -> None:
        """Empty all caches, to bound the memory of a long-running process."""
        self.interner = Interner()
        self.files.clear()
        self.includes.clear()
        self.preludes.clear()


__all__ = ["IncludeGroup", "IncludeKey", "IncludeResult", "Prelude", "PreprocessorMemory"]
