"""A number that is no id."""

from __future__ import annotations


class Literal(int):
    """Builder only: an operand of a ``RawInstruction`` that is no id."""

    __slots__ = ()
