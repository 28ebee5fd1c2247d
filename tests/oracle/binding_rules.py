"""Test cases for each rule of the manual's *HLSL register and Vulkan binding* and related sections, with the results.

`tests/unit/lower/test_binding_rules.py` runs them with this compiler, `test_binding_rules.py` in this folder with DXC.
"""

from __future__ import annotations

from dataclasses import dataclass

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Module

Places = dict[str, tuple[int, int]]
"""Variable → (set, binding)"""

S = "struct S { float4 v; };"


@dataclass(frozen=True)
class BindingRule:
    name: str
    text: str
    """Declarations; after `MAIN`, the statements of the entry point."""
    wanted: Places
    flags: str = ""
    profile: str = "cs_6_0"
    young: bool = False
    """Whether the DXC of 2022 lacks the rule, or has another one."""

    @property
    def shader(self) -> str:
        declarations, _, body = self.text.partition("MAIN")
        return f"{S}\n{declarations}\n[numthreads(1, 1, 1)] void main() {{ {body} }}\n"


SUMMARY = """
ConstantBuffer<S> cbuffer1 : register(b0);
Texture2D<float4> texture1 : register(t0);
Texture2D<float4> texture2 : register(t1, space1);
SamplerState sampler1;
[[vk::binding(3)]] RWBuffer<float4> rwbuffer1 : register(u5, space2);
"""
CBUFFERS = """
cbuffer buf0 : register(b0) { float4 non_resource0; };
cbuffer buf1 : register(b4) { float4 non_resource1; };
cbuffer buf2 { float4 non_resource2; Texture2D resource0; SamplerState resource1; };
cbuffer buf3 : register(b2) { SamplerState resource2; }
"""
LETTERS = """
Texture1D t1; Texture2DArray t2; TextureCube t3; Texture2DMS<float4> t4; StructuredBuffer<S> t5; ByteAddressBuffer t6;
Buffer<float4> t7; tbuffer t8 { float4 x8; }; TextureBuffer<S> t9;
SamplerState s1; SamplerComparisonState s2;
RWByteAddressBuffer u1; RWBuffer<float4> u2; RWTexture3D<float4> u3; RWTexture1DArray<float4> u4;
cbuffer b1 { float4 y1; }; ConstantBuffer<S> b2;
"""
ALL = "-fvk-b-shift 100 all -fvk-t-shift 200 all -fvk-s-shift 300 all -fvk-u-shift 400 all"
HEAP = "RWStructuredBuffer<int> tmp = ResourceDescriptorHeap[0]; tmp.IncrementCounter();"
HEAP_ALL = f"""{HEAP} Texture2D t = ResourceDescriptorHeap[1]; SamplerState s = SamplerDescriptorHeap[0];
    tmp[0] = int(t.SampleLevel(s, 0, 0).x);"""
COUNTER = "counter.var.ResourceDescriptorHeap"

