"""OpSpecConstantOp: apply the handlers of function instructions to constants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.writer.expr import Expr
from hlsl_tool.wgsl.writer.function import FunctionWriter
from hlsl_tool.wgsl.writer.registry import VALUES

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.context import Context


class _ConstantWriter(FunctionWriter):
    """A writer for expressions outside of functions, where statements are impossible."""

    def hidden(self, value: Expr) -> Expr:
        return value

    def temporary(self, value: Expr, hint: str = "", head: str = "let ") -> Expr:
        return value


def constant_operation(context: Context, inst: Instruction) -> Expr:
    """Return the expression for an OpSpecConstantOp; raise `Unsupported` if WGSL has no such constant expression."""
    handler = VALUES.get(inst.id(0))
    if handler is None:
        raise Unsupported("the operation on specialisation constants has no equivalent in WGSL", inst.result_id)
    writer = _ConstantWriter(context, Function(Instruction(op.OpFunction, 0, 0, [])))
    result = handler(writer, Instruction(inst.id(0), inst.type_id, inst.result_id, inst.operands[1:]))
    if writer.scope.statements:
        raise Unsupported("the operation on specialisation constants has no equivalent in WGSL", inst.result_id)
    return Expr(result.text, result.level, constant=True, depth=result.depth)
