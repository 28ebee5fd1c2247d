"""``module.init``: a function that every entry point calls before all else.

It initialises private variables that are copies of blocks or built-ins.  As in DXC, it is the last function, and is
written only if it has contents.  A library also exports ``$init``: entry points of other modules call it first.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import LinkageType
from hlsl_tool.spirv.ir import Instruction

NAME = "module.init"
LIBRARY_INIT = "$init"
"""The name under which a library exports the initialisation of its variables; no HLSL function can have it."""


def add(ctx: Lowering, write: Callable[[], None]) -> None:
    """Append code to ``module.init``; ``write`` emits it when that function is written.

    Code is emitted in the order of the calls of `add`.
    """
    ctx.module_init.append(write)


def write(ctx: Lowering, wrappers: list[int]) -> None:
    """Write ``module.init`` as the module's last function, and a call of it at the beginning of each wrapper."""
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


def write_export(ctx: Lowering, initialize: Callable[[], None]) -> list[int]:
    """Write and export the function that initialises a library's variables; return [its id], or [] without variables.

    ``initialize`` emits the initialisation of static variables.
    """
    if not (ctx.to_initialize or ctx.module_init):
        return []
    b = ctx.b
    number, _ = b.begin_function(LIBRARY_INIT, b.void_type())
    b.decorate_linkage(number, LIBRARY_INIT, LinkageType.Export)
    b.set_insert_point(b.new_block("bb.entry"))
    initialize()
    b.ret()
    b.end_function()
    return [number]
