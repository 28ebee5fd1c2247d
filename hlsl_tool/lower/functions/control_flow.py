"""Statements (manual: *Control Flows*).

Whatever follows a jump goes into a block of its own, which nothing reaches and which is therefore not written.
"""

from __future__ import annotations

from hlsl_tool.diagnostics.catalogue import inline_spirv as inline_codes
from hlsl_tool.diagnostics.catalogue import lower as codes
from hlsl_tool.lower.core import constants, inline_spirv, memory, relayout
from hlsl_tool.lower.core.context import ABANDONED, Lowering
from hlsl_tool.lower.core.registry import DECLARATIONS, family_of, lowers
from hlsl_tool.lower.core.values import Loop, Value
from hlsl_tool.lower.types.kinds import is_opaque
from hlsl_tool.sema import hir
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.annotations.model import Attribute
from hlsl_tool.sema.constants import evaluate
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import PRECISE


@lowers(hir.Block)
def _block(ctx: Lowering, s: hir.Block) -> None:
    for x in s.statements:
        depth = len(ctx.loops)
        try:
            ctx.stmt(x)
        except ABANDONED as reason:  # reported; the next statement may have something of its own to report
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
    if isinstance(v.type, ty.ObjectType) and v.type.name == "vk::ext_result_id" and v.init is not None:
        ctx.locals[v] = memory.load(ctx, ctx.expr(v.init))  # a name for the value, no memory
        return
    if v.init is None and isinstance(v.type, ty.ObjectType) and v.type.name == "vk::BufferPointer":
        ctx.error(inline_codes.NO_DEFAULT_POINTER, v.pos)
    handler = DECLARATIONS.get(family_of(v.type))
    if handler is not None:
        handler(ctx, v)
        return
    value = _local(ctx, v)
    inline_spirv.decorate_variable(ctx, value.id, v)
    if "precise" in v.quals:
        ctx.b.mark(value.id, PRECISE)
    ctx.locals[v] = value
    if is_opaque(v.type) or inline_spirv.is_pointer(v.type):
        ctx.needs_legalization()
    if v.init is None:
        return
    folded = constants.folded(ctx, v.init)
    if folded is not None:
        memory.store(ctx, value, ctx.rvalue(folded, v.init.type))
        return
    if isinstance(v.init, hir.InitList) and isinstance(v.type, ty.ObjectType) and not v.init.items:
        return  # RayQuery<0> q = RayQuery<0>(): nothing to initialise
    ctx.heap_coherent = "globallycoherent" in v.quals
    ctx.hooks.on_declaration(v)
    memory.store(ctx, value, memory.load(ctx, ctx.expr(v.init)))
    ctx.hooks.on_init(v, v.init)


def _local(ctx: Lowering, v: hir.Variable) -> Value:
    """The variable, at the head of the function, or where ``vk::ext_storage_class`` puts it."""
    storage = inline_spirv.storage_class(v)
    if storage is None:
        return memory.local(ctx, v.type, v.name, restrict=not inline_spirv.is_aliased(v))
    return Value(ctx.b.local_variable(ctx.type(v.type), v.name, storage=storage), v.type, False)


def _after_jump(ctx: Lowering) -> None:
    ctx.b.set_insert_point(ctx.b.new_block())


def condition(ctx: Lowering, cond: hir.Expr) -> int:
    return memory.load(ctx, ctx.expr(cond)).id


# ------------------------------------------------------------------------------------------------------------ selection

_SELECTION = {"branch": e.SelectionControl.DontFlatten, "flatten": e.SelectionControl.Flatten}


def _control(attributes: tuple[Attribute, ...]) -> int:
    return _SELECTION.get(attributes[0].name, 0) if attributes else 0


@lowers(hir.If)
def _if(ctx: Lowering, s: hir.If) -> None:
    known = evaluate(s.cond)
    if known is not None:
        if known:
            ctx.stmt(s.then)
        elif s.otherwise is not None:
            ctx.stmt(s.otherwise)
        return
    with ctx.limits.nested():
        _if_chain(ctx, s)


def _if_chain(ctx: Lowering, s: hir.If) -> None:
    b = ctx.b
    merges: list[int] = []
    node: hir.Stmt | None = s
    # a chain of `else if` is walked in a loop; its merge blocks are closed from the inside out
    while isinstance(node, hir.If) and evaluate(node.cond) is None:
        ctx.limits.deeper(node.pos)
        if node.declaration is not None:
            ctx.stmt(node.declaration)
        cond = condition(ctx, node.cond)
        then, merge = b.new_block("if.true"), b.new_block("if.merge")
        otherwise = b.new_block("if.false") if node.otherwise is not None else merge
        ctx.at_begin(node.then, node.cond)
        b.branch_conditional(cond, then, otherwise, merge=merge, control=_control(node.attributes))
        b.set_insert_point(then)
        ctx.stmt(node.then)
        ctx.at_end(node)
        b.branch(merge)
        merges.append(merge)
        if node.otherwise is None:
            node = None
            break
        b.set_insert_point(otherwise)
        node = node.otherwise
    if node is not None:
        ctx.stmt(node)
        ctx.at_end(node)
        b.branch(merges[-1])
    for i in range(len(merges) - 1, -1, -1):
        b.set_insert_point(merges[i])
        if i:
            b.branch(merges[i - 1])


