"""Modifiers of declarations (``static``, ``const``, ``centroid``, …): which are allowed where, and together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hlsl_tool.base.diagnostics.catalogue import declarations as declaration_codes
from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import modifiers as codes
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.base.options.compile_options import HLSL_202X, HLSL_202Y
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.model.types import ObjectType, Type
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.syntax import ast

Kind = Literal["global variable", "local variable", "field", "parameter", "function", "method", "typedef"]

_STORAGE = frozenset(("static", "extern"))
USAGES = frozenset(("in", "out", "inout"))
_INTERPOLATIONS = frozenset(("linear", "center", "noperspective", "sample", "centroid"))
_TOPOLOGIES = frozenset(("point", "line", "lineadj", "triangle", "triangleadj"))
_MESH = frozenset(("indices", "vertices", "primitives", "payload"))
_COHERENCE = frozenset(("globallycoherent", "reordercoherent"))
_VARIABLES: frozenset[Kind] = frozenset(("global variable", "parameter"))
_STAGE_VALUES: frozenset[Kind] = frozenset(("parameter", "field", "function"))
_PARAMETERS: frozenset[Kind] = frozenset(("parameter",))

_PLACES: dict[str, frozenset[Kind]] = {
    "shared": frozenset(("global variable",)),
    "groupshared": _VARIABLES,
    "uniform": _VARIABLES,
    "export": frozenset(("function",)),
    **dict.fromkeys(("nointerpolation", *_INTERPOLATIONS), _STAGE_VALUES),
    **dict.fromkeys((*_TOPOLOGIES, *_MESH), _PARAMETERS),
}
"""Modifier → the kinds of declarations that it may stand at."""

_SUBJECTS = {
    "groupshared": "variables",
    "uniform": "variables and parameters",
    **dict.fromkeys((*USAGES, *_TOPOLOGIES), "parameters"),
}
"""Modifier → the words for what it applies to, where it stands at a field."""

_BEFORE_TYPE = frozenset((
    *USAGES, *_INTERPOLATIONS, *_TOPOLOGIES, *_MESH, *_COHERENCE, "nointerpolation", "shared", "groupshared",
    "uniform", "precise", "export", "row_major", "column_major", "snorm", "unorm",
))  # fmt: skip
"""Modifiers that may not stand behind the type."""

_ALL = _BEFORE_TYPE | _STORAGE | {"const", "inline", "noinline", "volatile"}

Words = list[tuple[int, str]]
"""(position, modifier) in source order."""


@dataclass(slots=True)
class _Found:
    """The modifiers of one declaration; of each group (storage, topology, …) only one is allowed."""

    kind: Kind
    storage: str = ""
    usage: set[str] = field(default_factory=set)
    groupshared: int = -1
    uniform: int = -1
    no_interpolation: int = -1
    interpolations: Words = field(default_factory=list)
    topology: str = ""
    mesh: str = ""


def before(ctx: Context, ref: ast.TypeRef) -> Words:
    """Return (position, word) of each modifier in front of a type."""
    tokens = ctx.chunk.tokens
    at = ref.pos - 1
    while at > 0 and (tokens[at] == "::" or tokens[at + 1] == "::" or tokens[at] in ("struct", "class", "enum")):
        at -= 1
    words: Words = []
    while at >= 0 and tokens[at] in _ALL:
        words.append((at, tokens[at]))
        at -= 1
    return words[::-1]


def check(ctx: Context, kind: Kind, ref: ast.TypeRef, inherited: Sequence[str], t: Type) -> None:
    """Report modifiers that are not allowed for this kind of declaration, for this type, or together.

    ``inherited``: the modifiers of the type's alias and of its template argument.
    """
    words = before(ctx, ref)
    if words:
        found = _Found(kind)
        if len(words) > 1:
            _warn_duplicates(ctx, words)
        _check_storage(ctx, words, found)
        for pos, word in words:
            _check_word(ctx, pos, word, found, words)
        _check_together(ctx, found)
        check_type(ctx, words, inherited, t)
    _warn_min_precision(ctx, t, ref)


_SPECIFIERS = _STORAGE | {"const", "inline", "volatile"}
"""Modifiers that C++ has, too: one that is repeated has no effect."""


def _warn_duplicates(ctx: Context, words: Words) -> None:
    seen: set[str] = set()
    for pos, word in words:
        if word in seen and word in _SPECIFIERS:
            ctx.warn(language.DUPLICATE_SPECIFIER, pos, name=word)
        seen.add(word)


def _together(ctx: Context, pos: int, first: str, second: str, kind: Kind) -> None:
    ctx.error(codes.TOGETHER, pos, first=first, second=second, kind=kind)


# ------------------------------------------------------------------------------------------------------------- storage


def _check_storage(ctx: Context, words: Words, found: _Found) -> None:
    kind = found.kind
    storage = "typedef" if kind == "typedef" else ""
    is_reported = False
    for pos, word in words:
        if word in _STORAGE and storage and word != storage:
            ctx.error(codes.STORAGE_COMBINED, pos, name=storage)
        elif word in _STORAGE:
            storage = word
            if kind == "parameter":
                if not is_reported:
                    ctx.error(codes.STORAGE_PARAMETER, pos)
                is_reported = True
            elif word == "extern" and kind in ("field", "method"):
                ctx.error(codes.STORAGE_MEMBER, pos)
                storage = "member"
            elif word == "extern" and (kind == "local variable" or _is_extern_function(kind, words)):
                _misplaced(ctx, pos, word, kind)
        elif word == "const" and kind == "field" and all(other != "static" for _, other in words):
            _misplaced(ctx, pos, word, kind)
    found.storage = "" if kind == "parameter" else storage


def _is_extern_function(kind: Kind, words: Words) -> bool:
    """Return whether ``extern`` is the only wrong modifier of a function; the others are reported by themselves."""
    return kind == "function" and all(word not in ("uniform", "groupshared") for _, word in words)


def _misplaced(ctx: Context, pos: int, word: str, kind: Kind) -> None:
    if word == "groupshared" and kind == "local variable":
        ctx.error(sema_codes.GROUPSHARED_LOCAL, pos)
        return
    ctx.error(declaration_codes.NOT_A_MODIFIER, pos, modifier=f"'{word}'", subject=kind)


# --------------------------------------------------------------------------------------------------------- single words


def _check_word(ctx: Context, pos: int, word: str, found: _Found, words: Words) -> None:
    kind = found.kind
    if word in _PLACES and kind not in _PLACES[word]:
        _misplaced(ctx, pos, word, kind)
    if kind == "field" and word in _SUBJECTS and all(other != "static" for _, other in words):
        ctx.warn(codes.SUBJECT, pos, name=word, subjects=_SUBJECTS[word])
    if word in ("shared", "uniform", "export") and found.storage == "static":
        _together(ctx, pos, "static", word, kind)
    if word == "inline" and kind not in ("function", "method"):
        ctx.error(codes.INLINE, pos)
    if word == "uniform" and ctx.language.hlsl_version >= HLSL_202Y:
        ctx.error(sema_codes.UNKNOWN_TYPE, pos, name=word)
    if word == "uniform":
        found.uniform = pos
    elif word == "groupshared":
        _check_groupshared(ctx, pos, found)
    elif word in USAGES:
        _check_usage(ctx, pos, word, found)
    else:
        _check_stage_word(ctx, pos, word, found)


def _check_stage_word(ctx: Context, pos: int, word: str, found: _Found) -> None:
    """Warn about a repeated interpolation mode; report two different topologies or two mesh shader roles."""
    if word == "nointerpolation":
        if found.no_interpolation >= 0:
            ctx.warn(codes.REPEATED, pos, name=word)
        found.no_interpolation = pos
    elif word in _INTERPOLATIONS:
        if any(word == other for _, other in found.interpolations):
            ctx.warn(codes.REPEATED, pos, name=word)
        found.interpolations.append((pos, word))
    elif word in _TOPOLOGIES:
        _check_single(ctx, pos, word, found.topology, found.kind)
        found.topology = word
    elif word in _MESH:
        _check_single(ctx, pos, word, found.mesh, found.kind)
        found.mesh = word


def _check_single(ctx: Context, pos: int, word: str, earlier: str, kind: Kind) -> None:
    if earlier == word:
        ctx.warn(codes.REPEATED, pos, name=word)
    elif earlier:
        _together(ctx, pos, word, earlier, kind)


def _check_groupshared(ctx: Context, pos: int, found: _Found) -> None:
    found.groupshared = pos
    if found.kind == "parameter" and ctx.language.hlsl_version < GROUPSHARED_PARAMETERS:
        ctx.warn(codes.GROUPSHARED_PARAMETER, pos)
    if found.kind == "parameter" and found.usage:
        usage = "inout" if len(found.usage) > 1 else next(iter(found.usage))
        _together(ctx, pos, usage, "groupshared", found.kind)
    if found.storage == "extern":
        _together(ctx, pos, "extern", "groupshared", found.kind)


GROUPSHARED_PARAMETERS = HLSL_202X
"""The HLSL version with ``groupshared`` parameters."""


def parameter_qualifiers(ctx: Context, p: ast.Param, quals: tuple[str, ...]) -> tuple[str, ...]:
    """Return a parameter's qualifiers; drop ``groupshared`` in HLSL versions that ignore it on parameters.

    With ``[[vk::ext_reference]]`` every version keeps it.
    """
    is_reference = any(a.name == "ext_reference" for a in p.attributes)
    if "groupshared" not in quals or is_reference or ctx.language.hlsl_version >= GROUPSHARED_PARAMETERS:
        return quals
    return tuple(qual for qual in quals if qual != "groupshared")


def check_shared_parameters(ctx: Context, f: Function) -> None:
    """Report ``groupshared`` parameters of a function that is exported or not inlined."""
    if not any("groupshared" in p.quals for p in f.params):
        return
    if "export" in f.quals or any(a.name == "noinline" for a in f.attributes):
        _together(ctx, f.pos, "groupshared", "export/noinline", "parameter")


def _check_usage(ctx: Context, pos: int, word: str, found: _Found) -> None:
    if found.kind != "parameter":
        ctx.error(codes.USAGE, pos, name=word)
    elif found.groupshared >= 0:
        _together(ctx, pos, word, "groupshared", found.kind)
    directions = {"in", "out"} if word == "inout" else {word}
    if directions & found.usage:
        ctx.error(codes.USAGE_REPEATED, pos, name=word)
    found.usage |= directions


# ------------------------------------------------------------------------------------------------------------ together


def _check_together(ctx: Context, found: _Found) -> None:
    first = found.interpolations[0][1] if found.interpolations else ""
    if found.no_interpolation >= 0 and first:
        _together(ctx, found.no_interpolation, "nointerpolation", first, found.kind)
    other = first or ("nointerpolation" if found.no_interpolation >= 0 else found.topology)
    if found.uniform >= 0 and other:
        _together(ctx, found.uniform, other, "uniform", found.kind)
    if first and found.topology:
        _together(ctx, found.interpolations[0][0], found.topology, first, found.kind)
    if found.no_interpolation >= 0 and found.topology:
        _together(ctx, found.no_interpolation, found.topology, "nointerpolation", found.kind)
    places = {word: pos for pos, word in found.interpolations}
    for weaker, stronger in (("centroid", "sample"), ("center", "centroid"), ("center", "sample")):
        if weaker in places and stronger in places:
            ctx.warn(codes.OVERRIDDEN, places[weaker], weaker=weaker, stronger=stronger)


# --------------------------------------------------------------------------------------------------------------- types


def check_type(ctx: Context, words: Words, inherited: Sequence[str], t: Type) -> None:
    """Report modifiers that the type does not allow: matrix orders, normalised components, coherence."""
    element = ty.innermost(t)
    if element is ty.INVALID:
        return
    seen = [word for word in inherited if word in _OPPOSITES or word in _COHERENCE]
    for pos, word in words:
        opposite = _OPPOSITES.get(word)
        if opposite in seen:
            first, second = ("row_major", "column_major") if "major" in word else ("unorm", "snorm")
            ctx.error(codes.INCOMPATIBLE, pos, first=first, second=second)
            continue
        if word in seen:
            ctx.warn(codes.APPLIED, pos, name=word)
        elif opposite is not None:
            seen.append(word)
            _check_component(ctx, pos, word, element)
        elif word in _COHERENCE:
            if not _is_coherent(word, element):
                ctx.error(codes.COHERENCE, pos, name=word, type=ty.display(element))
            elif _COHERENCE & set(seen):
                ctx.warn(codes.COHERENCE_IMPLIED, pos)
            seen.append(word)


_OPPOSITES = {"row_major": "column_major", "column_major": "row_major", "snorm": "unorm", "unorm": "snorm"}


def _check_component(ctx: Context, pos: int, word: str, t: Type) -> None:
    if "major" in word:
        if not isinstance(t, ty.Matrix):
            ctx.error(codes.MATRIX_ONLY, pos, name=word)
        return
    component = ty.element_of(t)
    if component is None or component.category != "float":
        ctx.error(codes.FLOAT_ONLY, pos)


def _is_coherent(word: str, t: Type) -> bool:
    """Return whether a type may have the coherence modifier ``word``: a writable resource, or a shared node record."""
    if not isinstance(t, ObjectType):
        return False
    if t.name == "RWDispatchNodeInputRecord":
        return word == "globallycoherent"
    is_written = t.name.startswith(("RW", "RasterizerOrdered", "Append", "Consume", "Feedback"))
    return (is_written and "Node" not in t.name) or t.name.startswith("vk::")


def check_written(ctx: Context, ref: ast.NamedType, inherited: Sequence[str], t: Type) -> None:
    """Report modifiers that are written after a type, or that the type does not allow.

    Used for types outside of declarations, such as template arguments and casts.
    """
    tokens = ctx.chunk.tokens
    words = before(ctx, ref)
    names = [word for _, word in words]
    at = ref.pos + 1
    for word in ref.quals:
        if word in _BEFORE_TYPE and word not in names:
            while at < len(tokens) and tokens[at] != word:
                at += 1
            ctx.error(codes.BEHIND_TYPE, min(at, len(tokens) - 1))
            at += 1
    if all(word in names for word in ref.quals):
        check_type(ctx, [(pos, word) for pos, word in words if word in ref.quals], inherited, t)


def _warn_min_precision(ctx: Context, t: Type, ref: ast.TypeRef) -> None:
    """Warn about minimum-precision types that every target implements with a larger width."""
    component = ty.element_of(ty.innermost(t))
    if component is not None and component.is_min_precision:
        name = component.name
    elif ctx.language.enable_16bit and isinstance(ref, ast.NamedType):
        name = ref.parts[-1].name.rstrip("1234x") if ref.parts[-1].name.startswith("min1") else ""
        name = name if name in _WIDER_16 else ref.parts[-1].name
    else:
        return
    wider = _WIDER_16.get(name) if ctx.language.enable_16bit else _WIDER.get(name)
    if wider:
        ctx.warn(codes.MIN_PRECISION, ref.pos, name=name, wider=wider)


_WIDER = {"min10float": "min16float", "min12int": "min16int"}
_WIDER_16 = {
    "min10float": "half",
    "min12int": "int16_t",
    "min16float": "half",
    "min16int": "int16_t",
    "min16uint": "uint16_t",
}
