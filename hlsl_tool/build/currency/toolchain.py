"""The fingerprint of what compiles: a change of it rebuilds everything, a change of Python or of a path nothing."""

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
"""Modules of the build that are hashed, too: they render the outputs."""

BUILD_VERSION = 1
"""Raised when the build comes to write other bytes for the same result of the compiler."""


@cache
def compiler_fingerprint() -> str:
    """A hash of the compiler's own code and data."""
    root = os.path.dirname(os.path.abspath(hlsl_tool.__file__))
    found = blake2b(digest_size=12)
    for name in (*RENDERING, *(name for package in PACKAGES for name in _files(root, package))):
        with open(os.path.join(root, name), "rb") as stream:
            data = stream.read()
        found.update(f"{name.replace(os.sep, '/')}\0{len(data)}\0".encode())
        found.update(data)
    return f"{BUILD_VERSION}.{found.hexdigest()}"


def _files(root: str, package: str) -> list[str]:
    names = []
    for folder, folders, files in os.walk(os.path.join(root, package)):
        folders[:] = [name for name in folders if name != "__pycache__"]
        found = [name for name in files if name.endswith((".py", ".lark", ".tables", ".json", ".h")) or "." not in name]
        names += [os.path.relpath(os.path.join(folder, name), root) for name in found]
    return sorted(names)


@cache
def fingerprint(spirv_tools: str = "") -> str:
    """The compiler and the programs it runs, which lie in a folder or on PATH: as they were when first asked for."""
    return f"compiler {compiler_fingerprint()}; {signature(folder=spirv_tools)}"


def still_holds(known: str, spirv_tools: str = "") -> bool:
    """Whether what would compile here and now is what a fingerprint stands for.

    A watcher runs for days, in which tools are replaced; a worker on another machine may have others altogether.
    """
    return known == f"compiler {compiler_fingerprint()}; {signature(folder=spirv_tools)}"
