"""Warnings about functions that are called but never defined."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import language as codes
from hlsl_tool.frontend.sema.model.hir import Call, Function, Program, Variable, VarRef
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.statement_walk import all_expressions
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.frontend.sema.scope.context import BodySource


def check(program: Program) -> list[Raw]:
    """Return warnings about ``static`` and ``inline`` functions without a body that analysed functions call."""
    callers: dict[Function, Function] = {}
    for f in program.analysed:
        if isinstance(f.source, BodySource):
            for called in f.source.calls:
                if not program.definitions.get(called, called).has_body and called.owner is None:
                    callers.setdefault(called, f)
    messages: list[Raw] = []
    for called, caller in callers.items():
        name = f"{called.scope}::{called.name}" if called.scope else called.name
        code = codes.UNDEFINED_INTERNAL if "static" in called.quals else codes.UNDEFINED_INLINE
        if code is codes.UNDEFINED_INTERNAL or "inline" in called.quals:
            messages.append(Raw(code, called.pos, {"name": name}, called.chunk, _first_use(caller, called)))
    return messages


def check_members(program: Program) -> list[Raw]:
    """Return errors about static members without a definition that reachable functions use."""
    users: dict[Variable, Function] = {}
    for f in program.reachable:
        if isinstance(f.source, BodySource):
            for v in f.source.variables:
                if _lacks_definition(v):
                    users.setdefault(v, f)
    return [
        Raw(codes.UNDEFINED_MEMBER, v.pos, {"name": v.qualified_name}, v.chunk, _first_mention(user, v))
        for v, user in users.items()
    ]


def _lacks_definition(v: Variable) -> bool:
    return isinstance(v.owner, Struct) and v.storage == "static" and v.init is None and not v.is_defined


def _first_mention(user: Function, v: Variable) -> list[Raw]:
    for e in all_expressions(user.body) if user.body is not None else ():
        if isinstance(e, VarRef) and e.var is v:
            return [Raw(codes.USED_HERE, e.pos, {}, user.chunk)]
    return []


def _first_use(caller: Function, called: Function) -> list[Raw]:
    """Return a list with a note at the first call; [] if the call is in a default argument."""
    for e in all_expressions(caller.body) if caller.body is not None else ():
        if isinstance(e, Call) and e.function is called:
            return [Raw(codes.USED_HERE, e.pos, {}, caller.chunk)]
    return []
