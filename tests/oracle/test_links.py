"""The link check gives the same results for stages compiled by DXC as for this compiler's."""

from __future__ import annotations

import pathlib
import subprocess

import pytest

from hlsl_tool import check_stages
from tests.oracle.dxc import DXC, MISSING

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(not DXC, reason=MISSING),
]

VERTEX = """
struct V { float4 p : SV_Position; float3 n : NORMAL; float2 uv : TEXCOORD0; };
V main(float4 p : POSITION) { V v; v.p = p; v.n = p.xyz; v.uv = p.xy; return v; }
"""


def module(folder: pathlib.Path, text: str, profile: str) -> bytes:
    path, output = folder / f"{profile}.hlsl", folder / f"{profile}.spv"
    path.write_text(text)
    line = ["-spirv", "-HV", "2021", "-T", profile, "-E", "main", str(path), "-Fo", str(output)]
    done = subprocess.run([*DXC, *line], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return output.read_bytes()


@pytest.mark.parametrize(
    ("inputs", "used", "names"),
    [
        ("float4 p : SV_Position, float3 n : NORMAL, float2 uv : TEXCOORD", "n.xyzz * uv.x", []),
        ("float2 uv : TEXCOORD0, float3 n : NORMAL", "n.xyzz * uv.x", ["stage-semantic", "stage-type"]),
        ("float3 n : NORMAL, float2 uv : TEXCOORD0, float4 c : COLOR", "n.xyzz * uv.x * c", ["stage-input-missing"]),
        ("[[vk::location(1)]] float2 n : OTHER", "n.xyxy", ["stage-semantic"]),
    ],
)
def test_modules_of_dxc(inputs: str, used: str, names: list[str], tmp_path: pathlib.Path) -> None:
    vertex = module(tmp_path, VERTEX, "vs_6_0")
    pixel = module(tmp_path, f"float4 main({inputs}) : SV_Target {{ return {used}; }}", "ps_6_0")
    assert [d.code.name for d in check_stages([vertex, pixel])] == names
