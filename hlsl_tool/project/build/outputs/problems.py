"""Outputs that cannot be made."""

from __future__ import annotations

from hlsl_tool.base.diagnostics import Diagnostic


class CannotWrite(Exception):
    """Raised for an output that cannot be made; it contains the diagnostic for the user."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic
