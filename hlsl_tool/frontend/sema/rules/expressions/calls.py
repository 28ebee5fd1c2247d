"""Calls of functions, methods, intrinsics and built-in objects."""

from __future__ import annotations

from collections.abc import Sequence

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import modifiers
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.diagnostics.diagnostic import Advice, Edit
from hlsl_tool.base.options.compile_options import HLSL_202X, HLSL_202Y
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, Struct
from hlsl_tool.frontend.sema.rules import suggestions, type_names
from hlsl_tool.frontend.sema.rules.expressions import conversions, initializers
from hlsl_tool.frontend.sema.rules.expressions.intrinsic_calls import POINTER_CASTS, intrinsic, matched_intrinsic
from hlsl_tool.frontend.sema.rules.expressions.names import (
    bound,
    check_access,
    current_object,
    has_object,
    in_base,
    lookup,
    member_of,
)
from hlsl_tool.frontend.sema.rules.expressions.object_methods import object_method, static_method
from hlsl_tool.frontend.sema.rules.expressions.operators import in_mode
from hlsl_tool.frontend.sema.rules.expressions.overloads import check_const, choose, finish, for_object, method
from hlsl_tool.frontend.sema.rules.intrinsics import functions, linear_algebra, matching
from hlsl_tool.frontend.sema.rules.modern.slices import sliced
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.handlers import expression
from hlsl_tool.frontend.sema.scope.scopes import (
    Alias,
    AliasTemplate,
    FunctionTemplate,
    Overloads,
    StructTemplate,
    namespace_members,
    struct_member,
)
from hlsl_tool.frontend.syntax import ast

# ------------------------------------------------------------------------------------------------------ what is called


@expression(ast.Call)
def call(ctx: Context, e: ast.Call) -> hir.Expr:
    """Analyse a call; the rule depends on whether the callee is a name, a member or another expression."""
    callee = e.callee
    if isinstance(callee, ast.Name):
        mode = _math_namespace(ctx, callee)
        if mode:
            callee = replace(callee, parts=callee.parts[2:])
            return in_mode(conversions.load(_call_name(ctx, e, callee)), mode)
        return _call_name(ctx, e, callee)
    if isinstance(callee, ast.Member):
        return _call_member(ctx, e, callee)
    x, *args = ex.check_all(ctx, [callee, *e.args])
    return _call_object(ctx, x, args, e.pos)


def _math_namespace(ctx: Context, callee: ast.Name) -> str:
    """Return the math mode of ``hlsl::strict::f`` or ``hlsl::fast::f``; ``""`` for other names."""
    if len(callee.parts) != 3 or ctx.language.hlsl_version < HLSL_202X:
        return ""
    scope, mode, name = (part.name for part in callee.parts)
    if scope != "hlsl" or mode not in ("strict", "fast") or not matching.is_intrinsic(name):
        return ""
    return mode if ctx.scope.lookup_qualifier("hlsl") is None else ""


def _call_name(ctx: Context, e: ast.Call, callee: ast.Name) -> hir.Expr:
    parts = callee.parts
    name = type_names.spelled(parts)
    if len(parts) == 1 and not callee.is_global:
        binding = ctx.scope.lookup(parts[0].name)
    elif _names_hit_object(ctx, parts):
        return static_method(ctx, parts[-1].name, ex.check_all(ctx, e.args), callee.pos)
    else:
        binding = (
            None if matching.is_intrinsic(name) else type_names.lookup_path(ctx, parts, callee.pos, callee.is_global)
        )
    binding, parts = type_names.opened(binding, type_names.without_hlsl(ctx, parts))
    name = type_names.spelled(parts)
    if isinstance(binding, (Alias, StructTemplate, AliasTemplate)):
        t = type_names.resolve(ctx, ast.NamedType(parts, callee.pos, callee.is_global)).type
        return initializers.construct(ctx, t, ex.check_all(ctx, e.args), e.pos)
    if binding is None and linear_algebra.is_function(name):
        return linear_algebra.call(ctx, name, ex.check_all(ctx, e.args), callee.pos)
    args = _checked_arguments(ctx, e, callee, is_declared=binding is not None)
    if binding is None:
        built_in = _built_in_call(ctx, name, args, parts[-1].args, callee.pos)
        if built_in is not None:
            return built_in
        binding = _beside_arguments(ctx, callee, args) or lookup(ctx, callee)
    if isinstance(binding, tuple):
        hides_intrinsics = len(parts) > 1 or binding[0].owner is not None or ctx.language.hlsl_version >= HLSL_202Y
        if not hides_intrinsics and matching.is_intrinsic(name):
            chosen = matched_intrinsic(ctx, name, args, parts[-1].args, callee.pos)
            if chosen is not None:
                return chosen
        return _call_overloads(ctx, binding, name, args, parts[-1].args, callee.pos)
    return _call_object(ctx, bound(ctx, binding, callee), args, e.pos)


def _built_in_call(
    ctx: Context, name: str, args: list[hir.Expr], written: list[ast.TemplateArg] | None, pos: int
) -> hir.Expr | None:
    """Return the call of an intrinsic; ``None`` if the language has no function with this name."""
    if matching.is_intrinsic(name) or name in POINTER_CASTS:
        return intrinsic(ctx, name, _widened(ctx, name, args), written, pos)
    if name.startswith("dx::HitObject::"):
        return static_method(ctx, name.rpartition("::")[2], args, pos)
    if name == "slice" and written and ctx.language.hlsl_version >= HLSL_202X:
        return sliced(ctx, args, written, pos)
    if name in functions.LEGACY_TEXTURE_FUNCTIONS:
        ctx.fail(codes.LEGACY_TEXTURE, pos, name=name)
    return None


