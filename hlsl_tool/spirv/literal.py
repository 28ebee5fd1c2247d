"""Operands of inline SPIR-V that are numbers instead of ids."""

from __future__ import annotations


class Literal(int):
    """An operand of a ``RawInstruction`` that is a literal number, not an id; in the builder only."""

    __slots__ = ()
