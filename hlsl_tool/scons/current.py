"""Nodes of shaders that are marked as current before SCons looks at any.

SCons needs about half a millisecond for each target of a build with nothing to do: it asks for dependencies, signs
them, compares, and writes all of that to its database again.  Our own state tells by a `stat` for each file that every
shader of a plan is current (see `state`), as it does for a set.  So when SCons begins to build, the nodes of such a
plan get the state that they would come to have, and it passes over them.

That holds for nodes that depend on nothing but what the state knows of.  Whatever else a SConscript has said of a node
(dependencies, prerequisites, `AlwaysBuild`, further sources, a variant directory), and a node that is itself what was
asked for, is SCons's to look at; so is every node of a plan that reads what other builders make.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import SCons.Node
import SCons.Node.FS
import SCons.Script

from hlsl_tool.scons.compat import is_interactive

Node = Any
"""SCons has no types."""


def is_allowed() -> bool:
    """Whether nothing but the outputs is wanted of nodes that are current."""
    option = SCons.Script.GetOption
    return not (is_interactive() or option("clean") or option("cache_force"))


def mark_current(nodes: Iterable[Node], asked: list[Node], *, is_mixed: bool) -> None:
    """Mark those nodes of which our state tells all.  ``is_mixed``: there are nodes of other builders, which may keep
    in SCons's database what they know of ours."""
    apart = set(map(id, asked))
    folders: dict[int, bool] = {}
    for node in nodes:
        if id(node) in apart or not _is_plain(node, folders):
            continue
        node.state = SCons.Node.up_to_date
        if is_mixed:
            known = node.get_ninfo()
            known.timestamp, known.size = node.get_timestamp(), node.get_size()


def _is_plain(node: Node, folders: dict[int, bool]) -> bool:
    """Whether a node is as `declare` made it."""
    if node.always_build or node.prerequisites or node.ignore or node.state != SCons.Node.no_state:
        return False
    is_collected = hasattr(node.attributes, "hlsl_collected")
    if len(node.depends) != getattr(node.attributes, "hlsl_waits", 0) or (len(node.sources) != 1 and not is_collected):
        return False
    for source in node.sources:
        folder = getattr(source, "dir", None)
        if folder is None:  # a Value
            continue
        varies = folders.get(id(folder))
        if varies is None:
            varies = folders[id(folder)] = bool(folder.srcdir_list())
        if varies:
            return False
    return True
