"""Diagnose methods that assign to an object that is read-only, or to a temporary copy."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import inline_spirv
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.model.statement_walk import all_expressions
from hlsl_tool.frontend.sema.rules.expressions.lvalues import is_read_only

_PARTS = (hir.Swizzle, hir.MatrixSwizzle, hir.Index, hir.Member)


def check(ctx: Lowering, c: hir.Call, f: Function) -> None:
    """Report a call of a method that modifies a read-only object; warn if the modified object is a discarded copy."""
    assert c.this is not None
    root = _root(c.this)
    if _is_constant(root):
        if _changes_object(ctx, f, set()):
            ctx.fail(codes.CONSTANT_OBJECT, c.pos, name=f.name)
    elif _is_copy(root, f) and _changes_object(ctx, f, set()):
        ctx.warn(codes.LOST_CHANGE, c.pos, name=f.name)


def _root(e: hir.Expr) -> hir.Expr:
    """Return the object that a chain of members, subscripts and swizzles starts from."""
    while True:
        if isinstance(e, _PARTS):
            e = e.base
        elif isinstance(e, hir.Cast) and e.kind == "derived_to_base":
            e = e.operand
        else:
            return e


def _is_constant(root: hir.Expr) -> bool:
    """Return whether an object is in memory that shaders can only read."""
    if isinstance(root, hir.MethodCall):
        return root.is_lvalue and root.name == "operator[]" and is_read_only(root)
    if not isinstance(root, hir.VarRef) or inline_spirv.storage_class(root.var) is not None:
        return False
    return root.var.storage in ("global", "cbuffer_member")


def _is_copy(root: hir.Expr, f: Function) -> bool:
    """Return whether a method's object is a copy that is discarded after the call.

    A method with a result may return what it computed in the copy, so calls of it count only for a ``ConstantBuffer``.
    """
    if isinstance(root, hir.Cast) and root.kind == "contents":
        return True
    return f.return_type is ty.VOID and isinstance(root, (hir.Call, hir.MethodCall)) and not root.is_lvalue


def _changes_object(ctx: Lowering, f: Function, seen: set[Function]) -> bool:
    """Return whether a method assigns to ``this``, directly or through other methods that it calls."""
    if f in seen or f.is_const or f.body is None:
        return False
    seen.add(f)
    return any(_changes(ctx, e, seen) for e in all_expressions(f.body))


def _changes(ctx: Lowering, e: hir.Expr, seen: set[Function]) -> bool:
    changed: list[hir.Expr] = []
    if isinstance(e, (hir.Assign, hir.CompoundAssign)):
        changed = [e.target]
    elif isinstance(e, hir.IncDec):
        changed = [e.operand]
    elif isinstance(e, hir.IntrinsicCall):
        changed = [a for a, d in zip(e.args, e.directions, strict=False) if d != "in"]
    elif isinstance(e, hir.Call):
        changed = [a for a, p in zip(e.args, e.function.params, strict=False) if p.direction != "in"]
        is_own = e.this is not None and isinstance(_root(e.this), hir.This)
        if is_own and _changes_object(ctx, ctx.definition(e.function), seen):
            return True
    return any(isinstance(_root(each), hir.This) for each in changed)
