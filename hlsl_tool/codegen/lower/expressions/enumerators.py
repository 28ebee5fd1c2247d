"""Enumerators as Private variables under ``-fcgl``, as in DXC's code generation; otherwise they are constants."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import constants
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Enum
from hlsl_tool.spirv.enums import StorageClass


def declare(ctx: Lowering, enums: list[Enum]) -> None:
    """Declare a variable for each enumerator of type ``int``; do nothing without ``-fcgl``."""
    if not ctx.options.codegen_only:
        return
    variables: dict[tuple[Enum, str], int] = {}
    for declared in enums:
        if declared.underlying is not ty.INT:
            continue
        for name, value in declared.values.items():
            initial = constants.scalar(ctx, value, ty.INT)
            variables[declared, name] = ctx.b.global_variable(
                ctx.type(ty.INT), StorageClass.Private, name, init=initial
            )
    ctx.enumerators = variables


def load(ctx: Lowering, literal: hir.Literal_) -> int | None:
    """Load the variable of a literal that names an enumerator; return ``None`` if it has no variable."""
    if not literal.enumerator or not isinstance(literal.type, Enum):
        return None
    variable = ctx.enumerators.get((literal.type, literal.enumerator))
    return None if variable is None else ctx.b.load(variable)


def is_enumerator(x: hir.Expr) -> bool:
    """Return whether an expression is the name of an enumerator."""
    return isinstance(x, hir.Literal_) and bool(x.enumerator)


def operand(x: hir.Expr) -> hir.Expr:
    """Return ``x`` without an enumerator's implicit conversion, which DXC omits for operands of operators."""
    return x.operand if isinstance(x, hir.Cast) and x.kind == "noop" and is_enumerator(x.operand) else x
