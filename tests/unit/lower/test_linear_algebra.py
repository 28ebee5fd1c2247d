"""Errors in functions of ``dx/linalg.h`` name the call that leads there."""

from __future__ import annotations

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.compiler.validation import validated

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


OF_A_THREAD = """#include <dx/linalg.h>
using namespace dx::linalg;
using M = Matrix<ComponentType::F16, 8, 16, MatrixUse::A, MatrixScope::Thread>;
ByteAddressBuffer model;
RWByteAddressBuffer result;
M load(ByteAddressBuffer buffer) { return M::Load<MatrixLayout::MulOptimalTranspose>(buffer, 0, 0); }
EXPORT half multiply(ByteAddressBuffer buffer, half x) {
  vector<half, 16> v = x;
  return Multiply<half>(load(buffer), v)[0];
}
[shader("compute")] [numthreads(1, 1, 1)] void main() { result.Store(0, float(multiply(model, 2))); }"""


@pytest.mark.parametrize(("profile", "word"), [("cs_6_10", ""), ("lib_6_10", "export")])
def test_layouts_of_modules_that_are_not_legalised(profile: str, word: str) -> None:
    """Layout and transposition of a matrix that a function returns are no constants before legalisation."""
    is_library = profile.startswith("lib")
    options = CompileOptions(
        target_env="vulkan1.3", enable_16bit_types=True, codegen_only=not is_library, validate="required"
    )
    source = OF_A_THREAD.replace("EXPORT", word)
    result = compile_shader(source, profile=profile, entry="" if is_library else "main", options=options)
    assert result.ok, result.diagnostics
    assert validated(result.spirv, options, Sink(), before_legalization=True)
