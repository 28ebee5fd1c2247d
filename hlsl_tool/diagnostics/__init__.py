"""Diagnostics: codes, messages, locations, and their rendering."""

from __future__ import annotations

from hlsl_tool.diagnostics.errors import CompileError, InternalError
from hlsl_tool.diagnostics.model import Code, Diagnostic, IncludeFrame, Location, MacroFrame, Occurrence, Severity
from hlsl_tool.diagnostics.sink import Sink
from hlsl_tool.diagnostics.warnings import WarningOptions

__all__ = [
    "Code",
    "CompileError",
    "Diagnostic",
    "IncludeFrame",
    "InternalError",
    "Location",
    "MacroFrame",
    "Occurrence",
    "Severity",
    "Sink",
    "WarningOptions",
]
