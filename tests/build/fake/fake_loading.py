"""The compiler is one module."""

from __future__ import annotations

import hlsl_tool.compiler.compile  # noqa: F401


def load_all() -> None:
    """Nothing is left to load."""
