"""Check that each attribute is applied to a declaration or statement that may have it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from hlsl_tool.base.diagnostics.catalogue import declarations as codes
from hlsl_tool.base.diagnostics.catalogue import entries as entry_codes
from hlsl_tool.base.diagnostics.catalogue import modifiers as modifier_codes
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Attribute
from hlsl_tool.frontend.sema.model.types import Enum, ObjectType, Scalar, Struct, Type
from hlsl_tool.frontend.sema.scope.context import Context

Kind = Literal["function", "parameter", "field", "global", "local", "block member", "block", "type", "statement"]
"""``global``: a variable at file scope, static ones included; ``block``: a ``cbuffer`` or ``tbuffer``."""

Form = Literal["", "loop", "if", "switch"]

Arguments = Literal["none", "string", "any"]


@dataclass(frozen=True, slots=True)
class Subject:
    """The declaration or statement to which attributes are applied."""

    kind: Kind
    type: Type | None = None
    quals: tuple[str, ...] = ()
    form: Form = ""
    """The form of a statement."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The kinds of declarations to which a ``vk::`` attribute may be applied, and the words for them in messages."""

    kinds: frozenset[Kind]
    words: str
    arguments: Arguments = "any"
    objects: str = ""
    """Object types that a variable must have; arrays of them match if ``arrays`` is set."""
    arrays: bool = False
    records: bool = False
    """Whether a variable must be of a struct or an object type."""


def _kinds(*kinds: Kind) -> frozenset[Kind]:
    return frozenset(kinds)


_INTERFACE = Rule(_kinds("function", "parameter", "field"), "functions, parameters, and fields")
_FUNCTION = Rule(_kinds("function"), "functions")
_ENTRY = Rule(_kinds("function"), "functions", "none")
_VARIABLE = Rule(_kinds("global", "local", "block member"), "variables")
_STORAGE = Rule(_kinds("global", "local", "block member", "parameter"), "variables and parameters")
_PARAMETER = Rule(_kinds("parameter"), "parameters", "none")
_DECORATED = Rule(
    _kinds("function", "global", "local", "block member", "parameter", "field", "type"),
    "functions, variables, parameters, and types",
)
_REQUIRING = Rule(_DECORATED.kinds | {"statement"}, _DECORATED.words)
_RECORD = Rule(_kinds("global", "block"), "cbuffer or ConstantBuffer", "none")
_VARIABLES = _kinds("global", "local", "block member")

IMAGE_FORMATS = frozenset((
    "unknown", "rgba32f", "rgba16f", "r32f", "rgba8", "rgba8snorm", "rg32f", "rg16f", "r11g11b10f", "r16f",
    "rgba16", "rgb10a2", "rg16", "rg8", "r16", "r8", "rgba16snorm", "rg16snorm", "rg8snorm", "r16snorm", "r8snorm",
    "rgba32i", "rgba16i", "rgba8i", "r32i", "rg32i", "rg16i", "rg8i", "r16i", "r8i", "rgba32ui", "rgba16ui",
    "rgba8ui", "r32ui", "rgb10a2ui", "rg32ui", "rg16ui", "rg8ui", "r16ui", "r8ui", "r64ui", "r64i",
))  # fmt: skip
BUILTINS = (
    "PointSize",
    "HelperInvocation",
    "BaseVertex",
    "BaseInstance",
    "DrawIndex",
    "DeviceIndex",
    "ViewportMaskNV",
)

