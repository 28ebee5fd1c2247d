"""The fake of `compiler.loading`: the fake compiler is a single module."""

from __future__ import annotations

import hlsl_tool.compiler.compile  # noqa: F401


def load_all() -> None:
    """Do nothing: there are no modules to load."""
