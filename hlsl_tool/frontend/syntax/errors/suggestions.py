"""Hints for unknown words: similar spellings, and words of other languages."""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.base.diagnostics.diagnostic import Advice, Edit
from hlsl_tool.base.similar import most_similar
from hlsl_tool.frontend.syntax.builtin_types import BUILTIN_TYPES
from hlsl_tool.frontend.syntax.errors import words

_PREFIXES = {"vec": "float", "ivec": "int", "uvec": "uint", "bvec": "bool", "dvec": "double"}

FROM_GLSL: dict[str, str] = {
    **{f"{glsl}{n}": f"{hlsl}{n}" for glsl, hlsl in _PREFIXES.items() for n in (2, 3, 4)},
    **{f"mat{n}": f"float{n}x{n}" for n in (2, 3, 4)},
    **{f"mat{c}x{r}": f"float{c}x{r}" for c in (2, 3, 4) for r in (2, 3, 4)},
    "image2D": "RWTexture2D", "image3D": "RWTexture3D", "memoryBarrierShared": "GroupMemoryBarrier",
    "barrier": "GroupMemoryBarrierWithGroupSync", "gl_LocalInvocationID": "SV_GroupThreadID",
    "gl_PrimitiveID": "SV_PrimitiveID", "gl_FrontFacing": "SV_IsFrontFace", "gl_SampleID": "SV_SampleIndex",
    "gl_VertexID": "SV_VertexID", "gl_InstanceID": "SV_InstanceID",
    "mix": "lerp", "fract": "frac", "mod": "fmod", "inversesqrt": "rsqrt", "dFdx": "ddx", "dFdy": "ddy",
    "bitCount": "countbits", "findLSB": "firstbitlow", "findMSB": "firstbithigh",
    "floatBitsToUint": "asuint", "floatBitsToInt": "asint", "uintBitsToFloat": "asfloat", "intBitsToFloat": "asfloat",
    "gl_FragCoord": "SV_Position", "gl_VertexIndex": "SV_VertexID",
    "gl_InstanceIndex": "SV_InstanceID", "gl_GlobalInvocationID": "SV_DispatchThreadID",
    "gl_LocalInvocationIndex": "SV_GroupIndex", "gl_WorkGroupID": "SV_GroupID",
}  # fmt: skip
"""GLSL word → HLSL word."""

FROM_OTHERS: dict[str, str] = {
    "u8": "uint", "u32": "uint", "i32": "int", "f32": "float", "f16": "half", "powf": "pow", "sqrtf": "sqrt",
    "sinf": "sin", "cosf": "cos", "fabs": "abs", "fabsf": "abs", "fminf": "min", "fmaxf": "max", "floorf": "floor",
    "lerpf": "lerp", "rsqrtf": "rsqrt", "__syncthreads": "GroupMemoryBarrierWithGroupSync",
    "threadgroup_barrier": "GroupMemoryBarrierWithGroupSync", "size_t": "uint", "uchar": "uint", "ushort": "uint16_t",
    "nullptr": "0", "NULL": "0",
}  # fmt: skip
"""Word of C, C++, CUDA, Metal or Rust → HLSL word."""

_PHRASES = {
    "numeric_limits": "compile with `-HV 202x`, which has `numeric_limits`",
    "gl_FragColor": "'gl_FragColor' is GLSL; an HLSL function returns its colour, with the semantic 'SV_Target'",
    "gl_FragDepth": "'gl_FragDepth' is GLSL; HLSL has an output with the semantic 'SV_Depth'",
    "gl_Position": "'gl_Position' is GLSL; HLSL has an output with the semantic 'SV_Position'",
    "imageLoad": "'imageLoad' is GLSL; HLSL reads an element of a texture, `t[position]`",
    "imageStore": "'imageStore' is GLSL; HLSL assigns to an element of a texture, `t[position] = value`",
    "texelFetch": "'texelFetch' is GLSL; HLSL calls a method: `t.Load(int3(position, lod))`",
    "texture": "HLSL declares `Texture2D t;` and calls a method: `t.Sample(s, uv)`",
    "texture2D": "'texture2D' is GLSL; HLSL calls a method: `t.Sample(s, uv)`",
    "textureLod": "'textureLod' is GLSL; HLSL calls a method: `t.SampleLevel(s, uv, lod)`",
    "textureGrad": "'textureGrad' is GLSL; HLSL calls a method: `t.SampleGrad(s, uv, dx, dy)`",
    "textureSize": "'textureSize' is GLSL; HLSL calls a method: `t.GetDimensions(width, height)`",
    "atomicAdd": "HLSL has `InterlockedAdd(target, value, previous)`",
    "atomicMin": "HLSL has `InterlockedMin(target, value, previous)`",
    "atomicMax": "HLSL has `InterlockedMax(target, value, previous)`",
    "threadIdx": "'threadIdx' is CUDA; HLSL has a parameter with the semantic 'SV_GroupThreadID'",
    "blockIdx": "'blockIdx' is CUDA; HLSL has a parameter with the semantic 'SV_GroupID'",
    **{
        f"sampler{kind}": f"'sampler{kind}' is GLSL or old HLSL; declare `Texture{kind} t;` and `SamplerState s;`"
        for kind in ("1D", "2D", "3D", "Cube", "2DArray", "CubeArray")
    },
}
"""Word of another language → hint, where no single word replaces it."""

_GROUPSHARED = ("__shared__", "__local", "shared", "threadgroup")


def closest(name: str, names: Iterable[str], *, at: int | None = None) -> Advice | None:
    """Return a hint with the most similar of ``names``; ``None`` if none is similar. ``at`` is the token to replace."""
    close = most_similar(name, names)
    return Advice(f"did you mean '{close}'?", (Edit(close, at),)) if close is not None else None


def from_elsewhere(name: str) -> Advice | None:
    """Return the hint for a word of GLSL or another language; ``None`` for other words."""
    if name in _PHRASES:
        return Advice(_PHRASES[name])
    if name in FROM_OTHERS:
        return Advice(f"'{name}' is no HLSL; write '{FROM_OTHERS[name]}'", (Edit(FROM_OTHERS[name]),))
    word = FROM_GLSL.get(name)
    if word is None:
        return None
    if word.startswith("SV_"):
        return Advice(f"'{name}' is GLSL; HLSL has a parameter with the semantic '{word}'")
    return Advice(f"'{name}' is GLSL; HLSL calls it '{word}'", (Edit(word),))


def for_type(name: str, declared: Iterable[str] = ()) -> Advice | None:
    """Return the hint for an unknown type, or ``None``; ``declared`` are the types of the program."""
    foreign = words.for_declaration(name)
    if foreign is not None:
        return Advice(foreign, (Edit("groupshared"),) if name in _GROUPSHARED else ())
    return from_elsewhere(name) or closest(name, [*declared, *sorted(BUILTIN_TYPES)])
