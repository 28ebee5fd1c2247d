"""The interface of a parsed top-level declaration that HIR depends on."""

from __future__ import annotations

from typing import Protocol


class SourceChunk(Protocol):
    """A top-level declaration; positions of HIR nodes are relative to its first token.  Compared by identity."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """The declaration's tokens; ``pos`` is an index into them."""
        ...

    @property
    def identifiers(self) -> frozenset[str]:
        """The identifiers among the tokens."""
        ...

    @property
    def lost(self) -> frozenset[str]:
        """Names that are possibly undeclared because syntax errors discarded their declarations."""
        ...

    @property
    def error_positions(self) -> frozenset[int]:
        """Positions of the syntax errors."""
        ...

    @property
    def has_errors(self) -> bool:
        """Whether the declaration has syntax errors."""
        ...
