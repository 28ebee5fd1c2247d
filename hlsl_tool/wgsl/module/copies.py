"""Recognise composites that are copied part by part.

Compilers copy a struct from a buffer to a variable part by part, because the two types differ in their layout.
Before: ``OpCompositeConstruct`` of ``OpCompositeExtract`` of all parts, in order.  After: ``OpCopyLogical``.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.module.view import View

Source = tuple[int, tuple[int, ...]]
"""(composite, indices of a part)"""

_COPIED = frozenset((op.OpTypeStruct, op.OpTypeArray))


def replace_copies(view: View, function: Function) -> None:
    """Rewrite a function in place."""
    sources: dict[int, Source] = {}
    for block in function.blocks:
        out: list[Instruction] = []
        for inst in block.instructions:
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
            out.append(inst)
        block.instructions = out


def _source(view: View, inst: Instruction, sources: dict[int, Source]) -> Source | None:
    """Return the composite of which a constructor copies all parts in order; ``None`` if there is none."""
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
