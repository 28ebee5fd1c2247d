"""Find operations on constants that WGSL's compilers can evaluate: they reject overflows and divisions by zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.module.folding import FOLDS

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.function import FunctionWriter

WITHOUT_ERRORS = frozenset(
    ("abs", "ceil", "cos", "floor", "max", "min", "radians", "round", "saturate", "sign", "sin", "step", "trunc")
)
"""Functions whose results are finite for all constants."""


def can_be_evaluated(w: FunctionWriter, inst: Instruction) -> bool:
    """Return whether an operation on constants has a finite result that its type can represent."""
    folder = w.context.folder
    if not folder.constant(inst.result_id):
        return False
    kind = w.view.type(inst.type_id)
    if kind.op != op.OpTypeInt:
        return inst.op not in FOLDS or inst.op == op.OpBitwiseAnd
    numbers = [w.view.constant(folder.constant(operand)) or 0 for operand in inst.ints()]
    return 0 <= FOLDS[inst.op](*numbers) < 1 << 32 - kind.id(1) if inst.op in FOLDS else True
