"""Stored results by shape key, a hash of all tokens but function bodies.

Bodies that are unchanged are not analysed again, and their diagnostics are reused.
"""

from __future__ import annotations

import pytest

from hlsl_tool.compiler.result import CompileResult
from tests.unit.compiler.test_reuse import World


def is_analysed_whole(result: CompileResult) -> bool:
    return "analyse" in result.watch.ms


@pytest.fixture
def world() -> World:
    found = World()
    assert is_analysed_whole(found.compile())
    return found


@pytest.mark.parametrize(
    ("old", "new", "whole"),
    [
        ("x * 3", "x * 3.5 + x", False),
        ("x * 3", "dot(albedo.Sample(linearly, x), sun.color)", False),
        ("x * 3;", "x * float2(3, 4);", True),  # a warning makes the compiler sort all diagnostics
        ("x * 3", "nonsense", True),
        ("x + 4", "x + 40", True),  # in a namespace
        ("a + 7", "a + 70", True),  # of a method
        ("float unreached(float x)", "float unreached(float2 x)", True),
        ("float unreached", "template<typename T> T more(T x) { return x; }\nfloat unreached", True),
        ("x * SCALE", "x + SCALE", True),
        ("struct Light", "#pragma pack_matrix(row_major)\nstruct Light", True),
    ],
)
def test_only_new_bodies_are_analysed(world: World, old: str, new: str, whole: bool) -> None:
    world.edit(old, new)
    assert is_analysed_whole(world.compile()) == whole


def test_a_template_is_no_body_of_its_own(world: World) -> None:
    """An error in the body of a template is reported after an edit, because its instances are analysed again.

    The diagnostics of a template depend on the arguments of its uses.
    """
    world.edit("float unreached", "template<typename T> T twice(T x) { return x + x; }\nfloat unreached")
    world.edit("x * 3", "twice(x)")
    world.compile()
    world.edit("return x + x", "return x + x.nothing")
    assert not world.compile().ok


def test_templates_that_a_new_body_instantiates_are_checked(world: World) -> None:
    world.edit("float unreached", "template<typename T> T field(T x) { return x.y; }\nfloat unreached")
    assert world.compile().ok
    world.edit("x * 3", "field(x)")
    assert not world.compile().ok


def test_warnings_of_unused_templates_are_not_reported(world: World) -> None:
    cut = "template<typename T> float cut(T x) { float narrow = float2(x, 1); return narrow; }\n"
    world.edit("float unreached", cut + "float unreached")
    assert len(world.compile().diagnostics) == 1
    world.edit("x * 3", "cut(x)")
    assert len(world.compile().diagnostics) == 2
    world.edit("cut(x)", "x * 3 + 1")
    assert len(world.compile().diagnostics) == 1


def test_messages_move_with_their_tokens(world: World) -> None:
    """A longer body moves the function after it, ``used``; the stored warning about ``used`` gets the new line."""
    [before] = world.compile().diagnostics
    world.edit("x * 3", "x\n * 3 + 1 +\n x")
    found = world.compile()
    [after] = found.diagnostics
    assert found.reused == "reach"
    assert not is_analysed_whole(found)
    assert before.location is not None
    assert after.location is not None
    assert after.location.line == before.location.line + 2


def test_one_edit_after_the_other(world: World) -> None:
    for number in range(3):
        world.edit("x * 3", f"x * 3 + {number}")
        found = world.compile()
        assert found.reused == "reach"
        assert not is_analysed_whole(found)
    world.edit("x + 4", "x + 40")
    found = world.compile()
    assert found.reused == "reach"
    assert is_analysed_whole(found)


def test_nonsense_under_the_key_is_a_miss(world: World) -> None:
    for text in (
        '{"messages": [], "bodies": "zz"}',
        '{"messages": [], "bodies": ""}',
        "[]",
        '{"messages": [{"code": "HLSL9999"}], "bodies": ""}',
    ):
        for key, (datum, spirv) in world.results.data.items():
            if "bodies" in datum:
                world.results.data[key] = text, spirv
        world.edit("x * 3", "x * 3 + 1")
        assert is_analysed_whole(world.compile())
