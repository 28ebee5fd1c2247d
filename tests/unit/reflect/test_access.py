"""The access (read, write or both) that reflection lists for resources, before and since SPIR-V 1.4."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.check import ReflectError
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.reflection import Reflection
from hlsl_tool.spirv.decode import decode

RO, RW = "read_only", "read_write"
# HLSL type, a use of `r`, what it is for, what the decorations leave, the descriptor
ROWS = [
    ("SamplerState", "t.SampleLevel(r, 0, 0)", RO, "read", "sampler"),
    ("Buffer<float4>", "r[0]", RO, "read", "uniform_texel_buffer"),
    ("RWBuffer<float4>", "r[0]", RW, "read_write", "storage_texel_buffer"),
    ("Texture1D<float4>", "r[0]", RO, "read", "sampled_image"),
    ("Texture2D<float4>", "r[uint2(0, 0)]", RO, "read", "sampled_image"),
    ("Texture2DMS<float4>", "r.Load(uint2(0, 0), 0)", RO, "read", "sampled_image"),
    ("RWTexture2D<float4>", "r[uint2(0, 0)]", RW, "read_write", "storage_image"),
    ("RasterizerOrderedTexture2D<float4>", "r[uint2(0, 0)]", RW, "read_write", "storage_image"),
    ("ConstantBuffer<S>", "r.v", RO, "read", "uniform_buffer"),
    ("cbuffer", "v", RO, "read", "uniform_buffer"),
    ("tbuffer", "v", RO, "read", "storage_buffer"),
    ("TextureBuffer<S>", "r.v", RO, "read", "storage_buffer"),
    ("StructuredBuffer<float4>", "r[0]", RO, "read", "storage_buffer"),
    ("ByteAddressBuffer", "asfloat(r.Load4(0))", RO, "read", "storage_buffer"),
    ("RWStructuredBuffer<float4>", "r[0]", RW, "read_write", "storage_buffer"),
    ("RWByteAddressBuffer", "asfloat(r.Load4(0))", RW, "read_write", "storage_buffer"),
    ("ConsumeStructuredBuffer<float4>", "r.Consume()", RW, "read_write", "storage_buffer"),
    ("SubpassInput", "r.SubpassLoad()", RO, "read", "input_attachment"),
]


def reflected(source: str, *, profile: str = "ps_6_2", env: str = "vulkan1.1", **options: object) -> Reflection:
    """Reflect a shader from SPIR-V alone, without legalisation or optimisation."""
    chosen = CompileOptions(target_env=env, codegen_only=True, validate="no", **options)  # type: ignore[arg-type]
    result = compile_shader(source, profile=profile, options=chosen)
    assert result.ok, [d.message for d in result.diagnostics]
    return reflect(decode(result.spirv))


@pytest.mark.parametrize("env", ["vulkan1.0", "vulkan1.2"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_access(row: tuple[str, str, str, str, str], env: str) -> None:
    kind, use, hlsl, access, descriptor = row
    declaration = f"{kind} r {{ float4 v; }};" if kind in ("cbuffer", "tbuffer") else f"{kind} r;"
    if kind == "SubpassInput":
        declaration = f"[[vk::input_attachment_index(0)]] {declaration}"
    found = reflected(
        f"struct S {{ float4 v; }}; Texture1D<float4> t; {declaration}\nfloat4 main() : SV_Target {{ return {use}; }}",
        env=env,
    )
    (r,) = (r for r in found.resources if r.name == "r")
    assert (r.hlsl_access, r.access, r.kind) == (hlsl, access, descriptor)
    counters = [r for r in found.resources if r.name.startswith("counter.")]
    assert [c.hlsl_access for c in counters] == [RW] * len(counters)


def test_the_access_of_an_entry_point_is_narrower_than_that_of_its_resource() -> None:
    found = reflected(
        "RWStructuredBuffer<uint> a, b, c; RWTexture2D<float4> d; RWByteAddressBuffer e;\n"
        "[numthreads(1, 1, 1)] void main() {\n"
        "  a[0] = b[0]; uint old; InterlockedAdd(c[1], 2, old); d[uint2(0, 0)] = 1; e.Store(4, e.Load(0));\n}",
        profile="cs_6_0",
    )
    uses = {u.name: u.access for u in found.entry_points[0].resources}
    assert uses == {"a": "write", "b": "read", "c": "read_write", "d": "write", "e": "read_write"}
    assert {r.access for r in found.resources} == {"read_write"}


def test_entries_use_what_their_calls_reach() -> None:
    library = """
StructuredBuffer<float4> a; StructuredBuffer<float4> b; RWStructuredBuffer<float4> c;
struct P { float4 x; };
float4 deep() { return b[1]; }
float4 shallow() { return deep(); }
[shader("miss")] void First(inout P p) { p.x = a[0]; }
[shader("miss")] void Second(inout P p) { p.x = shallow(); c[0] = p.x; }
"""
    found = reflected(library, profile="lib_6_3", env="vulkan1.2")
    uses = {entry.name: [(u.name, u.access) for u in entry.resources] for entry in found.entry_points}
    assert uses == {"First": [("a", "read")], "Second": [("b", "read"), ("c", "write")]}
    assert {r.name: r.used_by for r in found.resources} == {"a": ["First"], "b": ["Second"], "c": ["Second"]}


def test_bytes_of_push_constants() -> None:
    source = """
struct In { float2 p; float q[4]; };
struct Push { float4 unused; float a; In inner; float4 last; };
[[vk::push_constant]] Push push;
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) { o[0] = INDEX; }"""
    for index, (offset, size) in {
        "push.a": (16, 4),
        "push.inner.p.y": (28, 4),
        "push.inner.q[2]": (40, 4),
        "push.inner.q[i]": (32, 16),
        "push.a + push.last.x": (16, 36),
    }.items():
        entry = reflected(source.replace("INDEX", index), profile="cs_6_0").entry_points[0]
        assert [(r.name, r.offset, r.size) for r in entry.push_constants] == [("push", offset, size)], index


def test_damage_is_an_error_that_names_it() -> None:
    source = "[numthreads(1, 1, 1)] void main() {}"
    result = compile_shader(source, profile="cs_6_0", options=CompileOptions(validate="no"))
    module = decode(result.spirv)
    module.globals = [inst for inst in module.globals if inst.op != 19]  # OpTypeVoid
    variable = type(module.globals[0])(59, 99, 98, [1])  # OpVariable of a type that is not there
    module.globals.append(variable)
    with pytest.raises(ReflectError, match="OpVariable %98 refers to %99, which is not declared before it"):
        reflect(module)
