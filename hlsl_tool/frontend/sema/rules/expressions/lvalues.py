"""Checks whether an expression can be assigned to."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import modifiers as modifier_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.syntax.builtin_types import BUILTIN_TYPES


def modifiable(ctx: Context, e: hir.Expr, pos: int, *, of_intrinsic: bool = False) -> None:
    """Report an error and raise `Poisoned` if ``e`` is not assignable.

    ``of_intrinsic``: ``e`` is an argument of an intrinsic; as in DXC, it may then be the result of a comma operator.
    """
    node = _assigned_object(ctx, e, pos)
    if not (e.is_lvalue if of_intrinsic else can_be_written(e)):
        ctx.fail(codes.NOT_ASSIGNABLE, pos, hint=_writable(node))
    if isinstance(node, hir.VarRef):
        v = node.var
        if is_constant(v):
            ctx.fail(
                codes.ASSIGN_CONST,
                pos,
                name=v.name,
                type=f"const {ty.display(v.type)}",
                notes=[ctx.note(codes.DECLARED_HERE, v.pos, v.chunk, name=v.name)] if v.chunk else None,
            )
        if ctx.source is not None and ctx.function is not None and ctx.function.referred is not None:
            ctx.source.changed.add(v)
    elif isinstance(node, hir.This):
        if ctx.function is not None and ctx.function.is_const:
            if ctx.language.hlsl_version >= HLSL_202X:
                ctx.fail(modifier_codes.ASSIGN_IN_CONST, pos, name=ctx.function.name)
            ctx.fail(codes.ASSIGN_CONST_VALUE, pos)
    elif _is_constant_value(node):
        ctx.fail(codes.ASSIGN_CONST_VALUE, pos)


def _is_constant_value(node: hir.Expr) -> bool:
    """Return whether a value is ``const``: through a reference, or an element of a read-only resource."""
    if isinstance(node, hir.Cast):
        return node.kind == "const"
    if not isinstance(node, hir.MethodCall):
        return False
    return not node.is_lvalue or is_read_only(node) or _is_const_record(node)


def is_const_object(ctx: Context, e: hir.Expr) -> bool:
    """Return whether an object is ``const``, or part of a constant buffer or of a read-only resource."""
    while True:
        if isinstance(e, hir.Cast) and e.kind in ("contents", "const"):
            return e.kind == "const" or not isinstance(e.operand.type, ObjectType) or "Buffer" in e.operand.type.name
        if isinstance(e, hir.Member) and "const" in e.field.quals:
            return True
        if isinstance(e, (hir.Member, hir.Index)):
            e = e.base
        elif isinstance(e, hir.Cast):
            e = e.operand
        else:
            break
    if isinstance(e, hir.VarRef):
        return is_constant(e.var)
    if isinstance(e, hir.This):
        return ctx.function is not None and ctx.function.is_const
    return isinstance(e, hir.MethodCall) and e.is_lvalue and is_read_only(e)


def can_be_written(e: hir.Expr) -> bool:
    """Return whether ``e`` is an assignable l-value.

    The result of a comma operator is none, nor are its members or components; an element of an array is, as in DXC.
    """
    node = e
    while not isinstance(node, hir.Comma) or node.is_reference:
        if isinstance(node, hir.Comma):
            node = node.right
            continue
        if isinstance(node, hir.Index) and isinstance(node.base.type, ty.Array):
            return node.is_lvalue
        if isinstance(node, (hir.Swizzle, hir.MatrixSwizzle, hir.Index, hir.Member)):
            node = node.base
        elif isinstance(node, hir.Cast) and node.is_lvalue:
            node = node.operand
        else:
            return e.is_lvalue
    return False


def _writable(node: hir.Expr) -> str | None:
    """Return a hint that names the writable counterpart of a read-only resource; ``None`` if there is none."""
    t = node.object.type if isinstance(node, hir.MethodCall) else None
    if not isinstance(t, ObjectType) or t.name.startswith("RW") or f"RW{t.name}" not in BUILTIN_TYPES:
        return None
    return f"'{t.name}' is read-only; the type to write to is 'RW{t.name}', at a register `u`"


def _assigned_object(ctx: Context, e: hir.Expr, pos: int) -> hir.Expr:
    """Strip members, subscripts and swizzles from ``e``; fail if one of them is ``const`` or repeats a component."""
    node = e
    while True:
        if isinstance(node, hir.Swizzle) and len(set(node.components)) != len(node.components):
            ctx.fail(codes.DUPLICATE_SWIZZLE_STORE, pos)
        if isinstance(node, hir.MatrixSwizzle) and len(set(node.elements)) != len(node.elements):
            ctx.fail(codes.DUPLICATE_SWIZZLE_STORE, pos)
        if isinstance(node, hir.Member) and "const" in node.field.quals:
            ctx.fail(codes.ASSIGN_CONST, pos, name=node.field.name, type=f"const {ty.display(node.type)}")
        if isinstance(node, (hir.Swizzle, hir.MatrixSwizzle, hir.Index, hir.Member)):
            node = node.base
        elif isinstance(node, hir.Comma) and node.is_reference:
            node = node.right
        elif isinstance(node, hir.Cast) and node.is_lvalue and node.kind != "const":
            node = node.operand
        else:
            return node


def _is_const_record(m: hir.MethodCall) -> bool:
    """Return whether a work graph record comes from a parameter that is ``const``."""
    is_const = isinstance(m.object, hir.VarRef) and "const" in m.object.var.quals
    return is_const and isinstance(m.object.type, ObjectType) and "Node" in m.object.type.name


def is_read_only(m: hir.MethodCall) -> bool:
    """Return whether a method of a resource returns an element that cannot be written."""
    t = m.object.type
    assert isinstance(t, ObjectType)
    if t.name == "vk::BufferPointer":
        return False
    if m.name != "operator[]":
        return not t.name.startswith("RW") and not t.name.endswith("NodeOutputRecords")
    return t.name.startswith(
        (
            "Texture",
            "Buffer",
            "StructuredBuffer",
            "InputPatch",
            "OutputPatch",
            "GroupNodeInput",
            "DispatchNodeInput",
            "ThreadNodeInput",
            "vk::Sampled",
        )
    )


def is_constant(v: hir.Variable) -> bool:
    """Return whether ``v`` is read-only: ``const``, or a uniform whose value the application sets."""
    if v.is_const:
        return True
    if v.storage == "cbuffer_member":
        return True
    return v.storage == "global" and not isinstance(ty.innermost(v.type), ObjectType)
