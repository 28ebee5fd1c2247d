"""Packs that builds keep up to date, and the verb `hlsl_tool pack`."""

from __future__ import annotations

import json
import pathlib

import pytest

from hlsl_tool.project.pack import read
from tests.build.conftest import Project
from tests.build.watching import Watching

CONFIG = """\
packs:
  - { name: all }
  - { name: sub/p, shaders: 'p.*', outputs: [spv, reflection] }
shaders:
  - { source: a.hlsl, profile: ps_6_0, outputs: [spv] }
  - source: p.hlsl
    profile: vs_6_0
    defines: { X: [0, 1], Y: [0, 1] }
"""

LINKED = """\
  - source: l.hlsl
    outputs: [spv]
    entries: [{ entry: VS, profile: vs_6_0 }, { entry: PS, profile: ps_6_0 }]
"""


@pytest.fixture
def packed(project: Project) -> Project:
    project.write("config/shaders/all.yaml", CONFIG)
    project.write("shaders/a.hlsl", "int a;\n")
    project.write("shaders/p.hlsl", "#if X\nint x;\n#endif\n")
    return project


def state(path: pathlib.Path) -> tuple[int, int]:
    return path.stat().st_mtime_ns, path.stat().st_ino


def test_builds_keep_them_up_to_date(packed: Project) -> None:
    assert packed.tool("build").status == 0
    both = packed.outputs()
    path = packed.root / "build/shaders/all.hlslpack"
    pack = read(path)
    assert [entry.name for entry in pack] == ["a.main", *(f"p.main.X={x}.Y={y}" for x in "01" for y in "01")]
    for entry in pack:
        assert entry.blob("spv") == both[f"build/shaders/{entry.name}.spv"]
    small = read(packed.root / "build/shaders/sub/p.hlslpack")
    assert len(small) == 4
    found = small.find("p.main", {"X": 1, "Y": 0})
    assert found is not None
    assert (found.stage, found.entry_point) == ("vertex", "main")
    assert json.loads(found.blob("reflection"))
    before, other = state(path), state(packed.root / "build/shaders/sub/p.hlslpack")
    assert packed.tool("build").status == 0
    assert state(path) == before
    packed.write("shaders/a.hlsl", "int b;\n")
    assert packed.tool("build").status == 0
    assert state(path) != before
    assert state(packed.root / "build/shaders/sub/p.hlslpack") == other
    path.write_bytes(b"somebody else's")
    assert packed.tool("build").status == 0
    assert read(path).named("a.main").blob() == packed.outputs()["build/shaders/a.main.spv"]


def test_equal_permutations_are_compiled_into_one_blob(packed: Project) -> None:
    packed.write("shaders/p.hlsl", "int same;\n")
    packed.fake = False
    packed.write("shaders/p.hlsl", "float4 main() : SV_Position {\n#if X\n  return 1;\n#endif\n  return 0;\n}\n")
    packed.write("shaders/a.hlsl", "float4 main() : SV_Target { return 0; }\n")
    assert packed.tool("build").status == 0
    assert len(read(packed.root / "build/shaders/all.hlslpack").blobs) == 3
    manifest = json.loads((packed.root / "build/shaders/manifest.json").read_text())
    aliases = {shader["name"]: shader.get("alias_of") for shader in manifest["shaders"]}
    assert aliases["p.main.X=0.Y=1"] == "p.main.X=0.Y=0"
    assert {shader["name"]: shader["shader"] for shader in manifest["shaders"]}["p.main.X=1.Y=0"] == "p.main"


def test_scons_writes_the_same(packed: Project) -> None:
    assert packed.tool("build").status == 0
    wanted = packed.outputs()
    assert packed.scons("-c").status == 0
    assert not (packed.root / "build/shaders/all.hlslpack").exists()
    run = packed.scons("-j2")
    assert run.status == 0, run.out + run.err
    assert {n: d for n, d in packed.outputs().items() if n in wanted} == wanted
    path = packed.root / "build/shaders/all.hlslpack"
    before = state(path)
    assert packed.scons().summary == "shaders: 0 built, 5 up to date, 0 failed"
    assert state(path) == before
    packed.write("shaders/a.hlsl", "int c;\n")
    assert packed.scons("build/shaders/all.hlslpack").status == 0
    assert read(path).named("a.main").blob() == packed.outputs()["build/shaders/a.main.spv"]
    path.unlink()
    assert packed.scons().status == 0
    assert path.exists()


