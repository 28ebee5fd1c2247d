"""Tokens with more data than their spelling, as subclasses of ``str``."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Definition(Protocol):
    """The definition of a macro, as far as the expansion history of a token needs it (`macros.definitions.Macro`)."""

    name: str

    def traced_body(self) -> list[Traced]:
        """Return the replacement list with the spacing and offset of each token."""
        ...


class Frame(NamedTuple):
    """One level of a token's expansion history: the macro and the token's index in its body."""

    macro: Definition
    at: int


class Painted(str):
    """A macro name that must not be expanded again, because its own expansion produced it (C11 6.10.3.4p2)."""

    __slots__ = ()
    painted = True


class Traced(str):
    """A token with its location and expansion history."""

    __slots__ = ("frames", "offset", "painted", "root", "space")

    offset: int
    """Offset in the clean text of the token, or of the macro invocation that produced it."""
    frames: tuple[Frame, ...]
    """The macro bodies that it came from, the outermost first."""
    space: int
    painted: bool
    root: int
    """Offset of the outermost macro invocation that produced the token; its own offset if there is none."""

    def __new__(
        cls, text: str, offset: int, space: int, frames: tuple[Frame, ...] = (), root: int | None = None
    ) -> Traced:
        self = super().__new__(cls, text)
        self.offset = offset
        self.space = space
        self.frames = frames
        self.root = offset if root is None else root
        self.painted = False
        return self


class PragmaMark(Traced):
    """Replaces a ``_Pragma`` in the result of an expansion; its spelling is that of the equivalent ``#pragma``."""

    __slots__ = ()
