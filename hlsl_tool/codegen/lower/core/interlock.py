"""Critical sections per pixel, sample or fragment for rasterizer ordered views."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model.types import ObjectType, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import ExecutionMode


def is_rasterizer_ordered(t: Type) -> bool:
    """Return whether a type is a rasterizer ordered view, whose accesses are ordered per pixel."""
    return isinstance(t, ObjectType) and t.name.startswith("Rasterizer")


@contextmanager
def interlocked(ctx: Lowering, is_ordered: bool) -> Iterator[None]:
    """Wrap the instructions written inside in a critical section if ``is_ordered``; else do nothing."""
    if is_ordered:
        begin_interlock(ctx)
    yield
    if is_ordered:
        end_interlock(ctx)


def begin_interlock(ctx: Lowering) -> None:
    """Write the instruction that begins a critical section, and request the execution mode that it needs."""
    ctx.entry_mode(_order_accesses)
    ctx.b.emit_void(op.OpBeginInvocationInterlockEXT)


def _order_accesses(ctx: Lowering) -> None:
    mode = ctx.interlock_modes.get(ctx.wrapper, ExecutionMode.PixelInterlockOrderedEXT)
    ctx.b.execution_mode(ctx.wrapper, mode)


def end_interlock(ctx: Lowering) -> None:
    """Write the instruction that ends a critical section."""
    ctx.b.emit_void(op.OpEndInvocationInterlockEXT)
