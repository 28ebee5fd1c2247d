"""A call replaced by the body of the function, which is clean already.

What the body does besides making values is copied at once, and what that needs; other instructions are copied when
somebody asks for their results, to the places where they would have stood.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.grammar.tables import id_flags, plain_ids
from hlsl_tool.spirv.ir import Instruction, Operand

from .model import Body, Part, Path, Piece, Unsuited
from .values import Later, Value, leaf

if TYPE_CHECKING:
    from .cleaner import Cleaner, Instructions, Place


def inline(cleaner: Cleaner, call: Instruction) -> None:
    """See above; the rest of the block comes behind the last block of the function."""
    body = cleaner.program.body(call.id(0))
    node = cleaner.node
    if (body.has_kill or len(body.pieces) > 1) and cleaner.is_in_continue(node):
        raise Unsuited("a call in the continue part of a loop")
    instance = Instance(cleaner, body, call.ints()[1:])
    instance.copy()
    cleaner.has_kill = cleaner.has_kill or body.has_kill
    cleaner.may_mix_storage = cleaner.may_mix_storage or body.may_mix_storage
    for root, tree in body.written.items():
        instance.write(root, tree)
    if body.result is not None:
        cleaner.set(call.result_id, instance.value(body.result, call.type_id))


class Instance:
    """One copy of a body."""

    def __init__(self, cleaner: Cleaner, body: Body, arguments: list[int]) -> None:
        self.cleaner = cleaner
        self.types = cleaner.types
        self.body = body
        self.before: Instructions = []
        """What is needed in front of the body."""
        self.names: dict[int, int] = {}
        """Ids of the body → those of the copy, as far as it goes."""
        self.parts: list[Part] = []
        self.sources: dict[int, Callable[[Path], Value]] = {}
        """Parameter or private variable → what it is at the call."""
        self.targets: dict[int, Callable[[object], None]] = {}
        """Parameter → where it is written to, if that is memory."""
        self.places: dict[int, Place] = {}
        cleaner.node.end.append(self.before)
        for parameter, argument in zip(body.parameters, arguments, strict=True):
            self._parameter(parameter, argument)
        for root in {root for root, _ in body.inputs} - self.sources.keys():
            self._at(root, (root, (), ()))

    def _parameter(self, parameter: Instruction, argument: int) -> None:
        cleaner, number = self.cleaner, parameter.result_id
        if number not in self.body.by_place:
            if argument in cleaner.trees:
                self.sources[number] = _Value(self, cleaner.trees[argument], parameter.type_id)
            else:
                self.names[number] = cleaner.operand(argument)
                if self.types.storage(parameter.type_id) == e.StorageClass.Function:
                    cleaner.may_mix_storage = True  # as for methods of groupshared objects
        elif argument in cleaner.places:
            self.places[number] = cleaner.places[argument]
            self._at(number, cleaner.places[argument])
        elif self.types.storage(parameter.type_id) == e.StorageClass.Function:
            pointee = self.types.pointee(parameter.type_id)
            memory = _Memory(self, cleaner.operand(argument), pointee)
            self.sources[number] = memory
            self.targets[number] = memory.write
        else:
            self.sources[number] = _Value(self, cleaner.value(argument), parameter.type_id)

    def _at(self, number: int, place: Place) -> None:
        cleaner = self.cleaner
        root, path, indices = place
        if indices:  # of a vector: there is only one value to be asked for
            value = cleaner.load_place(place)
            self.sources[number] = lambda _: value
        else:
            node = cleaner.node
            tree = node.defs.get(root)
            self.sources[number] = lambda rest: cleaner.values.read_then(node, tree, root, (*path, *rest))

    # ---- copying

    def copy(self) -> None:
        """The blocks, with what has to be there."""
        cleaner, body, names, types = self.cleaner, self.body, self.names, self.types
        first = types.next_id
        types.next_id += len(body.names)
        names.update(zip(body.names, range(first, types.next_id), strict=True))
        cleaner.variables += [
            Instruction(inst.op, inst.type_id, names[inst.result_id], inst.operands) for inst in body.variables
        ]
        node = cleaner.node
        pieces = [node.pieces[-1]]
        names[body.pieces[0].label] = pieces[0].label  # the first block goes on where the caller's is
        for piece in body.pieces[1:]:
            pieces.append(Piece(names[piece.label]))
            node.pieces.append(pieces[-1])
        for made in pieces:
            self.parts.append(Part())
            made.instructions.append(self.parts[-1])
        for at, place, inst in body.stays:
            if inst.result_id:
                self.demand(inst.result_id)
            else:
                self.parts[at][place] = self._renamed(inst)
        for piece, made in zip(body.pieces, pieces, strict=True):
            made.ends = [self._renamed(inst) for inst in piece.ends]

    def _renamed(self, inst: Instruction) -> Instruction:
        for number in used_ids(inst):
            self.demand(number)
        return _renamed(inst, self.names)

    def demand(self, number: int) -> int:
        """The copy's id for a value of the body; it and what it needs are copied, where that has not been done."""
        names = self.names
        found = names.get(number)
        if found is not None:
            return found
        made, copy_of = self.body.made, self.cleaner.program.copy_of
        phis: list[Instruction] = []
        stack = [number]
        while stack or phis:
            if not stack:
                inst = phis[-1]
                stack = [x for x in made[inst.result_id][3] if x not in names]
                if not stack:
                    self._place(phis.pop())
                continue
            this = stack[-1]
            if this in names:
                stack.pop()
                continue
            entry = made.get(this)
            if entry is None:
                names[this] = self._outside(this)
                stack.pop()
                continue
            at, place, inst, ids = entry
            if inst.op == op.OpPhi:  # may need itself
                names[this] = copy_of(this)
                phis.append(inst)
                stack.pop()
                continue
            missing = [x for x in ids if x not in names]
            if missing:
                stack += missing
                continue
            number_here = names[this] = copy_of(this)
            operands = inst.operands
            if ids is operands:
                words: list[Operand] = [names[x] for x in ids]
                self.parts[at][place] = Instruction(inst.op, inst.type_id, number_here, words, inst.line)
            else:
                self.parts[at][place] = _renamed(inst, names)
            stack.pop()
        return names[number]

    def _place(self, inst: Instruction) -> None:
        at, place, _, _ = self.body.made[inst.result_id]
        self.parts[at][place] = _renamed(inst, self.names)

    def _outside(self, number: int) -> int:
        """What is not made in the body: an input, a parameter, or something of the module."""
        key = self.body.input_of.get(number)
        if key is not None:
            root, path = key
            return leaf(self.sources[root](path))
        source = self.sources.get(number)
        return leaf(source(())) if source is not None else number

    # ---- results

    def value(self, value: object, type_id: int) -> Value:
        """What stands for a value of the body."""
        if isinstance(value, int):
            known = self.names.get(value)
            if known is not None:
                return known
            key = self.body.input_of.get(value)
            if key is not None:
                return self.sources[key[0]](key[1])
            if value not in self.body.made:
                return self.demand(value)
        return Later(self, value, type_id)

    def whole(self, tree: tuple[object, ...], type_id: int) -> int:
        """One id for a composite, put together at the end of the copy."""
        kids = self.types.kids(type_id)
        assert kids is not None
        parts: list[Operand] = []
        for kid, kid_type in zip(tree, kids, strict=True):
            if isinstance(kid, tuple):
                parts.append(self.whole(kid, kid_type))
            else:
                assert isinstance(kid, int)
                parts.append(self.demand(kid))
        number = self.types.new_id()
        last = self.parts[-1]
        last[max(last, default=0) + len(self.body.made) + 1] = Instruction(
            op.OpCompositeConstruct, type_id, number, parts
        )
        return number

    def write(self, root: int, tree: object) -> None:
        """What a parameter or private variable is afterwards."""
        target = self.targets.get(root)
        if target is not None:
            target(tree)
            return
        cleaner = self.cleaner
        place = self.places.get(root, (root, (), ()))
        where, path, indices = place
        type_id = self.types.part(cleaner.values.roots[where], path)
        cleaner.store_place(place, self._later(tree, type_id if not indices else 0))

    def _later(self, tree: object, type_id: int) -> object:
        if tree is None:
            return None
        if isinstance(tree, tuple):
            kids = self.types.kids(type_id)
            assert kids is not None
            return tuple(self._later(kid, kid_type) for kid, kid_type in zip(tree, kids, strict=True))
        return self.value(tree, type_id)


