"""Import the whole compiler at once: for processes that fork workers, or that wait for work.

A compilation imports modules when it needs them (`base.system.handlers`, imports inside functions), so the first
compilations of a process take longer.  Every worker that is forked before would import them again.  Modules that few
shaders need are not imported here.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

PACKAGES = ("base.diagnostics", "codegen", "compiler", "frontend", "reflection", "spirv")

PROGRAMS = frozenset(
    (
        "hlsl_tool.base.diagnostics.document",
        "hlsl_tool.reflection.generate_vulkan",
        "hlsl_tool.reflection.host",
        "hlsl_tool.reflection.schema",
        "hlsl_tool.spirv.grammar.generate",
        "hlsl_tool.frontend.syntax.build_tables",
    )
)
"""Programs for developers, and modules that need packages which a compilation does not."""

RARE = frozenset(
    (
        "hlsl_tool.codegen.lower.debug_info",
        "hlsl_tool.codegen.passes.debug_info",
        "hlsl_tool.reflection.cpp",
        "hlsl_tool.reflection.host",
        "hlsl_tool.reflection.structs",
    )
)
"""Packages for debug information and host structs: a tenth of the time to load all."""


def load_all() -> None:
    """Import the modules that compilations need, except `RARE`."""
    for package in PACKAGES:
        for module in modules(f"hlsl_tool.{package}", without=PROGRAMS | RARE):
            import_module(module)


SAMPLES = {
    "vs_6_0": """\
cbuffer View { float4x4 view; float3 eye; };
struct Out { float4 at : SV_Position; float2 uv : TEXCOORD0; };
Out main(float3 at : POSITION, float2 uv : TEXCOORD0)
{
    Out o;
    o.at = mul(view, float4(at - eye, 1));
    o.uv = uv;
    return o;
}
""",
    "ps_6_0": """\
Texture2D<float4> image : register(t0);
SamplerState linear_sampler : register(s0);
float3 tone(float3 c) { return saturate(c / (c + 1)); }
float4 main(float4 at : SV_Position, float2 uv : TEXCOORD0) : SV_Target
{
    float4 sum = 0;
    for (uint i = 0; i < 4; ++i)
        if (uv.x > 0.5)
            sum += image.Sample(linear_sampler, uv + i);
    return float4(tone(sum.rgb), dot(sum, 1));
}
""",
    "cs_6_0": """\
StructuredBuffer<float4> source;
RWStructuredBuffer<float4> target;
groupshared float4 tile[64];
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID, uint at : SV_GroupIndex)
{
    tile[at] = source[id.x];
    GroupMemoryBarrierWithGroupSync();
    target[id.x] = tile[63 - at] * 2;
}
""",
}
"""Profile → a shader that uses what most shaders use."""


def warm_up() -> None:
    """Compile small shaders, so that processes which are forked afterwards share what the first compilations compute.

    This takes as long as two forks save.
    """
    from hlsl_tool.compiler.compile import compile_shader
    from hlsl_tool.spirv.tools import host

    for profile, source in SAMPLES.items():
        compile_shader(source, profile=profile)
    host.close()


def modules(package: str, *, without: frozenset[str] = PROGRAMS) -> list[str]:
    """Return the names of a package and of all packages and modules below it, except ``without``."""
    names = [package]
    for _, name, is_package in pkgutil.iter_modules(import_module(package).__path__, f"{package}."):
        if name in without:
            continue
        if is_package:
            names += modules(name, without=without)
        else:
            names.append(name)
    return names
