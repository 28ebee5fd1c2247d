"""Finding spirv-opt and spirv-val, and what versions they are.

A tool is looked for in the option, then in its environment variable, then on PATH.  Its version goes into the build
signature: another version may give other words.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from hashlib import sha1
from typing import NamedTuple

from hlsl_tool.diagnostics.catalogue import tools as codes
from hlsl_tool.diagnostics.sink import Sink

VARIABLES = {"spirv-opt": "SPIRV_OPT", "spirv-val": "SPIRV_VAL"}

INSTALL = "install SPIRV-Tools (Debian, Ubuntu and Homebrew: spirv-tools; or the Vulkan SDK)"

_VERSION_TIMEOUT = 20.0


class Tool(NamedTuple):
    """An executable and what ``--version`` says of it."""

    name: str
    path: str
    version: str
    """``v2023.1``, or ``unknown`` if it would not say."""


def locate(name: str, explicit: str | None = None, env: Mapping[str, str] | None = None) -> str | None:
    """The path of a tool, or None."""
    env = os.environ if env is None else env
    wanted = explicit or env.get(VARIABLES.get(name, ""), "") or name
    return shutil.which(wanted, path=env.get("PATH"))


def find_tool(
    name: str, explicit: str | None = None, *, sink: Sink | None = None, env: Mapping[str, str] | None = None
) -> Tool | None:
    """The tool; None, with an error that says what to install, if there is none."""
    path = locate(name, explicit, env)
    if path is None:
        if sink is not None:
            sink.error(codes.TOOL_MISSING, None, tool=explicit or name, install=INSTALL)
        return None
    return Tool(name, path, tool_version(path))


def tool_version(path: str) -> str:
    """The version, asked once for each state of the file."""
    return _ask(*_state(path))[0]


def identity(path: str) -> str:
    """``v2023.1 5c0e…``: the version, and a hash of the program's bytes and of everything that it says of itself.

    Two builds of one version need not write the same words; and a small program may stand before a shared library, of
    which only its words tell.
    """
    state = _state(path)
    version, text = _ask(*state)
    return f"{version} {_content(*state, text)}"


State = tuple[str, int, int, int]
"""Path, time, size and number of a file: it is looked into again when they change."""


def _state(path: str) -> State:
    try:
        status = os.stat(path)
    except OSError:
        return path, 0, 0, 0
    return path, status.st_mtime_ns, status.st_size, status.st_ino


@functools.cache
def _ask(path: str, mtime: int, size: int, inode: int) -> tuple[str, str]:
    """The version, and the text it was found in."""
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, timeout=_VERSION_TIMEOUT, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown", ""
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    found = re.search(r"\bv?(20\d\d\.\d+\S*)", text)
    return f"v{found.group(1)}" if found else "unknown", text


@functools.cache
def _content(path: str, mtime: int, size: int, inode: int, text: str) -> str:
    found = sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False)
    try:
        with open(path, "rb") as stream:
            found.update(stream.read())
    except OSError:
        return "unreadable"
    return found.hexdigest()[:16]


def signature(*names: str, folder: str = "", env: Mapping[str, str] | None = None) -> str:
    """``spirv-opt v2023.1 5c0e…; spirv-val …``: a part of the toolchain's fingerprint.

    ``folder``: where the user says that they are; one that is missing there is an error, elsewhere a warning.
    """
    parts = []
    for name in names or tuple(VARIABLES):
        path = locate(name, os.path.join(folder, name) if folder else None, env)
        parts.append(f"{name} {identity(path) if path else 'missing' if folder else 'none'}")
    return "; ".join(parts)
