"""SCons's own features: targets, -c, -n, -k, -j, --debug=explain, and its messages."""

from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

from hlsl_tool.base.system.atomic_write import machine
from tests.build.conftest import ROOT, TOOL_PATH, Project
from tests.patience import PATIENCE

LIT = """\
shaders:
  - source: lit/pbr.hlsl
    entries: [{ entry: VSMain, profile: vs_6_0 }, { entry: PSMain, profile: ps_6_0 }]
    include_dirs: [include]
    outputs: [spv, reflection, header, dep]
    defines: { SHADOWS: [0, 1] }
"""


def lit(project: Project, source: str = '#include "c.h"\nint x = X;\n') -> None:
    project.write("config/shaders/lit.yaml", LIT)
    project.write("shaders/lit/pbr.hlsl", source)
    project.write("shaders/include/c.h", "#define X 1\n")


def test_every_permutation_is_built_and_counted(project: Project) -> None:
    lit(project)
    run = project.scons()
    assert run.status == 0, run.err
    assert run.out.splitlines()[0] == "[1/4] lit/pbr.VSMain.SHADOWS=0  (shaders/lit/pbr.hlsl)"
    assert run.summary == "shaders: 4 built, 0 up to date, 0 failed"
    names = [name for name in project.outputs() if name.endswith(".spv")]
    assert names == [
        f"build/shaders/lit/pbr.{entry}.SHADOWS={value}.spv" for entry in ("PSMain", "VSMain") for value in (0, 1)
    ]
    assert project.scons().summary == "shaders: 0 built, 4 up to date, 0 failed"


def test_all_kinds_of_output(project: Project) -> None:
    lit(project)
    project.scons()
    stem = project.root / "build/shaders/lit/pbr.PSMain.SHADOWS=1"
    assert json.loads(pathlib.Path(f"{stem}.json").read_text()) == {"words": 8}
    assert "static const uint32_t lit_pbr_PSMain_SHADOWS_1[8]" in pathlib.Path(f"{stem}.h").read_text()
    rule = pathlib.Path(f"{stem}.d").read_text()
    assert rule.startswith("build/shaders/lit/pbr.PSMain.SHADOWS=1.spv: shaders/lit/pbr.hlsl")
    assert "shaders/include/c.h" in rule


def test_manifest(project: Project) -> None:
    import jsonschema

    lit(project)
    project.scons()
    content = json.loads((project.root / "build/shaders/manifest.json").read_text())
    jsonschema.validate(content, json.loads((ROOT / "config/schema/manifest.json").read_text()))
    assert content["shaders"][1] == {
        "name": "lit/pbr.PSMain.SHADOWS=1",
        "shader": "lit/pbr.PSMain",
        "source": "shaders/lit/pbr.hlsl",
        "entry": "PSMain",
        "entry_point": "PSMain",
        "stage": "fragment",
        "profile": "ps_6_0",
        "target_env": "vulkan1.0",
        "defines": {"SHADOWS": "1"},
        "permutation": {"SHADOWS": "1"},
        "outputs": {
            "spv": "lit/pbr.PSMain.SHADOWS=1.spv",
            "reflection": "lit/pbr.PSMain.SHADOWS=1.json",
            "header": "lit/pbr.PSMain.SHADOWS=1.h",
            "dep": "lit/pbr.PSMain.SHADOWS=1.d",
        },
    }


def test_a_named_target_may_hold_an_equals_sign(project: Project) -> None:
    lit(project)
    run = project.scons("build/shaders/lit/pbr.PSMain.SHADOWS=1.spv")
    assert run.compiled == ["shaders/lit/pbr.hlsl:PSMain SHADOWS=1"]
    assert run.summary == "shaders: 1 built, 0 up to date, 0 failed"