# ---------------------------------------------------------------------------------------------------------------- loops

_LOOP = {"unroll": e.LoopControl.Unroll, "loop": e.LoopControl.DontUnroll, "fastopt": e.LoopControl.DontUnroll}


def _loop_control(ctx: Lowering, attributes: tuple[Attribute, ...]) -> int:
    if attributes and attributes[0].name == "allow_uav_condition" and not ctx.options.no_warn_ignored_features:
        ctx.warn(codes.ALLOW_UAV_CONDITION, attributes[0].pos)
    return _LOOP.get(attributes[0].name, 0) if attributes else 0


def short_circuits(x: hir.Expr | None) -> bool:
    """Does evaluating this branch?  Then the check of a loop needs blocks of its own."""
    if x is None:
        return False
    todo: list[hir.Expr] = [x]
    while todo:
        n = todo.pop()
        if isinstance(n, (hir.Logical, hir.Ternary)) and n.short_circuits:
            return True
        todo += _children(n)
    return False


def _children(n: hir.Expr) -> list[hir.Expr]:
    if isinstance(n, (hir.Load, hir.Cast, hir.Unary, hir.IncDec)):
        return [n.operand]
    if isinstance(n, (hir.Binary, hir.Logical, hir.Comma)):
        return [n.left, n.right]
    if isinstance(n, hir.Ternary):
        return [n.cond, n.then, n.otherwise]
    if isinstance(n, (hir.Assign, hir.CompoundAssign)):
        return [n.target, n.value]
    if isinstance(n, (hir.Swizzle, hir.MatrixSwizzle, hir.Member)):
        return [n.base]
    if isinstance(n, hir.Index):
        return [n.base, n.index]
    if isinstance(n, hir.Call):
        return [*n.args, *([n.this] if n.this is not None else [])]
    if isinstance(n, hir.IntrinsicCall):
        return list(n.args)
    if isinstance(n, hir.MethodCall):
        return [n.object, *n.args]
    return list(n.items) if isinstance(n, hir.InitList) else []


@lowers(hir.For)
def _for(ctx: Lowering, s: hir.For) -> None:
    for x in s.init:
        ctx.stmt(x)
    with ctx.limits.nested():
        if s.attributes and s.attributes[0].name == "unroll":
            ctx.limits.unrolled(s)
        ctx.limits.deeper(s.pos)
        _check_first(ctx, s, "for", s.step)


@lowers(hir.While)
def _while(ctx: Lowering, s: hir.While) -> None:
    with ctx.limits.nested():
        ctx.limits.deeper(s.pos)
        _check_first(ctx, s, "while", None)


def _check_first(ctx: Lowering, s: hir.For | hir.While, name: str, step: hir.Expr | None) -> None:
    b, cond, declaration = ctx.b, s.cond, s.declaration
    control = _loop_control(ctx, s.attributes)
    branching = short_circuits(cond)
    check = b.new_block(f"{name}.check")
    header = b.new_block(f"{name}.header") if branching else check
    inside, continuing, merge = (b.new_block(f"{name}.{x}") for x in ("body", "continue", "merge"))
    ctx.loops.append(Loop(merge, continuing))
    ctx.at_begin(cond or s if name == "for" else s)
    b.branch(header)
    if branching:
        b.set_insert_point(header)
        ctx.at_begin(cond or s.body, cond)
        b.loop_merge(merge, continuing, control)
        b.branch(check)
        b.set_insert_point(check)
        if declaration is not None:
            ctx.stmt(declaration)
        assert cond is not None
        go_on = condition(ctx, cond)
        ctx.at_end(cond, cond)
        b.branch_conditional(go_on, inside, merge)
    else:
        b.set_insert_point(check)
        if declaration is not None:
            ctx.stmt(declaration)
        go_on = condition(ctx, cond) if cond is not None else b.const_bool(True)
        if name == "while" or cond is None:
            ctx.at_begin(s if name == "while" else s.body, cond)
        else:
            ctx.at_end(cond, cond)
        b.branch_conditional(go_on, inside, merge, merge=merge, continuing=continuing, control=control)
    b.set_insert_point(inside)
    ctx.stmt(s.body)
    ctx.at_end(s, step)
    b.branch(continuing)
    b.set_insert_point(continuing)
    if step is not None:
        ctx.expr_or_none(step)
    ctx.at_end(s, step)
    b.branch(header)
    b.set_insert_point(merge)
    ctx.loops.pop()


