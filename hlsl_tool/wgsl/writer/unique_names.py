"""Unique identifiers, made from OpName and different from WGSL's keywords."""

from __future__ import annotations

import re

from hlsl_tool.wgsl.interface.handle_tables import FORMATS
from hlsl_tool.wgsl.module.hlsl_names import name_of_hlsl


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS = _words(
    """
    alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if
    let loop override requires return struct switch true var while
    """
)
"""Keywords (WGSL specification, 15.1)."""

RESERVED = _words(
    """
    NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto await become cast catch class
    co_await co_return co_yield coherent column_major common compile compile_fragment concept const_cast consteval
    constexpr constinit crate debugger decltype delete demote demote_to_helper do dynamic_cast enum explicit export
    extends extern external fallthrough filter final finally friend from fxgroup get goto groupshared highp impl
    implements import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move
    mut mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null
    nullptr of operator package packoffset partition pass patch pixelfragment precise precision premerge priv
    protected pub public readonly ref regardless register reinterpret_cast require resource restrict self set shared
    sizeof smooth snorm static static_assert static_cast std subroutine super target template this thread_local
    throw trait try type typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual
    volatile wgsl where with writeonly yield
    """
)
"""Reserved words (WGSL specification, 15.2)."""

PREDECLARED = _words(
    """
    bool i32 u32 f32 f16 vec2 vec3 vec4 array atomic binding_array ptr sampler sampler_comparison read write read_write
    function private workgroup uniform storage handle immediate abs acos acosh all any arrayLength asin
    asinh atan atan2 atanh atomicAdd atomicAnd atomicCompareExchangeWeak atomicExchange atomicLoad atomicMax
    atomicMin atomicOr atomicStore atomicSub atomicXor bitcast ceil clamp cos cosh countLeadingZeros countOneBits
    countTrailingZeros cross degrees determinant distance dot dot4I8Packed dot4U8Packed dpdx dpdxCoarse dpdxFine
    dpdy dpdyCoarse dpdyFine exp exp2 extractBits faceForward firstLeadingBit firstTrailingBit floor fma fract frexp
    fwidth fwidthCoarse fwidthFine insertBits inverseSqrt ldexp length log log2 max min mix modf normalize
    pack2x16float pack2x16snorm pack2x16unorm pack4x8snorm pack4x8unorm pack4xI8 pack4xI8Clamp pack4xU8
    pack4xU8Clamp pow quantizeToF16 radians reflect refract reverseBits round saturate select sign sin sinh
    smoothstep sqrt step storageBarrier tan tanh textureBarrier textureDimensions textureGather textureGatherCompare
    textureLoad textureNumLayers textureNumLevels textureNumSamples textureSample textureSampleBaseClampToEdge
    textureSampleBias textureSampleCompare textureSampleCompareLevel textureSampleGrad textureSampleLevel
    textureStore transpose trunc unpack2x16float unpack2x16snorm unpack2x16unorm unpack4x8snorm unpack4x8unorm
    unpack4xI8 unpack4xU8 workgroupBarrier workgroupUniformLoad
    """
).union(
    FORMATS.values(),
    (
        f"{shape}{letter}"
        for shape in ("vec2", "vec3", "vec4", *(f"mat{c}x{r}" for c in (2, 3, 4) for r in (2, 3, 4)))
        for letter in ("", "f", "h", "i", "u")
    ),
)
"""Predeclared names that WGSL lets a module redeclare, but that the converter's own text uses."""

TAKEN = KEYWORDS | RESERVED | PREDECLARED

_NO_WORD = re.compile(r"[^A-Za-z0-9_]+")
_PREFIXES = ("subgroup", "quad", "texture_")


def sanitise(text: str, taken: frozenset[str] = TAKEN) -> str:
    """Return an identifier similar to ``text`` that is not in ``taken``; ``""`` if no character is usable."""
    text = name_of_hlsl(text)
    name = _NO_WORD.sub("_", text.encode("ascii", "ignore").decode()).strip("_")
    if not name:
        return ""
    if name[0].isdigit():
        name = "x" + name
    while "__" in name:
        name = name.replace("__", "_")
    if name in taken or (taken is TAKEN and name.startswith(_PREFIXES)):
        name += "_"
    return name


MEMBERS = KEYWORDS | RESERVED
"""Words that members of structs may not have: they hide nothing."""


class Names:
    """The names of one scope; those of ``outer`` must not be shadowed."""

    def __init__(self, outer: Names | None = None, words: frozenset[str] = TAKEN) -> None:
        self.words = words
        self.used: set[str] = set()
        self.counts: dict[str, int] = {}
        self.numbered_names: dict[str, str] = {}
        """Name with an added number → the name without it."""
        self.outer = outer
        self.inside: set[str] = set()
        """Names of inner scopes, which a later name of this scope must not have, because it would be shadowed."""

    def taken(self, name: str) -> bool:
        if name in self.used or name in self.inside:
            return True
        return self.outer is not None and name in self.outer.used

    def unique(self, hint: str, fallback: str) -> str:
        """Return a new name: the hint if it is free, else the hint with a number."""
        base = sanitise(hint, self.words) or fallback
        if not self.taken(base):
            return self._take(base)
        stem = base.rstrip("_") or base
        while True:
            number = self.counts.get(stem, 0) + 1
            self.counts[stem] = number
            name = f"{stem}_{number}"
            if not self.taken(name):
                self.numbered_names[name] = base
                return self._take(name)

    def numbered(self, letter: str) -> str:
        """Return the next free name of the series ``v1``, ``v2`` and so on."""
        while True:
            number = self.counts.get(letter, 0) + 1
            self.counts[letter] = number
            name = f"{letter}{number}"
            if not self.taken(name):
                return self._take(name)

    def _take(self, name: str) -> str:
        self.used.add(name)
        if self.outer is not None:
            self.outer.inside.add(name)
        return name
