"""The part of a parsed chunk that HIR refers to."""

from __future__ import annotations

from typing import Protocol


class SourceChunk(Protocol):
    """The top-level declaration that positions of HIR nodes count from; compared by identity."""

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
        """Names whose declarations syntax errors may have discarded."""
        ...

    @property
    def error_positions(self) -> frozenset[int]:
        """Positions of the syntax errors."""
        ...

    @property
    def has_errors(self) -> bool:
        """Whether the declaration has syntax errors."""
        ...
