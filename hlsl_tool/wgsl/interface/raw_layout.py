"""Sizes and declarations of raw buffers: blocks with a layout that WGSL cannot express, declared as arrays of words."""

from __future__ import annotations

from hlsl_tool.base.rounding import round_up
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.wgsl.module.view import View


def extent(view: View, type_id: int, row_major: bool = False, stride: int = 0) -> int:
    """Return the size in bytes of a value, without trailing padding; 0 for a runtime array."""
    inst = view.type(type_id)
    if inst.op == op.OpTypeStruct:
        end = 0
        for index, member in enumerate(inst.ints()):
            offset = view.member_literal(type_id, index, Decoration.Offset) or 0
            major, step = view.matrix_layout(type_id, index)
            end = max(end, offset + extent(view, member, major, step))
        return end
    if inst.op == op.OpTypeArray:
        count = view.length(type_id)
        step = view.literal(type_id, Decoration.ArrayStride) or 0
        return step * (count - 1) + extent(view, inst.id(0), row_major, stride)
    if inst.op == op.OpTypeRuntimeArray:
        return 0
    if inst.op == op.OpTypeMatrix:
        column = view.type(inst.id(0))
        width = view.type(column.id(0)).id(0) // 8
        vectors, parts = (column.id(1), inst.id(1)) if row_major else (inst.id(1), column.id(1))
        return stride * (vectors - 1) + parts * width
    if inst.op == op.OpTypeVector:
        return view.type(inst.id(0)).id(0) // 8 * inst.id(1)
    return inst.id(0) // 8


def has_runtime_array(view: View, type_id: int) -> bool:
    """Return whether a type is a runtime array, or a struct that ends with one."""
    inst = view.type(type_id)
    last = view.type(inst.id(len(inst.operands) - 1)) if inst.op == op.OpTypeStruct and inst.operands else inst
    return last.op == op.OpTypeRuntimeArray


def least_size(view: View, type_id: int) -> int:
    """Return the size in bytes of a buffer with one element in its runtime array."""
    inst = view.type(type_id)
    if inst.op != op.OpTypeStruct or not has_runtime_array(view, type_id):
        return extent(view, type_id)
    last = len(inst.operands) - 1
    offset = view.member_literal(type_id, last, Decoration.Offset) or 0
    return offset + (view.literal(inst.id(last), Decoration.ArrayStride) or 4)


def declaration(view: View, type_id: int, *, uniform: bool, atomic: bool) -> str:
    """Return the WGSL type of a raw buffer."""
    word = "atomic<u32>" if atomic else "u32"
    if has_runtime_array(view, type_id):
        return f"array<{word}>"
    size = extent(view, type_id)
    return f"array<vec4u, {round_up(size, 16) // 16}>" if uniform else f"array<{word}, {round_up(size, 4) // 4}>"
