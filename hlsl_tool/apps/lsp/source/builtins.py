"""Built-in names of HLSL: intrinsics with their signatures, types, keywords, semantics, attributes."""

from __future__ import annotations

from functools import cache

from hlsl_tool.apps.lsp.source.intrinsic_pages import page_of, with_names
from hlsl_tool.codegen.lower.stage_io import semantics as system_values
from hlsl_tool.frontend.sema.model import builtin_types
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.rules.intrinsics import methods
from hlsl_tool.frontend.sema.rules.intrinsics.candidates import signature
from hlsl_tool.frontend.sema.rules.intrinsics.matching import is_intrinsic, overloads
from hlsl_tool.frontend.sema.rules.intrinsics.matching import names as intrinsic_names
from hlsl_tool.frontend.syntax import kinds
from hlsl_tool.frontend.syntax.builtin_types import BUILTIN_TYPES

USER_SEMANTICS = ("POSITION", "NORMAL", "TANGENT", "BINORMAL", "TEXCOORD0", "COLOR0", "BLENDINDICES", "BLENDWEIGHT")
"""Semantics without a meaning of their own that most vertex formats have."""

ATTRIBUTES = (
    "branch", "flatten", "unroll", "loop", "fastopt", "call", "forcecase", "numthreads", "earlydepthstencil", "shader",
    "domain", "partitioning", "outputtopology", "outputcontrolpoints", "patchconstantfunc", "maxtessfactor", "instance",
    "maxvertexcount", "WaveSize", "RootSignature", "noinline",
)  # fmt: skip
"""Attributes of functions and statements."""


def signatures(name: str) -> list[str]:
    """Return the overloads of an intrinsic function as HLSL text, with names of parameters."""
    page = page_of(name)
    shown = [signature(row) for row in overloads(name)] if is_intrinsic(name) else []
    return [with_names(text, page.parameters) for text in shown] if page is not None else shown


def method_signatures(t: ty.ObjectType, name: str) -> list[str]:
    """Return the overloads of a method of a built-in object as HLSL text."""
    return [method_signature(method) for method in methods.methods(t).get(name, ())]


def method_signature(method: methods.Method) -> str:
    """Return an overload of a method as HLSL text: ``float4 Sample(SamplerState sampler, float2 location)``."""
    parameters = [
        (f"{direction} " if direction not in ("in", "") else "") + _shown(t)
        for t, direction in zip(method.params, method.directions, strict=False)
    ]
    text = f"{_shown(method.result)} {method.name}({', '.join(parameters)})"
    page = page_of(f".{method.name}")
    return with_names(text, page.parameters) if page is not None else text


def _shown(t: ty.Type) -> str:
    return {id(methods.ANY_STRUCT): "struct", id(methods.ANY_VALUE): "T"}.get(id(t)) or ty.display(t)


def notes(name: str) -> list[str]:
    """Return what is written about an intrinsic function, or about a method after a point, as Markdown."""
    page = page_of(name)
    return [page.note()] if page is not None else []


def describe(word: str) -> tuple[list[str], list[str]]:
    """Return (lines of HLSL, sentences) about a built-in name; both are empty for other words."""
    shown = signatures(word)
    if shown:
        return shown, notes(word)
    if word in BUILTIN_TYPES:
        return [word], ["a built-in type"]
    if word in builtin_types.CONSTANTS:
        return [f"static const uint {word} = {builtin_types.CONSTANTS[word]}"], []
    if word in ATTRIBUTES:
        return [f"[{word}]"], ["an attribute"]
    if word.upper() in semantics_by_name():
        return [word], ["a system value" if word.upper().startswith("SV_") else "a semantic"]
    return [], []


@cache
def semantics_by_name() -> dict[str, str]:
    """Return upper-case name → usual spelling of each semantic."""
    names = [f"SV_{_cased(name)}" for name in system_values.TABLE]
    return {name.upper(): name for name in (*names, *USER_SEMANTICS)}


_WORDS = (
    "CLIP", "CULL", "DISTANCE", "VERTEX", "INSTANCE", "PRIMITIVE", "DISPATCH", "THREAD", "GROUP", "INDEX", "TARGET",
    "DEPTH", "GREATER", "LESS", "EQUAL", "COVERAGE", "INNER", "STENCIL", "REF", "RENDER", "ARRAY", "VIEWPORT", "SAMPLE",
    "FRONT", "FACE", "FACTOR", "TESS", "INSIDE", "DOMAIN", "LOCATION", "OUTPUT", "CONTROL", "POINT", "GS",
    "BARYCENTRICS",    "SHADING", "RATE", "POSITION", "VIEW", "START", "BASE", "PRIMITIVE", "ID", "IS", "OF",
)  # fmt: skip


@cache
def _cased(name: str) -> str:
    """Return the usual spelling of a semantic in capitals: DISPATCHTHREADID gives DispatchThreadID."""
    out, rest = "", name
    while rest:
        word = max((w for w in _WORDS if rest.startswith(w)), key=len, default=rest[:1])
        out += word if word in ("ID", "GS") else word.capitalize() if len(word) > 1 else word
        rest = rest[len(word) :]
    return out


@cache
def keywords() -> tuple[str, ...]:
    """Return the keywords of HLSL, sorted."""
    return tuple(sorted(word for word in {*kinds.KEYWORDS, *kinds.QUALIFIERS} if word.isidentifier()))


@cache
def functions() -> tuple[str, ...]:
    """Return the names of the intrinsic functions, sorted."""
    return tuple(sorted(intrinsic_names()))


@cache
def types() -> tuple[str, ...]:
    """Return the names of the built-in types, sorted."""
    return tuple(sorted(BUILTIN_TYPES))


def constants() -> dict[str, int]:
    """Return name → value of the built-in constants."""
    return builtin_types.CONSTANTS
