"""The entry point: a wrapper that reads the stage's inputs, calls the source's function and writes the outputs
(manual: *Entry function wrapper*)."""

from __future__ import annotations

from hlsl_tool.diagnostics.catalogue import lower as codes
from hlsl_tool.lower import functions, locations, memory, semantics, vk_attributes
from hlsl_tool.lower.context import Lowering
from hlsl_tool.lower.resources import Resources
from hlsl_tool.lower.stage_io import Item, StageIO, members
from hlsl_tool.lower.values import Value
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.context import BodySource
from hlsl_tool.sema.hir import Function, Param
from hlsl_tool.sema.types import Attribute, Struct
from hlsl_tool.spirv import enums as e

MODELS = {
    "vs": e.ExecutionModel.Vertex, "ps": e.ExecutionModel.Fragment, "cs": e.ExecutionModel.GLCompute,
}
"""Profile stage → execution model of the stages written here."""

_POINTS = {"vs": ("VSIn", "VSOut"), "ps": ("PSIn", "PSOut"), "cs": ("CSIn", "CSOut")}


def attribute(f: Function, name: str, scope: str | None = None) -> Attribute | None:
    for a in f.attributes:
        if a.name == name and a.scope == scope:
            return a
    return None


def write_entry(ctx: Lowering, f: Function, resources: Resources) -> None:
    """The wrapper, with its interface, its execution modes and the initialisation of statics."""
    b = ctx.b
    f = ctx.definition(f)
    builtins = list(ctx.extra_inputs)  # of global variables: they come before the signature's
    ctx.chunk = f.chunk
    source = ctx.functions[f] = b.declare_function()
    ctx.enter_function(f)
    wrapper, _ = b.begin_function(f.name, b.void_type())
    ctx.extra["wrapper"] = wrapper
    io = StageIO(ctx, wrapper)
    point_in, point_out = _POINTS[ctx.stage]
    for p in f.params:
        item = item_of(p)
        if p.direction != "out":
            _record_clip_cull(ctx, io, item, point_in)
        if p.direction != "in":
            _record_clip_cull(ctx, io, item, point_out)
    result = result_item(f)
    _record_clip_cull(ctx, io, result, point_out)
    _execution_modes(ctx, f, wrapper)
    if ctx.stage != "cs":
        io.clip_cull.create(ctx)
    b.set_insert_point(b.new_block())
    ctx.wrapper_begun(f)
    resources.initialize_statics()
    ctx.chunk = f.chunk
    used = _used_params(f)
    arguments: list[Value] = []
    for p in f.params:
        holder = memory.local(ctx, p.type, f"param.var.{p.name}")
        arguments.append(holder)
        if p.direction == "out":
            continue
        value = io.read(item_of(p), point_in)
        if p in used or p.direction == "inout":
            b.store(holder.id, value)
    value = b.call(source, ctx.type(f.return_type), [a.id for a in arguments])
    if f.return_type is not ty.VOID:
        io.write(result, point_out, value)
    for p, holder in zip(f.params, arguments, strict=True):
        if p.direction == "in":
            continue
        loaded = b.load(holder.id) if p in used or p.direction == "inout" else None
        io.write(item_of(p), point_out, loaded)
    if f.body is not None:
        ctx.at_end(f.body)
    b.ret()
    b.end_function()
    functions.define(ctx, f, name=f"src.{functions.spirv_name(f)}", function=source)
    while ctx.worklist:
        g = ctx.worklist.pop(0)
        functions.define(ctx, g, name=functions.spirv_name(g), function=ctx.functions[g])
    ctx.chunk = f.chunk
    locations.check_duplicates(ctx, io.variables)
    locations.assign(ctx, io.variables, is_input=True)
    locations.assign(ctx, io.variables, is_input=False)
    b.entry_point(MODELS[ctx.stage], wrapper, ctx.options.entry_point_name or f.name,
                  list(dict.fromkeys([*builtins, *io.ids(), *ctx.extra_inputs])))
    ctx.interface.entry, ctx.interface.stage = f.name, ctx.stage


def item_of(p: Param) -> Item:
    """A parameter as an item of the interface."""
    return Item(p.name, p.type, p.pos, p.quals, p.attributes, _semantic(p.annotations))


def result_item(f: Function) -> Item:
    return Item(f.name, f.return_type, f.pos, f.quals, f.attributes, _semantic(f.annotations))


def _semantic(annotations: tuple[object, ...]) -> semantics.Semantic | None:
    for a in annotations:
        if a.__class__.__name__ == "Semantic":
            return semantics.parse(getattr(a, "name", ""), getattr(a, "pos", 0))
    return None


def _used_params(f: Function) -> set[Param]:
    source = f.source
    if not isinstance(source, BodySource):
        return set(f.params)
    named = set(source.variables)
    return {p for p in f.params if p in named}


def _record_clip_cull(ctx: Lowering, io: StageIO, item: Item, point: str) -> None:
    if isinstance(item.type, Struct):
        for m in members(ctx, item.type, item):
            _record_clip_cull(ctx, io, m, point)
    elif item.semantic is not None:
        row = semantics.TABLE.get(item.semantic.system, {})
        if row.get(point, semantics.IO) != semantics.IO:
            io.clip_cull.record(item.semantic, item.type, point)


def _execution_modes(ctx: Lowering, f: Function, wrapper: int) -> None:
    b, modes = ctx.b, e.ExecutionMode
    if ctx.stage == "ps":
        b.execution_mode(wrapper, modes.OriginUpperLeft)
        if attribute(f, "earlydepthstencil") is not None:
            b.execution_mode(wrapper, modes.EarlyFragmentTests)
        if attribute(f, "post_depth_coverage", "vk") is not None:
            b.execution_mode(wrapper, modes.PostDepthCoverage)
    vk_attributes.entry_modes(ctx, f, wrapper)
    if ctx.stage == "cs":
        a = attribute(f, "numthreads")
        sizes = [x for x in (a.args if a is not None else ()) if isinstance(x, int)]
        if len(sizes) != 3:
            ctx.fail(codes.NUMTHREADS_MISSING, f.pos)
        b.execution_mode(wrapper, modes.LocalSize, *sizes)
        ctx.interface.workgroup_size = (sizes[0], sizes[1], sizes[2])
