"""Link checks between stages with the real compiler: those that SCons and `hlsl_tool build` run after an edit."""

from __future__ import annotations

import json
import pathlib
import re
import shutil

import pytest

from hlsl_tool.base.system.file_names import LOG_NAME
from hlsl_tool.project.build.outputs.links import is_interface
from tests.build.conftest import Project

pytestmark = pytest.mark.skipif(not shutil.which("spirv-opt"), reason="spirv-opt is not on PATH")

CONFIG = """\
validate: false
outputs: [spv]
shaders:
  - source: lit.hlsl
    entries: [{ entry: VSMain, profile: vs_6_0 }, { entry: PSMain, profile: ps_6_0 }]
    defines: { HIGH: [0, 1] }
"""
STAGES = """\
struct V { float4 p : SV_Position; float2 uv : UV; %s };
V VSMain(float4 p : POSITION) { V v = (V)0; v.p = p; return v; }
float4 PSMain(%s float2 uv : UV%s) : SV_Target { return uv.xyxy %s; }
"""
FITS = STAGES % ("float fog : FOG;", "", ", float fog : FOG", "* fog")
MISSING = STAGES % ("", "", ", float fog : FOG", "* fog")
SWAPPED = STAGES % ("float2 b : B;", "float2 b : B,", "", "* b.xyxy")


@pytest.fixture
def real(tmp_path: pathlib.Path) -> Project:
    project = Project(tmp_path, fake=False)
    project.write("config/shaders/lit.yaml", CONFIG)
    project.write("shaders/lit.hlsl", FITS)
    return project


def checked(project: Project, name: str = "lit") -> list[str]:
    content = json.loads((project.root / f"build/shaders/{name}.link").read_text())
    return [f"{link['stage']} after {link['after']}" for link in content["links"]]


def test_permutations_with_equal_macros_are_checked(real: Project) -> None:
    run = real.scons()
    assert run.status == 0, run.out + run.err
    assert checked(real) == [
        "lit.PSMain.HIGH=0 after [['lit.VSMain.HIGH=0']]",
        "lit.PSMain.HIGH=1 after [['lit.VSMain.HIGH=1']]",
    ]


def test_stages_that_nothing_is_checked_against_have_no_interface_until_something_is(real: Project) -> None:
    def interfaces() -> dict[str, bool]:
        lines = (real.root / "build/shaders" / LOG_NAME).read_text().splitlines()
        found = [json.loads(line) for line in lines]
        return {each["name"]: "interface" in each for each in found if not each["name"].startswith("link:")}

    one = CONFIG.replace(", { entry: PSMain, profile: ps_6_0 }", "")
    real.write("config/shaders/lit.yaml", one)
    assert real.scons().status == 0
    assert interfaces() == {"lit.VSMain.HIGH=0": False, "lit.VSMain.HIGH=1": False}
    real.write("config/shaders/lit.yaml", CONFIG)
    run = real.scons()
    assert run.status == 0, run.out + run.err
    assert checked(real)
    assert all(interfaces().values())


def test_scons_fails_until_the_stages_fit(real: Project) -> None:
    real.write("shaders/lit.hlsl", MISSING)
    for _ in range(2):
        run = real.scons("-j2")
        assert run.status == 2
        assert run.err.count("reads 'FOG' (float) at location 1, which the vertex stage `VSMain` does not write") == 1
        assert re.search(r"shaders/lit\.hlsl:3:\d+: error:", run.err)
        assert "  in lit.PSMain: HIGH=0, HIGH=1\n" in run.err

        assert "Traceback" not in run.out + run.err
    assert not (real.root / "build/shaders/lit.link").exists()
    real.write("shaders/lit.hlsl", FITS)
    assert real.scons().status == 0
    assert checked(real)


def test_a_null_build_checks_nothing(real: Project) -> None:
    real.write("shaders/lit.hlsl", SWAPPED)
    first = real.scons()
    assert first.status == 0
    assert "location 0 is 'B' in the pixel stage, but 'UV' in the vertex stage" in first.err
    again = real.scons()
    assert "warning" not in again.out
    assert again.summary == "shaders: 0 built, 4 up to date, 0 failed"
    without = real.tool("build")
    assert "warning" not in without.out, "what SCons has checked is checked"


def test_one_stage_of_two_files_changes(real: Project) -> None:
    real.write(
        "config/shaders/lit.yaml",
        """\
        validate: false
        outputs: [spv]
        shaders:
          - { source: v.hlsl, profile: vs_6_0 }
          - { source: p.hlsl, profile: ps_6_0 }
        pipelines:
          - { name: both, stages: [v.main, p.main] }
        """,
    )
    real.write("shaders/v.hlsl", "void main(out float4 p : SV_Position, out float3 c : COLOR) { p = 1; c = 2; }")
    real.write("shaders/p.hlsl", "float4 main(float3 c : COLOR) : SV_Target { return c.xyzz; }")
    assert real.scons().status == 0
    assert checked(real, "both") == ["p.main after [['v.main']]"]
    real.write("shaders/v.hlsl", "void main(out float4 p : SV_Position, out uint3 c : COLOR) { p = 1; c = 2; }")
    run = real.scons()
    assert run.status == 2
    assert run.summary == "shaders: 1 built, 1 up to date, 0 failed, 1 link check failed"
    assert "reads 'COLOR' (float3) at location 0, where the vertex stage writes 'COLOR' (uint3)" in run.err


