"""Actions that a build of an untrusted project must not perform (docs/explanation/security.md)."""

from __future__ import annotations

import http.server
import pathlib
import threading
from collections.abc import Iterator

import pytest

from tests.build.conftest import Project

SHADOWING = ("pickle", "resource", "struct", "socket", "signal", "dataclasses")
MANY = """\
shaders:
  - { source: a.hlsl, profile: ps_6_0, defines: { X: [0, 1, 2, 3, 4, 5, 6, 7] }, outputs: [spv] }
"""


@pytest.mark.parametrize("way", ["tool", "scons", "watch"])
def test_workers_run_no_code_of_the_project(project: Project, way: str) -> None:
    project.write("config/shaders/a.yaml", MANY)
    project.write("shaders/a.hlsl", "int x;\n")
    mark = project.root / "mark"
    for name in SHADOWING:
        project.write(f"{name}.py", f"open({str(mark)!r}, 'a').write({name!r})\nraise SystemExit('of the project')\n")
    commands = {
        "tool": ("-P", "-m", "hlsl_tool", "build", "-j2"),
        "scons": ("-P", "-m", "SCons", "-Q", "-j2"),
        "watch": ("-c", "import sys; sys.path.remove(''); " + WATCH),
    }
    run = project.python(*commands[way])
    assert run.status == 0, run.out + run.err
    assert len(run.compiled) == 8
    assert not mark.exists()


WATCH = """
from hlsl_tool.project.watch.loop import Watcher
from hlsl_tool.project.watch.screen import screen_for
watcher = Watcher('.', ['config/shaders'], screen=screen_for(sys.stdout, str, color=False), jobs=2)
watcher.start()
watcher.close()
"""


def test_the_tool_itself_imports_nothing_of_the_folder_it_runs_in(project: Project) -> None:
    project.simple()
    for name in ("pickle", "struct", "dataclasses", "argparse"):
        project.write(f"{name}.py", "raise SystemExit('of the project')\n")
    run = project.tool("build")
    assert run.status == 0, run.out + run.err


def outside(project: Project) -> pathlib.Path:
    return project.root.parent / f"{project.root.name}.outside"


def test_an_output_folder_outside_needs_a_switch(project: Project) -> None:
    project.simple()
    place = outside(project)
    for text in (f"../{place.name}", str(place), f"build/../../{place.name}"):
        project.write("config/defaults.yaml", f"output_dir: {text}\n")
        for run in (project.tool("build"), project.scons()):
            assert run.status == 2
            assert "defaults.yaml:1:13: error: `output_dir` leaves the project" in run.err
            assert "--allow-outside" in run.err
            assert not place.exists()
    assert project.tool("build", "--allow-outside").status == 0
    assert (place / "a.main.spv").exists()
    assert project.tool("build").status == 2  # the kept plan is that of a build with the switch
    assert project.scons("allow_outside=1").status == 0
    assert project.scons("allow_outside=0").status == 2
    project.write("config/defaults.yaml", f"output_dir: {project.root}/here\n")
    assert project.tool("build").status == 0
    assert (project.root / "here/a.main.spv").exists()


def test_programs_that_a_configuration_names_need_a_switch(project: Project) -> None:
    project.simple()
    mark = project.root / "mark"
    for name in ("spirv-opt", "spirv-val"):
        project.write(f"tools/{name}", f"#!/bin/sh\ntouch {mark}\n").chmod(0o755)
    project.write("config/defaults.yaml", "spirv_tools: tools\n")
    project.fake = False
    project.write("shaders/a.hlsl", "float4 main() : SV_Target { return 0; }\n")
    for run in (project.tool("build"), project.scons(), project.tool("config", "check")):
        assert run.status == 2
        assert "CFG891" in run.err
        assert "scons allow_outside=1" in run.err
        assert not mark.exists()
    project.tool("build", "--allow-outside")
    assert mark.exists()


