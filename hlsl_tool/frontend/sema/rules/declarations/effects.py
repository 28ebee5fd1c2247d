"""Effects of Direct3D and subobjects of ray tracing pipelines: they are ignored with a warning.

They describe pipeline state, which a Vulkan application sets through the API.
"""

from __future__ import annotations

from collections.abc import Sequence

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import declarations as codes
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.base.diagnostics.catalogue import syntax
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.rules.warnings import implicit_conversions as losses
from hlsl_tool.frontend.sema.scope import watched
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.builtin_types import EFFECT_OBJECTS

SUBOBJECTS = {
    "StateObjectConfig": "n",
    "GlobalRootSignature": "s",
    "LocalRootSignature": "s",
    "SubobjectToExportsAssociation": "ss",
    "RaytracingShaderConfig": "nn",
    "RaytracingPipelineConfig": "n",
    "RaytracingPipelineConfig1": "nn",
    "TriangleHitGroup": "ss",
    "ProceduralPrimitiveHitGroup": "sss",
}
"""Subobject type → kinds of its elements: numbers and strings."""


def is_ignored(ctx: Context, d: ast.VarDecl) -> bool:
    """Return whether a declaration is an effect or a subobject, both of which are ignored; warn if so."""
    name = _type_name(ctx, d)
    if name not in EFFECT_OBJECTS and ctx.function is not None:
        return False
    if name in EFFECT_OBJECTS and ctx.language.hlsl_version >= HLSL_202X:
        ctx.fail(sema_codes.UNKNOWN_TYPE, d.type.pos, name=name)
    if name in EFFECT_OBJECTS:
        ctx.warn(codes.EFFECT_OBJECT, d.type.pos)
    elif name in SUBOBJECTS:
        ctx.warn(codes.SUBOBJECT, d.type.pos, type=name)
    else:
        return False
    for x in d.declarators:
        check_annotation(ctx, x)
        if name in SUBOBJECTS and x.init is not None:
            _check_subobject(ctx, name, x.init)
        check_state_block(ctx, x)
    return True


def _check_subobject(ctx: Context, name: str, init: ast.Expr) -> None:
    """Report elements of an initialiser list that a subobject of this type cannot have."""
    kinds = SUBOBJECTS[name]
    try:
        if not isinstance(init, ast.InitList):
            e = ex.check(ctx, init)
            category = "lvalue" if e.is_lvalue or e.type is ty.STRING else "rvalue"
            ctx.fail(sema_codes.CANNOT_INITIALIZE, init.pos, dst=name, src=ty.display(e.type), category=category)
        items = [ex.rvalue(ctx, item) for item in init.items]
        parts = [(part, e) for e in items for part in ty.flatten(e.type)]
        if len(parts) != len(kinds):
            which, s = "many" if len(parts) > len(kinds) else "few", "s" if len(kinds) > 1 else ""
            ctx.fail(codes.SUBOBJECT_COUNT, init.pos, which=which, want=len(kinds), s=s, have=len(parts))
        for kind, (part, e) in zip(kinds, parts, strict=True):
            if kind == "s" and part is not ty.STRING:
                ctx.fail(sema_codes.TYPE_MISMATCH, e.pos)
            if kind == "n" and (not isinstance(part, ty.Scalar) or part is ty.STRING):
                ctx.fail(sema_codes.NEED_SCALAR, e.pos)
            if kind == "n":
                losses.check_value(ctx, e, ty.UINT)
        ctx.state_constants += [
            (item.parts[-1].name, item.pos)
            for item in init.items
            if isinstance(item, ast.Name) and item.parts[-1].name in watched.CONSTANTS
        ]
    except Poisoned:
        return


def _type_name(ctx: Context, d: ast.VarDecl) -> str:
    """Return the name of a declaration's type if no type of that name is declared; otherwise ``""``."""
    if not isinstance(d.type, ast.NamedType) or len(d.type.parts) != 1:
        return ""
    part = d.type.parts[0]
    return part.name if part.args is None and ctx.scope.lookup(part.name) is None else ""


def check_state_block(ctx: Context, x: ast.Declarator) -> None:
    """Report a state block ``{ Filter = ...; }`` after a declarator or ``=``: an error from HLSL 202x on."""
    if not isinstance(x.init, ast.SamplerState):
        return
    at = x.init.pos
    tokens = ctx.chunk.tokens
    is_sampler = tokens[at] == "sampler_state"
    if ctx.language.hlsl_version >= HLSL_202X and (is_sampler or tokens[at + 2] in ("=", "[")):
        ctx.error(syntax.EXPECTED_EXPRESSION, at + 1)
    else:
        ctx.warn(codes.EFFECT_SAMPLER_STATE if is_sampler else sema_codes.EFFECT_STATE, at)


def check_annotation(ctx: Context, x: ast.Declarator) -> None:
    """Warn about an effects annotation ``< string s = "x"; >``, which the parser skips."""
    tokens = ctx.chunk.tokens
    is_instance = ctx.template_depth > 0  # of a variable template, whose arguments are no annotation
    if x.args is not None or is_instance:
        return
    at = _behind_declarator(tokens, x.pos + 1)
    if at < len(tokens) and tokens[at] == "<":
        ctx.warn(codes.EFFECT_ANNOTATION, at)


def _behind_declarator(tokens: Sequence[str], at: int) -> int:
    """Skip array bounds and registers that start at token ``at``; return the index after them."""
    depth = 0
    while at < len(tokens):
        text = tokens[at]
        if text in ("[", "("):
            depth += 1
        elif text in ("]", ")"):
            depth -= 1
        elif depth == 0 and text != ":" and tokens[at - 1] != ":":
            break
        at += 1
    return at
