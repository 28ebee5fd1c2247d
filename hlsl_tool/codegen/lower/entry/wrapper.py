"""Write the wrapper of an entry point (manual: *Entry function wrapper*).

The wrapper loads the stage's inputs, calls the shader's function and stores the outputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.lower.core import memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.function_names import spirv_name
from hlsl_tool.codegen.lower.core.registry import MODES
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.entry import items, modes, vk_attributes
from hlsl_tool.codegen.lower.entry.stages import RAY_TRACING, Stage
from hlsl_tool.codegen.lower.functions import calls as functions
from hlsl_tool.codegen.lower.global_variables.declare import Resources
from hlsl_tool.codegen.lower.stage_io import checks, semantics
from hlsl_tool.codegen.lower.stage_io.stage_io import StageIO
from hlsl_tool.codegen.lower.stage_io.stage_items import Item, members
from hlsl_tool.codegen.lower.types.kinds import is_node
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Function, Param
from hlsl_tool.frontend.sema.model.types import ObjectType, Struct

if TYPE_CHECKING:
    from hlsl_tool.codegen.lower.entry.tessellation import Hull


@dataclass(slots=True)
class Entry:
    """An entry point: the function of the source, its stage, its wrapper and its interface."""

    function: Function
    stage: Stage
    wrapper: int = 0
    io: StageIO = field(init=False)


def enter(ctx: Lowering, stage: str, wrapper: int) -> None:
    """Make an entry point current: all code written next belongs to its stage and wrapper."""
    ctx.stage = stage
    ctx.wrapper = wrapper


def write(ctx: Lowering, entry: Entry, resources: Resources) -> None:
    """Write the wrapper of an entry point, followed by the entry-point function itself."""
    b, f, stage = ctx.b, entry.function, entry.stage
    ctx.chunk = f.chunk
    ctx.enter_function(f)
    entry.wrapper, _ = b.begin_function(f.name, b.void_type())
    enter(ctx, stage.name, entry.wrapper)
    entry.io = StageIO(ctx, entry.wrapper)
    if stage.name in RAY_TRACING:
        from hlsl_tool.codegen.lower.entry import raytracing  # start-up time

        vk_attributes.entry_modes(ctx, f, entry.wrapper)
        b.set_insert_point(b.new_block())
        ctx.wrapper_begun(f)
        resources.statics.initialize()
        ctx.chunk = f.chunk
        raytracing.write_body(ctx, f, entry.wrapper)
        if f.body is not None:
            ctx.at_end(f.body)
        b.ret()
        b.end_function()
    else:
        _write_body(ctx, entry, resources)
    modes.from_options(ctx, entry.wrapper)
    functions.define(ctx, f, name=f"src.{spirv_name(f)}", function=ctx.functions[f])


def _write_body(ctx: Lowering, entry: Entry, resources: Resources) -> None:
    """Write the wrapper's execution modes and body: input loads, the call, output stores."""
    b, f, stage, io = ctx.b, entry.function, entry.stage, entry.io
    write_modes = MODES.find(stage.name)
    if write_modes is not None:
        write_modes(ctx, f, entry.wrapper)
    vk_attributes.entry_modes(ctx, f, entry.wrapper)
    for p in f.params:
        if not items.may_stand(p.type) and not is_node(p.type):
            ctx.fail(codes.FEATURE_UNSUPPORTED, p.pos, what=f"a parameter of type '{p.type}' of an entry point")
    result, result_point = items.result(f, stage)
    _create_clip_cull(ctx, entry, result, result_point)
    b.set_insert_point(b.new_block())
    ctx.wrapper_begun(f)
    resources.statics.initialize()
    ctx.chunk = f.chunk
    hull = _hull(ctx, f, io) if stage.name == "hs" else None
    used = items.used_params(f)
    arguments = _arguments(ctx, entry, used, hull)
    value = b.call(ctx.functions[f], ctx.type(f.return_type), [a.id for a in arguments])
    if hull is not None:
        io.invocation = hull.control_point()
    leaves = io.write(result, result_point, value) if f.return_type is not ty.VOID else []
    if hull is not None:
        hull.finish(leaves)
    _write_outputs(ctx, entry, used, arguments)
    if f.body is not None:
        ctx.at_end(f.body)
    b.ret()
    b.end_function()
    if hull is not None:
        hull.define()


