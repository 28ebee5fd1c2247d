"""Find groupshared arrays whose stride puts all invocations of a wave into one memory bank.

Groupshared memory has 32 banks of four bytes, and serves one address of each bank at a time. An index is traced to the
number of the invocation within its wave through sums, products with constants, and variables.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.diagnostics.catalogue import lints as codes
from hlsl_tool.frontend.lints.sources import threads_of
from hlsl_tool.frontend.lints.tree import root_variable, targets
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.constants import evaluate_int
from hlsl_tool.frontend.sema.model.hir import Expr, Function, Stmt, Variable
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.operands import walk
from hlsl_tool.frontend.sema.model.statement_walk import all_expressions, all_statements, expressions, substatements
from hlsl_tool.frontend.sema.model.types import Array, Scalar, Type, Vector

BANKS = 32
_LINEAR_IDS = frozenset(("sv_groupthreadid", "sv_dispatchthreadid"))


def check_bank_conflicts(entry: Function) -> list[Raw]:
    """Return a finding for each groupshared array access by which a wave certainly accesses only one memory bank."""
    if entry.body is None:
        return []
    strides = _Strides(entry)
    findings: dict[int, Raw] = {}
    for e in _unconditional(entry.body):
        if isinstance(e, hir.Index) and e.pos not in findings and not isinstance(e.type, Array):
            var = root_variable(e)
            stride = strides.of_access(e) if var is not None and var.storage == "groupshared" else None
            if var is not None and stride:
                fmt: dict[str, object] = {"name": var.name, "stride": stride}
                findings[e.pos] = Raw(codes.BANK_CONFLICT, e.pos, fmt, entry.chunk, [], _hint(e))
    return list(findings.values())


def _hint(e: hir.Index) -> str:
    if isinstance(e.base.type, Array) and isinstance(e.base, hir.Index):
        return f"declare the rows one element longer: {e.base.type.size} + 1"
    return "let neighbours access neighbouring elements, or make the stride odd"


def _unconditional(s: Stmt) -> Iterator[Expr]:
    """Yield the expressions that a function always evaluates, outside of any branch, with their operands."""
    todo = [s]
    while todo:
        one = todo.pop()
        for e in expressions(one):
            yield from walk(e)
        if not isinstance(one, (hir.If, hir.Switch)):
            todo += reversed(list(substatements(one)))
        elif any(isinstance(inner, (hir.Return, hir.Break, hir.Continue)) for inner in all_statements(one)):
            return


class _Strides:
    """Computes how integer values in one entry point differ between neighbouring invocations of a wave."""

    def __init__(self, entry: Function) -> None:
        self.threads = threads_of(entry)
        self.writes: dict[Variable, list[Expr]] = {}
        for e in all_expressions(entry.body) if entry.body is not None else ():
            for target in targets(e):
                var = root_variable(target)
                if var is not None:
                    self.writes.setdefault(var, []).append(e)
        self._active: set[Variable] = set()

    def of_access(self, e: hir.Index) -> int | None:
        """Return the stride of an array access in elements, if it puts a wave's invocations into one bank.

        The result is ``None`` for other accesses.
        """
        words = _words(e.type)
        total, size = 0, 1
        access: Expr = e
        while isinstance(access, hir.Index) and isinstance(access.base.type, Array):
            stride = self.of(access.index)
            if stride is None or access.base.type.size is None:
                return None
            total += stride * size
            size *= access.base.type.size
            access = access.base
        if not isinstance(access, hir.VarRef) or not words or not total:
            return None
        return abs(total) if total * words % BANKS == 0 else None

    def of(self, e: Expr) -> int | None:
        """Return by how much an integer grows from one invocation to the next.

        The result is ``None`` if that is not constant or known.
        """
        while isinstance(e, (hir.Load, hir.Cast)):
            e = e.operand
        if evaluate_int(e) is not None:
            return 0
        if isinstance(e, hir.Binary):
            return self._binary(e)
        if isinstance(e, hir.Swizzle) and isinstance(e.base, hir.VarRef) and len(e.components) == 1:
            return self._component(e.base.var, e.components[0])
        return self._variable(e.var) if isinstance(e, hir.VarRef) else None

    def _binary(self, e: hir.Binary) -> int | None:
        left, right = self.of(e.left), self.of(e.right)
        if left is None or right is None:
            return None
        if e.op in ("+", "-"):
            return left + right if e.op == "+" else left - right
        if not left and not right:
            return 0
        if e.op == "*":
            number = evaluate_int(e.right) if left else evaluate_int(e.left)
            return (left or right) * number if number is not None else None
        number = evaluate_int(e.right)
        return left << number if e.op == "<<" and number is not None and 0 <= number < BANKS else None

    def _variable(self, var: Variable) -> int | None:
        if var.storage == "cbuffer_member" or (var.storage == "global" and isinstance(var.type, Scalar)):
            return 0
        if var.storage == "param":
            if var in self.writes:
                return None
            semantic = var.semantic.name.lower() if var.semantic is not None else ""
            return 1 if semantic == "sv_groupindex" else self._component(var, 0)
        if var.storage != "local" or var.init is None or var in self._active:
            return None
        self._active.add(var)
        steps = [self._step(e) for e in self.writes.get(var, ())]
        stride = self.of(var.init) if all(step == 0 for step in steps) else None
        self._active.discard(var)
        return stride

    def _step(self, e: Expr) -> int | None:
        """Return by how much an assignment changes the difference of a variable's values in neighbouring invocations.

        The result is ``None`` if unknown.
        """
        if isinstance(e, hir.IncDec):
            return 0
        return self.of(e.value) if isinstance(e, hir.CompoundAssign) and e.op in ("+", "-") else None

    def _component(self, var: Variable, component: int) -> int | None:
        semantic = var.semantic.name.lower() if var.semantic is not None else ""
        if semantic == "sv_groupid":
            return 0
        if semantic not in _LINEAR_IDS or var in self.writes or self.threads[0] % BANKS:
            return None
        return 1 if component == 0 else 0


def _words(t: Type) -> int:
    """Return the size of a type in 32-bit words in groupshared memory; 0 if it is not certain."""
    scalar, count = (t.element, t.size) if isinstance(t, Vector) else (t, 1)
    if not isinstance(scalar, Scalar) or scalar.bits != 32 or count not in (1, 2, 4):
        return 0
    return count
