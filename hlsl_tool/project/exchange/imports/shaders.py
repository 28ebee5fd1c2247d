"""The shaders of a list: commands of DXC, with their source locations in the list."""

from __future__ import annotations

import os
import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence

from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.diagnostics.diagnostic import Code, Diagnostic, Location
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.checks import NotForSpirv, OptionError
from hlsl_tool.base.options.command_line import Command, parse
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.options.kinds import EITHER, FLAG, JOINED, SEPARATE
from hlsl_tool.base.options.table import OTHERS
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.base.system.paths import relative
from hlsl_tool.base.system.regular_files import MAX_SIZE, read_regular
from hlsl_tool.project.config.keys import BUILD_WARNINGS

_MACRO = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

SOURCES = (".hlsl", ".hlsli", ".fx", ".fxh")
"""Suffixes of sources, which need not exist where a list is imported."""


@dataclass(slots=True)
class Shader:
    """One DXC command: a source, options and files.  Paths are relative to the project's root, with slashes."""

    source: str
    options: CompileOptions
    files: dict[str, str]
    """Kind of output → its file."""
    at: Location
    array: str = ""
    """The name of the array in the output `header`."""
    defines: dict[str, str] = field(default_factory=dict)
    """Macro → value; `1` for a macro without one."""
    name: str = ""
    """Template of the output's name, for a shader without files; empty for the default."""
    keys: frozenset[str] = frozenset()
    """Macros by which loaders find a permutation in a blob: they are axes, even with one value."""


class Importer:
    """Converts the commands of a list to shaders, and reports problems to a sink."""

    def __init__(self, root: str, folder: str, sink: Sink) -> None:
        """Create the importer.

        ``folder`` is the working folder of the commands, ``root`` that of the configuration; both are absolute.
        """
        self.root = root
        self.folder = folder
        self.sink = sink
        self.is_of_project = False
        """Whether the list is a project of other files, too: a wrong command is left out with a warning."""

    def refuse(self, code: Code, at: Location, words: Sequence[str], problem: str) -> None:
        """Report a command that cannot be imported."""
        if self.is_of_project:
            left_out(self.sink, at, words[-1] if words else "", problem)
        else:
            self.sink.error(code, at, problem=problem)

    def path(self, name: str, folder: str | None = None) -> str:
        """Convert a path of a command to one that is relative to the root."""
        name = name.replace("\\", "/")
        return relative(os.path.join(folder or self.folder, name), self.root)

    def shader(self, words: Sequence[str], at: Location, folder: str | None = None) -> Shader | None:
        """Return the shader that a command compiles; `None` after an error.  ``words`` exclude the program."""
        command = self._command(list(words), at, folder or self.folder)
        if command is None:
            return None
        if not command.source or command.source.endswith("/"):
            problem = f"the source `{command.source}` is a folder" if command.source else "the command has no source"
            self.refuse(codes.LIST_SYNTAX, at, words, problem)
            return None
        if any(letter in command.source for letter in "*?["):
            left_out(self.sink, at, command.source, "a configuration reads the name as a pattern")
            return None
        options = command.options
        macro = next((name for name, _ in options.defines if not _MACRO.fullmatch(name)), None)
        if macro is not None:
            left_out(self.sink, at, command.source, f"`{macro}` is no name of a macro")
            return None
        defines = {name: "1" if value is None else value for name, value in options.defines}
        warnings = tuple(name for name in options.warnings if name not in BUILD_WARNINGS)
        if options.warnings_as_errors:  # of those that configurations turn on, it concerns what the command turns on
            added = (name for name in BUILD_WARNINGS if name not in options.warnings)
            warnings += tuple(f"no-error={name}" for name in added if f"no-error={name}" not in warnings)
        includes, libraries = (
            tuple(self.path(name, folder) for name in names) for names in (options.include_dirs, options.libraries)
        )
        options = replace(
            options, defines=(), warnings=warnings, include_dirs=includes, libraries=libraries, command_line=""
        )
        if options.profile.startswith("lib_"):
            options = replace(options, entry="")
        names = {"spv": command.object, "spvasm": command.assembly, "header": command.header}
        if options.debug and not command.debug_file.endswith(("/", "\\")):  # DXC makes up a name in a folder
            names["debug"] = command.debug_file
        files = {kind: self.path(name, folder) for kind, name in names.items() if name}
        return Shader(self.path(command.source, folder), options, files, at, command.variable, defines)

    def _command(self, words: list[str], at: Location, folder: str) -> Command | None:
        """Parse a command; drop options that SPIR-V has no counterpart for, with a warning for each."""

        def read(name: str) -> str | None:
            try:
                return read_regular(os.path.join(folder, name), MAX_SIZE).decode("utf-8-sig")
            except (OSError, ValueError):
                return None

        def is_file(name: str) -> bool:
            """Return whether an argument is a path that starts with a slash, and not an option such as `/T`."""
            return name.endswith(SOURCES) or os.path.isfile(os.path.join(folder, name))

        while True:
            try:
                return parse(words, read=read, is_file=is_file)
            except OptionError as error:
                flag = error.flag if isinstance(error, NotForSpirv) else ""
                rest = _without(words, flag) if flag else words
                if len(rest) == len(words):
                    self.refuse(codes.LIST_OPTION, at, words, str(error))
                    return None
                left_out(self.sink, at, flag, "SPIR-V has no counterpart")
                words = rest


def left_out(sink: Sink, at: Location, what: str, reason: str) -> None:
    """Warn that a part of the list is missing in the configuration."""
    text = codes.LIST_LEFT_OUT.template.format(what=what, reason=reason)
    sink.diagnostics.append(Diagnostic(codes.LIST_LEFT_OUT, "warning", text, at))


def _without(words: list[str], flag: str) -> list[str]:
    """Return the words of a command line without the DXC option ``flag`` and its value.

    The value may be joined to the option or be the next word.
    """
    form = next((other.flag.form for other in OTHERS if other.flag.name == flag), FLAG)
    for number, word in enumerate(words):
        spelled = word.replace("/", "-", 1)
        if spelled == flag or (form in (EITHER, JOINED) and spelled.startswith(flag)):
            count = 2 if spelled == flag and form in (EITHER, SEPARATE) else 1
            return words[:number] + words[number + count :]
    return words


def words_of(line: str) -> list[str]:
    """Split a line into words; quotes group, and a backslash has no special meaning.  May raise ValueError."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="")
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    return list(lexer)


def common_folder(paths: Sequence[str]) -> str:
    """Return the innermost folder that contains all files; `.` for the root."""
    folders = [posixpath.dirname(path) for path in paths]
    if not folders or any(posixpath.isabs(folder) != posixpath.isabs(folders[0]) for folder in folders):
        return "."
    return posixpath.commonpath(folders) or "."


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield (number, line); a line that ends with a backslash or a caret is joined with the next."""
    begun, parts = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        begun = begun or number
        stripped = line.rstrip()
        if stripped.endswith(("\\", "^")):
            parts += stripped[:-1] + " "
            continue
        yield begun, parts + line
        begun, parts = 0, ""
    if parts:
        yield begun, parts
