"""Find the shaders of a folder: sources with entry points, their options, and the macros that they test."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.frontend.preprocessor import PreprocessorMemory
from hlsl_tool.frontend.preprocessor.lexing.parsed import ParsedFile
from hlsl_tool.project.discovery.entries.entry_points import EntryPoint, entry_points
from hlsl_tool.project.discovery.entries.units import UnitReader
from hlsl_tool.project.discovery.names import DOUBTFUL_SUFFIXES, is_header, stage_of_file
from hlsl_tool.project.discovery.reading.folder import Folder, Skipped
from hlsl_tool.project.discovery.reading.includes import IncludeGraph, read_includes
from hlsl_tool.project.discovery.reading.macro_values import MacroValues
from hlsl_tool.project.discovery.reading.macros import TestedMacro, tested_macros
from hlsl_tool.project.discovery.reading.sources import Sources, macros_of, read_sources
from hlsl_tool.project.exchange.imports.visual_studio import FIRST_MODEL

TARGET_ENV = "vulkan1.3"
"""The target of new configurations; older ones lack operations that many shaders use."""

GUESSED = " is not defined by any file: its value 1 is a guess"
"""End of the note about a macro whose value is a guess."""

MAX_MACROS = 16
"""Limit on the macros of a source that are defined, one at a time, to find further entry points."""


@dataclass(slots=True)
class Guess:
    """A shader to build: its source, its entry point, and the settings that it is believed to need."""

    source: str
    entry: EntryPoint
    options: CompileOptions
    macros: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """Reasons for settings, for comments in the configuration."""
    axes: dict[str, TestedMacro] = field(default_factory=dict)
    """Macros that the source tests and no file defines."""
    is_included: bool = False
    """Whether other files include the source."""


@dataclass(slots=True)
class Discovery:
    """The shaders of a folder, and the files that are none."""

    sources: Sources
    graph: IncludeGraph
    guesses: list[Guess] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    """Files that others include, and that have no entry point."""
    without_entry: list[str] = field(default_factory=list)
    """Files that no other includes, and that have no entry point."""
    macro_values: MacroValues = field(init=False)

    def __post_init__(self) -> None:
        self.macro_values = MacroValues(self.sources)

    @property
    def root(self) -> str:
        return self.sources.folder.root

    @property
    def skipped(self) -> list[Skipped]:
        return [*self.sources.folder.skipped, *self.sources.skipped]


def read_files(folder: Folder) -> Discovery:
    """Parse the files of a folder, and find what they include."""
    sources = read_sources(folder, PreprocessorMemory())
    graph = read_includes(sources)
    sources.defined = macros_of(sources.parsed.values())
    return Discovery(sources, graph)


def find_shaders(discovery: Discovery, listed: frozenset[str] = frozenset()) -> None:
    """Add the shaders of all files, except those that a list names, to a discovery."""
    reader = UnitReader(discovery.sources)
    included = discovery.graph.included()
    without_entry: list[str] = []
    for path in discovery.sources.shaders:
        if path in listed:
            continue
        guesses = [] if is_header(path) else list(_guesses(discovery, reader, path, is_included=path in included))
        discovery.guesses += guesses
        if not guesses:
            is_for_others = path in included or is_header(path)
            (discovery.headers if is_for_others else without_entry).append(path)
    _find_with_macros(discovery, reader, without_entry)


def _find_with_macros(discovery: Discovery, reader: UnitReader, paths: list[str]) -> None:
    """Search sources without an entry point again, with the macros that command lines in the folder define."""
    tested = {path: macros_to_set(discovery, path) for path in paths}
    values = discovery.macro_values.of({name for macros in tested.values() for name in macros})
    for path in paths:
        macros = {name: values[name].value for name in tested[path] if name in values and values[name].is_given}
        options = base_options(discovery, path)
        parsing = replace(options, profile=f"{stage_of_file(path) or 'ps'}_6_6")
        entries = entry_points(reader.read(path, parsing, macros), is_included=False) if macros else []
        notes = [f"{name} is {values[name].value} in {values[name].file}:{values[name].line}" for name in macros]
        for entry in entries:
            discovery.guesses.append(_guess(path, entry, options, macros, notes, tested[path]))
        if not entries and not path.lower().endswith(DOUBTFUL_SUFFIXES):
            discovery.without_entry.append(path)
    discovery.guesses.sort(key=lambda guess: guess.source)


def base_options(discovery: Discovery, path: str) -> CompileOptions:
    """Return the options of all shaders of a source."""
    return CompileOptions(
        target_env=TARGET_ENV,
        include_dirs=discovery.graph.folders.get(path, ()),
        case_insensitive_includes=discovery.graph.ignores_case(path),
    )


def axes_of(discovery: Discovery, path: str) -> dict[str, TestedMacro]:
    """Return the macros that a source and its includes test, and that no file defines."""
    return tested_macros(_files_of(discovery, path), discovery.sources.defined)


def _guesses(discovery: Discovery, reader: UnitReader, path: str, *, is_included: bool) -> Iterator[Guess]:
    """Yield the shaders of a source."""
    options = base_options(discovery, path)
    axes = axes_of(discovery, path)
    parsing = replace(options, profile=f"{stage_of_file(path) or 'ps'}_6_6")
    entries: dict[tuple[str, str], tuple[EntryPoint, dict[str, str]]] = {
        (entry.name, entry.stage): (entry, {})
        for entry in entry_points(reader.read(path, parsing, {}), is_included=is_included)
    }
    for macro in _own_macros(axes, path):
        unit = reader.read(path, parsing, {macro: "1"})
        for entry in entry_points(unit, is_included=is_included):
            if entry.line:
                entries.setdefault((entry.name, entry.stage), (entry, {macro: "1"}))
    for entry, macros in entries.values():
        notes = [f"{name} selects the entry point `{entry.name or 'library'}`" for name in macros]
        guess = _guess(path, entry, options, macros, notes, axes)
        guess.is_included = is_included
        yield guess


def _guess(
    path: str,
    entry: EntryPoint,
    options: CompileOptions,
    macros: dict[str, str],
    notes: list[str],
    axes: dict[str, TestedMacro],
) -> Guess:
    profile = f"{entry.stage}_{FIRST_MODEL.get(entry.stage, '6_0')}"
    return Guess(path, entry, replace(options, entry=entry.name, profile=profile), dict(macros), list(notes), axes)


def macros_to_set(discovery: Discovery, path: str) -> dict[str, TestedMacro]:
    """Return the macros that a source and its includes test and do not define; other sources may define them."""
    files = _files_of(discovery, path)
    return tested_macros(files, macros_of(files))


def _files_of(discovery: Discovery, path: str) -> list[ParsedFile]:
    """Return a source and its includes, as far as they can be read."""
    parsed = discovery.sources.parsed
    return [parsed[name] for name in discovery.graph.closure(path) if name in parsed]


def _own_macros(axes: dict[str, TestedMacro], path: str) -> list[str]:
    """Return the macros that a source itself tests."""
    return [name for name, macro in axes.items() if macro.file == path][:MAX_MACROS]