def test_a_scheduler_that_a_configuration_names_needs_a_switch(project: Project) -> None:
    project.simple()
    project.write("config/defaults.yaml", "executor: dask://127.0.0.1:9\n")
    for run in (project.tool("build"), project.scons()):
        assert run.status == 2
        assert "defaults.yaml:1:11: error: `executor` names a scheduler" in run.err
        assert run.compiled == []
    assert project.tool("build", "--allow-outside").status == 0
    project.write("config/defaults.yaml", "executor: local\n")
    assert project.tool("build").status == 0


def test_a_sconscript_may_name_what_it_likes(project: Project) -> None:
    project.simple()
    place = outside(project)
    text = (project.root / "SConstruct").read_text()
    call = f"env.HlslShader('shaders/a.hlsl', profile='ps_6_0', output_dir={str(place)!r}, spirv_tools='tools')\n"
    text = text.replace("env.HlslShaders('config/shaders')\n", call).replace("'shaders'", repr(str(place)))
    project.write("SConstruct", text)
    run = project.scons()
    assert run.status == 0, run.out + run.err
    assert (place / "a.main.spv").exists()


@pytest.mark.parametrize(
    "config",
    [
        "shaders: [{ source: a.hlsl, entry: /../../../../x, profile: ps_6_0 }]",
        "pipelines: [{ name: ../../../x, stages: [a.VS, a.PS] }]\n"
        "shaders: [{ source: a.hlsl, entries: [{ entry: VS, profile: vs_6_0 }, { entry: PS, profile: ps_6_0 }] }]",
    ],
)
def test_names_stay_below_the_output_folder(project: Project, config: str) -> None:
    project.write("config/shaders/a.yaml", config + "\n")
    project.write("shaders/a.hlsl", "int x;\n")
    run = project.tool("build", "--allow-outside")
    assert run.status == 2
    assert "CFG892" in run.err
    assert "Traceback" not in run.err


def test_a_source_elsewhere_is_built_below_the_output_folder(project: Project) -> None:
    project.write("config/shaders/a.yaml", "source_dir: ..\nshaders: [{ source: ../x/a.hlsl, profile: ps_6_0 }]\n")
    other = project.root.parent.parent / "x"
    other.mkdir(exist_ok=True)
    (other / "a.hlsl").write_text("int x;\n")
    run = project.tool("build")
    assert run.status == 0, run.out + run.err
    assert (project.root / "build/shaders/x/a.main.spv").exists()


# ---------------------------------------------------------------- links


@pytest.mark.skipif("sys.platform == 'win32'")
@pytest.mark.parametrize("link", ["build", "build/shaders", "build/shaders/deep"])
def test_an_output_folder_that_is_a_link_out_of_the_project(project: Project, link: str) -> None:
    project.write("config/shaders/a.yaml", "shaders: [{ source: deep/a.hlsl, profile: ps_6_0, outputs: [spv] }]\n")
    project.write("shaders/deep/a.hlsl", "int x;\n")
    place = outside(project)
    place.mkdir()
    (project.root / link).parent.mkdir(parents=True, exist_ok=True)
    (project.root / link).symlink_to(place)
    for arguments in (("build",), ("SCons", "-Q", "scons_nodes=single"), ("SCons", "-Q", "scons_nodes=set")):
        run = project.tool(*arguments) if arguments == ("build",) else project.python("-m", *arguments)
        assert run.status == 2
        assert "a symbolic link leads out of the project (`--allow-outside` permits that)" in run.out + run.err
        assert "Traceback" not in run.err
        assert not [path for path in place.rglob("*") if path.is_file()]
    assert project.tool("build", "--allow-outside").status == 0
    assert list(place.rglob("a.main.spv"))


@pytest.mark.skipif("sys.platform == 'win32'")
def test_outputs_and_records_that_are_links(project: Project) -> None:
    project.simple()
    mine = project.root.parent / f"{project.root.name}.mine"
    mine.write_text("mine")
    names = ("a.main.spv", "manifest.json", ".hlsl_tool.log", ".hlsl_tool.state")
    (project.root / "build/shaders").mkdir(parents=True)
    for name in names:
        (project.root / "build/shaders" / name).symlink_to(mine)
    for run in (project.tool("build"), project.scons()):
        assert run.status == 0, run.out + run.err
    assert mine.read_text() == "mine"
    assert not any((project.root / "build/shaders" / name).is_symlink() for name in names)


