"""Find the variables and l-values that expressions read or write."""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.hir import Expr

LOOPS = (hir.For, hir.While, hir.Do)


def root_variable(e: Expr) -> hir.Variable | None:
    """Return the variable that an l-value is (a part of); ``None`` for others."""
    while True:
        if isinstance(e, hir.VarRef):
            return e.var
        if isinstance(e, (hir.Member, hir.Swizzle, hir.MatrixSwizzle, hir.Index)):
            e = e.base
        elif isinstance(e, (hir.Cast, hir.Load)):
            e = e.operand
        else:
            return None


def targets(e: Expr) -> Iterator[Expr]:
    """Yield the l-values that an expression itself assigns, not counting its operands."""
    if isinstance(e, (hir.Assign, hir.CompoundAssign)):
        yield e.target
    elif isinstance(e, hir.IncDec):
        yield e.operand
    elif isinstance(e, (hir.IntrinsicCall, hir.MethodCall)):
        for argument, direction in zip(e.args, e.directions, strict=False):
            if direction != "in":
                yield argument
        if isinstance(e, hir.MethodCall) and not repr(e.object.type).startswith("Texture"):
            yield e.object
    elif isinstance(e, hir.Call):
        for param, argument in zip(e.function.params, e.args, strict=False):
            if param.direction != "in":
                yield argument
        if e.this is not None:
            yield e.this
