"""Merge the bindings of the stages of a pipeline into one list of bind group layouts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

Entry = dict[str, Any]
"""An entry of a bind group layout, with `name` and `from`, as `bindings_json` writes it."""


COUNTS = ("bindingArraySize", "count")
"""Members of an entry for the length of an array of resources, in Dawn and in wgpu."""


class LayoutError(Exception):
    """Raised for stages whose resources cannot have one layout, such as different kinds at the same binding."""


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
    groups: list[dict[str, Any]] = [
        {"group": number, "entries": [merged[key] for key in sorted(merged) if key[0] == number]}
        for number in range(last + 1)
    ]
    for group in groups:
        _check_arrays(group["group"], group["entries"])
    return groups


def _merged(first: Entry, second: Entry, key: tuple[int, int]) -> Entry:
    """Return the entry for two stages: the larger buffer and array, and a filterable texture if either filters it.

    An array in one stage also serves a single resource in the other, which is its first element. ``key`` is
    (group, binding). Raises `LayoutError` if the entries differ in other ways.
    """
    longer = max((first, second), key=_count)
    out = {**longer, "visibility": first["visibility"] | second["visibility"]}
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


def _count(entry: Entry) -> int:
    """Return the number of resources of an entry; 0 for one that is no array."""
    return next((entry[member] for member in COUNTS if member in entry), 0)


def _check_arrays(group: int, entries: list[Entry]) -> None:
    """Raise `LayoutError` if a browser or wgpu refuses the arrays of one stage beside the resources of another."""
    for entry, following in pairwise(entries):
        end = entry["binding"] + entry.get("bindingArraySize", 1)
        if following["binding"] < end:
            raise LayoutError(
                f"the array `{entry['name']}` takes the bindings {entry['binding']} to {end - 1} of group {group}, "
                f"and `{following['name']}` has binding {following['binding']} in another stage"
            )
    array = next((entry["name"] for entry in entries if "count" in entry), "")
    constants = next((entry["name"] for entry in entries if entry.get("buffer", {}).get("type") == "uniform"), "")
    if array and constants:
        raise LayoutError(
            f"group {group} has the array `{array}` in one stage and the constant buffer `{constants}` in another, "
            "which wgpu refuses: give arrays a `space` of their own"
        )


def _differ(first: Entry, second: Entry, key: tuple[int, int]) -> str:
    group, binding = key
    return f"binding {binding} of group {group} is `{first['name']}` in one stage and `{second['name']}` in another"
