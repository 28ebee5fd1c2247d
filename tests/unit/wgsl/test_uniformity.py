"""Barriers: control flow that WGSL considers uniform, and values that need `workgroupUniformLoad`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hlsl_tool.wgsl import WgslError, convert

from . import random_flow
from .conversion import assemble, compile_hlsl

HEAD = """
groupshared uint count; groupshared uint counts[4]; groupshared struct { uint first; uint n[4]; } s;
RWStructuredBuffer<uint> o; StructuredBuffer<uint> i; cbuffer C { uint n; };
"""
INDEX = "`(LocalInvocationIndex|t)`"
"""Without optimisation the parameter is the reported cause."""


def converted(statements: str, folder: Path, options: tuple[str, ...] = ()) -> str:
    """Return the WGSL of a compute shader; ``t`` is the invocation's index, ``g`` that of the workgroup."""
    source = folder / "a.hlsl"
    parameters = "uint t : SV_GroupIndex, uint3 g : SV_GroupID, uint3 id : SV_DispatchThreadID"
    source.write_text(f"{HEAD}[numthreads(64, 1, 1)]\nvoid main({parameters}) {{\n{statements}\n}}\n")
    return convert(compile_hlsl(source, ["-T", "cs_6_0", "-E", "main", *options], folder))


@pytest.mark.parametrize(
    "statements",
    [
        "if (n > 3) GroupMemoryBarrierWithGroupSync();",
        "if (i[g.x] > 3) GroupMemoryBarrierWithGroupSync();",
        "for (uint k = 32; k > 0; k >>= 1) { if (t < k) o[t] += k; GroupMemoryBarrierWithGroupSync(); }",
        "for (uint k = 0; k < n; k++) { if (t == k) continue; o[t] += k; } GroupMemoryBarrierWithGroupSync();",
        "switch (n) { case 1: if (t > 3) break; o[t] = 1; } GroupMemoryBarrierWithGroupSync();",
        "uint k = t; k = n; if (k > 3) GroupMemoryBarrierWithGroupSync();",
    ],
)
def test_uniform_control_flow(statements: str, tmp_path: Path) -> None:
    for options in ((), ("-O0",)):
        text = converted(statements, tmp_path, options)
        assert "workgroupBarrier();" in text
        assert "workgroupUniformLoad" not in text


@pytest.mark.parametrize(
    ("statements", "cause"),
    [
        ("if (t > 3) GroupMemoryBarrierWithGroupSync();", INDEX),
        ("if (id.x >= n) return; GroupMemoryBarrierWithGroupSync();", "`(GlobalInvocationId|id)`"),
        ("if (o[0] > 3) GroupMemoryBarrierWithGroupSync();", "`o`, a buffer"),
        ("if (counts[t & 3] > 3) GroupMemoryBarrierWithGroupSync();", INDEX),
        ("if (t > 3) { if (count > 3) GroupMemoryBarrierWithGroupSync(); }", INDEX),
        ("for (uint k = 0; k < n; k++) { GroupMemoryBarrierWithGroupSync(); if (o[t] == k) break; }", INDEX),
        ("uint k = n; if (t > 2) k = 5; if (k > 3) GroupMemoryBarrierWithGroupSync();", INDEX),
    ],
)
def test_other_control_flow_is_an_error_with_the_reason(statements: str, cause: str, tmp_path: Path) -> None:
    for options in ((), ("-O0",)):
        with pytest.raises(WgslError, match="uniform control flow") as caught:
            converted(statements, tmp_path, ("-Zi", *options))
        assert re.search(f"depends on {cause}$", caught.value.reason)
        assert "OpControlBarrier" in caught.value.instruction
        assert "a.hlsl:6" in caught.value.place


@pytest.mark.parametrize(
    ("condition", "read"),
    [("count", "&count"), ("counts[n]", "&counts["), ("s.n[g.x]", "&s.n["), ("s.first", "&s.first")],
)
def test_values_read_from_groupshared_memory_are_declared_uniform(condition: str, read: str, tmp_path: Path) -> None:
    fill = f"if (t == 0) {condition} = n;\nInterlockedAdd(s.n[1], 1);\nGroupMemoryBarrierWithGroupSync();\n"
    loop = f"for (uint k = 0; k < {condition}; k++) {{ o[t] += k; GroupMemoryBarrierWithGroupSync(); }}"
    for options in ((), ("-O0",)):
        assert f"workgroupUniformLoad({read}" in converted(fill + loop, tmp_path, options)


def test_random_control_flow_with_barriers() -> None:
    """Each module is either converted or rejected."""
    refused = 0
    for seed in range(30):
        try:
            convert(assemble(random_flow.Generator(seed, barriers=True).module()))
        except WgslError as error:
            assert "uniform control flow" in error.reason
            refused += 1
    assert 0 < refused < 30
