"""The shaders under the targets of a run: for counts, estimates and the summary."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import SCons.Node.FS
import SCons.Script

from hlsl_tool.scons.compat import known_alias

if TYPE_CHECKING:
    from hlsl_tool.scons.session import DeclaredJob, Session

Node = Any
"""SCons has no types."""


def requested_jobs(session: Session) -> list[DeclaredJob]:
    """Return the jobs with nodes of their own under the targets."""
    shaders, folders = _walk(session)
    return [
        declared
        for declared in session.jobs
        if any(node in shaders or node.get_abspath().startswith(folders) for node in declared.nodes)
    ]


def requested_nodes(session: Session) -> set[Node]:
    """Return the nodes of shaders under the targets, and the sets of the folders among them."""
    shaders, folders = _walk(session)
    return shaders | {tree.all for tree in session.trees if (tree.folder + os.sep).startswith(folders)}


def _walk(session: Session) -> tuple[set[Node], tuple[str, ...]]:
    """Follow the dependencies of all targets; return the nodes of shaders and the paths of folders."""
    shaders: set[Node] = set()
    folders: list[str] = []
    seen: set[int] = set()
    todo = list(session.targets or SCons.Script.BUILD_TARGETS)
    while todo:
        node = _node_of(session, todo.pop())
        if id(node) in seen:
            continue
        seen.add(id(node))
        if hasattr(node.attributes, "hlsl_job") or hasattr(node, "states"):
            shaders.add(node)
            continue
        if isinstance(node, SCons.Node.FS.Entry) and node.isdir():
            folders.append(node.get_abspath() + os.sep)
        elif isinstance(node, SCons.Node.FS.Dir):
            folders.append(node.get_abspath() + os.sep)
            # Not by the dictionary's own methods, which would make nodes of all outputs in the folder.
            todo += [entry for name, entry in dict.items(node.entries) if name not in (".", "..")]
        todo += [*(node.sources or ()), *(node.depends or ()), *(node.implicit or ()), *(node.prerequisites or ())]
    return shaders, tuple(folders)


def _node_of(session: Session, target: Any) -> Node:
    """Return the node of a target, which may be a word of the command line."""
    if not isinstance(target, str):
        return target
    fs = SCons.Node.FS.get_default_fs()
    alias = known_alias(target) or session.lookup(target, str(fs.Top.get_abspath()))
    return alias if alias is not None else fs.Entry(target, fs.Top)
