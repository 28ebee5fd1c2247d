"""Long chains of ``else if`` or ``?:``, divided into groups: each link is taken, with the effects of its operands."""

from __future__ import annotations

from collections.abc import Callable

from tests.execute.tables import Runner, as_ints
from tests.execute.vulkan import storage

COUNT = 200
RETURNS = 75
"""The number of links in a chain of returns: lavapipe crashes on 200 of them, also as DXC nests them."""
INPUTS = tuple(range(-1, COUNT + 2))


def chain(statement: Callable[[int], str], last: str = "", condition: str = "n == #", count: int = COUNT) -> str:
    """Return a chain with a statement for each link; ``#`` in the condition is the number of the link."""
    links = [f"if ({condition.replace('#', str(i))}) {{ {statement(i)} }}" for i in range(count)]
    return "\nelse ".join(links + [f"{{ {last} }}"] * bool(last))


def trace(run: Runner, body: str, declarations: str = "", inputs: tuple[int, ...] = INPUTS) -> list[int]:
    """Return the results of a function ``int f(int n)`` for several inputs."""
    source = f"""
RWStructuredBuffer<int> io : register(u0);
{declarations}
int f(int n) {{ {body} }}
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {{ io[id.x] = f(io[id.x]); }}"""
    data = b"".join(n.to_bytes(4, "little", signed=True) for n in inputs)
    return list(as_ints(run(source, {(0, 0): storage(data)}, (len(inputs), 1, 1))[0, 0]))


def test_assignments(run: Runner) -> None:
    body = f"int t = 5; {chain(lambda i: f't = t * 3 + {i};', 't -= 100;')} return t * 2;"
    assert trace(run, body) == [2 * (15 + n if 0 <= n < COUNT else -95) for n in INPUTS]


def test_without_else(run: Runner) -> None:
    body = f"int t = 5; {chain(lambda i: f't += {i * i};')} return t;"
    assert trace(run, body) == [5 + (n * n if 0 <= n < COUNT else 0) for n in INPUTS]


JUMPS = ("t += %; ", "t += 2; return t + %;", "t -= %; break;", "t += 3 * %; continue;", "if (k) t -= %; else t += 4;")


def jumping(n: int) -> int:
    t = 0
    for k in range(3):
        kind = n % 5 if 0 <= n < COUNT else 5
        if kind == 1:
            return t + 2 + n
        if kind == 2:
            t -= n
            break
        if kind == 3:
            t += 3 * n
            continue
        t += (n, 0, 0, 0, -n if k else 4, 7)[kind]
        t += 1000
    return t


def test_jumps_in_a_loop(run: Runner) -> None:
    links = chain(lambda i: JUMPS[i % 5].replace("%", str(i)), "t += 7;")
    body = f"int t = 0; for (int k = 0; k < 3; ++k) {{ {links} t += 1000; }} return t;"
    assert trace(run, body) == [jumping(n) for n in INPUTS]


def in_switch(n: int) -> int:
    t = n
    for k in range(2):
        if n % 3 != 1:
            if 0 <= n < COUNT and n % 4 == 0:
                t += 10
                continue
            if 0 <= n < COUNT and n % 4 == 1:
                t += 20
            elif 0 <= n < COUNT and n % 4 == 2:
                return t + k
            t += 300
        t += 5000
    return t


def test_breaks_out_of_a_switch(run: Runner) -> None:
    links = chain(lambda i: ("t += 10; break;", "t += 20;", "return t + k;", ";")[i % 4])
    switch = f"switch ((n + 3) % 3) {{ case 0: case 2: {links} t += 300; default: t += 5000; break; }}"
    body = f"int t = n; for (int k = 0; k < 2; ++k) {{ {switch} }} return t;"
    inputs = tuple(n for n in INPUTS if n >= 0)
    assert trace(run, body, inputs=inputs) == [in_switch(n) for n in inputs]


def test_returns_of_all_links(run: Runner) -> None:
    body = chain(lambda i: f"return {i} * 3 + 1;", "return -n;", count=RETURNS)
    assert trace(run, body) == [n * 3 + 1 if 0 <= n < RETURNS else -n for n in INPUTS]


def test_returns_of_whole_groups(run: Runner) -> None:
    links = chain(lambda i: f"t = {i};" if 40 <= i < 60 else f"return {i} + n;", "return 9;", count=RETURNS)
    wanted = [n + 100 if 40 <= n < 60 else 2 * n if 0 <= n < RETURNS else 9 for n in INPUTS]
    assert trace(run, f"int t; {links} return t + 100;") == wanted


