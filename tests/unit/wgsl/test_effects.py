"""Features that WGSL lacks are errors that name them: instructions with side effects, and new device features."""

from __future__ import annotations

from typing import Any

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
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
    """Descriptor heaps and hit objects, which WGSL lacks, are named in the error.

    The check precedes spirv-val, because an older one would call the module invalid.
    """
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


LONG = """
RWStructuredBuffer<vector<float, 8> > b;
[numthreads(1, 1, 1)] void main() { b[0] *= 2; }"""
RAW = """
RWByteAddressBuffer b;
[numthreads(1, 1, 1)] void main() { b.Store(0, b.Load<float4>(16)); }"""
SMALL = """
#include <vk/{header}.h>
RWStructuredBuffer<{type}> b;
[numthreads(1, 1, 1)] void main() {{ b[0] = b[1]; }}"""
BFLOAT16 = SMALL.format(header="khr/bfloat16", type="vk::khr::bfloat16_t")
FLOAT8 = SMALL.format(header="ext/float8", type="vk::ext::float8_e4m3_t")
OFFSET = """
Texture2D<float4> t; int2 offset; RWBuffer<float4> o;
[numthreads(1, 1, 1)] void main() { o[0] = t.Load(0, offset); }"""


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        (LONG, {"extensions": ("SPV_EXT_long_vector",)}, "no long vectors: leave out -fspv-extension="),
        (RAW, {"extensions": ("SPV_KHR_untyped_pointers",)}, "no untyped pointers: leave out -fspv-extension="),
        (BFLOAT16, {}, "no bfloat16 type"),
        (FLOAT8, {}, "no float8 type"),
        (OFFSET, {"variable_offsets": True}, "constant offsets .* leave out -fvk-variable-offsets"),
    ],
)
def test_options_and_types_are_refused_by_name(source: str, options: dict[str, Any], words: str) -> None:
    all_options = CompileOptions(target_env="vulkan1.3", validate="no", **options)
    result = compile_shader(source, profile="cs_6_9", options=all_options)
    assert result.ok, result.diagnostics
    with pytest.raises(WgslError, match=words):
        convert(result.spirv)
