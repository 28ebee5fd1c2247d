"""Array lengths that OpSpecConstantOp computes."""

from __future__ import annotations

import pytest

from hlsl_tool.spirv import op
from hlsl_tool.wgsl.module.folding import FOLDS


@pytest.mark.parametrize(
    ("a", "b", "quotient"), [(7, 2, 3), (-7, 2, -3), (-7 & 0xFFFFFFFF, 2, -3), (-8, -2, 4), (1, 0, 0)]
)
def test_signed_division_rounds_towards_zero(a: int, b: int, quotient: int) -> None:
    assert FOLDS[op.OpSDiv](a, b) == quotient