def _hull(ctx: Lowering, f: Function, io: StageIO) -> Hull:
    from hlsl_tool.codegen.lower.entry.tessellation import Hull  # start-up time

    return Hull(ctx, f, io)


def _create_clip_cull(ctx: Lowering, entry: Entry, result: Item, result_point: str) -> None:
    """Create the clip and cull distance arrays, large enough for all parameters and the result."""
    io, stage = entry.io, entry.stage
    for p in entry.function.params:
        if items.mesh_role(p) in ("indices", "payload") or is_node(p.type):
            continue
        if p.direction != "out" and items.is_input(p):
            record_clip_cull(ctx, io, *items.as_input(p, stage))
        if p.direction != "in":
            record_clip_cull(ctx, io, *items.as_output(p, stage))
    record_clip_cull(ctx, io, result, result_point)
    io.clip_cull.create(ctx)


def _arguments(ctx: Lowering, entry: Entry, used: set[Param], hull: Hull | None) -> list[Value]:
    """Load the inputs into one local variable per parameter, and return these variables as the call's arguments."""
    f, stage, io = entry.function, entry.stage, entry.io
    arguments: list[Value] = []
    for p in f.params:
        if is_node(p.type):
            from hlsl_tool.codegen.lower.intrinsics import nodes  # start-up time

            node_object, variable = nodes.argument(ctx, p, f.params[: len(arguments)])
            arguments.append(node_object)
            if variable:
                io.add(variable)
            continue
        holder = memory.local(ctx, p.type, f"param.var.{p.name}")
        arguments.append(holder)
        ctx.holds(p, holder.id)
        if p.direction == "out" or not items.is_input(p):
            continue
        value = _read_payload(ctx, io, p) if items.mesh_role(p) == "payload" else _read(ctx, io, p, stage)
        if p in used or p.direction == "inout" or (hull is not None and hull.wants(p)):
            ctx.b.store(holder.id, value)
        if hull is not None:
            hull.record(p, holder, value)
    return arguments


def _read(ctx: Lowering, io: StageIO, p: Param, stage: Stage) -> int:
    initial = memory.value_of(ctx, p.initial).id if p.initial is not None else None
    return io.read(*items.as_input(p, stage), initial)


def _read_payload(ctx: Lowering, io: StageIO, p: Param) -> int:
    from hlsl_tool.codegen.lower.entry.mesh import read_payload  # start-up time

    return read_payload(ctx, io, p)


def _write_outputs(ctx: Lowering, entry: Entry, used: set[Param], arguments: list[Value]) -> None:
    """Store the ``out`` and ``inout`` parameters to the output variables after the call."""
    stage, io = entry.stage, entry.io
    for p, holder in zip(entry.function.params, arguments, strict=True):
        if p.direction == "in":
            continue
        if items.mesh_role(p):
            from hlsl_tool.codegen.lower.entry import mesh  # start-up time

            mesh.declare(ctx, io, p)
            continue
        is_written = (p in used or p.direction == "inout") and stage.name != "gs"
        leaves = io.write(*items.as_output(p, stage), ctx.b.load(holder.id) if is_written else None)
        if isinstance(p.type, ObjectType):
            ctx.streams[p.type.element] = (io, leaves)


def record_clip_cull(ctx: Lowering, io: StageIO, item: Item, point: str) -> None:
    """Record the size of each ``SV_ClipDistance`` and ``SV_CullDistance`` in a parameter or result.

    Later, the arrays are created in the recorded sizes.
    """
    if isinstance(item.type, Struct) and (item.semantic is None or item.semantic.system not in checks.DISTANCES):
        for m in members(ctx, item.type, item):
            record_clip_cull(ctx, io, m, point)
    elif item.semantic is not None:
        row = semantics.TABLE.get(item.semantic.system, {})
        if row.get(point, semantics.IO) != semantics.IO:
            checks.check_distance(ctx, item.type, item.semantic, item.name, item.pos, item.chunk)
            io.clip_cull.record(item.semantic, item.type, point, item.array)