def test_conditions_are_evaluated_in_order_until_one_holds(run: Runner) -> None:
    declarations = "static int seen; bool is(int n, int i) { seen = seen * 3 + i; return n == i; }"
    links = chain(lambda i: "seen ^= 1;", "seen ^= 2;", "n > -5 && (n == 7 ? is(n, #) : is(n, #) || n < -1)")
    wanted = []
    for n in INPUTS:
        seen = 0
        for i in range(COUNT):
            seen = (seen * 3 + i) & 0xFFFFFFFF
            if n == i:
                break
        seen ^= 1 if 0 <= n < COUNT else 2
        wanted.append(seen - (seen >> 31 << 32))
    assert trace(run, f"seen = 0; {links} return seen;", declarations) == wanted


def test_variables_of_conditions(run: Runner) -> None:
    links = "\nelse ".join(f"if (int v{i} = n == {i} ? n + 1 : 0) t += v{i} * 2;" for i in range(COUNT))
    body = f"int t = 1; {links} else if (n < 0) t = v3 + 40; else t = v{COUNT - 1} + 50; return t;"
    assert trace(run, body) == [40 if n < 0 else 1 + (n + 1) * 2 if n < COUNT else 50 for n in INPUTS]


def test_constant_conditions_between(run: Runner) -> None:
    links = [f"if (n == {i}) t = {i};" + f"\nelse if ({i} > 1000) t = 1;" * (i % 3 == 0) for i in range(COUNT)]
    links.append("if (1 < 2) t = -8; else if (n == 200) t = 1;")
    assert trace(run, f"int t = 0; {' else '.join(links)} return t;") == [n if 0 <= n < COUNT else -8 for n in INPUTS]


def test_chains_in_chains(run: Runner) -> None:
    def inner(base: int) -> str:
        return chain(lambda i: f"t += {base} + {i};", f"t -= {base};", "n % 100 == #", 80)

    links = chain(lambda i: ";" if i % 9 else inner(i * 1000), inner(99), "n / 100 == #", 70)
    inputs = (0, 5, 79, 80, 99, 140, 900, 979, 998, 2740, 2799, 3179, 6331, 6378, 6380, 6999, 7000, 7063, 7098)

    def model(n: int) -> int:
        if n < 7000 and n // 100 % 9:
            return 1
        base = n // 100 * 1000 if n < 7000 else 99
        return 1 + (base + n % 100 if n % 100 < 80 else -base)

    assert trace(run, f"int t = 1; {links} return t;", inputs=inputs) == [model(n) for n in inputs]


def test_waves_are_whole_after_the_chain(run: Runner) -> None:
    run.needs("subgroupArithmetic")
    links = chain(lambda i: f"x = {i} + WaveActiveSum(1);", "x = -WaveActiveSum(1);", "t * 30 == #")
    source = f"""
RWStructuredBuffer<int> o : register(u0);
[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) {{
    int x = 0;
    {links}
    o[t * 2] = x; o[t * 2 + 1] = WaveActiveSum(x);
}}"""
    out = as_ints(run(source, {(0, 0): storage(64)})[0, 0])
    lanes = [t * 30 + 1 if t * 30 < COUNT else -1 for t in range(8)]
    assert list(out[::2]) == lanes
    assert list(out[1::2]) == [sum(lanes)] * 8


def test_conditional_operators(run: Runner) -> None:
    declarations = "static int seen; int note(int x) { seen = seen * 3 + x; return x; }"
    links = " : ".join(f"note({i}) == n ? note({2 * i})" for i in range(COUNT))
    wanted = []
    for n in INPUTS:
        seen = 0
        for i in range(COUNT):
            seen = (seen * 3 + i) & 0xFFFFFFFF
            if n == i:
                seen = (seen * 3 + 2 * i) & 0xFFFFFFFF
                break
        seen ^= 2 * n if 0 <= n < COUNT else 7777
        wanted.append(seen - (seen >> 31 << 32))
    assert trace(run, f"seen = 0; int t = {links} : 7777; return seen ^ t;", declarations) == wanted


def test_conditional_operators_of_several_types(run: Runner) -> None:
    links = " : ".join(f"n == {i} ? {'float2(n, 0.5)' if i < 150 else 'n'}" for i in range(COUNT))
    body = f"float2 t = {links} : -1; return t.x * 1000 + t.y * 2;"
    assert trace(run, body) == [n * 1000 + (1 if n < 150 else 2 * n) if 0 <= n < COUNT else -1002 for n in INPUTS]
