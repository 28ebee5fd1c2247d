"""Geometry shaders: execution modes, and the methods of their output streams (manual: *Geometry Shaders*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import method, writes_modes
from hlsl_tool.codegen.lower.entry.items import PRIMITIVES, number, primitive
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.model.types import Array, ObjectType
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import ExecutionMode

_STREAMS = {
    "PointStream": ExecutionMode.OutputPoints,
    "LineStream": ExecutionMode.OutputLineStrip,
    "TriangleStream": ExecutionMode.OutputTriangleStrip,
}


@writes_modes("gs")
def execution_modes(ctx: Lowering, f: Function, wrapper: int) -> None:
    """Write the execution modes that follow from a geometry shader's attributes and parameters."""
    b = ctx.b
    count = number(f, "maxvertexcount")
    if count is None:
        ctx.fail(codes.ATTRIBUTE_MISSING, f.pos, stage="geometry", attribute="maxvertexcount")
    b.execution_mode(wrapper, ExecutionMode.OutputVertices, count)
    b.execution_mode(wrapper, ExecutionMode.Invocations, number(f, "instance") or 1)
    seen_in: set[str] = set()
    seen_out: set[str] = set()
    for p in f.params:
        if p.direction == "inout":
            if isinstance(p.type, ObjectType) and p.type.name in _STREAMS:
                b.execution_mode(wrapper, _STREAMS[p.type.name])
                seen_out.add(p.type.name)
            continue
        word = primitive(p)
        if word is None:
            continue
        mode, vertices = PRIMITIVES[word]
        if not isinstance(p.type, Array) or p.type.size != vertices:
            ctx.warn(codes.PRIMITIVE_SIZE, p.pos, primitive=word, count=vertices)
        b.execution_mode(wrapper, mode)
        seen_in.add(word)
    if not seen_out:
        ctx.fail(codes.STREAM_MISSING, f.pos)
    for seen, direction in ((seen_in, "input"), (seen_out, "output")):
        if len(seen) > 1:
            ctx.error(codes.PRIMITIVES_SEVERAL, f.pos, direction=direction)


@method("stream", "Append")
def _append(ctx: Lowering, c: hir.MethodCall) -> None:
    """Lower ``Append``: store the members of the vertex to the output variables and emit the vertex."""
    t = c.object.type
    assert isinstance(t, ObjectType)
    value = memory.load(ctx, ctx.expr(c.args[0])).id
    if t.element not in ctx.streams:
        ctx.fail(codes.STREAM_FOREIGN, c.pos)
    io, leaves = ctx.streams[t.element]
    io.write_again(leaves, t.element, value)
    ctx.b.emit_void(op.OpEmitVertex)


@method("stream", "RestartStrip")
def _restart(ctx: Lowering, _c: hir.MethodCall) -> None:
    ctx.b.emit_void(op.OpEndPrimitive)
