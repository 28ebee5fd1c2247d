"""Wave and quad operations for all of their types, and derivatives in compute shaders."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise

import pytest

from tests.execute.tables import Number, Runner, as_floats, as_ints, as_words, shape
from tests.execute.vulkan import storage

THREADS = 8

TYPES: dict[str, tuple[str, str]] = {
    "float": ("float(t % 3 + 1)", ""),
    "int": ("int(t % 5) - 2", ""),
    "uint": ("(t * 5 + 1)", ""),
    "float16_t": ("float16_t(t % 3 + 1)", "shaderFloat16"),
    "int16_t": ("int16_t(int(t % 5) - 2)", "shaderInt16"),
    "uint16_t": ("uint16_t(t * 5 + 1)", "shaderInt16"),
    "double": ("double(t % 3 + 1)", "shaderFloat64"),
    "int64_t": ("(int64_t(t % 5) - 2) * 4294967296", "shaderInt64"),
    "uint64_t": ("uint64_t(t * 5 + 1) * 4294967297", "shaderInt64"),
}
"""Element → (value of thread ``t``, device feature that it needs)."""


def value(element: str, t: int) -> Number:
    if element in ("float", "float16_t", "double"):
        return float(t % 3 + 1)
    if element.startswith("u"):
        return (t * 5 + 1) * (4294967297 if element == "uint64_t" else 1)
    return (t % 5 - 2) * (4294967296 if element == "int64_t" else 1)


Model = Callable[[Sequence[Number], int], Number]
"""(values of all lanes, a lane) → that lane's result"""


def folded(function: Callable[[Number, Number], Number], *, before: bool = False) -> Model:
    start: Number = 1 if function is operator.mul else 0
    return lambda wave, lane: reduce(function, wave[:lane], start) if before else reduce(function, wave)


NUMBERS: dict[str, Model] = {
    "WaveActiveSum": folded(operator.add),
    "WaveActiveProduct": folded(operator.mul),
    "WaveActiveMin": folded(min),
    "WaveActiveMax": folded(max),
    "WavePrefixSum": folded(operator.add, before=True),
    "WavePrefixProduct": folded(operator.mul, before=True),
}
MOVES: dict[str, Model] = {
    "WaveReadLaneFirst": lambda wave, lane: wave[0],
    "QuadReadAcrossX": lambda wave, lane: wave[lane ^ 1],
    "QuadReadAcrossY": lambda wave, lane: wave[lane ^ 2],
    "QuadReadAcrossDiagonal": lambda wave, lane: wave[lane ^ 3],
}
BITS: dict[str, Model] = {
    "WaveActiveBitAnd": folded(operator.and_),
    "WaveActiveBitOr": folded(operator.or_),
    "WaveActiveBitXor": folded(operator.xor),
}


def lanes(wave: Sequence[Number], size: int, t: int, model: Model) -> Number:
    """Return the result of thread ``t`` if the threads form waves of ``size`` lanes.

    ``model`` computes it from the values in the thread's wave and the thread's lane.
    """
    first = t // size * size
    return model(wave[first : first + size], t - first)


GROUPS = {"numbers": NUMBERS, "moves": MOVES, "bits": BITS}
"""Sums and moves are in shaders of their own: lavapipe (Mesa 25.0) refuses a shader with both."""

CASES = [
    *((group, element, size) for group in ("numbers", "moves") for element in TYPES for size in ("2", "2x3")),
    *(("numbers", element, "") for element in ("float", "int64_t")),
    *(("bits", element, size) for element in ("uint", "uint64_t") for size in ("", "3")),
]
"""Bits are those of unsigned numbers of 32 and 64 bits."""


def step(element: str, component: int) -> int:
    """Return the difference between the values of a component and those of the first component of a vector or matrix.

    It is small enough that products are exact in half precision.
    """
    return component % 2 if element == "float16_t" else component


