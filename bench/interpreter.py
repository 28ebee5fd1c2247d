"""Measure the speed of the interpreter: lane-instructions a second, by the number of lanes.

``python bench/interpreter.py [--lanes N …] [--rounds N]`` runs kernels of typical instructions: arithmetic on scalars
and vectors, branches that lanes take differently, loads and stores, sampling.  An instruction of SPIR-V that N lanes
execute counts as N lane-instructions.  CPU time of one core, the best of the rounds.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.interpreter import FORMATS, Buffer, Image, Program, Resources, Sampler, Settings, dispatch

HEADER = """
RWStructuredBuffer<float> o : register(u0);
StructuredBuffer<float4> s : register(t1);
Texture2D<float4> t : register(t2);
SamplerState linear_clamp : register(s3);
[numthreads(64, 1, 1)] void main(uint i : SV_DispatchThreadID) {
    float x = o[i]; float4 v = s[i];
"""
KERNELS = {
    "scalars": "for (uint n = 0; n < 64; ++n) { x = x * 1.5 + 0.25; x = x - floor(x) + n * x; }",
    "vectors": "for (uint n = 0; n < 64; ++n) { v = v * 1.5 + 0.25; v.xyz += dot(v, v) * v.zxy; } x = v.x;",
    "functions": "for (uint n = 0; n < 64; ++n) { x = sin(x) + exp2(-x * x) + sqrt(abs(x)); }",
    "branches": "for (uint n = 0; n < (i & 63); ++n) { if (x > 0.5) x = x * 0.5 + 0.1; else x = x * 3 - n; }",
    "memory": "for (uint n = 0; n < 64; ++n) { v += s[(i * 7 + n) & 1023]; o[i] = v.x; } x = v.y;",
    "sampling": "for (uint n = 0; n < 16; ++n) { v += t.SampleLevel(linear_clamp, v.xy, 0); } x = v.z;",
}


class Counter:
    """An observer that counts lane-instructions."""

    def __init__(self) -> None:
        self.count = 0

    def step(self, state: Any, registers: Any) -> None:
        self.count += state.mask.count

    def access(self, state: Any, access: Any) -> None:
        """Ignore accesses to memory."""


def resources(lanes: int) -> Resources:
    """Return the same random numbers for every run."""
    rng = np.random.default_rng(0)
    texels = rng.random((64, 64, 4), np.float32)
    return Resources(
        {
            (0, 0): [Buffer(rng.random(lanes, np.float32))],
            (0, 1): [Buffer(rng.random(4 * max(lanes, 1024), np.float32))],
            (0, 2): [Image(FORMATS["Rgba32f"], (64, 64, 1), texels)],
            (0, 3): [Sampler("linear", "linear")],
        }
    )


def main() -> None:
    """Print a table: a row for each kernel, a column for each number of lanes, in millions a second."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lanes", type=int, nargs="*", default=[64, 1024, 8192])
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print("million lane-instructions/s", *(f"{lanes:>8}" for lanes in given.lanes))
    for name, body in KERNELS.items():
        options = CompileOptions(target_env="vulkan1.1")
        result = compile_shader(f"{HEADER}{body} o[i] = x; }}", entry="main", profile="cs_6_0", options=options)
        program = Program(result.spirv)
        row = []
        for lanes in given.lanes:
            counter = Counter()
            dispatch(program, (lanes // 64, 1, 1), resources(lanes), Settings(observer=counter))
            times = []
            for _ in range(given.rounds):
                bound = resources(lanes)
                start = time.process_time()
                dispatch(program, (lanes // 64, 1, 1), bound)
                times.append(time.process_time() - start)
            row.append(counter.count / min(times) / 1e6)
        print(f"{name:<27}", *(f"{speed:8.1f}" for speed in row))


if __name__ == "__main__":
    main()