class _Value:
    """An argument by value."""

    def __init__(self, instance: Instance, value: object, type_id: int) -> None:
        self.instance, self.value, self.type_id = instance, value, type_id

    def __call__(self, path: Path) -> Value:
        return self.instance.cleaner.part(self.value, self.type_id, path, self.instance.before)


class _Memory:
    """An argument that points to a variable in memory, for a parameter that is none."""

    def __init__(self, instance: Instance, pointer: int, type_id: int) -> None:
        self.instance, self.pointer, self.type_id = instance, pointer, type_id

    def _at(self, path: Path, where: Instructions) -> int:
        if not path:
            return self.pointer
        cleaner = self.instance.cleaner
        return cleaner.chain_to(self.pointer, path, cleaner.types.part(self.type_id, path), where)

    def __call__(self, path: Path) -> Value:
        instance = self.instance
        pointer = self._at(path, instance.before)
        number = instance.types.new_id()
        part = instance.types.part(self.type_id, path)
        instance.before.append(Instruction(op.OpLoad, part, number, [pointer]))
        return number

    def write(self, tree: object, path: Path = ()) -> None:
        """What there is in a tree."""
        if tree is None:
            return
        if isinstance(tree, tuple):
            for index, kid in enumerate(tree):
                self.write(kid, (*path, index))
            return
        assert isinstance(tree, int)
        where = self.instance.cleaner.node.end
        value = self.instance.demand(tree)
        where.append(Instruction(op.OpStore, 0, 0, [self._at(path, where), value]))


def _renamed(inst: Instruction, names: dict[int, int]) -> Instruction:
    """The copy of an instruction all of whose ids have names."""
    operands = inst.operands
    if len(operands) <= plain_ids(inst.op):
        words: list[Operand] = [names[x] for x in operands]  # type: ignore[index]
    elif inst.op == op.OpExtInst:
        words = [*operands[:2], *(names[x] for x in inst.ints()[2:])]
    else:
        flags = id_flags(inst.op, operands)
        words = [names[x] if flag else x for x, flag in zip(operands, flags, strict=True)]  # type: ignore[index]
    return Instruction(inst.op, inst.type_id, names[inst.result_id] if inst.result_id else 0, words, inst.line)
