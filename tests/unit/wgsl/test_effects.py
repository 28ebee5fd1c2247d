"""What WGSL lacks is refused by its name: instructions with side effects, and features of newer devices."""

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


def test_newer_features_are_refused_by_name() -> None:
    """A spirv-val that does not know them would call the module invalid."""
    heap = """
[numthreads(1, 1, 1)] void main() { RWByteAddressBuffer b = ResourceDescriptorHeap[0]; b.Store(0, 1); }"""
    options = CompileOptions(target_env="vulkan1.3", descriptor_heap=True, validate="no")
    result = compile_shader(heap, profile="cs_6_6", options=options)
    assert result.ok
    with pytest.raises(WgslError, match="no descriptor heaps"):
        convert(result.spirv)
    hit = """
[shader("raygeneration")] void main() { dx::HitObject h; dx::MaybeReorderThread(h); }"""
    result = compile_shader(hit, entry="", profile="lib_6_9", options=CompileOptions(target_env="vulkan1.3"))
    assert result.ok
    with pytest.raises(WgslError, match="no hit objects"):
        convert(result.spirv)
