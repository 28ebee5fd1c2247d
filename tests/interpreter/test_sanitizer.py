"""The sanitizer: each fault is found once, with its line, the call stack, a thread and the values."""

from __future__ import annotations

import numpy as np
import pytest

from hlsl_tool.interpreter import Sanitizer, Settings
from tests.interpreter.shaders import run

SHADER = """
RWStructuredBuffer<float> o : register(u0);
RWStructuredBuffer<int> n : register(u1);
float inverse(float x) {
    return 1 / x;
}
[numthreads(4, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {
    float local[2] = { 1, 2 };
    %s
}
"""
FAULTS = [
    ("o[i.x] = o[i.x + 2];", 9, "reads `o` at byte 16, which has 16 bytes (thread 2, 0, 0, in main) [read-outside]"),
    ("o[i.x * 2] = 1;", 9, "writes `o` at byte 16, which has 16 bytes (thread 2, 0, 0, in main) [write-outside]"),
    ("InterlockedAdd(n[i.x + 3], 1);", 9,
     "changes `n` at byte 16, which has 16 bytes (thread 1, 0, 0, in main) [write-outside]"),
    ("o[i.x] = local[i.x];", 9,
     "has the index 2 of an array with 2 elements (thread 2, 0, 0, in main) [index-outside]"),
    ("n[i.x] = 7 / n[i.x];", 9, "divides 7 by zero (thread 0, 0, 0, in main) [division-by-zero]"),
    ("o[i.x] = inverse(i.x);", 5,
     "FDiv of 1.0, 0.0 is infinite (thread 0, 0, 0, in inverse, called by main) [infinity]"),
    ("o[i.x] = sqrt(o[i.x] - 1);", 9, "Sqrt of -1.0 is NaN (thread 0, 0, 0, in main) [nan]"),
    ("n[i.x] = (int)((i.x + 1) * 1e9);", 9,
     "converts 3000000000.0 to an integer from -2147483648 to 2147483647 (thread 2, 0, 0, in main)"
     " [conversion-out-of-range]"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "line", "expected"), FAULTS, ids=[row[2].rpartition("[")[2][:-1] for row in FAULTS]
)
def test_faults(statement: str, line: int, expected: str) -> None:
    sanitizer = Sanitizer()
    arrays = [np.zeros(4, np.float32), np.zeros(4, np.int32)]
    settings = Settings(observer=sanitizer)
    run(SHADER % statement, *arrays, settings=settings, debug=("line",), optimize="none")
    (finding,) = sanitizer.findings
    assert finding.position is not None
    assert finding.position.line == line
    assert str(finding).endswith(expected)


def test_a_correct_shader_has_no_findings() -> None:
    sanitizer = Sanitizer()
    statement = "if (i.x != 0) { o[i.x] = inverse(i.x); n[i.x] = 8 / n[i.x]; } o[i.x] += local[i.x & 1];"
    arrays = [np.zeros(4, np.float32), np.ones(4, np.int32)]
    run(SHADER % statement, *arrays, settings=Settings(observer=sanitizer), debug=("line",), optimize="none")
    assert sanitizer.findings == []
