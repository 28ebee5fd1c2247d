"""Calls: overloads of functions and methods, intrinsics, methods of built-in objects, constructors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import hlsl_tool.sema.declarations.declare as declarations
import hlsl_tool.sema.expressions.primary as ex
from hlsl_tool.diagnostics.catalogue import inline_spirv as inline_codes
from hlsl_tool.diagnostics.catalogue import sema as codes
from hlsl_tool.sema import hir, suggestions, type_names
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.constants import evaluate_int
from hlsl_tool.sema.context import Context, Poisoned, Raw
from hlsl_tool.sema.expressions import conversions, initializers, operators, ranking
from hlsl_tool.sema.intrinsics import functions, matching, methods
from hlsl_tool.sema.scope import (
    Alias,
    AliasTemplate,
    FunctionTemplate,
    Overloads,
    StructTemplate,
    namespace_members,
    struct_member,
)
from hlsl_tool.sema.templates import instantiation as templates
from hlsl_tool.sema.types import ObjectType, Struct, Type
from hlsl_tool.syntax import ast

# ------------------------------------------------------------------------------------------------------ what is called


def call(ctx: Context, e: ast.Call) -> hir.Expr:
    callee = e.callee
    if isinstance(callee, ast.Name):
        return _call_name(ctx, e, callee)
    if isinstance(callee, ast.Member):
        return _call_member(ctx, e, callee)
    return _call_object(ctx, ex.check(ctx, callee), [ex.check(ctx, a) for a in e.args], e.pos)


def _call_name(ctx: Context, e: ast.Call, callee: ast.Name) -> hir.Expr:
    parts = callee.parts
    name = type_names.spelled(parts)
    if len(parts) == 1 and not callee.is_global:
        binding = ctx.scope.lookup(parts[0].name)
    else:
        binding = (
            None if matching.is_intrinsic(name) else type_names.lookup_path(ctx, parts, callee.pos, callee.is_global)
        )
    if isinstance(binding, (Alias, StructTemplate, AliasTemplate)):
        t = type_names.resolve(ctx, ast.NamedType(parts, callee.pos, callee.is_global)).type
        return initializers.construct(ctx, t, [ex.check(ctx, a) for a in e.args], e.pos)
    args = [ex.check(ctx, a) for a in e.args]
    if binding is None:
        if matching.is_intrinsic(name) or name in _POINTER_CASTS:
            return intrinsic(ctx, name, args, parts[-1].args, callee.pos)
        if name.startswith("dx::HitObject::"):
            return _static_method(ctx, name.rpartition("::")[2], args, callee.pos)
        if name in functions.LEGACY_TEXTURE_FUNCTIONS:
            ctx.fail(codes.LEGACY_TEXTURE, callee.pos, name=name)
        binding = _beside_arguments(ctx, callee, args) or ex.lookup(ctx, callee)
    if isinstance(binding, tuple):
        hides_intrinsics = len(parts) > 1 or binding[0].owner is not None
        if not hides_intrinsics and matching.is_intrinsic(name):
            chosen = matched_intrinsic(ctx, name, args, parts[-1].args, callee.pos)
            if chosen is not None:
                return chosen
        return _call_overloads(ctx, binding, name, args, parts[-1].args, callee.pos)
    return _call_object(ctx, ex.bound(ctx, binding, callee), args, e.pos)


def _beside_arguments(ctx: Context, callee: ast.Name, args: list[hir.Expr]) -> Overloads:
    """Find functions in the namespaces of the argument types (argument-dependent lookup)."""
    if len(callee.parts) != 1 or callee.is_global:
        return ()
    candidates: dict[hir.Function | FunctionTemplate, None] = {}
    for a in args:
        members = namespace_members(ctx.scope, a.type.scope) if isinstance(a.type, Struct) and a.type.scope else {}
        named = members.get(callee.parts[0].name)
        if isinstance(named, tuple):
            candidates.update(dict.fromkeys(named))
    return tuple(candidates)


def _call_overloads(
    ctx: Context, overloads: Overloads, name: str, args: list[hir.Expr], targs: list[ast.TemplateArg] | None, pos: int
) -> hir.Expr:
    f = choose(ctx, overloads, name, args, targs, pos)
    if f.owner is None or f.is_static:
        return finish(ctx, f, None, args, pos)
    s = ctx.scope.enclosing_struct()
    if s is None or ctx.function is None or ctx.function.is_static:
        ctx.fail(codes.METHOD_WITHOUT_OBJECT, pos)
    this: hir.Expr = hir.This(s, pos)
    if f.owner is not s and s.derives_from(f.owner):
        this = hir.Cast("derived_to_base", this, f.owner, pos, is_lvalue=True)
    return finish(ctx, f, this, args, pos)


def _call_member(ctx: Context, e: ast.Call, callee: ast.Member) -> hir.Expr:
    base = ex.check(ctx, callee.base)
    if callee.arrow:
        ctx.fail(codes.ARROW, callee.pos, hint="write '.'")
    name = callee.name.name
    t = base.type
    if isinstance(t, ObjectType) and t.name in ("ConstantBuffer", "TextureBuffer"):
        base = ex.contents(base)
        t = base.type
    if isinstance(t, ObjectType):
        if t.name == "vk::BufferPointer" and name == "Get":
            return hir.MethodCall(base, "Get", [], t.element, callee.pos, is_lvalue=True)
        return object_method(ctx, base, t, name, [ex.check(ctx, a) for a in e.args], callee.name.args, callee.pos)
    if isinstance(t, Struct):
        for p in callee.scope:
            named = ctx.scope.lookup(p.name)
            if isinstance(named, Alias) and isinstance(named.type, Struct) and t.derives_from(named.type):
                base = hir.Cast("derived_to_base", base, named.type, callee.pos, is_lvalue=base.is_lvalue)
                t = named.type
        binding = struct_member(t, name)
        args = [ex.check(ctx, a) for a in e.args]
        if isinstance(binding, tuple):
            return method(ctx, base, binding, name, args, callee.pos, targs=callee.name.args)
        if isinstance(binding, ty.Field):
            return _call_object(ctx, ex.member_of(ctx, base, binding, callee.pos), args, e.pos)
        hint = suggestions.for_member(t, name)
        ctx.fail(codes.NO_MEMBER, callee.pos, name=name, type=ty.display(t), hint=hint)
    if ty.is_numeric(t):
        ctx.fail(codes.NO_MEMBER, callee.pos, name=name, type=ty.display(t))
    ctx.fail(codes.MEMBER_OF_NON_STRUCT, callee.pos, type=ty.display(t))


def _call_object(ctx: Context, x: hir.Expr, args: list[hir.Expr], pos: int) -> hir.Expr:
    """Call ``operator()`` of a struct: ``object(args)``."""
    if isinstance(x.type, Struct):
        binding = struct_member(x.type, "operator()")
        if isinstance(binding, tuple):
            return method(ctx, x, binding, "operator()", args, pos, is_operator=True)
    ctx.fail(codes.NOT_CALLABLE, pos, type=ty.display(x.type))


def construct(ctx: Context, e: ast.Construct) -> hir.Expr:
    """Check ``T(args)``, parsed as a constructor; a function or variable of that name may hide the type."""
    t = e.type
    if len(t.parts) == 1 and not t.is_global and t.parts[0].args is None:
        binding = ctx.scope.lookup(t.parts[0].name)
        if isinstance(binding, (tuple, hir.Variable, ty.Field)):
            return call(ctx, ast.Call(ast.Name(t.parts, t.pos), e.args, e.pos))
    args = [ex.check(ctx, a) for a in e.args]
    return initializers.construct(ctx, type_names.resolve(ctx, t).type, args, e.pos)


# ------------------------------------------------------------------------------------------------------------ overloads


def method(
    ctx: Context,
    base: hir.Expr,
    overloads: Overloads,
    name: str,
    args: list[hir.Expr],
    pos: int,
    *,
    is_operator: bool = False,
    targs: list[ast.TemplateArg] | None = None,
) -> hir.Expr:
    """Call a method of a struct; ``const`` objects accept methods that are not ``const``, too."""
    f = choose(ctx, overloads, name, args, targs, pos)
    if f.is_static:
        return finish(ctx, f, None, args, pos)
    assert f.owner is not None
    if base.type is not f.owner and isinstance(base.type, Struct):
        base = hir.Cast("derived_to_base", base, f.owner, pos, is_lvalue=base.is_lvalue)
    return finish(ctx, f, base, args, pos, is_operator=is_operator)


@dataclass(slots=True)
class _Candidate:
    function: hir.Function
    score: int
    is_template: bool


def choose(
    ctx: Context,
    overloads: Overloads,
    name: str,
    args: Sequence[hir.Expr],
    targs: list[ast.TemplateArg] | None,
    pos: int,
) -> hir.Function:
    """Return the best overload; report an error and raise `Poisoned` if there is none."""
    viable: list[_Candidate] = []
    notes: list[Raw] = []
    for candidate in overloads:
        is_template = isinstance(candidate, FunctionTemplate)
        if isinstance(candidate, FunctionTemplate):
            f = templates.deduce(ctx, candidate, args, targs, pos, notes)
            if f is None:
                continue
        elif targs is not None:
            continue
        else:
            f = candidate
        why = _not_viable(ctx, f, args)
        if why:
            notes.append(ctx.note(codes.CANDIDATE, f.pos, f.chunk, why=f" not viable: {why}", signature=signature(f)))
            continue
        viable.append(_Candidate(f, _score(f, args), is_template))
    if not viable:
        operator = name.startswith("operator") and len(args) == 1
        if operator and name not in ("operator[]", "operator()") and overloads and overloads[0].owner is not None:
            owner = overloads[0].owner
            ctx.fail(codes.BAD_OPERANDS, pos, left=ty.display(owner), right=ty.display(args[0].type), notes=notes)
        ctx.fail(
            codes.NO_MATCHING_METHOD if overloads and overloads[0].owner is not None else codes.NO_MATCHING_FUNCTION,
            pos,
            name=name,
            notes=notes,
        )
    best = min(c.score for c in viable)
    winners = [c for c in viable if c.score == best]
    if len(winners) > 1:
        winners = [c for c in winners if not c.is_template] or winners
    if len(winners) > 1:
        winners = _nearest(winners)
    if len(winners) > 1:
        notes = [
            ctx.note(codes.CANDIDATE, c.function.pos, c.function.chunk, why="", signature=signature(c.function))
            for c in winners
        ]
        ctx.fail(codes.AMBIGUOUS_CALL, pos, name=name, notes=notes)
    return winners[0].function


def _nearest(winners: list[_Candidate]) -> list[_Candidate]:
    """Prefer the template that binds fewest parameters: the most specialised one."""
    fewest = min(len(c.function.template_args or ()) for c in winners)
    best = [c for c in winners if len(c.function.template_args or ()) == fewest]
    return best if any(c.is_template for c in winners) else winners


def _not_viable(ctx: Context, f: hir.Function, args: Sequence[hir.Expr]) -> str:
    why = templates.arity_mismatch(f.params, args)
    if why:
        return why
    for i, (p, a) in enumerate(zip(f.params, args, strict=False), 1):
        forward = conversions.classify(a.type, p.type, explicit=False, hlsl_version=ctx.language.hlsl_version)
        back = True
        if p.direction != "in":
            if a.is_lvalue is False:
                return f"expects an l-value for argument {i}"
            back = (
                conversions.classify(p.type, a.type, explicit=False, hlsl_version=ctx.language.hlsl_version) is not None
            )
        if (forward is None and p.direction != "out") or not back:
            return f"no known conversion from '{ty.display(a.type)}' to '{ty.display(p.type)}' for argument {i}"
    return ""


def _score(f: hir.Function, args: Sequence[hir.Expr]) -> int:
    total = 0
    for p, a in zip(f.params, args, strict=False):
        if p.direction != "out":
            total += ranking.score(a.type, p.type)
        if p.direction != "in":
            total += ranking.score(p.type, a.type)
    return total


def signature(f: hir.Function) -> str:
    params = ", ".join(
        f"{p.direction} {ty.display(p.type)}" if p.direction != "in" else ty.display(p.type) for p in f.params
    )
    return f"{ty.display(f.return_type)} {f.qualified_name}({params})"


def finish(
    ctx: Context, f: hir.Function, this: hir.Expr | None, args: list[hir.Expr], pos: int, *, is_operator: bool = False
) -> hir.Expr:
    """Build the call: convert arguments and fill in defaults."""
    ctx.uses(f)
    out: list[hir.Expr] = []
    for i, p in enumerate(f.params):
        if i >= len(args):
            out.append(declarations.default_argument(ctx, p))
        elif p.direction == "in":
            out.append(ex.convert(ctx, args[i], p.type, codes.CANNOT_INIT_PARAM))
        else:
            operators.modifiable(ctx, args[i], args[i].pos)
            _check_reference(ctx, args[i], p.type)
            out.append(args[i])
    chunks = tuple(p.default_chunk for p in f.params[len(args) :])
    return hir.Call(f, out, f.return_type, pos, this, is_operator, default_chunks=chunks)


def _check_reference(ctx: Context, a: hir.Expr, t: Type) -> None:
    """Report an ``out`` argument that has more components than its parameter or cannot convert to it."""
    if not ty.is_numeric(a.type) or not ty.is_numeric(t):
        return
    if ty.component_count(a.type) > ty.component_count(t):
        ctx.fail(codes.TRUNCATED_LVALUE, a.pos)
    if conversions.classify(a.type, t, explicit=False) is None:
        ctx.fail(codes.CANNOT_INIT_REFERENCE, a.pos, src=ty.display(a.type), dst=ty.display(t))


# --------------------------------------------------------------------------------------------------------- intrinsics


def intrinsic(ctx: Context, name: str, args: list[hir.Expr], targs: list[ast.TemplateArg] | None, pos: int) -> hir.Expr:
    """Build a call of an intrinsic function."""
    matched = matched_intrinsic(ctx, name, args, targs, pos)
    if matched is None:
        rows = matching.overloads(name)
        notes = [ctx.note(codes.CANDIDATE, pos, why="", signature=r.text) for r in rows[:4]]
        ctx.fail(codes.NO_MATCHING_FUNCTION, pos, name=name, notes=notes)
    return matched


def matched_intrinsic(
    ctx: Context, name: str, args: list[hir.Expr], targs: list[ast.TemplateArg] | None, pos: int
) -> hir.Expr | None:
    """Return a call of the intrinsic overload that matches the arguments, or ``None``."""
    args = [ex.contents(a) for a in args]
    targ: Type | None = None
    extra: tuple[object, ...] = ()
    if targs:
        values = [type_names.template_argument(ctx, a)[0] for a in targs]
        extra = tuple(values)
        first = values[0]
        targ = (
            first
            if isinstance(first, (ty.Scalar, ty.Vector, ty.Matrix, Struct, ty.Array, ty.Enum, ObjectType))
            else None
        )
    if name in _POINTER_CASTS:
        return _pointer_cast(ctx, name, args, extra, pos)
    types = [a.type for a in args]
    if name == "select":
        types = [ty.INT64 if _is_wide(a) else t for a, t in zip(args, types, strict=True)]
    m = matching.match(name, types, targ, negated={i for i, a in enumerate(args) if _is_negated(a)})
    if m is None:
        return None
    if name.startswith("Interlocked"):
        _check_original(ctx, args, m.directions)
    out, directions = _arguments(ctx, args, m.params, m.directions, m.row.variadic)
    params = m.params + tuple(a.type for a in out[len(m.params) :])
    return hir.IntrinsicCall(name, out, m.result, pos, directions, params, extra)


def _is_wide(e: hir.Expr) -> bool:
    """Return whether the expression is a literal that does not fit into 32 bits."""
    value = evaluate_int(e) if e.type is ty.LITERAL_INT else None
    return value is not None and not -(1 << 31) <= value < 1 << 31


def _check_original(ctx: Context, args: list[hir.Expr], directions: tuple[str, ...]) -> None:
    """Report an atomic whose result argument is part of an r-value."""
    for a, d in zip(args, directions, strict=True):
        node = a
        while isinstance(node, (hir.Swizzle, hir.MatrixSwizzle, hir.Index, hir.Member, hir.Cast, hir.Load)):
            node = node.operand if isinstance(node, (hir.Cast, hir.Load)) else node.base
        if d == "out" and not node.is_lvalue:
            ctx.fail(codes.ATOMIC_REFERENCE, a.pos)


_POINTER_CASTS = ("vk::static_pointer_cast", "vk::reinterpret_pointer_cast")


def _pointer_cast(ctx: Context, name: str, args: list[hir.Expr], targs: tuple[object, ...], pos: int) -> hir.Expr:
    """``vk::static_pointer_cast<T, A>(pointer)`` to a base class, ``reinterpret_pointer_cast`` to anything."""
    source = args[0].type if len(args) == 1 else None
    if not isinstance(source, ObjectType) or source.name != "vk::BufferPointer" or not targs:
        ctx.fail(codes.NO_MATCHING_FUNCTION, pos, name=name)
    to = ty.object_type("vk::BufferPointer", (targs[0], targs[1] if len(targs) > 1 else 0))
    have, want = source.args[1], to.args[1]
    if isinstance(have, int) and isinstance(want, int) and have and want > have:
        ctx.fail(inline_codes.POINTER_ALIGNMENT, pos)
    if name == "vk::static_pointer_cast" and to.element is not source.element:
        derived, base = source.element, to.element
        if not (isinstance(derived, Struct) and isinstance(base, Struct) and derived.derives_from(base)):
            ctx.fail(inline_codes.POINTER_BASE, pos)
    return hir.Cast("noop", conversions.load(args[0]), to, pos, is_explicit=True)


def _as_template(t: Type) -> str:
    """Return a parameter type as diagnostics show it, spelled in full."""
    return f"vector<{t.element.name}, {t.size}>" if isinstance(t, ty.Vector) else ty.display(t)


def as_candidate(t: Type) -> str:
    """Return a parameter's type as notes about candidate functions show it."""
    return "unsigned int" if t is ty.UINT else _as_template(t)


