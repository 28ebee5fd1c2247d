"""Constructors of structs, from HLSL 202x on.

A constructor is a function that returns the new object: its body works on a local variable, `BodySource.object`.
"""

from __future__ import annotations

from collections.abc import Sequence

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import modifiers as codes
from hlsl_tool.base.diagnostics.catalogue import sema
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Field, Struct, Type
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.expressions import initializers
from hlsl_tool.frontend.sema.rules.expressions.names import member_of
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.handlers import construct, declare
from hlsl_tool.frontend.syntax import ast

MAX_CONSTRUCTED = 1024
"""Limit on the elements of an array that are constructed one by one."""


def add_implicit(ctx: Context, s: Struct, pos: int) -> None:
    """Declare the default constructor of a struct without constructors if a member or base needs one."""
    if s.constructors or s.keyword == "interface" or not any(map(needs_construction, _parts(s))):
        return
    void = ast.NamedType([ast.NamePart("void")], pos)
    declare(ctx, ast.FunctionDecl(void, ast.CONSTRUCTOR, [], ast.Block([], pos, pos), pos, is_defaulted=True))


def _parts(s: Struct) -> list[Struct | Field]:
    return [*s.bases, *s.members]


def needs_construction(part: Type | Field) -> bool:
    """Return whether a default value of a type, or of a member, is the result of a constructor or initialiser."""
    if isinstance(part, Field):
        return part.init is not None or needs_construction(part.type)
    t = ty.innermost(part)
    return isinstance(t, Struct) and bool(t.constructors)


def default_value(ctx: Context, t: Type, pos: int) -> hir.Expr | None:
    """Return the value of a variable of type ``t`` without an initialiser; ``None`` if it has no defined value."""
    if not needs_construction(t):
        return None
    if isinstance(t, Array):
        count = t.size or 0
        if count > MAX_CONSTRUCTED:
            ctx.fail(sema.TYPE_TOO_LARGE, pos, name="array", limit=MAX_CONSTRUCTED)
        items = [item for item in (default_value(ctx, t.element, pos) for _ in range(count)) if item is not None]
        return hir.InitList(items, t, pos)
    assert isinstance(t, Struct)
    return construct(ctx, t, [], pos)


def prologue(ctx: Context, f: hir.Function, decl: ast.FunctionDecl) -> list[hir.Stmt]:
    """Return the statements in front of a constructor's body: its object, and the initialisation of its members."""
    s = f.owner
    assert s is not None and ctx.source is not None
    this = ctx.source.constructed = hir.Variable("self", s, "local", f.pos, f.chunk, owner=f)
    out: list[hir.Stmt] = [hir.DeclStmt(this, f.pos)]
    inits, delegate = _by_part(ctx, s, decl.inits)
    if delegate is not None:
        this.init = construct(ctx, s, ex.check_all(ctx, delegate.args), delegate.pos)
        return out
    for part in _parts(s):
        init = inits.get(part)
        pos = init.pos if init is not None else f.pos
        t = part if isinstance(part, Struct) else part.type
        value = _initial(ctx, part, t, init, pos)
        if value is not None:
            whole = hir.VarRef(this, s, pos)
            if isinstance(part, Struct):
                target: hir.Expr = hir.Cast("derived_to_base", whole, part, pos, is_lvalue=True)
            else:
                target = member_of(ctx, whole, part, pos)
            out.append(hir.ExprStmt(hir.Assign(target, value, t, pos), pos))
    return out


def _by_part(
    ctx: Context, s: Struct, inits: Sequence[ast.MemberInit]
) -> tuple[dict[Struct | Field, ast.MemberInit], ast.MemberInit | None]:
    """Return the initialisers of members and bases, and that of a delegating constructor."""
    out: dict[Struct | Field, ast.MemberInit] = {}
    for init in inits:
        name = type_names.spelled(init.target.parts)
        part: Struct | Field | None = s.own_field(name) if len(init.target.parts) == 1 else None
        if part is None:
            named = type_names.lookup_path(ctx, init.target.parts, init.pos)
            t = getattr(named, "type", None) if init.target.parts[-1].args is None else None
            part = t if t is s or t in s.bases else None
        if part is s:
            if len(inits) > 1:
                ctx.fail(codes.DELEGATING, init.pos)
            return out, init
        if part is None:
            ctx.fail(codes.NOT_A_MEMBER, init.pos, name=name)
        if part in out:
            ctx.fail(codes.MEMBER_TWICE, init.pos, name=name)
        out[part] = init
    return out, None


def _initial(ctx: Context, part: Struct | Field, t: Type, init: ast.MemberInit | None, pos: int) -> hir.Expr | None:
    if init is not None and len(init.args) == 1 and isinstance(init.args[0], ast.InitList):
        return initializers.initialize(ctx, init.args[0], t, sema.CANNOT_INITIALIZE)
    if init is not None and init.args:
        return initializers.initialize(ctx, ast.DirectInit(init.args, init.pos), t, sema.CANNOT_INITIALIZE)
    if init is not None:
        return initializers.zero(ctx, t, pos)
    if isinstance(part, Field) and part.init is not None:
        return initializers.initialize(ctx, part.init, t, sema.CANNOT_INITIALIZE)
    return default_value(ctx, t, pos)
