"""Promotion (`passes.promote`): variables, calls, returns and resources of shaders, and the cache of functions."""

from __future__ import annotations

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.codegen.passes.capabilities.trim import trim_capabilities
from hlsl_tool.codegen.passes.promote import promote
from hlsl_tool.codegen.passes.promote.function_cache import LIMIT, FunctionCache
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Instruction, Module
from hlsl_tool.spirv.tools.locate import find_tool
from hlsl_tool.spirv.tools.validator import validate


def literal(source: str, profile: str = "cs_6_0") -> Module:
    """Return the module after lowering, with memory for all variables."""
    result = compile_shader(source, profile=profile, options=CompileOptions(codegen_only=True))
    assert result.ok, result.diagnostics
    return decode(result.spirv)


def promoted(source: str, profile: str = "cs_6_0") -> Module:
    """Return the promoted module, which spirv-val accepts."""
    module = literal(source, profile)
    trim_capabilities(module)  # spirv-val does not know all of the suspected ones
    module, why = promote(module)  # type: ignore[assignment]
    assert module is not None, why
    validator = find_tool("spirv-val", None, sink=None)
    if validator is not None:
        sink = Sink()
        assert validate(encode(module), "vulkan1.0", tool=validator, sink=sink) == "valid", sink.diagnostics
    return module


def instructions(module: Module) -> list[Instruction]:
    return [inst for function in module.functions for inst in function.instructions()]


def count(module: Module, opcode: int) -> int:
    return sum(inst.op == opcode for inst in instructions(module))


HEAD = "RWStructuredBuffer<float> o; Texture2D<float4> t; SamplerState s; cbuffer C { float f; int n; };\n"


def in_main(body: str, declarations: str = "") -> str:
    return f"{HEAD}{declarations}\n[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {{ {body} }}"


def test_locals_and_calls_are_gone() -> None:
    module = promoted(
        in_main(
            "P p = { f, 2 }; for (int i = 0; i < n; i++) step(p, i); o[0] = p.a + p.b;",
            "struct P { float a, b; }; void step(inout P p, int i) { if (i > 2) p.a += i; else p.b *= 2; }",
        )
    )
    assert len(module.functions) == 1
    assert not {op.OpVariable, op.OpFunctionCall} & {inst.op for inst in instructions(module)}
    assert count(module, op.OpPhi) == 5  # i, and a and b at the loop and behind the if


def test_only_what_is_used_of_a_structure_is_loaded() -> None:
    module = promoted(
        in_main(
            "o[0] = get(id.x).b;",
            "struct P { float a, b; float4 c[4]; }; StructuredBuffer<P> ps;"
            "P get(uint i) { P p = ps[i]; p.c[1] = p.c[0]; return p; }",
        )
    )
    loads = [inst for inst in instructions(module) if inst.op == op.OpLoad]
    assert len(loads) == 2  # the index and b


def test_resources_in_parameters_and_structures() -> None:
    module = promoted(
        in_main(
            "M m; m.t = t; m.s = s; M k = m; o[0] = look(k, f).x + direct(t, s);",
            "struct M { Texture2D<float4> t; SamplerState s; };"
            "float4 look(M m, float x) { if (x > 1) return 0; return m.t.SampleLevel(m.s, x, 0); }"
            "float direct(Texture2D<float4> a, SamplerState b) { return a.SampleLevel(b, 0.5, 0).y; }",
        )
    )
    assert count(module, op.OpVariable) == 0
    assert count(module, op.OpImageSampleExplicitLod) == 2


def test_a_return_from_a_loop_in_a_switch_leaves_both() -> None:
    module = promoted(
        in_main(
            "o[0] = find(n);",
            "float find(int k) { switch (k) { case 1: for (int i = 0; i < 9; i++) {"
            " if (o[i] > f) return o[i]; } return 2; case 2: return 3; } return 4; }",
        )
    )
    assert count(module, op.OpReturnValue) == 0
    assert count(module, op.OpReturn) == 1


def test_a_variable_indexed_at_run_time_stays_in_memory() -> None:
    module = promoted(in_main("float a[4] = { 1, 2, 3, 4 }; a[n] = f; o[0] = a[id.x];"))
    assert count(module, op.OpVariable) == 1


def test_the_condition_of_a_loop_may_have_branches() -> None:
    module = promoted(
        in_main(
            "float x = f; while (more(x)) x -= 1; o[0] = x;",
            "bool more(float x) { if (x > n) return true; return o[1] > x; }",
        )
    )
    assert count(module, op.OpLoopMerge) == 1


def test_methods_of_groupshared_objects() -> None:
    module = promoted(
        in_main(
            "g.fill(n); o[0] = g.a[0];",
            "struct P { float a[4]; void fill(int k) { for (int i = 0; i < k; i++) a[i] = i; } }; groupshared P g;",
        )
    )
    assert count(module, op.OpVariable) == 0


def test_private_variables_are_values() -> None:
    module = promoted(in_main("k += f; bump(); o[0] = k;", "static float k = 2; void bump() { k *= 3; }"))
    assert not any(inst.op == op.OpVariable and inst.operands[0] == 6 for inst in module.globals)  # 6: Private


