"""The built-in function template ``slice``, of long vectors, from HLSL 202x on."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Vector
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.expressions import conversions
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.syntax import ast


def sliced(ctx: Context, args: list[hir.Expr], written: Sequence[ast.TemplateArg], pos: int) -> hir.Expr:
    """Build ``slice<Offset, Count>(v)`` or ``slice<Count>(v)``; report components outside of the vector."""
    numbers = [type_names.template_argument(ctx, a)[0] for a in written]
    ints = [n for n in numbers if isinstance(n, int)]
    if len(args) != 1 or not isinstance(args[0].type, Vector) or len(ints) != len(numbers) or len(ints) > 2:
        ctx.fail(codes.NO_MATCHING_FUNCTION, pos, name="slice")
    offset, count = ints if len(ints) > 1 else (0, ints[0])
    t = args[0].type
    if offset < 0 or count < 1 or offset + count > t.size:
        ctx.fail(codes.SWIZZLE_RANGE, pos, type=ty.display(t))
    source = conversions.load(args[0])
    steps: list[hir.Expr] = []
    if ctx.source is not None:  # evaluate the vector once
        v = hir.Variable("sliced", t, "local", pos, ctx.chunk, owner=ctx.function)
        ctx.source.hidden.append(v)
        steps.append(hir.Assign(hir.VarRef(v, t, pos), source, t, pos))
        source = hir.Load(hir.VarRef(v, t, pos), t, pos)
    parts: list[hir.Expr] = []
    for n in range(offset, offset + count):
        index = hir.Literal_(n, ty.INT, pos)
        base = source.operand if isinstance(source, hir.Load) else source
        parts.append(conversions.load(hir.Index(base, index, t.element, pos, is_lvalue=base.is_lvalue)))
    result = ty.vector(t.element, count)
    value: hir.Expr = hir.InitList(parts, result, pos, is_constructor=True)
    for step in steps:
        value = hir.Comma(step, value, result, pos, is_reference=True)
    return value
