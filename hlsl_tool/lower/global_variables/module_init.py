"""``module.init``: a function that every entry point calls before all else.

It fills private variables that stand for something that an expression cannot name as it is.  As DXC has it, it is the
last function, and only there where something wants it.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

NAME = "module.init"


def add(ctx: Lowering, write: Callable[[], None]) -> None:
    """``write`` puts its part where the function ends by then; parts come in the order in which they were added."""
    ctx.module_init.append(write)


def write(ctx: Lowering, wrappers: list[int]) -> None:
    """The function, behind all others, and the calls of it."""
    if not ctx.module_init:
        return
    b = ctx.b
    number, _ = b.begin_function(NAME, b.void_type())
    b.set_insert_point(b.new_block(f"{NAME}.bb"))
    for part in ctx.module_init:
        part()
    b.ret()
    b.end_function()
    for f in b.functions:
        if f.id in wrappers:
            call = Instruction(op.OpFunctionCall, b.void_type(), b.new_id(), [number])
            f.blocks[0].instructions.insert(0, call)
