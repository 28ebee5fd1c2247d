"""Statements and function bodies (manual: *Control Flows*)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Attribute
from hlsl_tool.frontend.sema.model.constants import evaluate_int
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.types import Enum, Scalar
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.annotations import attributes, hlsl_attributes
from hlsl_tool.frontend.sema.rules.annotations.attribute_subjects import Form, Subject
from hlsl_tool.frontend.sema.rules.declarations.control_flow import flow_of
from hlsl_tool.frontend.sema.rules.declarations.function_checks import check_complete
from hlsl_tool.frontend.sema.rules.declarations.switch_labels import check_labels
from hlsl_tool.frontend.sema.rules.declarations.variables import variables
from hlsl_tool.frontend.sema.rules.expressions import coherence, conversions, initializers
from hlsl_tool.frontend.sema.rules.warnings import statement_warnings as warnings
from hlsl_tool.frontend.sema.rules.warnings import uninitialized, unsequenced, unused
from hlsl_tool.frontend.sema.scope.context import BodySource, Context, Poisoned
from hlsl_tool.frontend.sema.scope.handlers import REFERENCES, declare
from hlsl_tool.frontend.sema.scope.scopes import Scope
from hlsl_tool.frontend.syntax import ast


def analyze_body(f: hir.Function) -> None:
    """Analyse ``f.body`` once; store its diagnostics and references in ``f.source``."""
    source = f.source
    if not isinstance(source, BodySource) or source.done or source.decl.body is None or f.chunk is None:
        return
    source.done = True
    outer = source.scope
    if f.owner is not None and outer.enclosing_struct() is not f.owner:
        outer = Scope("struct", outer, struct=f.owner, namespace=f.owner.display_name)
    ctx = Context(source.language, f.chunk, outer, source.messages, source.pack)
    ctx.template_depth = source.template_depth
    ctx.function, ctx.source, ctx.used = f, source, source.instances
    check_complete(ctx, f)
    with ctx.inside("function") as scope:
        for p in f.params:
            if p.name:
                scope.names[p.name] = p
        before = _prologue(ctx, f, source)
        for p in f.params:
            _initialise(ctx, p)
        f.body = _statements(ctx, source.decl.body)
        f.body.statements[:0] = [*(hir.DeclStmt(v, v.pos) for v in source.hidden), *before]
        if source.constructed is not None:
            f.body.statements.append(_constructed(source.constructed, f.body.end))
    if source.decl.name == ast.DESTRUCTOR or source.has_destroyed:
        from hlsl_tool.frontend.sema.rules.modern import destruction  # start-up time

        destruction.add_calls(ctx, f, source)
    if ctx.nested_changes:
        unsequenced.check(ctx, f.body)
    has_errors = source.is_poisoned or any(m.code.severity == "error" for m in source.messages)
    if not has_errors:
        source.messages += uninitialized.check_parameters(f)
    if f.return_type not in (ty.VOID, type_names.AUTO) and not has_errors:
        flow = flow_of(f.body)
        if flow.falls:
            code = codes.MISSING_RETURN_SOME if flow.returns else codes.MISSING_RETURN
            source.messages.append(Raw(code, f.body.end, {}, f.chunk))


def _prologue(ctx: Context, f: hir.Function, source: BodySource) -> list[hir.Stmt]:
    """Return the statements that initialise the object of a constructor; none for other functions."""
    if source.decl.name != ast.CONSTRUCTOR:
        return []
    from hlsl_tool.frontend.sema.rules.modern import construction  # start-up time

    try:
        return construction.prologue(ctx, f, source.decl)
    except Poisoned:
        source.is_poisoned = True
        return []


def _initialise(ctx: Context, p: hir.Param) -> None:
    """Set the value that members of an entry point's parameter have if no semantic sets them."""
    t = p.type
    if not isinstance(t, ty.Struct) or not t.constructors or all(f.semantic is None for f in t.fields):
        return
    from hlsl_tool.frontend.sema.rules.modern import construction  # start-up time

    if any(f.semantic is None for f in t.fields) and p.direction != "out":
        p.initial = construction.default_value(ctx, t, p.pos)


def _constructed(this: hir.Variable, pos: int) -> hir.Stmt:
    """Return the statement that ends a constructor: it returns the object."""
    return hir.Return(conversions.load(hir.VarRef(this, this.type, pos)), pos)


def _statements(ctx: Context, b: ast.Block) -> hir.Block:
    out: list[hir.Stmt] = []
    for s in b.statements:
        out += _guarded(ctx, s)
    warnings.check_loops(ctx, b.statements)
    return hir.Block(out, b.pos, b.end)


