"""Damaged SPIR-V modules end with one of our errors, or are converted; `mutate_wgsl.py` runs more mutations."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.properties import mutate_wgsl
from tests.unit.wgsl import random_flow
from tests.unit.wgsl.conversion import assemble, compile_hlsl

pytestmark = pytest.mark.skipif(not shutil.which("spirv-val"), reason="spirv-val is not on PATH")

SHADER = """
Texture2D t[3]; SamplerState s; RWStructuredBuffer<float4> o; groupshared uint count;
cbuffer C { row_major float3x3 m; float4 v[4]; uint n; };
[numthreads(8, 8, 1)] void main(uint3 id : SV_DispatchThreadID, uint i : SV_GroupIndex) {
  if (i == 0) count = n;
  GroupMemoryBarrierWithGroupSync();
  float4 sum = 0;
  for (uint k = 0; k < count; k++) {
    switch (id.x & 3) { case 0: sum += v[k & 3]; break; case 1: sum.xyz += mul(m, sum.xyz); default: sum *= 2; }
    sum += t[k % 3].SampleLevel(s, sum.xy, 0);
  }
  o[id.x] = sum;
}
"""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    folder = tmp_path_factory.mktemp("modules")
    source = folder / "a.hlsl"
    source.write_text(SHADER)
    compiled: Callable[..., bytes] = lambda *options: compile_hlsl(  # noqa: E731
        source, ["-T", "cs_6_0", "-E", "main", *options], folder
    )
    return [compiled(), compiled("-O0"), compiled("-Zi"), *(assemble(random_flow.module(seed)) for seed in range(3))]


@pytest.mark.parametrize("validate", [True, False])
def test_damaged_modules(modules: list[bytes], validate: bool) -> None:
    kinds = set()
    for number in range(200 if validate else 600):
        kind, text = mutate_wgsl.judge(mutate_wgsl.mutation(modules, 7, number), validate=validate)
        assert kind in ("ok", "invalid", "refused"), f"{number}: {text}"
        kinds.add(kind)
    assert {"ok", "invalid"} <= kinds


def test_a_mutation_is_the_same_again(modules: list[bytes]) -> None:
    assert all(mutate_wgsl.mutation(modules, 1, n) == mutate_wgsl.mutation(modules, 1, n) for n in range(40))
