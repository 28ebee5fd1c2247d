"""Checks of function signatures."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.diagnostics.catalogue import entries as entry_codes
from hlsl_tool.base.diagnostics.catalogue import language as codes
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
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
    if isinstance(result, Struct) and not result.is_complete:
        ctx.error(codes.INCOMPLETE_RESULT, f.pos, type=ty.display(result))
    for p in f.params:
        t = record_of(ty.innermost(p.type))
        if isinstance(t, Struct) and not t.is_complete:
            ctx.error(sema_codes.INCOMPLETE_TYPE, p.pos, type=ty.display(t))


def check_operator(ctx: Context, d: ast.FunctionDecl, owner: Struct | None) -> None:
    """Report operators outside of structs, conversion operators, and operators that HLSL cannot overload."""
    if d.name == "operator":
        ctx.fail(codes.CONVERSION_OPERATOR, d.pos)
    if d.name in _NOT_OVERLOADABLE:
        ctx.fail(codes.OPERATOR_NOT_ALLOWED, d.pos, kind="", name=d.name)
    spelling = d.name.removeprefix("operator")
    if owner is None and spelling != d.name and not spelling[0].isalnum() and spelling[0] != "_":
        ctx.fail(codes.OPERATOR_NOT_ALLOWED, d.pos, kind="non-member ", name=d.name)
