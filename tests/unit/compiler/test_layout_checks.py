"""`-Wpadding` and `-Wmatrix-portability`: messages, positions, and that both are off by default."""

from __future__ import annotations

import pytest

from hlsl_tool.base.diagnostics.catalogue.layout import OFFSET_OVERLAP
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult

MAIN = "\nRWByteAddressBuffer o;\n[numthreads(1, 1, 1)] void main() { o.Store(0, 1); }\n"


def warnings(source: str, *names: str, layout: str = "vulkan", **options: object) -> list[str]:
    return [
        f"{d.location.line if d.location else 0}:{d.location.col if d.location else 0}: {d.message}"
        for d in compiled(source, *names, layout=layout, **options).diagnostics
    ]


def compiled(source: str, *names: str, layout: str = "vulkan", **options: object) -> CompileResult:
    chosen = CompileOptions(  # the validator has its own words for what is misplaced
        warnings=names,
        layout=layout,
        codegen_only=True,
        validate="no",
        **options,  # type: ignore[arg-type]
    )
    return compile_shader(source + MAIN, profile="cs_6_2", options=chosen)


LIGHT = "struct Light { float3 position; float2 size; float3 color; };\nStructuredBuffer<Light> lights;"


def test_off_by_default() -> None:
    assert warnings(LIGHT) == []
    assert warnings("cbuffer C { float a; float3x3 m; float4 b[2]; };") == []


@pytest.mark.parametrize(
    ("layout", "wanted"),
    [
        (
            "vulkan",
            [
                "1:40: 4 bytes of padding before 'size' of 'Light' (vector-relaxed std430)",
                "1:53: 8 bytes of padding before 'color' of 'Light' (vector-relaxed std430)",
                "1:8: 4 bytes of padding at the end of 'Light' (vector-relaxed std430)",
            ],
        ),
        ("dx", []),
        (
            "gl",
            [
                "1:40: 4 bytes of padding before 'size' of 'Light' (std430)",
                "1:53: 8 bytes of padding before 'color' of 'Light' (std430)",
                "1:8: 4 bytes of padding at the end of 'Light' (std430)",
            ],
        ),
        ("scalar", []),
    ],
)
def test_padding_follows_the_layout(layout: str, wanted: list[str]) -> None:
    assert warnings(LIGHT, "padding", layout=layout) == wanted


def test_code_flag_and_note() -> None:
    (first, *others) = compiled(LIGHT, "padding").diagnostics
    assert (first.flag, first.code.id) == ("-Wpadding", "HLSL0860")
    assert [note.message for note in first.notes] == ["fill it yourself: `uint padding0;`"]
    assert [other.flag for other in others] == ["-Wpadding", "-Wpadding-end"]


def test_another_order_is_named() -> None:
    (first, second) = compiled("cbuffer C { float a; float4x4 m; float b; float4 v; };", "padding").diagnostics
    assert [note.message for note in first.notes] == ["in the order `m`, `v`, `a`, `b` it takes 96 bytes, not 112"]
    assert not second.notes
    assert warnings("cbuffer C { float4x4 m; float4 v; float a; float b; };", "padding") == []


def test_the_filler_fills() -> None:
    source = "cbuffer C { float2 a; float3 b; float3 c; };"
    (first, second) = compiled(source, "padding").diagnostics
    assert first.notes[0].message == "fill it yourself: `uint padding0, padding1;`"
    filled = "cbuffer C { float2 a; uint padding0, padding1; float3 b; uint padding2; float3 c; };"
    assert warnings(filled, "padding") == []
    assert "4 bytes of padding before 'c'" in second.message


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ("float weights[3];", "12 bytes of padding behind each element of 'weights' of 'C'"),
        ("float2 w[2][2];", "8 bytes of padding behind each element of 'w' of 'C'"),
        ("float3x2 m;", "4 bytes of padding behind each column of 'm' of 'C'"),
        ("row_major float3x2 m;", "8 bytes of padding behind each row of 'm' of 'C'"),
        ("row_major int3x3 m[2];", "4 bytes of padding behind each row of 'm' of 'C'"),
    ],
)
def test_padding_inside(member: str, message: str) -> None:
    (warning,) = compiled(f"cbuffer C {{ {member} }};", "padding").diagnostics
    assert (warning.flag, warning.message) == ("-Wpadding-inside", f"{message} (vector-relaxed std140)")
    assert warnings(f"cbuffer C {{ {member} }};", "padding", layout="scalar") == []


def test_places_of_the_source_are_no_padding() -> None:
    assert warnings("cbuffer C { float a : packoffset(c0); float b : packoffset(c4); };", "padding") == []
    assert warnings("float a : register(c2); float b : register(c9);", "padding") == []
    assert warnings("struct S { float a; [[vk::offset(64)]] float b; };\nConstantBuffer<S> s;", "padding") == []


def test_globals_and_nested_structs_have_places() -> None:
    source = "float a;\nfloat4 b;\nstruct I { float x; double y; };\nstruct O { float z; I i; };\nConstantBuffer<O> c;"
    assert warnings(source, "padding") == [
        "2:8: 12 bytes of padding before 'b' of '$Globals' (vector-relaxed std140)",
        "4:23: 12 bytes of padding before 'i' of 'O' (vector-relaxed std140)",
        "3:28: 4 bytes of padding before 'y' of 'I' (vector-relaxed std140)",
    ]


