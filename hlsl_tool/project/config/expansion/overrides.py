"""Apply `overrides`: settings for some of the shaders of a configuration."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.project.config.discovery import matches
from hlsl_tool.project.config.layers import Layer, Override, merge_layers


def apply(layer: Layer, overrides: Collection[Override]) -> Layer:
    """Merge the settings of overrides into a layer; the last override wins.  Marks the overrides as used."""
    for override in overrides:
        override.is_used = True
        at, parts = layer.at, layer.parts
        layer = merge_layers(layer, override.layer)
        layer.at, layer.parts = at, parts
    return layer


def for_entry(layer: Layer, path: str, entry: str) -> tuple[Layer, list[Override]]:
    """Apply the overrides that select an entry point; also return those that select only some of its permutations.

    ``path`` is the source relative to the source folder.
    """
    selected = [override for override in layer.overrides if _selects(override, path, entry)]
    layer = apply(layer, [override for override in selected if not override.macros])
    return layer, [override for override in selected if override.macros]


def for_permutation(overrides: list[Override], values: Mapping[str, str]) -> tuple[Override, ...]:
    """Return the overrides whose `if` matches the values of a permutation's macros."""
    return tuple(
        override
        for override in overrides
        if all(values.get(name) in [value for value, _ in allowed] for name, _, allowed in override.macros)
    )


def _selects(override: Override, path: str, entry: str) -> bool:
    return (not override.sources or any(matches(path, pattern) for pattern in override.sources)) and (
        not override.entries or any(fnmatchcase(entry, pattern) for pattern in override.entries)
    )


def check_used(overrides: Collection[Override], sink: Sink) -> None:
    """Report overrides that select no shader.

    If a YAML anchor repeats an override, it is sufficient that one of the copies selects a shader.
    """
    places: dict[tuple[str, int, int], tuple[Location, bool]] = {}
    for override in overrides:
        at = override.at
        key = (at.file, at.line, at.col)
        places[key] = (at, override.is_used or places.get(key, (at, False))[1])
    for at, is_used in places.values():
        if not is_used:
            sink.error(codes.UNUSED_OVERRIDE, at)
