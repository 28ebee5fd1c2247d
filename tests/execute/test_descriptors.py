"""Split arrays and structs of resources: each index selects the right element."""

from __future__ import annotations

import pytest

from tests.execute.tables import Runner, as_floats, as_words, floats, words
from tests.execute.vulkan import Resource, image, sampler, storage, texture


def textures(first: int, count: int) -> dict[tuple[int, int], Resource]:
    """Return textures of one texel each, with the values 10, 20, …."""
    return {(0, first + i): texture(floats(10.0 * (i + 1)), "r32f", (1, 1)) for i in range(count)}


@pytest.mark.parametrize("env", ["vulkan1.0", "vulkan1.2"])
def test_index_that_is_not_constant(run: Runner, env: str) -> None:
    """Loads, stores, atomics and samples work with a variable index; one beyond the array reads zero."""
    source = """
Texture2D<float> t[3] : register(t0);
SamplerState s[2] : register(s3);
RWStructuredBuffer<uint> b[2] : register(u5);
RWTexture2D<uint> image[2] : register(u7);
RWStructuredBuffer<float> o : register(u9);
float at(Texture2D<float> x[3], uint i) { return x[i].Load(int3(0, 0, 0)); }
[numthreads(1, 1, 1)] void main() {
    uint n = b[0][0];
    for (uint i = 0; i < n + 1; i++) {
        o[i] = at(t, i) + (i & 1 ? 0.5 : 0);
        b[i & 1][2] += i;
        InterlockedAdd(image[i & 1][uint2(0, 0)], i + 1);
    }
    o[4] = t[n - 1].SampleLevel(s[n - 2], 0, 0);
    o[5] = image[n & 1][uint2(0, 0)];
}"""
    resources = {
        **textures(0, 3),
        (0, 3): sampler(),
        (0, 4): sampler(),
        (0, 5): storage(words(3, 0, 100)),
        (0, 6): storage(words(7, 7, 200)),
        (0, 7): image(words(0), "r32u", (1, 1)),
        (0, 8): image(words(0), "r32u", (1, 1)),
        (0, 9): storage(24),
    }
    out = run(source, resources, flatten_resource_arrays=True, target_env=env)
    assert as_floats(out[0, 9]) == (10, 20.5, 30, 0.5, 30, 6)
    assert (as_words(out[0, 5])[2], as_words(out[0, 6])[2]) == (102, 204)


def test_index_in_the_condition_of_a_loop(run: Runner) -> None:
    """A loop condition may index an array of resources: the loop header is split, and a switch selects the resource."""
    source = """
Texture2D<float> t[3] : register(t0);
RWStructuredBuffer<uint> o : register(u3);
[numthreads(1, 1, 1)] void main() {
    uint i = o[0], steps = 0;
    while (t[i % 3].Load(int3(0, 0, 0)) < 30) { i++; steps++; }
    do { steps += 10; } while (t[steps % 3].Load(int3(0, 0, 0)) > 10);
    o[1] = i; o[2] = steps;
}"""
    out = run(source, {**textures(0, 3), (0, 3): storage(words(0, 0, 0))}, flatten_resource_arrays=True)
    assert as_words(out[0, 3]) == (0, 2, 12)


def test_several_dimensions(run: Runner) -> None:
    source = """
Texture2D<float> t[2][3] : register(t0);
RWStructuredBuffer<float> o : register(u6);
float sum(Texture2D<float> row[3], uint n) {
    float total = 0;
    for (uint i = 0; i < n; i++) total += row[i].Load(int3(0, 0, 0));
    return total;
}
[numthreads(1, 1, 1)] void main() {
    uint n = (uint)o[0];
    o[1] = sum(t[1], n); o[2] = sum(t[n - 3], n); o[3] = t[n - 2][n - 1].Load(int3(0, 0, 0));
}"""
    out = run(source, {**textures(0, 6), (0, 6): storage(floats(3, 0, 0, 0))}, flatten_resource_arrays=True)
    assert as_floats(out[0, 6]) == (3, 150, 60, 60)


