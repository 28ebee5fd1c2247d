"""Finish a promoted function: remove trivial phis and dead code, and order the blocks."""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.codegen.passes.promote.promoted_body import (
    MARKERS,
    Body,
    CopiedBlock,
    EmittedBlock,
    Entry,
    LazyComposite,
    Path,
    PromotedTypes,
    Unsuited,
)
from hlsl_tool.codegen.passes.promote.ssa_values import Node
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.uses import PURE, is_pure, used_ids
from hlsl_tool.spirv.grammar.tables import id_flags, plain_ids
from hlsl_tool.spirv.ir import Instruction, Operand

from .debug_marks import remains
from .promoter import Promoter


def body(promoter: Promoter, nodes: dict[int, Node]) -> Body:
    """Return the promoted body of the function.

    ``nodes`` maps each block label of the input to the blocks emitted for it.
    """
    result = _materialised(promoter.result, promoter)
    written = {root: _materialised(value, promoter) for root, value in promoter.written.items()}
    phis = _PhiReplacements(promoter)
    phis.find_trivial_phis()
    blocks = _in_order(promoter, nodes)
    if promoter.marks is not None:
        for copy_marks in promoter.copy_marks:
            copy_marks()
        promoter.marks.fill(promoter.inputs, nodes, phis.by)
    for node in nodes.values():
        node.emitted[0].instructions[:0] = _phis(promoter, node, nodes, phis)
    flat = [_flat(block.instructions) for block in blocks]
    if phis.by:
        for block in blocks:
            block.tail = [phis.renamed(inst) for inst in block.tail]
        flat = [[phis.renamed(inst) for inst in instructions] for instructions in flat]
        result = phis.value(result)
        written = {root: phis.value(value) for root, value in written.items()}
    if promoter.is_entry:
        _point_to_texels(promoter, flat)
        if promoter.may_mix_storage:
            _set_storage(promoter, flat)
    by_id = {number: key for key, number in promoter.inputs.items()}
    written = {root: _changed(value, root, (), by_id) for root, value in written.items()}
    used = _remove_dead(promoter, blocks, flat, (result, *written.values()))
    if promoter.marks is not None:
        _remove_markers(blocks, used, promoter.types.definitions)
    promoted = Body(
        blocks=blocks,
        parameters=promoter.function.parameters,
        by_path=frozenset(promoter.by_path),
        variables=[inst for inst in promoter.variables if inst.result_id in used],
        inputs={key: number for key, number in promoter.inputs.items() if number in used},
        written={root: value for root, value in written.items() if value is not None},
        result=result,
        has_kill=promoter.has_kill,
        may_mix_storage=promoter.may_mix_storage,
    )
    if not promoter.is_entry:
        _index(promoted, promoter.program.glsl)
    return promoted


def _index(promoted: Body, glsl_set: int) -> None:
    """Fill the tables of a promoted body that inlining uses."""
    promoted.local_ids = [inst.result_id for inst in promoted.variables] + [block.label for block in promoted.blocks]
    promoted.input_of = {number: key for key, number in promoted.inputs.items()}
    for at, block in enumerate(promoted.blocks):
        for position, inst in enumerate(block.instructions):
            assert isinstance(inst, Instruction)
            if inst.op in MARKERS:
                promoted.marks.append((at, position, inst))
                continue
            if inst.result_id:
                used = used_ids(inst)
                flags = None if used is inst.operands else id_flags(inst.op, inst.operands)
                promoted.definitions[inst.result_id] = at, position, inst, used, flags
            if not is_pure(inst, glsl_set):
                promoted.effects.append((at, position, inst))


