"""``register`` and ``packoffset``: each spelling is parsed as in DXC, or rejected with DXC's message."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration

TYPE = "register type is unsupported - available types are 'b', 'c', 'i', 's', 't', 'u'"
NUMBER = "register number should be an integral numeric string"
SPACE = "expected space definition with syntax 'spaceX', where X is an integral value"
SPACE_NUMBER = "space number should be an integral numeric string"
SUBCOMPONENT = "register subcomponent is not an integral constant"
COMPONENT = "packoffset component should indicate offset with one of x, y, z, w, r, g, b, or a"
FIT = "register or offset bind not valid"


def compiled(source: str, profile: str = "ps_6_0") -> CompileResult:
    options = CompileOptions(validate="no", codegen_only=True, warnings=("register-index",))
    return compile_shader(source, profile=profile, options=options)


def messages(result: CompileResult) -> list[str]:
    return [f"{d.location.line}:{d.location.col}: {d.message}" for d in result.diagnostics if d.location is not None]


def texture(register: str, profile: str = "ps_6_0") -> CompileResult:
    return compiled(
        f"Texture2D<float4> t : {register};\nfloat4 main() : SV_Target {{ return t.Load(int3(0, 0, 0)); }}", profile
    )


def place(result: CompileResult) -> tuple[int, int]:
    assert result.module is not None, messages(result)
    values = {
        inst.operands[1]: inst.operands[2]
        for inst in result.module.annotations
        if inst.op == op.OpDecorate and inst.operands[1] in (Decoration.DescriptorSet, Decoration.Binding)
    }
    return values[Decoration.DescriptorSet], values[Decoration.Binding]


@pytest.mark.parametrize(
    ("register", "set_and_binding"),
    [
        ("register(t1)", (0, 1)),
        ("register(T1)", (0, 1)),
        ("register(t01)", (0, 1)),
        ("register(t)", (0, 0)),
        ("register(t, space1)", (1, 0)),
        ("register(t7, space3)", (3, 7)),
        ("register(t4294967295)", (0, 4294967295)),
        ("register(s1)", (0, 1)),
        ("register(space2)", (2, 0)),
        ("register(ps, t1)", (0, 1)),
        ("register(vs, t1)", (0, 1)),
        ("register(ps_5_0, t1)", (0, 1)),
        ("register(hs_5_0, t1)", (0, 1)),
        ("register(lib_6_3, t1, space4)", (4, 1)),
        ("register(ps, space1)", (1, 0)),
        ("register(t[1])", (0, 0)),
        ("register(t1[2])", (0, 1)),
        ("register(t[1], space1)", (1, 0)),
        ("register(vs, t1) : register(ps, t2)", (0, 2)),
        ("register(ps, t2) : register(vs, t1)", (0, 2)),
        ("register(s3) : register(t2)", (0, 2)),
        ("register(t2) : register(s3)", (0, 2)),
        ("register(t2, space1) : register(t2, space5)", (5, 2)),
        ("register(t2) : register(space5)", (5, 2)),
        ("register(t1[1]) : register(t1[1])", (0, 1)),
        ("register(vs, t1[1]) : register(ps, t1[2])", (0, 1)),
    ],
)
def test_registers(register: str, set_and_binding: tuple[int, int]) -> None:
    assert place(texture(register)) == set_and_binding


@pytest.mark.parametrize(
    ("register", "message"),
    [
        ("register(x1)", f"1:32: {TYPE}"),
        ("register(qs, t1)", f"1:32: {TYPE}"),
        ("register(PS, t1)", f"1:32: {TYPE}"),
        ("register(t1x)", f"1:32: {NUMBER}"),
        ("register(t4294967296)", f"1:32: {NUMBER}"),
        ("register(t7, Space3)", f"1:36: {SPACE}"),
        ("register(t7, t3)", f"1:36: {SPACE}"),
        ("register(t7, space)", f"1:36: {SPACE_NUMBER}"),
        ("register(t7, space3x)", f"1:36: {SPACE_NUMBER}"),
        ("register(t7, space99999999999)", f"1:36: {SPACE_NUMBER}"),
        ("register(spaceship)", f"1:32: {SPACE_NUMBER}"),
        ("register(space0, t1)", "1:40: expected ')'"),
        ("register(t1, space1, space2)", "1:44: expected ')'"),
        ("register(ps_5_0)", "1:32: expected ','"),
        ("register(ps_5_0[0], t1)", "1:32: expected ','"),
        ("register(t1[-1])", f"1:32: {SUBCOMPONENT}"),
        ("register()", "1:32: expected identifier"),
        ("register(1)", "1:32: expected identifier"),
        ("register(u1)", "1:23: invalid register specification, expected 't' or 's' binding"),
        ("register(t1) : register(t2)", "1:23: conflicting register semantics"),
        ("register(t1) : register(t1[1])", "1:23: conflicting register semantics"),
        ("register(t1[0]) : register(t1[1])", "1:23: conflicting register semantics"),
        ("packoffset(c1)", "1:23: packoffset is only allowed in a constant buffer"),
    ],
)
def test_malformed_registers(register: str, message: str) -> None:
    assert message in messages(texture(register))


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("SamplerState x : register(u0)", "'s' or 't'"),
        ("RWTexture2D<float4> x : register(t0)", "'u'"),
        ("RasterizerOrderedBuffer<uint> x : register(t0)", "'u'"),
        ("AppendStructuredBuffer<uint> x : register(t0)", "'u'"),
        ("Buffer<float> x : register(s0)", "'t'"),
        ("ByteAddressBuffer x : register(b0)", "'t'"),
        ("struct N { int a; }; ConstantBuffer<N> x : register(t0)", "'b'"),
        ("struct N { int a; }; TextureBuffer<N> x : register(b0)", "'t'"),
        ("float4 x : register(t0)", "'b', 'c', or 'i'"),
        ("static float4 x : register(t0)", "'b', 'c', or 'i'"),
        ("struct N { float a : register(t0); }", "'b', 'c', or 'i'"),
        ("cbuffer C : register(t0) { float x; }", "'b'"),
        ("tbuffer C : register(b0) { float x; }", "'t'"),
    ],
)
def test_kinds_of_registers(declaration: str, expected: str) -> None:
    found = messages(compiled(f"{declaration};\nfloat4 main() : SV_Target {{ return 0; }}"))
    assert any(f"invalid register specification, expected {expected} binding" in m for m in found), found


@pytest.mark.parametrize(
    ("declaration", "advice"),
    [
        ("Texture2D<float4> x : register(u4)", ["t4"]),
        ("Texture2D<float4> x : register(b4)", ["t4"]),
        ("cbuffer C : register(t1) { float x; }", ["b1"]),
        ("Texture2D<float4> x : register(c4)", []),
        ("cbuffer C : register(c1) { float x; }", []),
        ("float x : register(t3)", []),
        ("float x : register(s3)", []),
        ("static int x : register(u3)", []),
    ],
)
def test_the_number_of_a_resource_means_nothing_for_constants(declaration: str, advice: list[str]) -> None:
    (message,) = compiled(f"{declaration};\nfloat4 main() : SV_Target {{ return 0; }}").diagnostics
    assert [fix.text for fix in message.fixes] == advice


def test_an_ignored_subcomponent_is_reported() -> None:
    wanted = ["1:32: the subcomponent of 't1[2]' is ignored: the resource is bound as 't1'"]
    assert messages(texture("register(t1[2])")) == wanted


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("cbuffer C : register(vs, b0) { float x; }", "user defined constant buffer slots cannot be target specific"),
        ("cbuffer C : packoffset(c0) { float x; }", "packoffset is only allowed within a constant buffer"),
        ("float4 x : register(c1x)", NUMBER),
        ("struct N { float a : packoffset(c1); }", "packoffset is only allowed in a constant buffer"),
        ("void f(float a : packoffset(c1)) {}", "packoffset is only allowed in a constant buffer"),
        ("typedef float F : FOO", "semantic is not a valid modifier for a typedef"),
        ("void f() { float a : FOO = 1; }", "semantic is not a valid modifier for a local variable"),
        ("cbuffer C { float x : packoffset(c0); float y; }", "cannot mix packoffset elements with nonpackoffset"),
        ("cbuffer C { float x : packoffset(c0) : packoffset(c1); }", "packoffset is overridden by another"),
    ],
)
def test_misplaced_annotations(declaration: str, message: str) -> None:
    found = messages(compiled(f"{declaration};\nfloat4 main() : SV_Target {{ return 0; }}"))
    assert any(message in m for m in found), found


def block(packoffset: str, type_name: str = "float") -> CompileResult:
    return compiled(
        f"cbuffer C {{ {type_name} a : {packoffset}; float z : packoffset(c9); }}\n"
        "float4 main() : SV_Target { return (float)a + z; }"
    )


@pytest.mark.parametrize(
    ("packoffset", "offset"),
    [
        ("c0", 0), ("c", 0), ("C1", 16), ("c.y", 4), ("c2.x", 32), ("c2.y", 36), ("c2.z", 40), ("c2.w", 44),
        ("c2.r", 32), ("c2.g", 36), ("c2.b", 40), ("c2.a", 44), ("c03.z", 56),
    ],
)  # fmt: skip
def test_packoffset(packoffset: str, offset: int) -> None:
    result = block(f"packoffset({packoffset})")
    assert result.module is not None, messages(result)
    offsets = [
        inst.operands[3]
        for inst in result.module.annotations
        if inst.op == op.OpMemberDecorate and inst.operands[2] == Decoration.Offset
    ]
    assert offsets == [offset, 144]


@pytest.mark.parametrize(
    ("packoffset", "type_name", "message"),
    [
        ("c0.Z", "float", COMPONENT),
        ("c0.xy", "float2", COMPONENT),
        ("c0._m00", "float", COMPONENT),
        ("c1junk", "float", NUMBER),
        ("c99999999999", "float", NUMBER),
        ("t1", "float", TYPE),
        ("x", "float", TYPE),
        ("c0.y", "float4", FIT),
        ("c0.w", "float2", FIT),
        ("c0.y", "float2x2", FIT),
        ("c1[1]", "float", "expected ')'"),
        ("c0.x.y", "float", "expected ')'"),
    ],
)
def test_malformed_packoffset(packoffset: str, type_name: str, message: str) -> None:
    found = messages(block(f"packoffset({packoffset})", type_name))
    assert any(message in m for m in found), found


def test_components_do_not_overlap() -> None:
    source = "cbuffer C { float a : packoffset(c0.r); float b : packoffset(c0.g); }"
    assert messages(compiled(f"{source}\nfloat4 main() : SV_Target {{ return a + b; }}")) == []


def test_semantic_of_direct3d_9_has_a_warning() -> None:
    result = compiled("float4 main(float face : VFACE) : SV_Target { return face; }")
    assert messages(result) == ["1:26: Ignoring unsupported 'VFACE' in the target attribute string"]


def test_packed_members_that_overlap_a_member_without_a_place() -> None:
    source = "cbuffer A { float c : packoffset(c0.w); float d : packoffset(c0.z); float e; };"
    result = compile_shader(source + "float4 main() : SV_Target { return c + d + e; }", profile="ps_6_0")
    assert [d.message for d in result.diagnostics if d.severity == "error"] == [
        "packoffset caused overlap with previous members"
    ]
