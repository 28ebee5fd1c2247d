"""The shape key: bodies that are not new are not analysed again, and nothing that analysis would say is lost."""

from __future__ import annotations

from typing import Any

import pytest

from hlsl_tool.compiler import compile as compiler
from tests.unit.compiler.test_reuse import World


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """What is done to make a result is in ``analysed``: ``all``, or the bodies that were looked at."""
    found = World()
    found.compile()
    found.analysed = []  # type: ignore[attr-defined]
    analyze, is_faultless, once = compiler.analyze, compiler.is_faultless, found.once
    log = found.analysed  # type: ignore[attr-defined]
    monkeypatch.setattr(compiler, "analyze", lambda *a, **k: (log.append("all"), analyze(*a, **k))[1])
    monkeypatch.setattr(compiler, "is_faultless", lambda unit, language, chunks, **k: (
        log.append(sorted(chunk.decls[0].name for chunk in chunks)), is_faultless(unit, language, chunks, **k))[1])

    def logged(results: Any) -> Any:
        before = len(log)
        result = once(results)
        if results is None:  # the clean compilation beside it
            del log[before:]
        return result

    found.once = logged  # type: ignore[method-assign]
    return found


@pytest.mark.parametrize(("old", "new", "analysed"), [
    ("x * 3", "x * 3.5 + x", [["unreached"]]),
    ("x * 3", "dot(albedo.Sample(linearly, x), sun.color)", [["unreached"]]),
    ("x * 3;", "x * float2(3, 4);", [["unreached"], "all"]),  # a warning: all there is to say is put in order
    ("x * 3", "nonsense", [["unreached"], "all"]),
    ("x + 4", "x + 40", ["all"]),  # in a namespace
    ("a + 7", "a + 70", ["all"]),  # of a method
    ("float unreached(float x)", "float unreached(float2 x)", ["all"]),
    ("float unreached", "template<typename T> T more(T x) { return x; }\nfloat unreached", ["all"]),
    ("x * SCALE", "x + SCALE", ["all"]),
    ("struct Light", "#pragma pack_matrix(row_major)\nstruct Light", ["all"]),
])  # fmt: skip
def test_only_new_bodies_are_analysed(world: World, old: str, new: str, analysed: list[object]) -> None:
    world.edit(old, new)
    world.compile()
    assert world.analysed == analysed  # type: ignore[attr-defined]


def test_a_template_is_no_body_of_its_own(world: World) -> None:
    """What there is to say of it depends on who uses it with which types."""
    world.edit("float unreached", "template<typename T> T twice(T x) { return x + x; }\nfloat unreached")
    world.edit("x * 3", "twice(x)")
    world.compile()
    world.edit("return x + x", "return x + x.nothing")
    assert not world.compile().ok


def test_what_is_built_for_a_new_body_is_looked_at(world: World) -> None:
    world.edit("float unreached", "template<typename T> T field(T x) { return x.y; }\nfloat unreached")
    assert world.compile().ok
    world.edit("x * 3", "field(x)")
    assert not world.compile().ok


def test_messages_move_with_their_tokens(world: World) -> None:
    """``used`` has a warning, behind the body that grows."""
    [before] = world.compile().diagnostics
    world.edit("x * 3", "x\n * 3 + 1 +\n x")
    found = world.compile()
    [after] = found.diagnostics
    assert found.reused == "reach"
    assert world.analysed == [["unreached"]]  # type: ignore[attr-defined]
    assert before.location is not None
    assert after.location is not None
    assert after.location.line == before.location.line + 2


def test_one_edit_after_the_other(world: World) -> None:
    for number in range(3):
        world.edit("x * 3", f"x * 3 + {number}")
        assert world.compile().reused == "reach"
    world.edit("x + 4", "x + 40")
    assert world.compile().reused == "reach"
    assert world.analysed == [["unreached"]] * 3 + ["all"]  # type: ignore[attr-defined]


def test_nonsense_under_the_key_is_a_miss(world: World) -> None:
    for text in ('{"messages": [], "bodies": "zz"}', '{"messages": [], "bodies": ""}', "[]",
                 '{"messages": [{"code": "HLSL9999"}], "bodies": ""}'):  # fmt: skip
        for key, (datum, spirv) in world.results.data.items():
            if "bodies" in datum:
                world.results.data[key] = text, spirv
        world.edit("x * 3", "x * 3 + 1")
        world.compile()
        assert world.analysed.pop() == "all"  # type: ignore[attr-defined]
