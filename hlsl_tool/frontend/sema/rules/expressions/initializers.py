"""Initialisation of variables, parameters and results; initialiser lists and constructors.

The nesting of an initialiser list is irrelevant: only its flat sequence of components counts.
"""

from __future__ import annotations

from typing import NoReturn

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics import Code
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.options.compile_options import HLSL_202X, HLSL_202Y
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Matrix, ObjectType, Struct, Type, Vector
from hlsl_tool.frontend.sema.rules.expressions import conversions
from hlsl_tool.frontend.sema.rules.warnings import implicit_conversions as losses
from hlsl_tool.frontend.sema.rules.warnings import unused
from hlsl_tool.frontend.sema.scope import handlers
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.syntax import ast


def initialize(ctx: Context, e: ast.Expr, to: Type, code: Code | None) -> hir.Expr:
    """Analyse ``e`` and convert it to an initial value of type ``to``.

    An array without a size gets the size of the value. ``code`` is reported if there is no conversion.
    """
    if ty.innermost(to) is ty.INVALID:
        check_items(ctx, e)
        raise Poisoned
    if isinstance(e, ast.InitList):
        return from_list(ctx, e, to)
    if isinstance(e, ast.DirectInit):
        if len(e.args) > 1 or isinstance(to, (Struct, ObjectType)):
            return construct(ctx, to, ex.check_all(ctx, e.args), e.pos)
        e = e.args[0]
    x = ex.check(ctx, e)
    if isinstance(to, Struct) and to.constructors and x.type is not to and not _derives(x.type, to):
        return handlers.construct(ctx, to, [x], e.pos)
    if code is not None:
        unused.check_comma(ctx, x)
    if isinstance(to, Array) and to.size is None and isinstance(x.type, Array) and x.type.element is to.element:
        to = x.type
    return ex.convert(ctx, x, to, code)


def _derives(t: Type, base: Struct) -> bool:
    return isinstance(t, Struct) and t.derives_from(base)


def zero(ctx: Context, to: Type, pos: int) -> hir.Expr:
    """Return the value-initialised object of a type: that of its default constructor, or zeros."""
    if isinstance(to, Struct) and to.constructors:
        return handlers.construct(ctx, to, [], pos)
    items: list[hir.Expr] = []
    for t in ty.flatten(to):
        if isinstance(t, ObjectType):
            items.append(hir.InitList([], t, pos, is_constructor=True))
        else:
            items.append(ex.convert_silently(ctx, hir.Literal_(0, ty.INT, pos), t))
    return items[0] if len(items) == 1 and items[0].type is to else hir.InitList(items, to, pos)


def check_items(ctx: Context, e: ast.Expr) -> None:
    """Report errors inside an initialiser, for a variable whose type is invalid."""
    ex.check_all(ctx, spliced(e) if isinstance(e, ast.InitList) else [e])


def from_list(ctx: Context, e: ast.InitList, to: Type) -> hir.Expr:
    """Convert the initialiser list ``{...}`` to type ``to``; report a wrong number of components."""
    if ctx.language.hlsl_version >= HLSL_202Y or _holds_union(to):
        return handlers.aggregate(ctx, e, to)
    if ctx.language.hlsl_version >= HLSL_202X:
        if isinstance(to, Struct) and to.constructors and not is_aggregate(to):
            return handlers.construct(ctx, to, ex.check_all(ctx, e.items), e.pos)
        if not e.items and not (isinstance(to, Array) and to.size is None):
            return zero(ctx, to, e.pos)
    values = ex.check_all(ctx, spliced(e))
    if to is ty.STRING and len(values) == 1 and values[0].type is to:
        return values[0]
    return assembled(ctx, [_item(ctx, x) for x in values], to, e.pos, is_constructor=False)


def _holds_union(t: Type) -> bool:
    inner = ty.innermost(t)
    if not isinstance(inner, Struct):
        return False
    return bool(inner.alternatives) or any(_holds_union(f.type) for f in inner.all_fields())


def is_aggregate(s: Struct) -> bool:
    """Return whether an initialiser list of a struct initialises its members: it has no constructors of its own."""
    return all(isinstance(f, hir.Function) and f.source.decl.is_defaulted for f in s.constructors)


def spliced(e: ast.InitList) -> list[ast.Expr]:
    """Return the items of an initialiser list with nested lists flattened; iterative, as nesting may be deep."""
    out: list[ast.Expr] = []
    todo: list[ast.Expr] = list(reversed(e.items))
    while todo:
        i = todo.pop()
        if isinstance(i, ast.InitList):
            todo.extend(reversed(i.items))
        else:
            out.append(i)
    return out


