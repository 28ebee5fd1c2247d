"""Optional operands of image instructions (SPIR-V 3.14); sampling with explicit derivatives."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import ImageOperands
from hlsl_tool.spirv.glsl import Exp2
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Instruction, Operand
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.uses import COMPARING, SAMPLING
from hlsl_tool.wgsl.module.view import View

_SIZES = (
    (ImageOperands.Bias, 1),
    (ImageOperands.Lod, 1),
    (ImageOperands.Grad, 2),
    (ImageOperands.ConstOffset, 1),
    (ImageOperands.Offset, 1),
    (ImageOperands.ConstOffsets, 1),
    (ImageOperands.Sample, 1),
    (ImageOperands.MinLod, 1),
)


_HARMLESS = (
    ImageOperands.MakeTexelAvailable
    | ImageOperands.MakeTexelVisible
    | ImageOperands.NonPrivateTexel
    | ImageOperands.VolatileTexel
    | ImageOperands.Nontemporal
)
"""Operands about memory (see `demands`), and hints."""

_EXTENSIONS = {ImageOperands.SignExtend: True, ImageOperands.ZeroExtend: False}


@dataclass(slots=True)
class Operands:
    """The decoded optional operands of an image instruction."""

    bias: int = 0
    lod: int = 0
    grad: tuple[int, int] | None = None
    offset: int = 0
    offsets: int = 0
    sample: int = 0
    signed: bool | None = None
    """Whether the integers of a texel are signed (SignExtend, ZeroExtend); ``None`` without either."""


def image_operands(words: list[int]) -> Operands:
    """Decode an operand mask and the operands after it."""
    operands = Operands()
    if not words:
        return operands
    mask, position = words[0], 1
    for bit, size in _SIZES:
        if not mask & bit:
            continue
        operand = words[position]
        if bit == ImageOperands.Grad:
            operands.grad = operand, words[position + 1]
        elif bit == ImageOperands.Bias:
            operands.bias = operand
        elif bit == ImageOperands.Lod:
            operands.lod = operand
        elif bit in (ImageOperands.ConstOffset, ImageOperands.Offset):
            operands.offset = operand
        elif bit == ImageOperands.ConstOffsets:
            operands.offsets = operand
        elif bit == ImageOperands.Sample:
            operands.sample = operand
        else:
            raise Unsupported("WGSL has no minimum level of detail")
        position += size
    _check_rest(mask & ~_HARMLESS & ~sum(bit for bit, _ in _SIZES))
    for bit, signed in _EXTENSIONS.items():
        if mask & bit:
            operands.signed = signed
    return operands


_MASKS = {
    **dict.fromkeys(SAMPLING | {op.OpImageFetch}, 2),
    **dict.fromkeys(COMPARING | {op.OpImageGather}, 3),
}
"""Opcode → position of the mask of image operands."""


def offset_position(inst: Instruction) -> int:
    """Return the position of the constant offset among the operands of an image instruction; 0 without one."""
    place = _MASKS.get(inst.op, 0)
    mask = inst.operands[place] if place and len(inst.operands) > place else 0
    if not isinstance(mask, int) or not mask & ImageOperands.ConstOffset:
        return 0
    return place + 1 + sum(size for bit, size in _SIZES if bit < ImageOperands.ConstOffset and mask & bit)


def _check_rest(mask: int) -> None:
    """Report operands in the mask that are not supported."""
    for bit in range(32):
        if mask >> bit & 1 and 1 << bit not in _EXTENSIONS:
            raise Unsupported(f"WGSL has no image operand {enum_name('ImageOperands', 1 << bit) or 1 << bit}")


def sample_by_gradients(view: View, inst: Instruction) -> list[Instruction]:
    """Convert an OpImageSampleImplicitLod to derivatives of its coordinate and an OpImageSampleExplicitLod."""
    if inst.op != op.OpImageSampleImplicitLod:
        raise Unsupported("WGSL has no comparison by gradients, which a texture chosen for each pixel needs")
    coordinate = inst.id(1)
    operands = image_operands(inst.ints()[2:])
    type_id = view.type_of(coordinate)
    instructions = [Instruction(opcode, type_id, view.fresh(), [coordinate]) for opcode in (op.OpDPdx, op.OpDPdy)]
    if operands.bias:
        scalar = view.type_of(operands.bias)
        scale = Instruction(op.OpExtInst, scalar, view.fresh(), [view.glsl(), Exp2, operands.bias])
        times = op.OpFMul if view.components(type_id) == 1 else op.OpVectorTimesScalar
        scaled = [Instruction(times, type_id, view.fresh(), [d.result_id, scale.result_id]) for d in instructions]
        instructions += [scale, *scaled]
    words: list[Operand] = [ImageOperands.Grad, instructions[-2].result_id, instructions[-1].result_id]
    if operands.offset:
        words[0] = ImageOperands.Grad | ImageOperands.ConstOffset
        words.append(operands.offset)
    return [
        *instructions,
        Instruction(op.OpImageSampleExplicitLod, inst.type_id, inst.result_id, [*inst.operands[:2], *words]),
    ]
