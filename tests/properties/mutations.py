"""Small damages to HLSL texts and command lines, as from typing errors, bad merges and broken generators.

All random choices use the generator that the caller passes, so that a number identifies a mutation.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|#[ \t]*\w*|\"[^\"\n]*\"|'[^'\n]*'|[A-Za-z_]\w*|\.?\d[\w.]*(?:(?<=[eE])[+-]\d+)?"
    r"|<<=|>>=|[-+*/%&|^=<>!]=|&&|\|\||<<|>>|\+\+|--|::|\s+|.",
    re.S,
)
NUMBER = re.compile(r"\.?\d")
WORD = re.compile(r"[A-Za-z_]\w*$")
NUMBERS = (
    "0", "1", "-1", "2", "3", "4", "5", "17", "255", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
    "0x80000000", "0xffffffffffffffff", "99999999999999999999", "0.5", "1e39", "1e-46", "1.0f", "2u", "3ll", "0.5h",
    "1.5L", "08", "0x",
)  # fmt: skip
BRACKETS = "()[]{}<>"
TYPES = (
    "float", "float1", "float2", "float3", "float4", "float2x2", "float4x4", "float3x4", "float1x3", "int", "int2",
    "uint", "uint3", "uint4", "bool", "bool2", "bool2x2", "int2x3", "half", "half3", "double", "double2", "min16float",
    "min16int2", "int64_t", "uint64_t2", "float16_t", "int16_t2", "void", "Texture2D", "Texture2DArray<float4>",
    "RWTexture2D<uint>", "TextureCube", "Texture2DMS<float4>", "SamplerState", "SamplerComparisonState",
    "Buffer<float4>", "RWBuffer<int>", "StructuredBuffer<float4>", "RWStructuredBuffer<uint>", "ByteAddressBuffer",
    "RWByteAddressBuffer", "ConstantBuffer<S>", "AppendStructuredBuffer<float4>", "string", "struct", "vector<int, 3>",
    "matrix<float, 2, 3>", "SubpassInput", "RaytracingAccelerationStructure", "T", "S", "unsigned int",
)  # fmt: skip
OPERATORS = (
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", "!", "~", "=", "+=", "-=", "*=", "/=", "%=", "<<=",
    ">>=", "==", "!=", "<", ">", "<=", ">=", "?", ":", ",", ".", "::", "++", "--", "(float)", "(int4)", ";", "#", "\\",
)  # fmt: skip
WORDS = (
    "static", "const", "groupshared", "uniform", "extern", "precise", "volatile", "row_major", "column_major", "in",
    "out", "inout", "nointerpolation", "return", "discard", "break", "continue", "if", "else", "for", "while", "do",
    "switch", "case", "default", "namespace", "typedef", "cbuffer", "tbuffer", "enum", "template", "typename", "class",
    "operator", "this", "sizeof", "auto", "inline", "export", "using", "packoffset(c0)", "register(t0)", ": SV_Target",
    ": SV_Position", ": A", "[unroll]", "[loop]", "[branch]", "[numthreads(1,1,1)]", "[[vk::binding(1)]]",
    "[[vk::location(0)]]", "[[vk::push_constant]]", "globallycoherent", "snorm", "unorm", "sample", "centroid", "true",
)  # fmt: skip
SWITCHES = (
    "-enable-16bit-types", "-Zpr", "-Zpc", "-Gfa", "-Od", "-O0", "-O3", "-Zi", "-HV 2018", "-HV 2021", "-HV 2016",
    "-fvk-use-dx-layout", "-fvk-use-scalar-layout", "-fvk-use-gl-layout", "-fspv-reflect",
    "-fvk-use-dx-position-w", "-fvk-auto-shift-bindings", "-fspv-flatten-resource-arrays", "-fspv-preserve-interface",
    "-fspv-target-env=vulkan1.0", "-fspv-target-env=vulkan1.1", "-fspv-target-env=vulkan1.2",
    "-fspv-target-env=vulkan1.3", "-fspv-target-env=universal1.5", "-fspv-debug=line", "-fspv-debug=vulkan",
    "-fvk-stage-io-order=alpha", "-fspv-fix-func-call-arguments", "-Gis", "-WX", "-fspv-preserve-bindings",
    "-fvk-support-nonzero-base-instance", "-fspv-reduce-load-size", "-pack-optimized", "-fvk-use-dx-position-w",
)  # fmt: skip
PROFILES = (
    "vs_6_0", "ps_6_0", "cs_6_0", "gs_6_0", "hs_6_0", "ds_6_0", "ms_6_5", "as_6_5", "lib_6_3", "ps_6_2", "cs_6_6",
    "vs_6_1", "ps_5_1",
)  # fmt: skip

Tokens = list[str]
Mutator = Callable[[Tokens, random.Random, Sequence[str]], None]


def tokens(text: str) -> Tokens:
    """Split a text into tokens, white space and comments; joined they give the text."""
    return TOKEN.findall(text)


def _spots(items: Tokens, fits: Callable[[str], bool] = lambda token: not token.isspace()) -> list[int]:
    return [i for i, token in enumerate(items) if fits(token) and not token.startswith(("//", "/*"))]


def _pick(items: Tokens, numbers: random.Random, fits: Callable[[str], bool] | None = None) -> int | None:
    spots = _spots(items, fits) if fits else _spots(items)
    return numbers.choice(spots) if spots else None


def _replacing(fits: Callable[[str], bool] | None, pool: Sequence[str]) -> Mutator:
    def mutate(items: Tokens, numbers: random.Random, _: Sequence[str]) -> None:
        spot = _pick(items, numbers, fits)
        if spot is not None:
            items[spot] = numbers.choice(pool)

    return mutate


def delete(items: Tokens, numbers: random.Random, _: Sequence[str]) -> None:
    spot = _pick(items, numbers)
    if spot is not None:
        del items[spot]


def duplicate(items: Tokens, numbers: random.Random, _: Sequence[str]) -> None:
    spot = _pick(items, numbers)
    if spot is not None:
        items[spot:spot] = [items[spot], " "]


def swap(items: Tokens, numbers: random.Random, _: Sequence[str]) -> None:
    a, b = _pick(items, numbers), _pick(items, numbers)
    if a is not None and b is not None:
        items[a], items[b] = items[b], items[a]


def other_name(items: Tokens, numbers: random.Random, _: Sequence[str]) -> None:
    """Replace a name by another one of the same file."""
    a, b = (_pick(items, numbers, lambda token: bool(WORD.match(token))) for _ in range(2))
    if a is not None and b is not None:
        items[a] = items[b]


def foreign(items: Tokens, numbers: random.Random, others: Sequence[str]) -> None:
    spot = _pick(items, numbers)
    words = tokens(numbers.choice(others))
    if spot is not None and words:
        items[spot] = numbers.choice(words)


def foreign_line(items: Tokens, numbers: random.Random, others: Sequence[str]) -> None:
    found = [line for line in numbers.choice(others).split("\n") if line.strip() and "//" not in line]
    ends = [i for i, token in enumerate(items) if "\n" in token]
    if found and ends:
        items.insert(numbers.choice(ends) + 1, numbers.choice(found) + "\n")


def insert(items: Tokens, numbers: random.Random, _: Sequence[str]) -> None:
    spot = _pick(items, numbers)
    if spot is not None:
        items[spot:spot] = [numbers.choice((*WORDS, *OPERATORS, *NUMBERS, *BRACKETS)), " "]


def truncate(items: Tokens, numbers: random.Random, _: Sequence[str]) -> None:
    spot = _pick(items, numbers)
    if spot is not None:
        del items[spot:]


def cut(items: Tokens, numbers: random.Random, _: Sequence[str]) -> None:
    spot = _pick(items, numbers)
    if spot is not None:
        del items[spot : spot + numbers.randrange(2, 20)]


def repeat(items: Tokens, numbers: random.Random, _: Sequence[str]) -> None:
    spot = _pick(items, numbers)
    if spot is not None:
        run = items[spot : spot + numbers.randrange(2, 30)]
        items[spot:spot] = [*run, " "]


def move(items: Tokens, numbers: random.Random, _: Sequence[str]) -> None:
    spot, target = _pick(items, numbers), _pick(items, numbers)
    if spot is not None and target is not None:
        run = items[spot : spot + numbers.randrange(1, 15)]
        del items[spot : spot + len(run)]
        items[target:target] = run


def _is_type(token: str) -> bool:
    return token in TYPES or re.fullmatch(r"(?:float|int|uint|bool|half|double)[1-4](?:x[1-4])?", token) is not None


def _kind(token: str) -> str:
    """Return the kind of a token, such as `number`, `name` or `binary`.

    A text mostly remains well-formed if a token is replaced by another one of the same kind.
    """
    if NUMBER.match(token):
        return "number"
    if WORD.match(token):
        return "type" if _is_type(token) else "word" if token in WORDS else "name"
    return next((kind for kind, members in _OPERATOR_KINDS.items() if token in members), token)


_OPERATOR_KINDS = {
    "binary": ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", "==", "!=", "<", ">", "<=", ">=", ","),
    "assignment": ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="),
    "unary": ("!", "~", "++", "--"),
}


def alike(items: Tokens, numbers: random.Random, others: Sequence[str]) -> None:
    """Replace a token by one of the same kind, from this or another file."""
    spot = _pick(items, numbers)
    if spot is None:
        return
    kind = _kind(items[spot])
    pool = [*items, *tokens(numbers.choice(others))] if numbers.randrange(3) == 0 else items
    items[spot] = numbers.choice([token for token in pool if _kind(token) == kind] or [items[spot]])


def operator(items: Tokens, numbers: random.Random, _: Sequence[str]) -> None:
    spot = _pick(items, numbers, lambda token: _kind(token) in _OPERATOR_KINDS)
    if spot is not None:
        items[spot] = numbers.choice(_OPERATOR_KINDS[_kind(items[spot])])


def lines(items: Tokens, numbers: random.Random, _: Sequence[str]) -> None:
    """Delete, duplicate or swap lines."""
    parts = "".join(items).split("\n")
    a, b = numbers.randrange(len(parts)), numbers.randrange(len(parts))
    what = numbers.randrange(3)
    if what == 0:
        del parts[a]
    elif what == 1:
        parts.insert(b, parts[a])
    else:
        parts[a], parts[b] = parts[b], parts[a]
    items[:] = tokens("\n".join(parts))


_ROUGH: tuple[Mutator, ...] = (
    delete,
    duplicate,
    swap,
    foreign,
    insert,
    truncate,
    cut,
    repeat,
    move,
    foreign_line,
    _replacing(lambda token: token in BRACKETS, BRACKETS),
    _replacing(lambda token: token in OPERATORS, OPERATORS),
    _replacing(lambda token: token in WORDS, WORDS),
)
"""Mutations after which little can be parsed."""

_FINE: tuple[Mutator, ...] = (
    other_name,
    alike,
    alike,
    alike,
    alike,
    operator,
    lines,
    lines,
    foreign_line,
    _replacing(lambda token: bool(NUMBER.match(token)), NUMBERS),
    _replacing(_is_type, TYPES),
    _replacing(_is_type, TYPES),
)
"""These mutations often keep the syntax valid, so that later stages see them."""


def mutate(text: str, others: Sequence[str], numbers: random.Random) -> str:
    items = tokens(text)
    for _ in range(numbers.choice((1, 1, 1, 2, 2, 3))):
        numbers.choice(_ROUGH if numbers.randrange(4) == 0 else _FINE)(items, numbers, others)
    return "".join(items)


def mutate_options(arguments: list[str], numbers: random.Random) -> list[str]:
    """Change one command line in eight: another profile, an additional switch, or a missing one."""
    made = list(arguments)
    if numbers.randrange(8) == 0:
        if numbers.randrange(3) == 0 and "-T" in made:
            made[made.index("-T") + 1] = numbers.choice(PROFILES)
        else:
            made += numbers.choice(SWITCHES).split()
    return made
