"""Replace features that WebGPU lacks, by option, under a condition that the host has to guarantee."""

from __future__ import annotations

from functools import partial

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import BuiltIn, Decoration, Dim, ImageFormat, ImageOperands, StorageClass
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.module.demands import DRAW_PARAMETERS
from hlsl_tool.wgsl.module.view import View
from hlsl_tool.wgsl.rewrites.additions import Additions
from hlsl_tool.wgsl.rewrites.entries import functions_with


def zero_draw_parameters(view: View) -> None:
    """Assume 0 for the first vertex, the first instance and the index of a draw.

    Before: these are inputs. After: they are variables that nothing writes.
    """
    additions = Additions(view)
    for inst in [inst for inst in view.module.globals if inst.op == op.OpVariable]:
        built_in = view.literal(inst.result_id, Decoration.BuiltIn)
        if built_in not in DRAW_PARAMETERS:
            continue
        view.names[inst.result_id] = DRAW_PARAMETERS[built_in]
        type_id = view.pointee(inst.type_id)
        inst.type_id = additions.pointer(StorageClass.Private, type_id)
        inst.operands = [StorageClass.Private, additions.add(op.OpConstantNull, type_id)]
        view.decorations.pop(inst.result_id)
        for entry in view.module.entry_points:
            entry.operands[3:] = [operand for operand in entry.operands[3:] if operand != inst.result_id]
    # A definition must come before its use in the text of errors.
    view.module.globals.sort(key=lambda inst: inst.op == op.OpVariable)


def load_subpass_inputs(view: View) -> None:
    """Read subpass inputs as textures.

    Before: images of the dimension SubpassData, which are read at an offset from the pixel. After: two-dimensional
    images, which are read at the pixel's position plus that offset.
    """
    types = {
        inst.result_id: inst
        for inst in view.module.globals
        if inst.op == op.OpTypeImage and inst.id(1) == Dim.SubpassData
    }
    if not types:
        return
    additions = Additions(view)
    float4 = additions.type(op.OpTypeVector, additions.type(op.OpTypeFloat, 32), 4)
    for function, entries in functions_with(view, partial(_is_read, view, types)):
        position = additions.built_in(entries, BuiltIn.FragCoord, float4)
        _load_from(view, additions, types, position, function)
    for inst in types.values():
        inst.operands[1], inst.operands[5], inst.operands[6] = Dim.Dim2D, 1, ImageFormat.Unknown


def _is_read(view: View, types: dict[int, Instruction], inst: Instruction) -> bool:
    """Return whether an instruction reads a subpass input."""
    return inst.op == op.OpImageRead and view.type_of(inst.id(0)) in types


def _load_from(
    view: View, additions: Additions, types: dict[int, Instruction], variable: int, function: Function
) -> None:
    """Rewrite the reads in one function; ``variable`` is the input variable with the pixel's position."""
    emit, float4 = additions.emit, view.pointee(view.defs[variable].type_id)
    float2 = additions.type(op.OpTypeVector, additions.type(op.OpTypeFloat, 32), 2)
    for block in function.blocks:
        additions.out = []
        for inst in block.instructions:
            if _is_read(view, types, inst):
                position = emit(op.OpLoad, float4, variable)
                pixel = emit(op.OpVectorShuffle, float2, position, position, 0, 1)
                place = emit(op.OpConvertFToS, view.type_of(inst.id(1)), pixel)
                inst.op = op.OpImageFetch
                inst.operands[1] = emit(op.OpIAdd, view.type_of(inst.id(1)), place, inst.id(1))
                if len(inst.operands) == 2:
                    inst.operands += [ImageOperands.Lod, additions.constant(0)]
            additions.out.append(inst)
        block.instructions = additions.out
