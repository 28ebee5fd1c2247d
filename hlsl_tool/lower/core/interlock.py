"""Critical sections of the pixel (or sample, or fragment) for rasterizer ordered views."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.sema.types import ObjectType, Type
from hlsl_tool.spirv import op


def is_rasterizer_ordered(t: Type) -> bool:
    """Return whether accesses to an object of this type are ordered by pixels."""
    return isinstance(t, ObjectType) and t.name.startswith("Rasterizer")


@contextmanager
def interlocked(ctx: Lowering, is_ordered: bool) -> Iterator[None]:
    """Wrap accesses in a critical section if they are ordered by pixels."""
    if is_ordered:
        begin_interlock(ctx)
    yield
    if is_ordered:
        end_interlock(ctx)


def begin_interlock(ctx: Lowering) -> None:
    """Begin a critical section, with the execution mode that it needs."""
    if ctx.wrapper:
        ctx.b.execution_mode(ctx.wrapper, ctx.interlock_mode)
    ctx.b.emit_void(op.OpBeginInvocationInterlockEXT)


def end_interlock(ctx: Lowering) -> None:
    """End a critical section."""
    ctx.b.emit_void(op.OpEndInvocationInterlockEXT)
