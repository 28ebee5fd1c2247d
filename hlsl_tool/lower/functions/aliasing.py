"""Which arguments may be passed as pointers to the caller's own memory.

HLSL copies arguments in and results out.  A pointer to a local variable does the same if nothing else in the call leads
to that variable.  DXC passes pointers to any memory; ``-fcgl`` does so, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.lower.core import inline_spirv
from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.lower.core.values import Value
from hlsl_tool.lower.types.kinds import is_value_object
from hlsl_tool.sema import hir
from hlsl_tool.sema.hir import Param
from hlsl_tool.sema.types import Array, ObjectType, Struct, Type, innermost
from hlsl_tool.spirv.enums import StorageClass


def must_copy(ctx: Lowering, c: hir.Call, p: Param, source: hir.Expr, v: Value) -> bool:
    """Return whether the memory of an ``out`` or ``inout`` argument could be reached another way in the call."""
    if ctx.options.codegen_only or v.is_rvalue or _is_passed_directly(p.type):
        return False
    root = _root(source)
    if ctx.b.storage_of(v.id) == StorageClass.Function and root is not hir.This:  # an object may be a global variable
        return root is not None and sum(other is root for other in _roots(c)) > 1
    if ctx.options.fix_func_call_arguments and not isinstance(source, hir.VarRef):
        return False  # spirv-opt copies the arguments
    return not _holds_array(p.type)  # whole arrays are too much to copy, and other invocations may write to them


def _is_passed_directly(t: Type) -> bool:
    """Return whether a type has no values that could be copied."""
    inner = innermost(t)
    return isinstance(inner, ObjectType) and (not is_value_object(inner) or inline_spirv.is_opaque_type(inner))


def _holds_array(t: Type) -> bool:
    if isinstance(t, Struct):
        return any(_holds_array(f.type) or _is_passed_directly(f.type) for f in t.all_fields())
    return isinstance(t, Array)


def _roots(c: hir.Call) -> Iterator[object]:
    """Yield the variables whose memory a call is given: of the object, and of ``out`` and ``inout`` arguments."""
    if isinstance(c.this, hir.Expr):
        yield _root(c.this)
    for p, a in zip(c.function.params, c.args, strict=True):
        if p.direction != "in":
            yield _root(a)


def _root(x: hir.Expr) -> object:
    """Return the variable that an expression is a part of, the type of ``this`` for the current object, or ``None``."""
    while True:
        if isinstance(x, (hir.Load, hir.Cast)):
            x = x.operand
        elif isinstance(x, (hir.Member, hir.Index, hir.Swizzle, hir.MatrixSwizzle)):
            x = x.base
        else:
            break
    if isinstance(x, hir.VarRef):
        return x.var
    return hir.This if isinstance(x, hir.This) else None
