"""Lambda expressions, from HLSL 202x on.

A lambda expression is an object of a struct of its own, whose members are the captured values and whose ``operator()``
has its body. Variables that are captured by reference become parameters: only the function around the expression can
call it then.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.diagnostics.catalogue import modifiers as codes
from hlsl_tool.base.system.dataclass import fields, is_dataclass
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.frontend.sema.model.types import Field, Struct
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.declarations.function_bodies import analyze_body
from hlsl_tool.frontend.sema.rules.declarations.functions import make_function
from hlsl_tool.frontend.sema.rules.expressions import conversions
from hlsl_tool.frontend.sema.rules.expressions.names import bound
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.handlers import expression
from hlsl_tool.frontend.sema.scope.scopes import Binding, Scope
from hlsl_tool.frontend.syntax import ast

CALL = "operator()"


@expression(ast.Lambda)
def _lambda(ctx: Context, e: ast.Lambda) -> hir.Expr:
    if ctx.function is None or e.body is None:
        ctx.fail(codes.LAMBDA_PLACE, e.pos)
    s = Struct("lambda", "class", pos=e.pos, chunk=ctx.chunk, is_anonymous=True)
    values: list[hir.Expr] = []
    for name, (is_reference, pos) in _captured(ctx, e).items():
        value = bound(ctx, _local(ctx, name, pos), ast.Name([ast.NamePart(name)], pos))
        if is_reference and not (isinstance(value, hir.VarRef) and value.var.is_const):
            s.captured.append((name, value))
        else:
            s.fields.append(Field(name, value.type, e.pos, owner=s))
            values.append(conversions.load(value))
    if not values:  # some drivers refuse variables of empty structs
        s.fields.append(Field("", ty.INT, e.pos, owner=s))
        values.append(hir.Literal_(0, ty.INT, e.pos))
    s.home = ctx.function
    s.is_complete = True
    s.leaves, s.levels = len(s.fields), 1
    _add_call(ctx, s, e)
    ctx.structs.append(s)
    return hir.InitList(values, s, e.pos)


def _add_call(ctx: Context, s: Struct, e: ast.Lambda) -> None:
    """Add ``operator()`` to the struct of a lambda expression, and analyse its body."""
    result = e.result or ast.NamedType([ast.NamePart("void")], e.pos)
    decl = ast.FunctionDecl(result, CALL, e.params, e.body, e.pos, is_const=True)
    with ctx.inside("struct", struct=s, namespace="lambda") as scope:
        f = make_function(ctx, decl, s, Scope("struct", scope.parent, struct=s, namespace="lambda"))
    f.is_static = all(not member.name for member in s.fields)
    for name, value in s.captured:
        p = hir.Param(name, value.type, "param", e.pos, ctx.chunk, quals=("&",), direction="inout")
        f.params.append(p)
    if e.result is None:
        f.return_type = type_names.AUTO
    s.methods[CALL] = [f]
    analyze_body(f)
    if f.return_type is type_names.AUTO:
        f.return_type = ty.VOID
    ctx.messages += f.source.messages
    f.source.messages.clear()  # they are reported whether or not the expression is called
    ctx.functions.append(f)


def _captured(ctx: Context, e: ast.Lambda) -> dict[str, tuple[bool, int]]:
    """Return name → (whether it is captured by reference, position); report names that are captured twice."""
    out: dict[str, tuple[bool, int]] = {}
    default = e.captures[0][0] if e.captures and e.captures[0][0] in _DEFAULTS else ""
    for capture, pos in e.captures[bool(default) :]:
        name, is_reference = capture.removeprefix("&"), capture.startswith("&")
        if capture == "this":
            ctx.fail(codes.LAMBDA_THIS, pos)
        if capture in _DEFAULTS:
            ctx.fail(codes.LAMBDA_DEFAULT_FIRST, pos)
        if name in out:
            ctx.fail(codes.LAMBDA_CAPTURE_TWICE, pos, name=name)
        if default == ("&" if is_reference else "="):
            rule = "cannot" if is_reference else "must"
            ctx.fail(codes.LAMBDA_CAPTURE_DEFAULT, pos, rule=rule, default=default)
        out[name] = is_reference, pos
    shadow = next((p for p in e.params if p.name in out), None)
    if shadow is not None:
        ctx.fail(codes.LAMBDA_SHADOW, shadow.pos)
    for name in _names(e.body) if default else ():
        binding = ctx.scope.lookup(name)
        if _is_local(binding) and not _is_constant(binding):
            out.setdefault(name, (default == "&", e.pos))
    return out


_DEFAULTS = ("=", "&")


def _names(node: object) -> Iterator[str]:
    """Yield the plain names in a syntax tree."""
    todo = [node]
    while todo:
        item = todo.pop()
        if isinstance(item, ast.Name) and len(item.parts) == 1:
            yield item.parts[0].name
        if isinstance(item, list):
            todo += reversed(item)
        elif is_dataclass(item):
            todo += [getattr(item, f.name) for f in fields(item)][::-1]


def _is_local(binding: Binding | None) -> bool:
    """Return whether a name is that of a local variable, or of a variable that the lambda around has captured."""
    if isinstance(binding, Field):
        return binding.owner is not None and binding.owner.home is not None
    return isinstance(binding, hir.Variable) and binding.storage in ("local", "param")


def _is_constant(binding: Binding | None) -> bool:
    if not isinstance(binding, hir.Variable) or not binding.is_const or binding.init is None:
        return False
    return isinstance(evaluate(binding.init), (bool, int, float))


def _local(ctx: Context, name: str, pos: int) -> Binding:
    binding = ctx.scope.lookup(name)
    if binding is None or not _is_local(binding):
        ctx.fail(codes.LAMBDA_CAPTURE, pos, name=name)
    return binding