def test_atomics_on_textures_that_are_parameters() -> None:
    source = (
        "RWTexture2D<uint> w; void add(RWTexture2D<uint> a) { InterlockedAdd(a[uint2(0, 1)], 2); }\n"
        "[numthreads(1, 1, 1)] void main() { add(w); }"
    )
    module = promoted(source)
    variables = {inst.result_id for inst in module.globals if inst.op == op.OpVariable}
    (pointer,) = (inst for inst in instructions(module) if inst.op == op.OpImageTexelPointer)
    assert pointer.id(0) in variables


@pytest.mark.parametrize(
    ("body", "declarations"),
    [
        ("Texture2D<float4> a = t; if (n > 1) a = u; o[0] = a.Load(0).x;", "Texture2D<float4> u;"),
        ("int64_t k = n; switch (k) { case 1: o[0] = 1; break; default: o[0] = 2; }", ""),
        (
            "float x = f; do x++; while (more(x)); o[0] = x;",
            "bool more(float x) { if (x > n) return 0; return o[1] > x; }",
        ),
    ],
)
def test_unsuited_modules_are_left_to_spirv_opt(body: str, declarations: str) -> None:
    module = literal(in_main(body, declarations))
    before = encode(module)
    made, why = promote(module)
    assert made is None
    assert why
    assert encode(module) == before


def test_words_of_64_bit_literals_are_no_labels() -> None:
    """The upper word of a literal may be the number of a label: each module has some among these."""
    case = "uint chosen(uint64_t k) {{ switch (k) {{ case 0x{:x}00000005ull: return 1; default: return 2; }} }}"
    for word in range(20, 80):
        source = in_main("o[0] = chosen(n);", case.format(word))
        assert promote(literal(source)) == (None, "a switch by 64 bits")


def test_the_same_whatever_was_done_before() -> None:
    source = in_main("o[0] = a(f) + a(2);", "float a(float x) { float r = 0; while (x > 0) { r += x--; } return r; }")
    assert encode(promoted(source)) == encode(promoted(source))


PERMUTATIONS = (
    in_main(
        "o[0] = first(f) + second(n);",
        "static float a = 1, b = 2; struct P { float x, y; };"
        "float second(float x) { b += x; a *= b; return a; }"
        "float first(float x) { P p = { x, 2 }; a = x; b = p.y + a; return p.x; }",
    ),
    in_main(
        "o[1] = second(f);",
        "static float b = 3, a = 4; struct P { float x, y; };float second(float x) { b += x; a *= b; return a; }",
    ),
    in_main(
        "if (n > 1) o[2] = first(f); o[3] = second(n) + b;",
        "static float c = 1, a = 1, b = 2; struct P { float x, y; };"
        "float first(float x) { P p = { x, 2 }; a = x; b = p.y + a; return p.x; }"
        "float second(float x) { b += x; a *= b; return a + c; }",
    ),
)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 0, 1)])
def test_the_cache_does_not_change_results(order: tuple[int, ...]) -> None:
    cache = FunctionCache()
    for index in order:
        alone, _ = promote(literal(PERMUTATIONS[index]))
        again, _ = promote(literal(PERMUTATIONS[index]), cache=cache)
        assert alone is not None and again is not None
        assert encode(alone) == encode(again)


def test_functions_of_other_modules_are_known() -> None:
    cache = FunctionCache()
    for source in PERMUTATIONS:
        promote(literal(source), cache=cache)
    assert len(cache.functions) == 3  # `first`, and two kinds of `second`
    cache.size = LIMIT + 1
    promote(literal(PERMUTATIONS[1]), cache=cache)
    assert len(cache.functions) == 1


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_private_array_that_a_callee_indexes_stays_in_memory(depth: int) -> None:
    calls = "".join(f"float f{n}(int i) {{ return f{n - 1}(i); }}" for n in range(1, depth))
    module = promoted(
        in_main(
            f"p[0] = f; p[1] = 2; o[0] = f{depth - 1}(n) + p[0];",
            f"static float p[4]; float f0(int i) {{ p[i] = 3; return p[i + 1]; }} {calls}",
        )
    )
    arrays = [inst for inst in module.globals if inst.op == op.OpVariable and inst.id(0) == StorageClass.Private]
    assert len(arrays) == 1
    chains = [
        inst for inst in instructions(module) if inst.op == op.OpAccessChain and inst.id(0) == arrays[0].result_id
    ]
    stored = {inst.id(0) for inst in instructions(module) if inst.op == op.OpStore}
    assert sum(chain.result_id in stored for chain in chains) == 3  # those of the entry point, too


def test_ids_that_only_decorations_mention_are_declared() -> None:
    uniform_id = 27
    declaration = f"[[vk::ext_decorate_id({uniform_id}, 3)]] Texture2D<float4> u;"
    module, why = promote(literal(in_main("o[0] = u[int2(0, 0)].x;", declaration)))
    assert module is not None, why
    (decoration,) = [inst for inst in module.annotations if inst.op == op.OpDecorateId]
    constants = {inst.result_id: inst.ints() for inst in module.globals if inst.op == op.OpConstant}
    assert constants[decoration.id(2)] == [3]
