"""Large inputs: the time grows linearly with their size, or they end with a message about a limit."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.deep_stack import with_deep_stack
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.frontend.sema.rules import suggestions
from hlsl_tool.spirv import op
from hlsl_tool.version import is_compiled


def each(count: int, line: str) -> str:
    """Return `line` once for each number below `count`, with `%` replaced by the number."""
    return "\n".join(line.replace("%", str(number)) for number in range(count))


def pixel(body: str, before: str = "") -> str:
    return f"{before}\nfloat4 main(float4 a : A) : SV_Target\n{{\nfloat4 r = a;\n{body}\nreturn r;\n}}\n"


def compiled(source: str, profile: str = "ps_6_0", *, codegen_only: bool = True) -> CompileResult:
    options = CompileOptions(codegen_only=codegen_only, validate="no")
    result = with_deep_stack(lambda: compile_shader(source, profile=profile, options=options, name="a.hlsl"))
    assert not [d for d in result.diagnostics if d.code.id.startswith("HLSL09")]
    return result


def count(result: CompileResult, opcode: int) -> int:
    assert result.ok, [d.message for d in result.diagnostics][:3]
    assert result.module is not None
    return sum(
        inst.op == opcode for f in result.module.functions for block in f.blocks for inst in block.instructions
    ) + sum(inst.op == opcode for inst in result.module.globals)


def test_an_else_if_chain_has_one_scope_for_all_links() -> None:
    result = compiled(pixel("if (a.x == -1) r = 1;\n" + each(3000, "else if (a.x == %) r = a.y;")))
    assert count(result, op.OpBranchConditional) == 3001


def test_a_variable_in_a_condition_is_seen_in_later_links_only() -> None:
    links = "if (int i = a.x) r = i;\nelse if (a.y) r = i;\nelse if (int j = a.z) r = i + j;\nelse r = j;"
    assert compiled(pixel(links)).ok
    hidden = compiled(pixel("if (a.x) r = 1;\nelse if (int j = a.z) r = j;\nr = j;"))
    assert [d.message for d in hidden.diagnostics] == ["use of undeclared identifier 'j'"]


def test_members() -> None:
    result = compiled(pixel("S s; s.m14999 = a.x; r.x = s.m14999;", "struct S {" + each(15000, "float m%;") + "};"))
    assert count(result, op.OpAccessChain) >= 2
    again = compiled(pixel("", "struct S {" + each(15000, "float m%;") + "float m7; };"))
    assert [d.message for d in again.diagnostics] == ["duplicate member 'm7'"]


def test_bindings() -> None:
    textures = each(3000, "Texture2D t%;") + each(3000, "Texture2D u% : register(t%);")
    result = compiled(pixel("r = t2999.Load(0) + u7.Load(0);", textures))
    assert result.ok
    places = {resource.name: resource.binding for resource in result.interface.resources}
    assert (places["t2999"], places["u7"]) == (5999, 7)


def test_locations() -> None:
    source = "struct I {" + each(3000, "float m% : S%;") + "};\nfloat4 main(I i) : SV_Target { return i.m2999; }"
    result = compiled(source)
    assert result.ok
    assert {v.name: v.location for v in result.interface.stage_variables}["in.var.S2999"] == 2999


def test_overloads() -> None:
    structs = each(2500, "struct S% { float x; };\nfloat f(S% s) { return s.x; }")
    assert compiled(pixel("S2499 s = { a.x }; r.x = f(s);", structs)).ok


def test_entry_points_of_a_library() -> None:
    source = "struct P { float4 c; };" + each(800, '[shader("miss")] void m%(inout P p) { p.c = %; }')
    options = CompileOptions(codegen_only=True, validate="no", target_env="vulkan1.1spirv1.4")
    result = compile_shader(source, profile="lib_6_3", options=options)
    assert result.ok, result.diagnostics
    assert result.module is not None
    assert [len(inst.operands) for inst in result.module.entry_points] == [4] * 800  # only its own payload


def test_redefined_macros() -> None:
    result = compiled(each(4000, "#define B %") + pixel(""))
    assert sum(d.code.name == "macro-redefined" for d in result.diagnostics) == 3999
    last = result.diagnostics[-1]
    assert [(note.location.line if note.location else 0) for note in last.notes] == [3999]


def test_after_the_error_limit_the_work_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    monkeypatch.setattr(suggestions, "closest", lambda name, names: searched.append(name))
    result = compiled(pixel(each(3000, "r = unknown%;")))
    assert len(result.diagnostics) == 101
    assert result.diagnostics[-1].message == "too many errors emitted, stopping now"
    # Similar names are looked for when an error is reported; native code does not look functions up
    assert is_compiled() or len(searched) == 101

    result = compiled(each(1000, "float f%( { return 1; }"))
    assert len(result.diagnostics) == 101


def test_a_hint_knows_no_names_that_come_later() -> None:
    result = compiled(pixel("r.x = colou;\nfloat colour = 1;"))
    assert [d.hint for d in result.diagnostics] == [None]
    result = compiled(pixel("float colour = 1;\nr.x = colou;"))
    assert [d.hint for d in result.diagnostics] == ["did you mean 'colour'?"]


@pytest.mark.parametrize(
    ("loop", "count"),
    [
        ("for (int i = 0; i < 10000; ++i)", 10000),
        ("for (uint i = 0; i <= 2147483647; i++)", 2147483648),
        ("for (int i = 100000; i > 0; i -= 2)", 50000),
        ("for (int i = 0; i < 100; ++i) [unroll] for (int j = 0; j < 100; ++j)", 10000),
        ("for (int i = 0; i < 100; ++i) [branch] if (a.x > i) [unroll] for (int j = 5; j < 105; ++j)", 10000),
    ],
)
def test_unrolling_beyond_what_can_be_is_refused(loop: str, count: int) -> None:
    result = compiled(pixel(f"[unroll] {loop} r.x += a.y * i;"), codegen_only=False)
    [problem] = result.diagnostics
    assert problem.code.id == "HLSL1312"
    assert problem.message == f"the loop is unrolled to {count} iterations, more than 4096"
    assert problem.location is not None
    assert problem.location.line == 5
    assert compiled(pixel(f"[unroll] {loop} r.x += a.y * i;")).ok  # -fcgl


@pytest.mark.parametrize(
    "loop",
    [
        "[loop] for (int i = 0; i < 10000; ++i) r.x += a.y * i;",
        "[unroll] for (int i = 0; i < 10000; ++i) { if (r.x > 9) break; r.x += a.y * i; }",
        "[unroll] for (int i = 0; i < 10000; ++i) { if (r.x > 9) return a; r.x += a.y * i; }",
        "[unroll] for (int i = 0; i < a.x; ++i) r.x += a.y * i;",
        "[unroll] for (int i = 0; i < 10000; i += 1000) r.x += a.y * i;",
        "[unroll(100000)] for (int i = 0; i < 4; ++i) r.x += a.y * i;",
    ],
)
def test_loops_that_are_not_unrolled_are_not_counted(loop: str) -> None:
    assert compiled(pixel(loop), codegen_only=False).ok


def nested(source: str) -> list[tuple[str, int]]:
    result = with_deep_stack(lambda: compile_shader(source, profile="ps_6_0"))
    return [(d.message, d.location.line if d.location else 0) for d in result.diagnostics]


CHAIN = "if (a.x == -1) r = 1;\n" + each(1500, "else if (a.x == %) r = a.y;")


def test_a_long_else_if_chain_nests_by_groups() -> None:
    """SPIR-V's limit is 1023 levels, and spirv-val needs minutes for as many."""
    result = compiled(pixel(CHAIN), codegen_only=False)
    assert count(result, op.OpBranchConditional) >= 1501
    assert result.spirv
    assert count(compiled(pixel(CHAIN)), op.OpSelectionMerge) == 1501  # -fcgl: as DXC


