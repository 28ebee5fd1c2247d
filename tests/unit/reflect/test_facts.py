"""Information that the source adds to reflection: types that memory hides, bit-fields, declarations, counters."""

from __future__ import annotations

from typing import Any

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.reflection import Reflection
from hlsl_tool.spirv.decode import decode

SHADER = """
enum class Mode : uint { A, B };
namespace N { struct Inner { bool on; float x; }; }
struct Flags { uint low : 5; uint high : 11; int after; };
cbuffer C { bool3 b; min16float h; half g; float f; Mode m; row_major int2x3 im; N::Inner inner[2]; Flags flags; };
AppendStructuredBuffer<N::Inner> list[2];
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main() {
    o[0] = b.y + h + g + f + uint(m) + im[1].z + inner[1].on + flags.high + flags.after;
    list[1].Append(inner[0]);
    o.IncrementCounter();
}"""


def reflected(*, facts: bool = True, **options: Any) -> Reflection:
    chosen = CompileOptions(target_env="vulkan1.1", validate="no", **options)
    result = compile_shader(SHADER, profile="cs_6_2", options=chosen)
    assert result.ok, [d.message for d in result.diagnostics]
    return reflect(decode(result.spirv), result.interface if facts else None)


def test_types_that_memory_does_not_show() -> None:
    (c,) = (r for r in reflected().resources if r.name == "C")
    members = {m.name: m for m in c.type.members}
    assert members["b"].type.name == "uint3"
    wanted = {"b": "bool3", "h": "min16float", "g": "half", "m": "Mode", "im": "int2x3", "inner": "N::Inner[2]"}
    assert {name: m.hlsl["type"] for name, m in members.items() if "type" in m.hlsl} == wanted
    assert members["im"].type.name == "int3[2]"
    element = members["inner"].type.element
    assert element is not None
    assert [m.hlsl.get("type") for m in element.members] == ["bool", None]


def test_bit_fields() -> None:
    (c,) = (r for r in reflected().resources if r.name == "C")
    flags = c.type.members[-1].type.members
    assert [(m.name, m.offset) for m in flags] == [("low", 0), ("after", 4)]
    assert flags[0].hlsl["bit_fields"] == [
        {"name": "low", "type": "uint", "offset": 0, "bits": 5},
        {"name": "high", "type": "uint", "offset": 5, "bits": 11},
    ]


def test_declarations_and_layouts() -> None:
    found = {r.name: r for r in reflected().resources}
    assert found["list"].hlsl["declared"] == "AppendStructuredBuffer<N::Inner>[2]"
    assert found["list"].hlsl["layout"] == "vector-relaxed std430"
    assert found["C"].hlsl["layout"] == "vector-relaxed std140"


def test_counters_by_the_source_or_by_decorations() -> None:
    for found in (reflected(), reflected(facts=False, reflect_decorations=True)):
        by_name = {r.name: r for r in found.resources}
        o, counter = by_name["o"], by_name["counter.var.o"]
        assert o.counter == {"name": "counter.var.o", "set": 0, "binding": counter.binding}
        assert counter.counter_of == {"name": "o", "set": 0, "binding": o.binding}
    assert by_name["o"].user_type == "rwstructuredbuffer:<float>"
    assert not any(r.counter for r in reflected(facts=False).resources)
