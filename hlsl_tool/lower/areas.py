"""Imports every area, so that its handlers are registered."""

from __future__ import annotations

from hlsl_tool.lower import access, control_flow, expressions, functions

__all__ = ["access", "control_flow", "expressions", "functions"]
