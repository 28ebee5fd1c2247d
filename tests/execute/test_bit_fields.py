"""Bit-fields of random types and widths, in all kinds of memory and in casts, compared with an independent packer.

HLSL_TOOL_BIT_FIELD_SEEDS is the number of structs of each kind, besides those of the nightly run; each has integers of
both signs, enumerations, booleans, fields of width 0, and members that are not bit-fields between them.
"""

from __future__ import annotations

import os

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.reflection.blocks import find_block
from hlsl_tool.reflection.host import pack, unpack
from tests.execute.bit_field_layouts import filled
from tests.execute.vulkan import Instance, Tables, Vulkan, scene, storage, uniform

COUNT = int(os.environ.get("HLSL_TOOL_BIT_FIELD_SEEDS", "2"))
SEEDS = [*range(COUNT), *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(COUNT, COUNT + 10))]
LEVELS = {
    "O3": {"optimize": "performance"},
    "O0": {"optimize": "none"},
    "Os": {"optimize": "size"},
    "vulkan": {"optimize": "none", "debug": ("vulkan",)},
}
MEMORY = Memory()

BODY = """
StructuredBuffer<Bits> input : register(t0);
cbuffer Block : register(b1) {{ Bits constant; }};
RWStructuredBuffer<Whole> read : register(u2);
RWStructuredBuffer<Bits> written : register(u3);
StructuredBuffer<Whole> values : register(t4);
RWByteAddressBuffer raw : register(u5);
groupshared Bits exchanged[2];
struct Push {{ Bits bits; }};
[[vk::push_constant]] Push push;
void put(inout Whole w, uint i) {{ read[i] = w; }}
Bits made(Whole v) {{
    return (Bits)v;
}}
[numthreads(1, 1, 1)] void main()
{{
    // member by member
    read[0] = (Whole)0;
{reads}
    // by casts, from each kind of memory
    read[1] = (Whole)input[0];
    read[2] = (Whole)constant;
    read[3] = (Whole)raw.Load<Bits>(0);
    Whole again = (Whole)made(values[0]);
    put(again, 4);
    exchanged[1] = input[0];
    read[5] = (Whole)exchanged[1];
    read[6] = (Whole)push.bits;
    // writes: members, casts, raw memory
{writes}
    written[1] = (Bits)values[0];
    written[2] = input[0];
    raw.Store(128, (Bits)values[0]);
    Bits list = {{ {list} }};
    written[3] = list;
}}
"""


