"""Parse lists of commands: scripts and build logs (`dxc-commands`), and compilation databases (`compile-commands`)."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.project.exchange.imports.shaders import Importer, Shader, lines_of, words_of

PROGRAMS = ("dxc", "hlsl2spirv")
SEPARATORS = ("&&", "||", ";", "&", "|")
"""Words of a shell between two commands."""

ENDS = (">", ">>", "<", "1>", "2>", "2>&1", ")")
"""Words of a shell that end the arguments of a command."""

_VARIABLE = re.compile(r"%\w+%|%~\w+|%\d|\$\w+|\$\{[^}]*\}?|\$\(")


def dxc_commands(text: str, name: str, importer: Importer) -> list[Shader]:
    """Return the shaders of a text with a command in each line; lines with other commands are skipped."""
    shaders = []
    for number, line in lines_of(text):
        try:
            commands = list(_commands(words_of(line)))
        except ValueError as error:
            if _mentions_program(line):
                problem = f"the line has no words: {error}".lower()
                importer.sink.error(codes.LIST_SYNTAX, Location(name, number, 1), problem=problem)
            continue
        at = Location(name, number, _column(line))
        shaders += [_shader(words, at, importer, None) for words in commands]
    return [shader for shader in shaders if shader is not None]


def compile_commands(text: str, name: str, importer: Importer) -> list[Shader]:
    """Return the shaders of a compilation database; commands of other programs are skipped."""
    shaders = []
    try:
        for row, line in _rows(text):
            at = Location(name, line, 1)
            words = _words_of_row(row)
            if words is None:
                importer.sink.error(codes.LIST_SYNTAX, at, problem="no entry with `arguments` or `command`")
                continue
            folder = os.path.join(importer.folder, _text(row.get("directory")))
            if "\0" in folder:
                importer.sink.error(codes.LIST_SYNTAX, at, problem="a `directory` with a NUL character")
                continue
            commands = _commands(words, needs_program=True)
            shaders += [_shader(command, at, importer, folder) for command in commands]
    except json.JSONDecodeError as error:
        at = Location(name, error.lineno, error.colno)
        importer.sink.error(codes.LIST_SYNTAX, at, problem=f"not JSON: {error.msg.lower()}")
    except RecursionError:
        importer.sink.error(codes.LIST_SYNTAX, Location(name), problem="not a list of commands: nested too deeply")
    return [shader for shader in shaders if shader is not None]


def _shader(words: list[str], at: Location, importer: Importer, folder: str | None) -> Shader | None:
    variable = next((match[0] for word in words if (match := _VARIABLE.search(word))), None)
    if variable is not None:
        hint = "run the script so that it prints its commands, and import what it prints"
        importer.sink.error(codes.LIST_VARIABLE, at, hint=hint, text=variable)
        return None
    return importer.shader(words, at, folder)


def _commands(words: Iterable[str], *, needs_program: bool = False) -> Iterator[list[str]]:
    """Yield the arguments of each compilation in a line; only the first may omit the program."""
    parts: list[list[str]] = [[]]
    for word in words:
        bare = word.removesuffix(";") or word
        if bare not in SEPARATORS:
            parts[-1].append(bare)
        if bare in SEPARATORS or bare != word:
            parts.append([])
    for number, part in enumerate(parts):
        command = _command(part, needs_program=needs_program or number > 0)
        if command is not None:
            yield command


def _command(words: Sequence[str], *, needs_program: bool = False) -> list[str] | None:
    """Return the arguments of a compilation, without the program; `None` if the words are no compilation."""
    starts = [number for number, word in enumerate(words) if _is_program(word)]
    if not starts and (needs_program or not words or not words[0].startswith(("-", "/"))):
        return None
    words = words[starts[0] + 1 if starts else 0 :]
    end = next((number for number, word in enumerate(words) if word in ENDS), len(words))
    words = [word for word in words[:end] if word not in ("-spirv", "-nologo", "/nologo", "--no-server")]
    is_compilation = any(re.match(r"[-/]T|@", word) for word in words)
    return words if is_compilation else None


def _is_program(word: str) -> bool:
    base = re.split(r"[/\\]", word)[-1].lower()
    return base.removesuffix(".exe") in PROGRAMS


def _mentions_program(line: str) -> bool:
    return any(_is_program(word.strip("\"'")) for word in line.split())


def _column(line: str) -> int:
    return len(line) - len(line.lstrip()) + 1


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _words_of_row(row: Any) -> list[str] | None:
    if not isinstance(row, dict):
        return None
    arguments, command = row.get("arguments"), row.get("command")
    if isinstance(arguments, list) and all(isinstance(word, str) for word in arguments):
        return arguments
    if not isinstance(command, str):
        return None
    try:
        return words_of(command)
    except ValueError:
        return None


def _rows(text: str) -> Iterator[tuple[Any, int]]:
    """Yield each element of a JSON list, with the number of its first line."""
    decoder = json.JSONDecoder(parse_int=float)  # integers may have more digits than Python converts
    space = re.compile(r"\s*")

    def skip(at: int) -> int:
        match = space.match(text, at)
        return match.end() if match else at

    at = skip(0)
    if text[at : at + 1] != "[":
        raise json.JSONDecodeError("a list is expected", text, at)
    at = skip(at + 1)
    while text[at : at + 1] != "]":
        row, end = decoder.raw_decode(text, at)
        yield row, text.count("\n", 0, at) + 1
        at = skip(end)
        if text[at : at + 1] == ",":
            at = skip(at + 1)
        elif text[at : at + 1] != "]":
            raise json.JSONDecodeError("a comma is expected", text, at)
