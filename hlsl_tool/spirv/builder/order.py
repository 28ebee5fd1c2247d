"""Order the blocks of a function as SPIR-V requires, and readably.

A block comes before the blocks that it dominates; the continue target and the merge block of a construct come after its
body, in that order. It is DXC's order, so that its tests apply.
"""

from __future__ import annotations

from .. import op
from ..analysis.cfg import merge_targets, successors
from ..ir import Block


def _following(block: Block, rank: dict[int, int], literal_words: int) -> list[int]:
    """Return the successors of a block; those of a switch are sorted by ``rank``, the order of creation by label."""
    if not block.instructions:
        return []
    labels = successors(block, literal_words)
    if block.instructions[-1].op == op.OpSwitch:
        labels.sort(key=lambda label: rank[label])
    return labels


def readable_order(blocks: list[Block], wide_switches: frozenset[int] = frozenset()) -> list[Block]:
    """Return the blocks that are reachable or targets of a merge instruction, in order.

    ``wide_switches`` are the labels of blocks whose OpSwitch has 64-bit literals.
    """
    by_label = {block.label: block for block in blocks}
    rank = {block.label: index for index, block in enumerate(blocks)}
    done: set[int] = set()
    waiting: set[int] = set()
    order: list[Block] = []
    # An entry is (label, True to remove it from the waiting labels first).  No recursion: nesting is unlimited.
    stack = [(blocks[0].label, False)]
    while stack:
        label, release = stack.pop()
        if release:
            waiting.discard(label)
        if label in done or label in waiting:
            continue
        block = by_label[label]
        order.append(block)
        done.add(label)
        merge, continuing = merge_targets(block)
        later = [target for target in (merge, continuing) if target]
        waiting.update(later)
        stack += [(target, True) for target in later]
        following = _following(block, rank, 2 if label in wide_switches else 1)
        stack += [(target, False) for target in reversed(following)]
    return order
