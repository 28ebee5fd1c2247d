"""Load the whole compiler at once: for processes that fork workers, and for those that wait for work.

A compilation loads the modules that it needs (`system.handlers`, imports inside functions); the first ones of a process
therefore take longer. Every worker that is forked before would load them again.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

PACKAGES = (
    "compiler",
    "diagnostics",
    "layout",
    "linking",
    "lints",
    "lower",
    "passes",
    "preprocessor",
    "reflect",
    "sema",
    "spirv",
    "syntax",
)

PROGRAMS = frozenset(
    (
        "hlsl_tool.diagnostics.document",
        "hlsl_tool.reflect.generate_vulkan",
        "hlsl_tool.reflect.host",
        "hlsl_tool.reflect.schema",
        "hlsl_tool.spirv.grammar.generate",
        "hlsl_tool.syntax.build_tables",
    )
)
"""Programs for developers, and modules that need packages which a compilation does not."""


def load_all() -> None:
    """Import every module that a compilation can need."""
    for package in PACKAGES:
        for module in modules(f"hlsl_tool.{package}"):
            import_module(module)


def modules(package: str) -> list[str]:
    """Return the names of a package and of all modules below it, without `PROGRAMS`."""
    names = [package]
    for _, name, is_package in pkgutil.iter_modules(import_module(package).__path__, f"{package}."):
        if is_package:
            names += modules(name)
        elif name not in PROGRAMS:
            names.append(name)
    return names
