"""The divergence of a value: the groups of invocations (quad, wave, thread group) within which it differs.

A divergence is an int for a whole value, or a tuple with one divergence for each component of a vector or field of a
struct. The low bits of an int are the groups; the bits above them are the number of a cause (`program.Cause`), for
messages. 0 is a value that is uniform, or of which nothing is certain: lints report only what certainly differs.
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

Divergence = int | tuple["Divergence", ...]


def join(left: int, right: int) -> int:
    """Return the union of two divergences, with one of their causes.

    The cause is that of ``right`` if the groups of ``right`` include all groups of ``left`` and others; otherwise it is
    that of ``left``.
    """
    if right & ALL & ~left:
        return right | left & BITS if not left & ALL & ~right else left | right & BITS
    return left | right & BITS


def flat(divergence: Divergence) -> int:
    """Return one divergence for a value as a whole: the union of those of its components or fields."""
    if divergence.__class__ is int:
        return divergence
    total = 0
    for part in divergence:  # type: ignore[union-attr]  # not an int
        total = join(total, flat(part))
    return total


def part(divergence: Divergence, index: int) -> Divergence:
    """Return the divergence of component or field ``index`` of a value with the given divergence."""
    if isinstance(divergence, int):
        return divergence
    return divergence[index] if index < len(divergence) else flat(divergence)


def parts(divergence: Divergence, count: int) -> tuple[Divergence, ...]:
    """Return one divergence for each component or field of a value that has ``count`` of them.

    If ``divergence`` is a single one, or a tuple of another length, each component gets that of the whole value.
    """
    if isinstance(divergence, tuple):
        return divergence if len(divergence) == count else (flat(divergence),) * count
    return (divergence,) * count


def merge(left: Divergence, right: Divergence) -> Divergence:
    """Return the divergence of a value that is computed from two others, given their divergences.

    The result has a divergence for each component or field, unless both operands are single divergences or have
    different numbers of components.
    """
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


def keep(divergence: Divergence, bits: int) -> Divergence:
    """Return a divergence without all groups of invocations (quad, wave, thread group) that are not in ``bits``."""
    if isinstance(divergence, int):
        return divergence & ~(BITS & ~bits) if divergence & bits else 0
    return tuple([keep(one, bits) for one in divergence])


def bits_of(divergence: Divergence) -> Divergence:
    """Return a divergence without causes, for comparisons."""
    if isinstance(divergence, int):
        return divergence & BITS
    return tuple([bits_of(one) for one in divergence])


def covers(divergence: Divergence, other: Divergence) -> bool:
    """Return whether ``divergence`` already includes all groups of ``other``."""
    return bits_of(merge(divergence, other)) == bits_of(divergence)
