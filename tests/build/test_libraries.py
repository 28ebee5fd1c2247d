"""Shaders with libraries: each way to build gives the bytes of the library call, and builds what an edit affects."""

from __future__ import annotations

import pathlib
import time

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.apps.server import client
from hlsl_tool.base.source import OSFileSystem, SourceFile
from tests.build import systems
from tests.build.conftest import Project
from tests.build.systems import SYSTEMS, System
from tests.build.watching import Watching
from tests.patience import PATIENCE
from tests.unit.server import support

CONFIG = """\
shaders:
  - source: clouds.hlsl
    profile: ps_6_0
    outputs: [spv, reflection, dep]
    libraries: [lib/noise.hlsl, lib/waves.hlsl]
    defines: { OCTAVES: [1, 4] }
  - { source: plain.hlsl, profile: ps_6_0, outputs: [spv] }
"""
FILES = {
    "shaders/clouds.hlsl": """\
        float noise(float2 p);
        Texture2D<float4> image : register(t2);
        float4 main(float2 uv : UV) : SV_Target { return noise(uv) * image.Load(0); }
        """,
    "shaders/lib/noise.hlsl": """\
        #include "steps.hlsli"
        float wave(float x);
        cbuffer Noise : register(b1) { float scale; }
        export float noise(float2 p)
        {
            float r = 0;
            for (int i = 0; i < OCTAVES; i++)
                r += wave(p.x * STEP);
            return r * scale;
        }
        """,
    "shaders/lib/waves.hlsl": "static float phase = 0.5;\nexport float wave(float x) { return sin(x + phase); }\n",
    "shaders/lib/steps.hlsli": "#define STEP 2\n",
    "shaders/plain.hlsl": "float4 main() : SV_Target { return 1; }\n",
}
USERS = ["build/shaders/clouds.main.OCTAVES=1.spv", "build/shaders/clouds.main.OCTAVES=4.spv"]


def fill(project: Project) -> None:
    project.fake = False
    project.write("config/shaders/all.yaml", CONFIG)
    for name, text in FILES.items():
        project.write(name, text)


@pytest.fixture
def tree(project: Project) -> Project:
    fill(project)
    return project


def expected(project: Project) -> dict[str, bytes]:
    """Return the modules of the shaders with libraries, as the library call compiles them."""
    found = {}
    path = project.root / "shaders/clouds.hlsl"
    source = SourceFile.from_bytes("shaders/clouds.hlsl", str(path), path.read_bytes())
    for name, octaves in zip(USERS, ("1", "4"), strict=True):
        options = CompileOptions(
            defines=(("OCTAVES", octaves),),
            libraries=("shaders/lib/noise.hlsl", "shaders/lib/waves.hlsl"),
            warnings=("binding-collision", "lint", "uninitialized"),
        )
        result = compile_shader(source, profile="ps_6_0", options=options, fs=OSFileSystem(str(project.root)))
        assert result.ok, [d.message for d in result.diagnostics]
        found[name] = result.spirv
    return found


def modules(project: Project) -> dict[str, bytes]:
    return {name: data for name, data in project.outputs().items() if name in USERS}


EDITS = {
    "a library": ("shaders/lib/waves.hlsl", "export float wave(float x) { return cos(x); }\n"),
    "a header of a library": ("shaders/lib/steps.hlsli", "#define STEP 3\n"),
    "the shader": ("shaders/clouds.hlsl", FILES["shaders/clouds.hlsl"].replace("image.Load(0)", "1")),
}

ROADS = {
    "build": ["build"],
    "workers": ["build", "-j2"],
    "nodes": ["scons", "scons_nodes=single"],
    "node set": ["scons", "scons_nodes=set", "-j2"],
}


@pytest.mark.medium
@pytest.mark.parametrize("road", ROADS)
def test_builds(tree: Project, road: str) -> None:
    program, *arguments = ROADS[road]

    def build() -> str:
        run = tree.scons(*arguments) if program == "scons" else tree.tool(program, *arguments)
        assert run.status == 0, run.out + run.err
        return run.summary

    assert build() == "shaders: 3 built, 0 up to date, 0 failed"
    assert modules(tree) == expected(tree)
    rule = tree.outputs()["build/shaders/clouds.main.OCTAVES=1.d"].decode()
    assert all(name in rule for name in ("shaders/lib/noise.hlsl", "shaders/lib/waves.hlsl", "shaders/lib/steps.hlsli"))
    assert build().startswith("shaders: 0 built") or program == "scons"
    for name, text in EDITS.values():
        tree.write(name, text)
        assert build() == "shaders: 2 built, 1 up to date, 0 failed"
        assert modules(tree) == expected(tree)


@pytest.mark.medium
def test_a_store(tree: Project) -> None:
    """A stored result is found by the contents of all files; a comment in a library compiles nothing."""
    tree.store = "build"
    first = tree.tool("build")
    assert first.status == 0, first.err
    text = tree.root / "shaders/lib/waves.hlsl"
    before = modules(tree)
    tree.write("shaders/lib/waves.hlsl", "// a comment\n" + text.read_text())
    assert "2 from the store" in tree.tool("build").out
    tree.write("shaders/lib/waves.hlsl", EDITS["a library"][1])
    assert tree.tool("build").status == 0
    assert modules(tree) == expected(tree) != before


