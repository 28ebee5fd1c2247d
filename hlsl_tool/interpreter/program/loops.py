"""Find the values that lanes still need after they have left the loop that computes them."""

from __future__ import annotations

from collections.abc import Container, Sequence

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import merge_of, nests
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.ir import Block


def loops_around(blocks: Sequence[Block], wide: Container[int]) -> dict[int, frozenset[int]]:
    """Return label → the merge blocks of the loops that contain the block; a loop contains its header.

    ``wide`` are the blocks whose ``OpSwitch`` has two-word literals.
    """
    around = {
        label: frozenset(construct.merge for construct in nest if construct.kind == "loop")
        for label, nest in nests(blocks, wide).items()
    }
    for block in blocks:
        merge = merge_of(block)
        if block.label in around and merge is not None and merge.op == op.OpLoopMerge:
            around[block.label] |= {merge.id(0)}
    return around


def escaping(blocks: Sequence[Block], wide: Container[int]) -> set[int]:
    """Return the ids that are defined in a loop and used outside of it."""
    around = loops_around(blocks, wide)
    if not any(around.values()):
        return set()
    nowhere: frozenset[int] = frozenset()
    home: dict[int, frozenset[int]] = {}
    for block in blocks:
        inside = around.get(block.label, nowhere)
        if inside:
            home.update((inst.result_id, inside) for inst in block.instructions if inst.result_id)
    found: set[int] = set()
    for block in blocks:
        here = around.get(block.label, nowhere)
        for inst in block.instructions:
            if inst.op == op.OpPhi:
                words = inst.ints()
                pairs = zip(words[::2], words[1::2], strict=True)
                found.update(value for value, label in pairs if home.get(value, nowhere) - around.get(label, nowhere))
            else:
                found.update(number for number in used_ids(inst) if number in home and home[number] - here)
    return found
