"""Find permutation axes in lists of macros.

A *block* is a product of axes: each combination of its values is one set of macros.  The blocks of a list of sets
contain each set exactly once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Macros = dict[str, str]
"""Macro → value, of one compilation."""

UNDEFINED = "\0"
"""Value of an axis for the sets that lack the macro."""

Block = dict[str, list[str]]
"""Macro → its values; one value if it does not vary."""

Row = tuple[str, ...]


def blocks_of(sets: Sequence[Macros]) -> list[Block]:
    """Return blocks (products of macro values) that together contain each distinct set of macros exactly once."""
    names = list(dict.fromkeys(name for macros in sets for name in macros))
    rows = list(dict.fromkeys(tuple(macros.get(name, UNDEFINED) for name in names) for macros in sets))
    return [dict(zip(names, values, strict=True)) for values in _products(rows)]


def _products(rows: list[Row]) -> list[list[list[str]]]:
    """Split the rows of a table into products, each of which is a list of values for every column.

    The rows of a product are all combinations of these values. Together the products contain each row exactly once.
    """
    if not rows[0]:
        return [[]]
    columns = [list(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    if math.prod(map(len, columns)) == len(rows):
        return [columns]
    groups = min((_split(rows, number) for number, column in enumerate(columns) if len(column) > 1), key=_cost)
    number = groups[0][0]
    return [[*product[:number], values, *product[number:]] for _, values, rest in groups for product in _products(rest)]


Group = tuple[int, list[str], list[Row]]
"""A column, some of its values, and the rows without the column that each of these values stands in."""


def _split(rows: list[Row], number: int) -> list[Group]:
    """Group the rows of a table by the value in column ``number``.

    A group has the values for which the rows, without that column, are the same.
    """
    by_value: dict[str, list[Row]] = {}
    for row in rows:
        by_value.setdefault(row[number], []).append((*row[:number], *row[number + 1 :]))
    groups: dict[frozenset[Row], Group] = {}
    for value, rest in by_value.items():
        groups.setdefault(frozenset(rest), (number, [], rest))[1].append(value)
    return list(groups.values())


def _cost(groups: list[Group]) -> tuple[int, int]:
    """Return a sort key for splits, lower is better: few groups, then a large first group."""
    return len(groups), -max(len(rest) for _, _, rest in groups)