@pytest.mark.medium
def test_a_server(tree: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["-T", "ps_6_0", "shaders/clouds.hlsl", "-DOCTAVES=1", "-Fo", "out.spv"]
    command += ["--library=shaders/lib/noise.hlsl", "--library=shaders/lib/waves.hlsl"]
    monkeypatch.chdir(tree.root)
    monkeypatch.setattr(client, "PATIENCE", PATIENCE)  # on a busy machine a client gives up after a second
    with support.server():
        for name, text in (("shaders/plain.hlsl", ""), *EDITS.values()):
            tree.write(name, text)
            answer = client.ask(command)
            assert answer is not None
            assert answer[0] == 0, answer
            (module,) = answer[3].values()
            assert module == expected(tree)[USERS[0]]


@pytest.mark.medium
def test_the_watcher(tree: Project) -> None:
    watching = Watching(tree)
    try:
        for name, text in EDITS.values():
            tree.write(name, text)
            watching.until("shaders: 2 built")
            assert modules(tree) == expected(tree)
    finally:
        watching.close()


@pytest.mark.medium
@pytest.mark.parametrize("system", [s for s in SYSTEMS if s.name in ("ninja", "make")], ids=lambda s: s.name)
def test_generated_rules(system: System, tmp_path: pathlib.Path) -> None:
    if program := system.missing:
        pytest.skip(f"no {program}")
    project = Project(tmp_path)
    fill(project)
    rules = systems.Rules(project, system)
    system.prepare(rules)
    rules.build()
    assert modules(project) == expected(project)
    times = {name: (project.root / name).stat().st_mtime_ns for name in USERS}
    rules.build()
    assert times == {name: (project.root / name).stat().st_mtime_ns for name in USERS}
    for name, text in EDITS.values():
        time.sleep(0.01)  # make compares times
        project.write(name, text)
        rules.build()
        assert modules(project) == expected(project)


@pytest.mark.medium
def test_a_missing_library_is_an_error_until_it_is_there(tree: Project) -> None:
    assert tree.tool("build").status == 0  # from here on the plan is cached
    library = tree.root / "shaders/lib/waves.hlsl"
    text = library.read_text()
    library.unlink()
    run = tree.tool("build")
    assert run.status == 2
    assert "config/shaders/all.yaml:5:33: error: no such file: `shaders/lib/waves.hlsl` [CFG813]" in run.err
    tree.write("shaders/lib/waves.hlsl", text)
    assert tree.tool("build").summary == "shaders: 0 built, 3 up to date, 0 failed"
    assert modules(tree) == expected(tree)


@pytest.mark.medium
def test_libraries_are_named_like_stages_of_pipelines(tree: Project) -> None:
    named = CONFIG.replace("lib/noise.hlsl", "lib/noise").replace("lib/waves.hlsl", "lib/phases")
    libraries = "  - { source: lib/noise.hlsl, profile: lib_6_3, defines: { OCTAVES: 2 }, outputs: [spv] }\n"
    libraries += "  - { source: lib/waves.hlsl, profile: lib_6_3, name: phases, outputs: [spv] }\n"
    tree.write("config/shaders/all.yaml", named + libraries)
    run = tree.tool("build")
    assert run.summary == "shaders: 5 built, 0 up to date, 0 failed", run.err
    assert modules(tree) == expected(tree)
    assert tree.tool("link", "build/shaders/lib/phases.spv", "build/shaders/lib/noise.lib.spv").status == 0


@pytest.mark.medium
def test_outputs_of_the_build_are_no_libraries(tree: Project) -> None:
    tree.write("config/shaders/all.yaml", CONFIG.replace("lib/waves.hlsl", "../build/shaders/waves.spv"))
    run = tree.tool("build")
    assert run.status == 2
    assert "all.yaml:5:" in run.err
    assert "is in the output folder: name its source" in run.err


@pytest.mark.medium
def test_a_shader_of_an_sconstruct(tree: Project) -> None:
    tree.write(
        "SConstruct",
        tree.root.joinpath("SConstruct").read_text().split("env.HlslShaders")[0]
        + "env.HlslShader('shaders/clouds.hlsl', profile='ps_6_0', defines={'OCTAVES': '1'},\n"
        "    libraries=['shaders/lib/noise.hlsl', 'shaders/lib/waves.hlsl'])\nDefault('shaders')\n",
    )
    assert tree.scons().status == 0
    (made,) = [name for name in tree.outputs() if name.endswith(".spv")]
    assert tree.outputs()[made] == expected(tree)[USERS[0]]
    tree.write(*EDITS["a header of a library"])
    assert tree.scons().status == 0
    assert tree.outputs()[made] == expected(tree)[USERS[0]]
