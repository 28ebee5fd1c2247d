"""The sanitizer: messages with values, calls and threads; correct shaders without findings; levels of checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hlsl_tool.interpreter import FORMATS, Buffer, Finding, Image, Resources, Sanitizer, Settings, dispatch
from hlsl_tool.interpreter.observers.kinds import GROUPS, LEVELS, chosen
from tests.interpreter.shaders import program, run

SHADER = """
RWStructuredBuffer<float> o : register(u0);
RWStructuredBuffer<int> n : register(u1);
groupshared float shared_values[4];
groupshared int counter;
struct Pair { float a; float b; };
float inverse(float x) {
    return 1 / x;
}
Pair half_filled(float x) { Pair p; p.a = x; return p; }
[numthreads(4, 1, 1)] void main(uint3 i : SV_DispatchThreadID, uint l : SV_GroupIndex, uint3 g : SV_GroupID) {
    float local[2] = { 1, 2 };
    %s
}
"""


def findings(statement: str, check: str = "strict", groups: int = 1, **options: Any) -> list[Finding]:
    sanitizer = Sanitizer(check)
    arrays = [np.zeros(4 * groups, np.float32), np.ones(4 * groups, np.int32)]
    chosen_options = {"debug": ("vulkan",), "optimize": "none"} | options
    run(SHADER % statement, *arrays, groups=(groups, 1, 1), settings=Settings(observer=sanitizer), **chosen_options)
    return sanitizer.findings


MESSAGES = [
    ("o[i.x] = o[i.x + 2];", "13:14: error: reads byte 16 of `o[…]`, which has 16 bytes"
     " (thread (2, 0, 0) of group (0, 0, 0)) [HLSL1900]"),
    ("o[i.x] = o[int(i.x) - 2];", "13:14: error: reads byte -8 of `o[…]`, which has 16 bytes"
     " (thread (0, 0, 0) of group (0, 0, 0)) [HLSL1900]"),
    ("InterlockedAdd(n[i.x + 3], 1);", "13:5: error: changes byte 16 of `n[…]`, which has 16 bytes"
     " (thread (1, 0, 0) of group (0, 0, 0)) [HLSL1901]"),
    ("o[i.x] = local[i.x];", "13:14: error: the index 2 is outside of `local`, which has 2 elements"
     " (thread (2, 0, 0) of group (0, 0, 0)) [HLSL1903]"),
    ("n[i.x] = 7 / (n[i.x] - 1);", "13:14: error: divides 7 by zero"
     " (thread (0, 0, 0) of group (0, 0, 0)) [HLSL1915]"),
    ("n[i.x] = (int)((i.x + 1) * 1e9);", "13:20: error: converts 3000000000.0 to an integer from -2147483648 to"
     " 2147483647 (thread (2, 0, 0) of group (0, 0, 0)) [HLSL1919]"),
    ("o[i.x] = sqrt(o[i.x] - 1);", "13:14: error: sqrt of -1.0 is NaN"
     " (thread (0, 0, 0) of group (0, 0, 0)) [HLSL1920]"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "message"), MESSAGES)
def test_messages_have_values_and_threads(statement: str, message: str) -> None:
    (finding,) = findings(statement)
    assert str(finding) == f"shader.hlsl:{message}"


RAW = """
RWByteAddressBuffer o : register(u0);
[numthreads(4, 1, 1)] void main(uint3 i : SV_DispatchThreadID) {
    %s
}
"""


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("o.Store(i.x * 4, o.Load<float4>(i.x * 4));", "HLSL1900"),
        ("o.Store(i.x * 4, double(1));", "HLSL1907"),
        ("o.Store(i.x, 1.5);", "HLSL1907"),
        ("o.InterlockedAdd64(i.x * 4, 1);", "HLSL1907"),
    ],
)
def test_untyped_pointers_are_checked(statement: str, code: str) -> None:
    sanitizer = Sanitizer("strict")
    options: dict[str, Any] = {"optimize": "none", "debug": ("line",), "extensions": ("SPV_KHR_untyped_pointers",)}
    settings = Settings(observer=sanitizer)
    run(RAW % statement, np.zeros(4, np.float32), groups=(1, 1, 1), settings=settings, **options)
    assert any(f"[{code}]" in str(finding) for finding in sanitizer.findings)
    assert {finding.position.line for finding in sanitizer.findings if finding.position} == {4}


@pytest.mark.parametrize(
    ("inlines", "debug", "column"),
    [(False, "vulkan", 12), (True, "vulkan", 12), (False, "rich", 14), (True, "rich", 14)],
)
def test_calls_are_notes(inlines: bool, debug: str, column: int) -> None:
    optimize = "performance" if inlines else "none"
    (finding,) = findings("o[i.x] = inverse(i.x);", optimize=optimize, debug=(debug,))
    assert finding.calls == ("inverse", "main")
    place = "13" if inlines else "13:14"
    assert str(finding).splitlines() == [
        f"shader.hlsl:8:{column}: error: `/` of 1.0, 0.0 is infinite (thread (0, 0, 0) of group (0, 0, 0)) [HLSL1921]",
        f"shader.hlsl:{place}: note: `inverse` is called by `main` here",
    ]


def test_a_race_names_both_places_and_threads() -> None:
    (finding,) = findings("shared_values[l] = i.x; o[i.x] = shared_values[3 - l];", groups=2)
    assert str(finding).splitlines() == [
        "shader.hlsl:13:38: error: reads `shared_values[…]` without synchronisation: thread (3, 0, 0) of group"
        " (0, 0, 0) writes it, too (thread (0, 0, 0) of group (0, 0, 0)) [HLSL1911]",
        "shader.hlsl:13:5: note: thread (3, 0, 0) of group (0, 0, 0) writes it here",
    ]


def test_a_barrier_for_other_memory_is_a_hint() -> None:
    (finding,) = findings("n[i.x] = l; GroupMemoryBarrierWithGroupSync(); o[i.x] = n[i.x ^ 1];")
    assert finding.hint == "the barrier between them does not order this memory: DeviceMemoryBarrierWithGroupSync()"


PARTIAL = """
RWStructuredBuffer<float4> o : register(u0);
groupshared float4 v[4];
[numthreads(8, 1, 1)] void main(uint l : SV_GroupIndex) {
    if (l & 1) %s[l / 2].xy = 1; else %s[l / 2].zw = 2;
    AllMemoryBarrierWithGroupSync();
    if (!(l & 1)) o[l / 2] = %s[l / 2] + 1;
}
"""


@pytest.mark.parametrize("optimize", ["none", "performance"])
def test_writes_of_several_components_touch_the_whole_vector_of_a_buffer(optimize: str) -> None:
    sanitizer = Sanitizer("races")
    source = PARTIAL.replace("%s", "o")
    run(source, np.zeros((4, 4), np.float32), settings=Settings(observer=sanitizer), optimize=optimize)
    hints = {finding.hint for finding in sanitizer.findings}
    assert hints == {
        "a write of several components reads and writes the whole vector in SPIR-V; write them one by one if other"
        " threads write the others"
    }


@pytest.mark.parametrize("optimize", ["none", "performance"])
def test_writes_of_several_components_leave_the_others_in_shared_memory(optimize: str) -> None:
    sanitizer = Sanitizer()
    source = PARTIAL.replace("%s", "v")
    (out,) = run(source, np.zeros((4, 4), np.float32), settings=Settings(observer=sanitizer), optimize=optimize)
    assert sanitizer.findings == []
    assert out.reshape(4, 4).tolist() == [[2, 2, 3, 3]] * 4


CORRECT = {
    "guards": "if (i.x != 0) { o[i.x] = inverse(i.x); n[i.x] = 8 / n[i.x]; } o[i.x] += local[i.x & 1];",
    "barrier": "shared_values[l] = 1; GroupMemoryBarrierWithGroupSync(); o[i.x] = shared_values[3 - l];",
    "two phases": "for (uint k = 0; k < 3; ++k) { shared_values[l] = k; GroupMemoryBarrierWithGroupSync();"
    " o[i.x] += shared_values[3 - l]; GroupMemoryBarrierWithGroupSync(); }",
    "atomics": "if (l == 0) counter = 0; GroupMemoryBarrierWithGroupSync(); InterlockedAdd(counter, 1);"
    " GroupMemoryBarrierWithGroupSync(); n[i.x] = counter;",
    "equal writes": "if (i.x > 1) n[0] = 7; if (l == 2) counter = 1;",
    "half a struct": "Pair p = half_filled(i.x); Pair q = p; o[i.x] = q.a;",
    "a loop's variable": "float x; for (uint k = 0; k < 3; ++k) { if (k == 0) x = 2; o[i.x] = x; }",
    "groups that leave loops": "for (uint k = 0; k < g.x; ++k) GroupMemoryBarrierWithGroupSync(); o[i.x] = 1;",
    "out parameters": "float s, c; sincos(i.x, s, c); float w; o[i.x] = modf(s + 1, w) + w + c;",
}


@pytest.mark.parametrize("statement", CORRECT.values(), ids=CORRECT)
@pytest.mark.parametrize("optimize", ["none", "performance"])
def test_correct_shaders_have_no_findings(statement: str, optimize: str) -> None:
    assert findings(statement, groups=3, optimize=optimize) == []


BETWEEN = """
%s RWStructuredBuffer<uint> n : register(u0);
RWStructuredBuffer<uint> o : register(u1);
groupshared uint last;
[numthreads(4, 1, 1)] void main(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex) {
    %s
}
"""
FENCE_BEFORE_BARRIER = "n[i] = l; DeviceMemoryBarrier(); GroupMemoryBarrierWithGroupSync(); o[i] = n[i ^ 3];"
FENCE_BEFORE_WRITE = "DeviceMemoryBarrier(); n[i] = l; GroupMemoryBarrierWithGroupSync(); o[i] = n[i ^ 3];"
LAST_GROUP = """
    n[i + 1] = i;
    GroupMemoryBarrierWithGroupSync();
    if (l == 0) InterlockedAdd(n[0], 1, last);
    GroupMemoryBarrierWithGroupSync();
    if (last == 1) {
        o[i] = n[1 + (l ^ 3)] + n[5 + (l ^ 3)];
        if (l == 0) n[0] = 0;
    }
