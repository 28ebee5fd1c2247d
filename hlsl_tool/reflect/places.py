"""Where members have room, and how matrices lie."""

from __future__ import annotations

from collections.abc import Iterator

from .model import Member, Type


def lines(t: Type) -> tuple[int, int]:
    """(how many, components of each) of what lies together in the memory of a matrix: rows or columns."""
    return (t.columns, t.rows) if t.majorness == "column_major" else (t.rows, t.columns)


def rooms(t: Type, size: int) -> Iterator[tuple[Member, int]]:
    """The members with a place, by offset, and the bytes up to the next."""
    placed = sorted((m for m in t.members if m.offset is not None), key=lambda m: m.offset or 0)
    for i, member in enumerate(placed):
        following = [m.offset or 0 for m in placed[i + 1 :] if (m.offset or 0) > (member.offset or 0)]
        yield member, min([*following, max(size, t.size or 0)]) - (member.offset or 0)
