"""Operations on constants: array lengths that OpSpecConstantOp computes, and expressions that WGSL evaluates."""

from __future__ import annotations

import pytest

from hlsl_tool.spirv import op
from hlsl_tool.wgsl import convert
from hlsl_tool.wgsl.module.folding import FOLDS

from .conversion import assemble, compute


@pytest.mark.parametrize(
    ("a", "b", "quotient"), [(7, 2, 3), (-7, 2, -3), (-7 & 0xFFFFFFFF, 2, -3), (-8, -2, 4), (1, 0, 0)]
)
def test_signed_division_rounds_towards_zero(a: int, b: int, quotient: int) -> None:
    assert FOLDS[op.OpSDiv](a, b) == quotient


def test_operations_that_overflow_are_no_constant_expressions() -> None:
    """WGSL rejects a constant expression that overflows; other operations on constants need no names."""
    body = """%p = OpAccessChain %ptr_word %out %i0 %u0
%most = OpIAdd %uint %max %u1
%least = OpISub %uint %u1 %u2
%wide = OpShiftLeftLogical %uint %max %u4
%fits = OpIAdd %uint %u3 %u4
%a = OpBitwiseXor %uint %most %least
%b = OpBitwiseXor %uint %wide %fits
%c = OpBitwiseXor %uint %a %b
OpStore %p %c
OpReturn"""
    text = convert(assemble(compute(body, "%max = OpConstant %uint 4294967295\n")))
    assert "3u + 4u" in text
    for operation in ("4294967295u + 1u", "1u - 2u", "4294967295u << 4u"):
        assert operation not in text