@pytest.mark.parametrize(("group", "element", "dimensions"), CASES)
def test_types(run: Runner, group: str, element: str, dimensions: str) -> None:
    """All operations work on a type: vectors by component, matrices by row."""
    models = GROUPS[group]
    expression, needed = TYPES[element]
    run.needs("subgroupArithmetic", "subgroupBallot", "subgroupQuad", *([needed] if needed else []))
    kind = shape(element + dimensions)
    parts = kind.rows * kind.cols
    picks = [f"[{i // 3}][{i % 3}]" if kind.matrix else f"[{i}]" if parts > 1 else "" for i in range(parts)]
    names = list(models)
    lines = [f"{element}{dimensions} v = ({element}{dimensions})({expression});"]
    lines += [f"v{pick} += ({element}){step(element, i)};" for i, pick in enumerate(picks)]
    for number, name in enumerate(names):
        lines.append(f"{element}{dimensions} r{number} = {name}(v);")
        for i, pick in enumerate(picks):
            one = f"r{number}{pick}"
            at = f"(t * {len(names)} + {number}) * {parts} + {i}"
            wide = "asuint(x, a, b)" if element == "double" else "a = uint(x); b = uint(x >> 32)"
            if element in ("float", "float16_t"):
                wide = f"a = asuint(float({one})); b = 0"
            elif not kind.wide:
                wide = f"a = uint({one}); b = 0"
            lines.append(f"{{ {element} x = {one}; uint a, b; {wide}; o[{at}] = uint2(a, b); }}")
    body = "\n    ".join(lines)
    source = f"""
RWStructuredBuffer<uint2> o : register(u0);
RWStructuredBuffer<uint> size : register(u1);
[numthreads({THREADS}, 1, 1)] void main(uint t : SV_GroupIndex) {{
    size[0] = WaveGetLaneCount();
    {body}
}}"""
    resources = {(0, 0): storage(8 * THREADS * len(names) * parts), (0, 1): storage(4)}
    out = run(source, resources, profile="cs_6_2", enable_16bit_types="16" in element)
    count = min(as_words(out[0, 1])[0], THREADS)
    wrong = []
    for t in range(THREADS):
        for number, name in enumerate(names):
            for i in range(parts):
                wave = [value(element, k) + step(element, i) for k in range(THREADS)]
                wanted = lanes(wave, count, t, models[name])
                at = 8 * ((t * len(names) + number) * parts + i)
                got = out[0, 0][at : at + 8]
                if got != packed(element, wanted):
                    wrong.append(f"{name}({element}{dimensions}) component {i}, thread {t}: {got!r}, wanted {wanted}")
    assert not wrong, "\n".join(wrong[:20])


def packed(element: str, number: Number) -> bytes:
    if element in ("float", "float16_t"):
        return shape("float").pack(float(number)) + bytes(4)
    if element == "double":
        return shape("double").pack(float(number))
    bits = 64 if "64" in element else 16 if "16" in element else 32
    number = int(number) & ((1 << bits) - 1)
    if element == "int16_t" and number >> 15:
        number |= 0xFFFF0000
    return number.to_bytes(8, "little")


def test_booleans(run: Runner) -> None:
    """Votes are taken for each component; operations that only move values accept ``bool``."""
    run.needs("subgroupVote", "subgroupBallot", "subgroupQuad")
    source = """
RWStructuredBuffer<uint4> o : register(u0);
[numthreads(4, 1, 1)] void main(uint t : SV_GroupIndex) {
    bool3 v = bool3(t == 1, t < 9, t & 1);
    bool3 x = QuadReadAcrossX(v), f = WaveReadLaneFirst(v), e = WaveActiveAllEqual(v);
    bool a = WaveActiveAnyTrue(v.x), l = WaveActiveAllTrue(v.y);
    o[t] = uint4(x.x | x.y << 1 | x.z << 2, f.x | f.y << 1 | f.z << 2, e.x | e.y << 1 | e.z << 2, a | l << 1);
}"""
    out = as_words(run(source, {(0, 0): storage(64)})[0, 0])
    for t in range(4):
        other = t ^ 1
        assert out[4 * t] == (other == 1) | 2 | (other & 1) << 2
        assert out[4 * t + 1 : 4 * t + 4] == (2, 2, 3)