@pytest.mark.parametrize(
    ("member", "layout", "wanted"),
    [
        ("float4x4 m;", "vulkan", ["matrix-order"]),
        ("row_major float4x4 m;", "vulkan", []),
        ("row_major float3x4 m;", "gl", []),
        ("row_major float2x4 m[3];", "dx", []),
        ("row_major float4x3 m;", "vulkan", ["matrix-stride"]),
        ("row_major float4x3 m;", "scalar", []),
        ("float3x3 m;", "dx", ["matrix-stride", "matrix-order"]),
        ("float1x3 m; float3x1 n; float4 v;", "vulkan", []),
    ],
)
def test_matrix_portability(member: str, layout: str, wanted: list[str]) -> None:
    found = compiled(f"cbuffer C {{ {member} }};", "matrix-portability", layout=layout).diagnostics
    assert [d.code.name for d in found] == wanted


def test_matrix_words() -> None:
    source = "cbuffer C { float4x3 m; };"
    assert warnings(source, "matrix-portability") == [
        "1:22: 'float4x3 m' of 'C' lies by columns: targets without a matrix layout, CPU or CUDA code, take rows",
    ]
    assert warnings(source, "matrix-stride", matrix_layout="row_major") == [
        "1:22: 'float4x3 m' of 'C' has rows of 12 bytes, 16 apart: tight matrices of CPU or CUDA code do not fit"
    ]


def test_a_pragma_asks_for_them() -> None:
    source = (
        '#pragma dxc diagnostic push\n#pragma dxc diagnostic warning "-Wpadding"\ncbuffer C { float a; float4 b; };\n'
    )
    source += "#pragma dxc diagnostic pop\ncbuffer D { float c; float4 d; };"
    assert warnings(source) == ["3:29: 12 bytes of padding before 'b' of 'C' (vector-relaxed std140)"]


def test_as_errors() -> None:
    result = compiled(LIGHT, "error=padding")
    assert not result.ok and result.diagnostics[0].severity == "error"


@pytest.mark.parametrize(
    ("source", "layout", "wanted"),
    [
        (
            "struct S { float x; [[vk::offset(6)]] float y; };\nStructuredBuffer<S> s;",
            "vulkan",
            ["1:45: The offset provided in the attribute should be 4-byte aligned."],
        ),
        ("struct S { [[vk::offset(4)]] float3 y; };\nConstantBuffer<S> s;", "vulkan", []),
        (
            "struct S { [[vk::offset(4)]] float3 y; };\nConstantBuffer<S> s;",
            "gl",
            ["1:37: The offset provided in the attribute should be 16-byte aligned."],
        ),
        (
            "struct S { [[vk::offset(4)]] float y[2]; };\nConstantBuffer<S> s;",
            "dx",
            ["1:36: The offset provided in the attribute should be 16-byte aligned."],
        ),
        ("cbuffer C { float3 a : packoffset(c0.y); float4x4 m : packoffset(c1); };", "vulkan", []),
    ],
)
def test_places_that_the_rule_does_not_have(source: str, layout: str, wanted: list[str]) -> None:
    assert warnings(source, layout=layout) == wanted


@pytest.mark.parametrize(
    "block",
    [
        "struct P { [[vk::offset(0)]] float4 a; [[vk::offset(8)]] float2 b; }; [[vk::push_constant]] P p;",
        "cbuffer C { [[vk::offset(16)]] float4 a; [[vk::offset(0)]] float3x3 b; };",
        "struct I { float2 a; [[vk::offset(4)]] float b; }; struct O { float x; I i[2]; }; ConstantBuffer<O> o;",
    ],
)
def test_members_that_overlap(block: str) -> None:
    source = block + "\nfloat4 main() : SV_Target { return 0; }"
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions(preserve_bindings=True))
    assert [d.code.id for d in result.diagnostics] == ["HLSL1168"]
    location = result.diagnostics[0].location
    assert location is not None and location.line == 1
    assert compile_shader(source, profile="ps_6_0", options=CompileOptions(validate="no")).ok


@pytest.mark.parametrize(
    ("members", "count"),
    [
        ("[[vk::offset(0)]] uint a : 4; uint b : 4;", 0),
        ("[[vk::offset(0)]] uint a; [[vk::offset(2)]] uint b;", 1),
        ("[[vk::offset(0)]] uint a; [[vk::offset(4)]] uint b;", 0),
        ("[[vk::offset(0)]] float4 a; [[vk::offset(8)]] float b; [[vk::offset(12)]] float c;", 2),
    ],
)
def test_members_on_the_bytes_of_others_are_counted(members: str, count: int) -> None:
    source = f"struct S {{ {members} }}; StructuredBuffer<S> s;"
    options = CompileOptions(optimize="none")
    diagnostics = compile_shader(source + MAIN, profile="cs_6_2", options=options).diagnostics
    assert [d.code.id for d in diagnostics if d.code.id == OFFSET_OVERLAP.id] == [OFFSET_OVERLAP.id] * count