def test_an_entry_is_a_target(project: Project) -> None:
    lit(project)
    assert len(project.scons("lit/pbr.VSMain").compiled) == 2


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("lit/pbr.VSMian", "hint: no shader is called `lit/pbr.VSMian`; did you mean `lit/pbr.VSMain`?\n"),
        ("unlike_any_shader", ""),
    ],
)
@pytest.mark.parametrize("nodes", ["single", "set"])
def test_a_word_that_is_nearly_a_shader(project: Project, nodes: str, word: str, hint: str) -> None:
    lit(project)
    run = project.scons(f"scons_nodes={nodes}", word)
    assert run.status == 2
    assert "Do not know how to make File target" in run.err
    assert run.err.startswith(hint) and ("hint" in run.err) == bool(hint)


def test_the_output_folder_is_a_target(project: Project) -> None:
    lit(project)
    assert project.scons("build/shaders/lit").summary == "shaders: 4 built, 0 up to date, 0 failed"


def test_clean(project: Project) -> None:
    lit(project)
    project.scons()
    assert project.scons("-c").status == 0
    assert project.outputs() == {}
    assert not (project.root / "build/shaders/.hlsl_tool.log").exists()
    assert len(project.scons().compiled) == 4


def test_clean_names_the_store_in_one_line(project: Project) -> None:
    lit(project)
    project.write(".hlsl_tool/store/ab/first", "1")
    project.write(".hlsl_tool/store/ab/second", "2")
    run = project.scons("-c", "-n")
    assert "Removed directory .hlsl_tool/store (2 files)\n" in run.out
    assert (project.root / ".hlsl_tool/store").is_dir()
    run = project.scons("-c")
    assert run.out.count(".hlsl_tool/store") == 1
    assert not (project.root / ".hlsl_tool/store").exists()


@pytest.mark.parametrize(
    "argument, message",
    [
        ("diagnostics=x", "error: diagnostics=x: it is one of text, json, sarif, gcc, msvc, github [CFG1717]"),
        ("scons_nodes=x", "error: scons_nodes=x: it is one of auto, single, set [CFG1717]"),
        ("verify_cache=x", "error: verify_cache=x: it is a number of percent [CFG1717]"),
        ("server=x", "error: server=x: it is yes or no [CFG1717]"),
    ],
)
def test_arguments_of_the_command_line(project: Project, argument: str, message: str) -> None:
    lit(project)
    run = project.scons(argument)
    assert run.status == 2
    assert message in run.out + run.err
    assert "File " not in run.err


def test_dry_run_writes_nothing(project: Project) -> None:
    lit(project)
    run = project.scons("-n")
    assert run.compiled == []
    assert run.out.count("(shaders/lit/pbr.hlsl)") == 4
    assert project.outputs() == {}
    assert len(project.scons().compiled) == 4


def test_explain_names_the_option(project: Project) -> None:
    lit(project)
    project.scons()
    project.write("config/shaders/lit.yaml", LIT + "    layout: dx\n")
    run = project.scons("--debug=explain")
    assert '  because option layout: the default → "dx"' in run.out
    assert "AlwaysBuild" not in run.out
    assert "Cannot explain" not in run.out
    assert "`build/shaders/lit/pbr.VSMain.SHADOWS=0.spv' changed" in run.out or "manifest.json' because" in run.out


def test_explain_names_the_header(project: Project) -> None:
    lit(project)
    project.scons()
    project.write("shaders/include/c.h", "#define X 2\n")
    assert "  because shaders/include/c.h: " in project.scons("--debug=explain").out


def test_a_new_toolchain_rebuilds(project: Project, monkeypatch) -> None:
    lit(project)
    project.scons()
    monkeypatch.setenv("FAKE_FINGERPRINT", "fake 2")
    assert len(project.scons().compiled) == 4


def test_an_option_rebuilds_only_what_it_concerns(project: Project) -> None:
    lit(project)
    project.scons()
    project.write("config/shaders/lit.yaml", LIT.replace("profile: ps_6_0", "profile: ps_6_0, layout: gl"))
    assert len(project.scons().compiled) == 2