RULES: dict[str, Rule] = {
    "builtin": Rule(_INTERFACE.kinds, _INTERFACE.words, "string"),
    "location": _INTERFACE,
    "index": _INTERFACE,
    "binding": Rule(_VARIABLES | {"block"}, "global variables, cbuffers, and tbuffers"),
    "counter_binding": Rule(
        _VARIABLES,
        "RWStructuredBuffers, AppendStructuredBuffers, and ConsumeStructuredBuffers",
        objects=r"(RW|Append|Consume|RasterizerOrdered)StructuredBuffer",
        arrays=True,
    ),
    "push_constant": Rule(_VARIABLES | {"block"}, "global variables of struct type", "none"),
    "offset": Rule(_kinds("field", "block member"), "fields"),
    "combinedImageSampler": Rule(
        _VARIABLES, "Textures and Samplers", "none", objects=r"Texture.*|Sampler.*"
    ),
    "image_format": Rule(
        _VARIABLES,
        "RWTextures, RasterizerOrderedTextures, Buffers, RWBuffers, and RasterizerOrderedBuffers",
        "string",
        objects=r"(RW|RasterizerOrdered)Texture.*|(RW|RasterizerOrdered)?Buffer",
        arrays=True,
    ),
    "input_attachment_index": Rule(
        _VARIABLES, "SubpassInput, SubpassInputMS", objects=r"SubpassInput(MS)?"
    ),
    "constant_id": Rule(_VARIABLES, "global variables of scalar type"),
    "shader_record_nv": _RECORD,
    "shader_record_ext": _RECORD,
    "ext_builtin_input": _VARIABLE,
    "ext_builtin_output": _VARIABLE,
    "ext_capability": _REQUIRING,
    "ext_extension": _REQUIRING,
    "ext_decorate": _DECORATED,
    "ext_decorate_id": _DECORATED,
    "ext_decorate_string": _DECORATED,
    "ext_storage_class": _STORAGE,
    "aliased_pointer": Rule(_STORAGE.kinds | {"field"}, _STORAGE.words, "none"),
    "ext_literal": _PARAMETER,
    "ext_reference": _PARAMETER,
    "ext_instruction": _FUNCTION,
    "ext_type_def": _FUNCTION,
    "spvexecutionmode": _FUNCTION,
    **dict.fromkeys(
        (
            "post_depth_coverage",
            "early_and_late_tests",
            "depth_unchanged",
            "stencil_ref_unchanged_front",
            "stencil_ref_greater_equal_front",
            "stencil_ref_less_equal_front",
            "stencil_ref_unchanged_back",
            "stencil_ref_greater_equal_back",
            "stencil_ref_less_equal_back",
        ),
        _ENTRY,
    ),
}  # fmt: skip
"""``vk::`` attribute → its rule; attributes not listed apply to any subject."""

_SINGLE = frozenset(("numthreads", "nodedispatchgrid", "nodemaxdispatchgrid", "nodelaunch", "maxvertexcount"))
"""Attributes that warn where they are repeated."""
_NEEDS_DESCRIPTOR = frozenset(("binding", "constant_id"))
_REPEATABLE = r"ext_(capability|extension|decorate.*)|spvexecutionmode"


def check(ctx: Context, attributes: Sequence[Attribute], subject: Subject) -> tuple[Attribute, ...]:
    """Return the attributes that may be applied to ``subject``; report the others."""
    out: list[Attribute] = []
    for a in attributes:
        if a.scope is None and not _applies(ctx, a, subject):
            continue
        rule = RULES.get(a.name) if a.scope == "vk" else None
        if rule is None or (_stands_right(ctx, a, rule, subject) and _has_arguments(ctx, a, rule)):
            out.append(a)
    return _without_repeated(ctx, out)


_Forms = tuple[tuple[Form, ...], str]
_LOOP: _Forms = (("loop",), "'for', 'while' and 'do' loop")
_BRANCH: _Forms = (("if", "switch"), "'if' and 'switch'")
_SWITCH: _Forms = (("switch",), "'switch'")
_FORMS: dict[str, _Forms] = {
    **dict.fromkeys(("unroll", "loop", "fastopt", "allow_uav_condition"), _LOOP),
    **dict.fromkeys(("branch", "flatten"), _BRANCH),
    **dict.fromkeys(("forcecase", "call"), _SWITCH),
}
"""Attribute of statements → the forms of statements that it applies to, and their names."""
_OF_FUNCTIONS = frozenset((
    "clipplanes", "domain", "earlydepthstencil", "instance", "maxtessfactor", "numthreads", "rootsignature",
    "outputcontrolpoints", "outputtopology", "partitioning", "patchconstantfunc", "shader", "maxvertexcount",
    "experimental", "wavesize", "waveopsincludehelperlanes", "nodelaunch", "nodeisprogramentry",
    "nodelocalrootargumentstableindex", "nodeshareinputof", "nodedispatchgrid", "nodemaxdispatchgrid",
    "nodemaxrecursiondepth",
))  # fmt: skip
"""Attributes that are errors on other declarations."""


def _applies(ctx: Context, a: Attribute, subject: Subject) -> bool:
    """Return whether an attribute without a scope may be applied to its declaration or statement; report it if not."""
    forms = _FORMS.get(a.name)
    if forms is not None and subject.form not in forms[0]:
        ctx.warn(entry_codes.STATEMENT_FORM, a.pos, name=a.name, statements=forms[1])
        return False
    if subject.kind in ("function", "type"):
        return True
    if a.name != "noinline" and a.name not in _OF_FUNCTIONS:
        return True
    if subject.kind == "statement":
        ctx.error(codes.ATTRIBUTE_STATEMENT, a.pos, name=a.name)
    elif a.name == "noinline":
        ctx.warn(entry_codes.FUNCTION_ONLY_IGNORED, a.pos, name=a.name)
    else:
        ctx.error(entry_codes.FUNCTION_ONLY, a.pos)
    return False