class _PhiReplacements:
    """Replaces trivial phis, whose operands are all the same value, by that value."""

    def __init__(self, promoter: Promoter) -> None:
        self.promoter = promoter
        self.by: dict[int, int] = {}

    def find(self, number: int) -> int:
        """Return the id that finally replaces an id, following replacements of replacements."""
        by = self.by
        root = number
        while root in by:
            root = by[root]
        while number != root:
            by[number], number = root, by[number]
        return root

    def find_trivial_phis(self) -> None:
        """Find the trivial phis; repeat, because a replacement can make other phis trivial."""
        phis = self.promoter.values.phis
        alias = self.promoter.alias
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
                self.by[phi.number] = values.pop() if values else self.promoter.types.undef(phi.type_id)
                changed = True
            phis = rest

    def renamed(self, inst: Instruction) -> Instruction:
        """Replace the ids that an instruction uses, in place, and return the instruction."""
        operands, by = inst.operands, self.by
        if by.keys().isdisjoint(operands):  # type: ignore[arg-type]
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

    def value(self, value: object) -> object:
        """Return a value (an id, or a tuple with ``None`` for unset elements) with its ids replaced."""
        if isinstance(value, int):
            return self.find(value)
        return tuple(self.value(element) for element in value) if isinstance(value, tuple) else value


def _materialised(value: object, promoter: Promoter) -> object:
    """Return a value without lazy composites, after emitting the instructions for their elements."""
    if isinstance(value, tuple):
        return tuple(_materialised(element, promoter) for element in value)
    if isinstance(value, LazyComposite):
        elements = promoter.types.elements(value.type_id)
        if elements is None:
            return value.whole()
        return tuple(_materialised(value.element(n), promoter) for n in range(len(elements)))
    return value


def _in_order(promoter: Promoter, nodes: dict[int, Node]) -> list[EmittedBlock]:
    """Return the emitted blocks in the order of the input's blocks.

    A target of a merge instruction that is unreachable gets an empty block.
    """
    merges: dict[int, int] = {}
    """Merge block → 0, continue target → header of its loop."""
    for node in nodes.values():
        for block in node.emitted:
            for inst in block.tail:
                if inst.op == op.OpSelectionMerge:
                    merges.setdefault(inst.id(0), 0)
                elif inst.op == op.OpLoopMerge:
                    merges.setdefault(inst.id(0), 0)
                    merges[inst.id(1)] = block.label
    blocks: list[EmittedBlock] = []
    for source in promoter.blocks:
        if source.label in nodes:
            blocks += nodes[source.label].emitted
        elif source.label in merges:
            header = merges[source.label]
            end = Instruction(op.OpBranch, 0, 0, [header]) if header else Instruction(op.OpUnreachable, 0, 0, [])
            blocks.append(EmittedBlock(source.label, [], [end]))
    return blocks


def _phis(promoter: Promoter, node: Node, nodes: dict[int, Node], phis: _PhiReplacements) -> list[Instruction]:
    instructions = []
    for phi in node.phis:
        if phi.number in phis.by:
            continue
        words: list[Operand] = []
        for pred, value in phi.args:
            words += [phis.find(value), pred.emitted[-1].label]
        for inst in node.emitted[0].tail:  # the other blocks are those of inlined functions
            if inst.op == op.OpLoopMerge and inst.id(1) not in nodes and inst.id(1) not in words[1::2]:
                words += [promoter.types.undef(phi.type_id), inst.id(1)]
        instructions.append(Instruction(op.OpPhi, phi.type_id, phi.number, words))
    return instructions


def _flat(entries: Iterable[Instruction | Entry]) -> list[Instruction]:
    """Return the instructions with placeholders replaced by their contents."""
    flat: list[Instruction] = []
    for entry in entries:
        if isinstance(entry, list):
            flat += _flat(entry)
        elif isinstance(entry, CopiedBlock):
            flat += [entry[position] for position in sorted(entry)]
        else:
            flat.append(entry)
    return flat


def _point_to_texels(promoter: Promoter, flat: list[list[Instruction]]) -> None:
    """Replace the image operand of OpImageTexelPointer by the pointer that the image was loaded from.

    Raises ``Unsuited`` if that pointer is not known.
    """
    pointers = [inst for instructions in flat for inst in instructions if inst.op == op.OpImageTexelPointer]
    if not pointers:
        return
    loads = {inst.result_id: inst.id(0) for instructions in flat for inst in instructions if inst.op == op.OpLoad}
    variables = promoter.types.definitions
    chains = {i.result_id for instructions in flat for i in instructions if i.op in ACCESS_CHAINS}
    for inst in pointers:
        image = inst.id(0)
        if image in loads:
            inst.operands[0] = loads[image]
        elif image not in variables and image not in chains:
            raise Unsuited("an image of which a texel is pointed to, and that is not phis")