def test_an_earlier_folder_gains_the_file(project: Project) -> None:
    lit(project)
    project.scons()
    project.write("shaders/lit/c.h", "#define X 3\n")
    assert len(project.scons().compiled) == 4
    assert project.scons().compiled == []


def test_has_include_is_a_dependency(project: Project) -> None:
    project.simple('#if __has_include("opt.h")\nint a;\n#else\nint b;\n#endif\n')
    project.scons()
    assert project.scons().compiled == []
    project.write("shaders/opt.h", "")
    assert len(project.scons().compiled) == 1
    assert project.scons().compiled == []


def test_a_removed_or_changed_output_is_rebuilt(project: Project) -> None:
    lit(project)
    project.scons()
    want = project.outputs()
    for suffix in (".spv", ".json", ".d"):
        path = project.root / f"build/shaders/lit/pbr.VSMain.SHADOWS=0{suffix}"
        path.unlink()
        assert len(project.scons().compiled) == 1
        path.write_bytes(b"other")
        assert len(project.scons().compiled) == 1
        assert project.outputs() == want
    assert project.scons().compiled == []


def test_any_output_is_a_target_and_a_source(project: Project) -> None:
    lit(project)
    run = project.scons("build/shaders/lit/pbr.PSMain.SHADOWS=1.json")
    assert run.compiled == ["shaders/lit/pbr.hlsl:PSMain SHADOWS=1"]
    assert run.summary == "shaders: 1 built, 0 up to date, 0 failed"
    project.write(
        "SConstruct",
        f"""\
        env = Environment(tools=['hlsl', 'install'], toolpath=[{str(TOOL_PATH)!r}])
        env.HlslShaders('config/shaders')
        env.Install('game', [env.File('build/shaders/lit/pbr.VSMain.SHADOWS=0.json'), Glob('build/shaders/lit/*=1.h')])
        """,
    )
    run = project.scons("game")
    assert (run.status, len(run.compiled)) == (0, 2), run.out + run.err
    assert len(list((project.root / "game").iterdir())) == 3


def test_an_include_by_macro(project: Project) -> None:
    project.simple('#define H "m.h"\n#include H\n')
    project.write("shaders/m.h", "int a;\n")
    project.scons()
    project.write("shaders/m.h", "int b;\n")
    assert len(project.scons().compiled) == 1


def test_an_include_that_this_permutation_skips(project: Project) -> None:
    lit(project, '#if SHADOWS\n#include "s.h"\n#endif\nint x;\n')
    project.write("shaders/include/s.h", "int a;\n")
    project.scons()
    project.write("shaders/include/s.h", "int b;\n")
    compiled = project.scons().compiled
    assert compiled == ["shaders/lit/pbr.hlsl:PSMain SHADOWS=1", "shaders/lit/pbr.hlsl:VSMain SHADOWS=1"]


# ---------------------------------------------------------------- failures


def test_failure_keeps_the_last_good_output(project: Project) -> None:
    project.simple()
    project.scons()
    before = project.outputs()
    project.write("shaders/a.hlsl", "FAIL\n")
    run = project.scons()
    assert run.status == 2
    assert "shaders/a.hlsl:1:1: error: a failure was asked for" in run.err
    assert run.summary == "shaders: 0 built, 0 up to date, 1 failed"
    assert "Traceback" not in run.out + run.err
    assert project.outputs() == before
    assert project.scons().status == 2, "a failed shader is tried again"
    project.write("shaders/a.hlsl", "float x;\n")
    run = project.scons()
    assert (run.status, run.compiled) == (0, []), "what is on disk is right again"


def test_keep_going(project: Project) -> None:
    lit(project, "#if SHADOWS\nFAIL\n#endif\nint x;\n")
    run = project.scons("-k")
    assert run.status == 2
    assert run.summary == "shaders: 2 built, 0 up to date, 2 failed"


