"""Operations on vectors with zeros from zero-initialised structs and arrays, which spirv-opt folds."""

from __future__ import annotations

import struct

import pytest

from tests.execute.tables import Runner
from tests.execute.vulkan import storage

CASES = {
    "~(uint2)s.x": (0xFFFFFFFF, 0xFFFFFFFF),
    "uint2(s.x, 3) + uint2(5, s.y[1])": (5, 3),
    "~uint2(7, s.y[0])": (0xFFFFFFF8, 0xFFFFFFFF),
    "uint2(s.x, 9) | uint2(1, 6)": (1, 15),
    "uint2(8, 2) - uint2(s.x, s.z.x)": (8, 2),
    "uint2(8, 2) << s.z": (8, 2),
    "s.z ^ 12": (12, 12),
}


@pytest.mark.parametrize("expression", CASES)
def test_zeros_are_operands(run: Runner, expression: str) -> None:
    source = f"""
struct S {{ uint x; uint y[2]; uint2 z; }};
RWStructuredBuffer<uint2> result : register(u0);
S made() {{ return (S)0; }}
[numthreads(1, 1, 1)] void main() {{ S s = made(); result[0] = {expression}; }}"""
    assert struct.unpack("<2I", run(source, {(0, 0): storage(8)})[0, 0]) == CASES[expression]
