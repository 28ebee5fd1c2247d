"""The toolchain fingerprint: the compiler's code and SPIRV-Tools, but neither Python nor any path."""

from __future__ import annotations

import os
from functools import cache
from hashlib import blake2b

import hlsl_tool
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
    """Return a hash of the compiler's code and data."""
    root = os.path.dirname(os.path.abspath(hlsl_tool.__file__))
    content = blake2b(digest_size=12)
    for name in (*RENDERING, *(name for package in PACKAGES for name in _files(root, package))):
        with open(os.path.join(root, name), "rb") as stream:
            data = stream.read()
        content.update(f"{name.replace(os.sep, '/')}\0{len(data)}\0".encode())
        content.update(data)
    return f"{BUILD_VERSION}.{content.hexdigest()}"


def _files(root: str, package: str) -> list[str]:
    names = []
    for folder, folders, files in os.walk(os.path.join(root, package)):
        folders[:] = [name for name in folders if name != "__pycache__"]
        hashed = [
            name for name in files if name.endswith((".py", ".lark", ".tables", ".json", ".h")) or "." not in name
        ]
        names += [os.path.relpath(os.path.join(folder, name), root) for name in hashed]
    return sorted(names)


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
