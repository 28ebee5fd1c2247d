"""Parser actions: one function for each rule alias of the grammar, with the same name."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from hlsl_tool.frontend.syntax.actions import common, declarations, expressions, functions, modern, statements, types


def _collect(*modules: ModuleType) -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {}
    for module in modules:
        for name, value in vars(module).items():
            if callable(value) and getattr(value, "__module__", "") == module.__name__:
                found[name] = value
    return found


ACTIONS = _collect(common, expressions, types, declarations, functions, statements, modern)
