"""Bit-fields of random widths, in every kind of memory and in casts, compared with a packer of our own.

HLSL_TOOL_BIT_FIELD_SEEDS is the number of structs; each has integers of both signs, enumerations, fields of no
width, and whole members between them.
"""

from __future__ import annotations

import os
import random
import struct
from dataclasses import dataclass, field

import pytest

from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.options.model import CompileOptions
from hlsl_tool.reflect.blocks import find_block
from hlsl_tool.reflect.host import pack, unpack
from tests.execute.vulkan import Vulkan, storage, uniform

SEEDS = range(int(os.environ.get("HLSL_TOOL_BIT_FIELD_SEEDS", "4")))
LEVELS = ("performance", "none", "size")
MEMORY = Memory()
DECLARATIONS = """
namespace sizes {{ static const uint WIDTH = {width}; }}
static const int FIVE = 5;
enum class Kind : uint {{ A, B, C, D }};
enum class Signed : int {{ N = -1, Z, P }};
struct Bits {{
{members}
}};
struct Whole {{
{whole}
}};
"""


@dataclass
class Field:
    """A member: HLSL's type and width as written, and its place."""

    name: str
    type: str
    spelling: str = ""
    bits: int = 0
    word: int = 0
    offset: int = 0

    @property
    def signed(self) -> bool:
        return self.type in ("int", "Signed")

    def random(self, rng: random.Random) -> int:
        width = self.bits or 32
        return rng.randrange(-(1 << width - 1), 1 << width - 1) if self.signed else rng.randrange(1 << width)


@dataclass
class Layout:
    """A struct, packed as the manual says: bit-fields of one size and sign share words as long as they fit."""

    fields: list[Field] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    words: int = 0
    width: int = 3

    def pack(self, values: dict[str, int]) -> bytes:
        words = [0] * self.words
        for f in self.fields:
            mask = (1 << (f.bits or 32)) - 1
            words[f.word] |= (values[f.name] & mask) << f.offset
        return struct.pack(f"<{self.words}I", *words)

    def whole(self, values: dict[str, int]) -> bytes:
        return b"".join(struct.pack("<I", values[f.name] & 0xFFFFFFFF) for f in self.fields)

    @property
    def declarations(self) -> str:
        whole = "\n".join(f"    {f.type} whole_{f.name};" for f in self.fields)
        return DECLARATIONS.format(width=self.width, members="\n".join(self.lines), whole=whole)


def layout(seed: int) -> Layout:
    """Return a random struct."""
    rng = random.Random(seed)
    made = Layout(width=rng.randrange(1, 12))
    spellings = {made.width: ["sizes::WIDTH", "(sizes::WIDTH)"], 5: ["FIVE", "FIVE * 1"], 27: ["32 - FIVE"]}
    previous: tuple[bool, int] | None = None  # (signed, bits used) of the open word
    for number in range(rng.randrange(6, 12)):
        kind = rng.choice(("uint", "uint", "int", "Kind", "Signed", "gap", "plain"))
        name = f"f{number}"
        if kind == "gap":
            made.lines.append(f"    {rng.choice(('uint', 'int'))} : 0;")
            previous = None
            continue
        if kind == "plain":
            f = Field(name, rng.choice(("uint", "int")), word=made.words)
            made.lines.append(f"    {f.type} {name};")
            made.words += 1
            previous = None
        else:
            bits = rng.choice((1, 3, 5, 8, 13, 16, 27, 32, made.width))
            spelling = rng.choice([str(bits), *spellings.get(bits, [])])
            f = Field(name, kind, spelling, bits)
            made.lines.append(f"    {kind} {name} : {spelling};")
            if previous is not None and previous[0] == f.signed and previous[1] + bits <= 32:
                f.word, f.offset = made.words - 1, previous[1]
            else:
                f.word = made.words
                made.words += 1
            previous = f.signed, f.offset + bits
        made.fields.append(f)
    return made


def filled(seed: int) -> tuple[Layout, dict[str, int]]:
    """Return a random struct, and a value for each of its members."""
    s, rng = layout(seed), random.Random(seed)
    return s, {f.name: f.random(rng) for f in s.fields}


