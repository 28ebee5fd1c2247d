"""Names and operands of the functions for operations on elements of arrays of resources."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ARRAYS, ATOMICS
from hlsl_tool.spirv.enums import ImageOperands
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.module.uses import COMPARING, SAMPLING
from hlsl_tool.wgsl.module.view import View

_VERBS = {
    op.OpLoad: "load",
    op.OpStore: "store",
    op.OpArrayLength: "length_of",
    op.OpImageFetch: "load",
    op.OpImageRead: "load",
    op.OpImageWrite: "store",
    op.OpImageGather: "gather",
    op.OpImageDrefGather: "gather_compare",
    op.OpImageQuerySize: "size_of",
    op.OpImageQuerySizeLod: "size_of",
    op.OpImageQueryLevels: "levels_of",
    op.OpImageQuerySamples: "samples_of",
    op.OpAtomicExchange: "exchange",
    op.OpAtomicCompareExchange: "compare_exchange",
    op.OpAtomicIAdd: "add_to",
    op.OpAtomicISub: "subtract_from",
    op.OpAtomicIIncrement: "increment",
    op.OpAtomicIDecrement: "decrement",
    op.OpAtomicSMin: "min_of",
    op.OpAtomicUMin: "min_of",
    op.OpAtomicSMax: "max_of",
    op.OpAtomicUMax: "max_of",
    op.OpAtomicAnd: "and_of",
    op.OpAtomicOr: "or_of",
    op.OpAtomicXor: "xor_of",
}

_BY_LEVEL = (
    (ImageOperands.Grad, "sample_grad", ("ddx", "ddy")),
    (ImageOperands.Bias, "sample_bias", ("bias",)),
    (ImageOperands.Lod, "sample_level", ("level",)),
)
"""Image operand → verb, names of its parameters."""

_VALUES = {
    op.OpStore: (1,),
    op.OpImageWrite: (1, 2),
    op.OpImageTexelPointer: (1,),
    op.OpAtomicCompareExchange: (4, 5),
    **dict.fromkeys(ATOMICS - {op.OpAtomicCompareExchange}, (3,)),
    **dict.fromkeys(SAMPLING | {op.OpImageFetch, op.OpImageRead, op.OpImageGather}, (1,)),
    **dict.fromkeys(COMPARING, (1, 2)),
}
"""Opcode → operands that are parameters even if they are constants; WGSL wants some of the others to be constants."""


def function_name(inst: Instruction, array: str, *, lends: bool) -> str:
    """Return the name to suggest for the function of an operation: ``sample_level_textures``.

    ``lends``: the texture is a parameter, so that the name ends with ``_with``.
    """
    verb = _VERBS.get(inst.op, "use")
    if inst.op in SAMPLING:
        mask = inst.operands[3 if inst.op in COMPARING else 2 :][:1]
        bits = mask[0] if mask and isinstance(mask[0], int) else 0
        verb = next((verb for bit, verb, _ in _BY_LEVEL if bits & bit), "sample")
        verb = verb.replace("sample", "compare") if inst.op in COMPARING else verb
    return f"{verb}_{array}{'_with' if lends else ''}"


def member_name(view: View, chain: Instruction) -> str:
    """Return the name of the last member of a struct that an access chain selects; ``""`` without one."""
    kind, name = view.pointee(view.type_of(chain.id(0))), ""
    for index in chain.ints()[1:]:
        member = view.constant(index) or 0
        if view.type(kind).op == op.OpTypeStruct:
            name = view.member_names.get((kind, member), "") or name
        kind = view.element(kind, member)
    return name


def parameter_name(view: View, inst: Instruction, index: int) -> str:
    """Return the name of the parameter for the operand of an instruction at a position."""
    if inst.op == op.OpFunctionCall:
        callee = view.functions[inst.id(0)]
        return view.names[callee.parameters[index - 1].result_id]
    if inst.op in ACCESS_CHAINS:
        base = view.defs[inst.id(0)]
        if base.op != op.OpVariable or index > 1:
            return "element"
        kind = view.type(view.pointee(base.type_id))
        while kind.op in ARRAYS:
            kind = view.type(kind.id(0))
        return "sampler_index" if kind.op == op.OpTypeSampler else "index"
    if index == 0:
        return "texture"
    if inst.op in (op.OpStore, *ATOMICS) or (inst.op == op.OpImageWrite and index == 2):
        return "value"
    if index == 1:
        return "coordinates"
    if inst.op in COMPARING and index == 2:
        return "reference"
    return _image_operand_name(inst, index)


def _image_operand_name(inst: Instruction, index: int) -> str:
    first = 3 if inst.op in COMPARING or inst.op == op.OpImageGather else 2
    mask = inst.operands[first] if len(inst.operands) > first else 0
    for bit, _, names in _BY_LEVEL:
        if isinstance(mask, int) and mask & bit and index - first - 1 < len(names):
            return names[index - first - 1]
    return "operand"


def is_shared_constant(view: View, inst: Instruction, index: int, depth: tuple[int, int]) -> bool:
    """Return whether a constant operand at a position becomes a parameter, so that more operations share a function.

    ``depth``: (number of indices before those of an access chain, number of indices that select an element).
    """
    if inst.op == op.OpFunctionCall:
        return index > 0
    if inst.op not in ACCESS_CHAINS:
        return index in _VALUES.get(inst.op, ())
    before, selecting = depth
    if index == 0 or before + index <= selecting:
        return False
    kind = view.pointee(view.type_of(inst.id(0)))
    for operand in inst.ints()[1:index]:
        kind = view.element(kind, view.constant(operand) or 0)
    return view.type(kind).op in ARRAYS
