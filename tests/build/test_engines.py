"""SConstructs as game engines write them: C++, Install, Glob, CacheDir.

The results are the same with one SCons node for each shader and with one node for all shaders.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
import time

import pytest

from tests.build.conftest import TOOL_PATH, Project, Run
from tests.build.test_scons import wait_for
from tests.patience import PATIENCE

MODES = ["single", "set"]
TOP = f"""\
env = Environment(tools=['hlsl', 'install', 'default'], toolpath=[{str(TOOL_PATH)!r}])
"""
CONFIG = """\
shaders:
  - source: lit/a.hlsl
    profile: ps_6_0
    include_dirs: [include]
    outputs: [spv, reflection, header, dep]
    defines: { N: [0, 1, 2] }
  - { source: b.hlsl, profile: cs_6_0, outputs: [spv, header] }
"""
HEADER = "build/shaders/lit/a.main.N=1.h"
CPP = '#include "lit/a.main.N=1.h"\nint main() { return sizeof lit_a_main_N_1 == 0; }\n'


class Engine:
    """A project whose SConstruct the test writes.

    `mode` is `single` for a SCons node for each shader, `set` for one node for all of them.
    """

    def __init__(self, project: Project, mode: str) -> None:
        self.project, self.mode = project, mode
        self.root = project.root
        project.write("config/defaults.yaml", f"scons_nodes: {mode}\n")
        project.write("config/shaders/a.yaml", CONFIG)
        project.write("shaders/lit/a.hlsl", '#include "c.h"\nint x = X, y = N;\n')
        project.write("shaders/include/c.h", "#define X 1\n")
        project.write("shaders/b.hlsl", "int b;\n")

    def sconstruct(self, text: str) -> None:
        self.project.write("SConstruct", TOP + textwrap.dedent(text))

    def scons(self, *arguments: str, status: int = 0) -> Run:
        run = self.project.scons(*arguments)
        assert run.status == status, run.out + run.err
        assert "Traceback" not in run.out + run.err
        return run

    def read(self, name: str) -> bytes:
        return (self.root / name).read_bytes()


@pytest.fixture(params=MODES)
def engine(request, project: Project) -> Engine:
    return Engine(project, request.param)


@pytest.mark.parametrize(
    "call, message",
    [
        (
            "HlslShaders('config', option='x')",
            "SConstruct:2:1: error: `HlslShaders`: got an unexpected keyword argument 'option'",
        ),
        ("HlslShaders('config', defines={'A': [0, 1]})", "SConstruct:2:1: error: `HlslShaders`: `A` wants one value"),
        ("HlslShaders('config', variables={'A B': 1})", "SConstruct:2:1: error: `HlslShaders`: `A B` is no name"),
        ("HlslShaders()", "SConstruct:2:1: error: `HlslShaders`: missing a required argument: 'configs' [CFG1716]"),
        ("HlslShaders()", "hint: it is HlslShaders(configs, "),
        (
            "HlslShader('.', profile='ps_6_0')",
            "SConstruct:2:1: error: `HlslShader`: the source `.` is a folder [CFG1716]",
        ),
        ("HlslShader('b.hlsl')", "SConstruct:2:1: error: `HlslShader`: missing a required argument: 'profile'"),
        ("HlslShaders('config/shaders', nodes='all')", "`HlslShaders`: nodes='all': it is one of auto, single, set"),
    ],
)
def test_arguments_that_a_method_does_not_take(project: Project, call: str, message: str) -> None:
    project.write("SConstruct", TOP + f"env.{call}\n")
    run = project.scons()
    assert run.status == 2
    assert message in run.err
    assert "Traceback" not in run.err


# ---------------------------------------------------------------- outputs as nodes


@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")
@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_cpp_that_includes_a_generated_header(engine: Engine, jobs: str) -> None:
    engine.sconstruct("""\
        env.Append(CPPPATH=['build/shaders'])
        env.HlslShaders('config/shaders')
        env.Program('app', 'app.cpp')
        """)
    engine.project.write("app.cpp", CPP)
    run = engine.scons(jobs, "app")
    assert run.compiled == ["shaders/lit/a.hlsl:main N=1"], "the one that it includes"
    assert run.summary == "shaders: 1 built, 0 up to date, 0 failed"
    first = engine.read("app.o")
    assert "`app' is up to date" in engine.scons("app").out
    engine.project.write("shaders/include/c.h", "#define X 2\n")
    run = engine.scons(jobs, "app")
    assert run.compiled == ["shaders/lit/a.hlsl:main N=1"]
    assert engine.read("app.o") != first, "the header is another"
    run = engine.scons(jobs, "app", "shaders")
    assert len(run.compiled) == 3
    assert run.summary == "shaders: 3 built, 1 up to date, 0 failed"
    engine.project.write("shaders/include/c.h", "#define X 1\n")
    run = engine.scons(jobs)  # all there is: the folder of SConstruct
    assert len(run.compiled) == 3
    assert run.summary == "shaders: 3 built, 1 up to date, 0 failed"
    assert engine.read("app.o") == first
    run = engine.scons(jobs)
    assert (run.compiled, run.summary) == ([], "shaders: 0 built, 4 up to date, 0 failed")
    (engine.root / HEADER).unlink()
    assert len(engine.scons(jobs, "app").compiled) == 1
    engine.scons("-c")
    assert not (engine.root / HEADER).exists()
    assert engine.scons(jobs).summary == "shaders: 4 built, 0 up to date, 0 failed"
    assert engine.scons("-q").status == 0


def test_clones_of_an_environment(engine: Engine) -> None:
    """A clone of the environment has the tool; an equal call returns the same nodes, a different one other nodes."""
    engine.sconstruct("""\
        nodes = env.HlslShaders('config/shaders')
        clone = env.Clone(CPPDEFINES=['GAME'])
        assert list(map(str, clone.HlslShaders('config/shaders'))) == list(map(str, nodes))
        clone.HlslShader('shaders/b.hlsl', profile='ps_6_0', output_dir='other')
        """)
    assert engine.scons("shaders").summary == "shaders: 5 built, 0 up to date, 0 failed"
    assert (engine.root / "other/b.main.spv").exists()
    assert engine.scons("shaders").summary == "shaders: 0 built, 5 up to date, 0 failed"


def test_install_of_files_and_patterns(engine: Engine) -> None:
    engine.sconstruct("""\
        env.HlslShaders('config/shaders')
        found = env.Glob('build/shaders/lit/*N=1*')
        assert len(found) == 4, list(map(str, found))
        assert env.Glob('build/shaders/*.spv', strings=True) == ['build/shaders/b.main.spv']
        assert list(map(str, env.Glob('build/shaders/*.json'))) == ['build/shaders/manifest.json']
        assert all(node.is_derived() for node in found)
        env.Install('game', found)
        env.Install('game', [env.File('build/shaders/b.main.h'), 'build/shaders/manifest.json'])
        env.InstallAs('other/first.spv', File('build/shaders/lit/a.main.N=0.spv'))
        Default('game')
        """)
    assert engine.scons("other").summary == "shaders: 1 built, 0 up to date, 0 failed"
    assert engine.scons().summary == "shaders: 3 built, 1 up to date, 0 failed"
    assert len(list((engine.root / "game").iterdir())) == 6
    for edit in ("#define X 2\n", "#define X 3\n"):
        engine.project.write("shaders/include/c.h", edit)
        engine.scons()
        for name in ("a.main.N=1.spv", "a.main.N=1.json", "a.main.N=1.h", "a.main.N=1.d"):
            assert engine.read(f"game/{name}") == engine.read(f"build/shaders/lit/{name}")
        assert engine.read("game/manifest.json") == engine.read("build/shaders/manifest.json")
        assert engine.scons().compiled == []


def test_a_file_that_is_asked_for_before_the_shaders(engine: Engine) -> None:
    engine.sconstruct("""\
        env.Install('game', ['build/shaders/b.main.spv', 'build/shaders/lit/a.main.N=0.h'])
        env.HlslShaders('config/shaders')
        Default('game')
        """)
    assert len(engine.scons().compiled) == 2
    engine.project.write("shaders/b.hlsl", "int c;\n")
    assert len(engine.scons().compiled) == 1
    assert engine.read("game/b.main.spv") == engine.read("build/shaders/b.main.spv")


@pytest.mark.parametrize(
    "what", ["'shaders'", "Dir('build/shaders')", "Dir('build/shaders/lit')", "shaders", "shaders[1:]"]
)
def test_targets_that_depend_on_shaders_are_rebuilt(engine: Engine, what: str) -> None:
    """A target that depends on shaders (`Depends`) is rebuilt after an edit of a header, and else is up to date.

    This holds with a SCons node for each shader and with one node for all shaders.
    """
    engine.sconstruct(f"""\
        import glob
        def collect(target, source, env):
            names = sorted(glob.glob('build/shaders/lit/*.[shdj]*'))
            with open(str(target[0]), 'wb') as stream:
                stream.write(b''.join(open(name, 'rb').read() for name in names))
        shaders = env.HlslShaders('config/shaders')
        packed = env.Command('packed', [], collect)
        Depends(packed, {what})
        Default(packed)
        """)
    engine.scons()
    first = engine.read("packed")
    assert len(first) > 100
    assert "`packed' is up to date" in engine.scons().out
    engine.project.write("shaders/include/c.h", "// a comment: .d and .spv stay, \n#define X 2\n")
    engine.scons()
    assert engine.read("packed") != first
    assert "`packed' is up to date" in engine.scons().out


def test_a_folder_as_a_source(engine: Engine) -> None:
    engine.sconstruct("""\
        env.HlslShaders('config/shaders')
        env.Install('game', Dir('build/shaders/lit'))
        Default('game')
        """)
    engine.scons()
    assert len(list((engine.root / "game/lit").iterdir())) == 12
    engine.project.write("shaders/include/c.h", "#define X 2\n")
    engine.scons()
    name = "lit/a.main.N=2.spv"
    assert engine.read(f"game/{name}") == engine.read(f"build/shaders/{name}")


def test_the_list_is_an_ordinary_one(engine: Engine) -> None:
    engine.sconstruct("""\
        import copy
        shaders = env.HlslShaders('config/shaders')
        more = shaders + [File('SConstruct')]
        assert len(more) == len(shaders) + 1, more
        assert len([File('SConstruct')] + shaders) == len(more)
        assert [str(node) for node in shaders[:1]] == ['build/shaders/lit/a.main.N=0.spv'], shaders[:1]
        assert len(copy.copy(shaders)) == len(shaders) == len(shaders.copy()) == 3 * 4 + 2 + 1
        assert str(shaders[-1]) == 'build/shaders/manifest.json'
        assert shaders.path[0] == 'build/shaders/lit/a.main.N=0.spv'
        other = shaders.copy()
        other.append(File('SConstruct'))
        assert len(shaders) == len(other) - 1
        shaders.append(File('shaders/b.hlsl'))
        shaders.extend(['x'])
        assert shaders[-1] == 'x' and shaders.pop() == 'x'
        assert File('build/shaders/b.main.spv') in shaders
        assert sorted(map(str, shaders)) == sorted(str(node) for node in reversed(shaders))
        assert shaders and not shaders == []
        env.Alias('all', shaders[:-1])
        Default('all')
        """)
    assert len(engine.scons().compiled) == 4
    assert engine.scons().compiled == []


def test_a_folder_with_the_outputs_of_others(engine: Engine) -> None:
    engine.sconstruct("""\
        env.HlslShaders('config/shaders')
        env.Command('build/other', 'shaders/b.hlsl', Copy('$TARGET', '$SOURCE'))
        env.Command('build/shaders/lit/other', 'shaders/b.hlsl', Copy('$TARGET', '$SOURCE'))
        """)
    run = engine.scons("build/shaders/lit")
    assert len(run.compiled) == 3
    assert (engine.root / "build/shaders/lit/other").exists()
    assert not (engine.root / "build/other").exists()
    run = engine.scons("build")
    assert run.summary == "shaders: 1 built, 3 up to date, 0 failed"
    assert (engine.root / "build/other").exists()
    assert engine.scons("build/shaders").summary == "shaders: 0 built, 4 up to date, 0 failed"


def test_another_builder_of_an_output(engine: Engine) -> None:
    """If another builder has an output of a shader as its target, SCons reports its own error."""
    engine.sconstruct("""\
        env.HlslShaders('config/shaders')
        env.Command('build/shaders/b.main.spv', 'shaders/lit/a.hlsl', Copy('$TARGET', '$SOURCE'))
        """)
    run = engine.scons(status=2)
    assert "ultiple ways to build the same target" in run.err


def test_a_failure_counts_once(engine: Engine) -> None:
    engine.sconstruct("""\
        env.HlslShaders('config/shaders')
        env.Install('game', 'build/shaders/b.main.h')
        Default('game', 'shaders')
        """)
    engine.project.write("shaders/b.hlsl", "FAIL\n")
    run = engine.scons("-k", status=2)
    assert run.err.count("a failure was asked for") == 1
    assert run.summary == "shaders: 3 built, 0 up to date, 1 failed"
    assert run.compiled.count("shaders/b.hlsl:main") == 1


def test_dry_run_with_nodes_beside_the_set(engine: Engine) -> None:
    engine.sconstruct("""\
        env.HlslShaders('config/shaders')
        env.Install('game', 'build/shaders/b.main.h')
        Default('game', 'shaders')
        """)
    run = engine.scons("-n")
    assert run.out.count("b.main  (shaders/b.hlsl)") == 1
    assert run.out.count("(shaders/lit/a.hlsl)") == 3
    assert engine.scons("-q", status=1).compiled == []
    engine.scons()
    assert engine.scons("-q").compiled == []


def test_a_partial_build_writes_the_manifest(engine: Engine) -> None:
    """A build of some targets also updates the manifest, so that its aliases of identical shaders are right."""
    engine.sconstruct("env.HlslShaders('config/shaders')\n")
    engine.project.write("shaders/lit/a.hlsl", "int y;\n#ifdef APART\nint z = N;\n#endif\n")

    def aliases() -> list[str]:
        content = json.loads(engine.read("build/shaders/manifest.json"))
        return [shader["name"] for shader in content["shaders"] if "alias_of" in shader]

    engine.scons("shaders")
    before = aliases()
    engine.project.write("shaders/lit/a.hlsl", "#define APART\nint y;\n#ifdef APART\nint z = N;\n#endif\n")
    engine.scons("build/shaders/lit/a.main.N=1.spv")
    assert "lit/a.main.N=1" not in aliases()
    engine.scons("lit/a.main.N=2")
    assert "lit/a.main.N=2" not in aliases()
    assert before is not None


# ---------------------------------------------------------------- CacheDir


@pytest.fixture
def cached(engine: Engine) -> Engine:
    engine.sconstruct("""\
        env.CacheDir('cache')
        env.HlslShaders('config/shaders')
        env.Install('game', env.Glob('build/shaders/lit/*') + ['build/shaders/manifest.json'])
        """)
    return engine


def expected(engine: Engine) -> dict[str, bytes]:
    """The outputs of a clean build without a cache, by path."""
    engine.scons("-c", "--cache-disable")
    engine.scons("--cache-disable")
    return engine.project.outputs()


def test_cache_dir_does_not_bring_back_outputs_of_another_header(cached: Engine) -> None:
    """An output from SCons's CacheDir must match the header that is used now.

    Here two headers give the same SPIR-V, but the dependency files differ in the name of the header.
    """
    cached.scons()
    cached.project.write("shaders/lit/a.hlsl", '#include "d.h"\nint x = X, y = N;\n')
    cached.project.write("shaders/include/d.h", "#define X 1\n")
    cached.scons()
    assert b"d.h" in cached.read("build/shaders/lit/a.main.N=0.d")
    shutil.rmtree(cached.root / "build")
    cached.scons()
    assert b"d.h" in cached.read("build/shaders/lit/a.main.N=0.d")
    found = cached.project.outputs()
    assert found == expected(cached)
    for name in ("manifest.json", "lit/a.main.N=0.d"):
        assert cached.read(f"game/{name.split('/')[-1]}") == cached.read(f"build/shaders/{name}")


def test_cache_dir_does_not_bring_back_a_manifest_with_other_aliases(cached: Engine) -> None:
    alike = "int y;\n"
    apart = "int y = N;\n"
    cached.project.write("shaders/lit/a.hlsl", alike)
    cached.scons()
    for source in (apart, alike, apart):
        cached.project.write("shaders/lit/a.hlsl", source)
        shutil.rmtree(cached.root / "build")
        cached.scons()
        found = cached.project.outputs()
        assert cached.read("game/manifest.json") == found["build/shaders/manifest.json"]
    assert found == expected(cached)


def test_cache_dir_keeps_what_others_make_of_shaders(engine: Engine) -> None:
    engine.sconstruct("""\
        env.CacheDir('cache')
        env.HlslShaders('config/shaders')
        env.Command('joined', ['build/shaders/b.main.h', 'build/shaders/lit/a.main.N=2.spv'],
                    'cat $SOURCES > $TARGET')
        Default('joined')
        """)
    texts = {}
    for value in (1, 2, 1, 2):
        engine.project.write("shaders/include/c.h", f"#define X {value}\n")
        engine.scons()
        joined = engine.read("build/shaders/b.main.h") + engine.read("build/shaders/lit/a.main.N=2.spv")
        assert engine.read("joined") == joined
        assert texts.setdefault(value, joined) == joined
    assert list((engine.root / "cache").rglob("*"))


# ---------------------------------------------------------------- sources that others make

MADE = """\
shaders:
  - { source: made.hlsl, profile: ps_6_0, include_dirs: [include], outputs: [spv, dep] }
  - { source: gen/*.hlsl, profile: ps_6_0, outputs: [spv] }
"""
BUILDERS = """\
env.Command('shaders/made.hlsl', 'made.in', Copy('$TARGET', '$SOURCE'))
env.Command('shaders/include/made.h', 'made.h.in', Copy('$TARGET', '$SOURCE'))
env.Command('shaders/gen/one.hlsl', 'made.h.in', Copy('$TARGET', '$SOURCE'))
"""


@pytest.fixture
def generated(engine: Engine) -> Engine:
    engine.project.write("config/shaders/a.yaml", MADE)
    engine.project.write("made.in", '#include "made.h"\nint x = MADE;\n')
    engine.project.write("made.h.in", "#define MADE 1\n")
    engine.sconstruct(BUILDERS + "env.HlslShaders('config/shaders')\nDefault('shaders')\n")
    return engine


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_a_source_that_another_builder_makes(generated: Engine, jobs: str) -> None:
    one, both = ["shaders/made.hlsl:main"], ["shaders/gen/one.hlsl:main", "shaders/made.hlsl:main"]
    write, scons = generated.project.write, generated.scons
    assert scons(jobs).compiled == both
    assert scons(jobs).compiled == []
    write("made.in", '#include "made.h"\nint y = MADE;\n')
    assert scons(jobs).compiled == one
    write("made.h.in", "#define MADE 2\n")
    assert scons(jobs).compiled == both
    write("made.in", "int y;\n")
    assert scons(jobs).compiled == one
    assert b"include/made.h" not in generated.read("build/shaders/made.main.d")
    write("made.in", '#include "c.h"\nint z = X;\n')
    assert scons(jobs).compiled == one
    found = generated.project.outputs()
    (generated.root / "shaders/made.hlsl").unlink()
    assert scons(jobs).compiled == []
    scons("-c")
    shutil.rmtree(generated.root / "build", ignore_errors=True)
    assert scons(jobs).compiled == both
    assert generated.project.outputs() == found
    assert generated.project.tool("build").compiled == []


def test_one_target_with_a_source_that_another_builder_makes(generated: Engine) -> None:
    assert generated.scons("build/shaders/made.main.spv").compiled == ["shaders/made.hlsl:main"]
    assert not (generated.root / "shaders/gen/one.hlsl").exists()


def test_a_builder_below_the_call(generated: Engine) -> None:
    shaders = "env.HlslShaders('config/shaders')\n"
    generated.project.write("config/shaders/a.yaml", "\n".join(MADE.splitlines()[:2]) + "\n")
    generated.sconstruct(shaders + BUILDERS + "Default('shaders')\n")
    assert generated.scons().compiled == ["shaders/made.hlsl:main"]
    generated.project.write("config/shaders/a.yaml", MADE)
    generated.project.write("shaders/gen/two.hlsl", "int two;\n")
    run = generated.scons(status=2)
    assert "error: `gen/*.hlsl` matches `shaders/gen/one.hlsl`, whose builder came after" in run.err
    assert "[CFG870]" in run.err
    assert "put its builder above `HlslShaders`" in run.err


def test_a_source_without_a_generator_is_an_error(generated: Engine) -> None:
    generated.sconstruct("env.HlslShaders('config/shaders')\nDefault('shaders')\n")
    generated.project.write("shaders/gen/two.hlsl", "int two;\n")
    run = generated.scons(status=2)
    assert "config/shaders/a.yaml:2:15: error: no such file: `shaders/made.hlsl`" in run.err
    run = generated.project.tool("build")
    assert run.status == 2
    assert "no such file: `shaders/made.hlsl`" in run.err


# ---------------------------------------------------------------- several calls

ONE = "shaders: [{ source: b.hlsl, profile: cs_6_0, outputs: [spv] }]\n"


def test_one_target_of_two_shaders_is_an_error(engine: Engine) -> None:
    engine.sconstruct("""\
        env.HlslShader('shaders/b.hlsl', profile='cs_6_0')
        env.HlslShader('shaders/b.hlsl', profile='cs_6_0', layout='dx')
        """)
    run = engine.scons(status=2)
    assert "SConstruct:3:1: error: `build/shaders/b.main.spv` would be written twice" in run.err
    assert "SConstruct:2:1: note: written here first" in run.err


@pytest.mark.parametrize("other", ["outputs=['spv']", "profile='cs_6_2'", "defines={'X': 1}"])
def test_other_options_of_the_second_shader(engine: Engine, other: str) -> None:
    more = other if "profile" in other else f"profile='cs_6_0', {other}"
    engine.sconstruct(f"""\
        env.HlslShader('shaders/b.hlsl', profile='cs_6_0')
        env.HlslShader('shaders/b.hlsl', {more})
        """)
    assert "would be written twice" in engine.scons(status=2).err


def test_the_same_shader_twice(engine: Engine) -> None:
    engine.sconstruct("""\
        first = env.HlslShader('shaders/b.hlsl', profile='cs_6_0', defines={'X': [0, 1]})
        assert env.HlslShader('shaders/b.hlsl', profile='cs_6_0', defines={'X': [0, 1]}) == first
        """)
    assert len(engine.scons().compiled) == 2


@pytest.mark.parametrize("is_first", [True, False])
def test_a_shader_of_python_and_one_of_yaml(engine: Engine, is_first: bool) -> None:
    calls = ["env.HlslShaders('config/shaders')", "env.HlslShader('b.hlsl', profile='cs_6_0')"]
    engine.project.write("b.hlsl", "int other;\n")
    engine.sconstruct("\n".join(calls if is_first else calls[::-1]))
    run = engine.scons(status=2)
    assert "SConstruct:3:1: error: `build/shaders/b.main." in run.err
    assert "SConstruct:2:1: note: written here first" in run.err
    engine.project.write("c.hlsl", "int other;\n")
    engine.sconstruct("\n".join(calls).replace("b.hlsl", "c.hlsl"))
    assert engine.scons().summary == "shaders: 5 built, 0 up to date, 0 failed"
    assert engine.scons().summary == "shaders: 0 built, 5 up to date, 0 failed"


def test_two_calls(engine: Engine) -> None:
    """Two calls of `HlslShaders` in a SConstruct have separate output folders, manifests and stores."""
    engine.project.write("more/shaders.yaml", "output_dir: build/more\nstore: stored\n" + ONE)
    engine.sconstruct("""\
        first = env.HlslShaders('config/shaders')
        second = env.HlslShaders('more', nodes=ARGUMENTS.get('other'))
        env.Install('game', [second[0], 'build/shaders/b.main.h'])
        """)
    engine.project.store = ""
    engine.scons("shaders")
    assert len(json.loads(engine.read("build/shaders/manifest.json"))["shaders"]) == 4
    assert len(json.loads(engine.read("build/more/manifest.json"))["shaders"]) == 1
    assert list((engine.root / "stored").rglob("*"))
    assert engine.scons("shaders").summary == "shaders: 0 built, 5 up to date, 0 failed"
    engine.project.write("shaders/b.hlsl", "int c;\n")
    assert len(engine.scons("game").compiled) == 2
    assert engine.scons("build/shaders").summary == "shaders: 0 built, 4 up to date, 0 failed"
    assert engine.scons("build").summary == "shaders: 0 built, 5 up to date, 0 failed"


def test_two_calls_with_one_output_folder(engine: Engine) -> None:
    engine.project.write("more/shaders.yaml", ONE)
    engine.sconstruct("env.HlslShaders('config/shaders')\nenv.HlslShaders('more')\n")
    run = engine.scons(status=2)
    assert "SConstruct:3:1: error: another call of `HlslShaders` writes to `build/shaders`, too [CFG873]" in run.err
    assert "SConstruct:2:1: note: called here first" in run.err  # CFG874
    engine.sconstruct("""\
        assert env.HlslShaders('config/shaders') is env.HlslShaders('config/shaders')
        """)
    assert engine.scons("shaders").summary == "shaders: 4 built, 0 up to date, 0 failed"


def test_two_calls_with_folders_inside_each_other(engine: Engine) -> None:
    engine.project.write("more/shaders.yaml", "output_dir: build/shaders/lit\n" + ONE)
    engine.sconstruct("env.HlslShaders('config/shaders')\nenv.HlslShaders('more')\n")
    assert engine.scons("build").summary == "shaders: 5 built, 0 up to date, 0 failed"
    assert engine.scons("build").summary == "shaders: 0 built, 5 up to date, 0 failed"
    assert engine.scons("build/shaders/lit/b.main.spv").compiled == []
    assert engine.scons("build/shaders/lit/a.main.N=1.spv").compiled == []
    engine.project.write("shaders/lit/b.hlsl", "int b;\n")
    engine.project.write("config/shaders/b.yaml", "shaders: [{ source: lit/b.hlsl, profile: cs_6_0 }]\n")
    run = engine.scons(status=2)
    assert "SConstruct:3:1: error: `build/shaders/lit/b.main." in run.err


@pytest.mark.parametrize(
    ("setting", "other"),
    [
        ("output_dir: build/more", "build/shaders"),
        ("store: stored", "the default"),
        ("executor: local", "the default"),
        ("scons_nodes: single", None),
        ("store_size: 5M", "the default"),
    ],
)
@pytest.mark.parametrize("name", ["0.yaml", "z.yaml"])
def test_a_setting_of_one_file_that_all_share(engine: Engine, name: str, setting: str, other: str | None) -> None:
    key, _, value = setting.partition(": ")
    if other is None:
        (engine.root / "config/defaults.yaml").unlink()
        other = "auto"
    engine.project.write(f"config/shaders/{name}", setting + "\n" + ONE.replace("b.hlsl", "c.hlsl"))
    engine.project.write("shaders/c.hlsl", "int c;\n")
    engine.sconstruct("env.HlslShaders('config/shaders')\n")
    for run in (engine.scons(status=2), engine.project.tool("build")):
        assert run.status == 2
        text = f"config/shaders/{name}:1:{len(key) + 3}: error: `{key}` is `{value}` here, and `{other}` for"
        assert f"{text} `config/shaders/a.yaml`" in run.err
        assert "[CFG871]" in run.err
        assert f"config/shaders/a.yaml:1:1: note: `{key}` is `{other}` here" in run.err  # the note CFG872
    text = (engine.root / "config/shaders/a.yaml").read_text()
    engine.project.write("config/shaders/a.yaml", setting + "\n" + text)
    assert engine.scons("-n").status == 0


def test_source_dir_holds_for_its_file(engine: Engine) -> None:
    engine.project.write("config/shaders/0.yaml", "source_dir: other\n" + ONE.replace("b.hlsl", "c.hlsl"))
    engine.project.write("other/c.hlsl", "int c;\n")
    engine.sconstruct("env.HlslShaders('config/shaders')\n")
    assert len(engine.scons("shaders").compiled) == 5
    assert engine.project.tool("build").compiled == []


# ---------------------------------------------------------------- all of it, with 600 shaders

MANY = """\
shaders:
  - { source: a.hlsl, profile: ps_6_0, outputs: [spv, header], defines: { N: %s, FLAG: [0, 1] } }
  - { source: made.hlsl, profile: ps_6_0, outputs: [spv], defines: { N: [0, 1] } }
"""


def answers(project: Project, mode: str, count: int) -> list[tuple[str, dict[str, bytes]]]:
    """Run a clean build of ``2 * count`` shaders and more, and builds after several edits, with SCons.

    Return (messages, path → content of the outputs) of each build. ``mode`` is `single` for a SCons node for each
    shader, `set` for one node for all.
    """
    project.write("config/shaders/a.yaml", MANY % list(range(count)))
    project.write("more/b.yaml", "output_dir: build/more\nshaders: [{ source: b.hlsl, profile: cs_6_0 }]\n")
    project.write("shaders/a.hlsl", '#include "c.h"\nint x = X, y = N;\n')
    project.write("shaders/c.h", "#define X 1\n")
    project.write("shaders/b.hlsl", "int b;\n")
    project.write("made.in", "int made;\n")
    header = f"a.main.N={count - 1}.FLAG=1.h"
    project.write("app.cpp", f'#include "{header}"\nint main() {{ return sizeof a_main_N_{count - 1}_FLAG_1 == 0; }}\n')
    project.write(
        "SConstruct",
        TOP
        + textwrap.dedent(f"""\
        env.CacheDir('cache')
        env.Command('shaders/made.hlsl', 'made.in', Copy('$TARGET', '$SOURCE'))
        env.HlslShaders('config/shaders', nodes={mode!r})
        more = env.HlslShaders('more', nodes={mode!r})
        env.Append(CPPPATH=['build/shaders'])
        env.Install('game', env.Object('app.cpp') + env.Glob('build/shaders/*N=7?.FLAG=1.spv') + more[:1])
        env.Install('game', ['build/shaders/manifest.json', 'build/shaders/made.main.N=1.spv'])
        """),
    )
    found = []

    def build(*arguments: str) -> None:
        run = project.scons(*arguments)
        assert run.status == 0, run.out + run.err
        files = {path.name: path.read_bytes() for path in (project.root / "game").iterdir()}
        found.append((f"{run.summary}, {len(run.compiled)} compiled", {**files, **project.outputs()}))

    build("game/app.o", "game/" + "a.main.N=71.FLAG=1.spv")
    build()
    build()
    for name, text in (("shaders/c.h", "#define X 2\n"), ("made.in", "int other;\n"), ("shaders/b.hlsl", "int c;\n")):
        project.write(name, text)
        build("game")
        build()
    shutil.rmtree(project.root / "build")
    build()
    return found


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")
@pytest.mark.parametrize("count", [30, pytest.param(300, marks=pytest.mark.nightly)])
def test_hundreds_of_shaders(tmp_path, count: int) -> None:
    single = answers(Project(tmp_path / "single"), "single", count)
    as_set = answers(Project(tmp_path / "set"), "set", count)
    for number, (one, other) in enumerate(zip(single, as_set, strict=True)):
        assert one[0] == other[0], number
        assert one[1] == other[1], number
    assert single[2][0] == f"shaders: 0 built, {2 * count + 3} up to date, 0 failed, 0 compiled"


def test_interactive_builds_see_edits(engine: Engine) -> None:
    engine.sconstruct("env.HlslShaders('config/shaders')\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "SCons", "-Q", "--interactive"],
        cwd=engine.root,
        env=engine.project.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdin is not None
    log = engine.root / "compiled.log"
    try:
        for count in (4, 7, 10):
            process.stdin.write("build shaders\n")
            process.stdin.flush()
            wait_for(lambda count=count: log.exists() and len(log.read_text().splitlines()) == count)
            time.sleep(0.3)  # it has to end before its files change
            engine.project.write("shaders/include/c.h", f"#define X {count}\n")
    finally:
        out, _ = process.communicate("exit\n", timeout=PATIENCE)
    assert "Traceback" not in out
