"""Helpers shared by the parser actions.

An action takes the tokens of the top-level declaration and the values of its rule's symbols; a terminal's value is the
index of its token. List rules extend the list in place: the parser is deterministic, so the list has no other
references.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hlsl_tool.frontend.syntax.ast import Assign, Binary, NamePart

Tokens = Sequence[str]
T = TypeVar("T")


GLOBAL = NamePart("")
"""Marks a leading ``::`` in a list of scopes; never part of a node."""


def split_scopes(scopes: list[NamePart]) -> tuple[bool, list[NamePart]]:
    """Return (starts with ``::``, the scopes without it)."""
    if scopes and scopes[0] is GLOBAL:
        return True, scopes[1:]
    return False, scopes


# ------------------------------------------------------------------------------------------------------------- lists


def first(tokens: Tokens, item: T) -> list[T]:
    return [item]


def append(tokens: Tokens, items: list[T], item: T) -> list[T]:
    items.append(item)
    return items


def append2(tokens: Tokens, items: list[T], comma: int, item: T) -> list[T]:
    items.append(item)
    return items


def extend(tokens: Tokens, items: list[T], more: list[T]) -> list[T]:
    items.extend(more)
    return items


def first_text(tokens: Tokens, at: int) -> list[str]:
    return [tokens[at]]


def append_text(tokens: Tokens, items: list[str], at: int) -> list[str]:
    items.append(tokens[at])
    return items


def append2_text(tokens: Tokens, items: list[str], comma: int, at: int) -> list[str]:
    items.append(tokens[at])
    return items


def first_index(tokens: Tokens, at: int) -> list[int]:
    return [at]


def append_index(tokens: Tokens, items: list[int], at: int) -> list[int]:
    items.append(at)
    return items


def second(tokens: Tokens, keyword: int, value: T) -> T:
    return value


def parenthesised(tokens: Tokens, left: int, value: T, right: int) -> T:
    if isinstance(value, (Binary, Assign)):
        value.is_parenthesised = True
    return value
