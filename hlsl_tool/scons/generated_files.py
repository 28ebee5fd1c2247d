"""Files that other builders than those of shaders make, as SCons knows them so far."""

from __future__ import annotations

import os
from typing import Any

import SCons.Node.FS

from hlsl_tool.scons.compat import all_path_nodes

Node = Any
"""SCons has no types."""


def made_by_others() -> dict[str, Node]:
    """Path → node, of files that other builders make."""
    return {
        os.path.normcase(str(node.get_abspath())): node
        for node in all_path_nodes()
        if not isinstance(node, SCons.Node.FS.Dir) and node.is_derived() and not hasattr(node.attributes, "hlsl_ours")
    }


def made_below(root: str) -> set[str]:
    """The files below a root that other builders make, from there, with slashes."""
    prefix = root + os.sep
    paths = (str(node.get_abspath()) for node in made_by_others().values())
    return {path[len(prefix) :].replace(os.sep, "/") for path in paths if path.startswith(prefix)}
