"""Convert a list of shaders to a configuration: move shared settings to the top, and combine permutations to axes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.compile_options import CompileOptions, changed
from hlsl_tool.base.options.table import TABLE
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.config.yaml.kinds import value_tree
from hlsl_tool.project.config.yaml.text import Tree, scalar
from hlsl_tool.project.exchange.imports.axes import UNDEFINED, Block, Macros, blocks_of
from hlsl_tool.project.exchange.imports.naming import ALL_SUFFIXES, Folders, Naming, naming_of
from hlsl_tool.project.exchange.imports.shaders import Shader, left_out

ROWS = {row.field: row for row in TABLE}
NOT_SETTINGS = ("entry", "profile", "defines")
TEMPLATES = ("name", "array", *(f"files.{kind}" for kind in ALL_SUFFIXES))
"""Settings of which the most frequent value goes to the top: each entry that differs has its own."""


@dataclass(slots=True)
class Entry:
    """An item of `entries`: settings by dotted keys, and macros."""

    entry: str
    profile: str
    settings: dict[str, Tree]
    macros: dict[str, Tree] = field(default_factory=dict)


def fold(shaders: Sequence[Shader], folders: Folders, sink: Sink, *, shares_names: bool = False) -> dict[str, Tree]:
    """Return the content of a configuration that builds these shaders.

    ``shares_names``: in the list, all permutations of an entry point have the same file name; macros are added to it.
    """
    by_source: dict[str, list[Entry]] = {}
    for (source, *_), group in _groups(_distinct(shaders, sink, shares_names=shares_names)).items():
        by_source.setdefault(source, []).extend(_entries(group, folders, sink, shares_names=shares_names))
    entries = [entry for group in by_source.values() for entry in group]
    top = _shared(entries, (*dict.fromkeys(key for entry in entries for key in entry.settings),))
    macros = _shared_macros(entries)
    for entry in entries:
        entry.settings = {key: value for key, value in entry.settings.items() if top.get(key) != value}
        entry.macros = {name: value for name, value in entry.macros.items() if name not in macros}
    content: dict[str, Tree] = {"source_dir": scalar(folders.source_dir), "output_dir": scalar(folders.output_dir)}
    content |= _nested(top) | ({"defines": macros} if macros else {})
    content["shaders"] = _shaders(by_source, folders)
    return content


def _distinct(shaders: Iterable[Shader], sink: Sink, *, shares_names: bool) -> Iterator[Shader]:
    """Yield the shaders without duplicates; warn about different shaders with the same output file."""
    seen: set[object] = set()
    written: dict[str, Shader] = {}
    for shader in shaders:
        macros = tuple(sorted(shader.defines.items()))
        files = tuple(shader.files.items())
        if (shader.source, shader.options, macros, files) in seen:
            continue
        seen.add((shader.source, shader.options, macros, files))
        path = next((path for path in shader.files.values() if path in written), None)
        if path is not None and not shares_names:
            left_out(sink, shader.at, shader.source, f"line {written[path].at.line} writes `{path}`, too")
            continue
        written |= dict.fromkeys(shader.files.values(), shader)
        yield shader


Key = tuple[str, CompileOptions, tuple[str, ...], str]


def _groups(shaders: Iterable[Shader]) -> dict[Key, list[Shader]]:
    """Group shaders that differ only in macros and names."""
    groups: dict[Key, list[Shader]] = {}
    for shader in shaders:
        groups.setdefault((shader.source, shader.options, tuple(shader.files), shader.name), []).append(shader)
    return groups


# ---------------------------------------------------------------- entries


def _entries(group: Sequence[Shader], folders: Folders, sink: Sink, *, shares_names: bool) -> Iterator[Entry]:
    """Yield the configuration entries for shaders that differ only in macros and names."""
    of_group = blocks_of([shader.defines for shader in group])
    varying = {name for name in of_group[0] if len({shader.defines.get(name) for shader in group}) > 1}
    todo = list(group)
    for block in of_group:
        members = [shader for shader in todo if _is_in(shader.defines, block)]
        todo = [shader for shader in todo if not _is_in(shader.defines, block)]
        naming = naming_of(members, block, varying, folders, shares_names=shares_names)
        if naming is not None:
            yield _entry(members[0], block, naming, folders)
            continue
        for shader in members:
            single = {name: [value] for name, value in shader.defines.items()}
            own = naming_of([shader], single, set(), folders)
            if own is None:
                reason = "names of configurations have no such characters"
                left_out(sink, shader.at, next(iter(shader.files.values())), reason)
            yield _entry(shader, single, own or Naming(), folders)


def _is_in(macros: Macros, block: Block) -> bool:
    return macros.keys() <= block.keys() and all(macros.get(name, UNDEFINED) in block[name] for name in block)


def _entry(shader: Shader, block: Block, naming: Naming, folders: Folders) -> Entry:
    """Return the configuration entry for a block of permutations; ``shader`` is one of them."""
    settings: dict[str, Tree] = {}
    for name, value in changed(shader.options):
        if name in ("include_dirs", "libraries"):
            settings[name] = [scalar(folders.source(path)) for path in getattr(shader.options, name)]
        elif name not in NOT_SETTINGS:
            settings[ROWS[name].key] = value_tree(ROWS[name].kind, value)
    settings["outputs"] = list(shader.files) or ["spv"]
    settings |= {key: scalar(text) for key, text in naming.templates.items()}
    macros: dict[str, Tree] = {}
    for macro, values in block.items():
        if values == [UNDEFINED]:
            continue
        items: list[Tree] = ["~" if value == UNDEFINED else scalar(value) for value in values]
        macros[macro] = items if len(items) > 1 or macro in naming.axes else items[0]
    return Entry(shader.options.entry, shader.options.profile, settings, macros)


# ---------------------------------------------------------------- levels


def _shared(entries: Sequence[Entry], keys: Iterable[str]) -> dict[str, Tree]:
    """Return key → value of the settings for the top level of a configuration.

    A setting is included if all entries have the same value. A name template is included with its most frequent value
    if all entries have one; entries with another value override it.
    """
    shared: dict[str, Tree] = {}
    agreed = _agreed([entry.settings for entry in entries])
    for key in keys:
        values = [entry.settings.get(key) for entry in entries]
        if key in TEMPLATES and all(isinstance(value, str) for value in values):
            shared[key] = Counter(value for value in values if isinstance(value, str)).most_common(1)[0][0]
        elif key in agreed:
            shared[key] = agreed[key]
    return shared


def _shared_macros(entries: Sequence[Entry]) -> dict[str, Tree]:
    """Return the macros that have the same single value in all entries."""
    agreed = _agreed([entry.macros for entry in entries])
    return {name: value for name, value in agreed.items() if isinstance(value, str)}


def _agreed(mappings: Sequence[Mapping[str, Tree]]) -> dict[str, Tree]:
    """Return the items that are equal in all mappings, in the order of the first."""
    first = mappings[0] if mappings else {}
    return {key: value for key, value in first.items() if all(mapping.get(key) == value for mapping in mappings)}


def _shaders(by_source: dict[str, list[Entry]], folders: Folders) -> list[Tree]:
    """Return the list for the key `shaders`; sources with equal entries are combined to one item."""
    shaders: list[tuple[dict[str, Tree], list[str]]] = []
    for source, entries in by_source.items():
        content = _shader(entries)
        same = next((sources for other, sources in shaders if other == content), None)
        if same is None:
            shaders.append((content, same := []))
        same.append(scalar(folders.source(source)))
    return [
        {"source": list[Tree](sources) if len(sources) > 1 else sources[0], **content} for content, sources in shaders
    ]


def _shader(entries: Sequence[Entry]) -> dict[str, Tree]:
    """Return the item of `shaders` for a list of entries, without its `source`."""
    if len(entries) == 1:
        return _item(entries[0])
    settings = _agreed([entry.settings for entry in entries])
    macros = _agreed([entry.macros for entry in entries])
    items: list[Tree] = []
    for entry in entries:
        own = {key: value for key, value in entry.settings.items() if key not in settings}
        rest = {name: value for name, value in entry.macros.items() if name not in macros}
        items.append(_item(Entry(entry.entry, entry.profile, own, rest)))
    content = _nested(settings) | ({"defines": macros} if macros else {})
    return {**content, "entries": items}


def _item(entry: Entry) -> dict[str, Tree]:
    content: dict[str, Tree] = {}
    if entry.entry not in ("", "main"):
        content["entry"] = scalar(entry.entry)
    content["profile"] = scalar(entry.profile)
    content |= _nested(entry.settings)
    if entry.macros:
        content["defines"] = dict[str, Tree](entry.macros)
    return content


def _nested(settings: dict[str, Tree]) -> dict[str, Tree]:
    """Convert settings with dotted keys to nested mappings."""
    content: dict[str, Tree] = {}
    for key, value in settings.items():
        *groups, last = key.split(".")
        place = content
        for group in groups:
            inner = place.setdefault(group, {})
            assert isinstance(inner, dict)
            place = inner
        place[last] = value
    return content
