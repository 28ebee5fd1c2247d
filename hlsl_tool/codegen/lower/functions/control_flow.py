"""Lower statements other than loops and ``switch`` (manual: *Control Flows*).

Statements after a jump go into a separate block, which is unreachable and therefore not written.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import inline_spirv as inline_codes
from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.options.environments import is_at_least
from hlsl_tool.codegen.lower.core import constants, inline_spirv, memory, relayout
from hlsl_tool.codegen.lower.core.context import ABANDONED, Lowering
from hlsl_tool.codegen.lower.core.registry import DECLARATIONS, family_of, lowers
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.expressions.math_modes import math_mode
from hlsl_tool.codegen.lower.functions.aliasing import is_binding
from hlsl_tool.codegen.lower.functions.else_if import lower_chain
from hlsl_tool.codegen.lower.types.kinds import holds_queries, is_block, is_coherent, is_opaque
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import PRECISE
from hlsl_tool.spirv.enums import StorageClass


@lowers(hir.Block)
def _block(ctx: Lowering, s: hir.Block) -> None:
    with math_mode(ctx, s.math_mode):
        _statements(ctx, s)


def _statements(ctx: Lowering, s: hir.Block) -> None:
    for x in s.statements:
        depth = len(ctx.loops)
        try:
            ctx.stmt(x)
        except ABANDONED as reason:  # reported; the next statement may have errors of its own
            ctx.abandoned(reason)
            del ctx.loops[depth:]


@lowers(hir.EmptyStmt)
def _empty(ctx: Lowering, s: hir.EmptyStmt) -> None:
    return


@lowers(hir.ExprStmt)
def _expression(ctx: Lowering, s: hir.ExprStmt) -> None:
    inline_spirv.require(ctx, s.attributes)
    ctx.expr_or_none(s.expr)


@lowers(hir.DeclStmt)
def _declaration(ctx: Lowering, s: hir.DeclStmt) -> None:
    v = s.var
    if v.storage == "static_local":
        ctx.resources.static_local(ctx, v)
        return
    if v.type is ty.STRING:
        constants.declare_string(ctx, v)
        return
    if isinstance(v.type, ty.ObjectType) and v.type.name == "vk::ext_result_id":
        if v.init is None:
            ctx.fail(inline_codes.RESULT_ID_UNINITIALIZED, v.pos)
        ctx.locals[v] = memory.load(ctx, ctx.expr(v.init))  # a name for the value, no memory
        return
    if v.init is None and isinstance(v.type, ty.ObjectType) and v.type.name == "vk::BufferPointer":
        ctx.error(inline_codes.NO_DEFAULT_POINTER, v.pos)
    handler = DECLARATIONS.find(family_of(v.type))
    if handler is not None:
        handler(ctx, v)
        return
    value = _local(ctx, v)
    inline_spirv.decorate_variable(ctx, value.id, v)
    if "precise" in v.quals:
        ctx.b.mark(value.id, PRECISE)
    ctx.locals[v] = value
    if is_opaque(v.type) or is_block(v.type) or inline_spirv.is_pointer(v.type):
        ctx.needs_legalization()
    if v.init is None:
        return
    folded = constants.folded(ctx, v.init)
    if folded is not None:
        memory.store(ctx, value, ctx.rvalue(folded, v.init.type))
        return
    if isinstance(v.init, hir.InitList) and isinstance(v.type, ty.ObjectType) and not v.init.items:
        return  # RayQuery<0> q = RayQuery<0>(): nothing to initialise
    ctx.heap_coherent = is_coherent(v.quals)
    ctx.hooks.on_declaration(v)
    memory.store(ctx, value, memory.load(ctx, ctx.expr(v.init)))
    ctx.hooks.on_init(v, v.init)


def _local(ctx: Lowering, v: hir.Variable) -> Value:
    """Declare a local variable in Function storage, or in the storage class of ``vk::ext_storage_class``."""
    storage = inline_spirv.storage_class(v)
    if storage is None:
        return memory.local(ctx, v.type, v.name, restrict=not inline_spirv.is_aliased(v))
    return Value(ctx.b.local_variable(ctx.type(v.type), v.name, storage=storage), v.type, False)


def _after_jump(ctx: Lowering) -> None:
    ctx.b.set_insert_point(ctx.b.new_block())


# ------------------------------------------------------------------------------------------------------------ selection


@lowers(hir.If)
def _if(ctx: Lowering, s: hir.If) -> None:
    constant = evaluate(s.cond)
    if constant is not None:
        if constant:
            ctx.stmt(s.then)
        elif s.otherwise is not None:
            ctx.stmt(s.otherwise)
        return
    lower_chain(ctx, s)


# ---------------------------------------------------------------------------------------------------------------- jumps


@lowers(hir.Break)
def _break(ctx: Lowering, s: hir.Break) -> None:
    ctx.b.branch(ctx.loops[-1].break_label)
    _after_jump(ctx)


@lowers(hir.Continue)
def _continue(ctx: Lowering, s: hir.Continue) -> None:
    ctx.b.branch(ctx.loops[-1].continue_label)
    _after_jump(ctx)


@lowers(hir.Discard)
def _discard(ctx: Lowering, s: hir.Discard) -> None:
    if ctx.stage not in ("ps", "lib"):
        ctx.error(codes.DISCARD_STAGE, s.pos)
        return
    discard(ctx)


def discard(ctx: Lowering) -> None:
    """Write OpDemoteToHelperInvocation if it is available (Vulkan 1.3, or a requested extension), else OpKill."""
    if (
        is_at_least(ctx.options.target_env, "vulkan1.3")
        or "SPV_EXT_demote_to_helper_invocation" in ctx.options.extensions
    ):
        ctx.b.emit_void(op.OpDemoteToHelperInvocation)
        return
    ctx.b.kill()
    _after_jump(ctx)


@lowers(hir.Return)
def _return(ctx: Lowering, s: hir.Return) -> None:
    b = ctx.b
    assert ctx.function is not None
    if s.value is None or ctx.function.return_type is ty.VOID:
        if s.value is not None:
            ctx.expr_or_none(s.value)
        b.ret()
        _after_return(ctx, s)
        return
    if holds_queries(ctx.function.return_type):
        ctx.fail(codes.QUERY_COPY)
    ctx.heap_coherent = is_coherent(ctx.function.quals)
    block = s.value.operand if isinstance(s.value, hir.Load) and is_block(s.value.type) else None
    source = ctx.expr(block or s.value)
    v = memory.load(ctx, source)
    ctx.hooks.on_return(ctx.function, s.value)
    t = ctx.function.return_type
    type_id = ctx.type(t)
    is_copied = isinstance(t, ty.Struct) and b.type_id_of(v.id) != type_id
    if is_copied or _is_in_uniform_block(ctx, source) or _is_bound_bytes(s.value):
        holder = memory.local(ctx, t, "temp.var.ret")
        memory.store(ctx, holder, v)
        v = Value(b.load(holder.id), t, True)
    b.ret(relayout.to_type(ctx, v.id, t, type_id) if v.is_rvalue else v.id)
    _after_return(ctx, s)


def _is_in_uniform_block(ctx: Lowering, v: Value) -> bool:
    """Return whether a value is the contents of a ``ConstantBuffer`` or ``TextureBuffer``, in its own memory."""
    return is_block(v.type) and not v.is_rvalue and ctx.b.storage_of(v.id) == StorageClass.Uniform


def _is_bound_bytes(x: hir.Expr) -> bool:
    """Return whether a value is a byte-address buffer with a binding, which DXC copies like a struct."""
    return isinstance(x.type, ty.ObjectType) and x.type.name.endswith("ByteAddressBuffer") and is_binding(x)


def _after_return(ctx: Lowering, s: hir.Return) -> None:
    """Begin a new block after a ``return``, unless it is the function's last statement."""
    assert ctx.function is not None and ctx.function.body is not None
    if ctx.function.body.statements[-1] is not s:
        _after_jump(ctx)
