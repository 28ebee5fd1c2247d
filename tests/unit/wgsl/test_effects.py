"""Instructions whose result is unused: those with side effects are written or refused, not left out."""

from __future__ import annotations

import pytest

from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.options.model import CompileOptions
from hlsl_tool.wgsl import WgslError, convert


@pytest.mark.parametrize("name", ["Add", "Min", "Max"])
def test_atomics_on_floats_are_refused(name: str) -> None:
    source = f"""
RWStructuredBuffer<float> f;
[numthreads(1, 1, 1)] void main() {{ Interlocked{name}(f[0], 1); }}"""
    result = compile_shader(source, profile="cs_6_0", options=CompileOptions())
    assert result.ok
    with pytest.raises(WgslError, match=f"OpAtomicF{name}EXT"):
        convert(result.spirv)
