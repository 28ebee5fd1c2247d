"""Large projects: one SCons node for all shaders has targets, options, messages and exit codes as one for each."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.build.conftest import TOOL_PATH, Project
from tests.build.test_scons import LIT, lit, wait_for
from tests.patience import PATIENCE


@pytest.fixture
def tree(project: Project) -> Project:
    project.write("config/defaults.yaml", "scons_nodes: set\n")
    lit(project)
    return project


def loaded(project: Project, *arguments: str) -> tuple[str, list[str]]:
    """Return (the output of a run, the names of the modules that it imported)."""
    # The handler that is registered first is called last.
    first = "import atexit, sys; atexit.register(lambda: print('LOADED', *sys.modules))\n"
    project.write("SConstruct", first + (project.root / "SConstruct").read_text().removeprefix(first))
    out = project.python("-m", "SCons", "-Q", *arguments, fresh=True).out
    return out.partition("LOADED")[0], out.partition("LOADED")[2].split()


def test_same_files_and_words_as_single_nodes(tree: Project) -> None:
    run = tree.scons()
    assert run.status == 0, run.out + run.err
    assert run.out.splitlines()[0] == "[1/4] lit/pbr.VSMain.SHADOWS=0  (shaders/lit/pbr.hlsl)"
    assert run.summary == "shaders: 4 built, 0 up to date, 0 failed"
    assert len(run.compiled) == 4
    as_set = tree.outputs()
    assert tree.scons("-c").status == 0
    assert tree.outputs() == {}
    assert tree.scons("scons_nodes=single").out.splitlines()[:4] == run.out.splitlines()[:4]
    assert tree.outputs() == as_set


def test_nothing_to_do(tree: Project) -> None:
    tree.scons()
    for _ in range(3):
        run = tree.scons()
        assert (run.status, run.compiled) == (0, [])
        assert run.out.startswith("scons: `shaders' is up to date.\n")
        assert run.summary == "shaders: 0 built, 4 up to date, 0 failed"
    assert tree.scons("-q").status == 0


def test_nothing_to_do_loads_neither_compiler_nor_configurations(tree: Project) -> None:
    loaded(tree)
    out, modules = loaded(tree)
    assert "4 up to date" in out
    assert "hlsl_tool.scons.node_set" in modules
    for module in (
        "lark",
        "yaml",
        "hlsl_tool.project.config.load",
        "hlsl_tool.base.options.compile_options",
        "hlsl_tool.project.build.engine",
        "hlsl_tool.project.build.plan",
        "hlsl_tool.frontend.preprocessor.driver",
        "hlsl_tool.frontend.syntax",
    ):
        assert module not in modules


def test_files_at_rest_are_not_read_again(tree: Project) -> None:
    """A file whose stamp (times, size, inode) changed, but not its content, rebuilds nothing.

    The state file gets the new stamp, so that later builds need not read the file.
    """
    tree.scons()
    time.sleep(2.1)
    tree.scons()
    state = tree.root / "build/shaders/.hlsl_tool.state"
    before = state.read_bytes()
    source = tree.root / "shaders/lit/pbr.hlsl"
    source.chmod(0)  # root reads it all the same: the stamp changes, the text does not
    source.chmod(0o644)
    run = tree.scons()
    assert (run.compiled, run.summary) == ([], "shaders: 0 built, 4 up to date, 0 failed")
    assert state.read_bytes() != before, "the new stamp is remembered"


@pytest.mark.parametrize("edit", ["source", "header", "output", "no output", "manifest", "shadow", "option", "log"])
def test_edits_of_inputs_and_outputs_are_noticed(tree: Project, edit: str) -> None:
    tree.scons()
    tree.scons()
    want = tree.outputs()
    compiled = 4
    if edit == "source":
        status = os.stat(tree.root / "shaders/lit/pbr.hlsl")
        tree.write("shaders/lit/pbr.hlsl", '#include "c.h"\nint y = X;\n')  # as long as before
        os.utime(tree.root / "shaders/lit/pbr.hlsl", ns=(status.st_atime_ns, status.st_mtime_ns))
        want = {}
    elif edit == "header":
        tree.write("shaders/include/c.h", "#define X 2\n")
        want = {}
    elif edit == "output":
        tree.write("build/shaders/lit/pbr.VSMain.SHADOWS=0.spv", "other")
        compiled = 1
    elif edit == "no output":
        (tree.root / "build/shaders/lit/pbr.VSMain.SHADOWS=0.json").unlink()
        compiled = 1
    elif edit == "manifest":
        (tree.root / "build/shaders/manifest.json").unlink()
        compiled = 0
    elif edit == "shadow":
        tree.write("shaders/lit/c.h", "#define X 3\n")
        want = {}
    elif edit == "option":
        tree.write("config/shaders/lit.yaml", LIT + "    layout: dx\n")
        want = {}
    elif edit == "log":
        (tree.root / "build/shaders/.hlsl_tool.log").unlink()
    run = tree.scons()
    assert run.status == 0, run.out + run.err
    assert len(run.compiled) == compiled
    if want:
        assert tree.outputs() == want
    assert tree.scons().compiled == []


# ---------------------------------------------------------------- targets and options


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("build/shaders/lit/pbr.PSMain.SHADOWS=1.spv", 1),
        ("build/shaders/lit/pbr.PSMain.SHADOWS=1.json", 1),
        ("lit/pbr.PSMain.SHADOWS=1", 1),
        ("lit/pbr.VSMain", 2),
        ("build/shaders/lit", 4),
        ("build/shaders", 4),
        ("build", 4),
        (".", 4),
        ("shaders", 4),
        ("lit/*VSMain*", 2),
        ("build/shaders/lit/*SHADOWS?0.spv", 2),
        ("lit/*SHADOWS=0", 2),
    ],
)
def test_targets(tree: Project, word: str, count: int) -> None:
    run = tree.scons(word)
    assert run.status == 0, run.out + run.err
    assert len(run.compiled) == count
    assert run.summary == f"shaders: {count} built, 0 up to date, 0 failed"
    run = tree.scons(word)
    assert run.compiled == []
    assert run.summary == f"shaders: 0 built, {count} up to date, 0 failed"


def test_targets_together(tree: Project) -> None:
    run = tree.scons("lit/pbr.VSMain", "build/shaders/lit/pbr.PSMain.SHADOWS=0.spv")
    assert run.summary == "shaders: 3 built, 0 up to date, 0 failed"


def test_a_target_from_a_subfolder(tree: Project) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "SCons", "-Q", "-u", "../build/shaders/lit/pbr.VSMain.SHADOWS=0.spv"],
        cwd=tree.root / "shaders",
        env=tree.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_unknown_target(tree: Project) -> None:
    run = tree.scons("lit/pbr.XSMain")
    assert run.status == 2
    assert "Do not know how to make" in run.err


def test_patterns_mean_single_nodes_too(tree: Project) -> None:
    run = tree.scons("scons_nodes=single", "lit/*VSMain*")
    assert run.summary == "shaders: 2 built, 0 up to date, 0 failed"


def test_dry_run_and_question(tree: Project) -> None:
    run = tree.scons("-n")
    assert (run.status, run.compiled) == (0, [])
    assert run.out.count("(shaders/lit/pbr.hlsl)") == 4
    assert tree.outputs() == {}
    assert tree.scons("-q").status == 1
    assert tree.outputs() == {}
    assert len(tree.scons().compiled) == 4


def test_silence(tree: Project) -> None:
    assert tree.scons("-s").out == ""


def test_explain_names_the_causes(tree: Project) -> None:
    tree.scons()
    tree.write("config/shaders/lit.yaml", LIT + "    layout: dx\n")
    assert '  because option layout: the default → "dx"' in tree.scons("--debug=explain").out
    tree.write("shaders/include/c.h", "#define X 2\n")
    out = tree.scons("--debug=explain", "-n").out
    assert out.count("  because shaders/include/c.h: ") == 4


def test_a_new_toolchain_rebuilds(tree: Project, monkeypatch) -> None:
    tree.scons()
    monkeypatch.setenv("FAKE_FINGERPRINT", "fake 2")
    assert len(tree.scons().compiled) == 4


def test_by_number(project: Project) -> None:
    """The default, `auto`, is a SCons node for each shader up to 500 shaders, and one node for all beyond."""
    for count, wanted in ((500, False), (501, True)):
        project.write("config/shaders/a.yaml", json.dumps({"shaders": [{
            "source": "a.hlsl", "profile": "ps_6_0", "outputs": ["spv"], "defines": {"N": list(range(count))},
        }]}))  # fmt: skip
        project.write("shaders/a.hlsl", "int x = N;\n")
        _, modules = loaded(project, "-n")
        assert ("hlsl_tool.scons.node_set" in modules) is wanted


# ---------------------------------------------------------------- failures


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_keep_going(tree: Project, jobs: str) -> None:
    lit(tree, "#if SHADOWS\nFAIL\n#endif\nint x;\n")
    run = tree.scons("-k", jobs)
    assert run.status == 2
    assert run.summary == "shaders: 2 built, 0 up to date, 2 failed"
    assert run.err.count("a failure was asked for") == 1
    for entry in ("VSMain", "PSMain"):
        assert f"scons: *** [build/shaders/lit/pbr.{entry}.SHADOWS=1.spv] 1 error\n" in run.err
    assert tree.scons("-k").summary == "shaders: 0 built, 2 up to date, 2 failed"
    lit(tree)
    assert tree.scons().summary == "shaders: 4 built, 0 up to date, 0 failed"


def test_without_keep_going_it_ends(tree: Project) -> None:
    lit(tree, "FAIL\n")
    run = tree.scons()
    assert run.status == 2
    assert run.summary == "shaders: 0 built, 0 up to date, 1 failed, 3 not built"
    assert "scons: *** [build/shaders/lit/pbr.VSMain.SHADOWS=0.spv] 1 error" in run.err
    assert "Traceback" not in run.out + run.err


def test_a_worker_that_dies(tree: Project) -> None:
    lit(tree, "#if SHADOWS\nCRASH\n#endif\nint x;\n")
    run = tree.scons("-j2", "-k")
    assert run.status == 2
    assert run.summary == "shaders: 2 built, 0 up to date, 2 failed"


@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_interrupted(tree: Project, jobs: str) -> None:
    """No further job is started and running jobs are completed; the next build does the rest."""
    lit(tree, "SLEEP int x;\n")
    tree.write("config/shaders/lit.yaml", LIT.replace("[0, 1]", str(list(range(6)))))  # some are left in any case
    process = subprocess.Popen(
        [sys.executable, "-m", "SCons", "-Q", jobs],
        cwd=tree.root,
        env=tree.environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    log = tree.root / "build/shaders/.hlsl_tool.log"
    wait_for(lambda: log.exists() and '"settled":false' in log.read_text() and "pbr.hlsl" in log.read_text())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert "not built" in out
    assert "Traceback" not in out + err
    run = tree.scons()
    assert 0 < len(run.compiled) < 12


def test_from_set_to_single_nodes_and_back(tree: Project) -> None:
    tree.scons()
    assert tree.scons("scons_nodes=single").compiled == []
    tree.write("shaders/include/c.h", "#define X 2\n")
    assert len(tree.scons("scons_nodes=single").compiled) == 4
    assert tree.scons().compiled == []
    tree.write("shaders/include/c.h", "#define X 1\n")
    assert len(tree.scons().compiled) == 4
    assert tree.scons("scons_nodes=single").compiled == []


def test_the_watcher_and_the_build_verb_share_the_log(tree: Project) -> None:
    tree.scons()
    tree.write("shaders/include/c.h", "#define X 2\n")
    assert len(tree.tool("build").compiled) == 4
    assert tree.scons().compiled == []


# ---------------------------------------------------------------- with other builders


def test_an_output_as_a_source(tree: Project) -> None:
    tree.write(
        "SConstruct",
        f"""\
        env = Environment(tools=['hlsl', 'install'], toolpath=[{str(TOOL_PATH)!r}])
        env.HlslShaders('config/shaders')
        env.Install('game', 'build/shaders/lit/pbr.VSMain.SHADOWS=0.spv')
        Default('game')
        """,
    )
    run = tree.scons()
    assert run.status == 0, run.out + run.err
    assert run.compiled == ["shaders/lit/pbr.hlsl:VSMain SHADOWS=0"]
    run = tree.scons("shaders")
    assert len(run.compiled) == 3
    assert run.summary == "shaders: 3 built, 1 up to date, 0 failed"
    assert tree.scons("shaders").summary == "shaders: 0 built, 4 up to date, 0 failed"
    tree.write("shaders/include/c.h", "#define X 2\n")
    run = tree.scons("game", "shaders")
    assert len(run.compiled) == 4
    name = "pbr.VSMain.SHADOWS=0.spv"
    assert (tree.root / "game" / name).read_bytes() == (tree.root / "build/shaders/lit" / name).read_bytes()


def test_returned_nodes_can_be_installed(tree: Project) -> None:
    tree.write(
        "SConstruct",
        f"""\
        env = Environment(tools=['hlsl', 'install'], toolpath=[{str(TOOL_PATH)!r}])
        env.Install('game', env.HlslShaders('config/shaders', nodes='set'))
        """,
    )
    run = tree.scons("game")
    assert run.status == 0, run.out + run.err
    assert len(run.compiled) == 4
    assert len(list((tree.root / "game").iterdir())) == 4 * 4 + 2  # the check between stages, the manifest


def test_a_header_that_scons_makes(tree: Project) -> None:
    tree.write(
        "SConstruct",
        f"""\
        env = Environment(tools=['hlsl'], toolpath=[{str(TOOL_PATH)!r}])
        env.Command('shaders/include/gen.h', 'gen.in', Copy('$TARGET', '$SOURCE'))
        env.HlslShaders('config/shaders')
        Default('shaders')
        """,
    )
    lit(tree, '#include "gen.h"\n#include "c.h"\nint x = X;\n')
    tree.write("gen.in", "int a;\n")
    run = tree.scons()
    assert run.status == 0, run.out + run.err
    assert len(run.compiled) == 4
    assert tree.scons().compiled == []
    tree.write("gen.in", "int b;\n")
    assert len(tree.scons().compiled) == 4
    assert tree.scons().compiled == []


def test_a_file_in_the_place_of_the_output_folder(tree: Project) -> None:
    tree.write("build", "")
    run = tree.scons()
    assert run.status == 2
    assert "cannot write" in run.out + run.err
    assert "Traceback" not in run.out + run.err


def test_a_wrong_word(tree: Project) -> None:
    run = tree.scons("scons_nodes=many")
    assert run.status == 2
    assert "scons_nodes=many: it is one of auto, single, set" in run.err


# ---------------------------------------------------------------- the plan that is kept


def test_configurations_are_read_again_when_they_must_be(tree: Project) -> None:
    kept = list(tree.root.glob(".sconsign.hlsl_tool*"))
    assert kept == []
    tree.scons()
    (kept,) = tree.root.glob(".sconsign.hlsl_tool.????????")
    tree.write("config/shaders/more.yaml", "shaders: [{source: 'post/*.hlsl', profile: ps_6_0}]\n")
    tree.write("shaders/post/a.hlsl", "int x;\n")
    assert len(tree.scons().compiled) == 1, "a new configuration"
    tree.write("shaders/post/b.hlsl", "int x;\n")
    assert len(tree.scons().compiled) == 1, "a new source that a pattern matches"
    tree.write("config/shaders/defaults.yaml", "layout: dx\n")
    assert len(tree.scons().compiled) == 6, "a new file of defaults"
    (tree.root / "shaders/post/b.hlsl").unlink()
    assert tree.scons().summary == "shaders: 0 built, 5 up to date, 0 failed"
    kept.write_bytes(kept.read_bytes()[:-9])
    assert tree.scons().summary == "shaders: 0 built, 5 up to date, 0 failed"
    (tree.root / "shaders/lit/pbr.hlsl").unlink()
    run = tree.scons()
    assert run.status == 2
    assert "no such file: `shaders/lit/pbr.hlsl`" in run.err
