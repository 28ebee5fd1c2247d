"""Conversions and bit operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.instructions.arithmetic import as_integer, cast, result, spelled
from hlsl_tool.wgsl.writer.expr import Expr, call
from hlsl_tool.wgsl.writer.registry import value

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.function import FunctionWriter

BIT_FUNCTIONS = {op.OpBitReverse: "reverseBits", op.OpBitCount: "countOneBits"}


@value(op.OpConvertFToS, op.OpConvertFToU)
def _to_integer(w: FunctionWriter, inst: Instruction) -> Expr:
    signed = inst.op == op.OpConvertFToS
    number = w.view.float_constant(inst.id(0))
    if number is not None and w.view.components(inst.type_id) == 1 and 0 <= number < 1 << 31:
        return w.constants.literal(inst.type_id, int(number))
    operand = w.hidden(w.expr(inst.id(0)))
    return result(w, inst, call(spelled(w, inst.type_id, "i32" if signed else "u32"), operand), signed)


@value(op.OpConvertSToF, op.OpConvertUToF)
def _to_float(w: FunctionWriter, inst: Instruction) -> Expr:
    operand = as_integer(w, inst.id(0), inst.op == op.OpConvertSToF)
    return call(w.types.spell(inst.type_id), operand)


@value(op.OpUConvert, op.OpSConvert)
def _resize(w: FunctionWriter, inst: Instruction) -> Expr:
    """Write a conversion between widths; WGSL has 32-bit types only."""
    w.types.spell(w.view.type_of(inst.id(0)))
    w.types.spell(inst.type_id)
    return as_integer(w, inst.id(0), w.view.is_signed(inst.type_id))


@value(op.OpFConvert)
def _float_resize(w: FunctionWriter, inst: Instruction) -> Expr:
    return call(w.types.spell(inst.type_id), w.hidden(w.expr(inst.id(0))))


@value(op.OpQuantizeToF16)
def _quantize(w: FunctionWriter, inst: Instruction) -> Expr:
    return call("quantizeToF16", w.hidden(w.expr(inst.id(0))))


def _differ_in_sign(w: FunctionWriter, source: int, target: int) -> bool:
    """Return whether two types are integers (or vectors of equal size) of which exactly one is signed."""
    kinds = w.view.scalar(source), w.view.scalar(target)
    return (
        all(kind.op == op.OpTypeInt and kind.id(0) == 32 for kind in kinds)
        and w.view.is_signed(source) != w.view.is_signed(target)
        and w.view.components(source) == w.view.components(target)
    )


@value(op.OpBitcast)
def _bitcast(w: FunctionWriter, inst: Instruction) -> Expr:
    source = w.view.type_of(inst.id(0))
    if w.view.is_pointer(source) or w.view.is_pointer(inst.type_id):
        raise Unsupported("WGSL cannot reinterpret pointers")
    value_ = w.expr(inst.id(0))
    target = w.types.spell(inst.type_id)
    if w.types.spell(source) == target:
        return value_
    if _differ_in_sign(w, source, inst.type_id):
        converted = cast(w, value_, inst.type_id, w.view.is_signed(inst.type_id))
        if not w.view.is_signed(inst.type_id):
            converted.index = value_.text
        return converted
    if w.view.scalar(inst.type_id).op == op.OpTypeFloat:
        value_ = w.hidden(value_)
    return call(f"bitcast<{target}>", value_)


@value(*BIT_FUNCTIONS)
def _bits(w: FunctionWriter, inst: Instruction) -> Expr:
    operand = as_integer(w, inst.id(0), w.view.is_signed(inst.type_id))
    return call(BIT_FUNCTIONS[inst.op], operand)


def _bit_range(w: FunctionWriter, operands: list[int]) -> list[Expr]:
    """Return the offset and count of a bit field; hide constants outside of the word from WGSL, which rejects them."""
    values = [as_integer(w, operand, False) for operand in operands]
    total = 0
    for operand, part in zip(operands, values, strict=True):
        constant = w.view.constant(operand)
        total += 0 if not part.constant else 99 if constant is None or not 0 <= constant <= 32 else constant
    return values if total <= 32 else [w.hidden(part) for part in values]


@value(op.OpBitFieldSExtract, op.OpBitFieldUExtract)
def _extract_bits(w: FunctionWriter, inst: Instruction) -> Expr:
    signed = inst.op == op.OpBitFieldSExtract
    base = as_integer(w, inst.id(0), signed)
    offset, count = _bit_range(w, inst.ints()[1:3])
    return result(w, inst, call("extractBits", base, offset, count), signed)


@value(op.OpBitFieldInsert)
def _insert_bits(w: FunctionWriter, inst: Instruction) -> Expr:
    signed = w.view.is_signed(inst.type_id)
    base, insert = (as_integer(w, operand, signed) for operand in inst.ints()[:2])
    offset, count = _bit_range(w, inst.ints()[2:4])
    return call("insertBits", base, insert, offset, count)


@value(op.OpSDot, op.OpUDot)
def _packed_dot(w: FunctionWriter, inst: Instruction) -> Expr:
    """Write a dot product of four packed bytes, or of integer vectors."""
    signed = inst.op == op.OpSDot
    left, right = inst.ints()[:2]
    if w.view.components(w.view.type_of(left)) > 1:
        product = call("dot", as_integer(w, left, signed), as_integer(w, right, signed))
    else:
        name = "dot4I8Packed" if signed else "dot4U8Packed"
        product = call(name, as_integer(w, left, False), as_integer(w, right, False))
    return result(w, inst, product, signed)
