"""Check the names of attributes and evaluate their arguments."""

from __future__ import annotations

from collections.abc import Sequence

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import declarations as declaration_codes
from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.diagnostics.diagnostic import Advice, Edit
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.frontend.sema.model.annotations import Attribute
from hlsl_tool.frontend.sema.model.constants import evaluate, evaluate_int
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.annotations import attribute_subjects, attribute_values, hlsl_attributes
from hlsl_tool.frontend.sema.rules.annotations.attribute_subjects import RULES, Subject
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.syntax import ast

STATEMENT = frozenset(("unroll", "loop", "fastopt", "allow_uav_condition", "branch", "flatten", "forcecase", "call"))
FUNCTION = frozenset(
    (
        "numthreads",
        "domain",
        "partitioning",
        "outputtopology",
        "outputcontrolpoints",
        "patchconstantfunc",
        "maxtessfactor",
        "maxvertexcount",
        "instance",
        "earlydepthstencil",
        "clipplanes",
        "rootsignature",
        "shader",
        "wavesize",
        "waveopsincludehelperlanes",
        "noinline",
        "experimental",
        "nodelaunch",
        "nodeisprogramentry",
        "nodeid",
        "nodelocalrootargumentstableindex",
        "nodeshareinputof",
        "nodedispatchgrid",
        "nodemaxdispatchgrid",
        "nodemaxrecursiondepth",
        "maxrecords",
        "maxrecordssharedwith",
        "nodearraysize",
        "unboundedsparsenodes",
        "allowsparsenodes",
        "nodetrackrwinputsharing",
        "raypayload",
        "unused",
        "outputdisjoint",
        "noalias",
        "nodiscard",
        "warn_unused_result",
        "maybe_unused",
        "groupsharedlimit",
    )
)
CLANG = dict.fromkeys(("clang", "gnu"), frozenset(("warn_unused_result",)))
"""Scope of clang → its attributes that the compiler knows; they mean the same without a scope."""
VK = {name.lower(): name for name in (*RULES, "set")}
"""Lower-case name → name of the attributes of scope ``vk``."""


def evaluated(ctx: Context, attributes: Sequence[ast.Attribute], *, statement: bool = False) -> tuple[Attribute, ...]:
    """Return attributes with constant arguments evaluated; other arguments become HIR expressions."""
    if not attributes:
        return ()
    out: list[Attribute] = []
    for a in attributes:
        if ctx.language.hlsl_version >= HLSL_202X:
            if hlsl_attributes.is_math_mode(a):
                continue
            a = hlsl_attributes.unscoped(a)
        if a.prefix is not None and a.scope is not None:
            ctx.error(codes.ATTRIBUTE_SCOPED_TWICE, a.pos, scope=a.scope, prefix=a.prefix)
            continue
        try:
            if _is_known(ctx, a, statement=statement):
                out.append(_evaluated(ctx, a))
        except Poisoned:
            continue
    return _with_sets(ctx, out) if any(a.name == "set" and a.scope == "vk" for a in out) else tuple(out)


def at(ctx: Context, attributes: Sequence[ast.Attribute], subject: Subject) -> tuple[Attribute, ...]:
    """Return the evaluated attributes of the declaration ``subject``; report and drop those that do not apply to it."""
    if not attributes:
        return ()
    if ctx.language.hlsl_version >= HLSL_202X:
        modes = [a for a in attributes if hlsl_attributes.is_math_mode(a)]
        if modes and (subject.kind not in ("function", "statement") or subject.form):
            wanted = "functions, blocks, and expressions"
            ctx.error(declaration_codes.ATTRIBUTE_SUBJECT, modes[0].pos, name=modes[0].name, wanted=wanted)
    return attribute_subjects.check(ctx, evaluated(ctx, attributes, statement=subject.kind == "statement"), subject)


