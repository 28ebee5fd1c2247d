"""The permutations of an entry point as a decision tree; equal branches are merged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hlsl_tool.base.system.dataclass import dataclass, field

Row = tuple[dict[str, str], str]
"""The values of the axes, and the digest of the module."""

MAX_LEAVES = 64
"""The number of modules of an entry that the tree shows."""


@dataclass(slots=True)
class Branch:
    """A node of the tree: the permutations with these values of one axis."""

    axis: str
    values: tuple[str, ...]
    """The values that give the same modules; empty at the root."""
    count: int
    """The number of permutations."""
    digest: str = ""
    """The only module of the permutations; empty if there are several."""
    children: list[Branch] = field(default_factory=list)
    hidden: int = 0
    """The number of children behind the last one that is shown."""


def tree(axes: Sequence[str], rows: Sequence[Row]) -> Branch:
    """Return the tree of permutations with at most `MAX_LEAVES` leaves; axes without effect are omitted."""
    root = _branch("", (), list(axes), list(rows))
    _cut(root, MAX_LEAVES)
    return root


def without_effect(axes: Iterable[str], rows: Sequence[Row]) -> list[str]:
    """Return the axes whose values give the same module for any combination of the others.

    [] for a single permutation.
    """

    def has_effect(axis: str) -> bool:
        modules: dict[object, set[str]] = {}
        for values, digest in rows:
            others = tuple(sorted(pair for pair in values.items() if pair[0] != axis))
            modules.setdefault(others, set()).add(digest)
        return len(modules) == len(rows) or any(len(digests) > 1 for digests in modules.values())

    return [axis for axis in axes if not has_effect(axis)]


def _branch(axis: str, values: tuple[str, ...], axes: list[str], rows: list[Row]) -> Branch:
    digests = {digest for _, digest in rows}
    if len(digests) == 1 or not axes:
        return Branch(axis, values, len(rows), next(iter(digests)) if len(digests) == 1 else "")
    first, rest = axes[0], axes[1:]
    by_value: dict[str, list[Row]] = {}
    for row in rows:
        by_value.setdefault(row[0].get(first, ""), []).append(row)
    equal: dict[object, tuple[list[str], list[Row]]] = {}
    for value, several in by_value.items():
        key = frozenset((tuple((a, choice.get(a, "")) for a in rest), digest) for choice, digest in several)
        alike = equal.setdefault(key, ([], []))
        alike[0].append(value)
        alike[1].extend(several)
    if len(equal) == 1:  # the axis has no effect on these permutations
        inner = _branch(axis, values, rest, next(iter(equal.values()))[1])
        inner.count = len(rows)
        return inner
    children = [_branch(first, tuple(names), rest, several) for names, several in equal.values()]
    return Branch(axis, values, len(rows), "", children)


def _cut(branch: Branch, room: int) -> int:
    """Limit a tree of permutations to its first ``room`` leaves, in place; return the number of remaining leaves.

    Each branch with removed children stores their number.
    """
    if not branch.children:
        return 1
    leaves = 0
    for number, child in enumerate(branch.children):
        if leaves >= room:
            branch.hidden = len(branch.children) - number
            del branch.children[number:]
            break
        leaves += _cut(child, room - leaves)
    return leaves
