"""Functions and calls (manual: *Functions*).

Every parameter is a pointer to a variable of the caller: arguments are copied into ``param.var.NAME``, and results of
``out`` parameters are copied back.  A whole local variable of the parameter's type is passed to an ``out`` parameter
directly, and groupshared memory to a ``groupshared`` parameter.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.layout.rules import Rule
from hlsl_tool.codegen.lower.core import casts, constants, inline_spirv, memory
from hlsl_tool.codegen.lower.core.assignment import assign
from hlsl_tool.codegen.lower.core.context import ABANDONED, Lowering
from hlsl_tool.codegen.lower.core.registry import ARGUMENTS, CALLS, family_of, lowers
from hlsl_tool.codegen.lower.core.values import Value, is_vertex_value
from hlsl_tool.codegen.lower.expressions import value_lvalues as places
from hlsl_tool.codegen.lower.expressions.math_modes import math_mode
from hlsl_tool.codegen.lower.functions import aliasing, object_changes
from hlsl_tool.codegen.lower.types.kinds import (
    is_assignable_handle,
    is_block,
    is_structured_or_byte_buffer,
    is_value_object,
    type_name,
)
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import vk_attribute
from hlsl_tool.frontend.sema.model.hir import Function, Param
from hlsl_tool.frontend.sema.model.types import Array, ObjectType, Struct, Type, innermost
from hlsl_tool.spirv.builder import PRECISE, TypeInfo
from hlsl_tool.spirv.enums import FunctionControl, StorageClass


def is_resource(t: Type) -> bool:
    """Return whether a type is a resource handle, which is never copied back from an ``out`` parameter."""
    inner = innermost(t)
    return isinstance(inner, ObjectType) and not is_value_object(inner) and not inline_spirv.is_opaque_type(inner)


_LINEAR_ALGEBRA = "dx::linalg"
"""The namespace of ``dx/linalg.h``."""


def is_ray_query(t: Type) -> bool:
    """Return whether a type is a ray query, which cannot be copied and is therefore passed by pointer."""
    return isinstance(t, ObjectType) and t.name == "RayQuery"


def contains_buffer(t: Type) -> bool:
    """Return whether variables of a type contain a pointer to a structured or byte-address buffer."""
    if isinstance(t, Struct):
        return any(contains_buffer(f.type) for f in t.all_fields())
    if isinstance(t, Array):
        return contains_buffer(t.element)
    return is_structured_or_byte_buffer(t)


def define(ctx: Lowering, f: Function, *, name: str, function: int) -> None:
    """Write a function under the id that its calls refer to; one without a body becomes a declaration."""
    if not f.has_body:
        _declare(ctx, f, name, function)
    elif ctx.sharing is None:
        _define(ctx, f, name, function)
    else:
        ctx.sharing.define(ctx, f, name, function, _define)


def _declare(ctx: Lowering, f: Function, name: str, function: int) -> None:
    """Write the declaration of a function that another module defines; declarations precede all definitions."""
    params = [(_parameter(ctx, p), p.name) for p in f.params]
    _, ids = ctx.b.begin_function(name, ctx.type(f.return_type), params, function=function)
    ctx.relaxed(function, f.return_type)
    for p, i in zip(f.params, ids, strict=True):
        ctx.relaxed(i, p.type)
    ctx.b.end_function()
    functions = ctx.b.functions
    functions.insert(sum(not declared.blocks for declared in functions[:-1]), functions.pop())


def _define(ctx: Lowering, f: Function, name: str, function: int) -> None:
    b, reported = ctx.b, len(ctx.messages)
    outer = (ctx.function, ctx.locals, ctx.this, ctx.loops, ctx.chunk)
    ctx.function, ctx.locals, ctx.this, ctx.loops, ctx.chunk = f, {}, None, [], f.chunk
    ctx.pos = f.pos
    params: list[tuple[int, str]] = []
    if f.owner is not None and not f.is_static:
        params.append((ctx.types.pointer(f.owner, StorageClass.Function), "param.this"))
    params += [(_parameter(ctx, p), p.name) for p in f.params]
    control = FunctionControl.DontInline if any(a.name == "noinline" for a in f.attributes) else 0
    ctx.enter_function(f)
    _, ids = b.begin_function(name, ctx.type(f.return_type), params, function=function, control=control)
    ctx.relaxed(function, f.return_type)
    if "precise" in f.quals:
        b.mark(function, PRECISE)
    ctx.parameters_written(f)
    if f.owner is not None and not f.is_static:
        ctx.this = Value(ids.pop(0), f.owner, False)
        if contains_buffer(f.owner):
            ctx.needs_legalization()
    for p, i in zip(f.params, ids, strict=True):
        ctx.locals[p] = Value(ctx.relaxed(i, p.type), p.type, False, is_alias=memory.is_alias_type(ctx, p.type))
        if "precise" in p.quals:
            b.mark(i, PRECISE)
        ctx.holds(p, i)
    b.set_insert_point(b.new_block("bb.entry"))
    inline_spirv.require(ctx, f.attributes)
    if f not in ctx.program.entries:  # there the attributes are those of stage variables
        inline_spirv.decorate_function(ctx, function, f)
        for p in f.params:
            inline_spirv.decorate_variable(ctx, ctx.locals[p].id, p)
    try:
        assert f.body is not None
        with math_mode(ctx, f.math_mode):
            ctx.stmt(f.body)
        if not b.is_terminated:
            ctx.at_end(f.body)
            b.ret(None if f.return_type is ty.VOID else b.undef(ctx.type(f.return_type)))
    except ABANDONED as reason:
        ctx.abandoned(reason)
        b.unreachable()
    if f.scope.startswith(_LINEAR_ALGEBRA) and len(ctx.messages) > reported:
        _note_call(ctx, f)
    b.end_function()
    ctx.function, ctx.locals, ctx.this, ctx.loops, ctx.chunk = outer


def _note_call(ctx: Lowering, f: Function) -> None:
    """Add to the last error, in a function of ``dx/linalg.h``, the first call outside of it that leads there."""
    seen = {f}
    while f.scope.startswith(_LINEAR_ALGEBRA):
        calls = ((g, call.pos) for g, body in ctx.limits.bodies.items() for call in body.calls if call.callee is f)
        f, pos = next(((g, pos) for g, pos in calls if g not in seen), (f, -1))
        if pos < 0:
            return
        seen.add(f)
        if not f.scope.startswith(_LINEAR_ALGEBRA):
            ctx.note(codes.LINEAR_ALGEBRA_CALL, pos, f.chunk)


def _parameter(ctx: Lowering, p: Param) -> int:
    """Return the id of a parameter's pointer type."""
    storage = StorageClass.Workgroup if "groupshared" in p.quals else StorageClass.Function
    return ctx.node_parameters.get(p) or ctx.types.pointer(p.type, storage)


