"""Blocks: ``$Globals``, push constants and shader records."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import inline_spirv as inline_codes
from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.layout.rules import Member as LayoutMember
from hlsl_tool.codegen.layout.rules import Rule, is_row_major, place_members
from hlsl_tool.codegen.lower.core import inline_spirv
from hlsl_tool.codegen.lower.core.spans import location_of_whole
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.global_variables import (
    block_copies,
    block_members,
    block_records,
)
from hlsl_tool.codegen.lower.global_variables.binding_choice import Resource
from hlsl_tool.codegen.lower.global_variables.resource_types import has_integer_columns
from hlsl_tool.codegen.lower.global_variables.table import ResourceTable
from hlsl_tool.codegen.lower.types.kinds import (
    holds_resources,
    is_value_object,
    only_resources,
)
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Attribute, vk_attribute
from hlsl_tool.frontend.sema.model.hir import CBuffer, Variable
from hlsl_tool.frontend.sema.model.types import (
    Field,
    ObjectType,
    Struct,
    innermost,
)
from hlsl_tool.spirv.builder import INTERFACE_UNIFORM
from hlsl_tool.spirv.enums import StorageClass


def declare_block(
    table: ResourceTable,
    members: list[Variable],
    type_name: str,
    variable_name: str,
    rule: Rule,
    *,
    interface: str,
    read_only: bool,
    storage: int,
    kind: str,
    decl: CBuffer | None = None,
) -> int:
    """Declare a block whose members are HLSL variables, which become access chains into it; return the block's id."""
    ctx = table.ctx
    default = ctx.types.default_row_major
    fields: list[LayoutMember] = []
    offsets: dict[int, int] = {}
    order = list(range(len(members)))
    use_registers = kind == "$Globals"
    if use_registers:
        order = block_members.sorted_by_register(members)
    for n in order:
        v = members[n]
        f = Field(v.name, v.type, v.pos, v.majorness, v.quals, v.semantic, v.registers, v.packoffset, v.attributes)
        fields.append((f, v.type, is_row_major(v.majorness, default)))
        at = block_members.register_c(v) if use_registers else None
        if at is not None:
            offsets[len(fields) - 1] = at
    block_records.members(ctx, variable_name, kind, rule, fields, offsets, [members[n] for n in order], decl)
    placed = place_members(fields, rule, default, offsets)
    block_members.check_overlaps(ctx, placed, [members[n] for n in order], use_registers=use_registers)
    by_declaration = [placed[order.index(n)] for n in range(len(members))]
    for n, p in enumerate(by_declaration):
        p.index = n

    def lower() -> int:
        lowered = ctx.types.lower_members(by_declaration, rule)
        return ctx.b.struct(type_name, lowered, interface=interface, read_only=read_only)

    block, is_copied = block_copies.block_type(ctx, by_declaration, rule, lower)
    variable = seen = ctx.b.global_variable(block, storage, variable_name)
    if is_copied:
        plain = ctx.b.struct(type_name, ctx.types.lower_members(by_declaration, Rule.VOID))
        seen = block_copies.declare(ctx, variable, [v.type for v in members], plain, variable_name)
    for n, v in enumerate(members):
        ctx.globals[v] = Value(seen, v.type, False)
        table.members[v] = (seen, n)
    return variable


def declare_globals(table: ResourceTable, v: Variable) -> None:
    """Declare ``$Globals``, the block of all loose uniforms (globals outside a ``cbuffer``), at the first of them."""
    if table.has_globals:
        return
    table.has_globals = True
    ctx = table.ctx
    members = _loose(table)
    for m in members:
        if m.init is not None and not ctx.options.no_warn_ignored_features:
            ctx.warn(codes.GLOBALS_INITIALIZER, location_of_whole(m.chunk, m.init), chunk=m.chunk, name=m.name)
        binding = vk_attribute(m.attributes, "binding")
        if binding is not None:
            ctx.error(codes.GLOBALS_BINDING, binding.pos, chunk=m.chunk, name=m.name)
            return
    i = declare_block(
        table,
        members,
        "type.$Globals",
        "$Globals",
        ctx.types.cbuffer_rule,
        interface=INTERFACE_UNIFORM,
        read_only=False,
        storage=StorageClass.Uniform,
        kind="$Globals",
    )
    record = table.record("$Globals", "$Globals", i, None, ctx.types.cbuffer_rule.value, at=v)
    table.bound.append(Resource(i, None, None, is_globals=True, record=record))