def _item(ctx: Context, e: hir.Expr) -> hir.Expr:
    x = ex.contents(e)
    if x.type is ty.VOID or (x.type is ty.STRING):
        ctx.fail(codes.NO_CONVERSION, x.pos, src=ty.display(x.type), dst="a value")
    return conversions.load(x)


def assembled(ctx: Context, items: list[hir.Expr], to: Type, pos: int, *, is_constructor: bool) -> hir.Expr:
    """Build an initialiser list or constructor from analysed items; report a wrong number of components."""
    have = [t for i in items for t in ty.flatten(i.type)]
    if isinstance(to, Array) and to.size is None:
        to = _sized(ctx, to, len(have), pos)
    want = ty.flatten(to)
    if len(have) != len(want):
        _fail_count(ctx, codes.INIT_COUNT, pos, len(want), len(have))
    for src, dst in zip(have, want, strict=True):
        if src is not dst and conversions.classify(src, dst, explicit=is_constructor) is None:
            ctx.fail(codes.NO_CONVERSION, pos, src=ty.display(src), dst=ty.display(dst))
    losses.check_items(ctx, items, to, want)
    if len(items) == 1 and items[0].type is to:
        return items[0]
    return hir.InitList(items, to, pos, is_constructor)


def _sized(ctx: Context, to: Array, have: int, pos: int) -> Type:
    per = len(ty.flatten(to.element))
    if per == 0 or have == 0 or have % per:
        ctx.fail(codes.INIT_COUNT, pos, which="few", want=max(per, 1) * (have // max(per, 1) + 1), s="s", have=have)
    return ty.array(to.element, have // per)


def construct(ctx: Context, to: Type, args: list[hir.Expr], pos: int) -> hir.Expr:
    """Build ``T(a, b)`` from analysed arguments."""
    if isinstance(to, ObjectType):
        return _object(ctx, to, args, pos)
    if isinstance(to, Struct) and to.constructors and not (len(args) == 1 and args[0].type is to):
        return handlers.construct(ctx, to, args, pos)
    if not args and ctx.language.hlsl_version >= HLSL_202X and to is not ty.VOID:
        return zero(ctx, to, pos)
    if not args:
        ctx.fail(codes.CONSTRUCT_TYPE, pos, dst=ty.display(to), src="()")
    if len(args) == 1 and isinstance(to, Struct) and isinstance(args[0].type, ObjectType):
        return assembled(ctx, [conversions.load(ex.contents(args[0]))], to, pos, is_constructor=True)
    if len(args) == 1:
        _check_count(ctx, args[0], to)
        losses.check_items(ctx, args, to, [to])
        return ex.explicit(ctx, args[0], to, pos, warns=False)
    if not isinstance(to, (Vector, Matrix)):
        if isinstance(to, (Struct, Array)):
            ctx.fail(
                codes.CONSTRUCT_TYPE,
                pos,
                dst=ty.display(to),
                src=", ".join(ty.display(a.type) for a in args),
                hint="HLSL structs have no constructors: initialise a variable with '{...}'",
            )
        _fail_count(ctx, codes.CONSTRUCT_COUNT, pos, 1, len(args))
    items = [conversions.load(ex.contents(a)) for a in args]
    for a in items:
        if not ty.is_numeric(a.type) and not isinstance(a.type, (ty.Enum, Struct, Array)):
            ctx.fail(codes.CONSTRUCT_TYPE, pos, dst=ty.display(to), src=ty.display(a.type))
    return assembled(ctx, items, to, pos, is_constructor=True)


def _check_count(ctx: Context, argument: hir.Expr, to: Type) -> None:
    """Report ``float2(x)`` and ``float(xy)``: unlike a cast, a constructor neither replicates nor drops components."""
    if not (ty.is_numeric(argument.type) and ty.is_numeric(to)):
        return
    have, want = ty.component_count(argument.type), ty.component_count(to)
    if have == want:
        return
    hint = (
        f"a cast repeats a number and drops components: `({ty.display(to)}) ...`" if have == 1 or have > want else None
    )
    _fail_count(ctx, codes.CONSTRUCT_COUNT, argument.pos, want, have, hint)


def _fail_count(ctx: Context, code: Code, pos: int, want: int, have: int, hint: str | None = None) -> NoReturn:
    """Report a wrong number of components."""
    which, s = "few" if have < want else "many", "" if want == 1 else "s"
    ctx.fail(code, pos, which=which, want=want, s=s, have=have, hint=hint)


def _object(ctx: Context, to: ObjectType, args: list[hir.Expr], pos: int) -> hir.Expr:
    if len(args) == 1:
        return ex.explicit(ctx, args[0], to, pos)
    if args:
        types = ", ".join(ty.display(a.type) for a in args)
        ctx.fail(codes.CONSTRUCT_TYPE, pos, dst=ty.display(to), src=types)
    return hir.InitList([], to, pos, is_constructor=True)