def _guarded(ctx: Context, s: ast.Stmt) -> list[hir.Stmt]:
    """Analyse a statement; return its HIR, or [] if it is invalid, after its error was reported."""
    try:
        statements = _HANDLERS[s.__class__](ctx, s)
    except Poisoned:
        if ctx.source is not None:
            ctx.source.is_poisoned = True
        return []
    return statements if isinstance(statements, list) else [statements]


def _one(ctx: Context, s: ast.Stmt) -> hir.Stmt:
    """Analyse a statement in a new scope; wrap the result in a block unless it is a single statement."""
    with ctx.inside("block"):
        statements = _guarded(ctx, s)
    if len(statements) == 1 and not isinstance(statements[0], hir.DeclStmt):
        return statements[0]
    return hir.Block(statements, s.pos, s.pos)


def _block(ctx: Context, s: ast.Block) -> hir.Stmt:
    if s.attributes:
        _attributes(ctx, s.attributes)
    with ctx.inside("block"):
        block = _statements(ctx, s)
    block.math_mode = hlsl_attributes.math_mode(ctx, s.attributes)
    return block


def _declaration(ctx: Context, s: ast.DeclStmt) -> list[hir.Stmt]:
    d = s.decl
    if isinstance(d, ast.VarDecl):
        return [hir.DeclStmt(v, v.pos) for v in variables(ctx, d)]
    if isinstance(d, (ast.CBufferDecl, ast.NamespaceDecl)):
        ctx.fail(codes.STATEMENT_DECLARATION, s.pos)
    if isinstance(d, ast.FunctionDecl) and d.body is not None:
        _nested_function(ctx, d, d.body.pos)
        return []
    declare(ctx, d)
    return []


def _nested_function(ctx: Context, d: ast.FunctionDecl, pos: int) -> None:
    """Report a function that is defined inside a function, and also the errors in its body."""
    ctx.error(language.NESTED_FUNCTION, pos, hint="is a '}' missing before it?")
    declare(ctx, d)
    for f in ctx.pending:
        analyze_body(f)
        ctx.messages += f.source.messages if isinstance(f.source, BodySource) else []
    ctx.pending.clear()


def _expression(ctx: Context, s: ast.ExprStmt) -> hir.Stmt:
    e = ex.check(ctx, s.expr)
    _check_unused(ctx, e)
    statement = hir.ExprStmt(e, s.pos, _attributes(ctx, s.attributes))
    mode = hlsl_attributes.math_mode(ctx, s.attributes)
    return hir.Block([statement], s.pos, s.pos, mode) if mode else statement


def _check_unused(ctx: Context, e: hir.Expr) -> None:
    """Warn about an expression statement whose discarded value has no side effect; accept assignments."""
    if e.__class__ in unused.ASSIGNMENTS:
        ctx.nested_changes -= 1
    else:
        unused.check(ctx, e)


def _empty(ctx: Context, s: ast.EmptyStmt) -> hir.Stmt:
    return hir.EmptyStmt(s.pos)


# --------------------------------------------------------------------------------------------------------- conditions


def _condition(ctx: Context, cond: ast.Expr | ast.VarDecl) -> tuple[hir.Expr, hir.DeclStmt | None]:
    if isinstance(cond, ast.VarDecl):
        (v,) = variables(ctx, cond) or (None,)
        if v is None:
            raise Poisoned
        return ex.to_bool(ctx, hir.VarRef(v, v.type, v.pos), v.pos), hir.DeclStmt(v, v.pos)
    checked = ex.check(ctx, cond)
    warnings.check_condition(ctx, cond, checked)
    return ex.to_bool(ctx, checked, cond.pos), None


def _attributes(ctx: Context, written: Sequence[ast.Attribute], form: Form = "") -> tuple[Attribute, ...]:
    evaluated = attributes.at(ctx, written, Subject("statement", form=form))
    names = {a.name for a in evaluated}
    for other in ("loop", "fastopt"):
        if other in names and "unroll" in names:
            ctx.error(codes.LOOP_ATTRIBUTES, written[0].pos, name=other)
    return evaluated


def _guarded_condition(ctx: Context, cond: ast.Expr | ast.VarDecl, pos: int) -> tuple[hir.Expr, hir.DeclStmt | None]:
    """Analyse a condition; replace an invalid one by a constant, so that the statement's body is still analysed."""
    try:
        return _condition(ctx, cond)
    except Poisoned:
        return hir.Literal_(True, ty.BOOL, pos), None


