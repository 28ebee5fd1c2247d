"""Blocks as the compiler records them: their offsets equal those of the module, and every block has a layout."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.command_line import parse
from hlsl_tool.codegen.layout.blocks import BlockLayout
from hlsl_tool.codegen.layout.lookup import LookupProblem, find_block, find_member
from hlsl_tool.codegen.layout.tree import all_nodes, matrix_offsets, runs, tree
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.frontend.sema.model.types import Matrix
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from tests.oracle.declarations import make

LAYOUTS = ("", "-fvk-use-dx-layout", "-fvk-use-gl-layout", "-fvk-use-scalar-layout")

SCENE = """
struct Light { float3 position; float range; float3 color; };
struct Base { float2 first; };
struct View : Base
{
    float4x4 view; row_major float3x4 world; Light lights[4]; float3x3 grid[2][3]; uint a : 3; uint b : 5;
};
cbuffer Camera { float4x4 camera; float3 eye; [[vk::offset(128)]] float at : packoffset(c2); };
ConstantBuffer<View> frame;
StructuredBuffer<Light> lights;
StructuredBuffer<row_major float4x3> bones;
[[vk::push_constant]] struct { uint number; double2 wide; } pushed;
float loose; float3 fixed : register(c4);
RWByteAddressBuffer o;
[numthreads(1, 1, 1)] void main() { o.Store(0, asuint(camera[0][0])); }
"""


def blocks(source: str, *flags: str, profile: str = "cs_6_2") -> list[BlockLayout]:
    options = parse(["-T", profile, "-fcgl", *flags, "x.hlsl"]).options
    result = compile_shader(source, profile=profile, options=options)
    assert result.ok, [each.message for each in result.diagnostics]
    return result.interface.blocks


def test_every_kind_of_block() -> None:
    found = {block.name: (block.kind, block.usage, block.rule.name) for block in blocks(SCENE)}
    assert found == {
        "Camera": ("cbuffer", "constant", "RELAXED_STD140"),
        "frame": ("ConstantBuffer", "constant", "RELAXED_STD140"),
        "lights": ("StructuredBuffer", "storage", "RELAXED_STD430"),
        "bones": ("StructuredBuffer", "storage", "RELAXED_STD430"),
        "pushed": ("push_constant", "storage", "RELAXED_STD430"),
        "$Globals": ("$Globals", "constant", "RELAXED_STD140"),
    }
    assert {block.rule.name for block in blocks(SCENE, "-fvk-use-dx-layout")} == {"FXC_CBUFFER", "FXC_SBUFFER"}
    assert find_block(blocks(SCENE), "bones").stride() == 64
    assert find_block(blocks(SCENE, "-fvk-use-scalar-layout"), "bones").stride() == 48


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", [3, 1002])
def test_places_are_those_of_the_module(seed: int, layout: str) -> None:
    """Recorded offsets of generated blocks equal those in the decorations."""
    source = make(seed, 12)
    flags = [flag for flag in (layout, "-enable-16bit-types" if source.sixteen_bit else "") if flag]
    options = parse(["-T", source.profile, "-fcgl", *flags, "x.hlsl"]).options
    result = compile_shader(source.text, profile=source.profile, options=options)
    module = decode(result.spirv)
    names = {inst.id(0): inst.text(1) for inst in module.names if inst.op == op.OpName}
    places: dict[int, dict[int, int]] = {}
    for inst in module.annotations:
        if inst.op == op.OpMemberDecorate and inst.id(2) == e.Decoration.Offset:
            places.setdefault(inst.id(0), {})[inst.id(1)] = inst.id(3)
    defined = {inst.result_id: inst for inst in module.globals}
    compared = 0
    for inst in module.globals:
        name = names.get(inst.result_id, "")
        if inst.op != op.OpVariable or inst.id(0) == e.StorageClass.Private:
            continue
        if all(block.name != name for block in result.interface.blocks):
            continue
        block = find_block(result.interface.blocks, name)
        at = defined[defined[inst.type_id].id(1)]
        while at.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
            at = defined[at.id(0)]
        if block.element is not None:
            at = defined[defined[at.id(0)].id(0)]  # the struct with the runtime array in it
        if at.op == op.OpTypeStruct:
            wanted = [places[at.result_id][n] for n in sorted(places[at.result_id])]
            assert sorted(node.offset for node in tree(block)) == sorted(wanted), name
            compared += 1
    assert compared >= 4


@pytest.mark.parametrize(
    ("path", "offset", "shift"),
    [
        ("Camera.eye", 64, 0),
        ("eye", 64, 0),
        ("at", 128, 0),
        ("frame.view", 16, 0),
        ("lights[2].color", 16, 0),
        ("frame.lights[2].color", 144, 64),
        ("frame.lights[].range", 140, 0),
        ("grid[1][2]", 256, 5 * 48),
        ("frame.(Base).first", 0, 0),
        ("first", 0, 0),
        ("frame.b", 544, 0),
        ("bones", 0, 0),
        ("fixed", 64, 0),
        ("loose", 76, 0),
        ("wide", 16, 0),
    ],
)
def test_members_by_name(path: str, offset: int, shift: int) -> None:
    found = find_member(blocks(SCENE), path)
    assert (found.node.offset, found.shift) == (offset, shift)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("colour", "no member is called `colour`; did you mean `color`"),
        ("color", "`color` may be `frame.lights.color` or `lights.color`"),
        ("Camera", "`Camera` is a block, with `camera`, `eye` and `at`"),
        ("frame.lights[4].color", "`lights[4]`: there is no [4] among 4 elements"),
        ("eye[1]", "`eye` of `Camera` has fewer dimensions than `eye[1]`"),
        ("[3]", "`[3]` is no name of a member"),
    ],
)
def test_names_of_nothing(path: str, message: str) -> None:
    with pytest.raises(LookupProblem) as caught:
        find_member(blocks(SCENE), path)
    assert message in str(caught.value)


def test_runs_lie_inside_their_members_and_apart() -> None:
    for layout in LAYOUTS:
        for block in blocks(SCENE, *([layout] if layout else [])):
            taken: set[int] = set()
            for node in sorted(tree(block), key=lambda node: node.offset):
                if node.bits is not None and node.bits[0]:
                    continue  # in the word of the one before
                for offset, size in runs(node.type, block.rule, node.row_major, False, node.offset):
                    covered = set(range(offset, offset + size))
                    assert covered <= set(range(node.offset, node.end)) and not covered & taken
                    taken |= covered


def test_elements_of_matrices_are_their_runs() -> None:
    for node in all_nodes(tree(find_block(blocks(SCENE), "frame"))):
        if isinstance(node.type, Matrix):
            rule = find_block(blocks(SCENE), "frame").rule
            places = [x for row in matrix_offsets(node.type, rule, node.row_major) for x in row]
            pieces = [at + n for at, size in runs(node.type, rule, node.row_major, False) for n in range(0, size, 4)]
            assert sorted(places) == sorted(pieces)


@pytest.mark.parametrize(
    ("members", "offsets", "stride"),
    [
        ("uint a : 1; uint b : 1;", [0, 0], 4),
        ("uint a : 31; uint b : 2;", [0, 4], 8),
        ("uint a : 1; int b : 1; uint c : 16; uint d : 16;", [0, 4, 8, 8], 12),
        ("uint a : 1; float b; uint c : 1;", [0, 4, 8], 12),
        ("uint a : 1; uint b : 1; Two c[10]; uint d : 1; uint e : 1;", [0, 0, 4, 44, 44], 48),
        ("uint64_t a : 40; uint64_t b : 20; uint64_t c : 10;", [0, 0, 8], 16),
    ],
)
def test_bit_fields(members: str, offsets: list[int], stride: int) -> None:
    """Adjacent bit-fields of one type share a word while there is room (DXC's own tests have the same numbers)."""
    source = f"struct Two {{ uint x : 1; uint y : 1; }};\nstruct S {{ {members} }};\nRWStructuredBuffer<S> s;\n"
    (block,) = blocks(source + "[numthreads(1, 1, 1)] void main() {}")
    assert ([node.offset for node in tree(block)], block.stride()) == (offsets, stride)


def test_a_name_is_whole_parts_of_a_path() -> None:
    scene = "cbuffer C { float other_eye; float eye; struct { float eyed; } in_eye; };"
    found = blocks(f"{scene} float4 main() : SV_Target {{ return eye; }}", profile="ps_6_0")
    assert find_member(found, "eye").path == "C.eye"
    assert find_member(found, "in_eye.eyed").path == "C.in_eye.eyed"
    with pytest.raises(LookupProblem):
        find_member(found, "ye")


def test_records_of_shaders_and_push_constants_are_laid_out_as_storage() -> None:
    source = (
        "struct P { float4 c; }; [[vk::shader_record_ext]] cbuffer Record { float a; float3 b[2]; };"
        "[[vk::push_constant]] struct { float a; float3 b[2]; } pushed;"
        "tbuffer T { float a2; }; cbuffer C { float a3; };"
        '[shader("miss")] void main(inout P p) { p.c = a + pushed.a + a2 + a3; }'
    )
    found = {
        block.name: (block.usage, block.rule.name)
        for block in blocks(source, "-fspv-target-env=vulkan1.2", profile="lib_6_3")
    }
    assert found["Record"] == found["pushed"] == ("storage", "RELAXED_STD430")
    assert (found["T"][0], found["C"][0]) == ("texture", "constant")


def test_modifiers_of_an_element_are_those_of_its_buffer() -> None:
    source = (
        "StructuredBuffer<snorm float4> a; StructuredBuffer<float4> b; StructuredBuffer<unorm float4> c;"
        "float4 main() : SV_Target { return a[0] + b[0] + c[0]; }"
    )
    found = {block.name: block.element_quals for block in blocks(source, profile="ps_6_0")}
    assert found == {"a": ("snorm",), "b": (), "c": ("unorm",)}


@pytest.mark.parametrize("element", ["float1x4", "row_major float4x1", "int1x3", "float3x3", "row_major float2x3"])
@pytest.mark.parametrize("flags", [[], ["-fcgl"]])
def test_only_matrices_with_rows_and_columns_have_a_stride(element: str, flags: list[str]) -> None:
    """A matrix with one row or column is a vector, which MatrixStride and RowMajor must not decorate."""
    source = f"""
    StructuredBuffer<{element}> b; RWStructuredBuffer<float> o;
    [numthreads(1, 1, 1)] void main() {{ o[0] = b[1]._11; }}
    """
    options = parse(["-T", "cs_6_2", *flags, "x.hlsl"]).options
    result = compile_shader(source, profile="cs_6_2", options=options)
    assert result.ok
    decorations = {inst.operands[2] for inst in decode(result.spirv).annotations if inst.op == op.OpMemberDecorate}
    assert (e.Decoration.MatrixStride in decorations) == (element in ("float3x3", "row_major float2x3"))