def compiled(source: str, profile: str = "cs_6_6", **options: object) -> CompileResult:
    chosen = CompileOptions(target_env="vulkan1.2", enable_16bit_types=True, **options)  # type: ignore[arg-type]
    result = compile_shader(source, entry="main", profile=profile, options=chosen, memory=MEMORY)
    assert result.ok, [d.message for d in result.diagnostics]
    return result


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("rule", ["vulkan", "dx", "gl", "scalar"])
@pytest.mark.parametrize("sizes", [(4,), (2, 4, 8)], ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_in_memory(vulkan: Vulkan, seed: int, sizes: tuple[int, ...], rule: str, level: str) -> None:
    s, values = filled(seed, sizes)
    body = BODY.format(
        reads="\n".join(f"    read[0].whole_{f.name} = input[0].{f.name};" for f in s.fields),
        writes="\n".join(f"    written[0].{f.name} = values[0].whole_{f.name};" for f in s.fields),
        list=", ".join(f"values[0].whole_{f.name}" for f in s.fields),
    )
    result = compiled(s.declarations + body, layout=rule, **LEVELS[level])
    packed = s.pack(values)
    whole = s.whole(values)
    size, count = s.end, len(whole)
    element = find_block(result.reflect(), "input").stride or size
    stride = find_block(result.reflect(), "read").stride or count
    out = vulkan.run_compute(
        result.spirv,
        {
            (0, 0): storage(packed.ljust(element, b"\0")),
            (0, 1): uniform(packed.ljust(256, b"\0")),
            (0, 2): storage(8 * stride),
            (0, 3): storage(4 * element),
            (0, 4): storage(whole.ljust(256, b"\0")),
            (0, 5): storage(packed.ljust(512, b"\0")),
        },
        push=packed.ljust(128, b"\0"),
    )
    for number in range(7):
        got = out[0, 2][number * stride : number * stride + count]
        assert got == whole, (number, rule, s.declarations, got.hex(), whole.hex(), values)
    for number in range(4):
        got = out[0, 3][number * element : number * element + size]
        assert got == packed[:size], (number, rule, s.declarations, got.hex(), packed.hex())
    assert out[0, 5][128 : 128 + size] == packed[:size], (s.declarations, values)
    host = find_block(result.reflect(), "input").element
    assert bytes(pack(host, values))[:size] == packed[:size]
    assert unpack(host, packed.ljust(element, b"\0")) == values


VARYINGS = "struct Varyings { float4 at : SV_Position; nointerpolation Bits bits : BITS; float after : AFTER; };"
STAGES = {
    "vs": """
StructuredBuffer<Bits> input : register(t0);
Varyings main(uint id : SV_VertexID)
{
    Varyings v;
    v.at = float4(id & 1 ? 3 : -1, id & 2 ? 3 : -1, 0, 1);
    v.bits = input[0];
    v.after = 1;
    return v;
}
""",
    "ps": """
RWStructuredBuffer<Whole> read : register(u1);
void main(Varyings v)
{
    if (v.after == 1)
        read[0] = (Whole)v.bits;
}
""",
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("sizes", [(4,), (4, 8)], ids=str)  # lavapipe has no 16-bit numbers between stages
@pytest.mark.parametrize("seed", SEEDS)
def test_between_stages(vulkan: Vulkan, seed: int, sizes: tuple[int, ...], level: str) -> None:
    """A struct of bit-fields arrives unchanged next to other outputs: each word has a location."""
    s, values = filled(seed, sizes)
    stages = {
        stage: compiled(f"{s.declarations}{VARYINGS}{source}", f"{stage}_6_6", **LEVELS[level]).spirv
        for stage, source in STAGES.items()
    }
    whole = s.whole(values)
    out = vulkan.run_graphics(stages, {(0, 0): storage(s.pack(values)), (0, 1): storage(len(whole))}, (4, 4), 3)
    assert out[0, 1] == whole, s.declarations


LIBRARY = """
RaytracingAccelerationStructure scene : register(t0);
StructuredBuffer<Bits> input : register(t1);
StructuredBuffer<Whole> values : register(t2);
RWStructuredBuffer<Whole> read : register(u3);
RWStructuredBuffer<Bits> written : register(u4);
struct Payload { uint before; Bits bits; uint after; };
struct Call { Bits bits; };
[shader("raygeneration")] void start()
{
    RayDesc r;
    r.Origin = float3(0, 0, 0); r.Direction = float3(0, 0, 1); r.TMin = 0; r.TMax = 100;
    Payload p;
    p.before = p.after = 5;
    p.bits = input[0];
    TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 0, 0, r, p);
    if (p.before + p.after == 10)
        written[0] = p.bits;
    Call c;
    c.bits = input[0];
    CallShader(0, c);
    written[1] = c.bits;
}
[shader("miss")] void beyond(inout Payload p) { read[0] = (Whole)p.bits; p.bits = (Bits)values[0]; }
[shader("callable")] void called(inout Call c)
{
    read[1] = (Whole)c.bits;
WRITES
}
"""
EMPTY = scene(Instance(triangles=(50.0, 50.0, 5.0, 50.0, 51.0, 5.0, 51.0, 50.0, 5.0)))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("sizes", [(4,), (2, 4, 8)], ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_in_payloads(vulkan: Vulkan, seed: int, sizes: tuple[int, ...], level: str) -> None:
    """Bit-fields in payloads and callable data are read, and written as a whole or by members."""
    if "rayTracingPipeline" not in vulkan.features:
        pytest.skip(f"{vulkan.name} lacks ray tracing pipelines")
    s, values = filled(seed, sizes)
    _, others = filled(seed, sizes, number=1)
    writes = "\n".join(f"    c.bits.{f.name} = values[0].whole_{f.name};" for f in s.fields)
    result = compiled(s.declarations + LIBRARY.replace("WRITES", writes), "lib_6_6", **LEVELS[level])
    stride = find_block(result.reflect(), "read").stride or 0
    element = find_block(result.reflect(), "input").stride or 0
    packed, other, whole = s.pack(values), s.pack(others), s.whole(values)
    out = vulkan.run_tracing(
        result.spirv,
        Tables(raygen=("start",), miss=("beyond",), callable=("called",)),
        {
            (0, 0): EMPTY,
            (0, 1): storage(packed.ljust(element, b"\0")),
            (0, 2): storage(s.whole(others).ljust(stride, b"\0")),
            (0, 3): storage(2 * stride),
            (0, 4): storage(2 * element),
        },
        (1, 1, 1),
    )
    for number in range(2):
        assert out[0, 3][number * stride :][: len(whole)] == whole, (number, s.declarations)
        assert out[0, 4][number * element :][: s.end] == other[: s.end], (number, s.declarations)
