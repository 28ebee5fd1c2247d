"""The output `webgpu_pipelines`: bind group layouts that are valid for all stages of a pipeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hlsl_tool.cli.__main__ import run
from hlsl_tool.wgsl.pipelines import LayoutError, bind_groups

CONFIGURATION = """outputs: [spv, wgsl, webgpu_pipelines]
target_env: vulkan1.1
bindings: { shifts: { t: [8, all], s: [16, all] } }
pipelines:
  - { name: scene, stages: [lit.VSMain, lit.PSMain] }
shaders:
  - source: lit.hlsl
    defines: { SKINNED: [0, 1] }
    entries:
      - { entry: VSMain, profile: vs_6_0 }
      - { entry: PSMain, profile: ps_6_0, defines: { FOG: [0, 1] } }
  - source: blur.hlsl
    entries: [{ entry: CSMain, profile: cs_6_0 }]
"""
LIT = """
cbuffer Frame : register(b0) { float4x4 view; float4 tint; };
cbuffer Bones : register(b1) { float4x4 bones[4]; };
Texture2D<float4> albedo : register(t0, space2);
SamplerState smooth : register(s0, space2);
float4 VSMain(float4 p : POSITION) : SV_Position
{
#if SKINNED
    p = mul(bones[1], p);
#endif
    return mul(view, p);
}
float4 PSMain(float4 p : SV_Position) : SV_Target
{
#if FOG
    p *= 2;
#endif
    return albedo.Sample(smooth, p.xy) * tint;
}
"""
BLUR = """
RWStructuredBuffer<float> o : register(u3);
[[vk::image_format("rgba16f")]] RWTexture2D<float4> picture : register(u4);
[numthreads(8, 1, 1)] void CSMain(uint i : SV_DispatchThreadID) { o[i] *= 2; picture[uint2(i, 0)] *= 2; }
"""


@pytest.fixture
def layouts(tmp_path: Path) -> list[dict[str, Any]]:
    for name, text in (
        ("config/shaders/a.yaml", CONFIGURATION),
        ("shaders/lit.hlsl", LIT),
        ("shaders/blur.hlsl", BLUR),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert run(["build", "--store", "none", "--no-server", "--root", str(tmp_path)]) == 0
    content = json.loads((tmp_path / "build/shaders/webgpu.json").read_text())
    assert content["format"] == 1
    return list(content["pipelines"])


def test_pipelines_are_the_permutations_that_agree(layouts: list[dict[str, Any]]) -> None:
    assert [(one["name"], [stage["shader"] for stage in one["stages"]]) for one in layouts] == [
        *(
            (name, [f"lit.VSMain.SKINNED={skinned}", f"lit.PSMain.SKINNED={skinned}.FOG={fog}"])
            for name in ("scene", "lit")
            for skinned in (0, 1)
            for fog in (0, 1)
        ),
        ("blur.CSMain", ["blur.CSMain"]),
    ]
    assert layouts[0]["stages"][1] == {
        "shader": "lit.PSMain.SKINNED=0.FOG=0",
        "stage": "fragment",
        "entryPoint": "PSMain",
    }


def test_stages_share_one_list_of_groups(layouts: list[dict[str, Any]]) -> None:
    skinned = layouts[7]["bindGroups"]
    assert [group["group"] for group in skinned] == [0, 1, 2]
    assert skinned[1]["entries"] == []
    frame, bones = skinned[0]["entries"]
    assert (frame["name"], frame["visibility"], frame["buffer"]["minBindingSize"]) == ("Frame", 3, 80)
    assert (bones["name"], bones["visibility"]) == ("Bones", 1)
    texture, sampler = skinned[2]["entries"]
    assert (texture["texture"]["sampleType"], texture["visibility"]) == ("float", 2)
    assert sampler["sampler"]["type"] == "filtering"
    assert [entry["name"] for entry in layouts[4]["bindGroups"][0]["entries"]] == ["Frame"]
    assert layouts[8]["bindGroups"][0]["entries"][0]["buffer"]["type"] == "storage"


def stage(**layout: Any) -> dict[str, Any]:
    entry = {"binding": 4, "visibility": layout.pop("visibility", 1), "name": layout.pop("name", "a"), **layout}
    return {"bindGroups": [{"group": 0, "entries": [entry]}]}


def test_features_of_the_device(layouts: list[dict[str, Any]]) -> None:
    features = {layout["name"]: layout.get("requiredFeatures") for layout in layouts}
    assert features["blur.CSMain"] == ["texture-formats-tier2"]
    assert [name for name, of_layout in features.items() if of_layout] == ["blur.CSMain"]


def test_the_stricter_layout_holds_for_both_stages() -> None:
    texture = {"viewDimension": "2d", "multisampled": False}
    loads = stage(texture={"sampleType": "unfilterable-float", **texture})
    samples = stage(texture={"sampleType": "float", **texture}, visibility=2)
    for order in ([loads, samples], [samples, loads]):
        (entry,) = bind_groups(order)[0]["entries"]
        assert (entry["texture"]["sampleType"], entry["visibility"]) == ("float", 3)
    sizes = [stage(buffer={"type": "uniform", "minBindingSize": size}) for size in (16, 64)]
    assert bind_groups(sizes)[0]["entries"][0]["buffer"]["minBindingSize"] == 64
    assert bind_groups([]) == []


def test_different_resources_at_one_binding_are_refused() -> None:
    buffer, other = stage(buffer={"type": "uniform"}), stage(sampler={"type": "filtering"}, name="b")
    with pytest.raises(LayoutError, match="binding 4 of group 0 is `a` in one stage and `b` in another"):
        bind_groups([buffer, other])
    with pytest.raises(LayoutError):
        bind_groups([buffer, stage(buffer={"type": "storage"})])


def test_a_shader_that_wgsl_lacks_names_both_outputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config/shaders").mkdir(parents=True)
    (tmp_path / "shaders").mkdir()
    (tmp_path / "config/shaders/a.yaml").write_text(
        "outputs: [spv, webgpu_pipelines]\nshaders:\n  - { source: a.hlsl, profile: ps_6_0 }\n"
    )
    (tmp_path / "shaders/a.hlsl").write_text(
        "Texture2D t; SamplerState s; float4 main(float2 u : U) : SV_Target { return t.CalculateLevelOfDetail(s, u); }"
    )
    assert run(["build", "--root", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert "`wgsl_bindings` cannot be written for `a.main`" in told
    assert "hint: the output `webgpu_pipelines` is made of it, too" in told
