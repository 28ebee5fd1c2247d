"""Rewrite single instructions during promotion: loads, stores, access chains, composites, calls, terminators."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.codegen.passes.promote.promoted_body import DECLARED, Instructions, Path, Unsuited, scalar
from hlsl_tool.codegen.passes.promote.ssa_values import Phi
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, MERGES, RETURNS
from hlsl_tool.spirv.grammar.tables import TERMINATORS
from hlsl_tool.spirv.ir import Instruction, Operand

from .lazy import LazyLoad
from .promoter import Promoter

_WITHOUT_VALUES = MERGES | {op.OpBranch, op.OpUnreachable}
"""Opcodes at the end of a block whose operands are labels and literals only."""


def _variable(promoter: Promoter, inst: Instruction) -> None:
    number = inst.result_id
    if number in promoter.values.roots:
        if len(inst.operands) > 1:
            promoter.initializers[number] = inst.id(1)
        return
    promoter.variables.append(Instruction(inst.op, inst.type_id, number, inst.operands[:1]))
    if len(inst.operands) > 1:
        promoter.node.end.append(Instruction(op.OpStore, 0, 0, [number, inst.operands[1]]))


def _load(promoter: Promoter, inst: Instruction) -> None:
    pointer = inst.id(0)
    access = promoter.access_paths.get(pointer)
    if access is not None:
        promoter.set(inst.result_id, promoter.load_path(access))
        return
    pointer = promoter.operand(pointer)
    if len(inst.operands) == 1 and promoter.types.elements(inst.type_id) is not None:
        where: Instructions = []
        promoter.node.end.append(where)
        promoter.composites[inst.result_id] = LazyLoad(promoter, inst.result_id, pointer, (), inst.type_id, where)
        return
    words = [pointer, *inst.operands[1:]]
    promoter.node.end.append(Instruction(inst.op, inst.type_id, inst.result_id, words))


def _store(promoter: Promoter, inst: Instruction) -> None:
    access = promoter.access_paths.get(inst.id(0))
    value = promoter.value(inst.id(1))
    if access is not None:
        promoter.store_path(access, value)
        return
    words = [promoter.operand(inst.id(0)), promoter.operand(inst.id(1)), *inst.operands[2:]]
    promoter.node.end.append(Instruction(inst.op, 0, 0, words))


def _chain(promoter: Promoter, inst: Instruction) -> None:
    operands = inst.ints()
    access = promoter.access_paths.get(operands[0])
    if access is None:
        _chain_in_memory(promoter, inst)
        return
    types = promoter.types
    root, path, indices = access
    for index in operands[1:]:
        index = promoter.operand(index)
        if indices or types.elements(types.part(promoter.values.roots[root], path)) is None:
            indices = (*indices, index)
        else:
            constant = types.constant(index)
            if constant is None:
                raise Unsuited("an index that is no constant")
            path = (*path, constant)
    promoter.access_paths[inst.result_id] = (root, path, indices)


def _chain_in_memory(promoter: Promoter, inst: Instruction) -> None:
    """Emit an access chain; if its base is itself an access chain, start at that chain's base."""
    operands = inst.ints()
    base = promoter.operand(operands[0])
    indices = [promoter.operand(x) for x in operands[1:]]
    before = promoter.chains.get(base)
    if before is not None and inst.result_id not in promoter.program.decorations:
        base, indices = before.id(0), [*before.ints()[1:], *indices]
    chain = Instruction(inst.op, inst.type_id, inst.result_id, [base, *indices])
    promoter.chains[inst.result_id] = chain
    promoter.node.end.append(chain)


def _texel_pointer(promoter: Promoter, inst: Instruction) -> None:
    """Emit OpImageTexelPointer.

    If the image variable is replaced, the operand is the loaded image until ``finish`` inserts the pointer that it was
    loaded from.
    """
    access = promoter.access_paths.get(inst.id(0))
    if access is None:
        promoter.emit(inst)
        return
    image = scalar(promoter.load_path(access))
    words: list[Operand] = [image, *(promoter.operand(x) for x in inst.ints()[1:])]
    promoter.node.end.append(Instruction(inst.op, inst.type_id, inst.result_id, words))


