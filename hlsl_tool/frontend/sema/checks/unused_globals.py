"""Warnings about unused static functions and variables of file scope, by clang's rules."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.diagnostics.catalogue import language as codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.hir import Function, Program, Variable
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.operands import walk
from hlsl_tool.frontend.sema.scope.context import BodySource


def check(program: Program, may_warn: Callable[[Code], bool]) -> list[Raw]:
    """Return the warnings that ``may_warn`` allows; a function that only unused functions call counts as used."""
    if not any(map(may_warn, (codes.UNUSED_FUNCTION, codes.UNUSED_VARIABLE, codes.UNUSED_CONST_VARIABLE))):
        return []
    used = _used(program)
    messages: list[Raw] = []
    for v in program.globals:
        if isinstance(v, Variable) and v.storage == "static" and v not in used and not _is_marked(v):
            code = codes.UNUSED_CONST_VARIABLE if v.is_const else codes.UNUSED_VARIABLE
            messages.append(Raw(code, v.pos, {"name": v.name}, v.chunk))
    for f in program.functions:
        is_candidate = "static" in f.quals and f.owner is None and f.has_body and f.template_args is None
        if is_candidate and f not in used and not _is_marked(f):
            messages.append(Raw(codes.UNUSED_FUNCTION, f.pos, {"name": f.name}, f.chunk))
    return messages


def _used(program: Program) -> set[Variable | Function]:
    """Return the variables and functions that analysed functions and initialisers refer to."""
    used: set[Variable | Function] = set(program.entries)
    for f in program.analysed:
        if isinstance(f.source, BodySource):
            used.update(f.source.variables)
            used.update(program.definitions.get(called, called) for called in f.source.calls)
    for v in program.globals:
        for e in walk(v.init) if isinstance(v, Variable) and v.init is not None else ():
            if isinstance(e, hir.VarRef):
                used.add(e.var)
            elif isinstance(e, hir.Call):
                used.add(program.definitions.get(e.function, e.function))
    return used


def _is_marked(declared: Variable | Function) -> bool:
    return any(a.name == "maybe_unused" for a in declared.attributes)
