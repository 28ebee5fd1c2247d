"""The end of cleaning a function: phis that choose nothing and dead code go, blocks come into their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.uses import PURE, is_pure, used_ids
from hlsl_tool.spirv.grammar.tables import id_flags, plain_ids
from hlsl_tool.spirv.ir import Instruction, Operand

from .model import Body, Entry, Part, Path, Piece, Unsuited
from .values import Lazy, Node

if TYPE_CHECKING:
    from .cleaner import Cleaner


def body(cleaner: Cleaner, nodes: dict[int, Node]) -> Body:
    """The clean function."""
    result = _settled(cleaner.result, cleaner)
    written = {root: _settled(tree, cleaner) for root, tree in cleaner.written.items()}
    known = _Replaced(cleaner)
    known.without_trivial_phis()
    pieces = _in_order(cleaner, nodes)
    for node in nodes.values():
        node.pieces[0].instructions[:0] = _phis(cleaner, node, nodes, known)
    flat = [_flat(piece.instructions) for piece in pieces]
    if known.by:
        for piece in pieces:
            piece.ends = [known.renamed(inst) for inst in piece.ends]
        flat = [[known.renamed(inst) for inst in instructions] for instructions in flat]
        result = known.tree(result)
        written = {root: known.tree(tree) for root, tree in written.items()}
    if cleaner.is_entry:
        _point_to_texels(cleaner, flat)
        if cleaner.may_mix_storage:
            _set_storage(cleaner, flat)
    by_id = {number: key for key, number in cleaner.inputs.items()}
    written = {root: _changed(tree, root, (), by_id) for root, tree in written.items()}
    used = _remove_dead(cleaner, pieces, flat, (result, *written.values()))
    made = Body(
        pieces=pieces,
        parameters=cleaner.function.parameters,
        by_place=frozenset(cleaner.by_place),
        variables=[inst for inst in cleaner.variables if inst.result_id in used],
        inputs={key: number for key, number in cleaner.inputs.items() if number in used},
        written={root: tree for root, tree in written.items() if tree is not None},
        result=result,
        has_kill=cleaner.has_kill,
        may_mix_storage=cleaner.may_mix_storage,
    )
    if not cleaner.is_entry:
        _index(made, cleaner.program.glsl)
    return made


def _index(made: Body, glsl_set: int) -> None:
    """What inlining wants to know."""
    made.names = [inst.result_id for inst in made.variables] + [piece.label for piece in made.pieces]
    made.input_of = {number: key for key, number in made.inputs.items()}
    by_id, stays = made.made, made.stays
    for at, piece in enumerate(made.pieces):
        for place, inst in enumerate(piece.instructions):
            assert isinstance(inst, Instruction)
            if inst.result_id:
                by_id[inst.result_id] = at, place, inst, used_ids(inst)
            if not is_pure(inst, glsl_set):
                stays.append((at, place, inst))


class _Replaced:
    """Phis all of whose operands are one value → that value."""

    def __init__(self, cleaner: Cleaner) -> None:
        self.cleaner = cleaner
        self.by: dict[int, int] = {}

    def find(self, number: int) -> int:
        by = self.by
        root = number
        while root in by:
            root = by[root]
        while number != root:
            by[number], number = root, by[number]
        return root

    def without_trivial_phis(self) -> None:
        phis = self.cleaner.values.phis
        alias = self.cleaner.alias
        for phi in phis:
            phi.args = [(pred, alias.get(value, value)) for pred, value in phi.args]
        changed = True
        while changed:
            changed = False
            rest = []
            for phi in phis:
                values = {self.find(value) for _, value in phi.args}
                values.discard(phi.number)
                if len(values) > 1:
                    rest.append(phi)
                    continue
                self.by[phi.number] = values.pop() if values else self.cleaner.types.undef(phi.type_id)
                changed = True
            phis = rest

    def renamed(self, inst: Instruction) -> Instruction:
        """The instruction itself, changed."""
        operands, by = inst.operands, self.by
        if by.keys().isdisjoint(operands):
            return inst
        if len(operands) <= plain_ids(inst.op):
            inst.operands = [self.find(x) for x in operands]  # type: ignore[arg-type]
        elif inst.op == op.OpExtInst:
            inst.operands = [*operands[:2], *(self.find(x) for x in inst.ints()[2:])]
        else:
            flags = id_flags(inst.op, operands)
            inst.operands = [
                self.find(x) if flag and isinstance(x, int) else x for x, flag in zip(operands, flags, strict=True)
            ]
        return inst

    def tree(self, value: object) -> object:
        if isinstance(value, int):
            return self.find(value)
        return tuple(self.tree(kid) for kid in value) if isinstance(value, tuple) else value


def _settled(value: object, cleaner: Cleaner) -> object:
    """A value for others to use: nothing in it is lazy."""
    if isinstance(value, tuple):
        return tuple(_settled(kid, cleaner) for kid in value)
    if isinstance(value, Lazy):
        kids = cleaner.types.kids(value.type_id)
        if kids is None:
            return value.whole()
        return tuple(_settled(value.kid(n), cleaner) for n in range(len(kids)))
    return value


def _in_order(cleaner: Cleaner, nodes: dict[int, Node]) -> list[Piece]:
    """The blocks, and those that only merge instructions name."""
    merges: dict[int, int] = {}
    """Merge block or continue target → the loop's header for the latter."""
    for node in nodes.values():
        for piece in node.pieces:
            for inst in piece.ends:
                if inst.op == op.OpSelectionMerge:
                    merges.setdefault(inst.id(0), 0)
                elif inst.op == op.OpLoopMerge:
                    merges.setdefault(inst.id(0), 0)
                    merges[inst.id(1)] = piece.label
    pieces: list[Piece] = []
    for block in cleaner.blocks:
        if block.label in nodes:
            pieces += nodes[block.label].pieces
        elif block.label in merges:
            header = merges[block.label]
            end = Instruction(op.OpBranch, 0, 0, [header]) if header else Instruction(op.OpUnreachable, 0, 0, [])
            pieces.append(Piece(block.label, [], [end]))
    return pieces