CHOICES = pixel("r = " + each(1500, "a.x == % ? a * % :") + " r;")


@pytest.mark.parametrize("version", [2018, 2021])
def test_a_long_chain_of_conditional_operators(version: int) -> None:
    options = CompileOptions(hlsl_version=version)
    result = with_deep_stack(lambda: compile_shader(CHOICES, profile="ps_6_0", options=options))
    assert count(result, op.OpSelect) + count(result, op.OpPhi) >= 1500


def test_a_stack_that_is_too_small_leaves_no_half_analysed_function() -> None:
    memory = Memory()
    small = compile_shader(CHOICES, profile="ps_6_0", memory=memory)
    assert [d.message for d in small.diagnostics] == [
        "an expression or chain of statements is too long to be compiled; split it"
    ]
    assert with_deep_stack(lambda: compile_shader(CHOICES, profile="ps_6_0", memory=memory)).ok


def test_control_flow_nested_too_deep_is_refused_at_the_place() -> None:
    """Control flow that is nested deeper than SPIR-V allows is an error (HLSL1311) at the first level beyond."""
    message = "control flow is nested deeper than 1023 levels"
    links = "if (a.x == -1) r = 1;\n" + each(49, "else if (a.x == %) r = a.y;") + " else {\n"  # 50 levels
    assert nested(pixel(links * 21 + "}" * 21)) == [(message, 5 + 20 * 51 + 3)]


def test_control_flow_nested_too_deep_through_calls_is_refused_at_the_call() -> None:
    opened, closed = "if (a.x > a.y) { " * 200, "}" * 200
    functions = ["float4 f0(float4 a) { return a; }"]
    functions += [f"float4 f{i + 1}(float4 a) {{ {opened} a = f{i}(a + 1); {closed} return a; }}" for i in range(6)]
    message = "control flow is nested deeper than 1023 levels"
    assert nested(pixel("r = f6(a);", "\n".join(functions))) == [(message, 7)]


def test_variables_of_many_branches() -> None:
    body = each(600, "float v% = a.y;") + each(600, "if (a.x == %) v% = a.z;") + each(600, "r.x += v%;")
    result = compiled(pixel(body), codegen_only=False)
    assert count(result, op.OpSelect) + count(result, op.OpPhi) == 600


def test_variables_of_many_branches_after_a_loop_that_stores() -> None:
    body = "float v = a.x, w = a.y;\nfor (int i = 0; i < a.w; ++i) { if (a.z > i) v += 1; if (a.x > i) r.y += w; }"
    result = compiled(pixel(body + "\nif (a.x > 3) r.z = 1;\nr.x = v + w;"), codegen_only=False)
    assert count(result, op.OpPhi) >= 4


def test_long_chains_of_calls_are_left_to_the_optimizer() -> None:
    functions = "float f0(float x) { return x; }\n" + "\n".join(
        f"float f{i + 1}(float x) {{ return f{i}(x) * {i}; }}" for i in range(700)
    )
    result = compiled(pixel("r.x = f700(a.x);", functions), codegen_only=False)
    assert count(result, op.OpFunctionCall) == 0
