"""The external tools of SPIRV-Tools: finding, running, and understanding what they say."""

from __future__ import annotations

from .locate import Tool, find_tool
from .optimizer import OptimizerOptions, optimize, upgrade_memory_model
from .validator import Layout, validate

__all__ = [
    "Layout",
    "OptimizerOptions",
    "Tool",
    "find_tool",
    "optimize",
    "upgrade_memory_model",
    "validate",
]