def test_threads_do_not_make_the_default_environment(project: Project) -> None:
    """No thread of a build creates SCons's default environment.

    If two threads loaded its tools at the same time, the build would fail.
    """
    lit(project)
    slow = """\
import SCons.Environment, atexit, threading, time
made = []
class Slow(SCons.Environment.Base):
    def __init__(self, *arguments, **more):
        made.append(more.get("tools"))
        time.sleep(0.5)
        super().__init__(*arguments, **more)
SCons.Environment.Environment = Slow
atexit.register(lambda: print("default environments:", made))
"""
    project.write("SConstruct", slow + (project.root / "SConstruct").read_text().replace("Default(", "env.Default("))
    run = project.scons("-j4")
    assert run.summary == "shaders: 4 built, 0 up to date, 0 failed"
    assert "default environments: [[]]" in run.out


def test_one_message_for_all_permutations(project: Project) -> None:
    lit(project, "int x;\nFAIL\n")
    for arguments in (["-k"], ["-k", "-j2"]):
        run = project.scons(*arguments)
        assert run.err.count("a failure was asked for") == 1
        assert "  in lit/pbr.PSMain: SHADOWS=0, SHADOWS=1\n  in lit/pbr.VSMain: SHADOWS=0, SHADOWS=1\n" in run.err


def test_without_keep_going_the_message_comes_at_once(project: Project) -> None:
    lit(project, "FAIL\n")
    run = project.scons()
    assert run.err.count("a failure was asked for") == 1
    assert run.summary == "shaders: 0 built, 0 up to date, 1 failed, 3 not built"


def test_warnings_are_shown_and_do_not_fail(project: Project) -> None:
    lit(project, "WARN\n")
    run = project.scons()
    assert run.status == 0
    assert run.err.count("a warning was asked for") == 1


def test_a_worker_that_dies(project: Project) -> None:
    lit(project, "#if SHADOWS\nCRASH\n#endif\nint x;\n")
    run = project.scons("-j2", "-k")
    assert run.status == 2
    assert "the compiler process ended unexpectedly (exit status 7)" in run.err
    assert run.summary == "shaders: 2 built, 0 up to date, 2 failed"


def test_an_internal_error_is_reported_in_one_line(project: Project) -> None:
    project.simple("BUG\n")
    for arguments in ([], ["-j2"]):
        run = project.scons(*arguments)
        assert run.status == 2
        assert "internal compiler error: ValueError: a bug was asked for" in run.err
        assert "Traceback" not in run.out + run.err


def test_a_missing_include_is_found_later(project: Project) -> None:
    project.simple('#include "late.h"\n')
    run = project.scons()
    assert run.status == 2
    assert "late.h" in run.err
    project.write("shaders/late.h", "int x;\n")
    assert project.scons().status == 0


def test_a_broken_configuration(project: Project) -> None:
    project.simple()
    project.write("config/shaders/a.yaml", "shaders:\n  - source: b.hlsl\n    profil: ps_6_0\n")
    run = project.scons()
    assert run.status == 2
    assert "config/shaders/a.yaml:3:5: error: unknown key `profil`" in run.err
    assert "config/shaders/a.yaml:2:13: error: no such file: `shaders/b.hlsl`" in run.err
    assert "Traceback" not in run.err


def test_a_file_in_the_place_of_the_output_folder(project: Project) -> None:
    project.simple()
    project.write("build", "")
    run = project.scons()
    assert run.status == 2
    assert "cannot write `build`: there is a file of this name" in run.err
    assert "Traceback" not in run.err