VOTES = [0b0000, 0b0001, 0b1000, 0b0110, 0b0111, 0b1111]


@pytest.mark.parametrize("env", ["vulkan1.1", "vulkan1.3"])
@pytest.mark.parametrize("function", ["QuadAny", "QuadAll"])
def test_quad_votes(run: Runner, function: str, env: str) -> None:
    """A mask has a bit for each lane of a quad; uses SPV_KHR_quad_control if the device has it."""
    run.needs("subgroupQuad", *(["shaderQuadControl"] if env == "vulkan1.3" else []))
    source = f"""
StructuredBuffer<uint> masks : register(t0);
RWStructuredBuffer<int> o : register(u1);
[numthreads(4, 1, 1)] void main(uint t : SV_GroupIndex) {{
    for (uint i = 0; i < {len(VOTES)}; ++i) o[i * 4 + t] = {function}((masks[i] >> t) & 1);
}}"""
    given = storage(b"".join(m.to_bytes(4, "little") for m in VOTES))
    extensions = () if env == "vulkan1.3" else ("SPV_KHR_compute_shader_derivatives",)
    out = as_ints(
        run(source, {(0, 0): given, (0, 1): storage(16 * len(VOTES))}, target_env=env, extensions=extensions)[0, 1]
    )
    wanted = [int(m != 0 if function == "QuadAny" else m == 15) for m in VOTES for _ in range(4)]
    assert list(out) == wanted


@pytest.mark.parametrize("group", [(8, 1, 1), (4, 4, 1), (2, 2, 2)])
def test_derivatives_in_compute(run: Runner, group: tuple[int, int, int]) -> None:
    """Derivatives are differences within quads: four in a row in one-dimensional groups, else two by two."""
    x, y, z = group
    run.needs("computeDerivativeGroupLinear" if y == 1 else "computeDerivativeGroupQuads")
    source = f"""
RWStructuredBuffer<float4> o : register(u0);
[numthreads{group}] void main(uint3 at : SV_GroupThreadID, uint t : SV_GroupIndex) {{
    float v = at.x * at.x + 100 * at.y * at.y + 10000 * at.z + (at.x & at.y) * 7;
    o[t] = float4(ddx_fine(v), ddy_fine(v), ddx_coarse(v), fwidth(v));
}}"""
    count = x * y * z
    out = as_floats(run(source, {(0, 0): storage(16 * count)}, target_env="vulkan1.3", profile="cs_6_6")[0, 0])

    def v(i: int, j: int, k: int) -> float:
        return i * i + 100 * j * j + 10000 * k + (i & j) * 7

    for t in range(count):
        i, j, k = t % x, t // x % y, t // x // y
        if y == 1:  # lanes 0 1 over 2 3
            quad = t // 4 * 4
            top, bottom = (v(quad, 0, 0), v(quad + 1, 0, 0)), (v(quad + 2, 0, 0), v(quad + 3, 0, 0))
            across, down = t & 1, t >> 1 & 1
        else:
            i0, j0 = i & ~1, j & ~1
            top, bottom = (v(i0, j0, k), v(i0 + 1, j0, k)), (v(i0, j0 + 1, k), v(i0 + 1, j0 + 1, k))
            across, down = i & 1, j & 1
        dx, dy = (top, bottom)[down][1] - (top, bottom)[down][0], bottom[across] - top[across]
        got = out[4 * t : 4 * t + 4]
        assert got[:2] == (dx, dy), (t, got)
        assert got[2] in {b - a for a, b in pairwise((*top,))} | {b - a for a, b in pairwise((*bottom,))}