def _composite(promoter: Promoter, inst: Instruction) -> None:
    types = promoter.types
    if types.elements(inst.type_id) is not None:
        promoter.composites[inst.result_id] = tuple(promoter.value(x) for x in inst.ints())
        return
    promoter.emit(inst)
    construction = promoter.node.end[-1]
    assert isinstance(construction, Instruction)
    if all(x in types.definitions for x in construction.operands):
        constant = types.composite(inst.type_id, construction.ints())
        if constant is not None:
            promoter.node.end.pop()
            promoter.alias[inst.result_id] = constant
            return
    shape = types.definitions[inst.type_id]
    size = len(construction.operands)
    if shape.op == op.OpTypeMatrix or (shape.op == op.OpTypeVector and size == shape.operands[1]):
        promoter.vectors[inst.result_id] = construction.operands


def _extraction(promoter: Promoter, inst: Instruction) -> None:
    types = promoter.types
    path: Path = tuple(inst.ints()[1:])
    value = promoter.value(inst.id(0))
    type_id = _type_of(promoter, inst.id(0))
    while path and not isinstance(value, int):
        if types.elements(type_id) is None:
            value = scalar(value)
            break
        value = promoter.values.part(value, type_id, path[:1], promoter.node)
        type_id = types.part(type_id, path[:1])
        path = path[1:]
    while path and isinstance(value, int) and value in promoter.vectors:
        value = promoter.vectors[value][path[0]]  # type: ignore[assignment]
        type_id = types.part(type_id, path[:1])
        path = path[1:]
    if not path:
        promoter.set(inst.result_id, value)
        return
    value = scalar(value)
    if value in types.definitions:
        constant = types.constant_part(value, type_id, path)
        if constant is not None:
            promoter.alias[inst.result_id] = constant
            return
    if types.elements(inst.type_id) is not None or types.elements(type_id) is not None:
        promoter.set(inst.result_id, promoter.values.extract(value, type_id, path, promoter.node))
        return
    promoter.node.end.append(Instruction(inst.op, inst.type_id, inst.result_id, [value, *path]))


def _type_of(promoter: Promoter, number: int) -> int:
    type_id = promoter.type_of.get(number)
    return promoter.types.definitions[number].type_id if type_id is None else type_id


def _insertion(promoter: Promoter, inst: Instruction) -> None:
    if promoter.types.elements(inst.type_id) is None:
        promoter.emit(inst)
        return
    part, base = promoter.value(inst.id(0)), promoter.value(inst.id(1))
    value = _with_part(promoter, base, inst.type_id, tuple(inst.ints()[2:]), part)
    promoter.composites[inst.result_id] = value  # type: ignore[assignment]


def _with_part(promoter: Promoter, base: object, type_id: int, path: Path, part: object) -> object:
    """Return a composite with the element at a path replaced by ``part``."""
    if not path:
        return part
    elements = promoter.types.elements(type_id)
    if elements is None:
        number = promoter.types.new_id()
        words: list[Operand] = [scalar(part), scalar(base), *path]  # type: ignore[arg-type]  # both are set
        promoter.node.end.append(Instruction(op.OpCompositeInsert, type_id, number, words))
        return number
    parts: list[object] = [promoter.values.part(base, type_id, (n,), promoter.node) for n in range(len(elements))]
    parts[path[0]] = _with_part(promoter, parts[path[0]], elements[path[0]], path[1:], part)
    return tuple(parts)


def _copy(promoter: Promoter, inst: Instruction) -> None:
    access = promoter.access_paths.get(inst.id(0))
    if access is not None:
        promoter.access_paths[inst.result_id] = access
    elif inst.result_id in promoter.program.decorations:
        promoter.emit(inst)
    else:
        promoter.set(inst.result_id, promoter.value(inst.id(0)))


