"""One function in clean form: its locals are values, the functions that it calls inlined, dead code is left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import Nest, nests, reverse_postorder, successors_by_label
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, MERGES
from hlsl_tool.spirv.grammar.tables import TERMINATORS, id_flags, plain_ids
from hlsl_tool.spirv.ir import Instruction, Operand

from . import finish
from .inlining import inline
from .model import Body, Entry, Path, Piece, Types, Unsuited
from .values import Lazy, Node, Phi, Value, Values, leaf

if TYPE_CHECKING:
    from .program import Program
    from .shared import Known

Place = tuple[int, Path, tuple[int, ...]]
"""Variable, path in it, and ids that index the vector or matrix there."""

Instructions = list[Instruction | Entry]

_KEPT = MERGES | {op.OpBranch, op.OpUnreachable}
"""What ends a block and has no operand that could have been replaced."""


class Cleaner:
    """What is known while one function is cleaned."""

    def __init__(self, program: Program, known: Known, *, is_entry: bool) -> None:
        self.program = program
        self.types: Types = program.types
        self.known = known
        self.function = known.function
        self.blocks = known.blocks
        self.is_entry = is_entry
        self.values = Values(self)
        self.trees: dict[int, tuple[object, ...] | Lazy] = {}
        """Id → the composite that it was, taken apart."""
        self.alias: dict[int, int] = {}
        """Id → what stands for it."""
        self.places: dict[int, Place] = {}
        """Pointer → where it points in a variable that is taken apart."""
        self.chains: dict[int, Instruction] = {}
        self.vectors: dict[int, list[Operand]] = {}
        """Vector → its components."""
        self.variables: list[Instruction] = []
        self.initializers: dict[int, int] = {}
        self.inputs: dict[tuple[int, Path], int] = {}
        self.result: Value | None = None
        self.written: dict[int, object] = {}
        """What parameters and private variables hold at the end."""
        self.type_of: dict[int, int] = {p.result_id: p.type_id for p in self.function.parameters}
        self.entry: Node
        self.node: Node
        self.has_kill = False
        self.may_mix_storage = False
        self.by_place: set[int] = set()
        self.value_roots: set[int] = set()
        self._nests: dict[int, Nest] | None = None

    # ---- the function

    def run(self) -> Body:
        types, values = self.types, self.values
        values.roots = self.program.roots_of(self.known)
        self.places = {root: (root, (), ()) for root in values.roots}
        for parameter in self.function.parameters:
            number = parameter.result_id
            if number in values.roots:
                self.by_place.add(number)
            elif types.kids(parameter.type_id) is not None:
                values.roots[number] = parameter.type_id
                self.value_roots.add(number)
                self.by_place.add(number)
        order = self._nodes()
        for node in order:
            self._clean(node)
        nodes = {node.label: node for node in order}
        if not self.is_entry:
            self._read_results(nodes[self.blocks[-1].label])
        return finish.body(self, nodes)

    def forget(self) -> None:
        """Take the cycles apart, which would be left to the garbage collector; this is of no use afterwards."""
        for following in self.followers.values():
            for node in following:
                node.forget()
        self.entry.forget()
        self.followers.clear()
        self.trees.clear()
        self.written.clear()
        self.values.phis.clear()
        self.result = None

    def _nodes(self) -> list[Node]:
        """The nodes that can be reached, and the exit, each after those before it but for loops."""
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
        self.entry = order[0]
        self.followers: dict[int, list[Node]] = {node.label: [] for node in order}
        for node in order:
            for pred in node.preds:
                self.followers[pred.label].append(node)
        return order

    def _clean(self, node: Node) -> None:
        node.pieces.append(Piece(node.label))
        node.is_sealed = all(pred.is_done for pred in node.preds)
        node.is_header = not node.is_sealed
        self.values.enter(node)
        self.node = node
        self._open_loop(node)
        if node is self.entry:
            for root in self.value_roots:
                self.places[root] = (root, (), ())
                self.trees[root] = _Parameter(self, root)
        handlers = _HANDLERS
        for inst in node.source:
            if inst.type_id:
                self.type_of[inst.result_id] = inst.type_id
            handler = handlers.get(inst.op)
            before = len(node.end), len(node.pieces)
            if handler is None:
                self.emit(inst)
            else:
                handler(self, inst)
            if inst.line is not None:
                self._set_line(inst.line, *before)
        node.is_done = True
        for follower in self.followers[node.label]:
            if not follower.is_sealed and follower.pieces and all(pred.is_done for pred in follower.preds):
                self.values.seal(follower)

    def _set_line(self, line: tuple[int, ...], count: int, pieces: int) -> None:
        """What was written since has this position, if it has none: it came of one instruction."""
        piece = self.node.pieces[-1]
        new = piece.instructions[count if len(self.node.pieces) == pieces else 0 :]
        for inst in (*new, *piece.ends):
            if isinstance(inst, Instruction) and inst.line is None:
                inst.line = line

    def _open_loop(self, node: Node) -> None:
        """The header of a loop must keep its merge instruction, though its condition may call what has many blocks."""
        merge = node.source[-2] if len(node.source) > 1 else None
        if merge is None or merge.op != op.OpLoopMerge:
            return
        calls = [inst.id(0) for inst in node.source if inst.op == op.OpFunctionCall]
        if all(len(self.program.body(number).pieces) == 1 for number in calls):
            return
        inside = Piece(self.types.new_id())
        node.pieces[0].ends = [merge, Instruction(op.OpBranch, 0, 0, [inside.label])]
        node.pieces.append(inside)
        node.source = [*node.source[:-2], node.source[-1]]

    def _read_results(self, exit_node: Node) -> None:
        """What parameters and private variables are at the end."""
        own = {p.result_id for p in self.function.parameters} - self.value_roots
        for root in sorted(self.values.stored, key=self.program.rank):
            if root in own or root in self.program.privates:
                self.written[root] = self.values.read(exit_node, root, ())

    # ---- values

    def initial(self, root: int, path: Path, *, is_entry: bool) -> Value:
        """What is in a variable or parameter at the start."""
        types = self.types
        type_id = types.part(self.values.roots[root], path)
        init = self.initializers.get(root)
        if root in self.program.privates and self.is_entry:
            init = self.program.privates[root]
        elif is_entry and (root in self.by_place or root in self.program.privates):
            return self._input(root, path, type_id)
        if init is None or not is_entry:
            return types.undef(type_id)
        found = types.constant_part(init, self.values.roots[root], path)
        if found is None:
            raise Unsuited("an initializer that is no constant")
        return found

    def _input(self, root: int, path: Path, type_id: int) -> Value:
        kids = self.types.kids(type_id)
        if kids is not None:
            return tuple(self._input(root, (*path, n), kid) for n, kid in enumerate(kids))
        found = self.inputs.get((root, path))
        if found is None:
            found = self.inputs[root, path] = self.types.new_id()
        return found

    def value(self, number: int) -> Value:
        """What stands for an id: another id, or what it is made of."""
        tree = self.trees.get(number)
        if tree is not None:
            return tree
        return self.alias.get(number, number)

    def part(self, value: object, type_id: int, path: Path, node: Node | Instructions) -> Value:
        """A part of a composite; an instruction at the end of the node, or list, where there is need of one."""
        for at, step in enumerate(path):
            if isinstance(value, tuple):
                value = value[step]
            elif isinstance(value, Lazy) and self.types.kids(type_id) is not None:
                value = value.kid(step)
            else:
                value = leaf(value)  # type: ignore[arg-type]
                assert isinstance(value, int)
                return self._extract(value, type_id, path[at:], node)
            type_id = self.types.part(type_id, (step,))
            if value is None:
                raise Unsuited("a hole in a composite")
        return value  # type: ignore[return-value]  # no hole

    def _extract(self, composite: int, type_id: int, path: Path, node: Node | Instructions) -> int:
        types = self.types
        constant = types.constant_part(composite, type_id, path) if composite in types.definitions else None
        if constant is not None:
            return constant
        found = node.extracts.get((composite, path)) if isinstance(node, Node) else None
        if found is None:
            found = types.new_id()
            inst = Instruction(op.OpCompositeExtract, types.part(type_id, path), found, [composite, *path])
            if isinstance(node, Node):
                node.extracts[composite, path] = found
                node.end.append(inst)
            else:
                node.append(inst)
        return found

    def whole(self, value: object, type_id: int, where: Instructions | None = None) -> int:
        """One id for a value; where it has to be put together, at the end of the block, or of a list."""
        if isinstance(value, int):
            return value
        if isinstance(value, Lazy):
            return value.whole()
        assert isinstance(value, tuple)
        kids = self.types.kids(type_id)
        assert kids is not None
        parts = [self.whole(part, kid, where) for part, kid in zip(value, kids, strict=True)]
        number = self.types.new_id()
        made = Instruction(op.OpCompositeConstruct, type_id, number, list(parts))
        (self.node.end if where is None else where).append(made)
        return number

    def operand(self, number: int) -> int:
        """One id for an id."""
        tree = self.trees.get(number)
        if tree is not None:
            return self.whole(tree, self.type_of[number])
        if number in self.places:
            raise Unsuited("a pointer to a variable that has been taken apart")
        return self.alias.get(number, number)

    def is_in_continue(self, node: Node) -> bool:
        """Whether a block lies in the continue part of a loop, in which there is no room for much."""
        if self._nests is None:
            self._nests = nests(self.blocks)
        return any(construct.kind == "continue" for construct in self._nests.get(node.label, ()))

    def set(self, number: int, value: object) -> None:
        """Let a value stand for an id from now on."""
        if isinstance(value, int):
            self.alias[number] = value
        else:
            self.trees[number] = value  # type: ignore[assignment]

    # ---- instructions

    def emit(self, inst: Instruction) -> None:
        """The instruction, with what stands for its operands."""
        operands = inst.operands
        trees, alias = self.trees, self.alias
        if len(operands) <= plain_ids(inst.op):
            if trees and not trees.keys().isdisjoint(operands):
                words: list[Operand] = [self.operand(operand) for operand in operands]  # type: ignore[arg-type]
            else:
                words = [alias.get(operand, operand) for operand in operands]  # type: ignore[arg-type]
        else:
            words = self._mapped(inst)
        self.node.end.append(Instruction(inst.op, inst.type_id, inst.result_id, words))

    def _mapped(self, inst: Instruction) -> list[Operand]:
        operands = inst.operands
        if inst.op == op.OpExtInst:
            return [*operands[:2], *(self.operand(x) for x in inst.ints()[2:])]
        return [
            self.operand(operand) if flag and isinstance(operand, int) else operand
            for operand, flag in zip(operands, id_flags(inst.op, operands), strict=True)
        ]

    def _variable(self, inst: Instruction) -> None:
        number = inst.result_id
        if number in self.values.roots:
            if len(inst.operands) > 1:
                self.initializers[number] = inst.id(1)
            return
        self.variables.append(Instruction(inst.op, inst.type_id, number, inst.operands[:1]))
        if len(inst.operands) > 1:
            self.node.end.append(Instruction(op.OpStore, 0, 0, [number, inst.operands[1]]))

    def _load(self, inst: Instruction) -> None:
        pointer = inst.id(0)
        place = self.places.get(pointer)
        if place is not None:
            self.set(inst.result_id, self.load_place(place))
            return
        pointer = self.operand(pointer)
        plain = len(inst.operands) == 1 and self.types.kids(inst.type_id) is not None
        if plain:
            where: Instructions = []
            self.node.end.append(where)
            self.trees[inst.result_id] = Lazy(self, inst.result_id, pointer, (), inst.type_id, where)
            return
        self.node.end.append(Instruction(inst.op, inst.type_id, inst.result_id, [pointer, *inst.operands[1:]]))

    def load_place(self, place: Place, path: Path = ()) -> Value:
        """What is at a place."""
        root, at, indices = place
        value = self.values.read(self.node, root, (*at, *path))
        if not indices:
            return value
        return self._component(leaf(value), self.types.part(self.values.roots[root], at), indices)

    def _component(self, value: int, type_id: int, indices: tuple[int, ...]) -> int:
        types = self.types
        for index in indices:
            type_id = types.part(type_id, (0,))
            constant = types.constant(index)
            if constant is None:
                number = types.new_id()
                self.node.end.append(Instruction(op.OpVectorExtractDynamic, type_id, number, [value, index]))
                value = number
            else:
                value = self._vector_part(value, type_id, constant)
        return value

    def _vector_part(self, value: int, type_id: int, index: int) -> int:
        parts = self.vectors.get(value)
        if parts is not None:
            return parts[index]  # type: ignore[return-value]
        number = self.types.new_id()
        self.node.end.append(Instruction(op.OpCompositeExtract, type_id, number, [value, index]))
        return number

    def _store(self, inst: Instruction) -> None:
        place = self.places.get(inst.id(0))
        value = self.value(inst.id(1))
        if place is not None:
            self.store_place(place, value)
            return
        words = [self.operand(inst.id(0)), self.operand(inst.id(1)), *inst.operands[2:]]
        self.node.end.append(Instruction(inst.op, 0, 0, words))

    def store_place(self, place: Place, value: object) -> None:
        """Write to a place; holes in the value leave what is there."""
        root, path, indices = place
        if indices:
            old = leaf(self.values.read(self.node, root, path))
            value = self._with_component(old, self.types.part(self.values.roots[root], path), indices, leaf(value))  # type: ignore[arg-type]  # a component has no holes
        self.values.write_parts(self.node, root, path, value)

    def _with_component(self, whole: int, type_id: int, indices: tuple[int, ...], value: int) -> int:
        types = self.types
        constants = [types.constant(index) for index in indices]
        number = types.new_id()
        if None not in constants:
            words: list[Operand] = [value, whole, *constants]  # type: ignore[list-item]
            self.node.end.append(Instruction(op.OpCompositeInsert, type_id, number, words))
            return number
        if len(indices) == 1:
            words = [whole, value, indices[0]]
            self.node.end.append(Instruction(op.OpVectorInsertDynamic, type_id, number, words))
            return number
        column = self._component(whole, type_id, indices[:1])
        column = self._with_component(column, types.part(type_id, (0,)), indices[1:], value)
        return self._with_component(whole, type_id, indices[:1], column)

    def _chain(self, inst: Instruction) -> None:
        operands = inst.ints()
        place = self.places.get(operands[0])
        if place is None:
            base = self.operand(operands[0])
            indices = [self.operand(x) for x in operands[1:]]
            before = self.chains.get(base)
            if before is not None and inst.result_id not in self.program.decorations:
                base, indices = before.id(0), [*before.ints()[1:], *indices]
            made = Instruction(inst.op, inst.type_id, inst.result_id, [base, *indices])
            self.chains[inst.result_id] = made
            self.node.end.append(made)
            return
        root, path, indices_there = place
        for index in operands[1:]:
            index = self.operand(index)
            if indices_there or self.types.kids(self.types.part(self.values.roots[root], path)) is None:
                indices_there = (*indices_there, index)
            else:
                constant = self.types.constant(index)
                if constant is None:
                    raise Unsuited("an index that is no constant")
                path = (*path, constant)
        self.places[inst.result_id] = (root, path, indices_there)

    def chain_to(self, pointer: int, path: Path, type_id: int, where: Instructions) -> int:
        """A pointer to a part of what a pointer points to."""
        types = self.types
        indices = [types.index(step) for step in path]
        before = self.chains.get(pointer)
        pointer_type = types.pointer(self.program.storage_of(pointer, self), type_id)
        number = self.program.copy_of(pointer) if before is not None else types.new_id()
        base = pointer
        if before is not None:
            base, indices = before.id(0), [*before.ints()[1:], *indices]
        made = Instruction(op.OpAccessChain, pointer_type, number, [base, *indices])
        where.append(made)
        return number

    def _texel_pointer(self, inst: Instruction) -> None:
        """Of a variable that has been taken apart: for now the image stands for the pointer that it was loaded from."""
        place = self.places.get(inst.id(0))
        if place is None:
            self.emit(inst)
            return
        words: list[Operand] = [leaf(self.load_place(place)), *(self.operand(x) for x in inst.ints()[1:])]
        self.node.end.append(Instruction(inst.op, inst.type_id, inst.result_id, words))

    def _composite(self, inst: Instruction) -> None:
        if self.types.kids(inst.type_id) is not None:
            self.trees[inst.result_id] = tuple(self.value(x) for x in inst.ints())
            return
        self.emit(inst)
        made = self.node.end[-1]
        assert isinstance(made, Instruction)
        if all(x in self.types.definitions for x in made.operands):
            constant = self.types.composite(inst.type_id, made.ints())
            if constant is not None:
                self.node.end.pop()
                self.alias[inst.result_id] = constant
                return
        shape = self.types.definitions[inst.type_id]
        if shape.op == op.OpTypeMatrix or (shape.op == op.OpTypeVector and len(made.operands) == shape.operands[1]):
            self.vectors[inst.result_id] = made.operands

    def _extraction(self, inst: Instruction) -> None:
        base = inst.id(0)
        path: Path = tuple(inst.ints()[1:])
        value = self.value(base)
        type_id = self._type_of(base)
        while path and not isinstance(value, int):
            if self.types.kids(type_id) is None:
                value = leaf(value)
                break
            value = self.part(value, type_id, path[:1], self.node)
            type_id = self.types.part(type_id, path[:1])
            path = path[1:]
        while path and isinstance(value, int) and value in self.vectors:
            value = self.vectors[value][path[0]]  # type: ignore[assignment]
            type_id = self.types.part(type_id, path[:1])
            path = path[1:]
        if not path:
            self.set(inst.result_id, value)
            return
        value = leaf(value)
        if value in self.types.definitions:
            constant = self.types.constant_part(value, type_id, path)
            if constant is not None:
                self.alias[inst.result_id] = constant
                return
        if self.types.kids(inst.type_id) is not None or self.types.kids(type_id) is not None:
            self.set(inst.result_id, self._extract(value, type_id, path, self.node))
            return
        self.node.end.append(Instruction(inst.op, inst.type_id, inst.result_id, [value, *path]))

    def _type_of(self, number: int) -> int:
        found = self.type_of.get(number)
        return self.types.definitions[number].type_id if found is None else found

    def _insertion(self, inst: Instruction) -> None:
        if self.types.kids(inst.type_id) is None:
            self.emit(inst)
            return
        part, base = self.value(inst.id(0)), self.value(inst.id(1))
        self.trees[inst.result_id] = self._with_part(base, inst.type_id, tuple(inst.ints()[2:]), part)  # type: ignore[assignment]

    def _with_part(self, base: object, type_id: int, path: Path, part: object) -> object:
        if not path:
            return part
        kids = self.types.kids(type_id)
        if kids is None:
            number = self.types.new_id()
            words: list[Operand] = [leaf(part), leaf(base), *path]  # type: ignore[arg-type]  # no holes
            self.node.end.append(Instruction(op.OpCompositeInsert, type_id, number, words))
            return number
        parts: list[object] = [self.part(base, type_id, (n,), self.node) for n in range(len(kids))]
        parts[path[0]] = self._with_part(parts[path[0]], kids[path[0]], path[1:], part)
        return tuple(parts)

    def _copy(self, inst: Instruction) -> None:
        place = self.places.get(inst.id(0))
        if place is not None:
            self.places[inst.result_id] = place
        elif inst.result_id in self.program.decorations:
            self.emit(inst)
        else:
            self.set(inst.result_id, self.value(inst.id(0)))

    def _copy_logical(self, inst: Instruction) -> None:
        """The members are the same, but for what they are called."""
        value = self._taken_apart(self.value(inst.id(0)), self._type_of(inst.id(0)))
        self.set(inst.result_id, value)

    def _taken_apart(self, value: object, type_id: int) -> object:
        kids = self.types.kids(type_id)
        if kids is None:
            return value
        return tuple(self._taken_apart(self.part(value, type_id, (n,), self.node), kid) for n, kid in enumerate(kids))

    def _phi(self, inst: Instruction) -> None:
        """One of the shader's own: its operands may come later."""
        if self.types.kids(inst.type_id) is not None or any(x in self.places for x in inst.ints()[::2]):
            raise Unsuited("a phi of composites or pointers")
        preds = {pred.label: pred for pred in self.node.preds}
        phi = Phi(inst.result_id, inst.type_id)
        for value, label in zip(inst.ints()[::2], inst.ints()[1::2], strict=True):
            if label in preds:
                phi.args.append((preds[label], value))
        self.node.phis.append(phi)
        self.values.phis.append(phi)

    def _call(self, inst: Instruction) -> None:
        inline(self, inst)

    def _return(self, inst: Instruction) -> None:
        if self.is_entry:
            self.node.pieces[-1].ends.append(inst)
        elif inst.op == op.OpReturnValue:
            self.result = self.value(inst.id(0))

    def _end(self, inst: Instruction) -> None:
        """A merge or a terminator."""
        if inst.op in (op.OpBranchConditional, op.OpSwitch):
            inst = Instruction(inst.op, 0, 0, [self.operand(inst.id(0)), *inst.operands[1:]])
        elif inst.op not in _KEPT:
            self.has_kill = True
            inst = Instruction(inst.op, 0, 0, self._mapped(inst))
        self.node.pieces[-1].ends.append(inst)