def test_without_scons(real: Project) -> None:
    real.write("shaders/lit.hlsl", MISSING)
    for _ in range(2):
        run = real.tool("build", "-j", "2")
        assert run.status == 2
        assert run.err.count("error:") == 1
        assert "stages that do not fit: lit\n" in run.out
        assert ", 0 failed, 1 link check failed (" in run.out
    found = json.loads(real.tool("build", "--diagnostics", "json").out)
    assert {each["code"] for each in found["diagnostics"]} == {"HLSL0880"}
    real.write("shaders/lit.hlsl", FITS)
    assert real.tool("build").status == 0
    assert real.scons().summary == "shaders: 0 built, 4 up to date, 0 failed"


def test_a_lost_log_is_no_obstacle(real: Project) -> None:
    assert real.scons().status == 0
    (real.root / "build/shaders/.hlsl_tool.log").unlink()
    (real.root / "build/shaders/lit.link").unlink()
    run = real.scons()
    assert run.status == 0, run.out + run.err
    assert len(checked(real)) == 2


@pytest.mark.parametrize("line", ["link: false", "warnings: [no-stage-input-missing]"])
def test_it_can_be_switched_off(real: Project, line: str) -> None:
    real.write("shaders/lit.hlsl", MISSING)
    real.write("config/shaders/lit.yaml", CONFIG.replace("outputs: [spv]\n", f"outputs: [spv]\n{line}\n"))
    run = real.scons()
    assert run.status == 0, run.out
    assert "stage" not in run.out
    assert (real.root / "build/shaders/lit.link").exists() is (line != "link: false")


def test_another_vertex_stage_need_not_fit(real: Project) -> None:
    extra = "float4 VSShadow(float4 p : POSITION) : SV_Position { return p; }\n"
    real.write("shaders/lit.hlsl", FITS + extra)
    entries = "entries: [{ entry: VSShadow, profile: vs_6_0 }, "
    real.write("config/shaders/lit.yaml", CONFIG.replace("entries: [", entries))
    run = real.scons()
    assert run.status == 0, run.out
    real.write(
        "config/shaders/lit.yaml",
        CONFIG.replace("entries: [", entries) + "pipelines: [{ name: shadow, stages: [lit.VSShadow, lit.PSMain] }]\n",
    )
    run = real.scons()
    assert run.status == 2
    assert "the vertex stage `VSShadow` does not write" in run.err
    assert "\n  in lit.PSMain: HIGH=0, HIGH=1 (pipeline shadow)\n" in run.err
    assert ", 1 link check failed" in run.summary
    reported = json.loads(real.tool("build", "--diagnostics", "json").out)["diagnostics"]
    assert reported
    for each in reported:
        assert [(use["shader"], use["pipeline"]) for use in each["occurrences"]] == [("lit.PSMain", "shadow")] * 2


def test_the_same_report_whatever_the_order(real: Project) -> None:
    real.scons("-j2")
    first = real.outputs()
    shutil.rmtree(real.root / "build")
    real.tool("build")
    second = real.outputs()
    assert first == second


def test_the_watcher_checks_too(real: Project) -> None:
    from hlsl_tool.project.watch.loop import Watcher
    from hlsl_tool.project.watch.screen import Screen

    said: list[str] = []
    screen = Screen(said.append, lambda found: "".join(f"{d.severity}: {d.message}\n" for d in found))
    watcher = Watcher(str(real.root), ["config/shaders"], jobs=2, screen=screen)
    try:
        watcher.start()
        assert "error" not in "".join(said)
        for text, fits in ((MISSING, False), (FITS, True)):
            said.clear()
            path = real.write("shaders/lit.hlsl", text)
            watcher.step({str(path)})
            assert ("does not write" in "".join(said)) is not fits
            assert ("stages that do not fit: lit" in "".join(said)) is not fits
    finally:
        watcher.close()


def test_cleaning_takes_the_report_away(real: Project) -> None:
    real.scons()
    assert (real.root / "build/shaders/lit.link").exists()
    real.scons("-c")
    assert not (real.root / "build/shaders/lit.link").exists()


