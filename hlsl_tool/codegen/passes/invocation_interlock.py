"""Merge critical sections: a single begin and a single end on every path.

Before: accesses to rasterizer ordered views each have an OpBeginInvocationInterlockEXT and an
OpEndInvocationInterlockEXT around them, any number of pairs, in loops too; everything is inlined into the entry points
(legalisation does that). After: on every path through an entry point, at most one begin is executed, before the first
access, and one end after the last, as SPV_EXT_fragment_shader_interlock requires.

A block is *inside* if a begin may have been executed before it and an end may still follow. A begin is placed on each
edge into the inside (or stays where it is, in a block with which the inside starts), an end on each edge out of it, or
in a block outside whose predecessors are all inside. An edge that needs a block of its own gets one.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import end_of_body, label_positions, predecessors_of, reach, successors_by_label
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import ExecutionMode
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module

_BEGIN = op.OpBeginInvocationInterlockEXT
_END = op.OpEndInvocationInterlockEXT
_MODES = (
    ExecutionMode.PixelInterlockOrderedEXT,
    ExecutionMode.PixelInterlockUnorderedEXT,
    ExecutionMode.SampleInterlockOrderedEXT,
    ExecutionMode.SampleInterlockUnorderedEXT,
    ExecutionMode.ShadingRateInterlockOrderedEXT,
    ExecutionMode.ShadingRateInterlockUnorderedEXT,
)


def has_critical_sections(module: Module) -> bool:
    """Return whether an entry point has an interlock execution mode."""
    return any(inst.id(1) in _MODES for inst in module.execution_modes)


def place_invocation_interlock(module: Module) -> None:
    """Reduce the begins and ends on each path of the entry points to one of each, in place."""
    entries = {inst.id(1) for inst in module.entry_points}
    index = ModuleIndex(module)
    for function in module.functions:
        has_any = any(inst.op in (_BEGIN, _END) for inst in function.instructions())
        if has_any and function.id in entries:
            _Placer(module, function, index.wide_switches(function)).run()


class _Placer:
    """Places the begin and end instructions of one function."""

    def __init__(self, module: Module, function: Function, wide: frozenset[int]) -> None:
        self.module = module
        self.function = function
        self.wide = wide
        """The blocks whose ``OpSwitch`` has literals of two words."""
        self.blocks = {block.label: block for block in function.blocks}
        self.successors = successors_by_label(function.blocks, wide)
        self.predecessors = predecessors_of(self.successors)

    def run(self) -> None:
        """Place the begin and end instructions of the function, and remove all others."""
        begins = [label for label, block in self.blocks.items() if _has(block, _BEGIN)]
        ends = [label for label, block in self.blocks.items() if _has(block, _END)]
        inside = reach(begins, self.successors) & reach(ends, self.predecessors)
        into, out = set(inside), set(inside)
        for label in inside:
            if any(before in inside for before in self.predecessors[label]):
                into.discard(label)
            if any(after in inside for after in self.successors[label]):
                out.discard(label)
        # A block whose successors are all inside takes the begin for them, if some of them need one anyway.
        for label in sorted(into):
            before = self.predecessors[label]
            beside = self.successors[before[0]] if len(before) == 1 else []
            if inside.issuperset(beside) and not into.issuperset(beside):
                into.discard(label)
        # A block outside whose predecessors all leave the inside there takes the end for them: another block between a
        # loop's header and its merge block would leave the branch of the header unstructured.
        open_ends = inside - out
        closing = [
            label
            for label, before in self.predecessors.items()
            if label not in inside and before and open_ends.issuperset(before)
        ]
        # Blocks at which the inside starts or ends keep their first begin or last end; all others are removed.
        for label, block in self.blocks.items():
            _keep(block, _BEGIN, first=True, keep=label in into)
            _keep(block, _END, first=False, keep=label in out)
        for label in [block.label for block in self.function.blocks]:
            if label not in inside:
                entered = [after for after in self.successors[label] if after in inside and after not in into]
                self._on_edges(label, entered, _BEGIN)
            elif label not in out:
                left = [after for after in self.successors[label] if after not in inside]
                self._on_edges(label, [after for after in left if after not in closing], _END)
        for label in closing:
            self._begin_with(self.blocks[label], _END)

    def _begin_with(self, block: Block, opcode: int) -> None:
        """Insert ``opcode`` at the start of a block whose predecessors all need it at their end."""
        place = next(
            i for i, inst in enumerate(block.instructions) if inst.op not in (op.OpPhi, op.OpLine, op.OpNoLine)
        )
        block.instructions.insert(place, Instruction(opcode, 0, 0, []))

    def _on_edges(self, label: int, targets: list[int], opcode: int) -> None:
        """Insert ``opcode`` on the edges from a block to ``targets``."""
        if not targets:
            return
        if len(targets) == len(self.successors[label]):
            block = self.blocks[label]
            block.instructions.insert(end_of_body(block), Instruction(opcode, 0, 0, []))
            return
        for target in targets:
            self._split(label, target, opcode)

    def _split(self, label: int, target: int, opcode: int) -> None:
        """Insert a block with ``opcode`` on the edge from ``label`` to ``target``."""
        new = self.module.take_id()
        block = Block(new, [Instruction(opcode, 0, 0, []), Instruction(op.OpBranch, 0, 0, [target])])
        last = self.blocks[label].instructions[-1]
        for index in label_positions(last, 2 if label in self.wide else 1):
            if last.operands[index] == target:
                last.operands[index] = new
        for inst in self.blocks[target].instructions:
            if inst.op != op.OpPhi:
                break
            inst.operands[1::2] = [new if parent == label else parent for parent in inst.operands[1::2]]
        self.function.blocks.insert(self.function.blocks.index(self.blocks[label]) + 1, block)


def _has(block: Block, opcode: int) -> bool:
    return any(inst.op == opcode for inst in block.instructions)


def _keep(block: Block, opcode: int, *, first: bool, keep: bool) -> None:
    """Remove the instructions with an opcode from a block; with ``keep``, retain the first or the last of them."""
    places = [index for index, inst in enumerate(block.instructions) if inst.op == opcode]
    if keep and places:
        places.remove(places[0] if first else places[-1])
    for index in reversed(places):
        del block.instructions[index]
