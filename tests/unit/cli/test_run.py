"""`hlsl_tool run`: arguments from files and texts, results, and its exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from hlsl_tool.cli.__main__ import run
from hlsl_tool.gpu.files.png import read_png, write_png

SCALE = """\
struct Item { float2 a; int b; };
StructuredBuffer<float> In;
StructuredBuffer<Item> Items;
RWStructuredBuffer<float> Out;
float factor;
#ifndef BIAS
#define BIAS 0
#endif
[numthreads(4, 1, 1)] void main(uint i : SV_DispatchThreadID) { Out[i] = In[i] * factor + BIAS; }
[numthreads(4, 1, 1)] void sums(uint i : SV_DispatchThreadID) { Out[i] = Items[i].a.x + Items[i].b; }
"""
INVERT = """\
Texture2D<float4> Picture;
RWTexture2D<float4> Inverse;
[numthreads(4, 4, 1)] void main(uint2 i : SV_DispatchThreadID) { Inverse[i] = float4(1 - Picture[i].rgb, 1); }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scale.hlsl").write_text(SCALE)
    (tmp_path / "invert.hlsl").write_text(INVERT)
    return tmp_path


def test_arrays_come_from_files_and_go_to_files(folder: Path) -> None:
    np.save("data.npy", np.arange(8, dtype=np.float32))
    words = ["-T", "cs_6_0", "-D", "BIAS=1", "--groups", "2,1,1", "--bind", "In=data.npy", "--bind", "factor=2.5"]
    assert run(["run", "scale.hlsl", *words, "--out", "Out.npy", "--out", "Out=raw.bin"]) == 0
    assert run(["run", "scale.hlsl", *words, "--out", "Out.npy"]) == 0
    np.testing.assert_array_equal(np.load("Out.npy"), np.arange(8, dtype=np.float32) * 2.5 + 1)
    np.testing.assert_array_equal(np.fromfile("raw.bin", np.float32), np.load("Out.npy"))


def test_numbers_on_the_command_line_and_results_on_the_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["-T", "cs_6_0", "--threads", "4", "--bind", "In=[1, 2, 3, 4]", "--bind", "factor=2"]
    assert run(["run", "scale.hlsl", *words]) == 0
    assert capsys.readouterr().out == "Out: float32 (4,)\n[2. 4. 6. 8.]\n"


def test_random_numbers_depend_on_the_seed_and_the_name(folder: Path) -> None:
    results = []
    for seed in ("1", "1", "2"):
        words = ["-T", "cs_6_0", "-E", "sums", "--threads", "4", "--seed", seed, "--out", "Out"]
        assert run(["run", "scale.hlsl", *words]) == 0
        results.append(np.load("Out.npy").tolist())
    assert results[0] == results[1] != results[2]


@pytest.mark.parametrize("declaration", ["float2x3 m", "int2x3 m", "row_major int2x3 m", "struct { bool b; } m[2]"])
def test_random_constants_of_all_types(folder: Path, declaration: str, capsys: pytest.CaptureFixture[str]) -> None:
    value = "m[1].b" if "struct" in declaration else "m[1][2]"
    text = f"cbuffer C {{ {declaration}; }}; RWStructuredBuffer<float> Out; [numthreads(1, 1, 1)] void main() "
    Path("constants.hlsl").write_text(f"{text}{{ Out[0] = {value}; }}")
    assert run(["run", "constants.hlsl", "-T", "cs_6_0", "--groups", "1", "--seed", "1"]) == 0, capsys.readouterr().err


def test_pictures(folder: Path) -> None:
    pixels = np.arange(8 * 4 * 3, dtype=np.uint8).reshape(4, 8, 3)
    Path("in.png").write_bytes(write_png(pixels))
    words = ["-T", "cs_6_0", "--threads", "8,4", "--bind", "Picture=in.png", "--bind", "Inverse=zeros:4x8"]
    assert run(["run", "invert.hlsl", *words, "--out", "Inverse=out.png"]) == 0
    np.testing.assert_array_equal(read_png(Path("out.png").read_bytes())[..., :3], 255 - pixels)


def test_checks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-T", "cs_6_0", "--threads", "4", "--bind", "In=[1, 2]", "--bind", "factor=1", "--out", "Out"]
    assert run(["run", "scale.hlsl", *words]) == 0
    assert run(["run", "scale.hlsl", *words, "--check"]) == 0  # Direct3D defines that the read gives 0
    assert run(["run", "--check", "strict", "scale.hlsl", *words]) == 1
    message = "error: reads byte 8 of `In[…]`, which has 8 bytes (thread (2, 0, 0) of group (0, 0, 0)) [HLSL1900]"
    assert capsys.readouterr().err.splitlines() == [
        f"scale.hlsl:9:74: {message}",
        SCALE.splitlines()[8],
        " " * 73 + "^~~~~",
    ]
    assert run(["run", "scale.hlsl", *words, "--bind", "In=[1, 2, 3, 4]", "--check", "strict"]) == 0


