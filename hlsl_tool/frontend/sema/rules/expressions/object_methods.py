"""Calls of the methods of built-in objects: textures, buffers, ray queries, ..."""

from __future__ import annotations

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import entries as entry_codes
from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.types import ObjectType, Struct, Type
from hlsl_tool.frontend.sema.rules import object_elements, suggestions, type_names
from hlsl_tool.frontend.sema.rules.expressions import conversions, ranking, ray_data
from hlsl_tool.frontend.sema.rules.expressions.intrinsic_calls import convert_arguments, literal_score
from hlsl_tool.frontend.sema.rules.expressions.lvalues import can_be_written
from hlsl_tool.frontend.sema.rules.intrinsics import matching, methods
from hlsl_tool.frontend.sema.scope import watched
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.syntax import ast


def object_method(
    ctx: Context,
    base: hir.Expr,
    t: ObjectType,
    name: str,
    args: list[hir.Expr],
    targs: list[ast.TemplateArg] | None,
    pos: int,
) -> hir.Expr:
    """Build a call of a method of a built-in object."""
    overloads = methods.methods(t).get(name)
    if not overloads:
        hint = suggestions.for_word(name, methods.methods(t))
        ctx.fail(codes.NO_MEMBER, pos, name=name, type=ty.display(t), hint=hint)
    targ: Type | None = None
    if targs:
        value = type_names.template_argument(ctx, targs[0])[0]
        object_elements.check_value(ctx, name, value, pos)
        if len(targs) > 1 and any(m.takes_template for m in overloads):
            ctx.fail(language.TYPE_ARGUMENT, pos, name=name)
        if not any(m.takes_template for m in overloads) or not isinstance(
            value, (ty.Scalar, ty.Vector, ty.Matrix, Struct, ty.Array, ty.Enum)
        ):
            if isinstance(value, ObjectType) and any(m.takes_template for m in overloads):
                ctx.fail(codes.OBJECT_ELEMENT, pos, type=ty.display(value), name=name)
            ctx.fail(codes.METHOD_NEEDS_TEMPLATE, pos, name=name)
        targ = value
    args = [ex.contents(a) for a in args]
    best, best_score = None, (-1, -1)
    for m in overloads:
        s = _method_score(ctx, m, args)
        if s is not None and (best is None or (s, literal_score(m, args)) < best_score):
            best, best_score = m, (s, literal_score(m, args))
    if best is None:
        if any(_wants_status(ctx, m, args) for m in overloads):
            ctx.fail(codes.STATUS_LVALUE, base.pos)
        if name == "GetDimensions":
            _require_output_lvalues(ctx, overloads, args)
        notes = [ctx.note(codes.CANDIDATE, pos, why="", signature=_method_signature(m)) for m in overloads[:4]]
        ctx.fail(codes.NO_MATCHING_METHOD, pos, name=name, notes=notes)
    params = tuple(_concrete_param(p, a, targ) for p, a in zip(best.params, args, strict=True))
    out, directions = convert_arguments(ctx, args, params, best.directions, False)
    result = best.result
    if result is methods.ANY_VALUE:
        result = targ or ty.UINT
    call = hir.MethodCall(
        base,
        name,
        out,
        result,
        pos,
        directions,
        params,
        (targ,) if targ is not None else (),
        is_lvalue=name == "Get" and "Node" in t.name,
    )
    _check_call(ctx, call, t, best)
    return call


def _check_call(ctx: Context, call: hir.MethodCall, t: ObjectType, method: methods.Method) -> None:
    """Report objects that a method stores to memory.

    Report payloads and hit attributes of ``dx::HitObject`` methods that do not consist of numbers.

    Also report ``FinishedCrossGroupSharing`` of a record without ``[NodeTrackRWInputSharing]``. Record calls that only
    some stages or shader models support; they are checked for each entry point.
    """
    for p, a in zip(method.params, call.args, strict=True):
        if p is methods.ANY_VALUE:
            object_elements.check_value(ctx, call.name, a.type, a.pos)
    if t.name == "dx::HitObject":
        ray_data.check(ctx, call)
        ctx.watch(call)
    elif call.name in watched.METHODS:
        ctx.watch(call)
    elif call.name == "FinishedCrossGroupSharing":
        _check_tracking(ctx, t, call.pos)


