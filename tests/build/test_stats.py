"""`hlsl_tool stats`: the statistics of a build from its log."""

from __future__ import annotations

import json

import pytest

from tests.build.conftest import Project

CONFIG = """\
shaders:
  - { source: a.hlsl, profile: ps_6_0, outputs: [spv], defines: { X: [0, 1, 2] } }
  - { source: b.hlsl, profile: ps_6_0, outputs: [spv] }
"""


@pytest.fixture
def built(project: Project) -> Project:
    project.fake = False
    project.write("config/shaders/all.yaml", CONFIG)
    project.write("shaders/a.hlsl", '#include "h.h"\nfloat4 main() : SV_Target { return X > 0 ? ONE : 2; }\n')
    project.write("shaders/b.hlsl", '#include "h.h"\n#include "i.h"\nfloat4 main() : SV_Target { return ONE; }\n')
    project.write("shaders/h.h", "#define ONE 1\n" + "// long\n" * 50)
    project.write("shaders/i.h", "\n")
    assert project.tool("build").status == 0
    return project


def stats(project: Project, *words: str) -> dict:
    run = project.tool("stats", "--json", *words)
    assert run.status == 0, run.err
    return json.loads(run.out)


def test_stages_headers_and_permutations(built: Project) -> None:
    found = stats(built)
    assert (found["shaders_built"], found["shaders_missing"], found["reused"]) == (4, 0, {})
    assert {"preprocess", "parse", "analyse", "lower", "optimise", "validate", "outputs"} <= found["stages"].keys()
    assert found["ms"] == pytest.approx(sum(found["stages"].values()), abs=0.1)
    assert found["ms"] == pytest.approx(sum(shader["ms"] for shader in found["shaders"]), abs=0.1)
    headers = {header["name"]: header for header in found["headers"]}
    assert {name: header["shaders"] for name, header in headers.items()} == {"shaders/h.h": 4, "shaders/i.h": 1}
    assert headers["shaders/h.h"]["edit_ms"] == pytest.approx(found["ms"], abs=0.1)
    assert headers["shaders/h.h"]["share_ms"] > headers["shaders/i.h"]["share_ms"]
    (shared,) = found["permutations"]
    assert (shared["name"], shared["permutations"], shared["distinct"]) == ("a.main", 3, 2)
    assert found["modules"]["all"] == 4
    assert found["modules"]["distinct_bytes"] < found["modules"]["bytes"]


def test_a_shader_from_the_store_keeps_its_compile_time(built: Project) -> None:
    built.store = str(built.root / "store")
    built.write("shaders/b.hlsl", "float4 main() : SV_Target { return 3; }\n")
    assert built.tool("build").status == 0
    took = {shader["name"]: shader["ms"] for shader in stats(built)["shaders"]}["b.main"]
    (built.root / "build/shaders/b.main.spv").unlink()
    assert "1 built (1 from the store)" in built.tool("build").out
    found = stats(built)
    assert found["reused"] == {"files": 1}
    assert {shader["name"]: shader["ms"] for shader in found["shaders"]}["b.main"] == took > 0


def test_the_outputs_do_not_hang_on_it(built: Project) -> None:
    before = built.outputs()
    assert built.scons("-c").status == 0
    assert built.scons("-j2").status == 0
    found = built.outputs()
    assert {name: found[name] for name in before} == before
    assert stats(built)["shaders_built"] == 4


def test_words(built: Project) -> None:
    text = built.tool("stats").out
    assert text.startswith("4 shaders built; compiling them took ")
    assert "slowest shaders" in text
    assert "3 → 2  a.main" in text
    assert "… and 3 more" in built.tool("stats", "--top", "1").out
    assert "more" not in built.tool("stats", "--top", "0").out
    assert built.tool("stats", "b.main").out.startswith("1 shaders built")


@pytest.mark.parametrize(("words", "said"), [(("--top", "-1"), "--top"), (("nobody",), "no shader is called `nobody`")])
def test_wrong_arguments_are_refused(built: Project, words: tuple[str, ...], said: str) -> None:
    run = built.tool("stats", *words)
    assert run.status == 2
    assert said in run.err


def test_before_a_build(project: Project) -> None:
    project.simple()
    run = project.tool("stats")
    assert (run.status, run.out) == (2, "")
    assert "nothing has been built" in run.err


def test_a_log_that_was_damaged(built: Project) -> None:
    log = built.root / "build/shaders/.hlsl_tool.log"
    log.write_text(log.read_text().replace('"times":{', '"times":["x"],"more":{'))
    run = built.tool("stats")
    assert run.status == 2
    assert "Traceback" not in run.err
