"""Find the lists of other tools in a folder, and take their shaders: the importers of `hlsl_tool import` read them."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.system.dataclass import dataclass, replace
from hlsl_tool.base.system.regular_files import read_regular
from hlsl_tool.project.discovery.discover import TARGET_ENV, Discovery, Guess, axes_of, base_options
from hlsl_tool.project.discovery.entries.entry_points import EntryPoint
from hlsl_tool.project.exchange.imports.cmake import cmake
from hlsl_tool.project.exchange.imports.commands import compile_commands, dxc_commands
from hlsl_tool.project.exchange.imports.shadermake import Switches, shadermake
from hlsl_tool.project.exchange.imports.shaders import Importer, Shader
from hlsl_tool.project.exchange.imports.visual_studio import visual_studio

MAX_SIZE = 32 << 20
"""Limit on the bytes of a list."""

Reader = Callable[[str, str, Importer], list[Shader]]


@dataclass(frozen=True, slots=True)
class ListKind:
    """A kind of list: the names of its files, a text that it contains, and its reader."""

    name: str
    """The kind in `hlsl_tool import`."""
    ends: tuple[str, ...]
    marks: tuple[str, ...]
    """Texts of which a list has one."""
    read: Reader


def _shadermake(text: str, name: str, importer: Importer) -> list[Shader]:
    return shadermake(text, name, importer, Switches(), importer.folder)


KINDS = (
    ListKind("compile-commands", ("compile_commands.json",), ("dxc", "hlsl2spirv"), compile_commands),
    ListKind("shadermake", (".cfg",), (" -T ", "\t-T "), _shadermake),
    ListKind("dxc-commands", (".bat", ".cmd", ".sh", ".ps1", ".log"), ("dxc",), dxc_commands),
    ListKind("visual-studio", (".vcxproj",), ("<FxCompile",), visual_studio),
    ListKind("cmake", ("CMakeLists.txt", ".cmake"), ("VS_SHADER_TYPE", "dxc", "DXC"), cmake),
)
"""The kinds of lists; the shaders of earlier ones take precedence."""


@dataclass(frozen=True, slots=True)
class UsedList:
    """A list that names shaders of the folder."""

    path: str
    kind: str
    count: int
    """Number of shaders that are taken from it."""
    problem: str
    """The first part that could not be read; empty if there is none."""


def take_lists(discovery: Discovery) -> tuple[list[UsedList], frozenset[str]]:
    """Add the shaders of all lists in a folder to a discovery; return the lists, and the sources that they name."""
    lists: list[UsedList] = []
    keys: set[object] = set()
    taken: set[str] = set()
    for kind in KINDS:
        of_kind: set[str] = set()
        for path in _files(discovery, kind):
            text = _text(os.path.join(discovery.root, path), kind)
            if text is None:
                continue
            shaders, problem = _read(discovery, kind, path, text)
            guesses = [_guess(discovery, shader, path) for shader in shaders if shader.source not in taken]
            guesses = [guess for guess in guesses if _is_new(guess, keys)]
            of_kind.update(guess.source for guess in guesses)
            discovery.guesses += guesses
            if guesses:
                lists.append(UsedList(path, kind.name, len(guesses), problem))
        taken |= of_kind
    discovery.guesses.sort(key=lambda guess: guess.source)
    return lists, frozenset(taken)


def _files(discovery: Discovery, kind: ListKind) -> Iterator[str]:
    """Yield the files that may be lists; a compilation database may be in the folder of a build."""
    folder = discovery.sources.folder
    for path in folder.files if kind.name == "compile-commands" else folder.own:
        if path.endswith(kind.ends):
            yield path


def _text(path: str, kind: ListKind) -> str | None:
    """Return the text of a list; `None` if it cannot be read, or names no shader."""
    try:
        data = read_regular(path, MAX_SIZE)
        text = data.decode("utf-8-sig")
    except (OSError, ValueError):
        return None
    return text if any(mark in text for mark in kind.marks) else None


def _read(discovery: Discovery, kind: ListKind, path: str, text: str) -> tuple[list[Shader], str]:
    """Return the shaders of a list whose sources are in the folder, and the first problem in it.

    Paths count from the folder of the list, or, as in scripts that are started elsewhere, from the root.
    """
    shaders: list[Shader] = []
    problem = ""
    for folder in dict.fromkeys((posixpath.dirname(path), "")):
        sink = Sink(error_limit=0)
        importer = Importer(discovery.root, os.path.join(discovery.root, folder), sink)
        shaders = [shader for shader in kind.read(text, path, importer) if discovery.sources.read_listed(shader.source)]
        problem = next((item.message for item in sink.diagnostics), "")
        if shaders:
            break
    return shaders, problem


def _is_new(guess: Guess, keys: set[object]) -> bool:
    key = (guess.source, guess.entry.name, guess.entry.stage, tuple(sorted(guess.macros.items())))
    is_new = key not in keys
    keys.add(key)
    return is_new


def _guess(discovery: Discovery, shader: Shader, path: str) -> Guess:
    """Return the shader of a list, with the include folders that are found."""
    base = base_options(discovery, shader.source)
    options = shader.options
    folders = [*(name for name in options.include_dirs if _is_folder(discovery.root, name)), *base.include_dirs]
    options = replace(
        options,
        target_env=TARGET_ENV if options.target_env == type(options)().target_env else options.target_env,
        include_dirs=tuple(dict.fromkeys(folders)),
        case_insensitive_includes=base.case_insensitive_includes,
    )
    entry = EntryPoint(options.entry, options.profile.partition("_")[0], f"{posixpath.basename(path)}", 0)
    axes = axes_of(discovery, shader.source)
    return Guess(shader.source, entry, options, dict(shader.defines), [], axes)


def _is_folder(root: str, path: str) -> bool:
    return not path.startswith(("..", "/")) and os.path.isdir(os.path.join(root, path))
