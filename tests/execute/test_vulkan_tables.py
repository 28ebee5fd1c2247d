"""C++ hosts that draw and compute using only the tables of a pipeline, with pipelines and with shader objects."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.reflection.pipeline import pipeline_cpp, pipeline_of
from tests.patience import PATIENCE

_HOST = Path(__file__).parent / "pipeline_host.hpp"
_NO_DEVICE = 77


def run_host(folder: Path, stages: Mapping[str, str], source: str, main: str) -> list[str]:
    """Compile the stages (entry point → profile), write their tables, and return what the host prints."""
    if shutil.which("g++") is None or not Path("/usr/include/vulkan/vulkan_core.h").exists():
        pytest.skip("needs g++ and the headers of Vulkan")
    reflections = []
    for entry, profile in stages.items():
        result = compile_shader(source, entry=entry, profile=profile, options=CompileOptions(target_env="vulkan1.3"))
        assert result.ok, [d.message for d in result.diagnostics]
        (folder / f"{entry}.spv").write_bytes(result.spirv)
        reflections.append(result.reflect())
    (folder / "tables.hpp").write_text(pipeline_cpp(pipeline_of(reflections), namespace="tables"))
    shutil.copy(_HOST, folder / "host.hpp")
    start = (
        '#include "host.hpp"\n#define HLSL_TOOL_UNBOUNDED_DESCRIPTORS 5\n#include "tables.hpp"\nusing namespace host;\n'
    )
    (folder / "main.cpp").write_text(f"{start}int main()\n{{\n    start();\n{main}}}\n")
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", "main", "-ldl"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    done = subprocess.run(
        [folder / "main"], cwd=folder, env=os.environ, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    if done.returncode == _NO_DEVICE:
        pytest.skip("no device with shader objects")
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    return done.stdout.splitlines()


COMPUTE = """
[[vk::constant_id(4)]] const int scale = 3;
[[vk::constant_id(2)]] const bool negate = false;
[[vk::constant_id(9)]] const double bias = 0.5;
struct Push { [[vk::offset(8)]] uint first; [[vk::offset(20)]] uint step; };
[[vk::push_constant]] Push push;
cbuffer Values : register(b2, space1) { uint4 unused; uint4 add; };
StructuredBuffer<uint> many[] : register(t1, space3);
RWStructuredBuffer<int> sums : register(u7);
[numthreads(4, 1, 1)] void CSMain(uint i : SV_DispatchThreadID)
{
    int sum = many[NonUniformResourceIndex(push.first + i)][push.step] * scale + add[i] + (int)(bias * 4);
    sums[i] = negate ? -sum : sum;
}
"""
COMPUTE_MAIN = """
    static_assert(tables::push_constants[0].offset == 8 && tables::push_constants[0].size == 16);
    for (bool object : {false, true}) {
        Resources all = resources({std::begin(tables::set_infos), std::end(tables::set_infos)},
                                  {std::begin(tables::push_constants), std::end(tables::push_constants)});
        const auto& sums = all.at(0, tables::set0_bindings[0].binding);
        for (uint32_t i = 0; i < 4; i++) all.at(1, tables::set1_bindings[0].binding).as<uint32_t>()[4 + i] = 100 * i;
        for (uint32_t i = 0; i < 5; i++) all.at(3, tables::set3_bindings[0].binding, i).as<uint32_t>()[6] = 10 + i;

        // The defaults, but for `negate` and `bias` in shader objects
        std::vector<unsigned char> data(std::begin(tables::CSMain_defaults), std::end(tables::CSMain_defaults));
        VkSpecializationInfo special = tables::CSMain_specialization;
        special.pData = data.data();
        const VkBool32 yes = VK_TRUE;
        const double two = 2;
        for (const auto& entry : tables::CSMain_map_entries) {
            if (object && entry.constantID == 2) std::memcpy(&data[entry.offset], &yes, entry.size);
            if (object && entry.constantID == 9) std::memcpy(&data[entry.offset], &two, entry.size);
        }
        VkPipeline pipeline = VK_NULL_HANDLE;
        VkShaderEXT shader = VK_NULL_HANDLE;
        if (object) {
            auto info = tables::CSMain_shader;
            info.pSpecializationInfo = &special;
            shader = host::object(info, "CSMain.spv", all);
        } else {
            auto info = stage(tables::CSMain_stage, "CSMain.spv");
            info.pSpecializationInfo = &special;
            pipeline = compute_pipeline(info, all);
        }
        VkCommandBuffer commands = begin();
        uint32_t push[6] = {0, 0, 1, 0, 0, 6};
        bind(commands, VK_PIPELINE_BIND_POINT_COMPUTE, all, push);
        if (object) bind_objects(commands, {tables::CSMain_shader.stage}, {shader});
        else VK(vkCmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        VK(vkCmdDispatch)(commands, 1, 1, 1);
        finish(commands);
        for (int i = 0; i < 4; i++) PRINT("%d%c", sums.as<int>()[i], i < 3 ? ' ' : '\\n');
    }
"""


def test_compute(tmp_path: Path) -> None:
    """Tables describe sets with gaps, an unbounded array, push constants with offsets, and constants of three types."""
    lines = run_host(tmp_path, {"CSMain": "cs_6_0"}, COMPUTE, COMPUTE_MAIN)
    sums = [(11 + i) * 3 + 100 * i for i in range(4)]
    assert lines == [" ".join(str(s + 2) for s in sums), " ".join(str(-(s + 8)) for s in sums)]


DRAW = """
[[vk::constant_id(0)]] const float brightness = 0.25;
struct Push { float4 offset; float4 tint; };
[[vk::push_constant]] Push push;
cbuffer Frame : register(b1) { float4 scale; };
StructuredBuffer<float4> palette : register(t4, space1);
struct VIn { float2x3 place : PLACE; uint2 index : INDEX; float3 colors[2] : COLOR; float weight : WEIGHT; };
struct VOut { float4 position : SV_Position; float3 color : COLOR; nointerpolation uint2 index : INDEX; };
VOut VSMain(VIn i)
{
    VOut o;
    o.position = float4(i.place[1].xy * scale.xy, 0, 1) + push.offset;
    o.color = i.colors[1] * i.weight;
    o.index = i.index;
    return o;
}
struct POut { float4 color : SV_Target0; uint2 index : SV_Target2; };
POut PSMain(VOut i)
{
    POut o;
    o.color = float4(i.color * brightness, 1) * push.tint + palette[i.index.x];
    o.index = i.index + uint2(0, 7);
    return o;
}
"""
DRAW_MAIN = """
    static_assert(tables::color_attachment_count == 3 && !tables::writes_depth);
    for (bool object : {false, true}) {
        Resources all = resources({std::begin(tables::set_infos), std::end(tables::set_infos)},
                                  {std::begin(tables::push_constants), std::end(tables::push_constants)});
        float* scale = all.at(0, tables::set0_bindings[0].binding).as<float>();
        scale[0] = scale[1] = 0.5f;
        float* palette = all.at(1, tables::set1_bindings[0].binding).as<float>();
        for (int i = 0; i < 4; i++) palette[4 * 2 + i] = 10.0f + i;
        const auto& formats = tables::color_attachment_formats;
        Targets to = targets({std::begin(formats), std::end(formats)});

        // Three vertices, attribute by attribute: two rows of a matrix, two integers, two colours, a weight
        const float corners[3][2] = {{-2, -2}, {6, -2}, {-2, 6}};
        Buffer vertices = buffer(3 * tables::vertex_bindings[0].stride);
        for (int v = 0; v < 3; v++) {
            auto put = [&](int attribute, const void* data, size_t size) {
                char* at = vertices.as<char>() + v * tables::vertex_bindings[0].stride;
                std::memcpy(at + tables::vertex_attributes[attribute].offset, data, size);
            };
            const float row[3] = {corners[v][0], corners[v][1], 0}, color[3] = {1, 2, 4};
            const uint32_t index[2] = {2, 30};
            const float weight = 2;
            put(1, row, sizeof row);
            put(2, index, sizeof index);
            put(4, color, sizeof color);
            put(5, &weight, sizeof weight);
        }
        const float push[8] = {0, 0, 0, 0, 1, 1, 0.5f, 1};
        auto draw = [&](VkCommandBuffer commands) {
            bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, all, push);
            const VkDeviceSize none = 0;
            VK(vkCmdBindVertexBuffers)(commands, 0, 1, &vertices.handle, &none);
            VK(vkCmdDraw)(commands, 3, 1, 0, 0);
        };
        if (object) {
            VkShaderEXT vs = host::object(tables::VSMain_shader, "VSMain.spv", all);
            VkShaderEXT ps = host::object(tables::PSMain_shader, "PSMain.spv", all);
            render(to, [&](VkCommandBuffer commands) {
                object_state(commands, tables::color_attachment_count);
                using Set = void (*)(VkCommandBuffer, uint32_t, const VkVertexInputBindingDescription2EXT*, uint32_t,
                                     const VkVertexInputAttributeDescription2EXT*);
                auto set = VK(vkGetDeviceProcAddr)(device, "vkCmdSetVertexInputEXT");
                reinterpret_cast<Set>(set)(commands, 1, tables::dynamic_vertex_bindings,
                                           uint32_t(std::size(tables::dynamic_vertex_attributes)),
                                           tables::dynamic_vertex_attributes);
                bind_objects(commands, {tables::VSMain_shader.stage, tables::PSMain_shader.stage}, {vs, ps});
                draw(commands);
            });
        } else {
            VkPipelineVertexInputStateCreateInfo input{};
            input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
            input.vertexBindingDescriptionCount = uint32_t(std::size(tables::vertex_bindings));
            input.pVertexBindingDescriptions = tables::vertex_bindings;
            input.vertexAttributeDescriptionCount = uint32_t(std::size(tables::vertex_attributes));
            input.pVertexAttributeDescriptions = tables::vertex_attributes;
            auto vs = stage(tables::VSMain_stage, "VSMain.spv"), ps = stage(tables::PSMain_stage, "PSMain.spv");
            VkPipeline pipeline = graphics_pipeline({vs, ps}, all, to, &input);
            render(to, [&](VkCommandBuffer commands) {
                VK(vkCmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
                draw(commands);
            });
        }
        for (int i = 0; i < 4; i++) PRINT("%g ", to.copies[0].as<float>()[4 * 5 + i]);
        PRINT("%u %u\\n", to.copies[2].as<uint32_t>()[2 * 5], to.copies[2].as<uint32_t>()[2 * 5 + 1]);
    }
"""


def test_drawing(tmp_path: Path) -> None:
    """Tables describe matrix, integer and array attributes, colours with a gap, constants, sets and a push range."""
    lines = run_host(tmp_path, {"VSMain": "vs_6_0", "PSMain": "ps_6_0"}, DRAW, DRAW_MAIN)
    assert lines == ["10.5 12 13 14 2 37"] * 2


MESH = """
struct Payload { float4 color; };
groupshared Payload payload;
[[vk::push_constant]] struct { float4 color; uint groups; } push;
StructuredBuffer<float2> corners : register(t3);
[numthreads(1, 1, 1)] void Task()
{
    payload.color = push.color;
    DispatchMesh(push.groups, 1, 1, payload);
}
struct Vertex { float4 position : SV_Position; float4 color : COLOR; };
[outputtopology("triangle")] [numthreads(3, 1, 1)]
void Mesh(uint i : SV_GroupThreadID, in payload Payload p, out vertices Vertex v[3], out indices uint3 t[1])
{
    SetMeshOutputCounts(3, 1);
    v[i].position = float4(corners[i], 0, 1);
    v[i].color = p.color * 2;
    t[0] = uint3(0, 1, 2);
}
float4 Paint(Vertex v) : SV_Target { return v.color + push.color; }
"""
MESH_MAIN = """
    for (bool object : {false, true}) {
        Resources all = resources({std::begin(tables::set_infos), std::end(tables::set_infos)},
                                  {std::begin(tables::push_constants), std::end(tables::push_constants)});
        const float corners[6] = {-1, -1, 3, -1, -1, 3};
        std::memcpy(all.at(0, tables::set0_bindings[0].binding).data, corners, sizeof corners);
        const auto& formats = tables::color_attachment_formats;
        Targets to = targets({std::begin(formats), std::end(formats)});
        struct { float color[4]; uint32_t groups; } push{{1, 2, 3, 4}, 1};
        auto draw = [&](VkCommandBuffer commands) {
            bind(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, all, &push);
            auto tasks = VK(vkGetDeviceProcAddr)(device, "vkCmdDrawMeshTasksEXT");
            reinterpret_cast<void (*)(VkCommandBuffer, uint32_t, uint32_t, uint32_t)>(tasks)(commands, 1, 1, 1);
        };
        if (object) {
            VkShaderEXT shaders[] = {host::object(tables::Task_shader, "Task.spv", all),
                                     host::object(tables::Mesh_shader, "Mesh.spv", all),
                                     host::object(tables::Paint_shader, "Paint.spv", all)};
            render(to, [&](VkCommandBuffer commands) {
                object_state(commands, tables::color_attachment_count);
                bind_objects(commands, {VK_SHADER_STAGE_VERTEX_BIT}, {VK_NULL_HANDLE});
                bind_objects(commands,
                             {tables::Task_shader.stage, tables::Mesh_shader.stage, tables::Paint_shader.stage},
                             {shaders[0], shaders[1], shaders[2]});
                draw(commands);
            });
        } else {
            VkPipeline pipeline = graphics_pipeline(
                {stage(tables::Task_stage, "Task.spv"), stage(tables::Mesh_stage, "Mesh.spv"),
                 stage(tables::Paint_stage, "Paint.spv")}, all, to, nullptr);
            render(to, [&](VkCommandBuffer commands) {
                VK(vkCmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
                draw(commands);
            });
        }
        for (int i = 0; i < 4; i++) PRINT("%g%c", to.copies[0].as<float>()[4 * 5 + i], i < 3 ? ' ' : '\\n');
    }
"""


def test_mesh_shaders(tmp_path: Path) -> None:
    lines = run_host(tmp_path, {"Task": "as_6_5", "Mesh": "ms_6_5", "Paint": "ps_6_0"}, MESH, MESH_MAIN)
    assert lines == ["3 6 9 12"] * 2


BARE = "[numthreads(1, 1, 1)] void CSMain() {}"
BARE_MAIN = """
    Resources none = resources({}, {});
    VkPipeline pipeline = compute_pipeline(stage(tables::CSMain_stage, "CSMain.spv"), none);
    VkShaderEXT shader = host::object(tables::CSMain_shader, "CSMain.spv", none);
    std::puts(pipeline && shader ? "made" : "nothing");
"""


def test_a_shader_without_resources(tmp_path: Path) -> None:
    assert run_host(tmp_path, {"CSMain": "cs_6_0"}, BARE, BARE_MAIN) == ["made"]