def _loose(table: ResourceTable) -> list[Variable]:
    """Return the members of ``$Globals``: loose uniforms, and the numbers of structs that also contain resources."""
    members: list[Variable] = []
    for g in table.ctx.program.globals:
        if not isinstance(g, Variable):
            continue
        if _is_loose(g):
            members.append(g)
        elif _is_external(g) and isinstance(innermost(g.type), Struct) and not only_resources(g.type):
            numbers = table.split_struct(g)[0].numbers if holds_resources(g.type) else None
            if isinstance(numbers, hir.VarRef):
                members.append(numbers.var)
    return members


def declare_push_constant(table: ResourceTable, v: Variable) -> None:
    """Declare ``[[vk::push_constant]] S s;``: a block of the struct's members, with a structured buffer's layout."""
    ctx, b = table.ctx, table.ctx.b
    t = v.type
    if isinstance(t, ObjectType) and t.name == "vk::BufferPointer":
        ctx.error(inline_codes.PUSH_CONSTANT_POINTER, v.pos)
        return
    kind = "PushConstant"
    if isinstance(t, ObjectType) and t.name == "ConstantBuffer":
        t, kind = t.element, "ConstantBuffer"
    if not isinstance(t, Struct):
        ctx.error(codes.PUSH_CONSTANT_TYPE, v.pos)
        return
    if ctx.options.codegen_only and v.type is t and has_integer_columns(t, None, ctx.options.row_major):
        ctx.error(codes.INTEGER_COLUMNS, v.pos)
        return
    attribute = vk_attribute(v.attributes, "push_constant")
    assert attribute is not None
    if table.push_constant is None:
        table.push_constant = (attribute.pos, v.chunk)
    else:
        ctx.error(codes.PUSH_CONSTANT_TWICE, attribute.pos)
        ctx.note(codes.PUSH_CONSTANT_FIRST, *table.push_constant)
    block = b.struct(
        f"type.{kind}.{'' if t.is_anonymous else t.name}",
        ctx.types.members(t, ctx.types.sbuffer_rule),
        interface=INTERFACE_UNIFORM,
    )
    i = b.global_variable(block, StorageClass.PushConstant, v.name)
    ctx.globals[v] = Value(i, v.type, False)
    table.record(v.name, "push_constant", i, v, ctx.types.sbuffer_rule.value)
    block_records.variable(ctx, v, "push_constant")


def declare_shader_record(table: ResourceTable, v: Variable) -> None:
    """Declare ``[[vk::shader_record_ext]] ConstantBuffer<S> s;``: data after a shader's handle in memory."""
    ctx, b, t = table.ctx, table.ctx.b, v.type
    attribute = record_attribute(v.attributes)
    assert attribute is not None
    if vk_attribute(v.attributes, "binding") is not None:
        ctx.error(codes.SHADER_RECORD_BINDING, attribute.pos, name=attribute.name)
    if not (isinstance(t, ObjectType) and t.name == "ConstantBuffer" and isinstance(t.element, Struct)):
        ctx.error(codes.SHADER_RECORD_TYPE, attribute.pos, name=attribute.name)
        return
    rule = ctx.types.sbuffer_rule
    block = b.struct(
        f"type.ConstantBuffer.{t.element.name}", ctx.types.members(t.element, rule), interface=INTERFACE_UNIFORM
    )
    i = b.global_variable(block, StorageClass.ShaderRecordBufferKHR, v.name)
    ctx.globals[v] = Value(i, t, False)
    table.record(v.name, "shader_record", i, v, rule.value)
    block_records.variable(ctx, v, "shader_record")


def record_attribute(attributes: tuple[Attribute, ...]) -> Attribute | None:
    """Return the attribute ``shader_record_ext`` or its older name ``shader_record_nv``; ``None`` without one."""
    return vk_attribute(attributes, "shader_record_ext") or vk_attribute(attributes, "shader_record_nv")


def _is_external(v: Variable) -> bool:
    """Return whether the host sets a global variable through a descriptor."""
    return not (
        v.storage != "global"
        or vk_attribute(v.attributes, "constant_id")
        or vk_attribute(v.attributes, "push_constant")
        or inline_spirv.storage_class(v) is not None
        or inline_spirv.is_builtin(v)
    )


def _is_loose(v: Variable) -> bool:
    """Return whether a global is a loose uniform, which becomes a member of ``$Globals``."""
    inner = innermost(v.type)
    return (
        _is_external(v)
        and (not isinstance(inner, ObjectType) or is_value_object(inner))
        and inner is not ty.STRING
        and not holds_resources(inner)
    )