@lowers(hir.Call)
def _call(ctx: Lowering, c: hir.Call) -> Value:
    b = ctx.b
    f = ctx.definition(c.function)
    for name, handler in CALLS.items() if f.attributes else ():
        if vk_attribute(f.attributes, name) is not None:
            b.module_changes += 1  # inline SPIR-V declares types
            return handler(ctx, c, f)
    if f.body is None and not ctx.may_import(f):
        ctx.fail(codes.UNDEFINED_FUNCTION, c.pos)
    arguments: list[int] = []
    copied: tuple[Value, Value] | None = None
    if c.this is not None:
        object_changes.check(ctx, c, f)
        this, copied = _object(ctx, c.this, f)
        arguments.append(this)
        ctx.hooks.on_this(f, c.this)
    write_back: list[tuple[Param, hir.Expr, Value, Value | None]] = []
    for index, (p, a) in enumerate(zip(f.params, c.args, strict=True)):
        with ctx.argument_of(c, index):
            is_shared = "groupshared" in p.quals
            arguments.append(_shared(ctx, _read(a)) if is_shared else _argument(ctx, c, p, a, write_back))
    ctx.at(c)
    ctx.limits.called(c.function, f, ctx.pos)
    result = b.call(ctx.function_id(f), ctx.type(f.return_type), arguments)
    if copied is not None and not f.is_const and isinstance(c.this, hir.Expr) and c.this.is_lvalue:
        memory.store(ctx, copied[0], memory.load(ctx, copied[1]))
    for _, a, holder, pointer in write_back:
        ctx.at_begin(a)
        value = memory.load(ctx, holder)
        assign(ctx, a, _matching(ctx, value, a.type), pointer)
    if not ctx.options.codegen_only:  # DXC leaves the counters as they were
        _follow_outputs(ctx, c, f)
    if is_structured_or_byte_buffer(f.return_type):
        return Value(result, f.return_type, False)
    return ctx.rvalue(result, f.return_type)


def _follow_outputs(ctx: Lowering, c: hir.Call, f: Function) -> None:
    """Call the counter hooks for a call's outputs and its object: they may refer to other buffers afterwards."""
    for p, a in zip(f.params, c.args, strict=True):
        if p.direction != "in":
            ctx.hooks.on_output(p, a)
    if isinstance(c.this, hir.Expr) and not f.is_const:
        ctx.hooks.on_this_output(f, c.this)


