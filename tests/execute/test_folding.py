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


GUARDED = """
RWStructuredBuffer<int> result : register(u0);
groupshared int shared_values[4];
static const int TABLE[4] = {10, 20, 30, 40};
int at(int k, int limit) {
  int local[4] = {1, 2, 3, result[1]};
  int wide = 0;
  if (limit > 2) { local[k - 4] = 7; wide = TABLE[k - 4] + shared_values[k - 5]; }
  return local[0] * 1000 + wide * 100 + (k >= 4 ? TABLE[k - 4] : TABLE[k]);
}
[numthreads(1, 1, 1)] void main() { shared_values[0] = 5; result[0] = at(2, result[1]); }"""


def test_negative_index_that_is_not_used(run: Runner) -> None:
    """Optimisation computes the indices -2 and -3; the branch that has them is not taken."""
    assert struct.unpack("<2i", run(GUARDED, {(0, 0): storage(struct.pack("<2i", 0, 2))})[0, 0])[0] == 1030
