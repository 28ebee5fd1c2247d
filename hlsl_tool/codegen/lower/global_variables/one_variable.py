"""Declare one global variable according to its storage and attributes."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import inline_spirv as inline_codes
from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import constants, inline_spirv
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.spans import Spans, first_token
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.global_variables import (
    variable_checks,
)
from hlsl_tool.codegen.lower.global_variables.binding_choice import Resource
from hlsl_tool.codegen.lower.global_variables.blocks import (
    declare_push_constant,
    declare_shader_record,
    record_attribute,
)
from hlsl_tool.codegen.lower.global_variables.external import declare_external
from hlsl_tool.codegen.lower.global_variables.statics import Statics
from hlsl_tool.codegen.lower.global_variables.table import ResourceTable
from hlsl_tool.codegen.lower.types.kinds import is_value_object
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import vk_attribute
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.frontend.sema.model.hir import Variable
from hlsl_tool.frontend.sema.model.types import (
    ObjectType,
    Scalar,
    innermost,
)
from hlsl_tool.spirv.enums import StorageClass


def declare(table: ResourceTable, statics: Statics, v: Variable) -> None:
    """Declare a global variable, unless it is declared already or invalid."""
    ctx = table.ctx
    if v in ctx.globals:
        return
    if v.type is ty.STRING:
        constants.declare_string(ctx, v)
        return
    if not variable_checks.check_variable(ctx, v):
        return
    _declare(table, statics, v)
    inline_spirv.require(ctx, v.attributes)
    declared = ctx.globals.get(v)
    if declared is not None and not declared.is_rvalue and vk_attribute(v.attributes, "push_constant") is None:
        inline_spirv.decorate_variable(ctx, declared.id, v)


def _declare(table: ResourceTable, statics: Statics, v: Variable) -> None:
    ctx = table.ctx
    is_pointer = isinstance(v.type, ObjectType) and v.type.name == "vk::BufferPointer"
    if is_pointer and v.init is None and vk_attribute(v.attributes, "push_constant") is None:
        ctx.error(inline_codes.NO_DEFAULT_POINTER, v.pos)
        return
    if inline_spirv.is_builtin(v):
        inline_spirv.declare_builtin(ctx, v)
    elif inline_spirv.storage_class(v) is not None:
        _declare_in(table, v, inline_spirv.storage_class(v) or 0)
    elif vk_attribute(v.attributes, "constant_id") is not None:
        _declare_spec_constant(ctx, v)
    elif vk_attribute(v.attributes, "push_constant") is not None:
        declare_push_constant(table, v)
    elif record_attribute(v.attributes) is not None:
        declare_shader_record(table, v)
    elif v.storage == "static":
        statics.declare(v)
    elif v.storage == "groupshared":
        storage = StorageClass.TaskPayloadWorkgroupEXT if v is ctx.payload else StorageClass.Workgroup
        i = ctx.relaxed(ctx.b.global_variable(ctx.type(v.type), storage, v.name), v.type)
        ctx.globals[v] = Value(i, v.type, False)
        if v.init is not None:
            ctx.warn(codes.EXTERNAL_INITIALIZER, v.pos, chunk=v.chunk)
    else:
        declare_external(table, v)


_DESCRIPTORS = (StorageClass.UniformConstant, StorageClass.Uniform, StorageClass.StorageBuffer)
"""Storage classes of variables that the host sets through descriptors."""


def _declare_in(table: ResourceTable, v: Variable, storage: int) -> None:
    """Declare a variable in the storage class of ``vk::ext_storage_class``.

    As in DXC, a variable that is set through a descriptor gets a set and a binding like any resource, unless
    ``vk::ext_decorate`` gives them.
    """
    ctx, inner = table.ctx, innermost(v.type)
    is_bound = v.storage == "global" and storage in _DESCRIPTORS and not inline_spirv.is_bound(v)
    is_inline = inline_spirv.is_opaque_type(inner) and storage != StorageClass.UniformConstant
    if is_bound and isinstance(inner, ObjectType) and not is_value_object(inner) and not is_inline:
        declare_external(table, v)
        return
    i = ctx.b.global_variable(ctx.type(v.type), storage, v.name)
    ctx.globals[v] = Value(i, v.type, False)
    if is_bound:
        record = table.record(v.name, inner.name if isinstance(inner, ObjectType) else "struct", i, v)
        table.bound.append(Resource(i, v.type, v, record=record))


def _declare_spec_constant(ctx: Lowering, v: Variable) -> None:
    """Declare ``[[vk::constant_id(n)]] const int x = 1;``, a specialisation constant of any scalar type."""
    a = vk_attribute(v.attributes, "constant_id")
    assert a is not None
    t = v.type.underlying if isinstance(v.type, ty.Enum) else v.type
    if not isinstance(t, Scalar) or (ctx.options.codegen_only and t not in variable_checks.SPEC_CONSTANT_TYPES):
        at = v.pos if v.chunk is None else Spans(v.chunk.tokens).declaration(v.pos)
        ctx.error(codes.SPEC_CONSTANT_TYPE, at)
        return
    if v.init is None:
        ctx.error(codes.SPEC_CONSTANT_INIT, v.pos)
        return
    value = evaluate(v.init)
    if value is None or isinstance(value, (list, str)):
        ctx.error(codes.SPEC_CONSTANT_LITERAL, first_token(v.chunk, v.init))
        return
    number = a.args[0] if a.args and isinstance(a.args[0], int) else 0
    i = ctx.b.spec_constant(ctx.types.scalar(t), value, number)
    ctx.b.name(i, v.name)
    ctx.globals[v] = Value(i, v.type, True)
