"""What a new project meets first: warnings that were silent, and hints that can be followed."""

from __future__ import annotations

import pathlib
import re

import pytest

from tests.build.conftest import Project

CONFIG = "validate: false\noutputs: [spv]\nshaders:\n  - source: lit.hlsl\n    profile: ps_6_0\n"
RESOURCES = """\
cbuffer B : register(b0) { float4 k; };
Texture2D t : register(t0);
SamplerState s : register(s0);
RWTexture2D<float4> u : register(u0);
float4 main(float2 p : P) : SV_Target { return k * t.Sample(s, p) + u[uint2(0, 0)]; }
"""


@pytest.fixture
def fresh(tmp_path: pathlib.Path) -> Project:
    project = Project(tmp_path, fake=False)
    project.write("config/shaders/lit.yaml", CONFIG)
    return project


def test_the_hint_about_registers_that_collide_can_be_pasted(fresh: Project) -> None:
    fresh.write("shaders/lit.hlsl", RESOURCES)
    run = fresh.tool("build")
    assert "[-Wbinding-collision]" in run.err
    (snippet,) = re.findall("such as by `([^`]+)`", run.err)
    fresh.write("config/shaders/lit.yaml", f"{snippet}\n{CONFIG}")
    run = fresh.tool("build")
    assert (run.status, run.err) == (0, "")
    fresh.write("config/shaders/lit.yaml", f"{CONFIG}    {snippet}\n")
    run = fresh.tool("build")
    assert (run.status, run.err) == (0, "")


@pytest.mark.parametrize("verb", ["build", "lint"])
def test_a_local_without_a_value_is_reported(fresh: Project, verb: str) -> None:
    source = fresh.write("shaders/lit.hlsl", "float4 main(float4 c : C) : SV_Target { float4 x; return x * c; }\n")
    run = fresh.tool(verb)
    assert run.status == 0
    assert "shaders/lit.hlsl:1:58: warning: variable 'x' is uninitialized when used here" in run.err
    fresh.write("config/shaders/lit.yaml", f"warnings: [no-uninitialized]\n{CONFIG}")
    assert fresh.tool(verb).err == ""
    source.write_text(source.read_text().replace("float4 x;", "float4 x = c;"))


def test_a_lint_can_be_chosen_or_left_out(fresh: Project) -> None:
    fresh.write("shaders/lit.hlsl", "float4 main(float4 c : C) : SV_Target { float4 x; return x * c; }\n")
    assert "HLSL1617" in fresh.tool("lint", "--only", "uninitialized").err
    assert fresh.tool("lint", "--only", "loops").status in (0, 2)
    assert "HLSL1617" not in fresh.tool("lint", "--disable", "uninitialized").err
    assert "uninitialized" in fresh.tool("lint", "--list").out


def test_an_include_folder_that_does_not_exist(fresh: Project) -> None:
    fresh.write("shaders/lit.hlsl", '#include "lights.hlsli"\nfloat4 main() : SV_Target { return light; }\n')
    fresh.write("config/shaders/lit.yaml", f"include_dirs: [nope, ../build/shaders/made]\n{CONFIG}")
    run = fresh.tool("build")
    assert run.err.count("warning: there is no folder `shaders/nope`, which `include_dirs` names") == 1
    assert "config/shaders/lit.yaml:1:15" in run.err
    assert "hint: searched in `shaders`, `./shaders/nope` (there is no such folder), " in run.err
    fresh.write("shaders/nope/lights.hlsli", "static float4 light = 1;\n")
    run = fresh.tool("build")
    assert (run.status, run.err) == (0, "")


def test_an_include_in_angle_brackets_without_a_folder(fresh: Project) -> None:
    fresh.write("shaders/lit.hlsl", "#include <lights.hlsli>\nfloat4 main() : SV_Target { return light; }\n")
    assert "hint: no folder is searched for it: name one with `include_dirs: [FOLDER]`" in fresh.tool("build").err


def test_a_store_that_is_no_place(fresh: Project) -> None:
    fresh.write("shaders/lit.hlsl", "float4 main() : SV_Target { return 1; }\n")
    run = fresh.tool("build", "--store", "nope:xyz")
    assert run.status == 2
    assert (
        run.err == "hlsl_tool: error: store: `nope:xyz` is neither a folder nor an address such as http://cache:8080\n"
    )
    assert not (fresh.root / "nope:xyz").exists()


def test_a_dead_axis_is_reported_at_an_entry_that_has_it(fresh: Project) -> None:
    fresh.write(
        "shaders/lit.hlsl", "float4 main() : SV_Target { return 1; }\nfloat4 second() : SV_Target { return 2; }\n"
    )
    fresh.write(
        "config/shaders/lit.yaml",
        "validate: false\nshaders:\n  - source: lit.hlsl\n    entries:\n"
        "      - { entry: main, profile: ps_6_0 }\n"
        "      - { entry: second, profile: ps_6_0, defines: { FOG: [0, 1] } }\n",
    )
    run = fresh.tool("lint")
    assert "config/shaders/lit.yaml:6:" in run.err
    assert "all values of 'FOG' give the same modules" in run.err


@pytest.mark.parametrize("words", [("lsp", "--tcp", "99999"), ("watch", "--listen", "99999"), ("lsp", "--tcp", "x")])
def test_a_port_that_is_none(fresh: Project, words: tuple[str, ...]) -> None:
    run = fresh.tool(*words)
    assert run.status == 2
    assert f"`{words[-1]}` is no port: a number from 0 to 65535" in run.err
    assert "internal compiler error" not in run.err
