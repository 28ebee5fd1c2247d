"""Syntax errors as data: positions relative to the chunk, so that a remembered chunk can say them again elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field

from hlsl_tool.diagnostics.model import Code


@dataclass(slots=True)
class Problem:
    code: Code
    at: int
    """Index of the token it is about, from the chunk's first."""
    arguments: dict[str, str] = field(default_factory=dict)
    notes: list[Problem] = field(default_factory=list)
    after: bool = False
    """The caret belongs behind the token: something is missing there."""

    @property
    def is_warning(self) -> bool:
        return self.code.severity == "warning"
