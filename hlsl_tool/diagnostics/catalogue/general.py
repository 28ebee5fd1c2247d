"""HLSL00xx: messages that belong to no stage."""

from __future__ import annotations

from hlsl_tool.diagnostics.model import Code

TOO_MANY_ERRORS = Code("HLSL0001", "too-many-errors", "fatal", "too many errors emitted, stopping now")
INTERNAL_ERROR = Code("HLSL0002", "internal-error", "fatal", "internal compiler error: {message}")
