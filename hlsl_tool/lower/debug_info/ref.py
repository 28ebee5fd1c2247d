"""A number that is an id."""

from __future__ import annotations


class Ref(int):
    """The id of something that is no debug instruction: a variable, a function, a type."""

    __slots__ = ()