def test_the_option_for_checks_may_be_in_front_of_the_shader(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-T", "cs_6_0", "--threads", "4", "--bind", "In=[1, 2, 3, 4]", "--bind", "factor=1", "--out", "Out"]
    assert run(["run", "--check", "scale.hlsl", *words]) == 0
    assert run(["run", "--check", "scale.hlsl", *words, "--check", "strict"]) == 0
    assert run(["run", "--check", "races,rates", "scale.hlsl", *words]) == 2
    assert "there is no check `rates`" in capsys.readouterr().err


def test_the_interpreter_runs_what_a_higher_target_needs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As in the debugger, the target environment is only that of the option."""
    text = "RWStructuredBuffer<uint> Out;\n"
    text += "[numthreads(4, 1, 1)] void main(uint i : SV_DispatchThreadID) { Out[i] = WaveActiveSum(i); }\n"
    Path("wave.hlsl").write_text(text)
    assert run(["run", "wave.hlsl", "-T", "cs_6_0", "--groups", "1"]) == 0
    assert capsys.readouterr().out == "Out: uint32 (4,)\n[6 6 6 6]\n"
    assert run(["run", "wave.hlsl", "-T", "cs_6_0", "--groups", "1", "-fspv-target-env=vulkan1.0"]) == 1
    assert "Vulkan 1.1 is required for Wave Operation" in capsys.readouterr().err


def test_findings_as_a_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-T", "cs_6_0", "--threads", "4", "--bind", "In=[1, 2]", "--bind", "factor=1", "--out", "Out"]
    assert run(["run", "scale.hlsl", *words, "--check=bounds", "--diagnostics", "json"]) == 1
    (entry,) = json.loads(capsys.readouterr().out)["diagnostics"]
    place = entry["location"]
    assert (entry["code"], place["line"], place["column"]) == ("HLSL1900", 9, 74)


def test_an_endless_loop_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "RWStructuredBuffer<uint> Out;\n[numthreads(4, 1, 1)] void main(uint i : SV_DispatchThreadID) {\n"
    Path("endless.hlsl").write_text(f"{text}    while (Out[i] < 2)\n        Out[i] = Out[i] * 2;\n}}\n")
    assert run(["run", "endless.hlsl", "-T", "cs_6_0", "--threads", "4", "--max-steps", "1000"]) == 1
    error = capsys.readouterr().err
    assert re.search(r"the loop at endless.hlsl:[34]:\d+ exceeds the limit of 1000 blocks \[HLSL1891\]", error)


PIXEL = """\
struct Input { float4 position : SV_Position; float2 uv : TEXCOORD; };
float scale;
float4 main(Input i, out float depth : SV_Target1) : SV_Target0
{ depth = i.position.x; return float4(i.uv * scale, 0, 1); }
"""


def test_a_pixel_shader_fills_a_picture(folder: Path) -> None:
    Path("pixel.hlsl").write_text(PIXEL)
    words = ["-T", "ps_6_0", "--size", "4,2", "--bind", "scale=1", "--out", "picture.png", "--out", "SV_Target1=x.npy"]
    assert run(["run", "pixel.hlsl", *words]) == 0
    pixels = read_png(Path("picture.png").read_bytes())
    assert pixels[..., 0].tolist() == [[32, 96, 159, 223]] * 2
    assert pixels[..., 1].tolist() == [[64] * 4, [191] * 4]
    assert np.load("x.npy")[..., 0].tolist() == [[0.5, 1.5, 2.5, 3.5]] * 2


def test_the_size_of_a_picture_is_for_pixel_shaders(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "scale.hlsl", "-T", "cs_6_0", "--size", "4,4"]) == 2
    assert "--size is for a pixel shader" in capsys.readouterr().err


YAML = """\
# what the shader reads
In: data.npy
factor: 2
"""
PYTHON = """\
import numpy as np

In = np.arange(4, dtype=np.float32)
factor = 2.0
"""


@pytest.mark.parametrize("name", ["values/inputs.yaml", "values/inputs.py", "values/inputs.npz"])
def test_a_file_binds_the_arguments(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = np.arange(4, dtype=np.float32)
    (folder / "values").mkdir()
    np.save("values/data.npy", values)
    (folder / "values/inputs.yaml").write_text(YAML)
    (folder / "values/inputs.py").write_text(PYTHON)
    np.savez("values/inputs.npz", In=values, factor=np.float32(2))
    words = ["-T", "cs_6_0", "--threads", "4", "--inputs", name]
    assert run(["run", "scale.hlsl", *words]) == 0
    assert run(["run", "scale.hlsl", *words, "--bind", "factor=10"]) == 0
    assert capsys.readouterr().out.split("\n")[1::2] == ["[0. 2. 4. 6.]", "[ 0. 10. 20. 30.]"]


@pytest.mark.parametrize("text", ["In: [1\n", "- 1\n"])
def test_a_damaged_file_of_arguments(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("inputs.yaml").write_text(text)
    assert run(["run", "scale.hlsl", "-T", "cs_6_0", "--threads", "4", "--inputs", "inputs.yaml"]) == 2
    assert "inputs.yaml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--groups", "1", "--bind", "factor=1"], 1, "`In` is missing: StructuredBuffer<float> [HLSL1791]"),
        (["--groups", "1", "--bind", "In"], 2, "`--bind In` has no value: --bind NAME=VALUE"),
        (["--groups", "1", "--bind", "In=what"], 1, "`In` cannot be read from `what` [HLSL1793]"),
        (["--groups", "1", "--out", "In"], 2, "the shader does not write `In` (it writes: Out)"),
        (["--groups", "1", "--bind", "In=none.npy"], 1, "`In` cannot be read from `none.npy`: No such file"),
        (["--groups", "1", "--bind", "In=odd.bin"], 1, "`In` needs a multiple of 4 bytes, and `odd.bin` has 3"),
        (["--groups", "1", "--bind", "In=odd.npy"], 1, "from `odd.npy`: it is no array of numbers [HLSL1793]"),
        (["--groups", "1", "--bind", "In=[1, [2, 3]]"], 1, "`In` `[1, [2, 3]]` is no array of float32 [HLSL1793]"),
        (["--groups", "1", "--bind", 'In={"a": 1}'], 1, "is no array of float32 [HLSL1793]"),
        (["--groups", "1", "--bind", "In=zeros:-1"], 1, "`In` has no shape: `zeros:-1` [HLSL1793]"),
        (["--groups", "1", "--bind", "In=random:"], 1, "`In` has no shape: `random:` [HLSL1793]"),
        (["--groups", "1", "--bind", f"In=zeros:{1 << 50}"], 1, "hint: run fewer threads"),
        (["--groups", "1", "--inputs", "none.yaml"], 2, "cannot read `none.yaml`: No such file"),
        (["--groups", "1", "--inputs", "."], 2, "cannot read `.`: it is a folder"),
        (["--groups", "1", "--inputs", "odd.py"], 2, "`odd.py` failed: ZeroDivisionError: division by zero (odd.py:1"),
        (["--groups", "1", "--inputs", "odd.npz"], 2, "`odd.npz` is no archive of arrays of numbers"),
    ],
)
def test_errors(words: list[str], status: int, message: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in (("odd.bin", "123"), ("odd.npy", "x"), ("odd.npz", "x"), ("odd.py", "1 / 0")):
        Path(name).write_text(content)
    assert run(["run", "scale.hlsl", "-T", "cs_6_0", *words]) == status
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--max-steps", "--elements"])
def test_numbers_are_not_negative(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(["run", "scale.hlsl", "-T", "cs_6_0", "--groups", "1", option, "-1"])
    assert f"argument {option}: `-1` is no whole number from 0 on" in capsys.readouterr().err


def test_modules_are_not_compiled(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("module.spv").write_bytes(b"")
    assert run(["run", "module.spv", "-T", "cs_6_0", "--groups", "1"]) == 2
    assert "`module.spv` is a module, and `hlsl_tool run` compiles HLSL" in capsys.readouterr().err


def test_a_shader_with_errors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.hlsl").write_text("[numthreads(1, 1, 1)] void main() { x = 1; }")
    assert run(["run", "bad.hlsl", "-T", "cs_6_0", "--groups", "1"]) == 1
    assert "undeclared identifier" in capsys.readouterr().err


ELEMENTS = {
    "float4x4": "m[i][3][2]",
    "row_major float2x3": "m[i][1][2]",
    "float1x3": "m[i][0][2]",
    "float3x1": "m[i][2][0]",
    "int2x2": "m[i][1][1]",
    "double2x2": "m[i][1][1]",
    "half3": "m[i].z",
    "float3": "m[i].z",
    "uint": "m[i]",
    "Outer": "m[i].inner[1].m[1][2]",
}


@pytest.mark.parametrize("element", ELEMENTS)
def test_buffers_are_filled_for_all_threads(
    element: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = f"""struct Inner {{ float a; float2x3 m; }}; struct Outer {{ Inner inner[2]; }};
        StructuredBuffer<{element}> m : register(t0); RWStructuredBuffer<float> Out : register(u1);
        [numthreads(4, 1, 1)] void main(uint i : SV_DispatchThreadID) {{ Out[i] = (float){ELEMENTS[element]}; }}"""
    Path("x.hlsl").write_text(source)
    words = ["-T", "cs_6_2", "-enable-16bit-types", "--groups", "1", "--seed", "1", "--out", "Out"]
    assert run(["run", "x.hlsl", *words]) == 0, capsys.readouterr().err
    out = np.load("Out.npy")
    assert out.shape == (4,)
    assert np.all(out != 0)
