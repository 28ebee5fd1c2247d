"""Recognise composites that are copied element by element.

Compilers copy a struct from a buffer to a variable by members, because the two types differ in their layout, and write
``float4(v.xyz, 1)`` with each component of the vector. Before: ``OpCompositeConstruct`` of ``OpCompositeExtract`` of
elements, in order. After: ``OpCopyLogical`` of a struct or array, ``OpVectorShuffle`` of components. Insertions of all
components of a vector, one after the other, are a constructor, too.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration, StorageClass
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.module.pointers import Local
from hlsl_tool.wgsl.module.uses import is_splat, root_of
from hlsl_tool.wgsl.module.view import View

Source = tuple[int, tuple[int, ...]]
"""(composite, indices of a part)"""

_PLAIN = frozenset((op.OpTypeBool, op.OpTypeInt, op.OpTypeFloat, op.OpTypeVector, op.OpTypeMatrix))
_COPIED = frozenset((op.OpTypeStruct, op.OpTypeArray))


def replace_copies(view: View, function: Function) -> None:
    """Replace constructors that copy all elements of a composite by a single copy instruction, in place."""
    sources: dict[int, Source] = {}
    inserted: dict[int, dict[int, int]] = {}
    for block in function.blocks:
        out: list[Instruction] = []
        for inst in block.instructions:
            if inst.op == op.OpCompositeInsert:
                _construct(view, inst, inserted)
            if inst.op == op.OpCompositeExtract:
                number, *indices = inst.ints()
                base, path = sources.get(number, (number, ()))
                sources[inst.result_id] = base, (*path, *indices)
            elif inst.op == op.OpCompositeConstruct and view.type(inst.type_id).op in _COPIED:
                source = _source(view, inst, sources)
                if source is not None:
                    sources[inst.result_id] = source
                    out += _copy(view, inst, source)
                    continue
            elif inst.op == op.OpCompositeConstruct and view.type(inst.type_id).op == op.OpTypeVector:
                out += _swizzled(view, inst)
                continue
            out.append(inst)
        block.instructions = out


def _construct(view: View, inst: Instruction, inserted: dict[int, dict[int, int]]) -> None:
    """Make a constructor of an insertion after which all components of a vector are known.

    ``inserted`` maps vectors to the components that insertions have set.
    """
    if len(inst.operands) != 3 or view.type(inst.type_id).op != op.OpTypeVector:
        return
    value, base, index = inst.ints()
    parts = inserted[inst.result_id] = {**inserted.get(base, {}), index: value}
    count = view.components(inst.type_id)
    if len(parts) == count:
        inst.op, inst.operands = op.OpCompositeConstruct, [parts[place] for place in range(count)]


def constant_source(view: View, local: Local, value: int) -> int:
    """Return the pointer to constant memory from which a variable's only value, ``value``, is loaded.

    Reads of the variable can then be replaced by reads of that memory. The result is 0 for any other value, and if the
    shader also reads structs or arrays from the variable, whose types depend on the layout.
    """
    inst = view.defs[value]
    while inst.op in (op.OpCopyLogical, op.OpCopyObject):
        inst = view.defs[inst.id(0)]
    if inst.op != op.OpLoad or any(view.type(spot.inst.type_id).op not in _PLAIN for spot in local.reads):
        return 0
    root = root_of(view, inst.id(0))[0]
    if root.op != op.OpVariable or any(view.defs[spot.inst.id(0)].op == op.OpVariable for spot in local.reads):
        return 0
    block = view.pointee(root.type_id)
    if root.id(0) == StorageClass.PushConstant:
        return inst.id(0)
    read_only = view.has(root.result_id, Decoration.NonWritable) or view.has(block, Decoration.Block)
    return inst.id(0) if root.id(0) == StorageClass.Uniform and read_only else 0


def _swizzled(view: View, inst: Instruction) -> list[Instruction]:
    """Return the instructions for a vector constructor, with components of one vector merged into a shuffle."""
    runs: list[tuple[int, list[int]]] = []
    for part in inst.ints():
        extract = view.defs[part]
        if extract.op == op.OpCompositeExtract and len(extract.operands) == 2:
            base, index = extract.ints()
            if view.type(view.type_of(base)).op == op.OpTypeVector:
                if runs and runs[-1][0] == base:
                    runs[-1][1].append(index)
                else:
                    runs.append((base, [index]))
                continue
        runs.append((part, []))
    if is_splat(view, inst) or all(len(indices) < 2 for _, indices in runs):
        return [inst]
    parts = iter(inst.ints())
    out: list[Instruction] = []
    operands: list[int] = []
    for base, indices in runs:
        taken = [next(parts) for _ in range(len(indices) or 1)]
        if len(indices) < 2:
            operands += taken
            continue
        type_id = view.vector_type(view.type_of(taken[0]), len(indices))
        out.append(Instruction(op.OpVectorShuffle, type_id, view.fresh(), [base, base, *indices]))
        operands.append(view.add(out[-1]))
    if len(operands) == 1:
        out[-1] = Instruction(op.OpVectorShuffle, inst.type_id, inst.result_id, out[-1].operands)
        view.add(out[-1])
        return out
    inst.operands = [*operands]
    return [*out, inst]


def _source(view: View, inst: Instruction, sources: dict[int, Source]) -> Source | None:
    """Return the composite whose elements a constructor copies, all of them in order.

    The result is ``None`` for other constructors.
    """
    base, path = sources.get(inst.id(0), (0, ())) if inst.operands else (0, ())
    if not path:
        return None
    source = base, path[:-1]
    if any(sources.get(part) != (base, (*source[1], index)) for index, part in enumerate(inst.ints())):
        return None
    type_id = view.type_of(base)
    for index in source[1]:
        type_id = view.element(type_id, index)
    kind = view.type(type_id)
    if kind.op != view.type(inst.type_id).op:
        return None
    count = len(kind.operands) if kind.op == op.OpTypeStruct else view.length(type_id)
    return source if count == len(inst.operands) else None


def _copy(view: View, inst: Instruction, source: Source) -> list[Instruction]:
    base, path = source
    out: list[Instruction] = []
    if path:
        type_id = view.type_of(base)
        for index in path:
            type_id = view.element(type_id, index)
        out.append(Instruction(op.OpCompositeExtract, type_id, view.fresh(), [base, *path]))
        base = view.add(out[-1])
    opcode = op.OpCopyObject if view.type_of(base) == inst.type_id else op.OpCopyLogical
    out.append(Instruction(opcode, inst.type_id, inst.result_id, [base]))
    view.add(out[-1])
    return out