@lowers(hir.Do)
def _do(ctx: Lowering, s: hir.Do) -> None:
    b = ctx.b
    control = _loop_control(ctx, s.attributes)
    header, inside, continuing, merge = (b.new_block(f"do_while.{x}") for x in ("header", "body", "continue", "merge"))
    ctx.loops.append(Loop(merge, continuing))
    b.branch(header)
    b.set_insert_point(header)
    ctx.at_begin(s.body)
    b.loop_merge(merge, continuing, control)
    b.branch(inside)
    b.set_insert_point(inside)
    with ctx.limits.nested():
        ctx.limits.deeper(s.pos)
        ctx.stmt(s.body)
    ctx.at_end(s.body)
    b.branch(continuing)
    b.set_insert_point(continuing)
    cond = condition(ctx, s.cond)
    ctx.at_end(s, s.cond)
    b.branch_conditional(cond, header, merge)
    b.set_insert_point(merge)
    ctx.loops.pop()


# --------------------------------------------------------------------------------------------------------------- switch


@lowers(hir.Switch)
def _switch(ctx: Lowering, s: hir.Switch) -> None:
    forced = bool(s.attributes) and s.attributes[0].name == "forcecase"
    if s.declaration is not None:
        ctx.stmt(s.declaration)
    statements = _flat(s.body)
    if s.attributes and not forced:
        _switch_by_ifs(ctx, s, statements)
        return
    b = ctx.b
    selector = condition(ctx, s.cond)
    merge = b.new_block("switch.merge")
    ctx.loops.append(Loop(merge, ctx.loops[-1].continue_label if ctx.loops else 0))
    labels: dict[int, int] = {}
    targets: list[tuple[int, int]] = []
    default = merge
    for x in statements:
        if not isinstance(x, hir.Case):
            continue
        if x.value is None:
            default = labels[id(x)] = b.new_block("switch.default")
        else:
            sign = "n" if x.value < 0 else ""
            labels[id(x)] = b.new_block(f"switch.{sign}{abs(x.value)}")
            targets.append((x.value, labels[id(x)]))
    ctx.at_begin(s, s.cond)
    b.switch(selector, default, targets, merge=merge)
    with ctx.limits.nested():
        ctx.limits.deeper(s.pos)
        for x in statements:
            if isinstance(x, hir.Case):
                ctx.at_begin(x)
                b.branch(labels[id(x)])
                b.set_insert_point(labels[id(x)])
            else:
                ctx.stmt(x)
    ctx.at_end(s)
    b.branch(merge)
    b.set_insert_point(merge)
    ctx.loops.pop()


def _flat(body: hir.Stmt) -> list[hir.Stmt]:
    """The statements of a switch, nested blocks that hold labels opened."""
    if not isinstance(body, hir.Block):
        return [body]
    out: list[hir.Stmt] = []
    for x in body.statements:
        if isinstance(x, hir.Block) and any(isinstance(y, hir.Case) for y in _flat(x)):
            out += _flat(x)
        else:
            out.append(x)
    return out


def _opened(statements: list[hir.Stmt]) -> list[hir.Stmt]:
    out: list[hir.Stmt] = []
    for x in statements:
        out += _opened(x.statements) if isinstance(x, hir.Block) else [x]
    return out


def _switch_by_ifs(ctx: Lowering, s: hir.Switch, statements: list[hir.Stmt]) -> None:
    """The switch as a chain of ifs, each case with what it falls through to."""
    flat = _opened(statements)
    default: hir.Block | None = None
    arms: list[tuple[hir.Case, hir.Block]] = []
    for i, x in enumerate(flat):
        if not isinstance(x, hir.Case):
            continue
        body: list[hir.Stmt] = []
        for y in flat[i + 1 :]:
            if isinstance(y, hir.Break):
                break
            if not isinstance(y, hir.Case):
                body.append(y)
            if isinstance(y, hir.Return):
                break
        if x.value is None:
            default = hir.Block(body, x.pos)
        else:
            arms.append((x, hir.Block(body, x.pos)))
    chain: hir.Stmt | None = default
    for case, block in reversed(arms):
        assert case.expr is not None
        cond = hir.Binary("==", s.cond, case.expr, ty.BOOL, case.pos)
        chain = hir.If(cond, block, chain, case.pos)
    if chain is not None:
        ctx.stmt(chain)


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
    """OpDemoteToHelperInvocation where it may be had (Vulkan 1.3, or the extension asked for), else OpKill."""
    if "SPV_EXT_demote_to_helper_invocation" in ctx.options.extensions or ctx.options.target_env == "vulkan1.3":
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
    ctx.heap_coherent = "globallycoherent" in ctx.function.quals
    v = memory.load(ctx, ctx.expr(s.value))
    ctx.hooks.on_return(ctx.function, s.value)
    t = ctx.function.return_type
    want = ctx.type(t)
    if isinstance(t, ty.Struct) and b.type_id_of(v.id) != want:
        holder = memory.local(ctx, t, "temp.var.ret")
        memory.store(ctx, holder, v)
        v = Value(b.load(holder.id), t, True)
    b.ret(relayout.to_type(ctx, v.id, t, want) if v.is_rvalue else v.id)
    _after_return(ctx, s)


def _after_return(ctx: Lowering, s: hir.Return) -> None:
    """Nothing follows a function's last statement: no block, and no undefined value to return from it."""
    assert ctx.function is not None and ctx.function.body is not None
    if ctx.function.body.statements[-1] is not s:
        _after_jump(ctx)
