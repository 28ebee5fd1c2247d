"""Names that denote values, and ``this``."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import modifiers
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import builtin_types, hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.frontend.sema.model.types import Enum, Scalar, Struct
from hlsl_tool.frontend.sema.rules import suggestions, type_names
from hlsl_tool.frontend.sema.scope import watched
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.handlers import REFERENCES, expression, instantiate
from hlsl_tool.frontend.sema.scope.scopes import Alias, Binding, Constant, VariableTemplate
from hlsl_tool.frontend.syntax import ast

HEAPS = {
    "ResourceDescriptorHeap": hir.Variable("ResourceDescriptorHeap", ty.object_type(".Resource"), "global"),
    "SamplerDescriptorHeap": hir.Variable("SamplerDescriptorHeap", ty.object_type(".Sampler"), "global"),
}


@expression(ast.This)
def _this(ctx: Context, e: ast.This) -> hir.Expr:
    s = ctx.scope.enclosing_struct()
    if s is None or not has_object(ctx):
        ctx.fail(codes.THIS_OUTSIDE_METHOD, e.pos)
    return current_object(ctx, s, e.pos)


def current_object(ctx: Context, s: Struct, pos: int) -> hir.Expr:
    """Return the object on which the method being analysed was called; in a constructor, the object that it makes."""
    this = ctx.source.constructed if ctx.source is not None else None
    return hir.This(s, pos) if this is None else hir.VarRef(this, s, pos)


def has_object(ctx: Context) -> bool:
    """Return whether the function being analysed is a method with an object, or a constructor."""
    if ctx.function is None or ctx.function.owner is None:
        return False
    return not ctx.function.is_static or (ctx.source is not None and ctx.source.constructed is not None)


@expression(ast.Name)
def _name(ctx: Context, e: ast.Name) -> hir.Expr:
    binding = lookup(ctx, e)
    return bound(ctx, binding, e)


def lookup(ctx: Context, e: ast.Name) -> Binding:
    """Return the binding of a name; report an undeclared name.

    Built-in constants and heaps are found only if nothing else has the name.
    """
    if len(e.parts) == 1 and not e.is_global:
        binding = ctx.scope.lookup(e.parts[0].name)
    else:
        binding = type_names.lookup_path(ctx, e.parts, e.pos, e.is_global)
    binding, parts = type_names.opened(binding, type_names.without_hlsl(ctx, e.parts))
    if binding is not None:
        return binding
    name = type_names.spelled(parts)
    if name in HEAPS:
        return HEAPS[name]
    value = builtin_types.CONSTANTS.get(name)
    if value is not None:
        if name in watched.CONSTANTS:
            ctx.uses_built_in(name, e.pos)
        return Constant(name, value, ty.UINT)
    is_path = len(e.parts) > 1
    hint = suggestions.for_path(ctx, e.parts, e.pos) if is_path else suggestions.for_value(ctx, name)
    ctx.fail(codes.UNDECLARED, e.pos, name=name, hint=hint)


def bound(ctx: Context, binding: Binding, e: ast.Name) -> hir.Expr:
    """Return the expression that a name in value position denotes."""
    if isinstance(binding, VariableTemplate):
        return instance_reference(ctx, instantiate(ctx, binding, e.parts[-1].args, e.pos), e.pos)
    if isinstance(binding, hir.Variable):
        if binding.alias is not None:
            return REFERENCES[hir.VarRef](ctx, binding)  # type: ignore[no-any-return]  # registered with this result
        if binding.storage in ("local", "param") and _is_outside_lambda(ctx, binding):
            return _constant_outside(ctx, binding, e.pos)
        ctx.names(binding)
        return hir.VarRef(binding, binding.type, e.pos)
    if isinstance(binding, Constant):
        return constant_value(binding, e.pos)
    if isinstance(binding, ty.Field):
        return _implicit_member(ctx, binding, e.pos)
    name = type_names.spelled(e.parts)
    if isinstance(binding, tuple):
        ctx.fail(codes.NOT_A_VALUE, e.pos, name=name, hint="to call it, write its arguments in parentheses")
    ctx.fail(codes.NOT_A_VALUE, e.pos, name=name)


def _is_outside_lambda(ctx: Context, v: hir.Variable) -> bool:
    """Return whether a local variable belongs to the function around the lambda expression being analysed."""
    f = ctx.function
    is_lambda = f is not None and f.owner is not None and f.owner.home is not None
    return is_lambda and f is not None and v.owner is not f and v not in f.params


def _constant_outside(ctx: Context, v: hir.Variable, pos: int) -> hir.Expr:
    """Return the value of a constant outside of a lambda expression; report a variable that is not captured."""
    value = evaluate(v.init) if v.is_const and v.init is not None else None
    if not isinstance(value, (bool, int, float)):
        ctx.fail(modifiers.LAMBDA_NOT_CAPTURED, pos, name=v.name)
    return hir.Literal_(value, v.type, pos)


def constant_value(constant: Constant, pos: int) -> hir.Expr:
    """Return the value of a named constant; an enumerator keeps its name."""
    enumerator = constant.name if isinstance(constant.type, Enum) and constant.name in constant.type.values else ""
    return hir.Literal_(constant.value, constant.type, pos, enumerator=enumerator)


def instance_reference(ctx: Context, v: hir.Variable, pos: int) -> hir.Expr:
    """Return a reference to an instance of a variable template, or a literal if it is a constant scalar."""
    if v.is_const and v.init is not None and isinstance(v.type, Scalar):
        value = evaluate(v.init)
        if isinstance(value, (bool, int, float)):
            return hir.Literal_(value, v.type, pos)
    ctx.names(v)
    return hir.VarRef(v, v.type, pos)


def _implicit_member(ctx: Context, f: ty.Field, pos: int) -> hir.Expr:
    s = ctx.scope.enclosing_struct()
    if s is not None and f.owner is not s and f.owner is not None and f.owner.home is not None:
        ctx.fail(modifiers.LAMBDA_NOT_CAPTURED, pos, name=f.name)
    if s is None or not has_object(ctx):
        ctx.fail(codes.THIS_OUTSIDE_METHOD, pos)
    return member_of(ctx, current_object(ctx, s, pos), f, pos)


def member_of(ctx: Context, base: hir.Expr, f: ty.Field, pos: int) -> hir.Expr:
    """Build ``base.f``; for an inherited field, ``base`` is first cast to its base class."""
    s = base.type
    assert isinstance(s, Struct)
    if f.owner is not None and f.owner is not s and s.derives_from(f.owner):
        base = hir.Cast("derived_to_base", base, f.owner, pos, is_lvalue=base.is_lvalue)
    elif f.owner is not None and f.owner is not s:
        base = _anonymous_owner(ctx, base, f, pos)
    if isinstance(base.type, Struct) and base.type.alternatives:
        return hir.Cast("union", base, f.type, pos, is_lvalue=base.is_lvalue)
    return hir.Member(base, f, f.type, pos, is_lvalue=base.is_lvalue)


def _anonymous_owner(ctx: Context, base: hir.Expr, f: ty.Field, pos: int) -> hir.Expr:
    """Return the access to the anonymous member of ``base``, or of one of its bases, that contains ``f``."""
    s = base.type
    assert isinstance(s, Struct)
    for each in (s, *s.bases):
        for member in each.members:
            if member.is_anonymous and isinstance(member.type, Struct) and member.type.own_field(f.name) is f:
                inner = member_of(ctx, base, member, pos)
                return inner if member.type is f.owner else _anonymous_owner(ctx, inner, f, pos)
    return base


def check_access(ctx: Context, s: Struct, name: str, pos: int) -> None:
    """Report the use of a private or protected member outside of its struct."""
    if name not in s.hidden:
        for base in s.bases:
            check_access(ctx, base, name, pos)
        return
    access, user = s.hidden[name], ctx.scope.enclosing_struct()
    is_inside = user is s or (access == "protected" and user is not None and user.derives_from(s))
    if not is_inside:
        ctx.fail(modifiers.PRIVATE, pos, name=name, access=access, type=ty.display(s))


def in_base(ctx: Context, base: hir.Expr, scope: list[ast.NamePart], pos: int) -> hir.Expr:
    """Cast ``base`` to the base class that ``scope`` names, as in ``object.Base::member``."""
    for part in scope:
        named = ctx.scope.lookup(part.name)
        derived = base.type
        if not isinstance(named, Alias) or not isinstance(named.type, Struct) or not isinstance(derived, Struct):
            continue
        if derived.derives_from(named.type):
            base = hir.Cast("derived_to_base", base, named.type, pos, is_lvalue=base.is_lvalue)
    return base