@pytest.mark.skipif("sys.platform == 'win32'")
def test_generated_rules_remove_only_what_they_wrote(project: Project) -> None:
    project.simple()
    place = outside(project)
    (place / "deep").mkdir(parents=True)
    (place / "deep/settings.json").write_text("{}")
    (project.root / "shaders.ninja.steps").symlink_to(place)
    run = project.tool("generate", "ninja")
    assert run.status == 2
    assert "a symbolic link leads out of the project" in run.err
    assert [path.name for path in place.rglob("*")] == ["deep", "settings.json"]

    (project.root / "shaders.ninja.steps").unlink()
    project.write("shaders.ninja.steps/theirs.json", "{}")
    project.write("shaders.ninja.steps/all.plan", f"0\ntheirs.json\n../config.json\n{place}/deep/settings.json\n")
    project.write("config.json", "{}")
    assert project.tool("generate", "ninja").status == 0
    assert (project.root / "config.json").exists()
    assert (place / "deep/settings.json").exists()
    assert (project.root / "shaders.ninja.steps/shaders/a.hlsl.json").exists()


@pytest.mark.skipif("sys.platform == 'win32'")
def test_cleaning_removes_nothing_behind_a_link(project: Project) -> None:
    project.simple()
    assert project.scons().status == 0
    place = outside(project)
    (place / "store").mkdir(parents=True)
    (place / "store/mine").write_text("mine")
    (project.root / ".hlsl_tool").symlink_to(place)
    project.scons("-c")
    assert (place / "store/mine").read_text() == "mine"


# ---------------------------------------------------------------- servers


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(404)

    do_HEAD = do_GET

    def do_PUT(self) -> None:
        self.server.texts.append(self.rfile.read(int(self.headers["Content-Length"])))  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None: ...


@pytest.fixture
def server() -> Iterator[http.server.ThreadingHTTPServer]:
    """Start a server that records all results that are sent to it."""
    place = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    place.texts = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=place.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield place
    place.shutdown()
    thread.join()
    place.server_close()


def test_a_server_that_a_configuration_names_is_used_once_it_is_allowed(
    project: Project, server: http.server.ThreadingHTTPServer
) -> None:
    address = f"http://127.0.0.1:{server.server_port}"
    secret = outside(project)
    secret.write_text("#define SECRET 123456789\n")
    (project.root / "linked.h").symlink_to(secret)
    main = "float4 main() : SV_Target { return 1; }\n"
    project.simple(f'#include "{secret}"\n#include "../linked.h"\n{main}')
    project.fake, project.store = False, ""
    project.write("config/defaults.yaml", f"store: [project, '{address}']\nstore_texts: all\n")
    for run in (project.tool("build"), project.scons()):
        assert run.status == 0, run.out + run.err
    assert server.texts == []  # type: ignore[attr-defined]
    run = project.tool("store", "stats")
    assert f"{address}: it is not used, because a configuration names it" in run.out

    run = project.tool("store", "trust")
    assert run.out == f"{address}: allowed for {project.root}\n"
    project.write("shaders/a.hlsl", (project.root / "shaders/a.hlsl").read_text().replace("return 1", "return 2"))
    run = project.tool("build")
    assert "HLSL0906" not in run.out, run.out
    assert run.status == 0, run.err
    texts = b"".join(server.texts)  # type: ignore[attr-defined]
    assert b"return 2" in texts
    assert b"123456789" not in texts  # the text of a file outside of the project

    other = Project(project.root.parent / f"{project.root.name}.copy", fake=False)
    other.write("config/defaults.yaml", f"store: '{address}'\n")
    other.simple("float4 main() : SV_Target { return 3; }\n")
    other.store = ""
    assert f"the store `{address}`: it is not used" in other.tool("build").err
    assert b"return 3" not in b"".join(server.texts)  # type: ignore[attr-defined]
