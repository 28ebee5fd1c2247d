"""`hlsl_tool run` for the stages of draws: what they pass on, pictures, checks, and wrong options."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hlsl_tool.cli.__main__ import run
from tests.debug.shaders import DRAW

CORNERS = [[-1, -1], [1, -1], [-1, 1], [1, 1], [-1, 1], [1, -1]]
STAGES = {"vertex": "VSMain", "hull": "HSMain", "domain": "DSMain", "geometry": "GSMain"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("draw.hlsl").write_text(DRAW)
    np.save("corners.npy", np.array(CORNERS, np.float32))
    return tmp_path


def draw(entry: str, *words: str, before: str = "", size: str = "--vertices=6") -> int:
    """Run a stage of the draw behind those whose first letters are in `before`."""
    stages = [f"--stage={name}={point}" for name, point in STAGES.items() if name[0] in before]
    profile = f"{entry[0].lower()}s_6_0"
    has_own = any(word.startswith("--attribute") for word in words)
    given = ["--attribute=PLACE=corners.npy"] if size == "--vertices=6" and not has_own else []
    return run(["run", "draw.hlsl", "-T", profile, "-E", entry, size, *given, "--bind=scale=0.5", *stages, *words])


@pytest.mark.parametrize(
    ("entry", "before", "name", "value"),
    [
        ("VSMain", "", "PLACE", [[-0.5, 0.5, -0.5, 0.5, -0.5, 0.5], [-0.5, -0.5, 0.5, 0.5, 0.5, -0.5]]),
        ("HSMain", "v", "SV_InsideTessFactor", [[1, 2]]),
        ("DSMain", "vh", "SV_Position", [[0.5, -0.5, -0.5, -0.5, 0], [-0.5, 0.5, -0.5, 0.5, 0]]),
        ("GSMain", "vhd", "COLOR", [[0, 0, 1, 1, 1], [1, 0, 0, 0, 0]]),
    ],
)
def test_results_of_stages(folder: Path, entry: str, before: str, name: str, value: list[list[float]]) -> None:
    assert draw(entry, f"--out={name}", before=before) == 0
    rows = np.array(value)
    np.testing.assert_allclose(np.load(f"{name}.npy")[: len(rows), : rows.shape[1]], rows, atol=1e-6)


def test_indices(folder: Path) -> None:
    words = ["--indices=[0, 1, 2, 0, 1, 2, 3, 4, 5]", "--out=SV_InsideTessFactor", "--out=PLACE"]
    assert draw("HSMain", *words, before="v") == 0
    assert np.load("SV_InsideTessFactor.npy")[0].tolist() == [1, 2, 3]
    np.testing.assert_allclose(np.load("PLACE.npy")[2], [0, 0.1, 0.2, 1, 1.1, 1.2, 2.3, 2.4, 2.5], atol=1e-6)


def test_unknown_arguments_are_errors_with_the_names_of_all_stages(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert draw("HSMain", "--bind=scales=3", before="v") == 1
    assert "has no parameter `scales` [HLSL1792]\nhint: There are: scale." in capsys.readouterr().err


@pytest.mark.parametrize("check", [(), ("--check=strict",)])
def test_a_picture_of_a_draw(folder: Path, check: tuple[str, ...]) -> None:
    assert draw("PSMain", "--size=16,16", "--out=SV_Target0=picture.npy", *check, before="vhdg") == 0
    picture = np.load("picture.npy")
    assert picture.shape == (16, 16, 4)
    np.testing.assert_allclose(picture[5, 5], [0.75, 0.125, 0.125, 1], atol=1e-6)
    assert (picture[..., 3] == 1).sum() > 30
    assert not picture[0, 0].any()


def test_all_stages_are_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("draw.hlsl").write_text(DRAW.replace("points[i].place * at[i]", "points[i].place * at[i + (at.x > 2)] / 0"))
    assert draw("PSMain", "--size=16,16", "--check=strict", "--out=SV_Target", before="vhdg") == 1
    assert "draw.hlsl" in capsys.readouterr().err


def test_stages_share_what_they_write(folder: Path) -> None:
    Path("draw.hlsl").write_text(
        "RWStructuredBuffer<float> Seen;\n"
        "float4 VSMain(uint id : SV_VertexID) : SV_Position { Seen[id] = id + 1;"
        " return float4(id == 1 ? 3 : -1, id == 2 ? 3 : -1, 0, 1); }\n"
        "float4 PSMain(float4 p : SV_Position) : SV_Target { Seen[3] = Seen[2]; return Seen[1]; }\n"
    )
    words = ["--size=4,4", "--out=SV_Target", "--out=Seen"]
    assert (
        run(["run", "draw.hlsl", "-T", "ps_6_0", "-E", "PSMain", "--vertices=3", "--stage=vertex=VSMain", *words]) == 0
    )
    assert np.load("Seen.npy").tolist()[:3] == [1, 2, 3]
    assert (np.load("SV_Target0.npy") == 2).all()


WRONG = [
    ("VSMain", "", "--size=4,4", "a draw that begins with a vertex shader needs `vertices`"),
    ("DSMain", "v", "--vertices=6", "a domain shader needs its hull shader among the stages before it"),
    ("PSMain", "v", "--vertices=6", "a pixel shader needs the `size` of the picture"),
    ("PSMain", "", "--vertices=6", "--vertices is for draws: vertex, hull, domain and geometry shaders"),
]


@pytest.mark.parametrize(("entry", "before", "size", "message"), WRONG)
def test_wrong_sizes(
    folder: Path, entry: str, before: str, size: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert draw(entry, before=before, size=size) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--groups=1"], "--groups and --vertices exclude each other"),
        (["--attribute=PLACE"], "`--attribute PLACE` has no value: --attribute NAME=VALUE"),
        (["--attribute=PLACE=[1, 2]"], "--attribute PLACE: has to have a row of numbers for each of 6 vertices"),
        (["--attribute=PLACE=absent.npy"], "cannot read `absent.npy`"),
        (["--stage=vertexx=VSMain"], "there is no stage `vertexx`; did you mean `vertex`?"),
        (["--indices=[0, 6]"], "--indices: an index is outside of the 6 vertices"),
        (["--attribute=PLACE=[1]", "--attribute=PLACE=[2]"], "--attribute PLACE is given twice"),
        (["--stage=pixel=PSMain", "--stage=pixel=Other"], "--stage pixel is given twice"),
        (["--depth=less"], "--depth is for a pixel shader behind --stage"),
        (["--topology=squares"], "there is no topology `squares`"),
        (["--out=Nothing"], "the shader does not write `Nothing` (it writes: PLACE, COLOR)"),
    ],
)
def test_wrong_options(folder: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw("VSMain", *words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("size", ["4", "4,4,4", "0,4", "4,"])
def test_a_picture_has_a_width_and_a_height(folder: Path, size: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        draw("PSMain", size=f"--size={size}")
    assert ended.value.code == 2
    assert f"argument --size: `{size}` is no width and height, such as 256,256" in capsys.readouterr().err


def test_a_result_can_have_several_files(folder: Path) -> None:
    assert draw("PSMain", "--size=4,4", "--out=a.png", "--out=SV_Target0=b.npy", before="vhdg") == 0
    assert Path("a.png").exists()
    assert Path("b.npy").exists()


@pytest.mark.parametrize("option", ["instances", "patch", "samples", "vertices"])
def test_counts_are_from_1_on(folder: Path, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        draw("VSMain", f"--{option}=0")
    assert ended.value.code == 2
    assert f"argument --{option}: `0` is no whole number from 1 on" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--samples=3", "--samples: a pixel has 1, 2, 4, 8 or 16 samples, not 3"),
        (
            "--blend=alphas",
            "--blend: there is no blending `alphas` (there are: alpha, premultiplied, add, multiply, and",
        ),
        ("--blend={", "--blend: `{` is no JSON"),
        ('--blend={"source": "src-gamma"}', "--blend: there is no blend factor `src-gamma`"),
        ('--blend={"sources": "one"}', "--blend: a blending has no `sources`"),
        (f"--blend={['add'] * 9}".replace("'", '"'), "--blend: 9 blendings, and a pixel shader has 8 targets at most"),
        ("--depth=lesser", "--depth: there is no comparison `lesser`; did you mean `less`?"),
    ],
)
def test_wrong_options_of_targets(folder: Path, option: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw("PSMain", option, "--size=4,4", before="vhdg") == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("entry", "before", "option", "message"),
    [
        ("PSMain", "vh", "--size=4,4", "a pixel shader behind a hull shader needs the domain shader between them"),
        ("PSMain", "vd", "--size=4,4", "a domain shader needs its hull shader among the stages before it"),
        ("GSMain", "vh", "--seed=1", "a geometry shader behind a hull shader needs the domain shader between them"),
        ("PSMain", "v", "--stage=mesh=MSMain", "a draw has a vertex shader or a mesh shader, not both"),
    ],
)
def test_stages_that_cannot_follow_each_other(
    folder: Path, entry: str, before: str, option: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert draw(entry, option, before=before) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("entry", "before", "options", "message"),
    [
        ("HSMain", "v", ["--patch=2"], "the hull shader reads patches of 3 vertices, and those of the draw have 2"),
        ("HSMain", "v", ["--patch=33"], "`patch` is 33, and a patch has 1 to 32 vertices"),
        ("HSMain", "v", ["--topology=lines"], "`topology` is for draws without a hull shader, which reads patches"),
        ("PSMain", "vhdg", ["--size=4,4", '--blend={"source": "src1"}'], "the pixel shader has no output of"),
        ("VSMain", "", ["--attribute=PLACE=[[1, 2, 3, 4, 5]]", "--vertices=1"], "has 2 numbers for each vertex, not 5"),
    ],
)
def test_draws_that_the_stages_cannot_do(
    folder: Path, entry: str, before: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert draw(entry, *options, before=before) == 1
    assert message in capsys.readouterr().err


LINKED = """
struct V { float4 position : SV_Position; int4 number : NUMBER; };
float4 VSMain(float2 p : PLACE) : COLOR { return p.xyxy; }
V VSNumber(float2 p : PLACE) { V v; v.position = float4(p, 0, 1); v.number = 3; return v; }
float4 VSPosition(float2 p : PLACE) : SV_Position { return float4(p, 0, 1); }
float4 PSMain(float4 position : SV_Position, float4 c : COLOR) : SV_Target { return c; }
float4 PSOther(float4 position : SV_Position, int4 n : COUNT) : SV_Target { return n; }
"""


@pytest.mark.parametrize(
    ("pixel", "vertex", "status", "message"),
    [
        (
            "PSMain",
            "VSNumber",
            2,
            "reads 'COLOR' (float4) at location 0, where the vertex stage writes 'NUMBER' (int4)",
        ),
        ("PSMain", "VSPosition", 2, "which the vertex stage `VSPosition` does not write"),
        ("PSMain", "VSMain", 1, "`VSMain` is a vertex shader that does not write SV_Position"),
        (
            "PSOther",
            "VSNumber",
            0,
            "warning: location 0 is 'COUNT' in the pixel stage, but 'NUMBER' in the vertex stage",
        ),
    ],
)
def test_stages_whose_interfaces_do_not_fit(
    folder: Path, pixel: str, vertex: str, status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("draw.hlsl").write_text(LINKED)
    words = [f"--stage=vertex={vertex}", "--attribute=PLACE=corners.npy", "--size=4,4"]
    assert run(["run", "draw.hlsl", "-T", "ps_6_0", "-E", pixel, "--vertices=6", *words]) == status
    assert message in capsys.readouterr().err


WIDE = """
struct O { float4 position : SV_Position; int a : A; uint b[2] : B; float2x3 m : M; double d : D; };
O VSMain(row_major float3x4 world : WORLD, int n : N, double d : D)
{
    O o;
    o.position = float4(mul(world, float4(1, 2, 3, 1)), 1);
    o.a = n;
    o.b[0] = 1;
    o.b[1] = n;
    o.m = (float2x3)world;
    o.d = d;
    return o;
}
"""


def test_attributes_and_results_of_all_types(folder: Path) -> None:
    Path("draw.hlsl").write_text(WIDE)
    given = ["--attribute=WORLD=[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]]", "--attribute=N=[-5]"]
    names = ["SV_Position", "A", "B", "M", "D"]
    outputs = [f"--out={name}" for name in names]
    words = ["-T", "vs_6_0", "-E", "VSMain", "--vertices=1", "--attribute=D=[0.1]"]
    assert run(["run", "draw.hlsl", *words, *given, *outputs]) == 0
    arrays = {name: np.load(f"{name}.npy") for name in names}
    assert arrays["SV_Position"].tolist() == [[18], [46], [74], [1]]
    assert arrays["A"].tolist() == [-5]
    assert arrays["B"].tolist() == [[1], [2**32 - 5]]
    assert arrays["M"].tolist() == [[[1], [2], [3]], [[5], [6], [7]]]
    assert arrays["D"].tolist() == [0.1]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("N=[0.5]", "`N` has whole numbers [HLSL1793]"),
        ("N=[5000000000]", "`N` has whole numbers from -2147483648 to 2147483647"),
        ("WORLD=[[1, 2, 3, 4]]", "`WORLD` has 12 numbers for each vertex, not 4"),
    ],
)
def test_attributes_that_inputs_cannot_have(
    folder: Path, value: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("draw.hlsl").write_text(WIDE)
    words = ["-T", "vs_6_0", "-E", "VSMain", "--vertices=1", f"--attribute={value}"]
    assert run(["run", "draw.hlsl", *words]) == 1
    assert message in capsys.readouterr().err