def test_a_chain_of_stages(real: Project) -> None:
    """Each stage is checked against the nearest stage before it: geometry against vertex, pixel against geometry."""
    real.write(
        "shaders/lit.hlsl",
        """\
        struct V { float4 p : SV_Position; float3 n : NORMAL; };
        struct G { float4 p : SV_Position; float2 uv : UV; };
        V vs(float4 p : POSITION) { V v; v.p = p; v.n = p.xyz; return v; }
        [maxvertexcount(1)] void gs(point V v[1], inout PointStream<G> s)
        { G g; g.p = v[0].p; g.uv = v[0].n.xy; s.Append(g); }
        float4 ps(float3 n : NORMAL) : SV_Target { return n.xyzz; }
        """,
    )
    real.write(
        "config/shaders/lit.yaml",
        """\
        validate: false
        outputs: [spv]
        shaders:
          - source: lit.hlsl
            entries:
              - { entry: vs, profile: vs_6_0 }
              - { entry: gs, profile: gs_6_0 }
              - { entry: ps, profile: ps_6_0 }
        """,
    )
    run = real.scons()
    assert run.status == 2
    assert "reads 'NORMAL' (float3) at location 0, where the geometry stage writes 'UV' (float2)" in run.err


def test_bindings_across_a_stage(real: Project) -> None:
    real.write(
        "config/shaders/lit.yaml",
        """\
validate: false
warnings: [error=stage-binding-collision]
shaders:
  - source: lit.hlsl
    entries:
      - { entry: VSMain, profile: vs_6_0 }
      - { entry: GSMain, profile: gs_6_0 }
      - { entry: PSMain, profile: ps_6_0 }
""",
    )
    shader = """\
struct V { float4 p : SV_Position; float2 uv : UV; };
cbuffer Camera : register(b0) { float4 camera; }
Texture2D colours : register(%s);
V VSMain(uint i : SV_VertexID) { V v; v.p = camera * i; v.uv = i; return v; }
[maxvertexcount(1)] void GSMain(point V v[1], inout PointStream<V> s) { s.Append(v[0]); }
float4 PSMain(V v) : SV_Target { return colours.Load(int3(v.uv, 0)); }
"""
    real.write("shaders/lit.hlsl", shader % "t0")
    run = real.scons()
    assert run.status == 2
    assert "'colours' (sampled image) in the pixel stage and 'Camera' (uniform buffer) in the vertex stage" in run.err
    real.write("shaders/lit.hlsl", shader % "t1")
    assert real.scons().status == 0
    (geometry, pixel) = json.loads((real.root / "build/shaders/lit.link").read_text())["links"]
    assert (geometry["stage"], pixel["shares_sets_with"]) == ("lit.GSMain", ["lit.VSMain"])


@pytest.mark.parametrize(
    ("pipelines", "message"),
    [
        ("3", "`pipelines` wants a list of {name: deferred"),
        ("[{ name: a }]", "a pipeline lacks `stages`"),
        ("[{ stages: [lit.VSMain, lit.PSMain] }]", "a pipeline lacks `name`"),
        ("[{ name: a, stages: [lit.VSMain] }]", "`stages` wants a list of two outputs or more"),
        (
            "[{ name: a, stages: [lit.VSMain, lit.PSMaim] }]",
            "no entry is called `lit.PSMaim` (did you mean `lit.PSMain`?)",
        ),
        (
            "[{ name: a, stages: [lit.VSMain, lit.VSMain] }]",
            "`lit.VSMain` and `lit.VSMain` are both of the vertex stage",
        ),
        ("[{ name: a, stages: [lit.VSMain, lit.PSMain], stage: 1 }]", "unknown key `stage` in a pipeline"),
    ],
)
def test_mistakes_in_pipelines(real: Project, pipelines: str, message: str) -> None:
    real.write("config/shaders/lit.yaml", CONFIG + f"pipelines: {pipelines}\n")
    run = real.tool("config", "check")
    assert run.status == 2
    text = " ".join(run.err.replace("hint: ", "(").split())
    assert message.split(" (did")[0] in text


def test_damaged_interfaces_are_worked_out_again(real: Project) -> None:
    assert real.tool("build").status == 0
    wanted = real.outputs()
    log = real.root / "build/shaders" / LOG_NAME
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    interfaces = [row["interface"] for row in rows if row.get("interface")]
    assert len(interfaces) >= 4
    assert all(map(is_interface, interfaces))
    assert is_interface({})
    damaged = [
        {**interfaces[0], "inputs": [{"name": 1, "location": "x"}]},
        {**interfaces[0], "outputs": "x"},
        [],
        {"x": 1},
        {**interfaces[0], "inputs": [{"name": "a", "location": 0, "place": [1]}]},
    ]
    assert not any(map(is_interface, damaged))
    for wrong in damaged[:2]:
        for row in rows:
            if row.get("interface"):
                row["interface"] = wrong
        text = "".join(json.dumps(row) + "\n" for row in rows if not row["name"].startswith("link:"))
        log.write_text(text)
        (real.root / "build/shaders/lit.link").unlink()
        run = real.tool("build")
        assert run.status == 0, run.out + run.err
        assert "Traceback" not in run.out + run.err
        assert real.outputs() == wanted
