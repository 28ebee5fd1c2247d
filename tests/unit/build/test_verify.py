"""`--verify-cache` compares every part of a result except times and keys."""

from __future__ import annotations

import pytest

from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.project.build.outputs.render import JobResult, message
from hlsl_tool.project.build.store.verify import difference, sampled

RESULT = JobResult(
    {"spv": b"words", "reflection": b"{}"}, [], {"a.hlsl": "1"}, ["b.hlsl"], interface={"stage": "vertex"}, seconds=1.0
)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({}, ""),
        ({"seconds": 2.0, "key": "k", "reused": "files"}, ""),
        ({"outputs": {"spv": b"other", "reflection": b"{}"}}, "spv"),
        ({"outputs": {"spv": b"words"}}, "reflection"),
        ({"outputs": {"spv": b"words", "reflection": b"{}", "dep": b""}}, "outputs"),
        ({"diagnostics": [message(codes.TOOLCHAIN_CHANGED, None)]}, "messages"),
        ({"interface": {"stage": "pixel"}}, "interface"),
        ({"interface": None}, ""),
        ({"files": {"a.hlsl": "2"}}, "files"),
        ({"missing": []}, "files"),
    ],
)
def test_differences(changes: dict[str, object], part: str) -> None:
    assert difference(RESULT, replace(RESULT, **changes)) == part


@pytest.mark.parametrize(
    ("key", "part", "is_sampled"),
    [("00000000ff", 0.0, False), ("00000000ff", 0.01, True), ("7fffffff00", 0.5, True), ("8000000000", 0.5, False),
     ("ffffffffff", 1.0, True)],
)  # fmt: skip
def test_shares_of_keys(key: str, part: float, is_sampled: bool) -> None:
    assert sampled(key, part) is is_sampled