def test_structures_of_resources(run: Runner) -> None:
    """Resources that are members of structs, or of arrays of structs, work as arguments of functions.

    The entry point of the module must list all variables.
    """
    source = """
struct Inner { SamplerState s; Texture2D<float> t[2]; };
struct Material { Texture2D<float> base; Inner inner; };
Material m[2];
RWStructuredBuffer<float> o;
float at(Material x) { return x.base.Load(int3(0, 0, 0)) + x.inner.t[1].SampleLevel(x.inner.s, 0, 0); }
[numthreads(1, 1, 1)] void main() { o[0] = at(m[0]); o[1] = at(m[1]); o[2] = m[1].inner.t[0].Load(int3(0, 0, 0)); }"""
    resources: dict[tuple[int, int], Resource] = {(0, 8): storage(12)}
    for first in (0, 4):
        resources[0, first] = texture(floats(first + 1), "r32f", (1, 1))
        resources[0, first + 1] = sampler()
        resources[0, first + 2] = texture(floats(first + 20), "r32f", (1, 1))
        resources[0, first + 3] = texture(floats(first + 300), "r32f", (1, 1))
    for env in ("vulkan1.0", "vulkan1.3"):
        out = run(source, resources, target_env=env, flatten_resource_arrays=True)
        assert as_floats(out[0, 8]) == (301, 309, 24)


def test_local_arrays_of_textures(run: Runner) -> None:
    """Local arrays of textures, assigned whole or by element, are read at variable indices in loops and functions."""
    source = """
Texture2D<float> a : register(t0);
Texture2D<float> b : register(t1);
Texture2D<float> c : register(t2);
RWStructuredBuffer<float> o : register(u3);
float at(Texture2D<float> x[3], int i) { return x[i].Load(int3(0, 0, 0)); }
[numthreads(1, 1, 1)] void main() {
    int n = (int)o[0];
    Texture2D<float> x[3] = { c, b, a };
    float total = 0;
    for (int i = 0; i < n; i++) {
        total = total * 2 + at(x, i % 3);
        if (x[i & 1].Load(int3(0, 0, 0)) < 25 && i > 2) break;
    }
    o[1] = total;
    Texture2D<float> y[2];
    y[1] = b;
    y[0] = c;
    o[2] = y[n & 1].Load(int3(0, 0, 0)) + y[1].Load(int3(0, 0, 0));
}"""
    out = run(source, {**textures(0, 3), (0, 3): storage(floats(5, 0, 0))})
    total = 0
    for i in range(4):
        total = total * 2 + (30, 20, 10)[i % 3]
    assert as_floats(out[0, 3]) == (5, total, 40)


def test_local_arrays_of_structs_with_resources(run: Runner) -> None:
    source = """
Texture2D<float> x : register(t0), y : register(t1);
SamplerState low : register(s2), high : register(s3);
StructuredBuffer<float> b : register(t4), c : register(t5);
RWStructuredBuffer<float> o : register(u6);
struct Inner { float scale; Texture2D<float> t; float take() { return scale * t.Load(0); } };
struct S { float4 p; Inner inner; SamplerState s; float get() { return p.y + inner.take(); } };
struct B { StructuredBuffer<float> data; uint n; };
float loaded(S s) { return s.inner.t.SampleLevel(s.s, 0.25, 0) + s.p.w; }
float both(S s[2], uint i) { return s[i].inner.take() + s[1 - i].p.x; }
[numthreads(1, 1, 1)] void main() {
    uint one = uint(o[0]);
    S s[2];
    s[0].p = float4(1, 2, 3, 4); s[0].inner.scale = 2; s[0].inner.t = x; s[0].s = low;
    s[1].p = s[0].p * 10; s[1].inner.scale = 3; s[1].inner.t = y; s[1].s = high;
    o[0] = s[one].inner.t.Load(0); o[1] = s[one - 1].get(); o[2] = loaded(s[one]); o[3] = both(s, one);
    S copy = s[one]; copy.p.y = 5; o[4] = copy.get(); s[one].p.y = 6; o[5] = s[1].get();
    float sum = 0; for (uint i = 0; i < 2 * one; i++) sum += s[i].inner.t.Load(0) * s[i].p.x;
    o[6] = sum;
    B l[2]; l[0].data = b; l[0].n = 0; l[1].data = c; l[1].n = 1;
    o[7] = l[one].data[l[one].n];
}"""
    resources = {
        (0, 0): texture(floats(7), "r32f", (1, 1)),
        (0, 1): texture(floats(8), "r32f", (1, 1)),
        (0, 2): sampler(),
        (0, 3): sampler(),
        (0, 4): storage(floats(20, 21)),
        (0, 5): storage(floats(22, 23)),
        (0, 6): storage(floats(1, *[0] * 7)),
    }
    out = as_floats(run(source, resources)[0, 6])
    assert out == (8, 2 + 14, 8 + 40, 24 + 1, 5 + 24, 6 + 24, 7 + 80, 23)


