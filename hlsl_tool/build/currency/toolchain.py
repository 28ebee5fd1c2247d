"""The toolchain fingerprint: the compiler's code and SPIRV-Tools, but neither Python nor any path."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import cache
from hashlib import blake2b

import hlsl_tool
from hlsl_tool.system.atomic_write import WriteError, read_own, write_own
from hlsl_tool.system.user_folder import is_private, user_folder
from hlsl_tool.tools.locate import signature

PACKAGES = (
    "source",
    "diagnostics",
    "preprocessor",
    "syntax",
    "sema",
    "layout",
    "spirv",
    "lints",
    "lower",
    "passes",
    "tools",
    "reflect",
    "compiler",
    "headers",
    "linking",
    "options",
    "wgsl",
)
"""Packages that are hashed into the toolchain fingerprint."""

RENDERING = ("build/outputs/render.py", "build/outputs/wgsl.py")
"""Modules of the build that are hashed, too, because they render outputs."""

BUILD_VERSION = 1
"""Increased when the build writes other bytes for the same result of the compiler."""


@cache
def compiler_fingerprint() -> str:
    """Return a hash of the compiler's code and data.

    Most of a build with nothing to do would be spent here.  So the user's cache folder stores the hash with the stamps
    of all files, which change with each write to one of them.
    """
    root = os.path.dirname(os.path.abspath(hlsl_tool.__file__))
    files = {name: _stamp(os.stat(os.path.join(root, name))) for name in RENDERING}
    for package in PACKAGES:
        files |= dict(sorted(_files(root, package).items()))
    stamps = blake2b(repr((BUILD_VERSION, files)).encode(), digest_size=16).hexdigest()
    path = os.path.join(user_folder(), f"fingerprint-{blake2b(root.encode(), digest_size=8).hexdigest()}")
    stored = (read_own(path) or b"").decode("ascii", "replace").split()
    if len(stored) == 2 and stored[0] == stamps and is_private(path):
        return stored[1]
    content = blake2b(digest_size=12)
    for name in files:
        with open(os.path.join(root, name), "rb") as stream:
            data = stream.read()
        content.update(f"{name}\0{len(data)}\0".encode())
        content.update(data)
    fingerprint = f"{BUILD_VERSION}.{content.hexdigest()}"
    if os.path.isabs(path) and max(max(stamp[:2]) for stamp in files.values()) < time.time_ns() - _SETTLED:
        with suppress(OSError, WriteError):  # it is computed again next time
            os.makedirs(user_folder(), mode=0o700, exist_ok=True)
            write_own(path, f"{stamps} {fingerprint}\n".encode(), mode=0o600)
    return fingerprint


_SETTLED = 2_000_000_000
"""Nanoseconds after which another write to a file surely gives it another time."""

_SUFFIXES = (".py", ".lark", ".tables", ".json", ".h")


def _files(root: str, folder: str) -> dict[str, Stamp]:
    """Return the files of a folder that are hashed, by their paths from the root."""
    files: dict[str, Stamp] = {}
    with os.scandir(os.path.join(root, folder)) as entries:
        for entry in entries:
            name = f"{folder}/{entry.name}"
            if entry.is_dir():
                if entry.name != "__pycache__":
                    files |= _files(root, name)
            elif entry.name.endswith(_SUFFIXES) or "." not in entry.name:
                files[name] = _stamp(os.stat(entry.path))
    return files


Stamp = tuple[int, int, int, int]


def _stamp(status: os.stat_result) -> Stamp:
    """Return times in nanoseconds, size and number of a file."""
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


@cache
def fingerprint(spirv_tools: str = "") -> str:
    """Return the fingerprint of the compiler and of SPIRV-Tools, in a folder or on PATH, as of the first call."""
    return fingerprint_now(spirv_tools)


def fingerprint_now(spirv_tools: str = "") -> str:
    """Return the fingerprint as of now, for processes that run for long: SPIRV-Tools may be replaced meanwhile."""
    return f"compiler {compiler_fingerprint()}; {signature(folder=spirv_tools)}"


def still_holds(expected: str, spirv_tools: str = "") -> bool:
    """Whether the toolchain of this machine still has a fingerprint.

    A watcher runs for days, in which tools are replaced; a worker on another machine may have other tools.
    """
    return expected == fingerprint_now(spirv_tools)
