"""The toolchain fingerprint: identifies the compiler's code and SPIRV-Tools; independent of Python and of paths."""

from __future__ import annotations

import os
import time
from functools import cache
from hashlib import blake2b

import hlsl_tool
from hlsl_tool.base.system.private_files import read_private, write_private
from hlsl_tool.project.build.currency.digests import AT_REST, Stamp, stamp_of
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.config.output_kinds import CROSS_KINDS
from hlsl_tool.spirv.tools.locate import signature

PACKAGES = ("base", "frontend", "spirv", "codegen", "wgsl", "cross", "reflection", "compiler")
"""Packages that are hashed into the toolchain fingerprint."""

RENDERING = (
    "project/build/outputs/render.py",
    "project/build/outputs/wgsl.py",
    "project/build/outputs/cross.py",
)
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


_WITH_CROSS = "\nspirv-cross"
"""The end of a toolset with SPIRV-Cross."""


def toolset(job: Job) -> str:
    """Return the tools that a job needs, as text: the folder of SPIRV-Tools, and whether SPIRV-Cross is one of them."""
    return job.options.spirv_tools + (_WITH_CROSS if CROSS_KINDS & job.targets.keys() else "")


def fingerprint_of(job: Job) -> str:
    """Return the fingerprint of the toolchain of a job, computed once per process."""
    return fingerprint(toolset(job))


@cache
def fingerprint(tools: str = "") -> str:
    """Return the fingerprint of the compiler and of the tools of a `toolset`.

    It is computed once per process.
    """
    return fingerprint_now(tools)


def fingerprint_now(tools: str = "") -> str:
    """Compute the fingerprint again, for long-running processes: tools may have been replaced since the start."""
    folder = tools.removesuffix(_WITH_CROSS)
    text = f"compiler {compiler_fingerprint()}; {signature(folder=folder)}"
    if folder == tools:
        return text
    from hlsl_tool.cross import library  # start-up time

    return f"{text}; {library.signature()}"


def still_holds(job: Job) -> bool:
    """Return whether the toolchain of this machine still has the fingerprint of a job.

    Tools may be replaced while a watcher runs; a worker on another machine may have other tools.
    """
    return job.fingerprint == fingerprint_now(toolset(job))
