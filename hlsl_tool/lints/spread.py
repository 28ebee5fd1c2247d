"""The spread of a value: the groups of invocations within which it differs.

A spread is an int for a whole value, or a tuple with one spread for each component of a vector or field of a struct.
The low bits of an int are the groups; the bits above them are the number of a cause (`program.Cause`), for messages.
0 stands for values that are uniform and for values of which nothing is sure: lints report only what surely differs.
"""

from __future__ import annotations

QUAD = 1
"""Differs between the four invocations of a quad."""
WAVE = 2
"""Differs between the invocations of a wave."""
GROUP = 4
"""Differs between the invocations of a thread group."""
ALL = QUAD | WAVE | GROUP
MARKED = 8
"""Passed through `NonUniformResourceIndex`."""
BITS = ALL | MARKED
CAUSE_SHIFT = 4

Spread = int | tuple["Spread", ...]


def join(left: int, right: int) -> int:
    """Return the union of two spreads; the cause is that of ``right`` if its groups are a proper superset."""
    if right & ALL & ~left:
        return right | left & BITS if not left & ALL & ~right else left | right & BITS
    return left | right & BITS


def flat(spread: Spread) -> int:
    """Join the spreads of all components or fields into that of the whole value."""
    if spread.__class__ is int:
        return spread
    total = 0
    for part in spread:  # type: ignore[union-attr]  # not an int
        total = join(total, flat(part))
    return total


def part(spread: Spread, index: int) -> Spread:
    """Return the spread of one component or field."""
    if isinstance(spread, int):
        return spread
    return spread[index] if index < len(spread) else flat(spread)


def parts(spread: Spread, count: int) -> tuple[Spread, ...]:
    """Return the spreads of ``count`` components or fields."""
    if isinstance(spread, tuple):
        return spread if len(spread) == count else (flat(spread),) * count
    return (spread,) * count


def merge(left: Spread, right: Spread) -> Spread:
    """Return the spread of a value that depends on both, part by part where both have as many parts."""
    if left is right:
        return left
    if isinstance(left, int):
        if isinstance(right, int):
            return join(left, right)
        return tuple([merge(left, one) for one in right]) if left else right
    if isinstance(right, int):
        return tuple([merge(one, right) for one in left]) if right else left
    if len(left) == len(right):
        return tuple([merge(one, other) for one, other in zip(left, right, strict=True)])
    return join(flat(left), flat(right))


def keep(spread: Spread, bits: int) -> Spread:
    """Return a spread without the groups that are not in ``bits``."""
    if isinstance(spread, int):
        return spread & ~(BITS & ~bits) if spread & bits else 0
    return tuple([keep(one, bits) for one in spread])


def bits_of(spread: Spread) -> Spread:
    """Return a spread without causes, for comparisons."""
    if isinstance(spread, int):
        return spread & BITS
    return tuple([bits_of(one) for one in spread])


def covers(spread: Spread, other: Spread) -> bool:
    """Return whether joining ``other`` would add no group."""
    return bits_of(merge(spread, other)) == bits_of(spread)
