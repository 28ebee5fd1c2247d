"""The stages before a stage, and the built-ins that they must write for it."""

from __future__ import annotations

import pytest

from hlsl_tool.reflection.linking.matching import match
from hlsl_tool.reflection.linking.order import earlier
from hlsl_tool.reflection.linking.stage_interfaces import StageInterface


@pytest.mark.parametrize(
    ("stage", "present", "stages"),
    [
        ("pixel", ["vertex", "pixel"], ["vertex"]),
        ("pixel", ["vertex", "geometry", "hull", "domain"], ["geometry", "domain", "hull", "vertex"]),
        ("pixel", ["mesh", "amplification"], ["mesh", "amplification"]),
        ("pixel", ["mesh", "vertex"], ["vertex"]),
        ("mesh", ["amplification", "mesh", "vertex"], ["amplification"]),
        ("domain", ["vertex", "hull", "geometry"], ["hull", "vertex"]),
        ("vertex", ["vertex", "pixel"], []),
        ("compute", ["vertex"], []),
    ],
)
def test_earlier_stages(stage: str, present: list[str], stages: list[str]) -> None:
    assert earlier(stage, present) == stages


@pytest.mark.parametrize(("producer", "is_missing"), [("vertex", False), ("geometry", True), ("mesh", True)])
def test_only_stages_that_make_primitives_have_to_number_them(producer: str, is_missing: bool) -> None:
    """A pixel shader that reads the primitive id needs a geometry or mesh stage before it to write the id.

    After other stages, the device itself numbers primitives.
    """
    pixel = StageInterface("pixel", "PSMain", builtins_read={"PrimitiveId": 1})
    problems = match(StageInterface(producer, "Main"), pixel)
    assert [problem.code.name for problem in problems] == ["stage-builtin-missing"] * is_missing
    assert match(StageInterface(producer, "Main", builtins_written={"PrimitiveId": 1}), pixel) == []


@pytest.mark.parametrize("name", ["ClipDistance", "CullDistance"])
def test_every_distance_that_is_read_has_to_be_written(name: str) -> None:
    pixel = StageInterface("pixel", "PSMain", builtins_read={name: 3})
    for written, is_missing in ((2, True), (3, False), (4, False)):
        producer = StageInterface("vertex", "VSMain", builtins_written={name: written})
        assert bool(match(producer, pixel)) is is_missing
