"""Diagnostics: codes, messages, source locations, and their rendering."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import (
    Advice,
    Code,
    Diagnostic,
    Edit,
    IncludeFrame,
    Location,
    MacroFrame,
    Occurrence,
    Replacement,
    Severity,
)
from hlsl_tool.base.diagnostics.errors import CompileError, InternalError
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.diagnostics.warnings import WarningOptions

__all__ = [
    "Advice",
    "Code",
    "CompileError",
    "Diagnostic",
    "Edit",
    "IncludeFrame",
    "InternalError",
    "Location",
    "MacroFrame",
    "Occurrence",
    "Replacement",
    "Severity",
    "Sink",
    "WarningOptions",
]
