"""A project with two permutation axes, a header, a pipeline with a binding clash, and names that HTML must escape."""

from __future__ import annotations

from pathlib import Path

import pytest

SHADER = """\
#include "common&lt;b.hlsli"
struct Varyings { float4 position : SV_Position; float3 normal : NORMAL; };
Texture2D<float4> albedo : register(t0);
SamplerState smp : register(s0);
Varyings VSMain(float4 p : POSITION, float3 n : NORMAL) { Varyings v = { mul(world, p), n }; return v; }
float4 PSMain(Varyings v) : SV_Target
{
    float4 color = albedo.Sample(smp, v.normal.xy) * tint;
#if SHADOWS
    color *= 0.5;
#endif
    return color;
}
"""
COMMON = """\
cbuffer Frame : register(b0) { float4x4 world; float3 eye; float2 size; float4 tint; };
"""
CONFIG = """\
shaders:
  - source: lit.hlsl
    bindings: { shifts: { t: [8, 0], s: [SHIFT, 0] } }
    entries:
      - { entry: VSMain, profile: vs_6_0 }
      - { entry: PSMain, profile: ps_6_0, defines: { SHADOWS: [0, 1], DEAD: ["1", "<script>"] } }
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the root of the project, which is the current folder."""
    files = {
        "shaders/lit.hlsl": SHADER,
        "shaders/common&lt;b.hlsli": COMMON,
        "config/shaders/lit.yaml": CONFIG.replace("SHIFT", "16"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path
