"""SCons nodes of shaders: SCons skips those that are up to date, and examines the others."""

from __future__ import annotations

import time

import pytest

from tests.build.conftest import TOOL_PATH, Project
from tests.build.test_scons import lit

CURRENT = "shaders: 0 built, 4 up to date, 0 failed"
SPV = "build/shaders/lit/pbr.PSMain.SHADOWS=0.spv"


@pytest.fixture
def tree(project: Project) -> Project:
    project.write("config/defaults.yaml", "scons_nodes: single\n")
    lit(project)
    return project


def described(project: Project, text: str = "") -> None:
    """Write a SConstruct that contains ``text`` and prints the shader nodes that SCons examines."""
    tool = f"""\
import atexit
env = Environment(tools=['hlsl'], toolpath=[{str(TOOL_PATH)!r}])
nodes = env.HlslShaders('config/shaders')
env.Default('shaders')
"""
    asked = """
import SCons.Node
changed, seen = SCons.Node.Node.changed, set()
def noted(node, *more):
    seen.add(str(node))
    return changed(node, *more)
SCons.Node.Node.changed = noted
atexit.register(lambda: print('ASKED', *sorted(each for each in seen if each.endswith('.spv'))))
"""
    project.write("SConstruct", tool + text + asked)


def asked(out: str) -> list[str]:
    return out.partition("ASKED")[2].splitlines()[0].split()


def settled(project: Project, text: str = "") -> None:
    described(project, text)
    project.scons()
    project.scons()


def test_scons_is_asked_nothing_where_nothing_is_to_be_done(tree: Project) -> None:
    described(tree)
    first = tree.scons()
    assert len(asked(first.out)) == 4
    for _ in range(2):
        run = tree.scons()
        assert (run.status, run.compiled, run.summary, asked(run.out)) == (0, [], CURRENT, [])
        assert run.out.startswith("scons: `shaders' is up to date.\n")
    run = tree.scons("-q")
    assert (run.status, run.summary) == (0, "shaders: 4 up to date")
    assert tree.scons("-n").summary == ""


@pytest.mark.parametrize("what", ["header", "source", "output", "removed", "option", "new header"])
def test_everything_else_is_found(tree: Project, what: str) -> None:
    settled(tree)
    match what:
        case "header":
            tree.write("shaders/include/c.h", "#define X 2\n")
        case "source":
            tree.write("shaders/lit/pbr.hlsl", '#include "c.h"\nint y = X;\n')
        case "output":
            tree.write(SPV, b"nothing")
        case "removed":
            (tree.root / SPV).unlink()
        case "option":
            tree.write("config/defaults.yaml", "scons_nodes: single\nhlsl_version: 2018\n")
        case "new header":
            tree.write("shaders/lit/c.h", "#define X 3\n")
    built = 1 if what in ("output", "removed") else 4
    run = tree.scons("-q")
    assert (run.status, run.summary) == (1, "shaders: some are out of date")
    run = tree.scons()
    assert len(run.compiled) == built, run.out
    assert run.summary == f"shaders: {built} built, {4 - built} up to date, 0 failed"
    assert asked(tree.scons().out) == []


def test_a_target_that_is_named(tree: Project) -> None:
    settled(tree)
    run = tree.scons(SPV)
    assert f"scons: `{SPV}' is up to date." in run.out
    assert asked(run.out) == [SPV]


@pytest.mark.parametrize(
    "text",
    [
        "env.Depends(nodes[0], 'more.txt')",
        "env.Requires(nodes[0], env.Command('made.txt', 'more.txt', Copy('$TARGET', '$SOURCE')))",
        "env.AlwaysBuild(nodes[0])",
        "env.Ignore(nodes[0], nodes[0].sources[0])",
    ],
)
def test_nodes_that_a_sconscript_adds_are_built(tree: Project, text: str) -> None:
    tree.write("more.txt", "one\n")
    settled(tree, text)
    run = tree.scons()
    assert (run.compiled, run.summary) == ([], CURRENT)
    assert asked(run.out) == ["build/shaders/lit/pbr.VSMain.SHADOWS=0.spv"] or "Always" in text
    (tree.root / "made.txt").unlink(missing_ok=True)
    tree.write("more.txt", "two\n")
    assert tree.scons().summary == CURRENT
    assert "made.txt" not in text or (tree.root / "made.txt").read_text() == "two\n"


def test_files_of_others_that_no_shader_reads(tree: Project) -> None:
    settled(tree, "env.Command('other.txt', 'other.in', Copy('$TARGET', '$SOURCE'))\nenv.Default('other.txt')")
    tree.write("other.in", "1\n")
    tree.scons()
    tree.write("other.in", "2\n")
    run = tree.scons()
    assert (tree.root / "other.txt").read_text() == "2\n"
    assert (run.compiled, asked(run.out)) == ([], [])


@pytest.mark.parametrize("name", ["shaders/include/c.h", "shaders/lit/c.h"])
def test_files_of_others_that_shaders_read_or_look_for(tree: Project, name: str) -> None:
    settled(tree)
    tree.write("c.in", "#define X 5\n")
    described(tree, f"env.Command({name!r}, 'c.in', Copy('$TARGET', '$SOURCE'))")
    assert len(tree.scons().compiled) == 4
    for number in (6, 7):
        tree.write("c.in", f"#define X {number}\n")
        assert len(tree.scons().compiled) == 4
    assert tree.scons().compiled == []


@pytest.mark.parametrize("decider", ["content", "timestamp-match", "timestamp-newer", "content-timestamp"])
def test_a_copy_of_an_output_is_remade_with_it(tree: Project, decider: str) -> None:
    """A copy of an output is remade only when the output changes, whatever decider SCons uses."""
    text = f"""
env.Decider({decider!r})
copy = env.Command('copied.bin', nodes[0], Copy('$TARGET', '$SOURCE'))
env.Default(copy)
"""
    settled(tree, text)
    said = 'Copy("copied.bin"'
    assert said not in tree.scons().out
    if "timestamp" in decider:
        time.sleep(1.1)  # SCons compares whole seconds
    tree.write("shaders/include/c.h", "#define X 2\n#define Y 3\n")
    tree.write("shaders/lit/pbr.hlsl", '#include "c.h"\nint y = X + Y;\n')
    run = tree.scons()
    assert said in run.out
    assert (tree.root / "copied.bin").read_bytes() == (tree.root / str(SPV.replace("PSMain", "VSMain"))).read_bytes()
    for _ in range(3):
        assert said not in tree.scons().out


def test_built_by_the_command_line_or_as_a_set(tree: Project) -> None:
    described(tree)
    tree.tool("build")
    tree.scons("scons_nodes=set")
    run = tree.scons()
    assert (run.compiled, run.summary) == ([], CURRENT)
    tree.write("shaders/include/c.h", "#define X 2\n")
    assert len(tree.scons().compiled) == 4


def test_another_call_for_the_same_folder(tree: Project) -> None:
    settled(tree)
    tree.write("b.hlsl", "int b;\n")
    described(tree, "env.Default(env.HlslShader('b.hlsl', profile='ps_6_0', outputs=['spv']))")
    run = tree.scons()
    assert run.summary == "shaders: 1 built, 4 up to date, 0 failed"
    tree.write("b.hlsl", "int c;\n")
    assert tree.scons().compiled == ["b.hlsl:main"]
