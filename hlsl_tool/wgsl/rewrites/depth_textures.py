"""Split textures that are both compared and read, by option.

WGSL has separate types for depth textures, which have one component, no bias and no gradients. Before: one variable for
all uses of a texture. After: comparisons use a second variable with the same binding, for which the conversion finds a
free one; all other uses read the original variable as a colour texture.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ARRAYS
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.module.uses import COMPARING
from hlsl_tool.wgsl.module.view import View

_HANDLES = frozenset((op.OpLoad, op.OpSampledImage, op.OpCopyObject, op.OpImage, *ACCESS_CHAINS))
"""Instructions between a variable and a use of its texture."""


def split_depth_textures(view: View, functions: list[Function]) -> None:
    """Add a second variable for each texture that is compared and also used otherwise."""
    instructions = [inst for function in functions for inst in function.instructions()]
    compared = {texture for inst in instructions if inst.op in COMPARING and (texture := _texture(view, inst.id(0)))}
    read: set[int] = set()
    for inst in instructions:
        if inst.op not in COMPARING and inst.op not in _HANDLES:
            read.update(_texture(view, operand) for operand in inst.operands[:1] if isinstance(operand, int))
    shared = compared & read
    if not shared:
        return
    clones = {number: _clone(view, number) for number in shared}
    for function in functions:
        for block in function.blocks:
            out: list[Instruction] = []
            for inst in block.instructions:
                if inst.op in COMPARING and _texture(view, inst.id(0)) in shared:
                    inst.operands[0] = _again(view, inst.id(0), clones, out)
                out.append(inst)
            block.instructions = out


def _texture(view: View, value: int) -> int:
    """Return the texture variable of a handle or pointer; 0 for other values and for combined image samplers."""
    inst = view.defs.get(value)
    while inst is not None and inst.op in _HANDLES:
        inst = view.defs.get(inst.id(0))
    if inst is None or inst.op != op.OpVariable:
        return 0
    kind = view.type(view.pointee(inst.type_id))
    while kind.op in ARRAYS:
        kind = view.type(kind.id(0))
    return inst.result_id if kind.op == op.OpTypeImage else 0


def _clone(view: View, number: int) -> int:
    """Add a variable with the type and decorations of another (and its name with ``_depth``), and return its id."""
    old = view.defs[number]
    clone = Instruction(op.OpVariable, old.type_id, view.fresh(), [*old.operands])
    places = view.module.globals
    places.insert(places.index(old) + 1, clone)
    view.origins[clone.result_id] = number
    view.decorations[clone.result_id] = {**view.decorations.get(number, {})}
    view.names[clone.result_id] = f"{view.names.get(number) or 'texture'}_depth"
    return view.add(clone)


def _again(view: View, value: int, clones: dict[int, int], out: list[Instruction]) -> int:
    """Emit a copy of a handle's computation that uses the cloned variable; return its id."""
    if value in clones:
        return clones[value]
    old = view.defs[value]
    copy = Instruction(old.op, old.type_id, view.fresh(), [*old.operands])
    copy.operands[0] = _again(view, old.id(0), clones, out)
    if value in view.decorations:
        view.decorations[copy.result_id] = {**view.decorations[value]}
    view.origins[copy.result_id] = view.origins.get(value, value)
    out.append(copy)
    return view.add(copy)
