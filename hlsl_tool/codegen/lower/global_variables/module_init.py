"""``module.init``: a function that every entry point calls before all else.

It initialises private variables that are copies of blocks or built-ins.  As in DXC, it is the last function, and is
written only if it has contents.  ``group.init`` is the same for groupshared variables and entry points with thread
groups; it ends with a barrier.  A library also exports ``$init``: entry points of other modules call it first.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import LinkageType, MemorySemantics, Scope
from hlsl_tool.spirv.ir import Instruction

NAME = "module.init"
GROUP_NAME = "group.init"
LIBRARY_INIT = "$init"
"""The name under which a library exports the initialisation of its variables; no HLSL function can have it."""


def add(ctx: Lowering, write: Callable[[], None]) -> None:
    """Append code to ``module.init``; ``write`` emits it when that function is written.

    Code is emitted in the order of the calls of `add`.
    """
    ctx.module_init.append(write)


def add_to_group(ctx: Lowering, write: Callable[[], None]) -> None:
    """Append code to ``group.init``, like `add`."""
    ctx.group_init.append(write)


def write(ctx: Lowering, wrappers: list[int], group_wrappers: list[int]) -> None:
    """Write the functions as the module's last ones, and calls of them at the beginning of each wrapper.

    ``group_wrappers`` are those of entry points with thread groups.
    """
    if ctx.group_init:
        _write(ctx, GROUP_NAME, [*ctx.group_init, lambda: _synchronize(ctx)], group_wrappers)
    if ctx.module_init:
        _write(ctx, NAME, ctx.module_init, wrappers)


def _synchronize(ctx: Lowering) -> None:
    semantics = MemorySemantics.AcquireRelease | MemorySemantics.WorkgroupMemory
    ctx.b.barrier(Scope.Workgroup, semantics, Scope.Workgroup)


def _write(ctx: Lowering, name: str, parts: list[Callable[[], None]], wrappers: list[int]) -> None:
    b = ctx.b
    number, _ = b.begin_function(name, b.void_type())
    b.set_insert_point(b.new_block(f"{name}.bb"))
    for part in parts:
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