def test_local_structs_with_arrays_of_resources(run: Runner) -> None:
    source = """
Texture2D<float> x : register(t0), y : register(t1), z : register(t2);
RWStructuredBuffer<float> o : register(u3);
struct S { float k; Texture2D<float> t[2]; float at(uint i) { return k * t[i].Load(0); } };
struct Outer { S s; S other; };
float of(S s, uint i) { return s.t[i].Load(0); }
[numthreads(1, 1, 1)] void main() {
    uint one = uint(o[0]);
    S s; s.k = 2; s.t[0] = x; s.t[1] = y;
    o[0] = s.t[one].Load(0); o[1] = s.at(one - 1); o[2] = of(s, one);
    Outer u; u.s = s; u.other.k = 3; u.other.t[0] = z; u.other.t[1] = x;
    o[3] = u.s.t[one - 1].Load(0); o[4] = u.s.at(one); o[5] = u.other.t[one - 1].Load(0); o[6] = u.other.at(one);
}"""
    resources = {
        (0, 0): texture(floats(7), "r32f", (1, 1)),
        (0, 1): texture(floats(8), "r32f", (1, 1)),
        (0, 2): texture(floats(9), "r32f", (1, 1)),
        (0, 3): storage(floats(1, *[0] * 6)),
    }
    assert as_floats(run(source, resources)[0, 3]) == (8, 14, 8, 7, 16, 9, 21)


def test_local_arrays_of_arrays_of_resources(run: Runner) -> None:
    source = """
Texture2D<float> x : register(t0), y : register(t1), z : register(t2);
RWStructuredBuffer<float> o : register(u3);
struct I { Texture2D<float> t; };
struct S { float k[2]; Texture2D<float> t[2]; I i[3]; };
float of(S s[2], uint i, uint j) { return s[i].t[j].Load(0) * s[j].k[i]; }
[numthreads(1, 1, 1)] void main() {
    uint one = uint(o[0]);
    Texture2D<float> t[2][3] = { x, y, z, z, x, y };
    o[0] = t[one][one + 1].Load(0); o[1] = t[one - 1][2].Load(0); o[2] = t[1][one - 1].Load(0);
    S s[2];
    s[0].t[0] = x; s[0].t[1] = y; s[1].t[0] = z; s[1].t[1] = x;
    s[0].i[0].t = x; s[0].i[1].t = y; s[0].i[2].t = z; s[1].i[0].t = z; s[1].i[1].t = y; s[1].i[2].t = x;
    s[0].k[0] = 1; s[0].k[1] = 2; s[1].k[0] = 3; s[1].k[1] = 4;
    o[3] = s[one].t[one - 1].Load(0); o[4] = s[one - 1].i[one + 1].t.Load(0); o[5] = s[one].i[1].t.Load(0);
    o[6] = of(s, one, one - 1); s[one].k[0] += 1; o[7] = of(s, one - 1, one);
}"""
    resources = {
        (0, 0): texture(floats(7), "r32f", (1, 1)),
        (0, 1): texture(floats(8), "r32f", (1, 1)),
        (0, 2): texture(floats(9), "r32f", (1, 1)),
        (0, 3): storage(floats(1, *[0] * 7)),
    }
    assert as_floats(run(source, resources)[0, 3]) == (8, 9, 9, 9, 9, 8, 18, 32)


def test_choice_between_elements_of_an_array(run: Runner) -> None:
    """A branch, a loop and a ternary select elements of one array; the module selects their indices instead."""
    run.no_wgsl("the elements of an array of buffers have bindings of their own")
    source = """
    RWStructuredBuffer<int> a[4] : register(u0);
    RWStructuredBuffer<int> o : register(u1);
    int first(RWStructuredBuffer<int> b) { return b[0]; }
    [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
        RWStructuredBuffer<int> b;
        if (i == 0) b = a[NonUniformResourceIndex(1)];
        else if (i == 1) b = a[NonUniformResourceIndex(i + 2)];
        else b = a[NonUniformResourceIndex(0)];
        o[i] = b[0];
        RWStructuredBuffer<int> c = a[0];
        for (uint n = 0; n < i; ++n) c = a[NonUniformResourceIndex(n + 1)];
        o[4 + i] = first(c);
    }"""
    buffers = {(0, 0, i): storage(words(10 * i + 1)) for i in range(4)} | {(0, 1): storage(32)}
    out = as_words(run(source, buffers, (1, 1, 1))[0, 1])
    assert out == (11, 31, 1, 1, 1, 11, 21, 31)