class _Parameter(Lazy):
    """A composite parameter: what is asked for becomes an input."""

    def __init__(self, cleaner: Cleaner, root: int) -> None:
        super().__init__(cleaner, 0, root, (), cleaner.values.roots[root], [])

    def kid(self, index: int) -> Value:
        return self.cleaner.values.read(self.cleaner.entry, self.pointer, (index,))

    def whole(self) -> int:
        tree = self.cleaner.values.read(self.cleaner.entry, self.pointer, ())
        return self.cleaner.whole(tree, self.type_id)


_HANDLERS: dict[int, Callable[[Cleaner, Instruction], None]] = {
    op.OpVariable: Cleaner._variable,
    op.OpLoad: Cleaner._load,
    op.OpStore: Cleaner._store,
    op.OpFunctionCall: Cleaner._call,
    op.OpImageTexelPointer: Cleaner._texel_pointer,
    op.OpCompositeConstruct: Cleaner._composite,
    op.OpCompositeExtract: Cleaner._extraction,
    op.OpCompositeInsert: Cleaner._insertion,
    op.OpCopyObject: Cleaner._copy,
    op.OpCopyLogical: Cleaner._copy_logical,
    op.OpPhi: Cleaner._phi,
    op.OpReturn: Cleaner._return,
    op.OpReturnValue: Cleaner._return,
    **dict.fromkeys(ACCESS_CHAINS, Cleaner._chain),
    **dict.fromkeys(MERGES, Cleaner._end),
    **dict.fromkeys(TERMINATORS - {op.OpReturn, op.OpReturnValue}, Cleaner._end),
}
