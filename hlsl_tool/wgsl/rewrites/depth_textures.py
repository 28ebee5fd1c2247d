"""Split textures that are both compared and read, by option.

WGSL has separate types for depth textures, which have one component, no bias and no gradients. Before: one variable for
all uses of a texture. After: comparisons use a second variable with the same binding, for which the conversion finds a
free one; all other uses read the original variable as a colour texture.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.module.texture_uses import compared_and_read, texture_variable
from hlsl_tool.wgsl.module.uses import COMPARING
from hlsl_tool.wgsl.module.view import View


def split_depth_textures(view: View, functions: list[Function]) -> None:
    """Add a second variable for each texture that is compared and also used otherwise."""
    compared, read = compared_and_read(view, functions)
    shared = compared & read
    if not shared:
        return
    clones = {number: _clone(view, number) for number in shared}
    for function in functions:
        for block in function.blocks:
            out: list[Instruction] = []
            for inst in block.instructions:
                if inst.op in COMPARING and texture_variable(view, inst.id(0)) in shared:
                    inst.operands[0] = _again(view, inst.id(0), clones, out)
                out.append(inst)
            block.instructions = out


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
