"""Replace `compiler.loading`, which imports the compiler's modules: the fake compiler has only one."""

from __future__ import annotations

import hlsl_tool.compiler.compile  # noqa: F401


def load_all() -> None:
    """Do nothing: there are no modules to load."""
