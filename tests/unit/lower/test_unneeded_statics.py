"""Static variables that a shader does not need are omitted; the others remain."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import MemoryFileSystem, SourceFile
from hlsl_tool.codegen.lower.global_variables import reach
from hlsl_tool.codegen.lower.global_variables.reach import unneeded_statics
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.frontend.preprocessor import PreprocessOptions, PreprocessorMemory, preprocess
from hlsl_tool.frontend.sema.analysis import SemaMemory, analyze
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.scope.context import Language
from hlsl_tool.frontend.syntax.memory import SyntaxMemory
from hlsl_tool.frontend.syntax.parser import parse
from tests.interpreted import replaces_functions

COMMON = """
RWStructuredBuffer<uint> data;
static uint named = 1, unnamed = named + 2;
static const uint leaf = 5, middle = leaf * 2, top = max(middle, 3u);
static float4x4 unused_matrix = { 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1 };
static uint counted = 7;
uint next() { return counted++; }
static uint started = next();
static uint taken = data.IncrementCounter();
static uint by_default = 3;
uint add(uint a, uint b = by_default) { return a + b; }
struct S { static const uint member = 9; static const uint other = 10; };
"""
NEEDED_ALWAYS = {"started", "counted", "taken"}
"""Their initialisers write."""


def kept(body: str) -> set[str]:
    sink = Sink()
    stream = preprocess(
        SourceFile("a.hlsl", "/a.hlsl", f"{COMMON}\n[numthreads(1, 1, 1)] void main() {{ {body} }}"),
        PreprocessOptions(),
        fs=MemoryFileSystem({}),
        memory=PreprocessorMemory(),
        sink=sink,
    )
    unit = parse(stream, memory=SyntaxMemory(), sink=sink)
    program = analyze(unit, Language(stage="cs"), entries=["main"], memory=SemaMemory(), sink=sink)
    assert not sink.error_count
    statics = {v for v in program.globals if getattr(v, "storage", "") == "static"}
    return {v.name for v in statics - unneeded_statics(program)} - NEEDED_ALWAYS  # type: ignore[operator]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("", set()),
        ("data[0] = named;", {"named"}),
        ("data[0] = unnamed;", {"named", "unnamed"}),
        ("data[0] = top;", {"leaf", "middle", "top"}),
        ("data[0] = add(1);", {"by_default"}),
        ("data[0] = add(1, 2);", set()),
        ("data[0] = S::member;", {"member"}),
    ],
)
def test_named_ones_are_kept(body: str, names: set[str]) -> None:
    assert kept(body) == names


def test_those_with_side_effects_are_kept() -> None:
    source = f"{COMMON}\n[numthreads(1, 1, 1)] void main() {{}}"
    result = compile_shader(source, profile="cs_6_0", options=CompileOptions(optimize="none"))
    assert result.ok and result.module is not None
    opcodes = [inst.op for function in result.module.functions for inst in function.instructions()]
    assert opcodes.count(234) == 1  # OpAtomicIAdd of the counter


@replaces_functions
def test_unused_initialisers_are_examined_once_for_all_shaders(monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[object] = []
    walk = reach.walk

    def spy(expression: hir.Expr) -> Iterator[hir.Expr]:
        walked.append(expression)
        return walk(expression)

    monkeypatch.setattr(reach, "walk", spy)
    memory = Memory()
    table = "static const float4 TABLE[2] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };\n"
    for body in ("return a;", "return a + 1;", "return a * 2;"):
        text = f"{table}float4 main(float4 a : A) : SV_Target {{ {body} }}"
        assert compile_shader(text, profile="ps_6_0", memory=memory).ok
    assert len(walked) == 1