def _copy_logical(promoter: Promoter, inst: Instruction) -> None:
    """Replace OpCopyLogical by the elements of its operand: its types differ only by decorations."""
    value = _elements_of(promoter, promoter.value(inst.id(0)), _type_of(promoter, inst.id(0)))
    promoter.set(inst.result_id, value)


def _elements_of(promoter: Promoter, value: object, type_id: int) -> object:
    elements = promoter.types.elements(type_id)
    if elements is None:
        return value
    return tuple(
        _elements_of(promoter, promoter.values.part(value, type_id, (n,), promoter.node), element)
        for n, element in enumerate(elements)
    )


def _phi(promoter: Promoter, inst: Instruction) -> None:
    """Record a phi of the input; its operands may be defined later."""
    pairs = list(zip(inst.ints()[::2], inst.ints()[1::2], strict=True))
    if promoter.types.elements(inst.type_id) is not None or any(x in promoter.access_paths for x, _ in pairs):
        raise Unsuited("a phi of composites or pointers")
    preds = {pred.label: pred for pred in promoter.node.preds}
    phi = Phi(inst.result_id, inst.type_id)
    phi.args = [(preds[label], value) for value, label in pairs if label in preds]
    promoter.node.phis.append(phi)
    promoter.values.phis.append(phi)


def _return(promoter: Promoter, inst: Instruction) -> None:
    if promoter.is_entry:
        promoter.node.emitted[-1].tail.append(inst)
    elif inst.op == op.OpReturnValue:
        promoter.result = promoter.value(inst.id(0))


def _end(promoter: Promoter, inst: Instruction) -> None:
    """Emit a merge instruction or a terminator at the end of the current block."""
    if inst.op in (op.OpBranchConditional, op.OpSwitch):
        inst = Instruction(inst.op, 0, 0, [promoter.operand(inst.id(0)), *inst.operands[1:]])
    elif inst.op not in _WITHOUT_VALUES:
        promoter.has_kill = True
        inst = Instruction(inst.op, 0, 0, promoter.replaced_operands(inst))
    promoter.node.emitted[-1].tail.append(inst)


def _call(promoter: Promoter, inst: Instruction) -> None:
    from .inlining import inline  # start-up time

    inline(promoter, inst)


def _declaration(promoter: Promoter, inst: Instruction) -> None:
    """Handle the marker that replaces a DebugDeclare."""
    assert inst.line is not None
    number = inst.id(0)
    access = promoter.access_paths.get(number)
    marks = promoter.marks
    if access is None or marks is None:
        operand = promoter.operand(number)
        promoter.node.end.append(Instruction(DECLARED, 0, 0, [operand], inst.line))
        return
    root, path, indices = access
    if path or indices:
        return
    marks.declared[root] = inst.line
    if root in promoter.by_path:
        placeholder: Instructions = []
        promoter.node.end.append(placeholder)
        marks.entries.append((placeholder, root, inst.line))
    marks.store(promoter.node.end, root, (), inst.line, promoter.node.defs.get(root))


HANDLERS: dict[int, Callable[[Promoter, Instruction], None]] = {
    op.OpVariable: _variable,
    op.OpLoad: _load,
    op.OpStore: _store,
    op.OpFunctionCall: _call,
    op.OpImageTexelPointer: _texel_pointer,
    op.OpCompositeConstruct: _composite,
    op.OpCompositeExtract: _extraction,
    op.OpCompositeInsert: _insertion,
    op.OpCopyObject: _copy,
    op.OpCopyLogical: _copy_logical,
    op.OpPhi: _phi,
    DECLARED: _declaration,
    **dict.fromkeys(RETURNS, _return),
    **dict.fromkeys(ACCESS_CHAINS, _chain),
    **dict.fromkeys(MERGES, _end),
    **dict.fromkeys(TERMINATORS - RETURNS, _end),
}
"""Opcode → the function that promotes it; other instructions are emitted with their operands replaced."""
