"""Lowering rules that combine several effects, each tested separately: word order, components, members and shifts."""

from __future__ import annotations

import re

import pytest

from hlsl_tool.base.options.command_line import parse
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.text import disassemble


def text_of(source: str, profile: str, *flags: str) -> str:
    """Return the module of a shader as text."""
    options = parse(["-T", profile, "-E", "main", "-fcgl", "-Vd", *flags, "x.hlsl"]).options
    result = compile_shader(source, profile=profile, entry="main", options=options)
    assert result.ok, [d.message for d in result.diagnostics]
    return disassemble(decode(result.spirv))


def decoration(text: str, name: str, kind: str) -> str:
    """Return the operand of a decoration of the variable ``name``, as text."""
    match = re.search(rf"OpDecorate %{re.escape(name)} {kind} (\d+)", text)
    assert match is not None, text
    return match[1]


def compute(body: str, declarations: str = "", profile: str = "cs_6_2", *flags: str) -> str:
    head = f"{declarations}\nRWByteAddressBuffer o;"
    return text_of(f"{head}\n[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) {{ {body} }}", profile, *flags)


def test_a_combined_sampler_has_the_shift_of_textures() -> None:
    source = (
        "[[vk::combinedImageSampler]] Texture2D t : register(t2);"
        "[[vk::combinedImageSampler]] SamplerState s : register(s2); SamplerState alone : register(s3); Texture2D u;"
        "float4 main(float2 p : P) : SV_Target { return t.Sample(s, p) + u.Sample(alone, p); }"
    )
    text = text_of(source, "ps_6_0", "-fvk-t-shift", "20", "0", "-fvk-s-shift", "40", "0")
    bindings = [decoration(text, name, "Binding") for name in ("t", "s", "alone")]
    assert bindings == ["22", "22", "43"]


@pytest.mark.parametrize(("flags", "binding"), [((), "3"), (("-fvk-auto-shift-bindings",), "103")])
def test_bound_globals_are_shifted_automatically_only(flags: tuple[str, ...], binding: str) -> None:
    source = "float4 loose; float4 main() : SV_Target { return loose; }"
    text = text_of(source, "ps_6_0", "-fvk-bind-globals", "3", "1", "-fvk-b-shift", "100", "1", *flags)
    assert (decoration(text, "_Globals", "DescriptorSet"), decoration(text, "_Globals", "Binding")) == ("1", binding)


@pytest.mark.parametrize("type_", ["double", "uint64_t", "int64_t"])
def test_the_low_word_of_a_number_comes_first(type_: str) -> None:
    text = compute(f"o.Store(0, o.Load<{type_}>(8) > 1);", "", "cs_6_2", "-enable-16bit-types")
    loads = re.findall(r"(%\w+) = OpLoad %uint ", text)
    words = re.findall(r"OpCompositeConstruct %v2uint (%\w+) (%\w+)", text)
    assert words and words[0] == tuple(loads[-2:])


def test_each_component_of_packed_halves() -> None:
    text = compute("uint3 v = o.Load3(0); o.Store3(0, asuint(f16tof32(v)));")
    sources = re.findall(r"(%\w+) = OpCompositeExtract %uint (%\w+) (\d)", text)
    unpacked = re.findall(r"UnpackHalf2x16 (%\w+)", text)
    assert [at for number, _, at in sources if number in unpacked] == ["0", "1", "2"]


@pytest.mark.parametrize("dim", ["1D", "1DArray", "2D", "2DArray", "2DMS", "2DMSArray", "3D"])
def test_a_load_reads_the_image_of_a_combined_texture(dim: str) -> None:
    size = {"1D": 1, "1DArray": 2, "2D": 2, "2DArray": 3, "2DMS": 2, "2DMSArray": 3, "3D": 3}[dim]
    is_multisampled = "MS" in dim
    place = f"int{size}(i.{'xxx'[:size]})" if is_multisampled else f"int{size + 1}(i.{'xxxx'[: size + 1]})"
    call = f"t.Load({place}{', 0' if is_multisampled else ''})"
    text = compute(f"o.Store(0, asuint({call}.x));", f"vk::SampledTexture{dim}<float4> t;")
    image = re.search(r"(%\w+) = OpImage %", text)
    assert image is not None, text
    assert re.search(rf"OpImageFetch %v4float {image[1]} ", text)


