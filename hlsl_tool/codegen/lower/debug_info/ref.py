"""Operands of debug instructions that are ids rather than literal numbers."""

from __future__ import annotations


class Ref(int):
    """The id of a variable, function or type as an operand, as opposed to a literal number."""

    __slots__ = ()