def _if(ctx: Context, s: ast.If) -> hir.Stmt:
    """Analyse an ``if``; iterate over ``else if`` chains instead of recursing."""
    links: list[tuple[ast.If, hir.Expr, hir.DeclStmt | None, hir.Stmt]] = []
    outer = ctx.scope
    node: ast.Stmt | None = s
    try:
        while isinstance(node, ast.If):
            if ctx.scope is outer or ctx.scope.names:  # a link without a variable needs no scope of its own
                ctx.scope = Scope("block", ctx.scope)
            count = len(ctx.messages)
            cond, declaration = _guarded_condition(ctx, node.cond, node.pos)
            is_valid = not any(m.code.severity == "error" for m in ctx.messages[count:])
            links.append((node, cond, declaration, _one(ctx, node.then)))
            if is_valid:
                warnings.check_if(ctx, node)
            node = node.otherwise
        otherwise = _one(ctx, node) if node is not None else None
    finally:
        ctx.scope = outer
    result: hir.Stmt | None = otherwise
    for link, cond, declaration, then in reversed(links):
        result = hir.If(cond, then, result, link.pos, _attributes(ctx, link.attributes, "if"), declaration)
    assert result is not None
    return result


def _loop_body(ctx: Context, s: ast.Stmt) -> hir.Stmt:
    ctx.loop_depth += 1
    try:
        return _one(ctx, s)
    finally:
        ctx.loop_depth -= 1


def _for(ctx: Context, s: ast.For) -> hir.Stmt:
    """Analyse a ``for``.

    Before HLSL 2021 its variables belong to the surrounding scope, and hide earlier ones of the same name there.
    """
    if ctx.language.hlsl_version >= 2021:
        with ctx.inside("block"):
            return _for_parts(ctx, s)
    return _for_parts(ctx, s)


def _for_parts(ctx: Context, s: ast.For) -> hir.Stmt:
    is_scoped = ctx.language.hlsl_version >= 2021
    ctx.replaces_variables = not is_scoped
    try:
        init = [*(_guarded(ctx, s.range) if s.range is not None else ()), *_guarded(ctx, s.init)]
    finally:
        ctx.replaces_variables = False
    cond: hir.Expr | None = None
    declaration = None
    if s.cond is not None:
        cond, declaration = _guarded_condition(ctx, s.cond, s.pos)
    step: hir.Expr | None = None
    if s.step is not None:
        try:
            step = ex.check(ctx, s.step)
            _check_unused(ctx, step)
        except Poisoned:
            step = None
    if is_scoped and isinstance(s.body, ast.Block) and not s.body.attributes:
        ctx.loop_depth += 1
        body: hir.Stmt = _statements(ctx, s.body)  # in the scope of the loop's variables, which it must not redeclare
        ctx.loop_depth -= 1
    else:
        body = _loop_body(ctx, s.body)
    return hir.For(init, cond, step, body, s.pos, _attributes(ctx, s.attributes, "loop"), declaration)


def _while(ctx: Context, s: ast.While) -> hir.Stmt:
    with ctx.inside("block"):
        cond, declaration = _guarded_condition(ctx, s.cond, s.pos)
        body = _loop_body(ctx, s.body)
    return hir.While(cond, body, s.pos, _attributes(ctx, s.attributes, "loop"), declaration)


def _do(ctx: Context, s: ast.Do) -> hir.Stmt:
    body = _loop_body(ctx, s.body)
    cond, _ = _guarded_condition(ctx, s.cond, s.pos)
    return hir.Do(body, cond, s.pos, _attributes(ctx, s.attributes, "loop"))


# --------------------------------------------------------------------------------------------------------------- switch


def _switch(ctx: Context, s: ast.Switch) -> hir.Stmt:
    declaration = None
    with ctx.inside("block"):
        if isinstance(s.cond, ast.VarDecl):
            (v,) = variables(ctx, s.cond) or (None,)
            if v is None:
                raise Poisoned
            declaration, cond = hir.DeclStmt(v, v.pos), conversions.load(hir.VarRef(v, v.type, v.pos))
        else:
            cond = ex.rvalue(ctx, s.cond)
        selected = cond
        t = cond.type.underlying if isinstance(cond.type, Enum) else cond.type
        if isinstance(t, ty.Vector) and t.size == 1:
            t = t.element
        if not isinstance(t, Scalar) or t.category in ("void", "string"):
            ctx.fail(codes.SWITCH_TYPE, s.cond.pos, type=ty.display(cond.type))
        if t.category in ("bool", "float"):
            t = ty.INT
        if t is ty.LITERAL_INT:
            t = _width_needed(cond)
        cond = ex.decay(cond)
        cond = ex.convert(ctx, cond, t, keeps_bits=True)
        ctx.switch_types.append(t)
        outer, ctx.scope = ctx.scope, Scope("block", ctx.scope)
        try:
            nodes = _guarded(ctx, s.body)
        finally:
            ctx.switch_types.pop()
            ctx.scope = outer
    body = nodes[0] if len(nodes) == 1 and isinstance(nodes[0], hir.Block) else hir.Block(nodes, s.pos, s.pos)
    check_labels(ctx, body)
    warnings.check_switch(ctx, selected, cond, body)
    warnings.check_body(ctx, "switch statement", s.body)
    return hir.Switch(cond, body, s.pos, _attributes(ctx, s.attributes, "switch"), declaration)