def test_an_output_folder_that_cannot_be_written(project: Project) -> None:
    """A build whose output folder cannot be written fails with an error that names the folder.

    Here a file replaces the folder, because tests that run as root could write to any folder.
    """
    project.simple("SLEEP\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "SCons", "-Q"],
        cwd=project.root,
        env=project.environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    target = project.root / "build/shaders/a.main.spv"
    wait_for(lambda: target.parent.exists())
    target.mkdir()
    (target / "x").touch()
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "cannot write `build/shaders/a.main.spv`" in out
    assert "Traceback" not in out


# ---------------------------------------------------------------- interrupted builds


def wait_for(condition, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def interrupted(project: Project, number: int, *arguments: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "SCons", "-Q", *arguments],
        cwd=project.root,
        env=project.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    log = project.root / "build/shaders/.hlsl_tool.log"
    wait_for(lambda: log.exists() and '"settled":false' in log.read_text() and "pbr.hlsl" in log.read_text())
    if number == signal.SIGKILL:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    process.wait(PATIENCE)


@pytest.mark.parametrize(
    ("number", "arguments"),
    [
        (signal.SIGKILL, ["-j2"]),
        pytest.param(signal.SIGKILL, [], marks=pytest.mark.nightly),
        pytest.param(signal.SIGINT, [], marks=pytest.mark.nightly),
    ],
)
def test_killed_in_the_middle(project: Project, number: int, arguments: list[str]) -> None:
    lit(project, "SLEEP int x;\n")
    interrupted(project, number, *arguments)
    run = project.scons()
    assert run.status == 0
    assert len(run.compiled) < 4, "what was written is not compiled again"
    after = project.outputs()
    project.scons("-c")
    project.scons()
    assert after == project.outputs()


def test_killed_after_an_edit_and_the_edit_taken_back(project: Project) -> None:
    """After an edit, a killed build, and the reversal of the edit, the next build makes the output again.

    SCons's database then contains the old source, while the output on disk was made from the edited one.
    """
    lit(project, "int x;\n")
    project.scons()
    before = project.outputs()
    (project.root / "build/shaders/lit/pbr.VSMain.SHADOWS=0.spv").unlink()
    lit(project, "SLEEP int y;\n")
    interrupted(project, signal.SIGKILL)
    lit(project, "int x;\n")
    project.scons()
    assert project.outputs() == before


@pytest.mark.skipif(sys.platform == "win32", reason="processes are not asked there")
def test_half_written_files_of_killed_builds_go(project: Project) -> None:
    project.simple()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    project.write(f"build/shaders/a.main.spv.{machine():x}-{ended.pid:x}-0.tmp~", "half")
    # That of a build beside this one stays.
    living = project.write(f"build/shaders/a.main.spv.{machine():x}-{os.getpid():x}-0.tmp~", "half")
    assert project.scons().status == 0
    assert list(project.root.glob("build/**/*.tmp~")) == [living]


def test_a_torn_log_is_no_trouble(project: Project) -> None:
    """After damage to the log, the next build compiles all shaders again, because their inputs are unknown."""
    project.simple()
    project.scons()
    before = project.outputs()
    log = project.root / "build/shaders/.hlsl_tool.log"
    for damaged in (log.read_bytes()[:-20], b"nonsense\n{\n"):
        log.write_bytes(damaged)
        assert len(project.scons().compiled) == 1
        assert project.outputs() == before
        assert project.scons().compiled == []


def test_without_its_database_scons_compiles_nothing_again(project: Project) -> None:
    lit(project)
    project.scons()
    (project.root / ".sconsign.dblite").unlink()
    run = project.scons()
    assert run.compiled == []
    assert run.summary == "shaders: 0 built, 4 up to date, 0 failed"


# ---------------------------------------------------------------- from the SConstruct of another project


def test_one_shader_with_python_arguments(project: Project) -> None:
    project.write(
        "SConstruct",
        f"""\
        env = Environment(tools=['hlsl'], toolpath=[{str(TOOL_PATH)!r}])
        spv = env.HlslShader('src/x.hlsl', profile='ps_6_0', entry='PS', layout='dx', include_dirs=['inc'],
                             defines={{'N': [1, 2], 'ON': True}}, outputs=['spv'], output_dir='out',
                             bindings={{'shifts': {{'t': [10, 'all']}}}})
        assert len(spv) == 2, spv
        Default(spv)
        """,
    )
    project.write("src/x.hlsl", '#include "i.h"\n')
    project.write("inc/i.h", "int x;\n")
    run = project.scons()
    assert run.status == 0, run.out + run.err
    assert run.compiled == ["src/x.hlsl:PS N=1 ON=true", "src/x.hlsl:PS N=2 ON=true"]
    assert sorted(path.name for path in (project.root / "out").glob("*.spv")) == ["x.PS.N=1.spv", "x.PS.N=2.spv"]
    project.write("inc/i.h", "int y;\n")
    assert len(project.scons().compiled) == 2


def test_one_shader_belongs_to_all_shaders(project: Project) -> None:
    lit(project)
    text = (project.root / "SConstruct").read_text()
    project.write("SConstruct", text + "env.HlslShader('src/x.hlsl', profile='ps_6_0', output_dir='out')\n")
    project.write("src/x.hlsl", "\n")
    for nodes in ("single", "set"):
        assert project.scons("shaders", f"scons_nodes={nodes}").summary == "shaders: 5 built, 0 up to date, 0 failed"
        project.scons("-c")
        assert not list((project.root / "out").iterdir())


def test_wrong_python_arguments(project: Project) -> None:
    project.write(
        "SConstruct",
        f"""\
        env = Environment(tools=['hlsl'], toolpath=[{str(TOOL_PATH)!r}])
        env.HlslShader('x.hlsl', profile='ps_6_0', layuot='dx')
        """,
    )
    project.write("x.hlsl", "")
    run = project.scons()
    assert run.status == 2
    assert re.search(r"SConstruct:2:1: error: unknown key `layuot`", run.err)
    assert "did you mean `layout`?" in run.err
    assert "Traceback" not in run.err


def test_sources_and_headers_that_scons_makes(project: Project) -> None:
    project.write(
        "SConstruct",
        f"""\
        env = Environment(tools=['hlsl', 'textfile'], toolpath=[{str(TOOL_PATH)!r}])
        env.Command('gen.h', 'gen.in', Copy('$TARGET', '$SOURCE'))
        env.Command('made.hlsl', 'made.in', Copy('$TARGET', '$SOURCE'))
        env.HlslShader('made.hlsl', profile='ps_6_0', outputs=['spv'], output_dir='out')
        """,
    )
    project.write("gen.in", "int a;\n")
    project.write("made.in", '#include "gen.h"\n')
    run = project.scons("out")
    assert run.status == 0, run.out + run.err
    assert project.scons("out").compiled == []
    project.write("gen.in", "int b;\n")
    assert len(project.scons("out").compiled) == 1
    assert project.scons("out").compiled == []


def test_in_a_sconscript_with_a_variant_dir(project: Project) -> None:
    project.write(
        "SConstruct",
        f"""\
        env = Environment(tools=['hlsl'], toolpath=[{str(TOOL_PATH)!r}])
        SConscript('game/SConscript', variant_dir='obj', duplicate=0, exports='env')
        """,
    )
    project.write(
        "game/SConscript",
        """\
        Import('env')
        env.HlslShader('x.hlsl', profile='ps_6_0', include_dirs=['inc'], outputs=['spv'], output_dir='spv')
        """,
    )
    project.write("game/x.hlsl", '#include "i.h"\n')
    project.write("game/inc/i.h", "int x;\n")
    run = project.scons(".")
    assert run.status == 0, run.out + run.err
    assert (project.root / "obj/spv/game/x.main.spv").exists() or list(project.root.glob("obj/**/*.spv"))


def test_configurations_of_a_subfolder(project: Project) -> None:
    project.write(
        "SConstruct",
        f"""\
        env = Environment(tools=['hlsl'], toolpath=[{str(TOOL_PATH)!r}])
        SConscript('game/SConscript', exports='env')
        """,
    )
    project.write("game/SConscript", "Import('env')\nenv.HlslShaders('shaders.yaml', root='.')\n")
    project.write(
        "game/shaders.yaml",
        """\
        source_dir: src
        output_dir: out
        shaders: [{source: x.hlsl, profile: ps_6_0}]
        """,
    )
    project.write("game/src/x.hlsl", "int x;\n")
    run = project.scons("shaders")
    assert run.status == 0, run.out + run.err
    assert (project.root / "game/out/x.main.spv").exists()


# ---------------------------------------------------------------- speed


def test_a_build_with_nothing_to_do_imports_no_compiler(project: Project) -> None:
    lit(project)
    project.scons()
    project.write(
        "SConstruct",
        (project.root / "SConstruct").read_text()
        + ("import atexit, sys\natexit.register(lambda: print('LOADED', *sys.modules))\n"),
    )
    run = project.python("-m", "SCons", "-Q", fresh=True)
    loaded = run.out.partition("LOADED")[2].split()
    assert run.compiled == []
    assert "hlsl_tool.scons.tool" in loaded
    for module in (
        "lark",
        "hlsl_tool.compiler.compile",
        "hlsl_tool.frontend.syntax",
        "hlsl_tool.frontend.sema",
        "hlsl_tool.codegen.lower",
        "hlsl_tool.frontend.preprocessor.driver",
    ):
        assert module not in loaded


def test_another_python_rebuilds_nothing(project: Project) -> None:
    """A build with another version of Python rebuilds nothing: the signature of the action contains no byte code."""
    from hlsl_tool.scons.nodes import COMPILE

    assert COMPILE.get_presig([], [], None) == b"hlsl_tool"


# ---------------------------------------------------------------- the forms of messages


def test_messages_as_one_document(project: Project) -> None:
    lit(project, "FAIL WARN\n")
    for form in ("json", "sarif"):
        run = project.scons("-k", f"diagnostics={form}")
        assert run.status == 2
        assert f"messages: build/shaders/diagnostics.{form}\n" in run.out
        content = json.loads((project.root / f"build/shaders/diagnostics.{form}").read_text())
        found = content["diagnostics"] if form == "json" else content["runs"][0]["results"]
        assert len(found) == 2


def test_messages_a_line_each(project: Project) -> None:
    lit(project, "FAIL\n")
    assert "shaders/lit/pbr.hlsl(1,1): error TEST001: " in project.scons("diagnostics=msvc").err
    assert "shaders/lit/pbr.hlsl:1:1: error: " in project.scons("diagnostics=gcc").err
    annotation = "::error file=shaders/lit/pbr.hlsl,line=1,col=1,title=TEST001 "
    assert annotation in project.scons("diagnostics=github").err


def test_an_unknown_form(project: Project) -> None:
    lit(project)
    run = project.scons("diagnostics=xml")
    assert run.status == 2
    assert "diagnostics=xml: it is one of text, json, sarif, gcc, msvc, github" in run.err


# ---------------------------------------------------------------- a source that was renamed before its configuration


@pytest.mark.parametrize("nodes", ["single", "set"])
def test_a_missing_source_fails_its_shader_only(project: Project, nodes: str) -> None:
    text = "shaders:\n  - { source: old.hlsl, profile: ps_6_0 }\n  - { source: a.hlsl, profile: ps_6_0 }\n"
    project.write("config/shaders/a.yaml", text)
    project.write("shaders/a.hlsl", "int x;\n")
    sconstruct = (project.root / "SConstruct").read_text()
    project.write("SConstruct", sconstruct + "env.Command('app.o', 'SConstruct', 'echo > $TARGET')\nDefault('app.o')\n")
    run = project.scons(f"scons_nodes={nodes}", "app.o")
    assert run.status == 0, run.out + run.err
    assert "CFG813" not in run.err
    (project.root / "app.o").unlink()
    run = project.scons(f"scons_nodes={nodes}", "-k")
    assert run.status == 2
    assert run.err.count("config/shaders/a.yaml:2:15: error: no such file: `shaders/old.hlsl` [CFG813]") == 1
    assert run.compiled == ["shaders/a.hlsl:main"]
    assert (project.root / "app.o").exists()
