"""Enumerators as Private variables under ``-fcgl``, as in DXC's code generation; otherwise they are constants."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import constants, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Enum
from hlsl_tool.spirv import op
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


def operands(left: hir.Expr, right: hir.Expr) -> tuple[hir.Expr, hir.Expr]:
    """Return two operands without their implicit conversions to ``int`` if both are of one enumeration.

    DXC converts such operands only together with those of other types; a converted enumerator is a constant.
    """
    bare = bare_operand(left), bare_operand(right)
    return bare if isinstance(bare[0].type, Enum) and bare[0].type is bare[1].type else (left, right)


def bare_operand(x: hir.Expr) -> hir.Expr:
    """Return ``x`` without the implicit conversion of an enumeration to ``int``."""
    return x.operand if isinstance(x, hir.Cast) and x.kind == "noop" and isinstance(x.operand.type, Enum) else x


def converted(ctx: Lowering, e: hir.Cast) -> Value | None:
    """Lower a conversion from or to an enumeration as DXC does; return ``None`` if it is lowered as any other.

    DXC evaluates conversions of constants to numbers; what is converted to an enumeration explicitly is copied.
    """
    is_number, is_from = not isinstance(e.type, Enum), isinstance(e.operand.type, Enum)
    if is_enumerator(e.operand) or (ctx.options.codegen_only and (is_from if is_number else e.is_explicit)):
        constant = constants.folded(ctx, e if is_number and is_from else e.operand)
        if constant is not None:
            return ctx.rvalue(constant, e.type)
    if is_number or not (ctx.options.codegen_only and e.is_explicit):
        return None
    v = ctx.expr(e.operand)
    return ctx.rvalue(ctx.b.unary(op.OpBitcast, ctx.type(e.type), v.id), e.type) if v.is_rvalue else v


def as_number(ctx: Lowering, e: hir.Expr) -> Value:
    """Return the value of an operand of ``?:``, which DXC converts to a number: an enumerator is a constant."""
    constant = constants.folded(ctx, e) if is_enumerator(e) else None
    return memory.value_of(ctx, e) if constant is None else ctx.rvalue(constant, e.type)


def negated(ctx: Lowering, e: hir.Unary) -> int | None:
    """Return the constant for an operation on an enumerator under ``-fcgl``; ``None`` for others.

    In DXC it has the type of the enumeration, and its conversion to another type is evaluated.
    """
    if not ctx.options.codegen_only or e.type is ty.BOOL or not is_enumerator(bare_operand(e.operand)):
        return None
    return constants.folded(ctx, e)
