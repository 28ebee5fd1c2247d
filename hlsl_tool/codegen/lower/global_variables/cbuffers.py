"""``cbuffer`` and ``tbuffer`` blocks."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.global_variables.binding_choice import Resource
from hlsl_tool.codegen.lower.global_variables.blocks import declare_block, record_attribute
from hlsl_tool.codegen.lower.global_variables.external import declare_external
from hlsl_tool.codegen.lower.global_variables.resource_types import has_integer_columns
from hlsl_tool.codegen.lower.global_variables.table import ResourceTable
from hlsl_tool.codegen.lower.types.kinds import holds_resources
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.annotations import vk_attribute
from hlsl_tool.frontend.sema.model.hir import CBuffer, Variable
from hlsl_tool.spirv.builder import INTERFACE_STORAGE, INTERFACE_UNIFORM
from hlsl_tool.spirv.enums import StorageClass


def declare_cbuffer(table: ResourceTable, g: CBuffer) -> None:
    """Declare the block of a ``cbuffer`` or ``tbuffer``, and separate variables for resources in its struct members."""
    ctx = table.ctx
    if not g.members:  # empty, or resources only, which are variables of their own: no block, and no binding
        return
    is_texture = g.keyword == "tbuffer"
    _check_members(ctx, g)
    members, resources = _without_resources(table, g.members)
    for resource in resources:
        declare_external(table, resource)
    if not members:
        return
    rule = ctx.types.tbuffer_rule if is_texture else ctx.types.cbuffer_rule
    record_attr = record_attribute(g.attributes)
    if record_attr is not None and is_texture:
        ctx.error(codes.SHADER_RECORD_TYPE, record_attr.pos, name=record_attr.name)
    if record_attr is not None and vk_attribute(g.attributes, "binding") is not None:
        ctx.error(codes.SHADER_RECORD_BINDING, record_attr.pos, name=record_attr.name)
    push = vk_attribute(g.attributes, "push_constant")
    prefix, kind, storage = "type.", g.keyword, StorageClass.Uniform
    if record_attr is not None:
        suffix = "NV" if record_attr.name.endswith("nv") else "KHR"
        prefix, kind = f"type.ShaderRecordBuffer{suffix}.", "shader_record"
        storage = StorageClass.ShaderRecordBufferKHR
    elif push is not None:
        kind, storage = "push_constant", StorageClass.PushConstant
    if storage != StorageClass.Uniform:
        rule = ctx.types.sbuffer_rule
    i = declare_block(
        table,
        members,
        f"{prefix}{g.name}",
        g.name,
        rule,
        interface=INTERFACE_STORAGE if is_texture and storage == StorageClass.Uniform else INTERFACE_UNIFORM,
        read_only=is_texture,
        storage=storage,
        kind=kind,
        decl=g,
    )
    record = table.record(g.name, kind, i, g, rule.value)
    if storage == StorageClass.Uniform:
        table.bound.append(Resource(i, None, g, record=record))


def _check_members(ctx: Lowering, g: CBuffer) -> None:
    """Under ``-fcgl`` report integer matrices that DXC refuses; warn of initialisers, which have no effect."""
    for m in g.members:
        if ctx.options.codegen_only and has_integer_columns(m.type, m.majorness, ctx.options.row_major):
            ctx.error(codes.INTEGER_COLUMNS, m.pos, chunk=m.chunk)
        if m.init is not None and not ctx.options.no_warn_ignored_features:
            ctx.warn(codes.CBUFFER_INITIALIZER, m.init.pos, chunk=m.chunk, what=g.keyword)


def _without_resources(table: ResourceTable, members: list[Variable]) -> tuple[list[Variable], list[Variable]]:
    """Return (a block's members without the resources in their structs, variables for these resources)."""
    numbers: list[Variable] = []
    resources: list[Variable] = []
    for m in members:
        if table.ctx.options.codegen_only or not holds_resources(m.type):
            numbers.append(m)
            continue
        part, own = table.split_struct(m)
        resources += own
        if isinstance(part.numbers, hir.VarRef):
            numbers.append(part.numbers.var)
    return numbers, resources
