"""Convert blocks to regions: the constructs of SPIR-V 2.11 as nested lists.

Before: a function that spirv-val accepts, so that merge instructions name every construct. After: a tree that contains
every reachable block once; an exit from a construct other than its end is a `Leave` or a `Fall`.

Blocks are visited in structured order: the blocks of a construct, its continue target, its merge block. The target of a
branch is the next block in the current list (nothing is written), an exit from an open construct (a `Leave`), or a
block that is written here.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import dominators, reverse_postorder, successors, successors_by_label
from hlsl_tool.spirv.ir import Block, Function, Instruction
from hlsl_tool.wgsl.control_flow import regions as r
from hlsl_tool.wgsl.control_flow.restructure import plain_loop, staged_switch
from hlsl_tool.wgsl.errors import Unsupported

MAX_DEPTH = 120
"""Limit on nesting: WGSL 2.4 allows 127 levels of braces, some of which functions and cases use up."""

_ENDS = frozenset((op.OpReturn, op.OpReturnValue, op.OpKill, op.OpTerminateInvocation, op.OpUnreachable))


class _Shared(Unsupported):
    """Raised if a block would have to be written twice."""


@dataclass(slots=True, eq=False)
class _Frame:
    """An open construct, with the labels to which its exits branch."""

    node: r.If | r.Loop | r.Switch | r.Wrap
    merge: int
    header: int = 0
    """For a loop: the target of its back edge."""
    again: int = 0
    """For a loop: the target of a `continue`."""
    labels: frozenset[int] = frozenset()
    """For a switch: the labels of its cases."""
    falls: list[tuple[int, int]] = field(default_factory=list)
    case: int = 0
    continuing: r.Region | None = None


def _joins(entry: int, blocks: dict[int, Block], predecessors: dict[int, list[int]]) -> dict[int, list[int]]:
    """Return a mapping from labels to the joins that the block immediately dominates, in reverse postorder.

    A join is a block with several predecessors.
    """
    order = reverse_postorder(entry, successors_by_label(blocks.values()))
    dominator = dominators(order, predecessors)
    joined: dict[int, list[int]] = {}
    for label in order[1:]:
        if len(predecessors[label]) > 1:
            joined.setdefault(dominator[label], []).append(label)
    return joined


class Structure:
    """Converts the blocks of one function to nested regions."""

    def __init__(self, function: Function) -> None:
        self.blocks = {block.label: block for block in function.blocks}
        entry = function.blocks[0].label
        self.predecessors: dict[int, list[int]] = {entry: []}
        pending = [entry]
        while pending:
            label = pending.pop()
            for target in successors(self.blocks[label]):
                if target not in self.predecessors:
                    self.predecessors[target] = []
                    pending.append(target)
                self.predecessors[target].append(label)
        self.phis = frozenset(
            block.label for block in function.blocks if block.instructions and block.instructions[0].op == op.OpPhi
        )
        self.done: set[int] = set()
        self.stack: list[_Frame] = []
        self.copied_headers: set[int] = set()
        """Loop headers whose phis are assigned before the loop is left: their values need names of their own."""
        self.root = r.Region()
        self.joins: dict[int, list[int]] | None = None
        """Header → blocks of its selection that both sides lead to; computed if a function has any."""
        try:
            self._sequence(entry, self.root, 0)
        except _Shared:
            self.joins = _joins(entry, self.blocks, self.predecessors)
            self.done, self.stack, self.copied_headers, self.root = set(), [], set(), r.Region()
            self._sequence(entry, self.root, 0)

    # ---------------------------------------------------------------------------------------------------- branching

    def _exit(self, label: int) -> r.Item | None:
        """Return the item that leaves an open construct for ``label``; ``None`` if no construct has this exit."""
        for frame in reversed(self.stack):
            if label == frame.merge:
                return r.Leave(frame.node.target if isinstance(frame.node, r.Wrap) else frame.node)
            if label in (frame.again, frame.header) and isinstance(frame.node, r.Loop):
                return r.Leave(frame.node, again=True)
            if label in frame.labels and isinstance(frame.node, r.Switch):
                frame.falls.append((frame.case, label))
                return r.Fall(frame.node, label)
        return None

    def _kind(self, label: int, follow: int) -> str:
        if label == follow:
            return "next"
        for frame in reversed(self.stack):
            if label in (frame.merge, frame.again, frame.header) or label in frame.labels:
                return "exit"
        block = self.blocks[label]
        if len(block.instructions) == 1 and block.instructions[0].op in _ENDS and label not in self.done:
            return "exit" if len(self.predecessors[label]) == 1 else "block"
        return "block"

    def _copies(self, source: int, target: int, region: r.Region) -> None:
        if target in self.phis:
            region.items.append(r.Copies(source, target))

    def _branch(self, source: int, label: int, region: r.Region, follow: int) -> None:
        self._copies(source, label, region)
        self._sequence(label, region, follow)

    def _sequence(self, label: int, region: r.Region, follow: int, *, entering: bool = False) -> None:
        """Append the blocks from ``label`` on to a region, up to the block ``follow`` (excluded) or to an exit.

        With ``entering``, the block ``label`` is appended even if a branch to it is an exit from an open construct.
        """
        while label != follow:
            leave = None if entering else self._exit(label)
            entering = False
            if leave is not None:
                region.items.append(leave)
                return
            if label in self.done:
                raise _Shared("the control flow is not structured: a block is reached from two constructs", label)
            self.done.add(label)
            after = self._block(self.blocks[label], region, follow)
            if after is None:
                return
            label = after

    # --------------------------------------------------------------------------------------------------- constructs

    def _push(self, frame: _Frame) -> _Frame:
        if len(self.stack) >= MAX_DEPTH:
            raise Unsupported(f"control flow is nested more than {MAX_DEPTH} deep")
        self.stack.append(frame)
        return frame

    def _after(self, merge: int) -> int | None:
        return merge if merge in self.predecessors else None

    def _block(self, block: Block, region: r.Region, follow: int) -> int | None:
        merge = block.instructions[-2] if len(block.instructions) > 1 else None
        if merge is not None and merge.op == op.OpLoopMerge:
            return self._loop(block, merge, region)
        return self._straight(block, region, follow)

    def _straight(self, block: Block, region: r.Region, follow: int) -> int | None:
        """Append a block to a region, with the construct or exit to which its terminator leads.

        Return the label of the block that comes next in the region, or ``None`` if its end is not reached.
        ``follow`` is the label of the block after the region.
        """
        label = block.label
        region.items.append(r.Code(label))
        last = block.instructions[-1]
        if last.op in _ENDS:
            region.items.append(r.End(label))
            return None
        merge = block.instructions[-2] if len(block.instructions) > 1 else None
        selection = merge if merge is not None and merge.op == op.OpSelectionMerge else None
        if last.op == op.OpBranch or (last.op == op.OpBranchConditional and last.id(1) == last.id(2)):
            target = last.id(0) if last.op == op.OpBranch else last.id(1)
            if selection is not None:
                return self._only_one_side(block, target, selection, region)
            self._copies(label, target, region)
            return target
        if last.op == op.OpBranchConditional:
            if selection is not None:
                return self._selection(block, selection, region)
            return self._conditional(block, region, follow)
        if last.op == op.OpSwitch and selection is not None:
            return self._switch(block, selection, region)
        raise Unsupported("the terminator has no equivalent in WGSL")

    def _selection(self, block: Block, merge: Instruction, region: r.Region) -> int | None:
        last, target = block.instructions[-1], merge.id(0)
        node = r.If(block.label, last.id(0), False, r.Region(), r.Region())
        self._push(_Frame(node, target))
        shared = [label for label in (self.joins or {}).get(block.label, ()) if self._kind(label, target) == "block"]
        if shared:
            self._joined(block, node, region, shared)
        else:
            self._branch(block.label, last.id(1), node.then, target)
            self._branch(block.label, last.id(2), node.otherwise, target)
            region.items.append(node)
        self.stack.pop()
        return self._after(target)

    def _only_one_side(self, block: Block, target: int, merge: Instruction, region: r.Region) -> int | None:
        """Append a selection whose branch has a single target, as a breakable list (`Wrap`)."""
        node = r.Wrap(object(), r.Region())
        self._push(_Frame(node, merge.id(0)))
        self._branch(block.label, target, node.body, merge.id(0))
        self.stack.pop()
        region.items.append(node)
        return self._after(merge.id(0))

    def _joined(self, block: Block, node: r.If, region: r.Region, shared: list[int]) -> None:
        """Append a selection whose sides meet before its merge block.

        ``shared`` are the labels of the blocks where they meet, in order. Each ends a breakable list (`Wrap`), whose
        exits lead to the block.
        """
        last = block.instructions[-1]
        inner = node
        for label in reversed(shared):
            self._push(_Frame(r.Wrap(object(), r.Region()), label))
        outer = r.Wrap(node, r.Region())
        current = r.If(block.label, inner.condition, False, r.Region(), r.Region())
        self._branch(block.label, last.id(1), current.then, shared[0])
        self._branch(block.label, last.id(2), current.otherwise, shared[0])
        items: list[r.Item] = [current]
        for position, label in enumerate(shared):
            wrap = self.stack.pop().node
            assert isinstance(wrap, r.Wrap)
            wrap.body.items = items
            after = r.Region([wrap])
            follow = shared[position + 1] if position + 1 < len(shared) else self.stack[-1].merge
            if label not in self.done:
                self._sequence(label, after, follow)
            items = after.items
        outer.body.items = items
        region.items.append(outer)

    def _conditional(self, block: Block, region: r.Region, follow: int) -> int | None:
        """Append a conditional branch without a merge instruction: at least one side is an exit.

        Return the label of the block that comes next in the region, or ``None``; ``follow`` is the block after it.
        """
        label, last = block.label, block.instructions[-1]
        condition, yes, no = last.id(0), last.id(1), last.id(2)
        frame = self.stack[-1] if self.stack else None
        if frame is not None and frame.continuing is region and {yes, no} == {frame.header, frame.merge}:
            assert isinstance(frame.node, r.Loop)
            frame.node.break_if = (condition, yes == frame.header)
            self._copies(label, frame.header, region)
            self._copies(label, frame.merge, region)
            self.copied_headers.add(frame.header)
            return None
        kinds = self._kind(yes, follow), self._kind(no, follow)
        if "exit" in kinds:
            negated = kinds[0] != "exit"
            away, on = (no, yes) if negated else (yes, no)
            node = r.If(label, condition, negated, r.Region(), r.Region())
            self._branch(label, away, node.then, follow)
            region.items.append(node)
            self._copies(label, on, region)
            return on
        negated = kinds[0] == "next"
        first, second = (no, yes) if negated else (yes, no)
        node = r.If(label, condition, negated, r.Region(), r.Region())
        self._branch(label, first, node.then, follow)
        self._branch(label, second, node.otherwise, follow)
        region.items.append(node)
        return None

    def _loop(self, block: Block, merge: Instruction, region: r.Region) -> int | None:
        header, target, again = block.label, merge.id(0), merge.id(1)
        several = again != header and len(self.predecessors.get(again, ())) > 1
        node = r.Loop(header, r.Region())
        frame = self._push(_Frame(node, target, header, again if several else header))
        after = self._straight(block, node.body, frame.again)
        if after is not None:
            self._sequence(after, node.body, frame.again)
        if several:
            frame.again = header
            frame.continuing = node.continuing = r.Region()
            self._sequence(again, node.continuing, header, entering=True)
        self.stack.pop()
        region.items.append(plain_loop(node))
        return self._after(target)

    def _switch(self, block: Block, merge: Instruction, region: r.Region) -> int | None:
        words, target = block.instructions[-1].ints(), merge.id(0)
        groups: dict[int, list[int]] = {}
        labels = frozenset((words[1], *words[3::2])) - {target}
        for value, label in zip(words[2::2], words[3::2], strict=False):
            groups.setdefault(self._forward(label, labels), []).append(value)
        default = self._forward(words[1], labels)
        groups.setdefault(default, [])
        node = r.Switch(block.label, words[0], [])
        frame = self._push(_Frame(node, target, labels=frozenset(groups) - {target}))
        entries: dict[int, r.Region] = {}
        for label, values in groups.items():
            case = r.Case(label, values, label == default, r.Region())
            entries[label] = entry = r.Region()
            self._copies(block.label, label, entry)
            if label != target:
                frame.case = label
                outside = self._elsewhere(label)
                self._sequence(label, case.body, target, entering=not outside)
            node.cases.append(case)
        self.stack.pop()
        if frame.falls:
            region.items += staged_switch(node, entries, frame.falls)
        else:
            for case in node.cases:
                case.body.items[:0] = entries[case.label].items
            region.items.append(node)
        return self._after(target)

    def _elsewhere(self, label: int) -> bool:
        """Return whether the block ``label``, the target of a case, is an exit from a construct around the switch."""
        frames = self.stack[:-1]
        return any(label in (frame.merge, frame.again, frame.header) or label in frame.labels for frame in frames)

    def _forward(self, label: int, labels: frozenset[int]) -> int:
        """Return the label of the first case that is not empty, starting at the case ``label``.

        An empty case only branches to the next one. ``labels`` are those of all cases.
        """
        seen = {label}
        while label in labels:
            block = self.blocks[label]
            if len(block.instructions) != 1 or block.instructions[0].op != op.OpBranch:
                break
            target = block.instructions[0].id(0)
            if target not in labels or target in self.phis or target in seen:
                break
            label = target
            seen.add(label)
        return label
