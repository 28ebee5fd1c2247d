"""Syntax errors as data: positions count from the first token of the top-level declaration.

So a cached declaration can report its errors at other source locations.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code, Edit
from hlsl_tool.base.system.dataclass import dataclass, field


@dataclass(slots=True)
class Problem:
    """A syntax error; its positions count from the first token of the top-level declaration."""

    code: Code
    at: int
    """Index of the token at fault, relative to the chunk."""
    arguments: dict[str, str] = field(default_factory=dict)
    notes: list[Problem] = field(default_factory=list)
    after: bool = False
    """Whether the caret is placed after the token, where something is missing."""
    hint: str | None = None
    edits: tuple[Edit, ...] = ()
    """The edits that mend the source."""

    @property
    def is_warning(self) -> bool:
        return self.code.severity == "warning"
