"""A number that is not an id."""

from __future__ import annotations


class Literal(int):
    """An operand of a ``RawInstruction`` that is not an id, in the builder only."""

    __slots__ = ()
