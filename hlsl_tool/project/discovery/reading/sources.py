"""The texts of a folder's shaders: parsed files, the graph of includes, and the macros that files define."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from hlsl_tool.base.source import SourceFile
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.base.system.regular_files import MAX_SIZE, is_binary, read_regular
from hlsl_tool.frontend.preprocessor import PreprocessorMemory
from hlsl_tool.frontend.preprocessor.lexing.parsed import CLAUSES, CONDITIONS, Directive, ParsedFile, TextRun
from hlsl_tool.project.discovery.names import DOUBTFUL_SUFFIXES, OWN_SUFFIXES, is_header
from hlsl_tool.project.discovery.reading.folder import Folder, Skipped

GLSL_WORDS = frozenset(
    ("gl_Position", "gl_FragColor", "gl_FragCoord", "gl_GlobalInvocationID", "gl_VertexIndex", "layout")
)
"""Identifiers by which a file without `#version` is taken for GLSL, if its name's end is of both languages."""


HLSL_WORD = re.compile(rb"\b(?:SV_\w+|numthreads|float[234]|cbuffer)\b")
"""A word of HLSL, which a file with a doubtful suffix needs to count as a shader."""


@dataclass(frozen=True, slots=True)
class Include:
    """An include directive: the file that has it, and the name that it gives."""

    file: str
    name: str
    is_angled: bool


@dataclass(slots=True)
class Sources:
    """The parsed shaders of a folder, and the files that they include.  Paths are relative to the root."""

    folder: Folder
    memory: PreprocessorMemory
    parsed: dict[str, ParsedFile] = field(default_factory=dict)
    """Shaders, and included files of any name."""
    shaders: list[str] = field(default_factory=list)
    """Files with names of HLSL that can be read, and are not GLSL."""
    glsl: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    own: frozenset[str] = frozenset()
    """All files outside of build folders."""
    defined: frozenset[str] = frozenset()
    """Names of macros that some file defines, include guards included."""

    def read(self, path: str) -> ParsedFile | None:
        """Parse a file once; return `None` for one that cannot be read, which `skipped` then has."""
        if path not in self.parsed:
            try:
                data = read_regular(os.path.join(self.folder.root, path), MAX_SIZE)
            except (OSError, ValueError) as error:
                self.skipped.append(Skipped(path, getattr(error, "strerror", None) or str(error)))
                return None
            if is_binary(data):
                self.skipped.append(Skipped(path, "it is binary"))
                return None
            full = os.path.join(self.folder.root, path)
            self.parsed[path] = self.memory.parse_main(SourceFile.from_bytes(path, full, data))
        return self.parsed[path]

    def read_listed(self, path: str) -> bool:
        """Return whether a source that a list names is in the folder and can be read."""
        return path in self.parsed or (path in self.own and self.read(path) is not None)


def read_sources(folder: Folder, memory: PreprocessorMemory) -> Sources:
    """Parse the shaders of a folder into directives and tokens."""
    sources = Sources(folder, memory, own=frozenset(folder.own))
    for path in folder.shaders:
        is_doubtful = path.lower().endswith(DOUBTFUL_SUFFIXES)
        if is_doubtful and not _has_words(os.path.join(folder.root, path)):
            continue
        parsed = sources.read(path)
        if parsed is None:
            continue
        is_own = path.lower().endswith(OWN_SUFFIXES) or is_header(path)
        if not is_own and _is_glsl(parsed):
            sources.glsl.append(path)
        else:
            sources.shaders.append(path)
    return sources


def _has_words(path: str) -> bool:
    """Return whether a file has a word that only shaders have."""
    try:
        return HLSL_WORD.search(read_regular(path, MAX_SIZE)) is not None
    except (OSError, ValueError):
        return False


def _is_glsl(parsed: ParsedFile) -> bool:
    is_versioned = any(isinstance(item, Directive) and item.kind == "version" for item in parsed.items)
    return is_versioned or not GLSL_WORDS.isdisjoint(parsed.ids)


def includes_of(path: str, parsed: ParsedFile) -> Iterator[Include]:
    """Yield the includes of a file; names that macros give, and branches for C++, are left out."""
    branches: list[str] = []
    """The tests of the open conditions; those of C++ begin with `ifdef` or `ifndef`, others are empty."""
    for item in parsed.items:
        if not isinstance(item, Directive):
            continue
        if item.kind in CONDITIONS:
            branches.append(_test_of_cpp(item))
        elif item.kind in CLAUSES and branches:
            test = branches.pop()
            if item.kind != "endif":
                branches.append(_OPPOSITE[test] if item.kind == "else" else "")
        elif item.kind == "include" and item.rest[:1] in ('"', "<") and "ifdef" not in branches:
            end = item.rest.find('"' if item.rest[0] == '"' else ">", 1)
            if end > 1:
                yield Include(path, item.rest[1:end].replace("\\", "/"), item.rest[0] == "<")


_OPPOSITE = {"": "", "ifdef": "ifndef", "ifndef": "ifdef"}


def _test_of_cpp(item: Directive) -> str:
    """Return `ifdef` if a condition holds for C++ only, `ifndef` if it holds for others; empty for other conditions."""
    if item.kind in _OPPOSITE:
        return item.kind if item.name == "__cplusplus" else ""
    test = "".join(item.rest.split()).replace("(", "").replace(")", "")
    return {"defined__cplusplus": "ifdef", "__cplusplus": "ifdef", "!defined__cplusplus": "ifndef"}.get(test, "")


def macros_of(files: Iterable[ParsedFile]) -> frozenset[str]:
    """Return the names of the macros that files define."""
    names = {parsed.guard for parsed in files}
    for parsed in files:
        for item in parsed.items:
            if isinstance(item, Directive) and item.kind == "define":
                names.add(item.rest.split("(")[0].split(None, 1)[0] if item.rest else "")
    return frozenset(names - {""})


REGISTERS = "btsu"

MAX_DIGITS = 9
"""Limit on the characters of a register that counts; longer ones are errors."""


def register_classes(files: Iterable[ParsedFile]) -> tuple[frozenset[str], int, bool]:
    """Return the letters of the registers in files, the largest number, and whether `vk::binding` is used anywhere."""
    letters: set[str] = set()
    largest = 0
    has_vulkan = False
    for parsed in files:
        for item in parsed.items:
            if isinstance(item, TextRun):
                has_vulkan = has_vulkan or not item.run.ids.isdisjoint(("vk", "vk_binding"))
                for name in _registers(item.run.tokens):
                    letters.add(name[0])
                    largest = max(largest, int(name[1:]))
    return frozenset(letters), largest, has_vulkan


def _registers(tokens: list[str]) -> Iterator[str]:
    """Yield the registers in `register(…)`, such as `t0`."""
    for at, token in enumerate(tokens):
        if token == "register" and at + 2 < len(tokens):
            name = tokens[at + 2].lower()
            if name[0] in REGISTERS and name[1:].isdecimal() and len(name) <= MAX_DIGITS:
                yield name
