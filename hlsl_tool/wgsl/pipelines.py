"""Merge the bindings of the stages of a pipeline into one list of bind group layouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Entry = dict[str, Any]
"""An entry of a bind group layout, with `name` and `from`, as `bindings_json` writes it."""


COUNTS = ("bindingArraySize", "count")
"""Members of an entry for the length of an array of resources, in Dawn and in wgpu."""


class LayoutError(Exception):
    """Raised for stages that have different kinds of resources at the same binding."""


def bind_groups(stages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the bind groups of a pipeline, given those of its stages (the content of `bindings_json`).

    The list index is the group number, so that groups without entries are included. Raises `LayoutError`.
    """
    merged: dict[tuple[int, int], Entry] = {}
    for stage in stages:
        for group in stage["bindGroups"]:
            for entry in group["entries"]:
                key = (group["group"], entry["binding"])
                merged[key] = _merged(merged[key], entry, key) if key in merged else entry
    last = max((group for group, _ in merged), default=-1)
    return [
        {"group": number, "entries": [merged[key] for key in sorted(merged) if key[0] == number]}
        for number in range(last + 1)
    ]


def _merged(first: Entry, second: Entry, key: tuple[int, int]) -> Entry:
    """Return the entry for two stages: the larger buffer and array, and a filterable texture if either filters it.

    ``key`` is (group, binding). Raises `LayoutError` if the entries differ in other ways.
    """
    out = {**first, "visibility": first["visibility"] | second["visibility"]}
    for member in COUNTS:
        if member in first or member in second:
            out[member] = max(first.get(member, 1), second.get(member, 1))
    for kind in ("buffer", "texture", "sampler", "storageTexture"):
        mine, theirs = first.get(kind), second.get(kind)
        if mine == theirs:
            continue
        if mine is None or theirs is None:
            raise LayoutError(_differ(first, second, key))
        out[kind] = dict(mine)
        for name in {*mine, *theirs}:
            values = {mine.get(name), theirs.get(name)}
            if name == "minBindingSize":
                out[kind][name] = max(mine.get(name, 0), theirs.get(name, 0))
            elif values == {"float", "unfilterable-float"}:
                out[kind][name] = "float"
            elif len(values) > 1:
                raise LayoutError(_differ(first, second, key))
    return out


def _differ(first: Entry, second: Entry, key: tuple[int, int]) -> str:
    group, binding = key
    return f"binding {binding} of group {group} is `{first['name']}` in one stage and `{second['name']}` in another"
