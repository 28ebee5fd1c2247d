"""Statements: loops, switches, early returns, and their nesting."""

from __future__ import annotations

import pytest

from tests.execute.tables import Inputs, Row, Runner, as_ints
from tests.execute.vulkan import storage


def trace(run: Runner, body: str, inputs: tuple[int, ...], *, declarations: str = "", **options: object) -> list[int]:
    """Return the results of a function ``int f(int n)`` for several inputs."""
    source = f"""
RWStructuredBuffer<int> io : register(u0);
{declarations}
int f(int n) {{ {body} }}
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {{ io[id.x] = f(io[id.x]); }}"""
    data = b"".join(n.to_bytes(4, "little", signed=True) for n in inputs)
    return list(as_ints(run(source, {(0, 0): storage(data)}, (len(inputs), 1, 1), **options)[0, 0]))


INPUTS = (-1, 0, 1, 2, 3, 4, 5, 6, 7, 10)


def loops(n: int) -> int:
    total = 0
    for i in range(n):
        if i == 2:
            continue
        if i == 6:
            break
        total += i * 10
    return total


def nested(n: int) -> int:
    total = 0
    for i in range(n):
        j = 0
        while True:
            j += 1
            if j == 3:
                continue
            if j > i + 2:
                break
            total += i * j
        if total > 40:
            return -total
    return total


def fall(n: int) -> int:
    return {0: 111, 1: 110, 2: 100, 3: 7, 4: 7}.get(n, 1000)


def test_for_with_break_and_continue(run: Runner) -> None:
    body = "int t = 0; for (int i = 0; i < n; i++) { if (i == 2) continue; if (i == 6) break; t += i * 10; } return t;"
    assert trace(run, body, INPUTS) == [loops(n) for n in INPUTS]


def test_while_inside_for_with_return(run: Runner) -> None:
    body = """
    int t = 0;
    for (int i = 0; i < n; ++i) {
        int j = 0;
        while (true) { j++; if (j == 3) continue; if (j > i + 2) break; t += i * j; }
        if (t > 40) return -t;
    }
    return t;"""
    assert trace(run, body, INPUTS) == [nested(n) for n in INPUTS]


def test_do_while(run: Runner) -> None:
    body = """
    int i = 0, t = 0;
    do { i++; if (i == 4) continue; t += i; if (t > 15) break; } while (i < n);
    return t * 100 + i;"""

    def model(n: int) -> int:
        i = t = 0
        while True:
            i += 1
            if i != 4:
                t += i
                if t > 15:
                    break
            if not i < n:
                break
        return t * 100 + i

    assert trace(run, body, INPUTS) == [model(n) for n in INPUTS]


def test_switch_with_fallthrough(run: Runner) -> None:
    body = """
    int r = 0;
    switch (n) { case 0: r += 1; case 1: r += 10; case 2: r += 100; break;
        case 3: case 4: return 7; default: r = 1000; }
    return r;"""
    assert trace(run, body, INPUTS) == [fall(n) for n in INPUTS]


def test_switch_with_default_in_the_middle(run: Runner) -> None:
    body = """
    int r = 0;
    switch (n) { case 1: r = 5; break; default: r = 50; case 2: r += 3; break;
        case 3: { int k = n * 2; r = k; } break; }
    return r;"""
    assert trace(run, body, INPUTS) == [{1: 5, 2: 3, 3: 6}.get(n, 53) for n in INPUTS]


def test_switch_in_a_loop_with_continue(run: Runner) -> None:
    body = """
    int t = 0;
    for (int i = 0; i < n; i++) {
        switch (i % 4) { case 0: continue; case 1: t += 1; break; case 2: if (i > 5) return t + 500; t += 20; break; }
        t += 100;
    }
    return t;"""

    def model(n: int) -> int:
        t = 0
        for i in range(n):
            if i % 4 == 0:
                continue
            if i % 4 == 1:
                t += 1
            elif i % 4 == 2:
                if i > 5:
                    return t + 500
                t += 20
            t += 100
        return t

    assert trace(run, body, INPUTS) == [model(n) for n in INPUTS]


@pytest.mark.parametrize("attribute", ["branch", "flatten"])
def test_switch_with_an_attribute_leaves_the_switch_from_inside_an_if(run: Runner, attribute: str) -> None:
    body = f"""
    int r = 0;
    for (int i = 0; i < 4; ++i) {{
        [{attribute}] switch (i + n) {{
            case 0: r += 1; break;
            case 1: if (n < 1) {{ r += 10; break; }} r += 100;
            case 2: r += 1000; break;
            default: {{ r += 10000; break; }}
        }}
    }}
    return r;"""
    assert trace(run, body, (0, 1, 5)) == [1 + 10 + 1000 + 10000, 100 + 1000 + 1000 + 20000, 40000]


