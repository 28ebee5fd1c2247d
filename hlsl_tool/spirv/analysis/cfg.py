"""Control flow of one function: successors, reachable blocks, orders, dominators, structured constructs.

An ``OpSwitch`` with a 64-bit selector has literals of two words. Functions that read its labels take ``literal_words``,
and ``ModuleIndex.wide_switches`` returns the blocks to which that applies.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import MERGES
from hlsl_tool.spirv.ir import Block, Instruction


def label_positions(terminator: Instruction, literal_words: int = 1) -> Sequence[int]:
    """Return the indices of those operands of a terminator that are labels."""
    if terminator.op == op.OpBranch:
        return (0,)
    if terminator.op == op.OpBranchConditional:
        return (1, 2)
    if terminator.op == op.OpSwitch:
        return (1, *range(2 + literal_words, len(terminator.operands), 1 + literal_words))
    return ()


def successors(block: Block, literal_words: int = 1) -> list[int]:
    """Return the target labels of a block's terminator, in order, without repetitions."""
    last = block.instructions[-1]
    opcode = last.op
    if opcode == op.OpBranch:
        return [last.id(0)]
    if opcode == op.OpBranchConditional:
        yes, no = last.ints()[1:3]
        return [yes] if yes == no else [yes, no]
    if opcode == op.OpSwitch:
        words = last.ints()
        return list(dict.fromkeys((words[1], *words[2 + literal_words :: 1 + literal_words])))
    return []


def successors_by_label(blocks: Iterable[Block], wide: Container[int] = ()) -> dict[int, list[int]]:
    """Return a mapping from labels to successors; ``wide`` are the blocks whose ``OpSwitch`` has two-word literals."""
    return {block.label: successors(block, 2 if block.label in wide else 1) for block in blocks}


def predecessors_of(following: Mapping[int, list[int]]) -> dict[int, list[int]]:
    """Return a mapping from labels to predecessors, given one to successors."""
    before: dict[int, list[int]] = {label: [] for label in following}
    for label, targets in following.items():
        for target in targets:
            before[target].append(label)
    return before


def reach(start: Iterable[int], following: Mapping[int, Iterable[int]]) -> set[int]:
    """Return the nodes of a graph that are reachable from ``start``, including ``start`` itself."""
    seen = set(start)
    todo = list(seen)
    while todo:
        for target in following.get(todo.pop(), ()):
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def reverse_postorder(entry: int, following: Mapping[int, list[int]]) -> list[int]:
    """Return the labels reachable from ``entry``, each before its successors except along back edges."""
    order: list[int] = []
    seen = {entry}
    path = [(entry, iter(following[entry]))]
    while path:
        label, targets = path[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                path.append((target, iter(following[target])))
                break
        else:
            order.append(label)
            path.pop()
    order.reverse()
    return order


def dominators(order: Sequence[int], before: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return a mapping from labels to immediate dominators; the entry dominates itself.

    ``order`` is a reverse postorder and ``before`` maps labels to predecessors. Uses the iteration of Cooper, Harvey
    and Kennedy.
    """
    number = {label: index for index, label in enumerate(order)}
    dominator = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for label in order[1:]:
            sources = [source for source in before[label] if source in dominator]
            best = sources[0]
            for other in sources[1:]:
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
    return dominator


# ------------------------------------------------------------------------------------------------------- structure


def merge_of(block: Block) -> Instruction | None:
    """Return the merge instruction of a block; ``None`` if it has none."""
    if len(block.instructions) < 2:
        return None
    inst = block.instructions[-2]
    return inst if inst.op in MERGES else None


def merge_targets(block: Block) -> tuple[int, int]:
    """Return (merge block, continue target) of the construct whose header is ``block``; 0 for a missing one."""
    merge = merge_of(block)
    if merge is None:
        return 0, 0
    return merge.id(0), merge.id(1) if merge.op == op.OpLoopMerge else 0


def end_of_body(block: Block) -> int:
    """Return the index of a block's merge instruction, or of its terminator if it has none."""
    return len(block.instructions) - (1 if merge_of(block) is None else 2)


@dataclass(slots=True, frozen=True)
class Construct:
    """A structured construct that contains a block."""

    kind: str
    """``loop``, ``continue``, ``switch`` or ``if``."""
    merge: int
    """The label of the merge block; of a continue construct that of the continue target."""


Nest = tuple[Construct, ...]
"""The constructs around a block, outermost first."""


def nests(blocks: Sequence[Block], wide: Container[int] = ()) -> dict[int, Nest]:
    """Return a mapping from each reachable label to the constructs around it, outermost first.

    ``wide`` are the blocks whose ``OpSwitch`` has two-word literals.
    """
    by_label = {block.label: block for block in blocks}
    around: dict[int, Nest] = {blocks[0].label: ()}
    todo = [blocks[0].label]
    merges: dict[int, Nest] = {}
    while todo:
        label = todo.pop()
        block = by_label[label]
        nest = inner = around[label]
        merge = merge_of(block)
        if merge is not None and merge.op == op.OpLoopMerge:
            merges[merge.id(0)] = nest
            inner = (*nest, Construct("loop", merge.id(0)))
            merges[merge.id(1)] = (*inner, Construct("continue", merge.id(1)))
        elif merge is not None:
            merges[merge.id(0)] = nest
            kind = "switch" if block.instructions[-1].op == op.OpSwitch else "if"
            inner = (*nest, Construct(kind, merge.id(0)))
        for target in successors(block, 2 if label in wide else 1):
            if target not in around:
                around[target] = merges.get(target, inner)
                todo.append(target)
    return around
