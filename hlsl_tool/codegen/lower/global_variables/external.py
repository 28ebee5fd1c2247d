"""Resource variables and their counters."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.global_variables import (
    block_copies,
    block_records,
)
from hlsl_tool.codegen.lower.global_variables.binding_choice import Resource
from hlsl_tool.codegen.lower.global_variables.blocks import declare_globals
from hlsl_tool.codegen.lower.global_variables.resource_types import (
    counter_type,
    has_integer_columns,
    layout_name,
    resource_type,
    storage_class_of,
)
from hlsl_tool.codegen.lower.global_variables.table import ResourceTable
from hlsl_tool.codegen.lower.types.kinds import (
    has_counter,
    holds_buffers,
    holds_resources,
    is_append_consume,
    is_coherent,
    is_value_object,
    only_resources,
)
from hlsl_tool.frontend.sema.model.annotations import vk_attribute
from hlsl_tool.frontend.sema.model.hir import Variable
from hlsl_tool.frontend.sema.model.types import (
    Array,
    ObjectType,
    Struct,
    display,
    innermost,
)
from hlsl_tool.spirv.enums import Decoration, StorageClass


def declare_external(table: ResourceTable, v: Variable) -> None:
    """Declare a resource variable, or ``$Globals`` for a loose uniform."""
    ctx = table.ctx
    inner = innermost(v.type)
    if ctx.options.codegen_only and _is_refused(ctx, v):
        return
    if isinstance(inner, Struct) and holds_resources(inner):
        if not only_resources(inner) or holds_buffers(inner):
            _declare_resource_struct(table, v)
            return
        ctx.flatten_resources = True
        ctx.needs_legalization()
    elif not isinstance(inner, ObjectType) or is_value_object(inner):
        declare_globals(table, v)
        return
    if isinstance(inner, ObjectType) and inner.name.startswith("FeedbackTexture"):
        ctx.error(codes.FEEDBACK_TEXTURE, v.pos, name=inner.name)
        return
    i, seen = block_copies.declare_resource(ctx, v, lambda: resource_type(ctx, v))
    ctx.relaxed(i, v.type)
    ordered = isinstance(inner, ObjectType) and inner.name.startswith("Rasterizer")
    ctx.globals[v] = Value(seen, v.type, False, rasterizer_ordered=ordered)
    if isinstance(v.type, Array) and isinstance(v.type.element, Array):
        ctx.needs_legalization()
    layout = layout_name(ctx, inner)
    record = table.record(v.name, inner.name if isinstance(inner, ObjectType) else "struct", i, v, layout)
    record.declared = display(v.type)
    if isinstance(inner, ObjectType):
        block_records.variable(ctx, v)
    own = any(v in resources for _, resources in table.splits.values())
    table.bound.append(Resource(i, v.type, v, record=record, takes_all=own))
    if vk_attribute(v.attributes, "combinedImageSampler") is not None:
        ctx.combined_image_samplers.append(record)
        ctx.needs_legalization()
    attachment = vk_attribute(v.attributes, "input_attachment_index")
    if attachment is not None and isinstance(attachment.args[0], int):
        ctx.b.decorate(i, Decoration.InputAttachmentIndex, attachment.args[0])
    if is_coherent(v.quals):
        ctx.b.decorate(i, Decoration.Coherent)
    if is_append_consume(inner):
        declare_counter(table, v)


def _is_refused(ctx: Lowering, v: Variable) -> bool:
    """Report a variable that only DXC refuses; return whether one was reported."""
    if has_integer_columns(v.type, v.majorness, ctx.options.row_major):
        ctx.error(codes.INTEGER_COLUMNS, v.pos)
        return True
    if isinstance(v.type, Array) and isinstance(v.type.element, Array) and has_counter(innermost(v.type)):
        ctx.error(codes.BUFFER_ARRAY_DIMENSIONS, v.pos)
        return True
    return False


def _declare_resource_struct(table: ResourceTable, v: Variable) -> None:
    """Declare a separate variable for each resource in a struct with buffers, or with both resources and numbers."""
    ctx, inner = table.ctx, innermost(v.type)
    if ctx.options.codegen_only:  # as DXC
        mixed = not only_resources(inner)
        ctx.error(codes.GLOBAL_STRUCT_MIXED if mixed else codes.GLOBAL_STRUCT_BUFFERS, v.pos)
        return
    _, resources = table.split_struct(v)
    if not only_resources(inner):
        declare_globals(table, v)
    for resource in resources:
        declare_external(table, resource)


def declare_heap(table: ResourceTable, v: Variable) -> None:
    """Declare the array of descriptors for a heap variable that ``descriptor_heap`` created in HIR."""
    ctx = table.ctx
    t = innermost(v.type)
    assert isinstance(t, ObjectType)
    i = ctx.b.global_variable(resource_type(ctx, v), storage_class_of(t), v.name)
    ctx.globals[v] = Value(i, v.type, False)
    table.bound.append(Resource(i, v.type, v, record=table.record(v.name, t.name, i, v), heap=v.name))
    table.heaps.add(v)
    if is_coherent(v.quals):
        ctx.b.decorate(i, Decoration.Coherent)
    if is_append_consume(t):
        declare_counter(table, v)


def declare_counter(table: ResourceTable, v: Variable) -> int:
    """Return the counter variable of a structured buffer; declare it at the first request.

    Append and consume buffers always have one.
    """
    declared = table.counters.get(v)
    if declared is not None:
        return declared
    ctx, b = table.ctx, table.ctx.b
    owner = ctx.globals[v].id if v in ctx.globals else None
    i = table.counters[v] = b.global_variable(
        counter_type(ctx, v.type), StorageClass.Uniform, f"counter.var.{v.name}", before=owner
    )
    record = table.record(f"counter.var.{v.name}", "counter", i, None, at=v)
    record.counter_of = v.name
    resource = Resource(i, v.type, v, is_counter=True, record=record, heap=v.name if v in table.heaps else "")
    own = next((n for n, r in enumerate(table.bound) if r.decl is v), len(table.bound) - 1)
    if is_append_consume(innermost(v.type)):
        table.bound.insert(own + 1, resource)
    else:
        table.bound.append(resource)
    if not has_counter(innermost(v.type)):
        ctx.error(codes.FEATURE_UNSUPPORTED, v.pos, what="a counter of this buffer type")
    return i