def _arguments(
    ctx: Context, args: list[hir.Expr], params: tuple[Type, ...], directions: tuple[str, ...], variadic: bool
) -> tuple[list[hir.Expr], tuple[str, ...]]:
    out: list[hir.Expr] = []
    for a, t, d in zip(args, params, directions, strict=False):
        if d == "in":
            if t is methods.ANY_STRUCT or t is methods.ANY_VALUE:
                out.append(conversions.load(a))
            else:
                out.append(ex.convert(ctx, a, t, shown=_as_template))
            continue
        operators.modifiable(ctx, a, a.pos)
        out.append(a)
    if variadic:
        for a in args[len(params) :]:
            e = conversions.load(a)
            if isinstance(e.type, ty.Scalar) and e.type.is_literal:
                e = ex.convert(ctx, e, ty.concrete(e.type))
            out.append(e)
        directions = directions + ("in",) * (len(args) - len(params))
    return out, directions


# ---------------------------------------------------------------------------------------- methods of built-in objects


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
        hint = partial(suggestions.closest, name, methods.methods(t))
        ctx.fail(codes.NO_MEMBER, pos, name=name, type=ty.display(t), hint=hint)
    targ: Type | None = None
    if targs:
        value = type_names.template_argument(ctx, targs[0])[0]
        if not overloads[0].takes_template or not isinstance(
            value, (ty.Scalar, ty.Vector, ty.Matrix, Struct, ty.Array, ty.Enum)
        ):
            ctx.fail(codes.METHOD_NEEDS_TEMPLATE, pos, name=name)
        targ = value
    args = [ex.contents(a) for a in args]
    best, best_score = None, (-1, -1)
    for m in overloads:
        s = _method_score(ctx, m, args)
        if s is not None and (best is None or (s, _literal_score(m, args)) < best_score):
            best, best_score = m, (s, _literal_score(m, args))
    if best is None:
        if any(_wants_status(ctx, m, args) for m in overloads):
            ctx.fail(codes.STATUS_LVALUE, base.pos)
        if name == "GetDimensions":
            _require_output_lvalues(ctx, overloads, args)
        notes = [ctx.note(codes.CANDIDATE, pos, why="", signature=_method_signature(m)) for m in overloads[:4]]
        ctx.fail(codes.NO_MATCHING_METHOD, pos, name=name, notes=notes)
    params = tuple(_concrete_param(p, a, targ) for p, a in zip(best.params, args, strict=True))
    out, directions = _arguments(ctx, args, params, best.directions, False)
    result = best.result
    if result is methods.ANY_VALUE:
        result = targ or ty.UINT
    return hir.MethodCall(
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


def _concrete_param(p: Type, a: hir.Expr, targ: Type | None) -> Type:
    if p is methods.ANY_VALUE:
        return targ or matching._by_default(a.type)
    return a.type if p is methods.ANY_STRUCT else p


def _method_score(ctx: Context, m: methods.Method, args: list[hir.Expr]) -> int | None:
    if len(m.params) != len(args):
        return None
    total = 0
    for p, d, a in zip(m.params, m.directions, args, strict=True):
        if p is methods.ANY_VALUE or p is methods.ANY_STRUCT:
            if (p is methods.ANY_STRUCT and not isinstance(a.type, Struct)) or a.type in (ty.STRING, ty.VOID):
                return None
            continue
        if d == "in":
            if conversions.classify(a.type, p, explicit=False) is None:
                return None
            total += ranking.score(a.type, p)
        else:
            if not a.is_lvalue or conversions.classify(p, a.type, explicit=False) is None:
                return None
            if ty.is_numeric(p) and ty.component_count(p) != ty.component_count(a.type):
                return None
            total += ranking.score(p, a.type)
    return total


def _wants_status(ctx: Context, m: methods.Method, args: list[hir.Expr]) -> bool:
    """Return whether the overload fits except for the status argument, which is no variable."""
    if m.name == "GetDimensions" or not args or len(m.params) != len(args):
        return False
    if m.directions[-1] != "out" or args[-1].is_lvalue:
        return False
    shorter = methods.Method(m.name, m.result, m.params[:-1], m.directions[:-1])
    return m.params[-1] is ty.UINT and _method_score(ctx, shorter, args[:-1]) is not None


def _require_output_lvalues(ctx: Context, overloads: list[methods.Method], args: list[hir.Expr]) -> None:
    """Report the first argument that must be an l-value, if an overload takes this number of arguments."""
    for m in overloads:
        if len(m.params) != len(args):
            continue
        for a, d in zip(args, m.directions, strict=True):
            if d == "out" and not a.is_lvalue and ty.is_numeric(a.type):
                ctx.fail(codes.OUTPUT_LVALUE, a.pos)


def _literal_score(m: methods.Method, args: list[hir.Expr]) -> int:
    """Return the tie-break score: one per literal argument whose parameter is unsigned, or signed if negated."""
    return sum(
        isinstance(p, ty.Scalar) and p.is_integer and (p.category == "int") != _is_negated(a)
        for p, a in zip(m.params, args, strict=True)
        if a.type is ty.LITERAL_INT
    )


def _is_negated(e: hir.Expr) -> bool:
    while isinstance(e, hir.Unary):
        if e.op == "-":
            return True
        e = e.operand
    return False


def _method_signature(m: methods.Method) -> str:
    params = ", ".join(
        f"{d} {ty.display(p)}" if d != "in" else ty.display(p) for p, d in zip(m.params, m.directions, strict=True)
    )
    return f"{ty.display(m.result)} {m.name}({params})"


def _static_method(ctx: Context, name: str, args: list[hir.Expr], pos: int) -> hir.Expr:
    t = ty.object_type("dx::HitObject")
    return object_method(ctx, hir.InitList([], t, pos, is_constructor=True), t, name, args, None, pos)


__all__ = ["Poisoned", "as_candidate", "call", "choose", "construct", "finish", "intrinsic", "method", "object_method"]