def _set_storage(promoter: Promoter, flat: list[list[Instruction]]) -> None:
    """Change the types of access chains to the storage class and layout of their bases.

    They differ if the base was a parameter, and is the argument now.
    """
    types = promoter.types
    pointers = {inst.result_id: inst.type_id for inst in promoter.variables}
    others: set[int] = set()
    """Chains to an aggregate that has another layout."""
    for inst in (inst for instructions in flat for inst in instructions):
        if inst.op in ACCESS_CHAINS:
            base = inst.id(0)
            pointer_type = pointers.get(base)
            if pointer_type is None and base in types.definitions:
                pointer_type = types.definitions[base].type_id
            if pointer_type is None:
                continue  # a pointer that was loaded or chosen
            pointee = _pointee(types, types.pointee(pointer_type), inst.ints()[1:])
            if pointee != types.pointee(inst.type_id):
                others.add(inst.result_id)
            inst.type_id = pointers[inst.result_id] = types.pointer(types.storage(pointer_type), pointee)
        elif inst.op in (op.OpLoad, op.OpStore) and inst.id(0) in others:
            raise Unsuited("an object with another layout than that of its method")


def _pointee(types: PromotedTypes, type_id: int, indices: list[int]) -> int:
    """Return the type of the element that indices select."""
    for index in indices:
        inst = types.definitions[type_id]
        member = types.constant(index) if inst.op == op.OpTypeStruct else 0
        assert member is not None
        type_id = inst.id(member)
    return type_id


def _changed(value: object, root: int, path: Path, inputs: dict[int, tuple[int, Path]]) -> object:
    """Return a value with each element replaced by ``None`` that the function has not changed since its entry.

    The value is that of the variable ``root``, or of its element at ``path``. Return ``None`` if nothing was changed.
    ``inputs`` maps the ids of values at entry to (variable, path of the element).
    """
    if isinstance(value, tuple):
        elements = tuple(_changed(element, root, (*path, n), inputs) for n, element in enumerate(value))
        return elements if any(element is not None for element in elements) else None
    return None if inputs.get(value) == (root, path) else value  # type: ignore[call-overload]


def _remove_dead(
    promoter: Promoter, blocks: list[EmittedBlock], flat: list[list[Instruction]], values: tuple[object, ...]
) -> set[int]:
    """Remove instructions without side effects whose results are unused; return the ids in use."""
    glsl_set = promoter.program.glsl
    definitions: dict[Operand, Instruction] = {}
    todo: list[Operand] = []
    with_effects = []
    for block, instructions in zip(blocks, flat, strict=True):
        for inst in instructions:
            if inst.result_id:
                definitions[inst.result_id] = inst
            if inst.op not in PURE and _has_effects(inst, glsl_set):
                with_effects.append(inst.result_id)
                todo += inst.operands
        for inst in block.tail:
            todo += inst.operands
    for value in values:
        _collect_ids(value, todo)
    used: set[int] = set()
    definition_of = definitions.get
    while todo:
        number = todo.pop()
        if number not in used:
            used.add(number)  # type: ignore[arg-type]  # strings do no harm
            definition = definition_of(number)
            if definition is not None:
                todo += definition.operands
    keep = used.union(with_effects)
    for block, instructions in zip(blocks, flat, strict=True):
        block.instructions = [inst for inst in instructions if not inst.result_id or inst.result_id in keep]
        if not block.tail and block is not blocks[-1]:
            raise Unsuited("a block without an end")
    return used


def _has_effects(inst: Instruction, glsl_set: int) -> bool:
    """Return whether an instruction keeps its operands alive although its result is unused."""
    return not is_pure(inst, glsl_set) and inst.op not in MARKERS


def _remove_markers(blocks: list[EmittedBlock], used: set[int], definitions: dict[int, Instruction]) -> None:
    """Remove the markers whose value or variable is removed."""
    for block in blocks:
        block.instructions = [
            inst
            for inst in block.instructions
            if not isinstance(inst, Instruction) or inst.op not in MARKERS or remains(inst, used, definitions)
        ]


def _collect_ids(value: object, out: list[Operand]) -> None:
    if isinstance(value, tuple):
        for element in value:
            _collect_ids(element, out)
    elif isinstance(value, int):
        out.append(value)
