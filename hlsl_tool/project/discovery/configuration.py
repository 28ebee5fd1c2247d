"""Write the configuration of a folder's shaders, with comments about the guesses in it."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.options.checks import GRAPHICS
from hlsl_tool.base.options.compile_options import ALL_SPACES
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.project.config.yaml.text import Commented, Tree, comments, document
from hlsl_tool.project.discovery.discover import GUESSED, TARGET_ENV, Discovery, Guess
from hlsl_tool.project.discovery.reading.macros import TestedMacro
from hlsl_tool.project.discovery.reading.sources import register_classes
from hlsl_tool.project.exchange.imports.folding import fold
from hlsl_tool.project.exchange.imports.naming import Folders
from hlsl_tool.project.exchange.imports.shaders import Shader, common_folder

OUTPUT_DIR = "build/shaders"
STAGE_NAMES = {**GRAPHICS, "cs": "compute", "lib": "library"}
MAX_SHOWN = 6
"""Limit on the macros and reasons that one comment lists."""


@dataclass(slots=True)
class Decisions:
    """Settings of the whole configuration, with a line of comment for each."""

    shifts: tuple[int, ...] = ()
    """Shifts of the registers b, t, s, u; empty for none."""
    links: bool = True
    """Whether the stages of one source are checked against each other."""
    lines: list[str] = field(default_factory=list)


def decide(discovery: Discovery) -> Decisions:
    """Choose the settings that all shaders share."""
    decisions = Decisions()
    used = {path for guess in discovery.guesses for path in discovery.graph.closure(guess.source)}
    parsed = [discovery.sources.parsed[path] for path in sorted(used) if path in discovery.sources.parsed]
    letters, largest, has_vulkan = register_classes(parsed)
    if len(letters) > 1 and not has_vulkan:
        step = 100 if largest < 100 else 1000
        decisions.shifts = (3 * step, 2 * step, step, 4 * step)
        shown = ", ".join(f"`{letter}0`" for letter in sorted(letters))
        decisions.lines.append(
            f"bindings: registers such as {shown} would share one binding in Vulkan; shifts part them."
        )
    decisions.lines.append(f"target_env: {TARGET_ENV} has all operations; choose an earlier one for older drivers.")
    for folder in sorted(discovery.graph.examples):
        include = discovery.graph.examples[folder]
        if any(folder in guess.options.include_dirs for guess in discovery.guesses):
            decisions.lines.append(f"include_dirs: `{include.name}` in {include.file} is found in {folder}.")
    shared = {
        name: macro
        for guess in discovery.guesses
        for name, macro in guess.axes.items()
        if macro.file != guess.source and name not in guess.macros
    }
    if shared:
        names = ", ".join(sorted(shared)[: 2 * MAX_SHOWN]) + (", …" if len(shared) > 2 * MAX_SHOWN else "")
        decisions.lines.append(f"defines: included files test macros that no file defines: {names}.")
    return decisions


def configuration(discovery: Discovery, decisions: Decisions) -> str:
    """Return the text of the configuration."""
    shaders = [_shader(guess, name, decisions) for guess, name in _named(discovery.guesses)]
    folders = Folders(common_folder([shader.source for shader in shaders]), OUTPUT_DIR)
    content = fold(shaders, folders, Sink())
    if not decisions.links:
        content = {**{key: value for key, value in content.items() if key != "shaders"}, "link": "false",
                   "shaders": content["shaders"]}  # fmt: skip
    by_source: dict[str, list[Guess]] = {}
    for guess in discovery.guesses:
        by_source.setdefault(folders.source(guess.source), []).append(guess)
    items = content["shaders"]
    assert isinstance(items, list)
    content["shaders"] = [_commented(item, by_source) for item in items]
    return comments(_head(discovery, decisions)) + document(content)


def _head(discovery: Discovery, decisions: Decisions) -> list[str]:
    sources = len({guess.source for guess in discovery.guesses})
    count = len(discovery.guesses)
    found = f"{count} {'shaders' if count != 1 else 'shader'} of {sources} {'sources' if sources != 1 else 'source'}"
    first = f"{found}, by `hlsl_tool init`, which does not write this file again. Correct what it guessed:"
    return [first, *(f"- {line}" for line in decisions.lines)]


def _shader(guess: Guess, name: str, decisions: Decisions) -> Shader:
    options = guess.options
    if decisions.shifts:
        b, t, s, u = (((shift, ALL_SPACES),) for shift in decisions.shifts)
        options = replace(options, shift_b=b, shift_t=t, shift_s=s, shift_u=u)
    return Shader(guess.source, options, {}, Location(guess.source, guess.entry.line), "", dict(guess.macros), name)


def _named(guesses: Iterable[Guess]) -> Iterator[tuple[Guess, str]]:
    """Yield each shader with the template of its name; names of different shaders differ."""
    guesses = list(guesses)
    entries = Counter((_stem(guess), guess.entry.name.lower()) for guess in _sources_once(guesses))
    has_one_entry = all(guess.entry.name in ("main", "") for guess in guesses)
    usual = "{stem}.{stage}" if has_one_entry else "{stem}.{entry}.{stage}"
    is_ambiguous = any(count > 1 for count in entries.values())
    by_stage: dict[tuple[str, str, str], list[Guess]] = {}
    for guess in _sources_once(guesses):
        by_stage.setdefault((_stem(guess), guess.entry.name.lower(), guess.entry.stage), []).append(guess)
    for guess in guesses:
        alike = by_stage[_stem(guess), guess.entry.name.lower(), guess.entry.stage]
        yield guess, (usual.replace("{stem}", _distinct(guess, alike)) if is_ambiguous else "")


def _distinct(guess: Guess, alike: list[Guess]) -> str:
    """Return a template for the stem of a source that parts it from the sources of shaders with the same name.

    It has the suffix of the source, and a number where suffixes are equal but for the case of letters.
    """
    if len(alike) == 1:
        return "{stem}"
    suffixes = [re.sub(r"[^A-Za-z0-9.]", "_", posixpath.basename(one.source).partition(".")[2]) for one in alike]
    at = next(number for number, one in enumerate(alike) if _key(one) == _key(guess))
    number = f"_{at + 1}" if [suffix.lower() for suffix in suffixes].count(suffixes[at].lower()) > 1 else ""
    return f"{{stem}}_{suffixes[at]}{number}"


def _key(guess: Guess) -> tuple[str, str, str]:
    return guess.source, guess.entry.name, guess.entry.stage


def _sources_once(guesses: Iterable[Guess]) -> list[Guess]:
    """Return one guess for each source, entry point and stage: permutations have names of their own."""
    return list({_key(guess): guess for guess in guesses}.values())


def _stem(guess: Guess) -> str:
    return posixpath.splitext(guess.source)[0].lower()


def _commented(item: Tree, by_source: Mapping[str, list[Guess]]) -> Tree:
    """Return an item of `shaders` with its comment."""
    assert isinstance(item, dict)
    source = item["source"]
    sources = source if isinstance(source, list) else [source]
    guesses = [guess for name in sources for guess in by_source.get(str(name).strip('"'), ())]
    return Commented(item, [*_reasons(guesses), *_notes(guesses), *_axes(guesses)])


def _reasons(guesses: Iterable[Guess]) -> list[str]:
    by_stage: dict[str, dict[str, None]] = {}
    for guess in guesses:
        by_stage.setdefault(guess.entry.stage, {})[guess.entry.reason] = None
    parts = [f"{STAGE_NAMES.get(stage, stage)} by {_listed(reasons)}" for stage, reasons in by_stage.items()]
    return ["; ".join(parts)] if parts else []


def _notes(guesses: Iterable[Guess]) -> list[str]:
    """Return the notes about shaders, each once; those about macros with guessed values are joined."""
    notes = list(dict.fromkeys(note for guess in guesses for note in guess.notes))
    guessed = [note.removesuffix(GUESSED) for note in notes if note.endswith(GUESSED)]
    if len(guessed) > 1:
        joined = f"{', '.join(guessed)} are not defined by any file: their values 1 are guesses"
        notes = [joined, *(note for note in notes if not note.endswith(GUESSED))]
    return notes


def _axes(guesses: Iterable[Guess]) -> list[str]:
    """Return a line for each source about its macros that may become permutations."""
    lines: dict[str, None] = {}
    for guess in guesses:
        axes = {name: macro for name, macro in guess.axes.items() if macro.file == guess.source}
        shown = _proposal({name: macro for name, macro in axes.items() if name not in guess.macros})
        if shown:
            lines[f"{posixpath.basename(guess.source)} tests macros that no file defines: {shown}"] = None
    more = [f"… and {len(lines) - MAX_SHOWN} more sources test such macros"] if len(lines) > MAX_SHOWN else []
    return [*list(lines)[:MAX_SHOWN], *more]


def _proposal(axes: Mapping[str, TestedMacro]) -> str:
    """Return macros as permutation axes, as a configuration has them; empty if there are none."""
    parts = [f"{name}: [{', '.join(axes[name].axis())}]" for name in list(axes)[:MAX_SHOWN]]
    more = f" and {len(axes) - MAX_SHOWN} more" if len(axes) > MAX_SHOWN else ""
    return f"defines: {{ {', '.join(parts)} }}{more}" if parts else ""


def _listed(texts: Iterable[str]) -> str:
    texts = list(texts)
    more = f" and {len(texts) - MAX_SHOWN} more reasons" if len(texts) > MAX_SHOWN else ""
    return ", ".join(texts[:MAX_SHOWN]) + more
