"""HIR is complete: it refers to no node of the syntax tree, and contains annotations as checked data."""

from __future__ import annotations

import dataclasses

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import MemoryFileSystem, SourceFile
from hlsl_tool.frontend.preprocessor import PreprocessOptions, PreprocessorMemory, preprocess
from hlsl_tool.frontend.sema.analysis import SemaMemory, analyze
from hlsl_tool.frontend.sema.model.annotations import PackOffset, Register, Semantic
from hlsl_tool.frontend.sema.model.hir import CBuffer, Program, Variable
from hlsl_tool.frontend.sema.scope.context import Language
from hlsl_tool.frontend.syntax.memory import SyntaxMemory
from hlsl_tool.frontend.syntax.parser import parse

SOURCE = """
struct V { float4 place : SV_Position; [[vk::location(2)]] float2 uv : TEXCOORD3; };
cbuffer C : register(b1, space2) { float4 k : packoffset(c1); float j : packoffset(c2.y); };
Texture2D<float4> t : register(ps, t4) : register(vs, t5);
SamplerState s;
template <typename T> T twice(T x) { return x * 2; }
[numthreads(1, 1, 1)] void unused() {}
float4 main(V v, uint i : SV_PrimitiveID) : SV_Target1 {
    [unroll] for (int n = 0; n < 3; ++n) v.uv += twice(k.xy);
    return t.Sample(s, v.uv) * j;
}
"""
SEMA_ONLY = ("source", "chunk", "default_chunk", "default_chunks", "deferred_default")
"""Fields that only ``sema`` reads, or that refer to the tokens of a declaration."""


def analyzed() -> Program:
    sink = Sink()
    stream = preprocess(
        SourceFile("a.hlsl", "/a.hlsl", SOURCE),
        PreprocessOptions(),
        fs=MemoryFileSystem({}),
        memory=PreprocessorMemory(),
        sink=sink,
    )
    unit = parse(stream, memory=SyntaxMemory(), sink=sink)
    program = analyze(unit, Language(stage="ps"), entries=["main"], memory=SemaMemory(), sink=sink)
    assert not sink.diagnostics
    return program


def modules(root: object) -> set[str]:
    """Return the modules whose classes occur in a tree of dataclasses."""
    seen: set[int] = set()
    names: set[str] = set()
    todo = [root]
    while todo:
        x = todo.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if isinstance(x, (list, tuple)):
            todo += x
        elif isinstance(x, dict):
            todo += [*x, *x.values()]
        elif dataclasses.is_dataclass(x) and not isinstance(x, type):
            names.add(type(x).__module__)
            todo += [getattr(x, f.name) for f in dataclasses.fields(x) if f.name not in SEMA_ONLY]
    return names


def test_no_syntax_tree() -> None:
    names = modules(analyzed())
    assert "hlsl_tool.frontend.sema.model.annotations" in names
    assert not [name for name in names if name.startswith("hlsl_tool.frontend.syntax")]


def test_annotations() -> None:
    program = analyzed()
    (block,) = [x for x in program.globals if isinstance(x, CBuffer)]
    (texture,) = [x for x in program.globals if isinstance(x, Variable) and x.name == "t"]
    assert block.registers == (Register("b", 1, 2, None, block.registers[0].pos),)
    assert [m.packoffset for m in block.members] == [PackOffset(16, 13), PackOffset(36, 21)]
    assert [(r.letter, r.number, r.profile) for r in texture.registers] == [("t", 4, "ps"), ("t", 5, "vs")]
    entry = program.entry
    assert entry is not None and entry.semantic is not None and entry.semantic.name == "SV_Target1"
    vertex, number = entry.params
    assert vertex.semantic is None
    assert number.semantic == Semantic("SV_PrimitiveID", number.pos + 2)
    (struct,) = program.structs
    assert [f.semantic.name for f in struct.fields if f.semantic is not None] == ["SV_Position", "TEXCOORD3"]
    assert [(a.scope, a.name, a.args) for a in struct.fields[1].attributes] == [("vk", "location", (2,))]