@pytest.mark.parametrize("attribute", ["branch", "flatten"])
def test_switch_with_an_attribute_evaluates_its_selector_once(run: Runner, attribute: str) -> None:
    body = f"""
    int calls = n, r = 0;
    [{attribute}] switch (next(calls)) {{ case 1: r = 5; break; case 2: r = 6; break; case 3: r = 7; break; }}
    return calls * 10 + r;"""
    declarations = "int next(inout int calls) { return ++calls; }"
    assert trace(run, body, (0, 1, 2, 3), declarations=declarations) == [15, 26, 37, 40]


def test_switch_without_cases_and_on_unsigned(run: Runner) -> None:
    body = "int r = n; switch (uint(n)) { } switch (uint(n) & 3u) { case 3u: r = 33; break; case 1: r = 11; } return r;"
    assert trace(run, body, INPUTS) == [{3: 33, 1: 11}.get(n & 3, n) for n in INPUTS]


def test_early_returns(run: Runner) -> None:
    body = """
    if (n < 0) return -1; else if (n == 0) { return 5; }
    { if (n > 4) { if (n > 6) return 60; return 40; } }
    return n;"""

    def model(n: int) -> int:
        return -1 if n < 0 else 5 if n == 0 else 60 if n > 6 else 40 if n > 4 else n

    assert trace(run, body, INPUTS) == [model(n) for n in INPUTS]


def test_conditions_that_are_declarations_or_numbers(run: Runner) -> None:
    body = """
    int t = 0;
    if (n) t = 1;
    while (n > 0) { t += n--; if (!(n - 2)) break; }
    for (;;) { if (t++ > 3) break; }
    return t;"""

    def model(n: int) -> int:
        t = 1 if n else 0
        while n > 0:
            t += n
            n -= 1
            if n == 2:
                break
        while True:
            t += 1
            if t - 1 > 3:
                break
        return t

    assert trace(run, body, INPUTS) == [model(n) for n in INPUTS]


def test_several_loop_variables_and_scopes(run: Runner) -> None:
    body = """
    int i = 100, t = 0;
    for (int i = 0, j = n; i < j; i++, j--) { int n = i * j; t += n; }
    { int t = 5; i += t; }
    return t + i;"""

    def model(n: int) -> int:
        t, i, j = 0, 0, n
        while i < j:
            t += i * j
            i, j = i + 1, j - 1
        return t + 105

    assert trace(run, body, INPUTS) == [model(n) for n in INPUTS]


@pytest.mark.parametrize("attribute", ["[unroll]", "[loop]", "[unroll(4)]", "[fastopt]"])
def test_loop_attributes(run: Runner, attribute: str) -> None:
    body = f"int t = n; {attribute} for (int i = 0; i < 4; i++) t = t * 2 + i; return t;"

    def model(n: int) -> int:
        for i in range(4):
            n = n * 2 + i
        return n

    assert trace(run, body, INPUTS) == [model(n) for n in INPUTS]


@pytest.mark.parametrize("attribute", ["[branch]", "[flatten]"])
def test_branch_attributes(run: Runner, attribute: str) -> None:
    body = f"""
    int t = 0;
    {attribute} if (n > 3) t = n * 2; else t = -n;
    [forcecase] switch (n) {{ case 5: t = 1; }}
    return t;"""
    assert trace(run, body, INPUTS) == [1 if n == 5 else n * 2 if n > 3 else -n for n in INPUTS]


def test_divergent_threads(run: Runner) -> None:
    source = """
RWStructuredBuffer<int> io : register(u0);
[numthreads(16, 1, 1)] void main(uint i : SV_GroupIndex) {
    int n = 27 + i, steps = 0;
    while (n != 1) { if (n & 1) n = 3 * n + 1; else n >>= 1; if (++steps == 100) break; }
    io[i] = steps;
}"""

    def collatz(n: int) -> int:
        steps = 0
        while n != 1:
            n = 3 * n + 1 if n & 1 else n >> 1
            steps += 1
            if steps == 100:
                break
        return steps

    out = run(source, {(0, 0): storage(64)})
    assert as_ints(out[0, 0]) == tuple(collatz(27 + i) for i in range(16))


def test_vector_loop(run: Runner) -> None:
    inputs: Inputs = {"n": ("uint", 5), "v": ("float4", (1.0, 2.0, 3.0, 4.0))}
    prologue = """
    float4 s = 0; for (uint i = 0; i < n; ++i) s[i & 3] += v[(i + 1) % 4] * i;
    float p = 1; for (float x = 0; x < 2; x += 0.5) p *= 2;
    """
    rows: list[Row] = [("s", "float4", (0.0 + 4 * 2, 3.0, 8.0, 3.0)), ("p", "float", 16.0)]
    run.table(rows, inputs, prologue=prologue)
