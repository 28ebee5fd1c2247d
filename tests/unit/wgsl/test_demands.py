"""Execution modes, decorations and built-ins: each is translated, ignored as harmless, or rejected by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.enums import BuiltIn, Decoration, ExecutionMode
from hlsl_tool.spirv.enums import ImageOperands as I
from hlsl_tool.spirv.grammar.tables import ENUMERANTS, enum_name
from hlsl_tool.spirv.ir import Instruction, Module
from hlsl_tool.wgsl import WgslError, convert
from hlsl_tool.wgsl.convert import _converted
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.interface.io_tables import INPUTS, OUTPUTS
from hlsl_tool.wgsl.module.demands import KNOWN, MODES, QUADS, RECONVERGENCE
from hlsl_tool.wgsl.module.image_operands import image_operands
from hlsl_tool.wgsl.options import Options

from .conversion import assemble, compile_hlsl, compute

HARMLESS = MODES | QUADS | RECONVERGENCE | {ExecutionMode.EarlyFragmentTests}
"""Modes that a shader may have which does nothing that depends on them."""

FRAGMENT = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %colour
OpExecutionMode %main OriginUpperLeft
OpDecorate %colour Location 0
%void = OpTypeVoid
%float = OpTypeFloat 32
%v4float = OpTypeVector %float 4
%ptr = OpTypePointer Output %v4float
%colour = OpVariable %ptr Output
%procedure = OpTypeFunction %void
%f1 = OpConstant %float 1
%white = OpConstantComposite %v4float %f1 %f1 %f1 %f1
%main = OpFunction %void None %procedure
%entry = OpLabel
OpStore %colour %white
OpReturn
OpFunctionEnd
"""
BUILT_IN = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint {model} %main "main" %value %pos
{mode}
OpDecorate %value BuiltIn {name}
OpDecorate %pos Location 0
%void = OpTypeVoid
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%ptr = OpTypePointer {space} %uint
%ptr_pos = OpTypePointer Output %uint
%value = OpVariable %ptr {space}
%pos = OpVariable %ptr_pos Output
%u1 = OpConstant %uint 1
%procedure = OpTypeFunction %void
%main = OpFunction %void None %procedure
%entry = OpLabel
{use}
OpReturn
OpFunctionEnd
"""


def converted(source: str, options: str, folder: Path) -> str:
    path = folder / "a.hlsl"
    path.write_text(source)
    return convert(compile_hlsl(path, options.split(), folder))


def error_of(module: Module) -> str:
    """Return the reason why a module is rejected; empty if it is converted."""
    try:
        _converted(module, Options(validate=False))
    except WgslError as error:
        return error.reason
    return ""


def test_every_execution_mode_is_known_or_refused_by_name() -> None:
    data = assemble(FRAGMENT)
    for mode in ENUMERANTS["ExecutionMode"]:
        module = decode(data)
        module.execution_modes.append(Instruction(op.OpExecutionMode, 0, 0, [module.entry_points[0].id(1), mode]))
        name = enum_name("ExecutionMode", mode)
        assert error_of(module) == ("" if mode in HARMLESS else f"WGSL has no execution mode {name}")


def test_every_decoration_is_known_or_refused_by_name() -> None:
    data = assemble(FRAGMENT)
    for decoration in ENUMERANTS["Decoration"].keys() - KNOWN:
        module = decode(data)
        module.annotations.append(Instruction(op.OpDecorate, 0, 0, [module.entry_points[0].id(3), decoration]))
        reason = error_of(module)
        assert reason.startswith("WGSL has no ")
        assert (enum_name("Decoration", decoration) or "") in reason


@pytest.mark.parametrize("stage", ["vertex", "fragment", "compute"])
@pytest.mark.parametrize("space", ["Input", "Output"])
def test_every_built_in_is_known_or_refused_by_name(space: str, stage: str) -> None:
    model, mode = {
        "vertex": ("Vertex", ""),
        "fragment": ("Fragment", "OpExecutionMode %main OriginUpperLeft"),
        "compute": ("GLCompute", "OpExecutionMode %main LocalSize 1 1 1"),
    }[stage]
    use = "%v = OpLoad %uint %value\nOpStore %pos %v" if space == "Input" else "OpStore %value %u1"
    data = assemble(BUILT_IN.format(model=model, mode=mode, name="Position", space=space, use=use))
    translated = {number for (at, number) in (INPUTS if space == "Input" else OUTPUTS) if at == stage}
    if (space, stage) == ("Output", "vertex"):
        translated.add(BuiltIn.PointSize)
    for number in ENUMERANTS["BuiltIn"].keys() - translated:
        module = decode(data)
        for inst in module.annotations:
            if inst.id(1) == Decoration.BuiltIn:
                inst.operands[2] = number
        error = error_of(module).removesuffix(" (`draw_parameters: zero` makes it 0)")
        assert error == f"WGSL has no {stage} {space.lower()} {enum_name('BuiltIn', number)}"


def test_only_positions_are_invariant() -> None:
    with pytest.raises(WgslError, match="Invariant for positions only"):
        convert(assemble(FRAGMENT.replace("%void = ", "OpDecorate %colour Invariant\n%void = ", 1)))


def test_stores_to_what_is_not_writable_are_errors() -> None:
    text = compute("%p = OpAccessChain %ptr_word %out %i0 %u0\nOpStore %p %u1\nOpReturn")
    with pytest.raises(WgslError, match="decorated NonWritable is written"):
        convert(assemble(text.replace("%void = ", "OpDecorate %out NonWritable\n%void = ", 1)))


# ------------------------------------------------------------------------------------------------------ from HLSL


def test_attributes_of_each_vertex_are_errors(tmp_path: Path) -> None:
    source = "float4 main(nointerpolation float3 c : C) : SV_Target { return GetAttributeAtVertex(c, 1).xyzz; }"
    with pytest.raises(WgslError, match=r"PerVertexKHR, `GetAttributeAtVertex`.*in_var_C"):
        converted(source, "-T ps_6_1 -E main", tmp_path)


DROPPED = {"early_fragment_tests": "drop"}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("u[0] = p;", "writes to buffers"),
        ("uint old; InterlockedAdd(n[0], 1, old);", "writes to buffers"),
        ("t[uint2(0, 0)] = p;", "writes to textures"),
        ("clip(p.x);", "discards pixels"),
    ],
)
def test_early_tests_are_errors_where_they_matter(body: str, reason: str, tmp_path: Path) -> None:
    source = (
        "RWStructuredBuffer<float4> u; RWStructuredBuffer<uint> n; RWTexture2D<float4> t;\n"
        f"[earlydepthstencil] float4 main(float4 p : SV_Position) : SV_Target {{\n  {body}\n  return p;\n}}\n"
    )
    with pytest.raises(WgslError, match=f"EarlyFragmentTests, and the shader {reason}") as caught:
        converted(source, "-T ps_6_0 -E main -Zi", tmp_path)
    assert "a.hlsl:2" in caught.value.place or "a.hlsl:3" in caught.value.place
    dropped = convert(compile_hlsl(tmp_path / "a.hlsl", ["-T", "ps_6_0", "-E", "main"], tmp_path), DROPPED)
    assert "@fragment" in dropped


def test_early_tests_are_left_out_where_nothing_depends_on_them(tmp_path: Path) -> None:
    source = (
        "StructuredBuffer<float4> b;\n"
        "[earlydepthstencil] float4 main(float4 p : SV_Position) : SV_Target { return p + b[0]; }\n"
    )
    assert "@fragment" in converted(source, "-T ps_6_0 -E main", tmp_path)


def test_early_tests_with_a_depth_output_are_errors(tmp_path: Path) -> None:
    source = "[earlydepthstencil] float main(float4 p : SV_Position) : SV_Depth { return p.x; }"
    with pytest.raises(WgslError, match="writes FragDepth"):
        converted(source, "-T ps_6_0 -E main", tmp_path)


def test_cull_distances_are_errors(tmp_path: Path) -> None:
    source = (
        "struct Out { float4 p : SV_Position; float2 c : SV_CullDistance; };\n"
        "Out main(float4 p : P) { Out o; o.p = p; o.c = p.xy; return o; }\n"
    )
    with pytest.raises(WgslError, match="no vertex output CullDistance"):
        converted(source, "-T vs_6_0 -E main", tmp_path)


COHERENT = """
globallycoherent RWStructuredBuffer<uint> u : register(u0);
globallycoherent RWTexture2D<float> t : register(u1);
[numthreads(1, 1, 1)] void main() {{
  InterlockedAdd(u[0], 1);
  t[uint2(0, 0)] = 2;
  {0};
}}
"""


@pytest.mark.parametrize("use", ["u[2] = u[1]", "t[uint2(0, 1)] = t[uint2(0, 0)]"])
def test_coherent_memory_is_an_error_where_others_can_be_seen(use: str, tmp_path: Path) -> None:
    with pytest.raises(WgslError, match="no coherent memory"):
        converted(COHERENT.format(use), "-T cs_6_0 -E main", tmp_path)


def test_coherent_memory_with_atomics_only(tmp_path: Path) -> None:
    assert "atomicAdd(" in converted(COHERENT.format(""), "-T cs_6_0 -E main", tmp_path)


def test_derivatives_in_compute_shaders_are_errors(tmp_path: Path) -> None:
    source = (
        "Texture2D<float4> t; SamplerState s; RWStructuredBuffer<float4> o;\n"
        "[numthreads(8, 8, 1)] void main(uint3 id : SV_DispatchThreadID) { o[id.x] = t.Sample(s, id.xy * 0.1); }\n"
    )
    with pytest.raises(WgslError, match="DerivativeGroupQuadsKHR, on which derivatives"):
        converted(source, "-T cs_6_6 -E main", tmp_path)


QUAD = """
RWStructuredBuffer<uint> o;
[numthreads(%s)] void main(uint3 id : SV_DispatchThreadID) {
  uint other = 0;
  %s other = QuadReadAcrossY(id.y);
  o[id.x] = other;
}
"""
QUAD_OPTIONS = "-T cs_6_6 -E main -fspv-target-env=vulkan1.1"


def test_quads_of_workgroups_of_one_dimension_are_those_of_wgsl(tmp_path: Path) -> None:
    text = converted(QUAD % ("64, 1, 1", ""), QUAD_OPTIONS, tmp_path)
    assert "quadSwapY(" in text
    assert "workgroupBarrier" not in text


def test_quads_of_other_workgroups_are_read_from_workgroup_memory(tmp_path: Path) -> None:
    text = converted(QUAD % ("8, 6, 1", ""), QUAD_OPTIONS, tmp_path)
    assert "quadSwap" not in text
    assert "var<workgroup> values_of_quads: array<u32, 48>;" in text
    assert "read_quad(global_invocation_id.y, local_invocation_index, local_invocation_index ^ 8u)" in text


def test_quads_outside_of_uniform_control_flow_are_errors(tmp_path: Path) -> None:
    source = QUAD % ("8, 8, 1", "if (id.x < o[0])")
    with pytest.raises(WgslError, match=r"quad operations of this workgroup are barriers.*depends on `"):
        converted(source, QUAD_OPTIONS, tmp_path)


def test_quads_of_workgroups_of_other_widths_are_errors(tmp_path: Path) -> None:
    with pytest.raises(WgslError, match=r"DerivativeGroupQuadsKHR.* for a workgroup that is 6 wide"):
        converted(QUAD % ("6, 4, 1", ""), QUAD_OPTIONS, tmp_path)


SHARED_QUADS = """
OpCapability Shader
OpCapability GroupNonUniformQuad
OpCapability ComputeDerivativeGroupQuadsKHR
OpExtension "SPV_KHR_compute_shader_derivatives"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %first "first"
OpEntryPoint GLCompute %second "second"
OpExecutionMode %first LocalSize 4 4 1
OpExecutionMode %first DerivativeGroupQuadsKHR
OpExecutionMode %second LocalSize 8 4 1
OpExecutionMode %second DerivativeGroupQuadsKHR
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u3 = OpConstant %uint 3
%procedure = OpTypeFunction %void
%shared = OpFunction %void None %procedure
%l1 = OpLabel
%swapped = OpGroupNonUniformQuadSwap %uint %u3 %u3 %u0
OpReturn
OpFunctionEnd
%first = OpFunction %void None %procedure
%l2 = OpLabel
%c2 = OpFunctionCall %void %shared
OpReturn
OpFunctionEnd
%second = OpFunction %void None %procedure
%l3 = OpLabel
%c3 = OpFunctionCall %void %shared
OpReturn
OpFunctionEnd
"""


def test_quads_of_functions_that_different_workgroups_share_are_errors() -> None:
    with pytest.raises(WgslError, match="entry points with different quads share a function"):
        convert(assemble(SHARED_QUADS, "spv1.6"))
    others = SHARED_QUADS.replace("OpExecutionMode %second DerivativeGroupQuadsKHR\n", "")
    with pytest.raises(WgslError, match="entry points with different quads share a function"):
        convert(assemble(others, "spv1.6"))


def test_quads_of_functions_that_like_workgroups_share() -> None:
    text = convert(assemble(SHARED_QUADS.replace("LocalSize 8 4 1", "LocalSize 4 4 1"), "spv1.6"))
    assert text.count("@builtin(local_invocation_index)") == 2
    assert text.count("workgroupBarrier();") == 2


def test_quads_of_workgroups_of_different_sizes_have_memory_of_their_own() -> None:
    swapped = "%swapped = OpGroupNonUniformQuadSwap %uint %u3 %u3 %u0\n"
    alone = SHARED_QUADS.replace(swapped, "")
    for number in ("2", "3"):
        own = swapped.replace("%swapped", f"%swapped{number}")
        alone = alone.replace(f"%l{number} = OpLabel\n", f"%l{number} = OpLabel\n{own}")
    text = convert(assemble(alone, "spv1.6"))
    assert "array<u32, 16>" in text and "array<u32, 32>" in text


def test_inputs_of_their_own_of_entry_points_that_share_quads_are_errors() -> None:
    variables = "%ptr = OpTypePointer Input %uint\n%i1 = OpVariable %ptr Input\n%i2 = OpVariable %ptr Input\n"
    decorations = "OpDecorate %i1 BuiltIn LocalInvocationIndex\nOpDecorate %i2 BuiltIn LocalInvocationIndex\n"
    text = SHARED_QUADS.replace("LocalSize 8 4 1", "LocalSize 4 4 1").replace("%void = ", f"{decorations}%void = ", 1)
    text = text.replace("%procedure = ", f"{variables}%procedure = ", 1)
    text = text.replace('"first"', '"first" %i1').replace('"second"', '"second" %i2')
    with pytest.raises(WgslError, match="entry points with a LocalInvocationIndex of their own share a function"):
        convert(assemble(text, "spv1.6"))


# ------------------------------------------------------------------------------------------- blocks of built-ins


BLOCK = """
OpCapability Shader
OpCapability ClipDistance
OpCapability CullDistance
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %out
OpDecorate %Block Block
OpMemberDecorate %Block 0 BuiltIn Position
OpMemberDecorate %Block 1 BuiltIn PointSize
OpMemberDecorate %Block 2 BuiltIn {distance}
%void = OpTypeVoid
%float = OpTypeFloat 32
%v4float = OpTypeVector %float 4
%uint = OpTypeInt 32 0
%u1 = OpConstant %uint 1
%i0 = OpConstant %uint 0
%i1 = OpConstant %uint 1
%distances = OpTypeArray %float %u1
%Block = OpTypeStruct %v4float %float %distances
%ptr = OpTypePointer Output %Block
%ptr_float = OpTypePointer Output %float
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f2 = OpConstant %float 2
%zero = OpConstantComposite %v4float %f0 %f0 %f0 %f0
%one = OpConstantComposite %distances %f1
%none = OpConstantComposite %distances %f0
%first = OpConstantComposite %Block %zero %f1 %one
%large = OpConstantComposite %Block %zero %f2 %none
%procedure = OpTypeFunction %void
%out = OpVariable %ptr Output {initial}
%main = OpFunction %void None %procedure
%entry = OpLabel
{body}
OpReturn
OpFunctionEnd
"""
POINT_SIZE = "%p = OpAccessChain %ptr_float %out %i1\n"


@pytest.mark.parametrize(
    ("distance", "initial", "body", "reason"),
    [
        ("CullDistance", "", "OpStore %out %first", "no vertex output CullDistance"),
        ("ClipDistance", "", "OpStore %out %first", "only 1.0 can be stored to PointSize"),
        ("CullDistance", "%first", "", "no vertex output CullDistance"),
        ("ClipDistance", "%large", "", "only 1.0 can be stored to PointSize"),
        ("ClipDistance", "", f"{POINT_SIZE}OpStore %p %f2", "only 1.0 can be stored to PointSize"),
        ("ClipDistance", "", f"{POINT_SIZE}OpCopyMemory %p %p", "only 1.0 can be stored to PointSize"),
    ],
)
def test_a_block_member_that_wgsl_cannot_have_is_an_error(distance: str, initial: str, body: str, reason: str) -> None:
    with pytest.raises(WgslError, match=reason):
        convert(assemble(BLOCK.format(distance=distance, initial=initial, body=body)))


def test_unused_members_of_a_block_are_left_out() -> None:
    text = BLOCK.format(distance="CullDistance", initial="", body=f"{POINT_SIZE}OpStore %p %f1")
    assert "point_size" not in convert(assemble(text))


def test_a_first_value_of_a_clip_distance_is_kept() -> None:
    text = convert(assemble(BLOCK.format(distance="ClipDistance", initial="%first", body="")))
    assert "array<f32, 1>(1.0f)" in text


def test_the_point_size_that_is_read_is_one() -> None:
    body = f"{POINT_SIZE}%s = OpLoad %float %p\n%q = OpAccessChain %ptr_float %out %i0 %i0\nOpStore %q %s"
    assert ".x = 1.0f;" in convert(assemble(BLOCK.format(distance="CullDistance", initial="", body=body)))


# ------------------------------------------------------------------------------------------------------- barriers


def test_a_barrier_of_a_subgroup_is_one_of_the_workgroup() -> None:
    text = compute("OpControlBarrier %u3 %u3 %order\nOpReturn", "%order = OpConstant %uint 264\n")
    assert "workgroupBarrier();" in convert(assemble(text))


# --------------------------------------------------------------------------------------------------- image operands


def test_every_image_operand_is_known_or_refused_by_name() -> None:
    known = (
        I.Bias | I.Lod | I.Grad | I.ConstOffset | I.Offset | I.ConstOffsets | I.Sample | I.MakeTexelAvailable
        | I.MakeTexelVisible | I.NonPrivateTexel | I.VolatileTexel | I.SignExtend | I.ZeroExtend | I.Nontemporal
    )  # fmt: skip
    for bit in ENUMERANTS["ImageOperands"]:
        if bit == I.MinLod:
            reason = "no minimum level of detail"
        elif bit & known or not bit:
            image_operands([bit, 7, 8])
            continue
        else:
            reason = f"no image operand {enum_name('ImageOperands', bit)}"
        with pytest.raises(Unsupported, match=reason):
            image_operands([bit, 7, 8])
