"""Errors in functions of ``dx/linalg.h`` name the call that leads there."""

from __future__ import annotations

from hlsl_tool import CompileOptions, compile_shader

SOURCE = """#include <dx/linalg.h>
using namespace dx::linalg;
using Factors = Matrix<ComponentType::F32, 16, 16, MatrixUse::A, MatrixScope::Wave>;
void change(inout Factors factors) {
  factors.Cast<ComponentType::F32, MatrixUse::B>();
}
[numthreads(32, 1, 1)] void main() {
  Factors factors = Factors::Splat(1);
  change(factors);
}"""


def test_the_call_is_noted() -> None:
    result = compile_shader(SOURCE, profile="cs_6_10", options=CompileOptions(target_env="vulkan1.3"))
    (error,) = (d for d in result.diagnostics if d.severity == "error")
    assert error.code.id == "HLSL1834"
    assert error.location is not None
    assert error.location.file == "<built-in:hlsl>/dx/linalg.h"
    (note,) = error.notes
    assert note.code.id == "HLSL1835"
    assert note.location is not None
    assert (note.location.file, note.location.line) == ("shader.hlsl", 5)