BODY = """
StructuredBuffer<Bits> input : register(t0);
cbuffer Block : register(b1) {{ Bits constant; }};
RWStructuredBuffer<Whole> read : register(u2);
RWStructuredBuffer<Bits> written : register(u3);
StructuredBuffer<Whole> values : register(t4);
RWByteAddressBuffer raw : register(u5);
groupshared Bits exchanged[2];
struct Push {{ Bits bits; }};
[[vk::push_constant]] Push push;
void put(inout Whole w, uint i) {{ read[i] = w; }}
Bits made(Whole v) {{
    return (Bits)v;
}}
[numthreads(1, 1, 1)] void main()
{{
    // member by member
    read[0] = (Whole)0;
{reads}
    // by casts, from each kind of memory
    read[1] = (Whole)input[0];
    read[2] = (Whole)constant;
    read[3] = (Whole)raw.Load<Bits>(0);
    Whole again = (Whole)made(values[0]);
    put(again, 4);
    exchanged[1] = input[0];
    read[5] = (Whole)exchanged[1];
    read[6] = (Whole)push.bits;
    // writes: members, casts, raw memory
{writes}
    written[1] = (Bits)values[0];
    written[2] = input[0];
    raw.Store(128, (Bits)values[0]);
    Bits list = {{ {list} }};
    written[3] = list;
}}
"""


def compiled(source: str, **options: object) -> CompileResult:
    chosen = CompileOptions(target_env="vulkan1.2", **options)  # type: ignore[arg-type]
    result = compile_shader(source, entry="main", profile="cs_6_6", options=chosen, memory=MEMORY)
    assert result.ok, [d.message for d in result.diagnostics]
    return result


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("rule", ["vulkan", "dx", "gl", "scalar"])
@pytest.mark.parametrize("seed", SEEDS)
def test_in_memory(vulkan: Vulkan, seed: int, rule: str, level: str) -> None:
    s, values = filled(seed)
    body = BODY.format(
        reads="\n".join(f"    read[0].whole_{f.name} = input[0].{f.name};" for f in s.fields),
        writes="\n".join(f"    written[0].{f.name} = values[0].whole_{f.name};" for f in s.fields),
        list=", ".join(f"values[0].whole_{f.name}" for f in s.fields),
    )
    result = compiled(s.declarations + body, optimize=level, layout=rule)
    packed = s.pack(values)
    whole = s.whole(values)
    size, count = len(packed), len(s.fields) * 4
    element = find_block(result.reflect(), "input").stride or size
    out = vulkan.run_compute(
        result.spirv,
        {
            (0, 0): storage(packed.ljust(element, b"\0")),
            (0, 1): uniform(packed.ljust(256, b"\0")),
            (0, 2): storage(8 * 256),
            (0, 3): storage(4 * element),
            (0, 4): storage(whole.ljust(256, b"\0")),
            (0, 5): storage(packed.ljust(512, b"\0")),
        },
        push=packed.ljust(64, b"\0"),
    )
    stride = find_block(result.reflect(), "read").stride or count
    for number in range(7):
        got = out[0, 2][number * stride : number * stride + count]
        assert got == whole, (number, rule, s.declarations, struct.unpack(f"<{count // 4}i", got), values)
    for number in range(4):
        got = out[0, 3][number * element : number * element + size]
        assert got == packed, (number, rule, s.declarations, got.hex(), packed.hex())
    assert out[0, 5][128 : 128 + size] == packed, (s.declarations, values)
    host = find_block(result.reflect(), "input").element
    assert bytes(pack(host, values))[:size] == packed
    assert unpack(host, packed.ljust(element, b"\0")) == values


VARYINGS = "struct Varyings { float4 at : SV_Position; nointerpolation Bits bits : BITS; float after : AFTER; };"
STAGES = {
    "vs": """
StructuredBuffer<Bits> input : register(t0);
Varyings main(uint id : SV_VertexID)
{
    Varyings v;
    v.at = float4(id & 1 ? 3 : -1, id & 2 ? 3 : -1, 0, 1);
    v.bits = input[0];
    v.after = 1;
    return v;
}
""",
    "ps": """
RWStructuredBuffer<Whole> read : register(u1);
void main(Varyings v)
{
    if (v.after == 1)
        read[0] = (Whole)v.bits;
}
""",
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", SEEDS)
def test_between_stages(vulkan: Vulkan, seed: int, level: str) -> None:
    """A struct of bit-fields beside other outputs arrives whole: a location for each word."""
    s, values = filled(seed)
    stages = {}
    for stage, source in STAGES.items():
        options = CompileOptions(target_env="vulkan1.2", optimize=level)
        text = f"{s.declarations}{VARYINGS}{source}"
        result = compile_shader(text, entry="main", profile=f"{stage}_6_6", options=options, memory=MEMORY)
        assert result.ok, [d.message for d in result.diagnostics]
        stages[stage] = result.spirv
    resources = {(0, 0): storage(s.pack(values)), (0, 1): storage(4 * len(s.fields))}
    out = vulkan.run_graphics(stages, resources, (4, 4), 3)
    assert out[0, 1] == s.whole(values), s.declarations
