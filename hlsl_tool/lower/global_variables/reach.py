"""The static variables that a shader needs: an engine's headers declare many that most shaders never name."""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.sema import hir
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.context import BodySource
from hlsl_tool.sema.hir import Function, Program, Variable
from hlsl_tool.sema.operands import walk
from hlsl_tool.sema.reachable.graph import reach

_HARMLESS = (
    hir.Literal_, hir.VarRef, hir.Load, hir.Cast, hir.Unary, hir.Binary, hir.Logical, hir.Ternary, hir.Comma,
    hir.Swizzle, hir.MatrixSwizzle, hir.Index, hir.Member, hir.InitList, hir.SizeOf,
)  # fmt: skip


def unneeded_statics(program: Program) -> set[Variable]:
    """Return the static variables that no reachable function names and whose initialisers have no side effects."""
    statics = [v for v in program.globals if isinstance(v, Variable) and v.storage == "static"]
    needs = _Needs(program)
    needs.add_functions(program.reachable)
    for v in statics:
        if v.attributes or (v.init is not None and not _is_harmless(v.init)):  # attributes are checked by lowering
            needs.add_variable(v)
    return set(statics) - needs.variables if needs.are_known else set()


def named_variables(program: Program) -> set[Variable] | None:
    """Return the variables that reachable functions name, directly or through others; ``None`` if that is not known."""
    needs = _Needs(program)
    needs.add_functions(program.reachable)
    return needs.variables if needs.are_known else None


class _Needs:
    """The variables that functions and initialisers name, directly or through others."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.functions: set[Function] = set()
        self.variables: set[Variable] = set()
        self.are_known = True
        """False if a function's body is not known."""

    def add_functions(self, functions: Iterable[Function]) -> None:
        for f in functions:
            if f in self.functions:
                continue
            self.functions.add(f)
            if not isinstance(f.source, BodySource):
                self.are_known = False
                continue
            for v in f.source.variables:
                self.add_variable(v)

    def add_variable(self, v: Variable) -> None:
        if v not in self.variables:
            self.variables.add(v)
            if v.storage == "static" and v.init is not None:
                self._add_named(v.init)

    def _add_named(self, e: hir.Expr) -> None:
        for each in walk(e):
            if isinstance(each, hir.VarRef):
                self.add_variable(each.var)
            elif isinstance(each, hir.Call):
                self.add_functions(reach(self.program, [each.function]))


def _is_harmless(e: hir.Expr) -> bool:
    """Return whether an expression may be left out: it neither writes nor calls a function that could."""
    return all(
        all(d == "in" for d in each.directions) and each.type is not ty.VOID
        if isinstance(each, hir.IntrinsicCall)
        else isinstance(each, _HARMLESS)
        for each in walk(e)
    )
