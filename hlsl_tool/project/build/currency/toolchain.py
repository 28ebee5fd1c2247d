"""The toolchain fingerprint: identifies the compiler's code and SPIRV-Tools; independent of Python and of paths."""

from __future__ import annotations

import os
import time
from functools import cache
from hashlib import blake2b

import hlsl_tool
from hlsl_tool.base.system.private_files import read_private, write_private
from hlsl_tool.project.build.currency.digests import AT_REST, Stamp, stamp_of
from hlsl_tool.spirv.tools.locate import signature

PACKAGES = ("base", "frontend", "spirv", "codegen", "wgsl", "reflection", "compiler")
"""Packages that are hashed into the toolchain fingerprint."""

RENDERING = ("project/build/outputs/render.py", "project/build/outputs/wgsl.py")
"""Modules of the build that are hashed, too, because they render outputs."""

SUFFIXES = (".py", ".lark", ".tables", ".json", ".h")
"""Ends of the names of files that are hashed, and so are names without a suffix (headers)."""

BUILD_VERSION = 1
"""Increased when the build writes other bytes for the same result of the compiler."""


@cache
def compiler_fingerprint() -> str:
    """Return a hash of the compiler's code and data.

    Reading all these files would take most of the time of a build with nothing to do.  So the user's cache folder
    stores the hash together with the stamps of the files, which change with each write.
    """
    root = os.path.dirname(os.path.abspath(hlsl_tool.__file__))
    files = {name: stamp_of(os.path.join(root, name)) for name in RENDERING}
    for package in PACKAGES:
        files |= dict(sorted(_files(root, package).items()))
    stamps = blake2b(repr((BUILD_VERSION, files)).encode(), digest_size=16).hexdigest()
    place = f"fingerprint-{blake2b(root.encode(), digest_size=8).hexdigest()}"
    stored = (read_private(place) or b"").decode("ascii", "replace").split()
    if len(stored) == 2 and stored[0] == stamps:
        return stored[1]
    content = blake2b(digest_size=12)
    for name in files:
        with open(os.path.join(root, name), "rb") as stream:
            data = stream.read()
        content.update(f"{name}\0{len(data)}\0".encode())
        content.update(data)
    fingerprint = f"{BUILD_VERSION}.{content.hexdigest()}"
    trusted = time.time_ns() - AT_REST
    if all(stamp is not None and max(stamp[:2]) < trusted for stamp in files.values()):
        write_private(place, f"{stamps} {fingerprint}\n".encode())  # if that fails, it is computed again next time
    return fingerprint


def _files(root: str, folder: str) -> dict[str, Stamp | None]:
    """Return path from the root → stamp, for the files below ``folder`` that are part of the fingerprint."""
    files: dict[str, Stamp | None] = {}
    with os.scandir(os.path.join(root, folder)) as entries:
        for entry in entries:
            name = f"{folder}/{entry.name}"
            if entry.is_dir():
                if entry.name != "__pycache__":
                    files |= _files(root, name)
            elif entry.name.endswith(SUFFIXES) or "." not in entry.name:
                files[name] = stamp_of(entry.path)
    return files


@cache
def fingerprint(spirv_tools: str = "") -> str:
    """Return the fingerprint of the compiler and of SPIRV-Tools (in ``spirv_tools`` or on PATH).

    It is computed once per process.
    """
    return fingerprint_now(spirv_tools)


def fingerprint_now(spirv_tools: str = "") -> str:
    """Compute the fingerprint again, for long-running processes: SPIRV-Tools may have been replaced since the start."""
    return f"compiler {compiler_fingerprint()}; {signature(folder=spirv_tools)}"


def still_holds(expected: str, spirv_tools: str = "") -> bool:
    """Return whether the toolchain of this machine still has the fingerprint ``expected``.

    Tools may be replaced while a watcher runs; a worker on another machine may have other tools.
    """
    return expected == fingerprint_now(spirv_tools)
