"""`hlsl_tool layout`: its output, its files and its exit status."""

from __future__ import annotations

import xml.etree.ElementTree
from pathlib import Path

import pytest

from hlsl_tool.cli.__main__ import run

SHADER = """\
struct Light { float3 position; float range; float3 color; };
cbuffer Camera
{
    float4x4 view;
    float3 eye;
    float2 jitter;
    float3x3 normal;
    float exposure;
    row_major float3x4 world;
};
StructuredBuffer<Light> lights;
RWByteAddressBuffer o;
[numthreads(1, 1, 1)] void main() { o.Store(0, asuint(view[0][0] + lights[1].range)); }
"""


@pytest.fixture
def shader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.hlsl").write_text(SHADER)
    return "x.hlsl"


def out_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["layout", *words]) == 0
    return capsys.readouterr().out


def test_the_ruler(shader: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = out_of(capsys, "show", shader, "-T", "cs_6_0", "lights")
    assert text == (
        "StructuredBuffer<Light> lights (one element)\n"
        "\n"
        "                       vulkan *         dx               gl               scalar\n"
        "    member             at  size  pad    at  size  pad    at  size  pad    at  size  pad\n"
        "a   float3 position     0    12          0    12          0    12          0    12\n"
        "b   float range        12     4         12     4         12     4         12     4\n"
        "c   float3 color       16    12         16    12         16    12         16    12\n"
        "    end                32               28               32               28\n"
        "\n"
        "* vulkan: vector-relaxed std430; dx: DX structured buffer; gl: std430; scalar: scalar\n"
        "\n"
        "  byte  vulkan *            dx                  gl                  scalar\n"
        "     0  |aaaaaaaaaaaabbbb|  |aaaaaaaaaaaabbbb|  |aaaaaaaaaaaabbbb|  |aaaaaaaaaaaabbbb|\n"
        "    16  |cccccccccccc....|  |cccccccccccc|      |cccccccccccc....|  |cccccccccccc|\n"
    )


def test_every_block_and_the_layout_in_use(shader: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = out_of(capsys, "show", shader, "-T", "cs_6_0", "-fvk-use-dx-layout")
    assert "cbuffer Camera" in text and "StructuredBuffer<Light> lights" in text and "dx *" in text


def test_a_picture(shader: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["show", shader, "-T", "cs_6_0", "Camera", "--svg", "a.svg"]
    out_of(capsys, *words)
    first = (tmp_path / "a.svg").read_bytes()
    out_of(capsys, *words)
    assert first == (tmp_path / "a.svg").read_bytes()
    root = xml.etree.ElementTree.fromstring(first)
    shapes = [each for each in root.iter() if each.tag.endswith("rect")]
    titles = {each.text for each in root.iter() if each.tag.endswith("title")}
    assert len(shapes) > 60
    assert {"float4x4 view: offset 0, 64 bytes", "float2 jitter: offset 76, 8 bytes"} <= titles
    assert any((each.text or "").startswith("vulkan (in use)") for each in root.iter())


def test_a_matrix_explained(shader: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = out_of(capsys, "explain", shader, "-T", "cs_6_0", "normal")
    assert text.startswith("Camera.normal: column_major float3x3 in cbuffer Camera\n")
    for line in (
        "offset      96",
        "because     `jitter` ends at 88; matrices are aligned to 16 bytes (8 bytes of padding)",
        "majorness   column_major, by the default (-Zpc)",
        "SPIR-V      matrix of 3 columns, vectors of 3 float32 (HLSL's rows)",
        "in memory   3 columns of 12 bytes, 16 apart, 4 of them padding",
        "tight code  a row-major array without padding (numpy, C, CUDA) is not the same bytes",
        "  m[1]    100  116  132",
    ):
        assert line + "\n" in text
    assert "decoration  RowMajor, MatrixStride 16" in text
    assert text.count("  yes\n") == 8 and text.count("  no: transpose on the host, declare it ") == 8


@pytest.mark.parametrize(
    ("flags", "source", "origin"),
    [
        ([], "float2x2 m;", "column_major, by the default (-Zpc)"),
        (["-Zpr"], "float2x2 m;", "row_major, by -Zpr (matrix_layout: row_major)"),
        (["-matrix-layout-row-major"], "float2x2 m;", "row_major, by -Zpr (matrix_layout: row_major)"),
        (["-Zpr"], "column_major float2x2 m;", "column_major, by the keyword column_major"),
        ([], "\n#pragma pack_matrix(row_major)\nfloat2x2 m;", "row_major, by #pragma pack_matrix(row_major)"),
        ([], "typedef row_major float2x2 M; M m;", "row_major, by the keyword row_major"),
    ],
)
def test_where_majorness_comes_from(
    flags: list[str], source: str, origin: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.hlsl"
    main = "[numthreads(1, 1, 1)] void main() { o.Store(0, asuint(m._11)); }"
    path.write_text(f"{source}\nRWByteAddressBuffer o;\n{main}")
    assert f"majorness   {origin}\n" in out_of(capsys, "explain", str(path), "-T", "cs_6_0", *flags, "m")


@pytest.mark.parametrize(
    ("declarations", "name", "reason"),
    [
        ("float a; float3 b; float2 c;", "a", "the first member"),
        ("float a; float3 b; float2 c;", "b", "`a` ends at 4, which fits an alignment of 4"),
        (
            "float2 a; float3 b;",
            "b",
            "`a` ends at 8; at 8 its 12 bytes would lie across a boundary of 16, which "
            "vectors may not: the next 16 (8 bytes of padding)",
        ),
        ("float a; float b[2];", "b", "`a` ends at 4; arrays are aligned to 16 bytes (12 bytes of padding)"),
        ("float a; double b;", "b", "`a` ends at 4; a double is aligned to 8 (4 bytes of padding)"),
        ("float a : packoffset(c0); float2 b : packoffset(c3.z);", "b", "packoffset(c3.z) says so"),
    ],
)
def test_why_a_member_is_there(
    declarations: str, name: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.hlsl"
    path.write_text(
        f"cbuffer C {{ {declarations} }};\n"
        "RWByteAddressBuffer o;\n[numthreads(1, 1, 1)] void main() { o.Store(0, asuint(a)); }"
    )
    assert f"because     {reason}\n" in out_of(capsys, "explain", str(path), "-T", "cs_6_0", name)


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["show", "x.hlsl", "-T", "cs_6_0", "Kamera"], 2, "no block is called `Kamera`; did you mean `Camera`?"),
        (["explain", "x.hlsl", "-T", "cs_6_0", "vew"], 2, "no member is called `vew`; did you mean `view`"),
        (["explain", "x.hlsl", "-T", "cs_6_0"], 2, "explain what?"),
        (["show", "y.hlsl", "-T", "cs_6_0"], 2, "cannot read `y.hlsl`: there is no such file"),
        (["show", "x.hlsl"], 2, "arget profile"),
        (["show", "-T", "cs_6_0"], 2, "Required input file argument is missing"),
        (["show", "x.hlsl", "-T", "cs_6_0", "-Zpx"], 2, "Unknown argument: '-Zpx'"),
        (["show", "x.hlsl", "-T", "cs_6_0", "--svg", "a.svg"], 2, "a picture is of one block: Camera, lights"),
        (["show", "x.hlsl", "-T", "cs_6_0", "--svg"], 2, "--svg wants a file"),
        (["show", "x.hlsl", "-T", "cs_6_0", "Camera", "--svg", "no/a.svg/"], 2, "cannot write"),
        (["explain", "x.hlsl", "-T", "cs_6_0", "eye", "--svg", "a.svg"], 2, "--svg belongs to `layout show`"),
        (["draw", "x.hlsl"], 2, "`layout draw` is not known: show or explain"),
        (["show", "x.hlsl", "a", "b", "-T", "cs_6_0"], 2, "a shader and one name, not also `b`"),
        (["show", "bad.hlsl", "-T", "cs_6_0"], 1, "bad.hlsl:1:"),
    ],
)
def test_errors_end_with_a_message_and_a_status(
    words: list[str], status: int, message: str, shader: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.hlsl").write_text("float x = ;")
    assert run(["layout", *words]) == status
    captured = capsys.readouterr()
    assert message in captured.err and "Traceback" not in captured.err and not captured.out.endswith("</svg>\n")


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert "layout explain SHADER" in out_of(capsys, "--help")
    assert run(["layout"]) == 2
