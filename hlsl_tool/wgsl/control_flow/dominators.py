"""Dominators, for the rare selections whose sides meet before the merge block."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Block


def _targets(block: Block) -> list[int]:
    last = block.instructions[-1]
    if last.op == op.OpBranch:
        return [last.id(0)]
    if last.op == op.OpBranchConditional:
        return [last.id(1), last.id(2)]
    if last.op == op.OpSwitch:
        return last.ints()[1:2] + last.ints()[3::2]
    assert last.op in tables.TERMINATORS
    return []


def _reverse_postorder(entry: int, blocks: dict[int, Block]) -> list[int]:
    order: list[int] = []
    seen = {entry}
    path = [(entry, iter(_targets(blocks[entry])))]
    while path:
        label, rest = path[-1]
        following = next((target for target in rest if target not in seen), None)
        if following is None:
            order.append(label)
            path.pop()
        else:
            seen.add(following)
            path.append((following, iter(_targets(blocks[following]))))
    return order[::-1]


def joins(entry: int, blocks: dict[int, Block], predecessors: dict[int, list[int]]) -> dict[int, list[int]]:
    """Block → the blocks that it dominates directly and that several blocks lead to, in order.

    Immediate dominators by the iteration of Cooper, Harvey and Kennedy.
    """
    order = _reverse_postorder(entry, blocks)
    number = {label: index for index, label in enumerate(order)}
    dominator = {entry: entry}
    changed = True
    while changed:
        changed = False
        for label in order[1:]:
            known = [source for source in predecessors[label] if source in dominator]
            best = known[0]
            for other in known[1:]:
                left, right = best, other
                while left != right:
                    while number[left] > number[right]:
                        left = dominator[left]
                    while number[right] > number[left]:
                        right = dominator[right]
                best = left
            if dominator.get(label) != best:
                dominator[label] = best
                changed = True
    joined: dict[int, list[int]] = {}
    for label in order[1:]:
        if len(predecessors[label]) > 1:
            joined.setdefault(dominator[label], []).append(label)
    return joined
