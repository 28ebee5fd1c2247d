"""The user's permission for configurations to use files and programs outside of their project.

Like `discovery`, the module does not import YAML.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import blake2b

from hlsl_tool.base.system.paths import absolute
from hlsl_tool.base.system.private_files import read_private, write_private

VARIABLE = "HLSL_TOOL_ALLOW_OUTSIDE"
_SERVERS = "servers"
"""File in the user's cache folder: hashes of projects with servers that they may name."""


def is_on(text: str) -> bool:
    """Return whether a switch in the environment, or on SCons's command line, is on."""
    return text not in ("", "0", "false", "no")


def outside_is_allowed() -> bool:
    """Return whether the user allows configurations to name programs, and folders outside of the project."""
    return is_on(os.environ.get(VARIABLE, ""))


def fence(root: str, output_dir: str) -> str:
    """Return the folder that outputs must not leave through symbolic links; empty if the user allows that.

    It is the project's root, or an output folder outside of it, which the user has named.
    """
    if outside_is_allowed():
        return ""
    root, folder = absolute(root), absolute(output_dir, root)
    return root if f"{folder}{os.sep}".startswith(root.rstrip(os.sep) + os.sep) else folder


def is_trusted(root: str, server: str) -> bool:
    """Return whether the user allows configurations of the project at ``root`` to name this server."""
    return outside_is_allowed() or _mark(root, server) in _trusted()


def trust(root: str, servers: Iterable[str]) -> bool:
    """Allow configurations of the project at ``root`` to name these servers; return whether that could be stored."""
    lines = dict.fromkeys([*_trusted(), *(_mark(root, server) for server in servers)])
    return write_private(_SERVERS, "".join(f"{line}\n" for line in lines).encode())


def _trusted() -> list[str]:
    return (read_private(_SERVERS) or b"").decode("ascii", "replace").split()


def _mark(root: str, server: str) -> str:
    return blake2b(f"{os.path.realpath(root)}\n{server}".encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def allow_outside() -> None:
    """Give the permission to this process and its child processes."""
    os.environ[VARIABLE] = "1"
