"""Hints for unknown words: GLSL names and similar spellings."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from hlsl_tool.diagnostics.model import Advice, Edit
from hlsl_tool.syntax.builtin_types import BUILTIN_TYPES

_PREFIXES = {"vec": "float", "ivec": "int", "uvec": "uint", "bvec": "bool", "dvec": "double"}

FROM_GLSL: dict[str, str] = {
    **{f"{glsl}{n}": f"{hlsl}{n}" for glsl, hlsl in _PREFIXES.items() for n in (2, 3, 4)},
    **{f"mat{n}": f"float{n}x{n}" for n in (2, 3, 4)},
    **{f"mat{c}x{r}": f"float{c}x{r}" for c in (2, 3, 4) for r in (2, 3, 4)},
    "mix": "lerp", "fract": "frac", "mod": "fmod", "inversesqrt": "rsqrt", "dFdx": "ddx", "dFdy": "ddy",
    "bitCount": "countbits", "findLSB": "firstbitlow", "findMSB": "firstbithigh",
    "floatBitsToUint": "asuint", "floatBitsToInt": "asint", "uintBitsToFloat": "asfloat", "intBitsToFloat": "asfloat",
    "gl_Position": "SV_Position", "gl_FragCoord": "SV_Position", "gl_VertexIndex": "SV_VertexID",
    "gl_InstanceIndex": "SV_InstanceID", "gl_GlobalInvocationID": "SV_DispatchThreadID",
    "gl_LocalInvocationIndex": "SV_GroupIndex", "gl_WorkGroupID": "SV_GroupID",
}  # fmt: skip
"""GLSL word → HLSL word."""


def closest(name: str, names: Iterable[str], *, cutoff: float = 0.75, at: int | None = None) -> Advice | None:
    """Return a hint that names the most similar of ``names``, or ``None``; ``at``: the token, if it is another."""
    close = difflib.get_close_matches(name, names, n=1, cutoff=cutoff)
    return Advice(f"did you mean '{close[0]}'?", (Edit(close[0], at),)) if close else None


def from_glsl(name: str) -> Advice | None:
    """Return the hint for a GLSL word, or ``None``."""
    word = FROM_GLSL.get(name)
    if word is None:
        return None
    if word.startswith("SV_"):
        return Advice(f"'{name}' is GLSL; HLSL has a parameter with the semantic '{word}'")
    return Advice(f"'{name}' is GLSL; HLSL calls it '{word}'", (Edit(word),))


def for_type(name: str, declared: Iterable[str] = ()) -> Advice | None:
    """Return the hint for an unknown type; ``declared``: the types of the program."""
    return from_glsl(name) or closest(name, [*declared, *sorted(BUILTIN_TYPES)], cutoff=0.8)
