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
    given = ["--attribute=PLACE=corners.npy"] if size == "--vertices=6" else []
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
        (["--samples=3"], "a pixel has 1, 2, 4, 8 or 16 samples, not 3"),
        (
            ["--blend=alphas"],
            "there is no blending `alphas` (there are: alpha, premultiplied, add, multiply, and factors)",
        ),
        (["--blend={"], "--blend: `{` is no JSON"),
        (['--blend={"source": "src-gamma"}'], "there is no blend factor `src-gamma`"),
        (['--blend={"sources": "one"}'], "a blending has no `sources`"),
        (["--depth=lesser"], "there is no comparison `lesser`; did you mean `less`?"),
        (["--topology=squares"], "there is no topology `squares`"),
        (["--out=Nothing"], "the shader does not write `Nothing` (it writes: PLACE, COLOR)"),
    ],
)
def test_wrong_options(folder: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert draw("VSMain", *words) == 2
    assert message in capsys.readouterr().err
