"""Rich debug information, read like a debugger: sources, scopes and variables, with and without -O."""

from __future__ import annotations

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.base.source import MemoryFileSystem
from tests.unit.lower.debug_reader import Reader, read

HEADER = """#include "macros.hlsli"
struct Material { float3 albedo; float rough; float weights[2]; };
float4 resolve(Material mat, float3 n) {
  float3 c = mat.albedo * mat.weights[0];
  float k = SCALE(mat.rough) * n.z;
  c += k;
  return float4(c * mat.weights[1], k);
}
"""
MACROS = "#define SCALE(x) ((x) * 2)\n"
MAIN = """#include "material.hlsli"
struct Light { float3 dir; float power; };
cbuffer C { Light lights[4]; };
Texture2D<float4> tex; SamplerState smp;
float shade(Light l, float3 n) { float d = dot(l.dir, n); float s = d * l.power; return saturate(s); }
float4 main(float4 pos : SV_Position, float3 normal : N, float2 uv : UV) : SV_Target {
  float3 unit = normalize(normal);
  float total = 0;
  for (int i = 0; i < 4; i++) {
    Light light = lights[i]; float part = shade(light, unit); if (part > 0.1) total += part;
  }
  float4 base = tex.Sample(smp, uv);
  Material made; made.albedo = base.rgb; made.rough = base.a; made.weights[0] = total; made.weights[1] = 1 - total;
  switch (int64_t(total)) { case 5000000000ll: base.x = 1; break; default: break; }
  return resolve(made, unit) + base;
}
"""


def read_with(optimize: str, *, debug: str = "vulkan-with-source") -> Reader:
    files = MemoryFileSystem({"material.hlsli": HEADER.encode(), "macros.hlsli": MACROS.encode()})
    options = CompileOptions(debug=(debug,), optimize=optimize, target_env="vulkan1.3")
    result = compile_shader(MAIN, name="main.hlsl", profile="ps_6_0", options=options, fs=files)
    assert result.ok, [d.message for d in result.diagnostics]
    assert result.module is not None
    return read(result.module)


@pytest.mark.parametrize("optimize", ["none", "performance", "size"])
def test_a_debugger_can_read_it(optimize: str) -> None:
    reader = read_with(optimize)
    assert reader.complaints == []
    assert [name for name, _ in reader.entry_points] == ["__dxc_setup"]


@pytest.mark.parametrize("optimize", ["none", "performance", "size"])
def test_every_file_is_there_once_with_its_text(optimize: str) -> None:
    reader = read_with(optimize)
    assert reader.texts == {"main.hlsl": MAIN, "./material.hlsli": HEADER, "./macros.hlsli": MACROS}


LOCALS = {
    "pos",
    "normal",
    "uv",
    "unit",
    "total",
    "i",
    "light",
    "part",
    "base",
    "made",
    "l",
    "n",
    "d",
    "s",
    "mat",
    "c",
    "k",
}


def test_every_variable_is_there_without_optimisation() -> None:
    assert read_with("none").declared >= LOCALS


@pytest.mark.parametrize("optimize", ["performance", "size"])
def test_variables_stay_through_inlining_and_scalar_replacement(optimize: str) -> None:
    """After optimisation all local variables are still declared, except for three structs and vectors.

    These are only read component-wise, and their components are values of other variables.
    """
    assert LOCALS - read_with(optimize).declared <= {"light", "mat", "base"}