RULES: tuple[BindingRule, ...] = (
    # ---- explicit
    BindingRule("an attribute gives binding and set", "[[vk::binding(2, 3)]] Texture2D t;", {"t": (3, 2)}),
    BindingRule("the set may be left out", "[[vk::binding(2)]] Texture2D t;", {"t": (0, 2)}),
    BindingRule("then it is that of -auto-binding-space", "[[vk::binding(2)]] Texture2D t;", {"t": (7, 2)},
                "-auto-binding-space 7"),
    BindingRule("an attribute wins over a register and over shifts",
                "[[vk::binding(2)]] Texture2D t : register(t8, space4);", {"t": (0, 2)}, "-fvk-t-shift 50 all"),
    BindingRule("a counter is in the set of its buffer",
                "[[vk::binding(2, 3), vk::counter_binding(9)]] RWStructuredBuffer<S> o; MAIN o.IncrementCounter();",
                {"o": (3, 2), "counter.var.o": (3, 9)}),
    BindingRule("a counter without a number gets the next of that set",
                "[[vk::binding(0, 3)]] AppendStructuredBuffer<S> o; MAIN S s = (S)0; o.Append(s);",
                {"o": (3, 0), "counter.var.o": (3, 1)}),
    # ---- registers
    BindingRule("a register gives binding and set", "Texture2D t : register(t2, space3);", {"t": (3, 2)}),
    BindingRule("a register without a space is in set 0, or that of -auto-binding-space",
                "Texture2D t : register(t2); Texture2D u : register(t2, space1);", {"t": (5, 2), "u": (1, 2)},
                "-auto-binding-space 5"),
    BindingRule("the letter does not count", "ConstantBuffer<S> b : register(b1); Texture2D t : register(t1);",
                {"b": (0, 1), "t": (0, 1)}),
    BindingRule("shifts tell letters apart",
                "ConstantBuffer<S> b : register(b1); Texture2D t : register(t1); SamplerState s : register(s1);"
                "RWBuffer<float> u : register(u1);",
                {"b": (0, 101), "t": (0, 201), "s": (0, 301), "u": (0, 401)}, ALL),
    BindingRule("a shift holds for its space", "Texture2D t : register(t1); Texture2D u : register(t1, space2);",
                {"t": (0, 1), "u": (2, 31)}, "-fvk-t-shift 30 2"),
    BindingRule("several spaces, several shifts",
                "Texture2D t : register(t1); Texture2D u : register(t1, space2);", {"t": (0, 11), "u": (2, 31)},
                "-fvk-t-shift 30 2 -fvk-t-shift 10 0"),
    BindingRule("the last shift of a space counts", "Texture2D t : register(t1);", {"t": (0, 21)},
                "-fvk-t-shift 10 0 -fvk-t-shift 20 0"),
    BindingRule("`all` is every space", "Texture2D t : register(t1); Texture2D u : register(t1, space2);",
                {"t": (0, 31), "u": (2, 31)}, "-fvk-t-shift 30 all"),
    # ---- the rest
    BindingRule("the rest takes what is free, in order of declaration",
                "Texture2D a; Texture2D b : register(t1); SamplerState c; ConstantBuffer<S> d;",
                {"a": (0, 0), "b": (0, 1), "c": (0, 2), "d": (0, 3)}),
    BindingRule("of the set that -auto-binding-space names", "Texture2D a; Texture2D b : register(t0);",
                {"a": (4, 1), "b": (4, 0)}, "-auto-binding-space 4"),
    BindingRule("a space alone names the set", "Texture2D a : register(space2); Texture2D b : register(t0, space2);",
                {"a": (2, 1), "b": (2, 0)}),
    BindingRule("an array takes one binding", "Texture2D a[3]; Texture2D b;", {"a": (0, 0), "b": (0, 1)}),
    BindingRule("or as many as it has elements", "Texture2D a[3]; Texture2D b; Texture2D c[2] : register(t3);",
                {"a": (0, 0), "b": (0, 5), "c": (0, 3)}, "-fspv-flatten-resource-arrays"),
    BindingRule("without a register nothing is shifted", "Texture2D a; SamplerState b;", {"a": (0, 0), "b": (0, 1)},
                ALL),
    BindingRule("but with -fvk-auto-shift-bindings, by the kind of resource", LETTERS,
                {**{f"t{n}": (0, 199 + n) for n in range(1, 10)}, **{f"s{n}": (0, 299 + n) for n in (1, 2)},
                 **{f"u{n}": (0, 399 + n) for n in range(1, 5)}, **{f"b{n}": (0, 99 + n) for n in (1, 2)}},
                f"-fvk-auto-shift-bindings {ALL}"),
    BindingRule("the manual's summary", SUMMARY,
                {"rwbuffer1": (0, 3), "cbuffer1": (0, 0), "texture1": (0, 10), "texture2": (1, 21),
                 "sampler1": (0, 1)}, "-fvk-t-shift 10 0 -fvk-t-shift 20 1"),
    BindingRule("resources in cbuffers", CBUFFERS + "MAIN float4 x = non_resource0 + non_resource1 + non_resource2;",
                {"buf0": (0, 0), "buf1": (0, 4), "resource2": (0, 5), "resource0": (0, 1), "resource1": (0, 2),
                 "buf2": (0, 3)}),  # not as the manual has it: the register is the block's only
    # ---- globals
    BindingRule("$Globals where the first of them stands", "float4 k; Texture2D t; float4 l;",
                {"$Globals": (0, 0), "t": (0, 1)}),
    BindingRule("$Globals behind what comes before", "Texture2D t; float4 k;", {"$Globals": (0, 1), "t": (0, 0)}),
    BindingRule("-fvk-bind-globals", "Texture2D t; float4 k;", {"$Globals": (1, 2), "t": (0, 0)},
                "-fvk-bind-globals 2 1"),
    BindingRule("-auto-binding-space holds for $Globals", "float4 k;", {"$Globals": (6, 0)}, "-auto-binding-space 6"),
    # ---- the table
    BindingRule("-fvk-bind-register", "Texture2D t : register(t2, space3); ConstantBuffer<S> b : register(b0);",
                {"t": (1, 9), "b": (4, 8)}, "-fvk-bind-register t2 3 9 1 -fvk-bind-register b0 0 8 4"),
    BindingRule("-fvk-bind-register wins over attributes", "[[vk::binding(5, 5)]] Texture2D t : register(t2);",
                {"t": (1, 9)}, "-fvk-bind-register t2 0 9 1"),
    BindingRule("-fvk-bind-register with -fvk-bind-globals", "float4 k; Texture2D t : register(t2);",
                {"t": (1, 9), "$Globals": (3, 2)}, "-vkbr t2 0 9 1 -fvk-bind-globals 2 3"),
    # ---- heaps
    BindingRule("heaps come last, counters behind them", f"MAIN {HEAP_ALL}",
                {"ResourceDescriptorHeap": (0, 0), "SamplerDescriptorHeap": (0, 1), COUNTER: (0, 2)},
                profile="cs_6_6", young=True),
    BindingRule("heaps keep clear of what is bound", f"[[vk::binding(1, 0)]] RWStructuredBuffer<int> b; MAIN {HEAP}",
                {"b": (0, 1), "ResourceDescriptorHeap": (0, 0), COUNTER: (0, 2)}, profile="cs_6_6", young=True),
    BindingRule("only what is used gets a binding", "MAIN RWBuffer<int> b = ResourceDescriptorHeap[2]; b[0] = 1;",
                {"ResourceDescriptorHeap": (0, 0)}, profile="cs_6_6", young=True),
    BindingRule("heaps where the options say", f"MAIN {HEAP_ALL}",
                {"ResourceDescriptorHeap": (2, 5), "SamplerDescriptorHeap": (3, 6), COUNTER: (4, 7)},
                "-fvk-bind-resource-heap 5 2 -fvk-bind-sampler-heap 6 3 -fvk-bind-counter-heap 7 4", "cs_6_6", True),
    BindingRule("what options give to heaps is not handed out", f"Texture2D t; MAIN {HEAP}",
                {"t": (0, 1), "ResourceDescriptorHeap": (0, 0), COUNTER: (0, 2)},
                "-fvk-bind-resource-heap 0 0", "cs_6_6", True),
)  # fmt: skip


def places(module: Module) -> Places:
    """Return the (set, binding) of each resource of a module."""
    names = {inst.id(0): inst.text(1) for inst in module.names if inst.op == op.OpName}
    found: dict[int, dict[int, int]] = {}
    for inst in module.annotations:
        if inst.op == op.OpDecorate and inst.id(1) in (e.Decoration.DescriptorSet, e.Decoration.Binding):
            found.setdefault(inst.id(0), {})[inst.id(1)] = inst.id(2)
    return {
        names.get(number, ""): (place[e.Decoration.DescriptorSet], place[e.Decoration.Binding])
        for number, place in found.items()
    }
