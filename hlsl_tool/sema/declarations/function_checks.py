"""Checks of function signatures."""

from __future__ import annotations

from hlsl_tool.diagnostics.catalogue import language as codes
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.context import Context
from hlsl_tool.sema.types import Struct, Type
from hlsl_tool.syntax import ast

_NOT_OVERLOADABLE = frozenset(
    f"operator{spelling}"
    for spelling in ("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", "->", "->*")
)


def check_string(ctx: Context, t: Type, what: str, pos: int) -> None:
    """Report parameters and results of type ``string``."""
    if ty.innermost(t) is ty.STRING:
        ctx.fail(codes.STRING_TYPE, pos, what=what)


def check_operator(ctx: Context, d: ast.FunctionDecl, owner: Struct | None) -> None:
    """Report operators outside of structs, conversion operators, and operators that cannot be overloaded."""
    if d.name == "operator":
        ctx.fail(codes.CONVERSION_OPERATOR, d.pos)
    if d.name in _NOT_OVERLOADABLE:
        ctx.fail(codes.OPERATOR_NOT_ALLOWED, d.pos, kind="", name=d.name)
    spelling = d.name.removeprefix("operator")
    if owner is None and spelling != d.name and not spelling[0].isalnum() and spelling[0] != "_":
        ctx.fail(codes.OPERATOR_NOT_ALLOWED, d.pos, kind="non-member ", name=d.name)
