"""Ids as operands of debug instructions."""

from __future__ import annotations


class Ref(int):
    """The id of a variable, a function or a type, as opposed to a literal number."""

    __slots__ = ()
