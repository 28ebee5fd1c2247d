"""Promote one function: its local variables become SSA values, and its calls are inlined."""

from __future__ import annotations

from hlsl_tool.codegen.passes.promote.promoted_body import Body, EmittedBlock
from hlsl_tool.codegen.passes.promote.ssa_values import Node
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import reverse_postorder, successors_by_label
from hlsl_tool.spirv.ir import Instruction

from . import finish
from .function_cache import FunctionInfo
from .instructions import HANDLERS
from .lazy import LazyParameter
from .module_state import ModuleState
from .promoter import Promoter


class FunctionPromoter(Promoter):
    """Promotes one function, block by block."""

    def __init__(self, program: ModuleState, info: FunctionInfo, *, is_entry: bool) -> None:
        super().__init__(program, info, is_entry=is_entry)
        self.followers: dict[int, list[Node]] = {}
        """Label of a node → its successors."""

    def run(self) -> Body:
        """Promote the function and return its body. Raises ``Unsuited``."""
        types, values = self.types, self.values
        values.roots = self.program.roots_of(self.info)
        self.access_paths = {root: (root, (), ()) for root in values.roots}
        for parameter in self.function.parameters:
            number = parameter.result_id
            if number in values.roots:
                self.by_path.add(number)
            elif types.elements(parameter.type_id) is not None:
                values.roots[number] = parameter.type_id
                self.value_roots.add(number)
                self.by_path.add(number)
        order = self._nodes()
        for node in order:
            self._promote(node)
        nodes = {node.label: node for node in order}
        if not self.is_entry:
            self._read_results(nodes[self.blocks[-1].label])
        return finish.body(self, nodes)

    def release(self) -> None:
        """Break reference cycles so that no garbage collection is needed; the object cannot be used afterwards."""
        for following in self.followers.values():
            for node in following:
                node.release()
        self.values.entry.release()
        self.followers.clear()
        self.composites.clear()
        self.written.clear()
        self.values.phis.clear()
        self.copy_marks.clear()
        self.marks = None
        del self.values
        self.result = None

    def _nodes(self) -> list[Node]:
        """Return a `Node` for each reachable block, and for the function's last block, in reverse postorder."""
        following = successors_by_label(self.blocks)
        labels = reverse_postorder(self.blocks[0].label, following)
        live = set(labels)
        last = self.blocks[-1].label
        if not self.is_entry and last not in live:
            labels.append(last)
        sources = {block.label: block.instructions for block in self.blocks}
        nodes = {label: Node(label, sources[label]) for label in labels}
        order = list(nodes.values())
        for block in self.blocks:
            if block.label in live:
                for target in following[block.label]:
                    nodes[target].preds.append(nodes[block.label])
        self.values.entry = order[0]
        self.followers = {node.label: [] for node in order}
        for node in order:
            for pred in node.preds:
                self.followers[pred.label].append(node)
        return order

    def _promote(self, node: Node) -> None:
        node.emitted.append(EmittedBlock(node.label))
        node.is_sealed = all(pred.is_done for pred in node.preds)
        node.is_header = not node.is_sealed
        self.values.enter(node)
        self.node = node
        self._open_loop(node)
        if node is self.values.entry:
            for root in self.value_roots:
                self.access_paths[root] = (root, (), ())
                self.composites[root] = LazyParameter(self, root)
        handlers = HANDLERS
        for inst in node.source:
            if inst.type_id:
                self.type_of[inst.result_id] = inst.type_id
            handler = handlers.get(inst.op)
            before = len(node.end), len(node.emitted)
            self.line = inst.line
            if handler is None:
                self.emit(inst)
            else:
                handler(self, inst)
            if inst.line is not None:
                self._set_line(inst.line, *before)
        node.is_done = True
        for follower in self.followers[node.label]:
            if not follower.is_sealed and follower.emitted and all(pred.is_done for pred in follower.preds):
                self.values.seal(follower)

    def _set_line(self, line: tuple[int, ...], count: int, blocks: int) -> None:
        """Set the source position of instructions emitted since the given counts, unless they have one.

        ``count`` and ``blocks`` were counted before the emission: the instructions in the last block, and the blocks
        that were emitted for the current block of the input.
        """
        block = self.node.emitted[-1]
        new = block.instructions[count if len(self.node.emitted) == blocks else 0 :]
        for inst in (*new, *block.tail):
            if isinstance(inst, Instruction) and inst.line is None:
                inst.line = line

    def _open_loop(self, node: Node) -> None:
        """Split a loop header before it calls functions of several blocks.

        Inlining would move the end of the block, but the merge instruction must stay in the header.
        """
        merge = node.source[-2] if len(node.source) > 1 else None
        if merge is None or merge.op != op.OpLoopMerge:
            return
        calls = [inst.id(0) for inst in node.source if inst.op == op.OpFunctionCall]
        if all(len(self.program.body(number).blocks) == 1 for number in calls):
            return
        inside = EmittedBlock(self.types.new_id())
        node.emitted[0].tail = [merge, Instruction(op.OpBranch, 0, 0, [inside.label])]
        node.emitted.append(inside)
        node.source = [*node.source[:-2], node.source[-1]]

    def _read_results(self, exit_node: Node) -> None:
        """Record the values at the exit of the parameters and private variables that the function stores to."""
        own = {p.result_id for p in self.function.parameters} - self.value_roots
        for root in sorted(self.values.stored, key=self.program.rank):
            if root in own or root in self.program.privates:
                self.written[root] = self.values.read(exit_node, root, ())