def test_a_shader_that_fails_holds_its_last_good_output(packed: Project) -> None:
    packed.write("shaders/a.hlsl", "FAIL\n")
    assert packed.tool("build").status == 2
    assert not (packed.root / "build/shaders/all.hlslpack").exists()
    assert len(read(packed.root / "build/shaders/sub/p.hlslpack")) == 4
    packed.write("shaders/a.hlsl", "int good;\n")
    assert packed.tool("build").status == 0
    good = (packed.root / "build/shaders/all.hlslpack").read_bytes()
    packed.write("shaders/a.hlsl", "FAIL\n")
    assert packed.tool("build").status == 2
    assert (packed.root / "build/shaders/all.hlslpack").read_bytes() == good


def test_the_watcher_writes_them(packed: Project) -> None:
    watching = Watching(packed, options=("--events",))
    try:
        path = packed.root / "build/shaders/all.hlslpack"
        watching.told = len(watching.events)
        packed.write("shaders/a.hlsl", "int watched;\n")
        watching.event("settled")
        assert read(path).named("a.main").blob() == packed.outputs()["build/shaders/a.main.spv"]
        watched = path.read_bytes()
    finally:
        watching.close()
    assert packed.tool("build").status == 0
    assert path.read_bytes() == watched


@pytest.mark.parametrize(
    ("packs", "words"),
    [
        ("packs: all", "a list of {name: all"),
        ("packs: [all]", "{name, shaders, outputs}"),
        ("packs: [{ shaders: a.main }]", "`name`"),
        ("packs: [{ name: '../x' }]", "a name"),
        ("packs: [{ name: x }, { name: X }]", "two packs called `X`"),
        ("packs: [{ name: x, shaders: 'a.man' }]", "did you mean `a.main`"),
        ("packs: [{ name: x, shader: a.main }]", "did you mean `shaders`"),
        ("packs: [{ name: x, outputs: [spvx] }]", "a kind of output"),
        ("packs: [{ name: x, outputs: [wgsl] }]", "no shader of the pack `x` has wgsl"),
        ("packs: [{ name: x, shaders: [[]] }]", "a pattern"),
    ],
)
def test_bad_packs_of_a_configuration_are_errors(packed: Project, packs: str, words: str) -> None:
    packed.write("config/shaders/all.yaml", packs + "\n" + CONFIG[CONFIG.index("shaders:\n") :])
    run = packed.tool("build")
    assert run.status == 2
    assert words in run.err, run.err
    assert "Traceback" not in run.err


def test_the_verb(packed: Project) -> None:
    assert packed.tool("build").status == 0
    made = packed.tool("pack", "make", "build/shaders", "-o", "mine.hlslpack")
    assert made.status == 0, made.err
    assert (packed.root / "mine.hlslpack").read_bytes() == (packed.root / "build/shaders/all.hlslpack").read_bytes()
    listed = packed.tool("pack", "list", "mine.hlslpack").out
    assert "p.main.X=1.Y=0  (vertex, main): spv 32" in listed
    content = json.loads(packed.tool("pack", "list", "--json", "mine.hlslpack").out)
    assert [shader["macros"] for shader in content["shaders"]][:2] == [[], ["X", "Y"]]
    wanted = packed.outputs()["build/shaders/p.main.X=1.Y=0.spv"]
    for words in (("p.main", "-D", "X=1", "-DY=0"), ("p.main.X=1.Y=0",)):
        got = packed.tool("pack", "get", "mine.hlslpack", *words, "-o", "x.spv")
        assert got.status == 0, got.err
        assert (packed.root / "x.spv").read_bytes() == wanted
    some = packed.tool("pack", "make", "build/shaders/manifest.json", "-o", "some.hlslpack", "--shader", "a.*")
    assert some.status == 0
    assert len(read(packed.root / "some.hlslpack")) == 1
    assert "hlsl_pack_open" in packed.tool("pack", "header").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("make", "nowhere", "-o", "x"), "cannot read `nowhere`"),
        (("make", "config/shaders/all.yaml", "-o", "x"), "is no manifest"),
        (("make", "build/shaders", "-o", "x", "--shader", "nothing*"), "matches `nothing*`"),
        (("make", "build/shaders", "-o", "x", "--outputs", "wgsl"), "no shader has wgsl"),
        (("make", "build/shaders", "-o", "build"), "cannot write `build`"),
        (("list", "nowhere"), "cannot read `nowhere`"),
        (("list", "shaders/a.hlsl"), "is no pack"),
        (("get", "build/shaders/all.hlslpack", "nobody"), "has no `nobody`"),
        (("get", "build/shaders/all.hlslpack", "p.main", "-DX=9"), "with these macros"),
        (("get", "build/shaders/all.hlslpack", "a.main", "--kind", "wgsl"), "has no wgsl"),
        ((), "required"),
    ],
)
def test_the_verb_refuses_wrong_arguments(packed: Project, words: tuple[str, ...], said: str) -> None:
    assert packed.tool("build").status == 0
    run = packed.tool("pack", *words)
    assert run.status == 2
    assert said in run.err
    assert "Traceback" not in run.err


