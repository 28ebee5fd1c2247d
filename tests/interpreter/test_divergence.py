"""Lanes that take different ways: masks, reconvergence, and values that are used after loops."""

from __future__ import annotations

import numpy as np

from tests.interpreter.shaders import run

HEADER = "RWStructuredBuffer<uint> o : register(u0);\n"


def outputs(body: str, count: int = 64, functions: str = "", **options: object) -> list[int]:
    """Return what each lane of a group stores: the body sets ``r``, given the lane's number ``i``."""
    main = f"void main(uint i : SV_GroupIndex) {{ uint r = 0; {body} o[i] = r; }}"
    source = f"{HEADER}{functions}[numthreads({count}, 1, 1)] {main}"
    return run(source, np.zeros(count, np.uint32), **options)[0].tolist()  # type: ignore[arg-type]


def test_a_value_of_the_last_iteration_is_used_after_the_loop() -> None:
    body = "uint n = 0; while (true) { uint square = n * n; r = square; if (n >= i) break; ++n; }"
    assert outputs(body) == [i * i for i in range(64)]


def test_nested_loops_with_continue_and_break() -> None:
    body = """
    for (uint a = 0; a < 8; ++a) {
        if ((a ^ i) & 1) continue;
        for (uint b = 0; b < a; ++b) { if (b == (i & 3)) break; r += b + 1; }
        if (r > 10) break;
    }"""
    expected = []
    for i in range(64):
        r = 0
        for a in range(8):
            if (a ^ i) & 1:
                continue
            for b in range(a):
                if b == i & 3:
                    break
                r += b + 1
            if r > 10:
                break
        expected.append(r)
    assert outputs(body) == expected


def test_a_switch_that_falls_through() -> None:
    body = "switch (i & 3) { case 0: r += 1; case 1: r += 10; break; case 3: r += 100; default: r += 1000; }"
    assert outputs(body, 8) == [11, 10, 1000, 1100] * 2


def test_lanes_return_from_functions_at_different_places() -> None:
    functions = "uint f(uint n) { for (uint k = 0; k < 10; ++k) { if (k * k > n) return k; } return 100 + n; }\n"
    expected = [next((k for k in range(10) if k * k > i), 100 + i) for i in range(128)]
    assert outputs("r = f(i);", 128, functions, optimize="none") == expected


def test_waves_count_the_lanes_that_execute() -> None:
    body = "if (i % 3 == 0) r = WaveActiveCountBits(true); else r = 100 + WaveActiveSum(1u);"
    counts = [sum(lane % 3 == 0 for lane in range(start, start + 32)) for start in (0, 32)]
    assert outputs(body) == [counts[i // 32] if i % 3 == 0 else 132 - counts[i // 32] for i in range(64)]


def test_lanes_meet_again_behind_a_branch() -> None:
    body = "if (i & 1) r = 1; for (uint k = 0; k < i; ++k) r += 2; r = WaveActiveCountBits(r < 1000);"
    assert outputs(body) == [32] * 64


def test_groups_that_run_together_have_their_own_shared_memory() -> None:
    source = """
    RWStructuredBuffer<uint> o : register(u0);
    groupshared uint total;
    [numthreads(4, 1, 1)] void main(uint3 g : SV_GroupID, uint i : SV_GroupIndex) {
        if (i == 0) total = g.x;
        GroupMemoryBarrierWithGroupSync();
        uint before; InterlockedAdd(total, 1, before);
        GroupMemoryBarrierWithGroupSync();
        o[g.x * 4 + i] = total * 100 + before;
    }"""
    (result,) = run(source, np.zeros(40, np.uint32), groups=(10, 1, 1))
    assert result.tolist() == [(g + 4) * 100 + g + i for g in range(10) for i in range(4)]