def _phis(cleaner: Cleaner, node: Node, nodes: dict[int, Node], known: _Replaced) -> list[Instruction]:
    found = []
    for phi in node.phis:
        if phi.number in known.by:
            continue
        words: list[Operand] = []
        for pred, value in phi.args:
            words += [known.find(value), pred.pieces[-1].label]
        for inst in node.pieces[0].ends:  # the others are of functions inlined
            if inst.op == op.OpLoopMerge and inst.id(1) not in nodes and inst.id(1) not in words[1::2]:
                words += [cleaner.types.undef(phi.type_id), inst.id(1)]
        found.append(Instruction(op.OpPhi, phi.type_id, phi.number, words))
    return found


def _flat(entries: Iterable[Instruction | Entry]) -> list[Instruction]:
    found: list[Instruction] = []
    for entry in entries:
        if isinstance(entry, list):
            found += _flat(entry)
        elif isinstance(entry, Part):
            found += [entry[place] for place in sorted(entry)]
        else:
            found.append(entry)
    return found


def _point_to_texels(cleaner: Cleaner, flat: list[list[Instruction]]) -> None:
    """Images that stand for pointers are replaced by what they were loaded from."""
    pointers = [inst for instructions in flat for inst in instructions if inst.op == op.OpImageTexelPointer]
    if not pointers:
        return
    loads = {inst.result_id: inst.id(0) for instructions in flat for inst in instructions if inst.op == op.OpLoad}
    variables = cleaner.types.definitions
    chains = {i.result_id for instructions in flat for i in instructions if i.op in ACCESS_CHAINS}
    for inst in pointers:
        image = inst.id(0)
        if image in loads:
            inst.operands[0] = loads[image]
        elif image not in variables and image not in chains:
            raise Unsuited("an image of which a texel is pointed to, and that is not known")


def _set_storage(cleaner: Cleaner, flat: list[list[Instruction]]) -> None:
    """Access chains point to where their base does, whatever the parameter was that they were written for."""
    types = cleaner.types
    storage = {inst.result_id: inst.id(0) for inst in cleaner.variables}
    for inst in (inst for instructions in flat for inst in instructions if inst.op in ACCESS_CHAINS):
        base = inst.id(0)
        found = storage.get(base)
        if found is None and base in types.definitions:
            found = types.storage(types.definitions[base].type_id)
        if found is None:
            continue  # a pointer that was loaded or chosen
        storage[inst.result_id] = found
        if types.storage(inst.type_id) != found:
            inst.type_id = types.pointer(found, types.pointee(inst.type_id))


def _changed(tree: object, root: int, path: Path, inputs: dict[int, tuple[int, Path]]) -> object:
    """The tree with holes for what is as it was."""
    if isinstance(tree, tuple):
        kids = tuple(_changed(kid, root, (*path, n), inputs) for n, kid in enumerate(tree))
        return kids if any(kid is not None for kid in kids) else None
    return None if inputs.get(tree) == (root, path) else tree  # type: ignore[call-overload]


def _remove_dead(
    cleaner: Cleaner, pieces: list[Piece], flat: list[list[Instruction]], values: tuple[object, ...]
) -> set[int]:
    """Leave out what only makes values that nobody uses; returns the ids that are used."""
    glsl_set = cleaner.program.glsl
    made: dict[Operand, Instruction] = {}
    todo: list[Operand] = []
    stays = []
    for piece, instructions in zip(pieces, flat, strict=True):
        for inst in instructions:
            if inst.result_id:
                made[inst.result_id] = inst
            if inst.op not in PURE and not is_pure(inst, glsl_set):
                stays.append(inst.result_id)
                todo += inst.operands
        for inst in piece.ends:
            todo += inst.operands
    for value in values:
        _leaves(value, todo)
    used: set[int] = set()
    while todo:
        number = todo.pop()
        if number not in used:
            used.add(number)  # type: ignore[arg-type]  # strings do no harm
            if number in made:
                todo += made[number].operands
    keep = used.union(stays)
    for piece, instructions in zip(pieces, flat, strict=True):
        piece.instructions = [inst for inst in instructions if not inst.result_id or inst.result_id in keep]
        if not piece.ends and piece is not pieces[-1]:
            raise Unsuited("a block without an end")
    return used


def _leaves(value: object, out: list[Operand]) -> None:
    if isinstance(value, tuple):
        for kid in value:
            _leaves(kid, out)
    elif isinstance(value, int):
        out.append(value)
