"""The values for a pipeline's create infos: as data, and as C++ that compiles."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.reflection.pipeline import PipelineError, pipeline_cpp, pipeline_of, tables_json
from hlsl_tool.reflection.reflection import Reflection

SHADER = """
struct Push { float4x4 mvp; uint flags; };
[[vk::push_constant]] Push push;
[[vk::constant_id(3)]] const int count = -4;
[[vk::constant_id(7)]] const double scale = 1.5;
[[vk::constant_id(5)]] const bool tinted = true;
cbuffer C : register(b0) { float4 color; };
Texture2D tex[4] : register(t1, space2);
SamplerState smp : register(s2);
Texture2D many[] : register(t0, space3);
struct VIn { float3 pos : POSITION; float2 uv : UV; uint4 joints : JOINTS; float3x4 inst : INST; int id : ID; };
struct VOut { float4 pos : SV_Position; float2 uv : UV; };
VOut VSMain(VIn i) {
  VOut o;
  o.pos = mul(push.mvp, float4(i.pos, 1)) * count * (float)scale * i.inst[2] + i.id;
  o.uv = i.uv + i.joints.xy + (tinted ? color.xy : 0);
  return o;
}
struct POut { float4 a : SV_Target0; uint2 b : SV_Target2; float d : SV_Depth; };
POut PSMain(VOut i) {
  POut o;
  o.a = tex[push.flags & 3].Sample(smp, i.uv) + many[NonUniformResourceIndex(push.flags)].Sample(smp, i.uv) + color;
  o.b = 1; o.d = 0.5;
  return o;
}
[WaveSize(32)] [numthreads(32, 2, 1)] void CSMain() {}
[WaveSize(16, 64, 32)] [numthreads(32, 2, 1)] void CSRange() {}
"""
MESH = """
struct V { float4 p : SV_Position; };
[outputtopology("triangle")] [numthreads(1, 1, 1)]
void main(out vertices V v[3], out indices uint3 t[1]) { SetMeshOutputCounts(3, 1); v[0].p = 0; t[0] = uint3(0, 1, 2); }
"""


def reflected(entry: str, profile: str, source: str = SHADER) -> Reflection:
    options = CompileOptions(target_env="vulkan1.3")
    result = compile_shader(source, entry=entry, profile=profile, options=options)
    assert result.ok, [d.message for d in result.diagnostics]
    return result.reflect()


@pytest.fixture(scope="module")
def stages() -> list[Reflection]:
    return [reflected("PSMain", "ps_6_0"), reflected("VSMain", "vs_6_0")]


def test_set_layouts(stages: list[Reflection]) -> None:
    layouts = pipeline_of(stages).set_layouts
    both = ["VK_SHADER_STAGE_VERTEX_BIT", "VK_SHADER_STAGE_FRAGMENT_BIT"]
    pixels = both[1:]
    rows = [[(b.binding, b.type, b.count, b.stages, b.name) for b in layout.bindings] for layout in layouts]
    assert rows == [
        [
            (0, "VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER", 1, both, "C"),
            (2, "VK_DESCRIPTOR_TYPE_SAMPLER", 1, pixels, "smp"),
        ],
        [],
        [(1, "VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE", 4, pixels, "tex")],
        [(0, "VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE", None, pixels, "many")],
    ]
    flags = "VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT", "VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT"
    assert layouts[3].bindings[0].flags == [*flags]
    assert not layouts[2].bindings[0].flags


def test_push_constants_have_one_range_for_all_stages(stages: list[Reflection]) -> None:
    (used,) = pipeline_of(stages).push_constants
    assert (used.offset, used.size) == (0, 68)
    assert used.stages == ["VK_SHADER_STAGE_VERTEX_BIT", "VK_SHADER_STAGE_FRAGMENT_BIT"]
    (alone,) = pipeline_of(stages[:1]).push_constants
    assert (alone.offset, alone.size) == (0, 68)  # the pixel shader uses the last member; a range holds the whole block


def test_specialisation_maps(stages: list[Reflection]) -> None:
    vertex, pixel = pipeline_of(stages).stages
    assert [(e.constant_id, e.offset, e.size, e.default) for e in vertex.specialization] == [
        (3, 0, 4, -4),
        (5, 4, 4, True),
        (7, 8, 8, 1.5),
    ]
    assert bytes.fromhex(vertex.specialization_data) == struct.pack("<iId", -4, 1, 1.5)
    assert not pixel.specialization
    assert vertex.next_stages == ["VK_SHADER_STAGE_FRAGMENT_BIT"]
    assert not pixel.next_stages
    assert "// tinted, default true\n" in pipeline_cpp(pipeline_of(stages), namespace="mesh")


def test_vertex_input(stages: list[Reflection]) -> None:
    vertex = pipeline_of(stages).vertex_input
    assert vertex is not None
    assert [(a.location, a.format, a.offset, a.name) for a in vertex.attributes] == [
        (0, "VK_FORMAT_R32G32B32_SFLOAT", 0, "POSITION"),
        (1, "VK_FORMAT_R32G32_SFLOAT", 12, "UV"),
        (2, "VK_FORMAT_R32G32B32A32_UINT", 20, "JOINTS"),
        (3, "VK_FORMAT_R32G32B32A32_SFLOAT", 36, "INST"),
        (4, "VK_FORMAT_R32G32B32A32_SFLOAT", 52, "INST"),
        (5, "VK_FORMAT_R32G32B32A32_SFLOAT", 68, "INST"),
        (6, "VK_FORMAT_R32_SINT", 84, "ID"),
    ]
    assert vertex.stride == 88


def test_attachments(stages: list[Reflection]) -> None:
    tables = pipeline_of(stages)
    assert [(a.location, a.type, a.components) for a in tables.color_attachments] == [(0, "float", 4), (2, "uint", 2)]
    assert (tables.writes_depth, tables.writes_stencil) == (True, False)


def test_wave_sizes() -> None:
    fixed = pipeline_of([reflected("CSMain", "cs_6_6")]).stages[0]
    assert (fixed.subgroup_size, fixed.subgroup_sizes, fixed.workgroup_size) == (32, [], [32, 2, 1])
    ranged = pipeline_of([reflected("CSRange", "cs_6_8")]).stages[0]
    assert (ranged.subgroup_size, ranged.subgroup_sizes) == (32, [16, 64])


def test_a_mesh_shader_without_a_task_shader_has_its_flag() -> None:
    (stage,) = pipeline_of([reflected("main", "ms_6_5", MESH)]).stages
    assert stage.create_flags == ["VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT"]
    assert stage.stage == "VK_SHADER_STAGE_MESH_BIT_EXT"


def test_stages_that_disagree(stages: list[Reflection]) -> None:
    other = reflected("main", "ps_6_0", "RWBuffer<float> b : register(u0); float4 main() : SV_Target { return b[0]; }")
    with pytest.raises(PipelineError, match="binding 0 of set 0 is VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER"):
        pipeline_of([stages[1], other])


def test_json(stages: list[Reflection]) -> None:
    content = json.loads(tables_json(pipeline_of(stages)))
    assert content["format"] == 1
    assert content["set_layouts"][0]["bindings"][0]["type"] == "VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER"


SHADER_OBJECTS = """
#include <vulkan/vulkan_core.h>
#ifndef VK_EXT_shader_object  // as newer headers declare it
#define VK_EXT_shader_object 1
typedef VkFlags VkShaderCreateFlagsEXT;
typedef enum VkShaderCodeTypeEXT { VK_SHADER_CODE_TYPE_SPIRV_EXT = 1 } VkShaderCodeTypeEXT;
constexpr VkStructureType VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT = VkStructureType(1000482002);
constexpr VkShaderCreateFlagsEXT VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT = 8;
struct VkShaderCreateInfoEXT {
    VkStructureType sType; const void* pNext; VkShaderCreateFlagsEXT flags; VkShaderStageFlagBits stage;
    VkShaderStageFlags nextStage; VkShaderCodeTypeEXT codeType; size_t codeSize; const void* pCode; const char* pName;
    uint32_t setLayoutCount; const VkDescriptorSetLayout* pSetLayouts;
    uint32_t pushConstantRangeCount; const VkPushConstantRange* pPushConstantRanges;
    const VkSpecializationInfo* pSpecializationInfo;
};
#endif
"""
MAIN = """
#include "tables.hpp"
#include "tables.hpp"
int main() {
    using namespace game::tables;
    static_assert(set_infos[1]->bindingCount == 0 && set0_info.bindingCount == 2);
    static_assert(push_constants[0].size == 68 && color_attachment_count == 3 && writes_depth && !writes_stencil);
    static_assert(vertex_attributes[6].format == VK_FORMAT_R32_SINT && vertex_bindings[0].stride == 88);
    if (VSMain_stage.pSpecializationInfo->mapEntryCount != 3) return 1;
    if (VSMain_shader.nextStage != VK_SHADER_STAGE_FRAGMENT_BIT || VSMain_shader.setLayoutCount != 4) return 2;
    int count;
    __builtin_memcpy(&count, VSMain_defaults, 4);
    return count == -4 ? 0 : 3;
}
"""


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_cpp_compiles(stages: list[Reflection], tmp_path: Path, standard: str) -> None:
    if shutil.which("g++") is None or not Path("/usr/include/vulkan/vulkan_core.h").exists():
        pytest.skip("needs g++ and the headers of Vulkan")
    (tmp_path / "tables.hpp").write_text(pipeline_cpp(pipeline_of(stages), namespace="game::tables"))
    (tmp_path / "main.cpp").write_text(SHADER_OBJECTS + MAIN)
    command = ["g++", f"-std={standard}", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", "main"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "main"], check=False).returncode == 0
