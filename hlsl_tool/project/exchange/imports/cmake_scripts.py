"""Run the part of CMake's language that names shaders: variables, lists, loops and properties of sources.

Conditions are not evaluated: the commands of all branches run.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.exchange.imports.variables import with_values

_TOKEN = re.compile(
    r"#\[(?P<comment>=*)\[.*?\](?P=comment)\]|#[^\n]*"
    r"|\"(?P<quoted>(?:\\.|[^\"\\])*)\"|\[(?P<equals>=*)\[(?P<bracket>.*?)\](?P=equals)\]"
    r"|(?P<open>\()|(?P<close>\))|(?P<word>(?:\\.|\$\{[^}\s]*\}|[^\s()#\"\\])+)",
    re.S,
)
_VARIABLE = re.compile(r"\$\{([\w.+/-]+)\}")
MAX_STEPS = 100_000
"""Limit on the commands that run: loops over long lists may be nested."""

MAX_DEPTH = 64
"""Limit on nested loops; deeper ones do not run."""

NAME_PARTS = {"NAME": 0, "NAME_WE": 1, "NAME_WLE": 1, "DIRECTORY": 2, "PATH": 2, "EXT": 3}


@dataclass(frozen=True, slots=True)
class CommandCall:
    """A command with its arguments, and the line that it begins in; quoted arguments are no lists."""

    name: str
    arguments: tuple[tuple[str, bool], ...]
    line: int


@dataclass(slots=True)
class Script:
    """The state of a script: variables, properties of sources, and commands of custom commands."""

    folder: str
    variables: dict[str, str] = field(default_factory=dict)
    properties: dict[str, dict[str, str]] = field(default_factory=dict)
    """Source → its properties."""
    lines: dict[str, int] = field(default_factory=dict)
    """Source → the line that sets its first property."""
    commands: list[tuple[int, list[str]]] = field(default_factory=list)
    """(line, words) of the commands of `add_custom_command` and `add_custom_target`."""
    steps: int = 0
    depth: int = 0
    """Number of loops around the command that runs."""

    def run(self, calls: Sequence[CommandCall]) -> None:
        """Run commands, with the bodies of their loops."""
        self._run(calls, _ends(calls), 0, len(calls))

    def _run(self, calls: Sequence[CommandCall], ends: Mapping[int, int], first: int, last: int) -> None:
        """Run the commands from an index to the one before another."""
        at = first
        while at < last and self.steps < MAX_STEPS:
            self.steps += 1
            call, end = calls[at], min(ends.get(at, last), last)
            if call.name == "foreach":
                for _ in self._loop(call):
                    self._run(calls, ends, at + 1, end)
            elif at not in ends:
                self._call(call)
                end = at
            at = end + 1

    def expanded(self, call: CommandCall) -> list[str]:
        """Return the arguments of a command with variables replaced, and lists split."""
        words: list[str] = []
        for text, is_quoted in call.arguments:
            value = self._replaced(text)
            words += [value] if is_quoted else [part for part in value.split(";") if part]
        return words

    def _replaced(self, text: str) -> str:
        for _ in range(8):  # variables in names of variables
            new = with_values(text, _VARIABLE, self.variables)
            if new == text:
                break
            text = new
        return text

    def _loop(self, call: CommandCall) -> Iterator[str]:
        """Yield the values of a loop, each after its variable has it."""
        words = self.expanded(call)
        if not words or words[1:2] == ["RANGE"] or self.depth == MAX_DEPTH:
            return
        values: list[str] = []
        is_list = False
        for word in words[1:]:
            if word in ("IN", "ITEMS", "LISTS"):
                is_list = word == "LISTS"
            else:
                values += self.variables.get(word, "").split(";") if is_list else [word]
        before = self.variables.get(words[0])
        self.depth += 1
        for value in filter(None, values):
            self.variables[words[0]] = value
            yield value
        self.depth -= 1
        self.variables.pop(words[0], None)
        if before is not None:
            self.variables[words[0]] = before

    def _call(self, call: CommandCall) -> None:
        words = self.expanded(call)
        if call.name == "set" and words:
            end = next((n for n, word in enumerate(words) if word in ("CACHE", "PARENT_SCOPE")), len(words))
            self.variables[words[0]] = ";".join(words[1:end])
        elif call.name == "list" and words[:1] == ["APPEND"] and len(words) > 1:
            self.variables[words[1]] = ";".join(filter(None, [self.variables.get(words[1], ""), *words[2:]]))
        elif call.name == "file" and words[:1] and words[0] in ("GLOB", "GLOB_RECURSE") and len(words) > 2:
            self.variables[words[1]] = ";".join(self._glob(words[2:], is_deep=words[0] == "GLOB_RECURSE"))
        elif call.name == "get_filename_component" and len(words) > 2 and words[2] in NAME_PARTS:
            self.variables[words[0]] = _part_of_name(words[1], words[2])
        elif call.name == "set_source_files_properties" and "PROPERTIES" in words:
            at = words.index("PROPERTIES")
            self._set(words[:at], words[at + 1 :], call.line)
        elif call.name == "set_property" and words[:1] == ["SOURCE"] and "PROPERTY" in words:
            at = words.index("PROPERTY")
            files = [word for word in words[1:at] if word not in ("APPEND", "APPEND_STRING")]
            self._set(files, [words[at + 1], ";".join(words[at + 2 :])] if at + 1 < len(words) else [], call.line)
        elif call.name in ("add_custom_command", "add_custom_target"):
            self.commands += [(call.line, command) for command in _commands_in(words)]

    def _set(self, files: list[str], pairs: list[str], line: int) -> None:
        for file in files:
            if file != "DIRECTORY":
                self.properties.setdefault(file, {}).update(zip(pairs[::2], pairs[1::2], strict=False))
                self.lines.setdefault(file, line)

    def _glob(self, words: list[str], *, is_deep: bool) -> Iterator[str]:
        """Yield the files that patterns match, sorted."""
        words = [word for word in words if word != "CONFIGURE_DEPENDS"]
        base = ""
        if words[:1] == ["RELATIVE"]:
            base, words = "".join(words[1:2]), words[2:]
        for pattern in words:
            for path in self._matches(pattern, is_deep=is_deep):
                yield posixpath.relpath(path, base) if base else path

    def _matches(self, pattern: str, *, is_deep: bool) -> list[str]:
        """Return the files below the folder that a pattern matches, sorted; none for a pattern that leads out of it."""
        name = posixpath.normpath(pattern).removeprefix(f"{self.folder.rstrip('/')}/")
        head, tail = posixpath.split(re.sub(r"\*+", "*", name))  # `**` has no meaning of its own in CMake
        if os.path.isabs(name) or name.startswith("..") or "$" in name or tail in ("", "."):
            return []
        full = posixpath.join(head, "**", tail) if is_deep else posixpath.join(head, tail)
        return sorted(path.as_posix() for path in Path(self.folder).glob(full) if path.is_file())


COMMAND_WORDS = frozenset((
    "OUTPUT", "COMMAND", "MAIN_DEPENDENCY", "DEPENDS", "BYPRODUCTS", "IMPLICIT_DEPENDS", "WORKING_DIRECTORY", "COMMENT",
    "DEPFILE", "JOB_POOL", "VERBATIM", "APPEND", "USES_TERMINAL", "COMMAND_EXPAND_LISTS", "ALL", "SOURCES", "TARGET",
    "PRE_BUILD", "PRE_LINK", "POST_BUILD",
))  # fmt: skip
"""Words that end the arguments of a command."""


def _commands_in(words: list[str]) -> Iterator[list[str]]:
    """Yield the words of each `COMMAND` of a custom command."""
    command: list[str] | None = None
    for word in [*words, "ALL"]:
        if word in COMMAND_WORDS:
            if command:
                yield command
            command = [] if word == "COMMAND" else None
        elif command is not None and word != "ARGS":
            command.append(word)


BLOCKS = ("foreach", "function", "macro")
"""Commands whose body goes to an `end…` command: loops run theirs, and bodies of functions do not run."""


def _ends(calls: Sequence[CommandCall]) -> dict[int, int]:
    """Return index of a command in `BLOCKS` → index of its end; the number of commands if the end is missing."""
    ends: dict[int, int] = {}
    opened: dict[str, list[int]] = {name: [] for name in BLOCKS}
    for at, call in enumerate(calls):
        if call.name in opened:
            opened[call.name].append(at)
            ends[at] = len(calls)
        elif call.name.startswith("end") and opened.get(call.name[3:]):
            ends[opened[call.name[3:]].pop()] = at
    return ends


def _part_of_name(path: str, part: str) -> str:
    folder, base = posixpath.split(path)
    stem, dot, rest = base.partition(".")
    if part == "NAME_WLE":
        stem = os.path.splitext(base)[0]
    return (base, stem, folder, dot + rest)[NAME_PARTS[part]]


def calls_of(text: str) -> list[CommandCall]:
    """Parse a script to its commands; text that is no command is skipped."""
    calls: list[CommandCall] = []
    name, begun, depth = "", 0, 0
    arguments: list[tuple[str, bool]] = []
    line, position = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        if match["open"]:
            depth += 1
            arguments = [] if depth == 1 else arguments
        elif match["close"]:
            depth = max(depth - 1, 0)
            if depth == 0 and name:
                calls.append(CommandCall(name.lower(), tuple(arguments), begun))
                name = ""
        elif match["word"] is not None or match["quoted"] is not None or match["bracket"] is not None:
            if depth == 0:
                name, begun = match["word"] or "", line
            elif match["bracket"] is not None:
                arguments.append((match["bracket"], True))
            else:
                quoted = match["quoted"]
                plain = re.sub(r"\\(.)", r"\1", match["word"] if quoted is None else quoted)
                arguments.append((plain, quoted is not None))
    return calls
