"""Files that builders of other tools make, as far as SCons has read the SConscripts."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import SCons.Node.FS

from hlsl_tool.config.discovery import sources
from hlsl_tool.diagnostics import Sink
from hlsl_tool.diagnostics.catalogue import config as config_codes
from hlsl_tool.scons.arguments import report
from hlsl_tool.scons.compat import all_path_nodes
from hlsl_tool.scons.model import Node, Unmade


def made_by_others() -> dict[str, Node]:
    """Return path → node of the files that other builders make."""
    return {
        os.path.normcase(str(node.get_abspath())): node
        for node in all_path_nodes()
        if not isinstance(node, SCons.Node.FS.Dir) and node.is_derived() and not hasattr(node.attributes, "hlsl_ours")
    }


def made_below(root: str) -> set[str]:
    """Return the files below a root that other builders make, from the root, with slashes."""
    prefix = root + os.sep
    paths = (str(node.get_abspath()) for node in made_by_others().values())
    return {path[len(prefix) :].replace(os.sep, "/") for path in paths if path.startswith(prefix)}


def check_generated(
    unmade: list[Unmade], patterns: list[tuple[str, list[Any]]], is_derived: Callable[[str, str], bool]
) -> None:
    """Report sources that no builder makes, and sources that were declared too late for a pattern.

    SCons has read all SConscripts. ``is_derived(root, name)`` returns whether a builder makes a file.
    """
    sink = Sink(error_limit=0)
    for base, name, place, hint in unmade:
        if not (os.path.isfile(os.path.join(base, name)) or is_derived(base, name)):
            sink.error(config_codes.MISSING_SOURCE, place, hint=hint, path=name)
    for base, (folder, pattern, matches) in patterns:
        late = set(sources(base, folder, pattern, made_below(base))).difference(matches)
        for name in sorted(late):
            hint = "put its builder above `HlslShaders`, or name the source without a pattern"
            sink.error(config_codes.LATE_SOURCE, None, hint=hint, pattern=pattern, path=f"{folder}/{name}")
    report(sink)
