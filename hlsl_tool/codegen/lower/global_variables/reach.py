"""Find the static variables that a shader needs.

An engine's headers declare many that most shaders never use. Those of template instances are declared on demand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hlsl_tool.frontend.sema.checks.reachable.graph import reach
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Function, Program, Variable
from hlsl_tool.frontend.sema.model.operands import walk
from hlsl_tool.frontend.sema.scope.context import BodySource

_HARMLESS = (
    hir.Literal_, hir.VarRef, hir.Load, hir.Cast, hir.Unary, hir.Binary, hir.Logical, hir.Ternary, hir.Comma,
    hir.Swizzle, hir.MatrixSwizzle, hir.Index, hir.Member, hir.InitList, hir.SizeOf,
)  # fmt: skip


def unneeded_statics(program: Program) -> set[Variable]:
    """Return static variables that no reachable function names and whose initialisers have no side effects."""
    statics = [v for v in program.globals if isinstance(v, Variable) and v.storage == "static"]
    needs = _Needs(program)
    needs.add_functions(program.reachable)
    for v in statics:
        if v not in needs.variables and (v.attributes or not _is_harmless(v)):  # attributes are checked by lowering
            needs.add_variable(v)
    return {v for v in statics if v not in needs.variables} if needs.are_known else set()


def named_variables(program: Program) -> Collection[Variable] | None:
    """Return the variables that reachable functions name, also through initialisers.

    The result is ``None`` if a body is not available.
    """
    needs = _Needs(program)
    needs.add_functions(program.reachable)
    return needs.variables if needs.are_known else None


def statics_of_instances(
    program: Program, functions: Iterable[Function], variables: Iterable[Variable]
) -> dict[Variable, None]:
    """Return the static members of template instances that functions and variables name, directly or indirectly."""
    needs = _Needs(program)
    needs.add_functions(functions)
    for v in variables:
        needs.add_variable(v)
    return {v: None for v in needs.variables if v.storage == "static" and _is_of_instance(v)}


def _is_of_instance(v: Variable) -> bool:
    return isinstance(v.owner, ty.Struct) and v.owner.template_name is not None


def in_order(program: Program, statics: Iterable[Variable], members: dict[Variable, None]) -> list[Variable]:
    """Return static variables and members of template instances in the order of their initialisation.

    A member comes before the variables whose initialisers name it.
    """
    order: list[Variable] = []
    visited: set[Variable] = set()

    def add(v: Variable) -> None:
        if v in visited:
            return
        visited.add(v)
        needs = _Needs(program)
        needs.add_variable(v)
        for other in needs.variables:
            if other in members:
                add(other)
        order.append(v)

    for v in (*statics, *members):
        add(v)
    return order


class _Needs:
    """Collects the variables that functions and initialisers name, directly or through others that they name."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.functions: set[Function] = set()
        self.variables: dict[Variable, None] = {}
        """In order of their first mention."""
        self.are_known = True
        """False if the body of a function is not available."""

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
            self.variables[v] = None
            if v.storage == "static" and v.init is not None:
                self._add_named(v.init)

    def _add_named(self, e: hir.Expr) -> None:
        for each in walk(e):
            if isinstance(each, hir.VarRef):
                self.add_variable(each.var)
            elif isinstance(each, hir.Call):
                self.add_functions(reach(self.program, [each.function]))


def _is_harmless(v: Variable) -> bool:
    """Return whether the initialiser has no side effects, so that it may be omitted with its unused variable.

    Headers have tables of thousands of elements, so the answer is stored for the next shader.
    """
    if v.harmless is not v.init:
        assert v.init is not None
        if not all(map(_is_harmless_node, walk(v.init))):
            return False
        v.harmless = v.init
    return True


def _is_harmless_node(e: hir.Expr) -> bool:
    if isinstance(e, hir.IntrinsicCall):
        return all(direction == "in" for direction in e.directions) and e.type is not ty.VOID
    return isinstance(e, _HARMLESS)
