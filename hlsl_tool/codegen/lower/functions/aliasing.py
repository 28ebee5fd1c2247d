"""Decide which arguments may be passed as pointers to the caller's memory.

HLSL copies arguments in and results out. A pointer to the caller's memory has the same effect if no other argument, and
no global variable that the callee uses, refers to that memory. DXC, and therefore ``-fcgl``, always passes pointers.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.codegen.lower.core import inline_spirv
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.types.kinds import is_assignable_handle, is_value_object
from hlsl_tool.frontend.sema.checks.reachable.graph import reach
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.hir import Function, Param, Variable
from hlsl_tool.frontend.sema.model.types import Array, ObjectType, Struct, Type, innermost
from hlsl_tool.frontend.sema.scope.context import BodySource
from hlsl_tool.spirv.enums import StorageClass

_Root = Variable | Struct | None
"""The variable that an expression is a part of, or the type of the current object; ``None`` if it is not known."""

_WRITABLE = ("RW", "RasterizerOrdered", "Append", "Consume", ".Resource")
"""Prefixes of the names of objects that lead to memory that a function may write to."""


def must_copy(ctx: Lowering, c: hir.Call, p: Param, source: hir.Expr, v: Value) -> bool:
    """Return whether the memory of an ``out`` or ``inout`` argument could be reached another way in the call."""
    root = _root(source)
    if "&" in p.quals:
        return False  # a reference
    if ctx.options.codegen_only or v.is_rvalue or _is_passed_directly(p.type) or is_binding(source):
        return False
    if ctx.b.storage_of(v.id) == StorageClass.Function and not isinstance(root, Struct):  # no object: it may be global
        return root is not None and sum(other is root for other in _roots(c)) > 1
    if ctx.options.fix_func_call_arguments and not isinstance(source, hir.VarRef):
        return False  # spirv-opt copies the arguments
    return _may_alias(ctx, c, p, root)


def is_binding(source: hir.Expr) -> bool:
    """Return whether an argument is a resource with a binding, or a part of an array of them: they cannot change."""
    root = _root(source)
    return isinstance(root, Variable) and root.storage == "global"


def _is_passed_directly(t: Type) -> bool:
    """Return whether a type is, or contains, an object without a copyable value, such as a texture."""
    inner = innermost(t)
    if isinstance(inner, Struct):
        return any(_is_passed_directly(f.type) for f in inner.all_fields())
    if not isinstance(inner, ObjectType):
        return False
    return not (is_value_object(inner) or is_assignable_handle(inner)) or inline_spirv.is_opaque_type(inner)


def _may_alias(ctx: Lowering, c: hir.Call, p: Param, root: _Root) -> bool:
    """Return whether another argument, or a variable that the callee uses, may overlap with the variable ``root``."""
    if root is None or _reaches_import(ctx, c.function):
        return True
    others = list(_roots(c, besides=p))
    return any(_overlap(root, other) for other in (*others, *reached_variables(ctx, c.function)))


def reached_variables(ctx: Lowering, f: Function) -> frozenset[Variable]:
    """Return the global variables that a function names, directly or through its callees; cached."""
    variables = ctx.reached_variables.get(f)
    if variables is None:
        sources = [g.source for g in reach(ctx.program, [f]) if isinstance(g.source, BodySource)]
        variables = frozenset(v for source in sources for v in source.variables if v.storage != "param")
        ctx.reached_variables[f] = variables
    return variables


def _reaches_import(ctx: Lowering, f: Function) -> bool:
    """Return whether a function calls one of another module, which may use any memory that is not the caller's own."""
    return ctx.imports and any(not g.has_body for g in reach(ctx.program, [f]))


def _roots(c: hir.Call, besides: Param | None = None) -> Iterator[_Root]:
    """Yield the variables whose memory a call may write to.

    These are the variables that contain the method's object and the arguments for output, ``groupshared`` and
    writable buffer parameters, except for the argument of the parameter ``besides``.
    """
    if isinstance(c.this, hir.Expr):
        yield _root(c.this)
    for p, a in zip(c.function.params, c.args, strict=True):
        if p is not besides and (p.direction != "in" or "groupshared" in p.quals or _holds_writable(p.type)):
            yield _root(a)


def _root(x: hir.Expr) -> _Root:
    while True:
        if isinstance(x, (hir.Load, hir.Cast)):
            x = x.operand
        elif isinstance(x, (hir.Member, hir.Index, hir.Swizzle, hir.MatrixSwizzle)):
            x = x.base
        else:
            break
    if isinstance(x, hir.VarRef):
        return x.var
    return x.type if isinstance(x, hir.This) and isinstance(x.type, Struct) else None


def _overlap(a: _Root, b: _Root) -> bool:
    """Return whether two root variables may refer to overlapping memory.

    Resources with bindings are distinct; a local variable or parameter may be any of them.
    """
    if a is b or a is None or b is None:
        return True
    if isinstance(a, Struct):
        return isinstance(b, Struct) or _may_hold(b, a)
    if isinstance(b, Struct):
        return _may_hold(a, b)
    if _is_shared(a) and _is_shared(b):
        return isinstance(a, Param) or isinstance(b, Param)
    return _holds_writable(a.type) and _holds_writable(b.type) and not (_is_bound(a) and _is_bound(b))


def _is_shared(v: Variable) -> bool:
    return v.storage == "groupshared" or "groupshared" in v.quals


def _is_bound(v: Variable) -> bool:
    return v.storage == "global" and not _is_heap(v.type)


def _is_heap(t: Type) -> bool:
    return isinstance(t, ObjectType) and t.name == ".Resource"


def _may_hold(v: Variable, s: Struct) -> bool:
    """Return whether a method's object, of type ``s``, may be a part of ``v``, a variable that the method names."""
    if v.storage == "local" or (isinstance(v, Param) and not _is_shared(v) and not _holds_writable(v.type)):
        return False
    return _is_heap(v.type) or _holds(v.type, s)


def _holds(t: object, s: Struct) -> bool:
    if isinstance(t, Array):
        return _holds(t.element, s)
    if isinstance(t, ObjectType):
        return t.name.startswith(_WRITABLE) and any(_holds(argument, s) for argument in t.args)
    if not isinstance(t, Struct):
        return False
    return t is s or any(_holds(base, s) for base in t.bases) or any(_holds(f.type, s) for f in t.fields)


def _holds_writable(t: Type) -> bool:
    """Return whether a type is, or contains, a writable buffer or a descriptor heap."""
    inner = innermost(t)
    if isinstance(inner, Struct):
        return any(_holds_writable(f.type) for f in inner.all_fields())
    return isinstance(inner, ObjectType) and inner.name.startswith(_WRITABLE)
