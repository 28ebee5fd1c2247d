"""Checks of function signatures."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.catalogue import entries as entry_codes
from hlsl_tool.base.diagnostics.catalogue import language as codes
from hlsl_tool.base.diagnostics.catalogue import modifiers
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.base.options.compile_options import HLSL_202X
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Attribute
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.model.types import ObjectType, Struct, Type
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.syntax import ast

_NOT_OVERLOADABLE = frozenset(
    f"operator{spelling}"
    for spelling in (
        "=",
        "+=",
        "-=",
        "*=",
        "/=",
        "%=",
        "&=",
        "|=",
        "^=",
        "<<",
        ">>",
        "<<=",
        ">>=",
        "++",
        "--",
        "->",
        "->*",
    )
)


def check_string(ctx: Context, t: Type, what: str, pos: int) -> None:
    """Report parameters and results of type ``string``; ``what`` names them in the message."""
    if ty.innermost(t) is ty.STRING:
        if ctx.instance is not None:
            ctx.fail(codes.STRING_TYPE, pos, what=what)  # the template cannot be instantiated
        ctx.error(codes.STRING_TYPE, pos, what=what)


_STREAMS = frozenset(("PointStream", "LineStream", "TriangleStream"))


def check_stream(ctx: Context, t: Type, direction: str, pos: int) -> None:
    """Report an output stream of a geometry shader that is not an ``inout`` parameter."""
    if isinstance(t, ObjectType) and t.name in _STREAMS and direction != "inout":
        ctx.error(codes.STREAM_DIRECTION, pos)


def check_records(ctx: Context, attributes: Sequence[Attribute], name: str) -> None:
    """Report two different record limits of a work graph node's output parameter.

    Also report ``MaxRecordsSharedWith`` that names the parameter itself.
    """
    limits = [a for a in attributes if a.scope is None and a.name in ("maxrecords", "maxrecordssharedwith")]
    if any(a.name != limits[-1].name or a.args != limits[-1].args for a in limits):
        ctx.error(entry_codes.NODE_MAX_RECORDS_TWICE, limits[0].pos)
    elif limits and limits[-1].name == "maxrecordssharedwith" and limits[-1].args[:1] == (name,):
        ctx.error(entry_codes.NODE_SHARED_SELF, limits[-1].pos)


def record_of(t: Type) -> Type:
    """Return the struct that is the first template argument of an object type; return any other type unchanged."""
    if isinstance(t, ObjectType) and t.args and isinstance(t.args[0], Struct):
        return t.args[0]
    return t


def check_complete(ctx: Context, f: Function) -> None:
    """Report parameters and results of a function definition whose struct is declared but not defined."""
    result = ty.innermost(f.return_type)
    if isinstance(result, Struct) and not result.is_complete and result.name != "auto":
        ctx.error(codes.INCOMPLETE_RESULT, f.pos, type=ty.display(result))
    for p in f.params:
        t = record_of(ty.innermost(p.type))
        if isinstance(t, Struct) and not t.is_complete:
            ctx.error(sema_codes.INCOMPLETE_TYPE, p.pos, type=ty.display(t))


def check_operator(ctx: Context, d: ast.FunctionDecl, owner: Struct | None) -> None:
    """Report operators outside of structs, conversion operators, and operators that HLSL cannot overload."""
    if d.name == "operator":
        ctx.fail(codes.CONVERSION_OPERATOR, d.pos)
    if ctx.language.hlsl_version >= HLSL_202X:
        _check_modern_operator(ctx, d, owner)
        return
    if d.name in _NOT_OVERLOADABLE:
        ctx.fail(codes.OPERATOR_NOT_ALLOWED, d.pos, kind="", name=d.name)
    spelling = d.name.removeprefix("operator")
    if owner is None and spelling != d.name and not spelling[0].isalnum() and spelling[0] != "_":
        ctx.fail(codes.OPERATOR_NOT_ALLOWED, d.pos, kind="non-member ", name=d.name)


_MEMBERS_ONLY = frozenset(("operator=", "operator()", "operator[]"))
_UNARY = frozenset(("operator!", "operator~"))
_EITHER = frozenset(("operator+", "operator-", "operator*", "operator&", "operator++", "operator--"))


def _check_modern_operator(ctx: Context, d: ast.FunctionDecl, owner: Struct | None) -> None:
    """Report operators that HLSL 202x cannot overload, and wrong numbers of their parameters."""
    spelling = d.name.removeprefix("operator")
    if spelling == d.name or spelling[0].isalnum() or spelling[0] == "_":
        return
    if spelling in ("->", "->*"):
        ctx.fail(codes.OPERATOR_NOT_ALLOWED, d.pos, kind="", name=d.name)
    if owner is None and d.name in _MEMBERS_ONLY:
        ctx.fail(modifiers.OPERATOR_MEMBER, d.pos, name=d.name)
    if d.name == "operator()":
        return
    for p in d.params:
        if p.default is not None:
            ctx.fail(modifiers.OPERATOR_DEFAULT, p.pos, name=d.name)
    count = len(d.params)
    operands = count + (owner is not None)
    wanted = {1} if d.name in _UNARY else {1, 2} if d.name in _EITHER else {2}
    if operands not in wanted:
        arity = " or ".join({1: "unary", 2: "binary"}[n] for n in sorted(wanted))
        ctx.fail(modifiers.OPERATOR_COUNT, d.pos, name=d.name, arity=arity, count=count, s="" if count == 1 else "s")


def check_operands(ctx: Context, f: Function) -> None:
    """Report an operator outside of structs without a struct or enumeration among its parameters."""
    if f.owner is not None or not f.params or not f.name.startswith("operator") or f.name[8:9].isidentifier():
        return
    types = [ty.innermost(p.type) for p in f.params]
    if not any(isinstance(t, (Struct, ty.Enum)) for t in types):
        ctx.fail(modifiers.OPERATOR_CLASS, f.pos, name=f.name)
    if f.name in ("operator++", "operator--") and len(types) > 1 and types[1] is not ty.INT:
        what, shown = "increment" if f.name == "operator++" else "decrement", ty.display(types[1])
        ctx.fail(modifiers.OPERATOR_POSTFIX, f.pos, what=what, type=shown)
