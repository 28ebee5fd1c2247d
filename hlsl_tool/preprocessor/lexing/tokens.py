"""Tokens that are more than their spelling; wherever nobody asks for more they are strings like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hlsl_tool.preprocessor.macros.definitions import Frame


class Painted(str):
    """A macro name that may never be expanded again, because its own expansion made it (C11 6.10.3.4p2)."""

    __slots__ = ()
    painted = True


class Traced(str):
    """A token that knows its history."""

    __slots__ = ("frames", "offset", "painted", "root", "space")

    offset: int
    """Where it was written in the file, or the macro invocation that made it (an offset in the clean text)."""
    frames: tuple[Frame, ...]
    """The macro bodies it came through, the outermost first."""
    space: int
    painted: bool
    root: int
    """Where the outermost macro invocation begins that the token came through; its own offset if there is none."""

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
    """Stands in the result where a ``_Pragma`` was; its text is what would follow ``#pragma``."""

    __slots__ = ()
