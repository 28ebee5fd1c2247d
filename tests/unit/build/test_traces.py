"""Validity of dependency traces with case-insensitive includes.

If an included name differs from its file's name in case, the trace is valid while the name still finds that file.
"""

from __future__ import annotations

import pathlib

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.project.build.currency.traces import is_valid
from hlsl_tool.project.build.job import Job


@pytest.mark.parametrize(
    ("names", "is_same"),
    [(["X.h"], True), ([], True), (["other.h"], True), (["x.h"], False), (["X.h", "x.h"], False)],
)
def test_files_that_a_missing_name_may_mean(tmp_path: pathlib.Path, names: list[str], is_same: bool) -> None:
    for name in names:
        (tmp_path / name).touch()
    if len(list(tmp_path.iterdir())) != len(names):
        pytest.skip("the file system ignores case")
    digests = {"X.h": "digest"}
    for ignores_case in (True, False):
        job = Job("a", "a.hlsl", CompileOptions(case_insensitive_includes=ignores_case), {"spv": "a.spv"})
        assert is_valid(job, str(tmp_path), digests, ["X.H"], lambda name: digests.get(name, "")) is (
            is_same or not ignores_case
        )