def _width_needed(e: hir.Expr) -> Scalar:
    """Return the type of a ``switch`` selector that is a literal: 64 bits wide only if its value requires it."""
    v = evaluate_int(e)
    return ty.INT64 if v is not None and not -(1 << 31) <= v < 1 << 31 else ty.INT


def _case(ctx: Context, s: ast.Case) -> hir.Stmt:
    if not ctx.switch_types:
        ctx.fail(codes.CASE_OUTSIDE, s.pos)
    e = ex.decay(ex.rvalue(ctx, s.value))
    written, target = e.type, ctx.switch_types[-1]
    e = ex.convert_silently(ctx, e, target)
    v = evaluate_int(e)
    if v is not None and isinstance(written, ty.Scalar) and written.category == "float":
        ctx.fail(codes.CASE_CONVERSION, s.value.pos, written=ty.display(written), wanted=ty.display(target))
    if v is None:
        ctx.fail(codes.CASE_NOT_CONSTANT, s.value.pos)
    return hir.Case(v, s.pos, e)


def _default(ctx: Context, s: ast.Default) -> hir.Stmt:
    if not ctx.switch_types:
        ctx.fail(codes.DEFAULT_OUTSIDE, s.pos)
    return hir.Case(None, s.pos)


# ---------------------------------------------------------------------------------------------------------------- jumps


def _attributed_jump(ctx: Context, s: ast.AttributedJump) -> list[hir.Stmt]:
    _attributes(ctx, s.attributes)
    statements = _guarded(ctx, s.statement)
    mode = hlsl_attributes.math_mode(ctx, s.attributes)
    return [hir.Block(statements, s.pos, s.pos, mode)] if mode else statements


def _break(ctx: Context, s: ast.Break) -> hir.Stmt:
    if not ctx.loop_depth and not ctx.switch_types:
        ctx.fail(codes.BREAK_OUTSIDE, s.pos)
    return hir.Break(s.pos)


def _continue(ctx: Context, s: ast.Continue) -> hir.Stmt:
    if not ctx.loop_depth:
        ctx.fail(codes.CONTINUE_OUTSIDE, s.pos)
    return hir.Continue(s.pos)


def _discard(ctx: Context, s: ast.Discard) -> hir.Stmt:
    return hir.Discard(s.pos)


def _return(ctx: Context, s: ast.Return) -> hir.Stmt:
    assert ctx.function is not None
    t = ctx.function.return_type
    this = ctx.source.constructed if ctx.source is not None else None
    if this is not None:
        if s.value is not None:
            ctx.fail(codes.RETURN_VALUE_IN_VOID, s.pos, name=ctx.function.name)
        return _constructed(this, s.pos)
    if ctx.function.referred is not None and s.value is not None:
        return REFERENCES[ast.Return](ctx, s)  # type: ignore[no-any-return]  # registered with this result
    if s.value is None:
        if t is type_names.AUTO:  # a lambda expression
            ctx.function.return_type = t = ty.VOID
        if t is not ty.VOID:
            ctx.fail(codes.RETURN_WITHOUT_VALUE, s.pos, name=ctx.function.name)
        return hir.Return(None, s.pos)
    if isinstance(s.value, ast.InitList) and ctx.language.hlsl_version < HLSL_202X:
        ctx.fail(language.GENERALIZED_LIST, s.value.pos, hint="write a constructor, such as 'float2(...)'")
    if t is type_names.AUTO and not isinstance(s.value, ast.InitList):  # a lambda expression
        e = ex.rvalue(ctx, s.value)
        literal = isinstance(e.type, Scalar) and e.type.is_literal
        ctx.function.return_type = t = ty.concrete(e.type) if literal else e.type  # type: ignore[arg-type]
        return hir.Return(ex.convert(ctx, e, t), s.pos)
    if t is ty.VOID:
        e = ex.check(ctx, s.value)
        if e.type is not ty.VOID:
            ctx.fail(codes.RETURN_VALUE_IN_VOID, s.pos, name=ctx.function.name)
        return hir.Return(e, s.pos)
    value = initializers.initialize(ctx, s.value, t, codes.CANNOT_INIT_RETURN)
    coherence.check(ctx, value, ctx.function.quals, t)
    return hir.Return(value, s.pos)


_HANDLERS: dict[type, Callable[..., hir.Stmt | list[hir.Stmt]]] = {
    ast.Block: _block,
    ast.DeclStmt: _declaration,
    ast.ExprStmt: _expression,
    ast.EmptyStmt: _empty,
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.Do: _do,
    ast.Switch: _switch,
    ast.Case: _case,
    ast.Default: _default,
    ast.AttributedJump: _attributed_jump,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Discard: _discard,
    ast.Return: _return,
}