def test_a_lost_log_does_not_keep_packs_from_being_written(packed: Project) -> None:
    assert packed.scons("-j2").status == 0
    path = packed.root / "build/shaders/all.hlslpack"
    for number, build in enumerate((packed.scons, lambda: packed.tool("build"), packed.scons)):
        (packed.root / "build/shaders/.hlsl_tool.log").unlink()
        packed.write("shaders/a.hlsl", f"int a{number};\n")
        assert build().status == 0
        assert read(path).named("a.main").blob() == packed.outputs()["build/shaders/a.main.spv"]
        before = state(path)
        assert packed.scons().status == 0
        assert state(path) == before


@pytest.mark.parametrize("loses_log", [False, True])
def test_a_build_repairs_the_outputs_of_a_killed_build(packed: Project, loses_log: bool) -> None:
    packed.write("config/shaders/all.yaml", CONFIG + LINKED)
    packed.write("shaders/l.hlsl", "int l;\n")
    assert packed.scons("-j2").status == 0
    wanted = packed.outputs()
    database = (packed.root / ".sconsign.dblite").read_bytes()
    packed.write("shaders/a.hlsl", "int edited;\n")
    packed.write("config/shaders/more.yaml", "shaders: [{ source: a.hlsl, entry: other, profile: ps_6_0 }]\n")
    assert packed.scons("-j2").status == 0
    assert packed.outputs()["build/shaders/all.hlslpack"] != wanted["build/shaders/all.hlslpack"]
    # SCons writes its database at the end: with the old one the second build is one that was killed before.
    (packed.root / ".sconsign.dblite").write_bytes(database)
    packed.write("shaders/a.hlsl", "int a;\n")
    (packed.root / "config/shaders/more.yaml").unlink()
    (packed.root / "build/shaders/l.link").write_text("{}")
    if loses_log:
        (packed.root / "build/shaders/.hlsl_tool.log").unlink()
    assert packed.scons("-j2").status == 0
    found = packed.outputs()
    assert {name for name in wanted if found[name] != wanted[name]} == set()


def test_a_missing_member_is_an_error(packed: Project) -> None:
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.project.build.engine import Engine
    from hlsl_tool.project.build.outputs.packs import write_pack
    from hlsl_tool.project.build.plan_cache import read as read_plan
    from hlsl_tool.project.build.workers.executors import Inline

    assert packed.tool("build").status == 0
    plan = read_plan(str(packed.root), ["config/shaders"], Sink())
    assert plan is not None
    engine = Engine(str(packed.root), "build/shaders", Inline(str(packed.root)))
    (packed.root / "build/shaders/a.main.spv").unlink()
    problems = [write_pack(engine, pack) for pack in plan.packs]
    assert problems == ["cannot pack `all`: `build/shaders/a.main.spv` is missing", ""]
    assert [write_pack(engine, pack, failed={"a.main"}) for pack in plan.packs] == ["", ""]


# ------------------------------------------------------------------------------------------- one node for all shaders


@pytest.fixture
def as_set(packed: Project) -> Project:
    packed.write("config/defaults.yaml", "scons_nodes: set\n")
    return packed


def test_a_set_writes_the_same_packs_as_single_nodes(as_set: Project) -> None:
    assert as_set.scons("scons_nodes=single").status == 0
    single = as_set.outputs()
    assert as_set.scons("-c").status == 0
    assert as_set.outputs() == {}
    run = as_set.scons("-j2")
    assert run.status == 0, run.out + run.err
    assert run.summary == "shaders: 5 built, 0 up to date, 0 failed"
    assert as_set.outputs() == single


def test_a_set_with_current_packs_has_nothing_to_do(as_set: Project) -> None:
    assert as_set.scons().status == 0
    packs = [as_set.root / "build/shaders" / name for name in ("all.hlslpack", "sub/p.hlslpack")]
    before = [state(path) for path in packs]
    for _ in range(2):
        run = as_set.scons()
        assert run.out.startswith("scons: `shaders' is up to date.\n")
        assert run.summary == "shaders: 0 built, 5 up to date, 0 failed"
    assert as_set.scons("-q").status == 0
    assert as_set.tool("build").compiled == []
    assert [state(path) for path in packs] == before


def test_a_set_rewrites_only_the_packs_whose_members_changed(as_set: Project) -> None:
    assert as_set.scons().status == 0
    path, other = as_set.root / "build/shaders/all.hlslpack", as_set.root / "build/shaders/sub/p.hlslpack"
    untouched = state(other)
    as_set.write("shaders/a.hlsl", "int edited;\n")
    run = as_set.scons()
    assert run.summary == "shaders: 1 built, 4 up to date, 0 failed"
    assert read(path).named("a.main").blob() == as_set.outputs()["build/shaders/a.main.spv"]
    assert state(other) == untouched
    assert as_set.scons().out.startswith("scons: `shaders' is up to date.\n")