def _check_tracking(ctx: Context, t: ty.ObjectType, pos: int) -> None:
    record = t.element
    if isinstance(record, Struct) and find_attribute(record.attributes, "nodetrackrwinputsharing") is None:
        ctx.error(entry_codes.NODE_CROSS_GROUP, pos)


def _concrete_param(p: Type, a: hir.Expr, targ: Type | None) -> Type:
    if p is methods.ANY_VALUE:
        return targ or matching._by_default(a.type)
    if isinstance(p, ty.Vector) and p.size == 1:
        return p.element
    return a.type if p is methods.ANY_STRUCT or p is methods.ANY_QUERY else p


def _method_score(ctx: Context, m: methods.Method, args: list[hir.Expr]) -> int | None:
    if len(m.params) != len(args):
        return None
    total = 0
    for p, d, a in zip(m.params, m.directions, args, strict=True):
        if p is methods.ANY_VALUE or p is methods.ANY_STRUCT:
            if (p is methods.ANY_STRUCT and not isinstance(a.type, Struct)) or a.type in (ty.STRING, ty.VOID):
                return None
            continue
        if p is methods.ANY_QUERY:
            if not isinstance(a.type, ObjectType) or a.type.name != p.name:
                return None
            continue
        if d == "in":
            if conversions.classify(a.type, p, explicit=False) is None:
                return None
            if isinstance(p, ty.Scalar) and ty.component_count(a.type) > 1:
                return None  # vectors are truncated to shorter vectors, but not to numbers
            total += ranking.score(a.type, p)
        else:
            if not can_be_written(a) or conversions.classify(p, a.type, explicit=False) is None:
                return None
            if ty.is_numeric(p) and ty.component_count(p) != ty.component_count(a.type):
                return None
            total += ranking.score(p, a.type)
    return total


def _wants_status(ctx: Context, m: methods.Method, args: list[hir.Expr]) -> bool:
    """Return whether only the last argument does not match an overload: it should be an l-value for the status."""
    if m.name == "GetDimensions" or not args or len(m.params) != len(args):
        return False
    if m.directions[-1] != "out" or args[-1].is_lvalue:
        return False
    shorter = methods.Method(m.name, m.result, m.params[:-1], m.directions[:-1])
    return m.params[-1] is ty.UINT and _method_score(ctx, shorter, args[:-1]) is not None


def _require_output_lvalues(ctx: Context, overloads: list[methods.Method], args: list[hir.Expr]) -> None:
    """Report the first argument that is not an l-value although its parameter is ``out``.

    Only overloads with this number of parameters are considered.
    """
    for m in overloads:
        if len(m.params) != len(args):
            continue
        for a, d in zip(args, m.directions, strict=True):
            if d == "out" and not can_be_written(a) and ty.is_numeric(a.type):
                ctx.fail(codes.OUTPUT_LVALUE, a.pos)


def _method_signature(m: methods.Method) -> str:
    params = ", ".join(
        f"{d} {ty.display(p)}" if d != "in" else ty.display(p) for p, d in zip(m.params, m.directions, strict=True)
    )
    return f"{ty.display(m.result)} {m.name}({params})"


def static_method(ctx: Context, name: str, args: list[hir.Expr], pos: int) -> hir.Expr:
    """Build a call of a static method of ``dx::HitObject``."""
    ctx.uses_built_in("dx::HitObject", pos)
    t = ty.object_type("dx::HitObject")
    return object_method(ctx, hir.InitList([], t, pos, is_constructor=True), t, name, args, None, pos)
