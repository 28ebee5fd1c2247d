"""Files that builders of other tools make, according to the SConscripts that SCons has read so far."""

from __future__ import annotations

import os

import SCons.Node.FS

from hlsl_tool.scons.compat import all_path_nodes
from hlsl_tool.scons.model import Node


def made_by_others() -> dict[str, Node]:
    """Return path → node of the files that other builders make."""
    return {
        os.path.normcase(str(node.get_abspath())): node
        for node in all_path_nodes()
        if not isinstance(node, SCons.Node.FS.Dir) and node.is_derived() and not hasattr(node.attributes, "hlsl_ours")
    }


def made_below(root: str) -> set[str]:
    """Return the files that other builders make below ``root``: relative to it, with slashes."""
    prefix = root + os.sep
    paths = (str(node.get_abspath()) for node in made_by_others().values())
    return {path[len(prefix) :].replace(os.sep, "/") for path in paths if path.startswith(prefix)}
