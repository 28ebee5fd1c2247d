"""Static variables at file scope and in functions."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import constants, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.types.kinds import holds_resources, is_coherent
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Variable
from hlsl_tool.frontend.sema.model.types import (
    ObjectType,
    innermost,
)
from hlsl_tool.spirv.builder import PRECISE, TypeInfo
from hlsl_tool.spirv.enums import StorageClass


class Statics:
    """Declares and initialises the static variables of a program."""

    def __init__(self, ctx: Lowering) -> None:
        self.ctx = ctx
        self.is_initialized = False
        """Whether the entry point has begun: variables declared later must have constant initialisers."""

    def declare(self, v: Variable) -> None:
        """Declare a file-scope static as a Private variable that the entry point initialises.

        Under ``-fcgl`` a constant scalar needs no variable: its uses are the constant.
        """
        ctx = self.ctx
        constant = self._constant_value(v)
        if constant is not None:
            ctx.globals[v] = constant
            return
        init: int | None = None
        if self.is_initialized:  # the entry point has begun, so the initialiser must be constant
            init = constants.folded(ctx, v.init) if v.init is not None else ctx.b.const_null(ctx.type(v.type))
            if init is None:
                ctx.fail(codes.FEATURE_UNSUPPORTED, what=f"the initial value of '{v.name}', no constant, in a template")
        i = ctx.relaxed(ctx.b.global_variable(ctx.type(v.type), StorageClass.Private, v.name, init=init), v.type)
        if "precise" in v.quals:
            ctx.b.mark(i, PRECISE)
        ctx.globals[v] = Value(i, v.type, False, is_alias=memory.is_alias_type(ctx, v.type))
        ctx.to_initialize.append(v)
        if holds_resources(v.type):
            ctx.needs_legalization()

    def _constant_value(self, v: Variable) -> Value | None:
        """Return the value of a constant scalar under ``-fcgl``, where DXC declares no variable; otherwise ``None``."""
        ctx = self.ctx
        if not ctx.options.codegen_only or not v.is_const or v.init is None:
            return None
        if not isinstance(v.type, ty.Scalar) or v.type.is_min_precision:
            return None
        folded = constants.folded(ctx, v.init)
        return None if folded is None else ctx.rvalue(folded, v.type)

    def initialize(self) -> None:
        """Write the initialisation of all static variables, in order, at the start of the entry point.

        A variable without an initialiser gets zero.
        """
        ctx = self.ctx
        self.is_initialized = True
        for v in ctx.to_initialize:
            ctx.chunk = v.chunk
            target = ctx.globals[v]
            if v.init is not None:
                ctx.heap_coherent = is_coherent(v.quals)
                memory.store(ctx, target, memory.load(ctx, ctx.expr(v.init)))
                ctx.hooks.on_init(v, v.init)
            elif not isinstance(innermost(v.type), ObjectType):
                ctx.b.store(target.id, _zero(ctx, ctx.b.type_info(ctx.type(v.type))))

    def declare_local(self, v: Variable) -> None:
        """Declare a function's static variable.

        It is initialised when control first reaches it (manual: *Variables*).
        """
        ctx, b = self.ctx, self.ctx.b
        constant = self._constant_value(v)
        if constant is not None:
            ctx.locals[v] = ctx.globals[v] = constant
            return
        i = ctx.relaxed(b.global_variable(ctx.type(v.type), StorageClass.Private, v.name), v.type)
        value = ctx.locals[v] = ctx.globals[v] = Value(i, v.type, False, is_alias=memory.is_alias_type(ctx, v.type))
        if v.init is None and isinstance(innermost(v.type), ObjectType):
            return
        done = b.global_variable(b.bool_type(), StorageClass.Private, f"init.done.{v.name}", init=b.const_bool(False))
        if v.init is not None:
            ctx.at_begin(v.init)
        was_done = b.load(done)
        todo, after = b.new_block("if.init.todo"), b.new_block("if.init.done")
        b.branch_conditional(was_done, after, todo, merge=after)
        b.set_insert_point(todo)
        if v.init is not None:
            memory.store(ctx, value, memory.load(ctx, ctx.expr(v.init)))
        else:
            b.store(i, _zero(ctx, b.type_info(ctx.type(v.type))))
        b.store(done, b.const_bool(True))
        b.branch(after)
        b.set_insert_point(after)


def _zero(ctx: Lowering, info: TypeInfo) -> int:
    """Return the zero of a type; pointers to buffers in it, which have none, are undefined."""
    if not _holds_pointer(info):
        return ctx.b.const_null(info.id)
    if info.kind == "struct":
        return ctx.b.construct(info.id, [_zero(ctx, member) for member in info.member_types])
    if info.kind == "array":
        return ctx.b.construct(info.id, [_zero(ctx, info.elem)] * info.count)
    return ctx.b.undef(info.id)


def _holds_pointer(info: TypeInfo) -> bool:
    if info.kind == "struct":
        return any(map(_holds_pointer, info.member_types))
    if info.kind == "array":
        return _holds_pointer(info.elem)
    return info.kind == "pointer" and info.storage == StorageClass.PhysicalStorageBuffer