"""


@pytest.mark.parametrize(
    ("qualifier", "statement", "count"),
    [
        ("", FENCE_BEFORE_BARRIER, 0),
        ("", FENCE_BEFORE_WRITE, 1),
        ("globallycoherent", LAST_GROUP, 0),
        ("", LAST_GROUP, 3),
    ],
    ids=["fence before the barrier", "fence before the write", "coherent", "not coherent"],
)
def test_fences_and_coherent_memory_order_accesses(qualifier: str, statement: str, count: int) -> None:
    sanitizer = Sanitizer()
    arrays = np.zeros(9, np.uint32), np.zeros(8, np.uint32)
    run(BETWEEN % (qualifier, statement), *arrays, groups=(2, 1, 1), settings=Settings(observer=sanitizer))
    assert [finding.kind for finding in sanitizer.findings] == ["race"] * count


def test_levels_leave_out_what_direct3d_defines() -> None:
    statement = "o[i.x + 3] = inverse(i.x); n[i.x] = 1 / (n[i.x] - 1);"
    assert [finding.kind for finding in findings(statement, "d3d")] == ["division-by-zero"]
    assert [finding.kind for finding in findings(statement, "floats,write-outside")] == ["infinity", "write-outside"]
    assert len(findings(statement, "strict")) == 3


def test_names_of_checks() -> None:
    assert chosen("d3d, nan") == LEVELS["d3d"] | {"nan"}
    assert chosen("strict") == {code.name for codes in GROUPS.values() for code in codes}
    with pytest.raises(ValueError, match="there is no check `rates`"):
        chosen("races,rates")


def test_a_second_dispatch_is_no_race() -> None:
    sanitizer = Sanitizer()
    chosen_program = program(SHADER % "o[7 - i.x] = o[7 - i.x] + g.x;")
    buffers = [Buffer(np.zeros(8, np.float32)), Buffer(np.ones(8, np.int32))]
    resources = Resources({(0, number): [buffer] for number, buffer in enumerate(buffers)})
    for _ in range(2):
        dispatch(chosen_program, (2, 1, 1), resources, Settings(observer=sanitizer))
    assert sanitizer.findings == []


POINTER = """
StructuredBuffer<uint> source : register(t0);
RWTexture2D<uint> counters : register(u1);
uint64_t address;
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    vk::RawBufferStore<uint>(address + i * 4, source[i]);
    InterlockedAdd(counters[uint2(i, 0)], 1);
}
"""


def test_writes_to_what_is_read_only_and_atomics_on_other_formats() -> None:
    source, image = Buffer(np.zeros(4, np.uint32)), Image(FORMATS["R16ui"], (4, 1, 1))
    resources = Resources({(0, 0): [source], (0, 1): [image]})
    constants = Buffer(np.array([source.address], np.uint64))
    resources = Resources({**resources.bindings, (0, 2): [constants]}, space=resources.space)
    sanitizer = Sanitizer()
    chosen_program = program(POINTER, bind_globals=(2, 0), debug=("line",), optimize="none")
    dispatch(chosen_program, (1, 1, 1), resources, Settings(observer=sanitizer))
    found = [(finding.code.id, finding.message) for finding in sanitizer.findings]
    assert found == [
        ("HLSL1906", "writes `source`, which is read-only"),
        ("HLSL1908", "an atomic of 32 bits needs texels of one number with as many bits; those of `counters` are"
         " R16ui"),
    ]  # fmt: skip