def _is_known(ctx: Context, a: ast.Attribute, *, statement: bool) -> bool:
    """Return whether an attribute of this name exists; warn if not."""
    scope = a.scope or a.prefix
    if a.scope is not None and not a.double:
        ctx.error(language.SCOPED_ATTRIBUTE, a.pos, name=f"{a.scope}::{a.name}")
        return False
    if scope is None:
        known = a.name.lower() in STATEMENT or a.name.lower() in FUNCTION
    elif scope in CLANG:
        known = a.name in CLANG[scope]
    elif scope == FIRST_SCOPE:
        known = a.name in VK.values()
    else:
        spelling = VK.get(a.name.lower()) if scope.lower() == "vk" else None
        if spelling is not None and (scope, a.name) != ("vk", spelling):
            hint = Advice(None, (Edit(spelling),) if ctx.chunk.tokens[a.pos] == a.name else ())
            ctx.fail(declaration_codes.ATTRIBUTE_SPELLING, a.pos, scope=scope, name=a.name, wanted=spelling, hint=hint)
        known = spelling is not None and spelling != "set"
    if not known:
        from hlsl_tool.frontend.sema.rules import suggestions  # start-up time

        names = sorted(STATEMENT | FUNCTION) if scope is None else sorted(VK.values())
        code = codes.UNKNOWN_STATEMENT_ATTRIBUTE if statement else codes.UNKNOWN_ATTRIBUTE
        ctx.warn(code, a.pos, name=a.name, hint=suggestions.for_attribute(ctx, a, names))
    return known


def _evaluated(ctx: Context, a: ast.Attribute) -> Attribute:
    scope = a.scope or a.prefix
    if scope is not None and a.name in _STRINGS and a.args and not isinstance(a.args[0], ast.String):
        ctx.fail(declaration_codes.ATTRIBUTE_STRING, a.pos, name=a.name)
    name = a.name if scope else a.name.lower()
    takes_names = not attribute_values.takes_constants(scope, name)
    attribute = Attribute(
        name,
        tuple(_plain(name, _argument(ctx, x, takes_names=takes_names)) for x in a.args),
        a.pos,
        "vk" if scope == FIRST_SCOPE else scope,
    )
    attribute_values.check(ctx, attribute, a.args)
    if attribute.scope == "vk":
        from hlsl_tool.frontend.sema.rules.annotations import inline_spirv  # start-up time

        inline_spirv.check_attribute(ctx, attribute)
    return attribute


_STRINGS = frozenset(("builtin", "image_format"))

FIRST_SCOPE = "Vulkan"
"""Legacy scope name of the ``vk`` attributes; it has a separate attribute for the set: ``set(1), binding(2)``."""


def _with_sets(ctx: Context, attributes: list[Attribute]) -> tuple[Attribute, ...]:
    """Replace ``set(X), binding(Y)`` by ``binding(Y, X)``, in whatever order and attribute lists they are written."""
    sets = [a for a in attributes if a.name == "set" and a.scope == "vk"]
    rest = [a for a in attributes if a not in sets]
    at = next((n for n, a in enumerate(rest) if a.name == "binding" and a.scope == "vk"), None)
    if at is None:
        ctx.error(codes.SET_WITHOUT_BINDING, sets[0].pos)
        return tuple(rest)
    binding = rest[at]
    if len(sets) > 1 or len(binding.args) > 1:
        ctx.error(codes.SET_TWICE, sets[-1].pos)
        return tuple(rest)
    rest[at] = Attribute(binding.name, (*binding.args, *sets[0].args), binding.pos, binding.scope)
    return tuple(rest)


def _plain(name: str, value: object) -> object:
    """Convert a boolean argument to an integer, unless the attribute needs the argument's type."""
    return int(value) if isinstance(value, bool) and name != "ext_decorate_id" else value


def _argument(ctx: Context, e: ast.Expr, *, takes_names: bool) -> object:
    if isinstance(e, ast.String):
        return e.value
    if takes_names and isinstance(e, ast.Name) and len(e.parts) == 1 and ctx.scope.lookup(e.parts[0].name) is None:
        return e.parts[0].name
    if isinstance(e, ast.Name):
        binding = type_names.lookup_path(ctx, e.parts, e.pos, e.is_global)
        if isinstance(binding, tuple):
            return type_names.spelled(e.parts)
    x = ex.rvalue(ctx, e)
    v = evaluate(x)
    is_no_integer = isinstance(v, int) and evaluate_int(x) is None
    return x if v is None or is_no_integer else v
