"""Find orders of members with less padding."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.rounding import round_up
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.layout.rules import (
    Member,
    Rule,
    advance,
    alignment,
    explicit_offset,
    extent,
    place_members,
)

WORD = 4


@dataclass(frozen=True, slots=True)
class Order:
    """An order of a struct's members with less padding; ``size`` is the struct's size in it, ``before`` as declared."""

    names: tuple[str, ...]
    size: int
    before: int


def better_order(members: Sequence[Member], rule: Rule, default: bool) -> Order | None:
    """Return an order that makes the struct smaller; ``None`` if none is found, or if the source fixes offsets."""
    if any(f is None or f.bits is not None or explicit_offset(f) is not None for f, _, _ in members):
        return None
    before = _end(members, rule, default)
    best = min(
        (_largest_first(members, rule, default), _least_padding(members, rule, default)),
        key=lambda order: _end(order, rule, default),
    )
    size = _end(best, rule, default)
    if size >= before:
        return None
    return Order(tuple(f.name for f, _, _ in best if f is not None), size, before)


def filler(count: int) -> str:
    """Return declarations of members that fill ``count`` bytes at any offset."""
    kind, size = ("uint", WORD) if count % WORD == 0 else ("uint16_t", 2)
    return f"{kind} {', '.join(f'padding{n}' for n in range(count // size))};"


def _end(members: Sequence[Member], rule: Rule, default: bool) -> int:
    """Return the size of the members, rounded up to the largest alignment among them (at most 16)."""
    placed = place_members(list(members), rule, default)
    return round_up(max(p.offset + p.extent.size for p in placed), min(max(p.extent.align for p in placed), 16))


def _largest_first(members: Sequence[Member], rule: Rule, default: bool) -> list[Member]:
    def key(member: Member) -> tuple[int, int]:
        e = extent(member[1], rule, member[2], default)
        return -alignment(member[1], e, rule), -e.size

    return sorted(members, key=key)


def _least_padding(members: Sequence[Member], rule: Rule, default: bool) -> list[Member]:
    """Return an order that always continues with the member that needs the least padding; of several, the largest."""
    left = [(member, extent(member[1], rule, member[2], default)) for member in members]
    out: list[Member] = []
    end = 0
    while left:
        at = [(advance(member[1], e, end, rule), -e.size, n) for n, (member, e) in enumerate(left)]
        offset, size, number = min(at)
        out.append(left.pop(number)[0])
        end = offset - size
    return out