def _matching(ctx: Lowering, value: Value, t: Type) -> Value:
    """Convert a numeric value to type ``t``, whose shape may differ; return values that are not numeric unchanged.

    Both types have equally many components, or one of them has a single component: then the first component of
    ``value`` becomes every component of the result.
    """
    if value.type is t or not ty.is_numeric(t) or not ty.is_numeric(value.type):
        return value
    element, count = ty.element_of(value.type), ty.component_count(t)
    assert element is not None
    if count == ty.component_count(value.type) and casts.is_matrix(t) == casts.is_matrix(value.type):
        return casts.convert(ctx, Value(value.id, ty.with_element(t, element), True), t)
    shaped = ty.with_element(t, element)
    if count == 1 or ty.component_count(value.type) == 1:
        return casts.convert(ctx, ctx.rvalue(casts.splat(ctx, casts.first(ctx, value), shaped), shaped), t)
    parts = [part for part, _ in casts.components(ctx, value.id, value.type)]
    if casts.is_matrix(t):
        row = casts.row_type(shaped)
        parts = [ctx.b.construct(ctx.type(row), parts[at : at + row.size]) for at in range(0, count, row.size)]
    return casts.convert(ctx, ctx.rvalue(ctx.b.construct(ctx.type(shaped), parts), shaped), t)


def _object(ctx: Lowering, this: hir.Expr, f: Function) -> tuple[int, tuple[Value, Value] | None]:
    """Return the pointer that a method receives as ``this``; if it is a copy to write back, also (object, copy).

    As in DXC, an object in memory whose layout differs only by decorations is passed directly: legalisation inlines the
    method and fixes the storage classes.
    """
    b = ctx.b
    if this.is_lvalue and not places.is_memory(this):
        this = places.pinned(ctx, this, for_call=True)
    v = ctx.expr(this)
    ctx.at_begin(this)
    if v.is_rvalue:
        assert f.owner is not None
        return memory.temporary(ctx, v, f"temp.var.{type_name(f.owner)}").id, None
    whole = _read(this)
    if isinstance(whole, hir.Cast) and whole.kind == "contents":  # a ConstantBuffer has no memory without layout
        return memory.temporary(ctx, memory.load(ctx, v), f"temp.var.{type_name(v.type)}").id, None
    if b.storage_of(v.id) != StorageClass.Function or not _is_whole(this):
        ctx.needs_legalization()
    pointer_type = ctx.types.pointer(f.owner, StorageClass.Function) if f.owner is not None else 0
    same = _isomorphic(b.pointee_of(v.id), b.type_info(pointer_type).elem)  # except for booleans of a buffer
    if not same or v.rasterizer_ordered:
        copy = memory.temporary(ctx, memory.load(ctx, v), f"temp.var.{type_name(v.type)}")
        return copy.id, (v, copy)
    return v.id, None


def _read(x: hir.Expr) -> hir.Expr:
    """Return the l-value below loads, or the expression itself if it is not a load."""
    while isinstance(x, hir.Load):
        x = x.operand
    return x


def _isomorphic(a: TypeInfo, b: TypeInfo) -> bool:
    """Return whether two types are equal apart from layout decorations."""
    if a.id == b.id:
        return True
    if a.kind != b.kind or a.count != b.count or len(a.member_types) != len(b.member_types):
        return False
    if a.is_columns != b.is_columns:
        return False
    if a.kind == "struct":
        return all(_isomorphic(x, y) for x, y in zip(a.member_types, b.member_types, strict=True))
    return a.kind == "array" and a.length_id == b.length_id and _isomorphic(a.elem, b.elem)


def _is_whole(x: hir.Expr) -> bool:
    return isinstance(x, (hir.VarRef, hir.This))


def _source(ctx: Lowering, a: hir.Expr) -> hir.Expr:
    """Return an argument's l-value (memory or texel) below its load, or the argument itself if it is a value."""
    source = _read(a)
    if isinstance(source, hir.Cast) and source.kind == "contents":
        source = a  # the contents of a ConstantBuffer are copied
    if ctx.resource_structs:
        from hlsl_tool.codegen.lower.global_variables.resource_structs import simplified  # start-up time

        source = simplified(ctx, source)
    return source


