"""Find the textures that a module compares, and those that it uses in other ways."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ARRAYS
from hlsl_tool.spirv.ir import Function
from hlsl_tool.wgsl.module.uses import COMPARING
from hlsl_tool.wgsl.module.view import View

_HANDLES = frozenset((op.OpLoad, op.OpSampledImage, op.OpCopyObject, op.OpImage, *ACCESS_CHAINS))
"""Instructions between a variable and a use of its texture."""


def compared_and_read(view: View, functions: list[Function]) -> tuple[set[int], set[int]]:
    """Return (variables of textures that are compared, those of textures that are used otherwise), arrays included."""
    compared: set[int] = set()
    read: set[int] = set()
    for function in functions:
        for inst in function.instructions():
            if inst.op in COMPARING:
                compared.add(texture_variable(view, inst.id(0)))
            elif inst.op not in _HANDLES:
                read.update(
                    texture_variable(view, operand) for operand in inst.operands[:1] if isinstance(operand, int)
                )
    return compared - {0}, read - {0}


def texture_variable(view: View, value: int) -> int:
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
