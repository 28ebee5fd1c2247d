"""Import the whole compiler at once: for processes that fork workers, or that wait for work.

A compilation imports modules when it needs them (`base.system.handlers`, imports inside functions), so the first
compilations of a process take longer.  Every worker that is forked before would import them again.  Modules that few
shaders need are not imported here.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

PACKAGES = ("base.diagnostics", "codegen", "compiler", "frontend", "reflection", "spirv")

PROGRAMS = frozenset(
    (
        "hlsl_tool.base.diagnostics.document",
        "hlsl_tool.reflection.generate_vulkan",
        "hlsl_tool.reflection.host",
        "hlsl_tool.reflection.schema",
        "hlsl_tool.spirv.grammar.generate",
        "hlsl_tool.frontend.syntax.build_tables",
    )
)
"""Programs for developers, and modules that need packages which a compilation does not."""

RARE = frozenset(
    (
        "hlsl_tool.codegen.lower.debug_info",
        "hlsl_tool.codegen.passes.debug_info",
        "hlsl_tool.reflection.cpp",
        "hlsl_tool.reflection.host",
        "hlsl_tool.reflection.structs",
    )
)
"""Packages for debug information and host structs: a tenth of the time to load all."""


def load_all() -> None:
    """Import the modules that compilations need, except `RARE`."""
    for package in PACKAGES:
        for module in modules(f"hlsl_tool.{package}", without=PROGRAMS | RARE):
            import_module(module)


def modules(package: str, *, without: frozenset[str] = PROGRAMS) -> list[str]:
    """Return the names of a package and of all packages and modules below it, except ``without``."""
    names = [package]
    for _, name, is_package in pkgutil.iter_modules(import_module(package).__path__, f"{package}."):
        if name in without:
            continue
        if is_package:
            names += modules(name, without=without)
        else:
            names.append(name)
    return names
