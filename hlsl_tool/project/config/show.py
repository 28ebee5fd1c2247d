"""Show the settings of a shader, each with its source location."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase

from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.options.compile_options import DEFAULTS
from hlsl_tool.base.options.kinds import Row
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.base.system.file_names import DEFAULT_OUTPUT_DIR
from hlsl_tool.project.config import keys
from hlsl_tool.project.config.layers import Layer, shown
from hlsl_tool.project.config.permutation import Permutation, Project
from hlsl_tool.project.config.yaml.kinds import value_tree
from hlsl_tool.project.config.yaml.text import flow

_DEFAULT = "default"
"""The place of a setting that is written nowhere."""


def find(project: Project, name: str) -> list[Permutation]:
    """Return the permutations that a name selects: the name of an output, an entry point, a source or a function.

    A name with `*`, `?` or `[` is a pattern unless something has exactly that name.
    """
    name = name.replace("\\", "/")
    prefix = project.output_dir.rstrip("/") + "/"
    bare = name.removeprefix(prefix).removesuffix(".spv")
    tests: tuple[Callable[[Permutation], bool], ...] = (
        lambda v: bare == v.name,
        lambda v: v.name.startswith(bare + "."),
        lambda v: name == v.source or v.source.endswith("/" + name),
        lambda v: name == v.options.entry,
        lambda v: v.name.rpartition("/")[2].startswith(bare + ".") or v.name.rpartition("/")[2] == bare,
    )
    for test in tests:
        matches = [permutation for permutation in project.permutations if test(permutation)]
        if matches:
            return matches
    if not is_pattern(name):
        return []
    return [
        v
        for v in project.permutations
        if fnmatchcase(v.name, bare) or any(fnmatchcase(text, name) for text in (v.stem, v.source, v.options.entry))
    ]


def is_pattern(name: str) -> bool:
    """Return whether a name contains wildcards of `fnmatch`."""
    return any(letter in name for letter in "*?[")


def near(project: Project, name: str) -> str | None:
    """Return a hint with the most similar name or pattern, for a name without a match; ``None`` if none is similar."""
    names: set[str] = set()
    for v in project.permutations:
        if is_pattern(name):
            folder, _, file = v.stem.rpartition("/")
            names |= {f"{folder}/*", f"{v.group}.*", f"*.{v.options.entry}", f"*{file}*", f"{v.stem}*"}
        else:
            names |= {v.name, v.source, v.stem, v.group, v.group.rpartition("/")[2], v.options.entry}
    return did_you_mean(name, names - {"", "/*", ".*", "*."})


def show(permutations: list[Permutation], *, with_defaults: bool = False) -> str:
    """Return the settings of permutations as text; permutations of an entry point are combined.

    Settings that are not written anywhere are only counted, unless ``with_defaults``.
    """
    blocks = []
    groups: dict[int, list[Permutation]] = {}
    for permutation in permutations:
        groups.setdefault(id(permutation.layer), []).append(permutation)
    for group in groups.values():
        blocks.append(_block(group, with_defaults=with_defaults))
    return "\n".join(blocks)


def _block(group: list[Permutation], *, with_defaults: bool) -> str:
    first = group[0]
    rows: list[tuple[str, str]] = [(f"source: {first.source}", _origin(first.at))]
    layer = first.layer
    for key, row in (*keys.STRUCTURE_ROWS.items(), *keys.OPTION_ROWS.items()):
        if key == "defines":
            rows += _macros(layer)
        elif not isinstance(row.kind, keys.Structure) and (key in layer.settings or not is_naming(key)):
            rows.append(effective(key, row, layer))
    for exclusion in layer.exclusions:
        macros = ", ".join(
            f"{name}: {_list([shown(value) for value, _ in values])}" for name, _, values in exclusion.macros
        )
        rows.append((f"exclude: {{ {macros} }}", _origin(exclusion.at)))
    written = rows if with_defaults else [row for row in rows if row[1] != _DEFAULT]
    if len(written) < len(rows):
        written.append(("", f"{len(rows) - len(written)} more have their defaults; --all shows them"))
    width = min(max(len(text) for text, _ in written), 60)
    lines = [f"{permutation.name}" for permutation in group]
    lines += [f"  {text:<{width}}  # {origin}" for text, origin in written]
    return "\n".join(lines) + "\n"


def effective(key: str, row: Row, layer: Layer) -> tuple[str, str]:
    """Return ``key: value`` as merged from all levels, and the location of the setting that won."""
    setting = layer.settings.get(key)
    if setting is not None:
        return f"{key}: {flow(value_tree(row.kind, setting.value))}", _origin(setting.at)
    return f"{key}: {flow(value_tree(row.kind, _default(key, row)))}", _DEFAULT


def is_naming(key: str) -> bool:
    """Return whether a key sets a name, which has no default value."""
    return key.startswith("files.") or key in ("array", "array_type", "namespace")


def _default(key: str, row: Row) -> object:
    structure = {
        "outputs": keys.DEFAULT_OUTPUTS,
        "max_permutations": keys.PERMUTATION_LIMIT,
        "link": True,
        "source_dir": keys.DEFAULT_SOURCE_DIR,
        "output_dir": DEFAULT_OUTPUT_DIR,
    }
    return getattr(DEFAULTS, row.field) if row.field else structure.get(key)


def _macros(layer: Layer) -> list[tuple[str, str]]:
    rows = []
    for macro in layer.macros.values():
        values = [value if value is not None else "" for value in macro.values]
        text = f"[{', '.join(map(shown, values))}]" if macro.axis else values[0]
        rows.append((f"defines.{macro.name}: {text}", _origin(macro.at)))
    return rows or [("defines: {}", _DEFAULT)]


def _origin(at: Location | None) -> str:
    if at is None:
        return _DEFAULT
    return f"{at.file}:{at.line}" if at.line else at.file


def _list(values: list[str]) -> str:
    return values[0] if len(values) == 1 else f"[{', '.join(values)}]"