def _widened(ctx: Context, name: str, args: list[hir.Expr]) -> list[hir.Expr]:
    """Return the arguments of an intrinsic; HLSL 202x converts those of ``fma`` to double."""
    if name != "fma" or ctx.language.hlsl_version < HLSL_202X:
        return args
    return [ex.convert_silently(ctx, a, ty.with_element(a.type, ty.DOUBLE)) if _is_float(a) else a for a in args]


def _is_float(e: hir.Expr) -> bool:
    element = ty.element_of(e.type)
    return element is not None and element.category == "float"


def _names_hit_object(ctx: Context, parts: Sequence[ast.NamePart]) -> bool:
    """Return whether the qualifier of a name is an alias of ``dx::HitObject``."""
    alias = ctx.scope.lookup_qualifier(parts[0].name) if len(parts) == 2 else None
    return isinstance(alias, Alias) and isinstance(alias.type, ty.ObjectType) and alias.type.name == "dx::HitObject"


def _checked_arguments(ctx: Context, e: ast.Call, callee: ast.Name, *, is_declared: bool) -> list[hir.Expr]:
    """Analyse the arguments of a call.

    If one of them is invalid, also report the callee if no function of its name exists.
    """
    try:
        return ex.check_all(ctx, e.args)
    except Poisoned:
        name = type_names.spelled(callee.parts)
        is_built_in = matching.is_intrinsic(name) or name in _BUILT_IN or name.startswith("dx::")
        if not is_declared and not is_built_in:
            lookup(ctx, callee)
        raise


_BUILT_IN = frozenset((*POINTER_CASTS, *functions.LEGACY_TEXTURE_FUNCTIONS))


def _beside_arguments(ctx: Context, callee: ast.Name, args: list[hir.Expr]) -> Overloads:
    """Return functions in the namespaces of the argument types (argument-dependent lookup)."""
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
    s = ctx.scope.enclosing_struct()
    this = current_object(ctx, s, pos) if s is not None and has_object(ctx) else None
    if this is not None and overloads[0].owner is not None:
        overloads = for_object(ctx, this, overloads)
    f = choose(ctx, overloads, name, args, targs, pos)
    if f.owner is None or f.is_static:
        return finish(ctx, f, None, args, pos)
    if s is None or this is None:
        ctx.fail(codes.METHOD_WITHOUT_OBJECT, pos)
    check_const(ctx, f, this, pos)
    if f.owner is not s and s.derives_from(f.owner):
        this = hir.Cast("derived_to_base", this, f.owner, pos, is_lvalue=True)
    return finish(ctx, f, this, args, pos)


def _call_member(ctx: Context, e: ast.Call, callee: ast.Member) -> hir.Expr:
    try:
        base = ex.check(ctx, callee.base)
    except Poisoned:
        ex.check_all(ctx, e.args)
        raise
    if callee.arrow:
        ctx.fail(codes.ARROW, callee.pos - 1, hint=Advice("write '.'", (Edit("."),)))
    name = callee.name.name
    t = base.type
    if isinstance(t, ObjectType) and t.name in ("ConstantBuffer", "TextureBuffer"):
        base = ex.contents(base)
        t = base.type
    if isinstance(t, ObjectType):
        if t.name == "vk::BufferPointer" and name == "Get":
            return hir.MethodCall(base, "Get", [], t.element, callee.pos, is_lvalue=True)
        return object_method(ctx, base, t, name, ex.check_all(ctx, e.args), callee.name.args, callee.pos)
    if isinstance(t, Struct):
        base = in_base(ctx, base, callee.scope, callee.pos)
        t = base.type if isinstance(base.type, Struct) else t
        binding = struct_member(t, name)
        check_access(ctx, t, name, callee.pos)
        args = ex.check_all(ctx, e.args)
        if isinstance(binding, tuple):
            return method(ctx, base, binding, name, args, callee.pos, targs=callee.name.args)
        if isinstance(binding, ty.Field):
            return _call_object(ctx, member_of(ctx, base, binding, callee.pos), args, e.pos)
        hint = suggestions.for_member(t, name)
        ctx.fail(codes.NO_MEMBER, callee.pos, name=name, type=ty.display(t), hint=hint)
    if ty.is_numeric(t):
        ctx.fail(codes.NO_MEMBER, callee.pos, name=name, type=ty.display(t))
    ctx.fail(codes.MEMBER_OF_NON_STRUCT, callee.pos, type=ty.display(t))


def _call_object(ctx: Context, x: hir.Expr, args: list[hir.Expr], pos: int) -> hir.Expr:
    """Call ``operator()`` of a struct: ``object(args)``."""
    if isinstance(x.type, Struct):
        binding = struct_member(x.type, "operator()")
        if x.type.captured:
            if x.type.home is not ctx.function:
                ctx.fail(modifiers.LAMBDA_CALL, pos)
            args = [*args, *(value for _, value in x.type.captured)]
        if isinstance(binding, tuple):
            return method(ctx, x, binding, "operator()", args, pos, is_operator=True)
    ctx.fail(codes.NOT_CALLABLE, pos, type=ty.display(x.type))
