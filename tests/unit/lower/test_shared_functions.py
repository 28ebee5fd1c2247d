"""Functions that are copied into the modules of other shaders: the module equals one without copying."""

from __future__ import annotations

from collections import Counter

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import SourceFile
from hlsl_tool.codegen.lower.functions.shared import Sharing
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.version import is_compiled

PIXEL = "float4 main(float4 p : SV_Position, int i : I) : SV_Target { return "
COMPUTE = " void main(uint3 i : SV_DispatchThreadID) { "


@pytest.fixture
def repeats(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Names of the copied functions, with the number of copies."""
    if is_compiled():
        pytest.skip("native code calls the method itself, not what replaces it")
    names: Counter[str] = Counter()
    repeat = Sharing.repeat

    def counting(self, ctx, f, record, function) -> bool:
        done = repeat(self, ctx, f, record, function)
        names[f.name] += done
        return done

    monkeypatch.setattr(Sharing, "repeat", counting)
    return names


def build(source: str, memory: Memory, profile: str, **changes: object) -> tuple[bytes, list[str]]:
    options = CompileOptions(codegen_only=True, validate="no", **changes)
    result = compile_shader(
        SourceFile.from_bytes("s.hlsl", "s.hlsl", source.encode()),
        entry="main",
        profile=profile,
        options=options,
        memory=memory,
    )
    return result.spirv, [f"{d.code.id} {d.message} {d.location}" for d in result.diagnostics]


def check(sources: list[str], profile: str = "ps_6_0", **changes: object) -> None:
    """Compile shaders with shared caches; compare each module with one compiled with empty caches."""
    memory = Memory()
    for source in sources:
        assert build(source, memory, profile, **changes) == build(source, Memory(), profile, **changes), source


def test_third_shader_repeats_the_function(repeats: Counter[str]) -> None:
    shared = "float4 scaled(float4 v, float by) { return v * by + 0.5; }\n"
    check([shared + PIXEL + f"scaled(p, {n}); }}" for n in range(4)])
    assert repeats == {"scaled": 2}


def test_constants_are_written_in_the_order_of_their_requests(repeats: Counter[str]) -> None:
    shared = "float f(float x) { float unused = 7.25; return x > 3.5 ? 1.5 : 2.5; }\n"
    sources = [shared + PIXEL + f"{first} + f(p.x) + 2.5; }}" for first in ("1.0", "2.5", "1.5", "9.0", "7.25")]
    check(sources)
    assert repeats["f"] == 3


def test_instruction_set_of_an_unreachable_call(repeats: Counter[str]) -> None:
    shared = "float f(float x) { return sqrt(x); }\nfloat g(float x) { return 1; x = sin(x); }\n"
    check([shared + PIXEL + f"{e}; }}" for e in ("f(p.x)", "f(p.y)", "g(p.x)", "g(p.y)", "g(p.z)", "f(p.z)")])
    assert repeats == {"f": 1, "g": 1}


def test_global_variables_and_members_of_blocks(repeats: Counter[str]) -> None:
    """A function that reads global variables is copied with the right indices of members in $Globals.

    These indices depend on the declarations before the function.
    """
    shared = "float scale; Texture2D t; SamplerState s; static float sum = 1; groupshared float g[4];\n"
    shared += "float4 f(float2 uv) { sum += scale; return t.SampleLevel(s, uv, 0) * sum; }\n"
    sources = [front + shared + PIXEL + "f(p.xy); }" for front in ("", "int a;\n", "int a;\n", "int a;\n", "", "\n")]
    check(sources)
    assert repeats["f"] >= 1


def test_callee_behind_a_declaration(repeats: Counter[str]) -> None:
    """A copied function calls the right definition if only the function that it calls has changed."""
    shared = "float f(float x);\nfloat g(float x) { return f(x) * 2; }\n"
    sources = [
        shared + f"float f(float x) {{ return x + {n}; }}\n" + PIXEL + "g(p.x); }" for n in (1, 1, 1, 2, 2, 2, 2, 1)
    ]
    check(sources)
    assert repeats["g"] >= 2


def test_group_size_decides_about_derivatives(repeats: Counter[str]) -> None:
    shared = "RWStructuredBuffer<float> o; float f(float x) { return ddx(x); }\n"
    sizes = ("8, 8, 1", "8, 8, 1", "8, 8, 1", "3, 1, 1", "3, 1, 1", "3, 1, 1", "64, 1, 1", "64, 1, 1", "8, 8, 1")
    check([shared + f"[numthreads({n})]" + COMPUTE + "o[i.x] = f(i.x); }" for n in sizes], "cs_6_6")
    assert repeats["f"] <= 1  # it declares an execution mode


@pytest.mark.parametrize(
    "shared",
    [
        "min16float f(min16float x) { min16float y = x * 2; return y + 1; }\n",
        "precise float f(float x) { precise float y = x * 2; return y + 1; }\n",
        "float f(float x) { static float calls = 0; calls += x; return calls; }\n",
        "struct S { float a; int3 b; }; float f(float x) { S s = { x, 1, 2, 3 }; return s.a + s.b.y; }\n",
        "StructuredBuffer<float3x2> b; float f(float x) { return b[x][1].y; }\n",
        "RWStructuredBuffer<float> b; float f(float x) { return b.IncrementCounter() + x; }\n",
        "RWStructuredBuffer<float> b; float f(float x) { RWStructuredBuffer<float> c = b; return c[x]; }\n",
        "Texture2D t[8]; float f(float x) { return t[NonUniformResourceIndex(x)].Load(0).x; }\n",
        "float f(float x) { float a[4] = { x, 1, 2, 3 }; for (int i = 0; i < 4; i++) x += a[i]; return x; }\n",
        "float f(float x) { switch (int(x)) { case 1: return 2; case 5: x++; default: x--; } return x; }\n",
        "uint64_t h(uint64_t x) { switch (x) { case 1: return 2; } return 3; } float f(float x) { return h(x); }\n",
        "struct S { float a; float get() { return a; } void set(float x) { a = x; } };\n"
        "float f(float x) { S s; s.set(x); return s.get(); }\n",
        "template <typename T> T twice(T x) { return x + x; } float f(float x) { return twice(x) + twice(int(x)); }\n",
        "float g(inout float x) { return x++; } float f(float x) { float y = g(x); return x + y; }\n",
        '[[vk::ext_instruction(12, "GLSL.std.450")]] float e(float x); float f(float x) { return e(x); }\n',
        "[[vk::ext_capability(40)]] [[vk::ext_instruction(129)]] float e(float a, float b);\n"
        "float f(float x) { return e(x, x); }\n",
        'float f(float x) { printf("%f", x); return x; }\n',
        "float f(float x) { for (;;) { if (x > 3) return x; x++; } }\n",
        "float f(float x) { clip(x); return QuadReadAcrossX(x) + WaveActiveSum(x); }\n",
        "static const float table[3] = { 1, 2, 3 }; float f(float x) { return table[x]; }\n",
        "cbuffer C { float4x4 m; int3x2 n; }; float f(float x) { return mul(m, x).x + n[x].y; }\n",
    ],
)
def test_same_module_in_every_order(shared: str) -> None:
    front = ("", "float other(float x) { return fwidth(x) * 3 + sin(x); }\n", "cbuffer D { float z; };\n")
    for changes in ({}, {"enable_16bit_types": True}, {"target_env": "vulkan1.3"}):
        calls = ("f(p.x)", "f(p.x)", "f(p.y)", "f(p.x) + other(p.x)", "f(p.z) + z", "other(p.x) + f(p.x)")
        fronts = (front[0], front[0], front[0], front[1], front[2], front[1])
        check([a + shared + PIXEL + call + "; }" for a, call in zip(fronts, calls, strict=True)], "ps_6_2", **changes)


def test_a_copied_function_with_long_vectors(repeats: Counter[str]) -> None:
    """The module has long vectors, which a later pass replaces, even if only copied functions do."""
    shared = "vector<float, 8> f(vector<float, 12> v) { vector<float, 8> r = v[0]; r[7] = v[11]; return r; }\n"
    shared += "ByteAddressBuffer b; RWByteAddressBuffer o;\n"
    shared += "void g(uint i) { o.Store(i * 32, f(b.Load<vector<float, 12> >(i * 48))); }\n[numthreads(32, 1, 1)]"
    check([shared + COMPUTE + f"g(i.x + {n}); }}" for n in range(4)], "cs_6_9")
    assert repeats == {"f": 2, "g": 2}


def test_chain_of_calls_in_two_orders(repeats: Counter[str]) -> None:
    shared = "".join(f"float f{n}(float x) {{ return x * {n} + {f'f{n - 1}(x)' if n else 'x'}; }}\n" for n in range(20))
    sources = [shared + PIXEL + f"f{n}(p.x) + {n}; }}" for n in range(0, 20, 3)]
    check([*sources, *reversed(sources)])
    assert repeats["f0"] >= 5
