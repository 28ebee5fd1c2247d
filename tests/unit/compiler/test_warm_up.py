"""Shaders that a process compiles before it forks workers."""

from __future__ import annotations

import pytest

from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.loading import SAMPLES, warm_up
from hlsl_tool.spirv.tools import host


@pytest.mark.parametrize("profile", SAMPLES)
def test_the_shaders_compile_without_a_word(profile: str) -> None:
    result = compile_shader(SAMPLES[profile], profile=profile)
    assert result.ok and not result.diagnostics


def test_no_process_of_spirv_tools_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []
    monkeypatch.setattr(host, "close", lambda: closed.append(True))
    warm_up()
    assert closed == [True]
