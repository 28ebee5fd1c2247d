"""Options of the conversion: the WGSL with and without each of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hlsl_tool.base.options.wgsl import WGSL
from hlsl_tool.cli.__main__ import run as command_line
from hlsl_tool.spirv.decode import decode
from hlsl_tool.wgsl import WgslError, bindings_json, convert, convert_module
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.interface.moved import Moved
from hlsl_tool.wgsl.module.view import View
from hlsl_tool.wgsl.options import Options
from hlsl_tool.wgsl.pipelines import bind_groups

from .conversion import compile_hlsl

PUSH = """
struct Push { float4 scale; %s };
[[vk::push_constant]] Push push;
[[vk::binding(0, %d)]] RWStructuredBuffer<float4> result;
[numthreads(1, 1, 1)] void main() { result[0] = push.scale; }
"""
HEAP = """
Texture2D<float4> textures[] : register(t0);
StructuredBuffer<uint> indices : register(t1, space1);
RWStructuredBuffer<float4> result : register(u0, space1);
[numthreads(1, 1, 1)] void main(uint i : SV_GroupID) { result[i] = textures[indices[i]].Load(int3(0, 0, 0)); }
"""
FAR = """
[[vk::binding(3, 0)]] Texture2D near;
[[vk::binding(1003, 0)]] Texture2D far;
[[vk::binding(2, 7)]] SamplerState state;
float4 main(float2 uv : UV) : SV_Target { return near.Sample(state, uv) + far.Sample(state, uv); }
"""
TEXELS = """
[[vk::image_format("rgba8")]] RWBuffer<float4> colours;
Buffer<float3> positions;
[numthreads(1, 1, 1)] void main(uint i : SV_GroupID) { colours[i] = float4(positions[i], 1); }
"""
POINTS = """
struct Output { float4 position : SV_Position; [[vk::builtin("PointSize")]] float size : PSIZE; };
Output main(float4 p : P) { Output o = { p, p.w }; return o; }
"""
TARGETS = """
struct Output { float2 velocity : SV_Target0; uint3 id : SV_Target1; float4 colour : SV_Target2; };
Output main(float2 uv : UV) { Output o = { uv, uint3(1, 2, 3), float4(uv, 0, 1) }; return o; }
"""
BARRIER = """
RWStructuredBuffer<uint> data;
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  if (id.x < 3) { data[id.x] = 1; DeviceMemoryBarrier(); data[id.x + 7] = 2; }
}
"""


def compiled(text: str, profile: str, folder: Path) -> bytes:
    source = folder / "a.hlsl"
    source.write_text(text)
    return compile_hlsl(source, ["-T", profile, "-E", "main", "-fvk-use-scalar-layout"], folder)


def layouts(spirv: bytes, **options: Any) -> Any:
    return json.loads(bindings_json(convert_module(spirv, options).bindings))


def test_immediates_have_a_size_and_no_group(tmp_path: Path) -> None:
    spirv = compiled(PUSH % ("float factor;", 2), "cs_6_0", tmp_path)
    assert "var<immediate> push" in convert(spirv)
    content = layouts(spirv)
    assert content["immediateSize"] == content["immediates"][0]["size"] == 32
    assert [group["group"] for group in content["bindGroups"]] == [2]


@pytest.mark.parametrize("member", ["float factors[4];", "float4x4 first, second;"])
def test_a_type_that_immediates_cannot_hold_makes_a_uniform_buffer(member: str, tmp_path: Path) -> None:
    spirv = compiled(PUSH % (member, 2), "cs_6_0", tmp_path)
    assert "@group(3) @binding(0) var<uniform> push" in convert(spirv)


def test_push_constants_are_a_uniform_buffer_by_option(tmp_path: Path) -> None:
    spirv = compiled(PUSH % ("", 3), "cs_6_0", tmp_path)
    assert "@group(4) @binding(0) var<uniform> push" in convert(spirv, {"immediates": "uniform"})
    assert "@group(3) @binding(500) var<uniform> push" in convert(
        spirv, {"immediates": "uniform", "bindings": "compact"}
    )


def test_arrays_without_a_length_get_one(tmp_path: Path) -> None:
    spirv = compiled(HEAP, "cs_6_0", tmp_path)
    with pytest.raises(WgslError, match="`unbounded_arrays` gives one"):
        convert(spirv)
    text = convert(spirv, {"unbounded_arrays": 8})
    assert text.count(": texture_2d<f32>;") == 8
    assert "default: {" in text


def test_bindings_that_webgpu_refuses_move(tmp_path: Path) -> None:
    spirv = compiled(FAR, "ps_6_0", tmp_path)
    places = {
        entry["name"]: (group["group"], entry["binding"], entry["from"]["set"], entry["from"]["binding"])
        for group in layouts(spirv, bindings="compact")["bindGroups"]
        for entry in group["entries"]
    }
    assert places == {"near": (0, 3, 0, 3), "far": (0, 700, 0, 1003), "state": (3, 700, 7, 2)}


def test_stages_whose_bindings_moved_share_layouts(tmp_path: Path) -> None:
    declarations = """
    [[vk::binding(1000, 5)]] cbuffer Camera { float4x4 view; };
    [[vk::binding(1, 0)]] Texture2D heights;
    [[vk::binding(1500, 0)]] Texture2D colours;
    [[vk::binding(1501, 0)]] SamplerState state;
    """
    vertex = "float4 main(float4 p : P) : SV_Position { return mul(view, p + heights.Load(0)); }"
    pixel = """
    float4 main(float4 p : SV_Position) : SV_Target {
        return mul(view, colours.Sample(state, p.xy) + heights.Load(0));
    }"""
    stages = [
        layouts(compiled(declarations + text, profile, tmp_path), bindings="compact")
        for text, profile in ((vertex, "vs_6_0"), (pixel, "ps_6_0"))
    ]
    groups = bind_groups(stages)
    assert [len(group["entries"]) for group in groups] == [3, 0, 0, 2]
    shared = groups[0]["entries"][0]
    assert (shared["name"], shared["binding"], shared["visibility"]) == ("heights", 1, 3)
    assert [entry["binding"] for entry in groups[3]["entries"]] == [500, 700]


def test_more_bindings_than_there_are_numbers_are_refused(tmp_path: Path) -> None:
    view = View(decode(compiled(FAR, "ps_6_0", tmp_path)))
    moved = Moved(view, compact=True)
    places = {moved.place(0, 4, number) for number in range(4 * 300)}
    assert len(places) == 4 * 300
    assert all(group < 4 and 700 <= binding < 1000 for group, binding in places)
    with pytest.raises(Unsupported, match="more bindings than WebGPU has numbers"):
        moved.place(0, 4, 4 * 300)


def test_options_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = tmp_path / "far.spv"
    module.write_bytes(compiled(FAR, "ps_6_0", tmp_path))
    flags = ["--compact-bindings", "--immediates", "uniform", "--unbounded-arrays", "4", "--expand-texel-buffers"]
    assert (
        command_line(
            ["wgsl", str(module), *flags, "--drop-point-size", "--pad-targets", "--naga", "--exact-storage-formats"]
        )
        == 0
    )
    assert "@group(0) @binding(700) var far" in capsys.readouterr().out


@pytest.mark.parametrize("number", ["1000001", "-1", "x"])
def test_lengths_out_of_range_are_refused_in_one_line(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command_line(["wgsl", "far.spv", f"--unbounded-arrays={number}"])
    assert capsys.readouterr().err == (
        f"hlsl_tool: error: argument --unbounded-arrays: `{number}` is not a number from 0 to 1000000;"
        " see `hlsl_tool wgsl --help`\n"
    )


def test_texel_buffers_are_expanded_by_option(tmp_path: Path) -> None:
    spirv = compiled(TEXELS, "cs_6_0", tmp_path)
    with pytest.raises(WgslError, match="`texel_buffers: expanded` reads such"):
        convert(spirv)
    text = convert(spirv, {"texel_buffers": "expanded"})
    assert "var<storage, read_write> colours: array<vec4f>;" in text
    assert "var<storage, read> positions: array<vec4f>;" in text


def test_point_sizes_are_dropped_by_option(tmp_path: Path) -> None:
    spirv = compiled(POINTS, "vs_6_0", tmp_path)
    with pytest.raises(WgslError, match="`point_size: drop` drops others"):
        convert(spirv)
    assert "@builtin(position)" in convert(spirv, {"point_size": "drop"})


def test_draw_parameters_are_zero_by_option(tmp_path: Path) -> None:
    text = """
    float4 main(uint i : SV_InstanceID, [[vk::builtin("BaseVertex")]] uint first : A,
                [[vk::builtin("DrawIndex")]] uint draw : B) : SV_Position { return float4(i, first + 7, draw, 1); }
    """
    source = tmp_path / "a.hlsl"
    source.write_text(text)
    options = ["-T", "vs_6_0", "-E", "main", "-fspv-target-env=vulkan1.1"]
    spirv = compile_hlsl(source, options, tmp_path)
    with pytest.raises(WgslError, match=r"no vertex input Base.*`draw_parameters: zero`"):
        convert(spirv)
    converted = convert(spirv, {"draw_parameters": "zero"})
    assert "@builtin(instance_index)" in converted
    assert "const base_vertex: u32 = 0u;" in converted
    assert "const draw_index: u32 = 0u;" in converted
    assert "f32(draw_index), 1.0f)" in converted


@pytest.mark.parametrize("samples", [False, True])
def test_subpass_inputs_are_textures_by_option(samples: bool, tmp_path: Path) -> None:
    kind, argument = ("SubpassInputMS", "3") if samples else ("SubpassInput", "")
    spirv = compiled(
        f"[[vk::input_attachment_index(0)]] {kind} colour;\n"
        f"float4 main() : SV_Target {{ return colour.SubpassLoad({argument}); }}",
        "ps_6_0",
        tmp_path,
    )
    with pytest.raises(WgslError, match=r"no subpass inputs .`subpass_inputs: textures`"):
        convert(spirv)
    text = convert(spirv, {"subpass_inputs": "textures"})
    assert f"var colour: {'texture_multisampled_2d' if samples else 'texture_2d'}<f32>;" in text
    assert "@builtin(position)" in text
    assert "textureLoad(colour, vec2i(" in text
    (group,) = layouts(spirv, subpass_inputs="textures")["bindGroups"]
    assert group["entries"][0]["texture"]["sampleType"] == "unfilterable-float"


def test_targets_are_padded_by_option(tmp_path: Path) -> None:
    spirv = compiled(TARGETS, "ps_6_0", tmp_path)
    assert "@location(0) SV_Target0: vec2f," in convert(spirv)
    text = convert(spirv, {"pad_targets": True})
    assert "@location(0) SV_Target0: vec4f," in text
    assert "@location(1) SV_Target1: vec4u," in text
    assert "vec4f(UV, 0.0f, 1.0f), vec4u(vec3u(1u, 2u, 3u), 1u), " in text


def test_memory_barriers_in_branches_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WgslError, match=r"without waiting for the workgroup; .* depends on `GlobalInvocationId`"):
        convert(compiled(BARRIER, "cs_6_0", tmp_path))


def test_formats_stay_by_option(tmp_path: Path) -> None:
    text = """
    RWTexture2D<float2> image;
    [numthreads(8, 8, 1)] void main(uint2 at : SV_DispatchThreadID) { image[at] = image[at].yx; }
    """
    with pytest.raises(WgslError, match="cannot read and write textures of format rg32float"):
        convert(compiled(text, "cs_6_0", tmp_path), {"storage_formats": "exact"})


def test_directives_that_naga_lacks_are_left_out_by_option(tmp_path: Path) -> None:
    text = """
    RWStructuredBuffer<float> data;
    [numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) { data[i] = WaveActiveSum(data[i]); }
    """
    source = tmp_path / "a.hlsl"
    source.write_text(text)
    options = ["-T", "cs_6_0", "-E", "main", "-fspv-target-env=vulkan1.1"]
    spirv = compile_hlsl(source, options, tmp_path)
    assert convert(spirv).startswith("enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n")
    assert "subgroupAdd(" in convert(spirv, {"naga": True})
    assert "enable" not in convert(spirv, {"naga": True})


@pytest.mark.parametrize(
    "options",
    [
        {"immediate": "auto"},
        {"immediates": "yes"},
        {"unbounded_arrays": 1_000_001},
        {"arrays": "bindless"},
        {"unbounded_arrays": "4"},
        {"unbounded_arrays": True},
        {"unbounded_arrays": None},
        {"naga": "no"},
    ],
)
def test_unknown_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"option `(immediate|unbounded|arrays|naga)"):
        convert(b"", options)


@pytest.mark.parametrize("name", ["validate", "comments", "pad_targets", "naga"])
@pytest.mark.parametrize("value", ["yes", 1, None, []])
def test_a_switch_is_true_or_false(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"the option `{name}` is"):
        Options.read({name: value})
    for good in (True, False):
        options = Options.read({name: good})
        assert (
            getattr(options.compilation if name in WGSL else options, f"wgsl_{name}" if name in WGSL else name) is good
        )
