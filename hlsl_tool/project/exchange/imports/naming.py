"""Find name templates for a configuration that reproduce the file names in a list."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence, Set

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.config.expansion import name_templates as names
from hlsl_tool.project.config.output_kinds import BLOB_SUFFIXES, SUFFIXES
from hlsl_tool.project.exchange.imports.axes import UNDEFINED, Block, Macros
from hlsl_tool.project.exchange.imports.shaders import Shader
from hlsl_tool.project.exchange.imports.templates import generalized, generalized_array, template

ALL_SUFFIXES = SUFFIXES | BLOB_SUFFIXES
"""Kind of output → the usual end of its file's name."""

BINARIES = (".spirv", ".spv", ".bin")
"""Suffixes that stand before the last one in names such as `x.spirv.h`."""

SEPARATORS = ("-", ".", "_")
"""Characters at the end of names that templates with macros lose."""

Row = tuple[Macros, str]
"""The macros of a permutation, and a name that it has."""


@dataclass(frozen=True, slots=True)
class Folders:
    """The source and output folders of a configuration, from the project's root."""

    source_dir: str
    output_dir: str

    def source(self, path: str) -> str:
        return path if posixpath.isabs(path) else posixpath.relpath(path, self.source_dir)

    def output(self, path: str) -> str:
        return posixpath.relpath(path, self.output_dir)


@dataclass(slots=True)
class Naming:
    """The name templates of a configuration's entry, and the macros that must be permutation axes.

    A macro must be an axis, even with a single value, if names or keys in blobs contain it.
    """

    templates: dict[str, str] = field(default_factory=dict)
    """Key of a configuration → template."""
    axes: Set[str] = field(default_factory=set)
    """Macros that names end with, or by which blobs are read: axes, though a block may have one value of them."""


def naming_of(
    members: Sequence[Shader], block: Block, varying: set[str], folders: Folders, *, shares_names: bool = False
) -> Naming | None:
    """Return name templates that reproduce the files of all members of a block; `None` if there are none.

    ``block``: a product of macro values; each combination is a permutation. ``varying``: macros that vary over all
    blocks of the entry. ``shares_names``: all permutations have one name in the list.
    """
    first = members[0]
    kinds = [kind for kind in ALL_SUFFIXES if kind in first.files]
    if not kinds:
        return Naming({"name": first.name} if first.name else {}, varying)
    macros = [{name: shader.defines.get(name, UNDEFINED) for name in block} for shader in members]
    paths = {kind: [folders.output(shader.files[kind]) for shader in members] for kind in kinds}
    end = _common_end(paths[kinds[0]], ALL_SUFFIXES[kinds[0]])
    stems = [path.removesuffix(end) for path in paths[kinds[0]]]
    rows = list(zip(macros, stems, strict=True))
    usual = stems[0] if shares_names else _without_macros(rows, [name for name in block if name in varying])
    text = template(rows) if usual is None else usual
    if text is None or (text != stems[0] and any(stem.endswith(SEPARATORS) for stem in stems)):
        return None
    source, entry = folders.source(first.source), first.options.entry or "lib"
    templates: dict[str, str | None] = {"name": generalized(text, source, entry, posixpath.dirname(source))}
    for kind in kinds:
        file = _file(kind, list(zip(macros, paths[kind], strict=True)), stems)
        if file != "{name}" + ALL_SUFFIXES[kind] and file != "{shader}" + ALL_SUFFIXES[kind]:
            templates[f"files.{kind}"] = file
    if first.array:
        array = template([(one, shader.array) for one, shader in zip(macros, members, strict=True)])
        templates["array"] = array and generalized_array(array, source, entry)
    complete = {key: text for key, text in templates.items() if text is not None and names.is_template(text)}
    if len(complete) < len(templates):
        return None
    return Naming(complete, first.keys | (varying if usual is not None else set()))


def _file(kind: str, rows: Sequence[Row], stems: Sequence[str]) -> str | None:
    """Return the template for the file names of an output kind; `None` if there is none.

    ``rows`` are (macros, path) of each permutation, ``stems`` the names of the permutations' outputs.
    """
    ends = {path.removeprefix(stem) for (_, path), stem in zip(rows, stems, strict=True)}
    if len(ends) == 1 and all(path.startswith(stem) for (_, path), stem in zip(rows, stems, strict=True)):
        return ("{shader}" if kind in BLOB_SUFFIXES else "{name}") + ends.pop()
    return template(rows)


def _common_end(paths: Sequence[str], usual: str) -> str:
    """Return the suffix of all paths: ``usual`` if all have it, else the last suffix if all share it, else empty."""
    if all(path.endswith(usual) for path in paths):
        return usual
    ends = {posixpath.splitext(path)[1] for path in paths}
    end = ends.pop() if len(ends) == 1 else ""
    binary = next((suffix for suffix in BINARIES if all(path.endswith(suffix + end) for path in paths)), "")
    return binary + end


def _without_macros(rows: Sequence[Row], axes: Sequence[str]) -> str | None:
    """Remove from each path the values of ``axes`` that a configuration appends to names (`.FOG=1`).

    Return the path that remains if it is the same for all rows of (macros, path), else `None`.
    """
    stems = set()
    for macros, path in rows:
        end = "".join(f".{names.part(name, macros[name])}" for name in axes if macros[name] != UNDEFINED)
        stems.add(path.removesuffix(end) if path.endswith(end) else None)
    return stems.pop() if len(stems) == 1 else None
