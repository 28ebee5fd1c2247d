"""Values of macros that the files of a project mention: build scripts, lists of shaders, and code in C++."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.base.system.regular_files import read_regular
from hlsl_tool.frontend.preprocessor.lexing.parsed import Directive
from hlsl_tool.project.discovery.reading.folder import Folder
from hlsl_tool.project.discovery.reading.sources import Sources

TEXTS = (
    ".bat", ".cmd", ".cfg", ".cmake", ".txt", ".py", ".sh", ".ps1", ".json", ".vcxproj", ".props", ".cpp", ".cc",
    ".cxx", ".c", ".h", ".hpp", ".inl", ".lua", ".rs", ".cs", ".go",
)  # fmt: skip
"""Ends of names of files that are searched."""

MAX_SIZE = 2 << 20
"""Limit on the bytes of a file that is searched."""

MAX_TOTAL = 256 << 20
"""Limit on the bytes of all files that are searched."""

_VALUE = rb"[A-Za-z_0-9][\w.]*"
_COMMAND = re.compile(
    rb"(?:^|[\s\"';(,=])[-/]D\s*\"?([A-Za-z_]\w*)(?:=\{?(" + _VALUE + rb")?)?"
    rb"|[>;]([A-Za-z_]\w*)=(\\?\"\w+\\?\"|" + _VALUE + rb")",
    re.MULTILINE,
)
"""An option of a command line, or an item of a list of macros in a project of Visual Studio."""

_CODE = re.compile(
    rb"\"([A-Za-z_]\w*)\"\s*[,=:]\s*(?:L?\"(\d\w*|[a-z]\w*)\"|(\d+)\b)"
    rb"|\b([A-Z_][A-Z0-9_]+)\s*=\s*(\d+)\b"
    rb"|\#\s*define\s+([A-Za-z_]\w*)\s+(\d+)\s*$",
    re.MULTILINE,
)
"""A pair of a name and a value, or the definition of a constant."""


@dataclass(frozen=True, slots=True)
class MentionedValue:
    """The value of a macro, and the file and line that have it."""

    value: str
    file: str
    line: int
    is_command: bool
    """Whether it is in an option of a command line: `-D NAME=VALUE`."""

    @property
    def is_given(self) -> bool:
        """Whether a command line turns the macro on."""
        return self.is_command and self.value != "0"


class MacroValues:
    """The values of macros that the files of a project mention; the files are searched once, when they are needed."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.values: dict[str, MentionedValue] | None = None

    def of(self, names: Iterable[str]) -> dict[str, MentionedValue]:
        """Return values of macros: of command lines first, then those of shaders and of code, in order of the files."""
        names = list(names)
        if not names:
            return {}
        if self.values is None:
            self.values = _defined_values(self.sources)
            for path, data in _texts(self.sources.folder):
                _add_matches(self.values, path, data)
        return {name: self.values[name] for name in names if name in self.values}


def _texts(folder: Folder) -> Iterator[tuple[str, bytes]]:
    """Yield the files to search."""
    total = 0
    for path in folder.own:
        if not path.lower().endswith(TEXTS):
            continue
        try:
            data = read_regular(os.path.join(folder.root, path), MAX_SIZE)
        except (OSError, ValueError):
            continue
        total += len(data)
        if total > MAX_TOTAL:
            break
        yield path, data


def _defined_values(sources: Sources) -> dict[str, MentionedValue]:
    """Return values that shaders define for macros without parameters, which other shaders may lack."""
    values: dict[str, MentionedValue] = {}
    for path in sorted(sources.parsed):
        parsed = sources.parsed[path]
        for item in parsed.items:
            if isinstance(item, Directive) and item.kind == "define":
                name, _, value = item.rest.partition(" ")
                if value.strip() and name not in values:
                    line, _ = parsed.source.line_col(parsed.physical(item.word))
                    values[name] = MentionedValue(value.strip(), path, line, False)
    return values


def _add_matches(values: dict[str, MentionedValue], path: str, data: bytes) -> None:
    """Add the values in a file, as far as earlier files have none; a command line takes precedence."""
    for pattern in (_COMMAND, _CODE):
        line, position = 1, 0
        for match in pattern.finditer(data):
            line += data.count(b"\n", position, match.end())
            position = match.end()
            groups = [group for group in match.groups() if group is not None]
            name = groups[0].decode()
            known = values.get(name)
            if known is None or (pattern is _COMMAND and not known.is_command):
                value = groups[1].decode().replace("\\", "") if len(groups) > 1 else "1"
                values[name] = MentionedValue(value, path, line, pattern is _COMMAND)