@pytest.mark.parametrize("damage", ["remove", "overwrite"])
def test_a_set_writes_a_lost_pack_again_without_compiling(as_set: Project, damage: str) -> None:
    assert as_set.scons().status == 0
    path = as_set.root / "build/shaders/all.hlslpack"
    good = path.read_bytes()
    if damage == "remove":
        path.unlink()
    else:
        path.write_bytes(b"other")
    assert as_set.scons("-q").status == 1
    run = as_set.scons()
    assert (run.status, run.compiled) == (0, [])
    assert path.read_bytes() == good


@pytest.mark.parametrize("flags", [(), ("-k",), ("-k", "-j2")])
def test_a_failed_shader_leaves_the_last_good_pack_of_a_set(as_set: Project, flags: tuple[str, ...]) -> None:
    assert as_set.scons().status == 0
    path, other = as_set.root / "build/shaders/all.hlslpack", as_set.root / "build/shaders/sub/p.hlslpack"
    good = path.read_bytes()
    as_set.write("shaders/a.hlsl", "FAIL\n")
    as_set.write("shaders/p.hlsl", "#if X\nint other;\n#endif\n")
    before = other.read_bytes()
    run = as_set.scons(*flags)
    assert run.status == 2
    assert path.read_bytes() == good
    assert (other.read_bytes() != before) == ("-k" in flags), "a pack whose members are all built is written with -k"
    as_set.write("shaders/a.hlsl", "int mended;\n")
    assert as_set.scons().status == 0
    assert read(path).named("a.main").blob() == as_set.outputs()["build/shaders/a.main.spv"]
    assert read(other).find("p.main", {"X": 1, "Y": 0}).blob() == as_set.outputs()["build/shaders/p.main.X=1.Y=0.spv"]


def test_a_pack_without_a_good_member_is_not_written_by_a_set(as_set: Project) -> None:
    as_set.write("shaders/a.hlsl", "FAIL\n")
    assert as_set.scons("-k").status == 2
    assert not (as_set.root / "build/shaders/all.hlslpack").exists()
    assert len(read(as_set.root / "build/shaders/sub/p.hlslpack")) == 4


@pytest.mark.parametrize("word", ["build/shaders/sub/p.hlslpack", "build/shaders/sub", "build/shaders/sub/*.hlslpack"])
def test_a_pack_of_a_set_as_a_target_builds_its_members_only(as_set: Project, word: str) -> None:
    run = as_set.scons(word)
    assert run.status == 0, run.out + run.err
    assert len(run.compiled) == 4
    assert len(read(as_set.root / "build/shaders/sub/p.hlslpack")) == 4
    assert not (as_set.root / "build/shaders/all.hlslpack").exists()


def test_something_else_may_depend_on_a_pack_of_a_set(as_set: Project) -> None:
    copy = "env.Command('copy.bin', 'build/shaders/all.hlslpack', Copy('$TARGET', '$SOURCE'))\nDefault('copy.bin')\n"
    as_set.write("SConstruct", (as_set.root / "SConstruct").read_text() + copy)
    run = as_set.scons("-j2")
    assert run.status == 0, run.out + run.err
    assert (as_set.root / "copy.bin").read_bytes() == (as_set.root / "build/shaders/all.hlslpack").read_bytes()
    as_set.write("shaders/a.hlsl", "int copied;\n")
    assert as_set.scons("-j2").status == 0
    assert (as_set.root / "copy.bin").read_bytes() == (as_set.root / "build/shaders/all.hlslpack").read_bytes()
    assert read(as_set.root / "copy.bin").named("a.main").blob() == as_set.outputs()["build/shaders/a.main.spv"]


def test_an_unwritable_pack_of_a_set_is_an_error(as_set: Project) -> None:
    as_set.write("build/shaders/all.hlslpack/x", "")
    run = as_set.scons()
    assert run.status == 2
    assert "all.hlslpack" in run.out + run.err
    assert "Traceback" not in run.out + run.err


@pytest.mark.parametrize("keeps_going", [False, True])
def test_a_pack_without_the_failed_shader_is_written_if_scons_keeps_going(packed: Project, keeps_going: bool) -> None:
    packed.write("shaders/a.hlsl", "FAIL\n")
    run = packed.scons(*["-k"] * keeps_going)
    assert run.status == 2
    folder = packed.root / "build/shaders"
    assert (folder / "sub/p.hlslpack").exists() is keeps_going
    assert not (folder / "all.hlslpack").exists()