def test_elements_of_a_computed_matrix_are_row_then_column() -> None:
    text = compute("float2x3 m = asfloat(uint2x3(i, 1, 2, 3, 4, 5)); o.Store2(0, asuint((m * 2)._m02_m10));")
    assert re.findall(r"OpCompositeExtract %float (%\w+) (\d) (\d)", text)
    assert [(r, c) for _, r, c in re.findall(r"OpCompositeExtract %float (%\w+) (\d) (\d)", text)][-2:] == [
        ("0", "2"),
        ("1", "0"),
    ]


@pytest.mark.parametrize(
    ("number", "declared"),
    [
        ("-1", "OpConstant %int -1"),
        ("7", "OpConstant %int 7"),
        ("2147483647", "OpConstant %int 2147483647"),
        ("4294967295", "OpConstant %uint 4294967295"),
    ],
)
def test_constants_of_decorations(number: str, declared: str) -> None:
    source = f"float4 main() : SV_Target {{ [[vk::ext_decorate_id(27, {number})]] int n = 1; return n; }}"
    assert declared in text_of(source, "ps_6_0", "-fspv-target-env=vulkan1.1")


def test_a_member_behind_a_struct_in_the_output_of_a_mesh_shader() -> None:
    source = (
        "struct N { float2 a : A; float b : B; }; struct V { float4 p : SV_Position; N n; float3 c : C; };"
        '[numthreads(1, 1, 1)] [outputtopology("triangle")]'
        "void main(out indices uint3 t[1], out vertices V v[3]) {"
        " SetMeshOutputCounts(3, 1); v[1].c = 5; v[2].n.b = 7; }"
    )
    text = text_of(source, "ms_6_5", "-fspv-target-env=vulkan1.2")
    chains = dict(re.findall(r"(%\w+) = OpAccessChain %\w+ (%out_var_\w+) ", text))
    stored = [chains[pointer] for pointer in re.findall(r"OpStore (%\w+) ", text) if pointer in chains]
    assert stored == ["%out_var_C", "%out_var_B"]


def test_a_semantic_may_be_one_of_vertices_and_one_of_primitives() -> None:
    source = (
        "struct V { float4 p : SV_Position; float3 c : C; }; struct P { float3 c : C; };"
        '[numthreads(1, 1, 1)] [outputtopology("triangle")]'
        "void main(out indices uint3 t[1], out vertices V v[3], out primitives P q[1]) { SetMeshOutputCounts(3, 1); }"
    )
    assert "OpEntryPoint MeshEXT" in text_of(source, "ms_6_5", "-fspv-target-env=vulkan1.2")


@pytest.mark.parametrize("buffer", ["StructuredBuffer", "RWStructuredBuffer", "RasterizerOrderedStructuredBuffer"])
def test_the_status_of_an_element_is_refused_by_name(buffer: str) -> None:
    source = f"{buffer}<float> b; float4 main() : SV_Target {{ uint s; return b.Load(0, s) + s; }}"
    result = compile_shader(source, profile="ps_6_0")
    assert [d.code.id for d in result.diagnostics] == ["HLSL0642"]


@pytest.mark.parametrize(
    "loop",
    [
        "i = {most}; i > 0; i -= {step}",
        "i = 0; i < {most}; i += {step}",
        "i = {most} - 1; i >= 0; i -= {step}",
        "i = 1; i <= {most}; i += {step}",
    ],
)
@pytest.mark.parametrize(
    ("most", "step", "fits"), [(4096, 1, True), (4097, 1, False), (8192, 2, True), (8193, 2, False)]
)
def test_loops_that_are_unrolled_are_counted(loop: str, most: int, step: int, fits: bool) -> None:
    head = loop.format(most=most, step=step)
    source = f"float4 main(float4 c : C) : SV_Target {{ [unroll] for (int {head}) {{ c *= 1.5; }} return c; }}"
    options = parse(["-T", "ps_6_0", "-O0", "x.hlsl"]).options
    result = compile_shader(source, profile="ps_6_0", options=options)
    assert [d.code.name for d in result.diagnostics if d.code.name == "unrolled"] == [] or not fits
    assert result.ok is fits