def _stands_right(ctx: Context, a: Attribute, rule: Rule, subject: Subject) -> bool:
    if subject.kind == "statement" and "statement" not in rule.kinds:
        ctx.error(codes.ATTRIBUTE_STATEMENT, a.pos, name=a.name)
        return False
    if subject.kind not in rule.kinds or not _has_type(a, rule, subject):
        ctx.error(codes.ATTRIBUTE_SUBJECT, a.pos, name=a.name, wanted=rule.words)
        return False
    if a.name in _NEEDS_DESCRIPTOR and subject.kind == "local" and "static" not in subject.quals:
        ctx.error(codes.ATTRIBUTE_SUBJECT, a.pos, name=a.name, wanted=rule.words)
        return False
    if a.name in _NEEDS_DESCRIPTOR and _has_no_effect(a, subject):
        ctx.warn(codes.ATTRIBUTE_NO_EFFECT, a.pos, name=a.name)
        return False
    return True


def _has_type(a: Attribute, rule: Rule, subject: Subject) -> bool:
    """Return whether the type of a variable allows the attribute; true if the type is not known yet."""
    if subject.kind not in _VARIABLES or subject.type is None:
        return True
    if a.name == "push_constant":
        return _is_record(subject.type) and (subject.kind == "global" or "static" in subject.quals)
    if a.name == "constant_id":
        return isinstance(subject.type, (Scalar, Enum))
    if rule is _RECORD:
        return _is_record(subject.type)
    if not rule.objects:
        return True
    t = ty.innermost(subject.type) if rule.arrays else subject.type
    return isinstance(t, ObjectType) and re.fullmatch(rule.objects, t.name) is not None


_RECORD_OBJECTS = ("ConstantBuffer", "TextureBuffer", "vk::BufferPointer")


def _is_record(t: Type) -> bool:
    """Return whether DXC declares the type as a struct: structs, blocks, and the object types without elements."""
    if isinstance(t, ObjectType):
        return t.name in _RECORD_OBJECTS or not (t.args or t.name.startswith(("Texture", "SubpassInput")))
    return isinstance(t, Struct)


def _has_no_effect(a: Attribute, subject: Subject) -> bool:
    """Return whether the attribute is valid but ignored: on a static variable, or on a number inside a block."""
    if subject.kind == "block member":
        innermost = ty.innermost(subject.type) if subject.type is not None else None
        return a.name == "constant_id" or not isinstance(innermost, ObjectType)
    if a.name == "constant_id":
        return subject.kind == "local"
    return subject.kind == "local" or "static" in subject.quals or "groupshared" in subject.quals


def _has_arguments(ctx: Context, a: Attribute, rule: Rule) -> bool:
    if rule.arguments == "none" and a.args:
        ctx.error(codes.ATTRIBUTE_TAKES, a.pos, name=a.name, wanted="no arguments")
        return False
    if rule.arguments == "string":
        if len(a.args) != 1:
            ctx.error(codes.ATTRIBUTE_TAKES, a.pos, name=a.name, wanted="one argument")
            return False
        if not isinstance(a.args[0], str):
            ctx.error(codes.ATTRIBUTE_STRING, a.pos, name=a.name)
            return False
        return _has_known_name(ctx, a)
    return True


def _has_known_name(ctx: Context, a: Attribute) -> bool:
    name = str(a.args[0])
    if a.name == "image_format" and name not in IMAGE_FORMATS:
        ctx.warn(codes.IMAGE_FORMAT_NAME, a.pos, format=name)
        a.args = ("unknown",)
    if a.name == "builtin" and name not in BUILTINS:
        ctx.error(codes.BUILTIN_NAME, a.pos, wanted=",".join(BUILTINS))
        return False
    return True


def _without_repeated(ctx: Context, attributes: list[Attribute]) -> tuple[Attribute, ...]:
    """Return the attributes, with only the last one of each name."""
    for at, a in enumerate(attributes):
        if a.name in _SINGLE and a.scope is None and any(b.name == a.name for b in attributes[at + 1 :]):
            ctx.warn(entry_codes.ATTRIBUTE_APPLIED, a.pos, name=a.name)
        is_second = a.name == "groupsharedlimit" and any(b.name == a.name for b in attributes[:at])
        if is_second and ctx.language.hlsl_version >= HLSL_202X:
            ctx.error(modifier_codes.SHARED_LIMIT_TWICE, a.pos)
    last = {a.name: a for a in attributes if a.scope == "vk" and not re.fullmatch(_REPEATABLE, a.name)}
    for a in attributes:
        if a.scope == "vk" and last.get(a.name, a) is not a:
            ctx.warn(codes.ATTRIBUTE_REPEATED, a.pos, name=a.name)
    return tuple(a for a in attributes if a.scope != "vk" or last.get(a.name, a) is a)
