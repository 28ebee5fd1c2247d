"""Values of macros that the files of a project mention: build scripts, lists of shaders, and code in C++."""

from __future__ import annotations

import os
import re
from collections.abc import Collection

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.base.system.regular_files import read_regular
from hlsl_tool.frontend.preprocessor.lexing.parsed import Directive
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

_VALUE = r"[A-Za-z_0-9][\w.]*"


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


def mentioned_values(sources: Sources, names: Collection[str]) -> dict[str, MentionedValue]:
    """Return values of macros: of command lines first, then those of shaders and of code, in order of the files."""
    if not names:
        return {}
    folder = sources.folder
    command, code = _patterns(names)
    values = _defined_values(sources, names)
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
        text = data.decode("utf-8", "replace")
        for pattern in (command, code):
            for match in pattern.finditer(text):
                _add(values, match, text, path, is_command=pattern is command)
    return values


def _defined_values(sources: Sources, names: Collection[str]) -> dict[str, MentionedValue]:
    """Return values that shaders define for macros without parameters, which other shaders lack."""
    values: dict[str, MentionedValue] = {}
    for path in sorted(sources.parsed):
        parsed = sources.parsed[path]
        for item in parsed.items:
            if isinstance(item, Directive) and item.kind == "define":
                name, _, value = item.rest.partition(" ")
                if name in names and value.strip():
                    line, _ = parsed.source.line_col(parsed.physical(item.word))
                    values.setdefault(name, MentionedValue(value.strip(), path, line, False))
    return values


def _patterns(names: Collection[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for options of a command line, and for pairs and definitions in code."""
    any_name = "|".join(map(re.escape, sorted(names)))
    command = re.compile(
        rf"(?:^|[\s\"';(,=])[-/]D\s*\"?({any_name})\b(?:=\{{?({_VALUE})?)?|[>;]({any_name})=(\\?\"\w+\\?\"|{_VALUE})",
        re.MULTILINE,
    )
    code = re.compile(
        rf"\"({any_name})\"\s*[,=:]\s*(?:L?\"(\d\w*|[a-z]\w*)\"|(\d+)\b)"
        rf"|\b({any_name})\b\s*=\s*(\d+)\b"
        rf"|#\s*define\s+({any_name})\s+(\d+)\s*$",
        re.MULTILINE,
    )
    return command, code


def _add(values: dict[str, MentionedValue], match: re.Match[str], text: str, path: str, *, is_command: bool) -> None:
    groups = [group for group in match.groups() if group is not None]
    name, value = groups[0], groups[1] if len(groups) > 1 else "1"
    known = values.get(name)
    if known is None or (is_command and not known.is_command):
        line = text.count("\n", 0, match.start(0) + len(match[0]) - len(match[0].lstrip())) + 1
        values[name] = MentionedValue(value.replace("\\", ""), path, line, is_command)
