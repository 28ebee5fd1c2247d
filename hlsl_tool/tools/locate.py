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
    try:
        status = os.stat(path)
    except OSError:
        return "unknown"
    return _ask(path, status.st_mtime_ns, status.st_size)


@functools.cache
def _ask(path: str, mtime: int, size: int) -> str:
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, timeout=_VERSION_TIMEOUT, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    found = re.search(r"\bv?(20\d\d\.\d+\S*)", text)
    return f"v{found.group(1)}" if found else "unknown"


def signature(*names: str, env: Mapping[str, str] | None = None) -> str:
    """``spirv-opt v2023.1, spirv-val v2023.1``: a part of the toolchain fingerprint."""
    parts = []
    for name in names or tuple(VARIABLES):
        path = locate(name, None, env)
        parts.append(f"{name} {tool_version(path) if path else 'none'}")
    return ", ".join(parts)
