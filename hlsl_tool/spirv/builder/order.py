"""The order in which the blocks of a function are written: as a reader wants them, and as SPIR-V demands.

A block comes before what it dominates; the continue target and the merge block of a construct come after its body, in
that order.  It is the order of DXC's output, so that tests for one read the other.
"""

from __future__ import annotations

from .. import op
from ..ir import Block


def _ints(operands: list[int | str]) -> list[int]:
    return [operand for operand in operands if isinstance(operand, int)]


def successors(block: Block, rank: dict[int, int], wide_switch: bool) -> list[int]:
    """Labels that the terminator names, in order; cases of a switch in source order (``rank``)."""
    if not block.instructions:
        return []
    last = block.instructions[-1]
    operands = _ints(last.operands)
    if last.op == op.OpBranch:
        return operands[:1]
    if last.op == op.OpBranchConditional:
        return operands[1:3]
    if last.op == op.OpSwitch:
        step = 3 if wide_switch else 2
        return sorted({operands[1], *operands[1 + step :: step]}, key=lambda label: rank[label])
    return []


def merge_targets(block: Block) -> tuple[int, int]:
    """(merge block, continue target) of the construct that the block heads; 0 where there is none."""
    if len(block.instructions) < 2:
        return 0, 0
    inst = block.instructions[-2]
    if inst.op == op.OpSelectionMerge:
        return inst.id(0), 0
    if inst.op == op.OpLoopMerge:
        return inst.id(0), inst.id(1)
    return 0, 0


def readable_order(blocks: list[Block], wide_switches: frozenset[int] = frozenset()) -> list[Block]:
    """The blocks that can be reached (or are the target of a merge), in order.

    ``wide_switches`` names the blocks whose OpSwitch has 64-bit literals.
    """
    by_label = {block.label: block for block in blocks}
    rank = {block.label: index for index, block in enumerate(blocks)}
    done: set[int] = set()
    waiting: set[int] = set()
    order: list[Block] = []
    # An entry is (label, True to take it off the waiting list first); a stack, as nesting is the user's.
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
        following = successors(block, rank, label in wide_switches)
        stack += [(target, False) for target in reversed(following)]
    return order
