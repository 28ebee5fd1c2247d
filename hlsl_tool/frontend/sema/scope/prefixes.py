"""Cache the analyses of declarations by the declarations before them.

Shaders that include the same headers begin with the same top-level declarations.  Following such a sequence costs one
look-up for each declaration, without searching the scope for the names that it mentions.
"""

from __future__ import annotations

from typing import Generic, TypeVar

LIMIT = 200_000
"""Cached declarations above which the cache is cleared.  One takes about 200 bytes."""

T = TypeVar("T")


class Prefixes(Generic[T]):
    """Sequences of declarations as a tree: each place in it is a number, 0 stands for a place outside."""

    def __init__(self) -> None:
        self._following: dict[tuple[object, ...], tuple[T | None, int]] = {}
        """(place, declaration, ...) → (its analysis, the place behind it)."""
        self._last = 0

    def begin(self, language: object) -> int:
        """Return the place in front of all declarations, under language options."""
        return self._following.setdefault((language,), (None, self._next()))[1]

    def after(self, place: int, declaration: object, pack: object) -> tuple[T | None, int]:
        """Return the analysis of a declaration at a place, and the place behind it; (``None``, 0) if not cached."""
        return self._following.get((place, declaration, pack), (None, 0))

    def add(self, place: int, declaration: object, pack: object, analysis: T) -> int:
        """Store the analysis of a declaration at a place, and return the place behind it."""
        if not place:
            return 0
        if len(self._following) > LIMIT:
            self.clear()
        number = self._next()
        self._following[place, declaration, pack] = analysis, number
        return number

    def clear(self) -> None:
        """Empty the cache; places from before lead nowhere."""
        self._following.clear()

    def _next(self) -> int:
        self._last += 1
        return self._last
