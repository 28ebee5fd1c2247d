"""Data: hints for words of other languages and for reserved words."""

from __future__ import annotations

CONSTRUCTOR = "HLSL structs have no constructors: write a function that returns the struct"

_RESERVED = {
    "new": "HLSL has no dynamic memory: declare an array of constant size",
    "delete": "HLSL has no dynamic memory",
    "goto": "write a loop with `break`, or a function with `return`",
    "try": "HLSL has no exceptions",
    "catch": "HLSL has no exceptions",
    "throw": "HLSL has no exceptions",
    "dynamic_cast": "write a cast as `(float)x`",
    "reinterpret_cast": "`asfloat`, `asint` and `asuint` read bits as another type",
    "const_cast": "write a cast as `(float)x`",
    "static_cast": "write a cast as `(float)x`",
    "union": "`asfloat`, `asint` and `asuint` read bits as another type",
    "friend": "members of HLSL structs are public",
    "protected": "members of HLSL structs are public",
    "operator": "write a function with a name",
    "signed": "`int` is signed",
    "unsigned": "write `uint`",
    "char": "the smallest integers are `int8_t` and `uint8_t`, with -enable-8bit-types",
    "short": "write `int16_t` with -enable-16bit-types, or `min16int`",
    "long": "write `int64_t`",
    "explicit": "HLSL structs have no constructors",
    "virtual": "HLSL has no virtual functions: use templates",
    "mutable": "members of HLSL structs can be changed by every method that is not `const`",
    "sizeof": "`sizeof` works for types and values, not in the preprocessor",
}

_DECLARATION = {
    "layout": "'layout(...)' is GLSL; HLSL writes `[[vk::binding(0)]]`, or `: register(t0)` behind the name",
    "varying": "'varying' is GLSL; HLSL passes values between stages by parameters with semantics",
    "attribute": "'attribute' is GLSL; HLSL passes values between stages by parameters with semantics",
    "constant": "'constant' is Metal; HLSL has `cbuffer` and `static const`",
    "device": "'device' is Metal; HLSL has `RWStructuredBuffer`",
    "kernel": "'kernel' is Metal or OpenCL; HLSL marks an entry point with `[numthreads(x, y, z)]`",
    "vertex": "'vertex' is Metal; HLSL chooses the stage by the profile, `-T vs_6_0`",
    "fragment": "'fragment' is Metal; HLSL chooses the stage by the profile, `-T ps_6_0`",
    "__shared__": "'__shared__' is CUDA; HLSL calls it 'groupshared'",
    "__device__": "'__device__' is CUDA; HLSL functions need no such word",
    "__global__": "'__global__' is CUDA; HLSL marks an entry point with `[numthreads(x, y, z)]`",
    "__constant__": "'__constant__' is CUDA; HLSL has `cbuffer` and `static const`",
    "__kernel": "'__kernel' is OpenCL; HLSL marks the entry point of a compute shader with `[numthreads(x, y, z)]`",
    "__local": "'__local' is OpenCL; HLSL calls it 'groupshared'",
    "shared": "GLSL's 'shared' is 'groupshared' in HLSL",
    "threadgroup": "'threadgroup' is Metal; HLSL calls it 'groupshared'",
    "readonly": "'readonly' is GLSL; HLSL has `Buffer`, `StructuredBuffer` and `Texture2D`",
    "restrict": "HLSL has no 'restrict': resources have no pointers",
}
"""Word of another language before a declaration → hint."""


def for_reserved(word: str) -> str | None:
    """Return the hint for a reserved word of C++, or ``None``."""
    return _RESERVED.get(word)


def for_declaration(word: str) -> str | None:
    """Return the hint for a word of another language that begins a declaration, or ``None``."""
    return _DECLARATION.get(word)
