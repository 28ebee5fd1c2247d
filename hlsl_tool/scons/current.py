"""Mark the nodes of shaders as up to date before SCons examines them.

SCons needs about half a millisecond for each target of a build with nothing to do: it collects dependencies, signs and
compares them, and writes all of them to its database again.  Our own state file (`state`) needs one `stat` for each
file.  So when SCons starts to build and all shaders of a plan are up to date, their nodes get the state that SCons
would give them, and SCons skips them.

Only nodes whose dependencies the state file covers are marked.  SCons examines nodes with further dependencies,
prerequisites, `AlwaysBuild`, further sources or a variant directory, nodes that are targets of the run, and all nodes
of a plan that reads files which other builders make.
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
    """Return whether nodes may be marked as up to date; False for `--clean`, `--interactive` and `--cache-force`."""
    option = SCons.Script.GetOption
    return not (is_interactive() or option("clean") or option("cache_force"))


def mark_current(nodes: Iterable[Node], asked: list[Node], *, is_mixed: bool) -> None:
    """Mark nodes as up to date if the state file covers their dependencies, except the run's targets ``asked``.

    ``is_mixed``: there are nodes of other builders. If such a node depends on a shader, SCons stores the time and size
    of the shader's file for it; therefore this function sets time and size in the shader's node.
    """
    apart = set(map(id, asked))
    folders: dict[int, bool] = {}
    for node in nodes:
        if id(node) in apart or not _is_plain(node, folders):
            continue
        node.state = SCons.Node.up_to_date
        if is_mixed:
            info = node.get_ninfo()
            info.timestamp, info.size = node.get_timestamp(), node.get_size()


def _is_plain(node: Node, folders: dict[int, bool]) -> bool:
    """Return whether a node is as `declare` created it: no SConscript has added dependencies or flags."""
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