def _argument(
    ctx: Lowering, c: hir.Call, p: Param, a: hir.Expr, write_back: list[tuple[Param, hir.Expr, Value, Value | None]]
) -> int:
    b = ctx.b
    source = _source(ctx, a)
    handler = ARGUMENTS.find(_family(ctx, p, source))
    if handler is not None:
        return handler(ctx, source, p)
    if p.direction != "in" and not is_resource(p.type) and not places.is_memory(source):
        source = a = places.pinned(ctx, source, for_call=True)
    folded = constants.folded(ctx, source) if p.direction == "in" and isinstance(source, hir.VarRef) else None
    v = ctx.expr(source) if folded is None else ctx.rvalue(folded, a.type)
    storage = b.storage_of(v.id) if not v.is_rvalue else -1
    global_resource = is_resource(p.type) and _is_global(ctx, source, storage)
    output = ctx.mesh_output(source)
    if output is not None and isinstance(source, hir.VarRef):
        if not any(q in p.quals for q in ("vertices", "indices", "primitives")):
            ctx.fail(codes.MESH_WHOLE, source.pos, name=source.var.name)
        ctx.mesh_outputs[p] = output
        return v.id
    by_reference = output is None and not global_resource and p.type is a.type
    if by_reference and _is_passed_as_pointer(ctx, c, p, source, v):
        if not isinstance(source, hir.VarRef) or storage != StorageClass.Function:
            ctx.needs_legalization()
        if _isomorphic(b.pointee_of(v.id), b.type_info(ctx.type(p.type))):
            if not ctx.options.codegen_only:
                ctx.hooks.on_argument(p, source)
            return v.id
    if is_block(p.type):
        ctx.needs_legalization()
    holder = memory.local(ctx, p.type, f"param.var.{p.name}", restrict=not inline_spirv.is_aliased(p))
    ctx.holds(p, holder.id)
    ctx.at_begin(a, a)
    value = memory.load(ctx, v)
    if p.direction != "in" and p.type is not a.type:
        value = _matching(ctx, value, p.type)
    ctx.hooks.on_argument(p, source)
    memory.store(ctx, holder, value)
    if p.direction != "in" and (not is_resource(p.type) or _is_changed_handle(ctx, p, source)):
        write_back.append((p, a, holder, v if not v.is_rvalue else None))
    return holder.id


def _family(ctx: Lowering, p: Param, source: hir.Expr) -> str:
    """Return the name of the handler of an argument: "vertex" for a converted value of each vertex of the triangle."""
    if ctx.vertex_values is not None and is_vertex_value(p) and ty.is_numeric(p.type):
        return "vertex" if isinstance(source, (hir.Cast, hir.Swizzle)) else ""
    return family_of(p.type)


def _is_global(ctx: Lowering, source: hir.Expr, storage: int) -> bool:
    """Return whether a resource is a global one, which a function cannot replace.

    DXC takes static resources for global ones, too, and loses what a function assigns to them.
    """
    if ctx.options.codegen_only:
        return isinstance(source, hir.VarRef) and storage != StorageClass.Function
    return aliasing.is_binding(source)


def _is_changed_handle(ctx: Lowering, p: Param, source: hir.Expr) -> bool:
    """Return whether an output argument is a variable with a resource handle that the call may replace by another."""
    is_handle = is_assignable_handle(innermost(p.type))
    return is_handle and p.type is source.type and not ctx.options.codegen_only and not aliasing.is_binding(source)


def _is_passed_as_pointer(ctx: Lowering, c: hir.Call, p: Param, source: hir.Expr, v: Value) -> bool:
    """Return whether an output argument may be passed as a pointer to its own memory, instead of to a copy.

    Its type is that of the parameter. Ray queries are always passed so, since they cannot be copied.
    """
    if is_ray_query(p.type):
        return not v.is_rvalue
    is_whole = not _is_special(source) and v.row is None and not v.rasterizer_ordered and v.bits is None
    is_memory = is_whole and not v.is_rvalue
    is_shared = p.direction != "in" or "&" in p.quals
    return is_shared and is_memory and not aliasing.must_copy(ctx, c, p, source, v)


def _shared(ctx: Lowering, source: hir.Expr) -> int:
    """Return the pointer to groupshared memory to pass for a ``groupshared`` parameter; report other arguments."""
    v = ctx.expr(source)
    if v.is_rvalue or v.row is not None or ctx.b.storage_of(v.id) != StorageClass.Workgroup:
        ctx.fail(codes.FEATURE_UNSUPPORTED, source.pos, what="a part of a matrix as a groupshared argument")
    if not isinstance(source, hir.VarRef):
        ctx.needs_legalization()
    return v.id


def _is_special(x: hir.Expr) -> bool:
    """Return whether an expression is a swizzle or a matrix element, to which no single pointer exists."""
    return isinstance(x, hir.MatrixSwizzle) or (isinstance(x, hir.Swizzle) and len(x.components) > 1)


__all__ = ["Rule", "define"]
