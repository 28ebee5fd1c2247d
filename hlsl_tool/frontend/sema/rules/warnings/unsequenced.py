"""Warnings about a variable that an expression modifies and reads, or modifies twice, in unspecified order.

The rules are those of C++11, as clang applies them: operands of most operators and arguments are unsequenced; ``,``,
``&&``, ``||`` and ``?:`` sequence their operands, and a call is sequenced after its arguments.
"""

from __future__ import annotations

from typing import Literal

from hlsl_tool.base.diagnostics.catalogue import language as codes
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.frontend.sema.model.operands import Step, operands, perform
from hlsl_tool.frontend.sema.model.statement_walk import root_expressions
from hlsl_tool.frontend.sema.model.types import Array, Field
from hlsl_tool.frontend.sema.scope.context import Context

Usage = Literal["use", "value", "effect"]
"""``use``: a read; ``value``: a change before the value is computed; ``effect``: a later one, as in ``i++``."""

_CALLS = (hir.Call, hir.IntrinsicCall, hir.MethodCall)


def check(ctx: Context, body: hir.Block) -> None:
    """Warn about each unsequenced modification in the expressions of a function body."""
    pending = list(root_expressions(body))[::-1]
    while pending:
        expression = _Expression(ctx, pending)
        expression.visit(pending.pop())


class _Region:
    """A part of an expression that sequence points separate from other parts, as clang's ``SequenceTree`` node.

    ``merged``: the walk has left the part, and its accesses count as those of ``outer``.
    """

    __slots__ = ("merged", "outer")

    def __init__(self, outer: _Region | None) -> None:
        self.outer = outer
        self.merged = False

    def representative(self) -> _Region:
        region = self
        while region.merged and region.outer is not None:
            region = region.outer
        return region

    def is_unordered(self, earlier: _Region) -> bool:
        """Return whether this region is unsequenced with an earlier one."""
        target = earlier.representative()
        region: _Region | None = self.representative()
        while region is not None:
            if region is target:
                return True
            region = region.outer
        return False


@dataclass(slots=True)
class _Uses:
    """The latest access of each kind to one variable, with its region."""

    accesses: dict[Usage, tuple[hir.Expr, _Region]] = field(default_factory=dict)
    is_reported: bool = False


Object = hir.Variable | Field


class _Expression:
    """One full expression under examination; operands that may not be evaluated are examined separately."""

    def __init__(self, ctx: Context, separate: list[hir.Expr]) -> None:
        self.ctx = ctx
        self.separate = separate
        self.uses: dict[Object, _Uses] = {}
        self.region = _Region(None)
        self.effects: list[list[tuple[Object, tuple[hir.Expr, _Region] | None]]] = []
        """For each enclosing sequenced operand: the variables with an ``effect`` in it, and the replaced entries."""

    def visit(self, e: hir.Expr) -> None:
        """Examine an expression and its operands."""
        perform(e, self._steps)

    def _steps(self, e: hir.Expr) -> list[Step]:
        if isinstance(e, hir.Load):
            read = _object(e.operand, changes=False)
            if read is not None:
                return [lambda: self._meet(read, e, "value"), e.operand, lambda: self._read(read, e)]
        elif isinstance(e, (hir.IncDec, hir.Assign, hir.CompoundAssign)):
            changed = _object(e.operand if isinstance(e, hir.IncDec) else e.target, changes=True)
            if changed is not None:
                return self._change(changed, e)
        elif isinstance(e, hir.Comma):
            return self._comma(e)
        elif isinstance(e, (hir.Logical, hir.Ternary)):
            return self._choice(e)
        elif isinstance(e, _CALLS) or (isinstance(e, hir.Index) and not isinstance(e.base.type, Array)):
            return self._ordered(*operands(e))  # for clang, subscripts of all but arrays are calls
        return list(operands(e))

    def _change(self, changed: Object, e: hir.IncDec | hir.Assign | hir.CompoundAssign) -> list[Step]:
        def before() -> None:
            self._meet(changed, e, "value")
            self._meet(changed, e, "use")

        def after() -> None:
            self._meet(changed, e, "effect")
            self._add(changed, e, "effect" if isinstance(e, hir.IncDec) and not e.is_prefix else "value")

        if isinstance(e, hir.IncDec):
            return [before, e.operand, after]
        if isinstance(e, hir.Assign):
            return [before, e.target, e.value, after]
        return [before, e.target, lambda: self._read(changed, e), e.value, after]

    def _comma(self, e: hir.Comma) -> list[Step]:
        outer = self.region
        left, right = _Region(outer), _Region(outer)

        def end() -> None:
            self.region = outer
            left.merged = right.merged = True

        return [*self._ordered(lambda: self._enter(left), e.left), lambda: self._enter(right), e.right, end]

    def _enter(self, region: _Region) -> None:
        self.region = region

    def _choice(self, e: hir.Logical | hir.Ternary) -> list[Step]:
        """Return the operands of an operator that may not evaluate some of them; those are examined separately."""
        cond = e.left if isinstance(e, hir.Logical) else e.cond
        value = evaluate(cond)
        steps = self._ordered(cond)
        if isinstance(e, hir.Logical):
            if not isinstance(value, (bool, int, float)):
                self.separate.append(e.right)
            elif bool(value) is (e.op == "&&"):
                steps.append(e.right)
        elif isinstance(value, (bool, int, float)):
            steps.append(e.then if value else e.otherwise)
        else:
            self.separate += [e.otherwise, e.then]
        return steps

    def _ordered(self, *steps: Step) -> list[Step]:
        """Return the steps of an operand whose side effects are complete before the following operand is evaluated."""

        def end() -> None:
            for changed, replaced in reversed(self.effects.pop()):
                accesses = self.uses[changed].accesses
                self._add(changed, accesses["effect"][0], "value")
                if replaced is None:
                    del accesses["effect"]
                else:
                    accesses["effect"] = replaced

        return [lambda: self.effects.append([]), *steps, end]

    # --- accesses

    def _read(self, read: Object, e: hir.Expr) -> None:
        self._meet(read, e, "effect")
        self._add(read, e, "use")

    def _meet(self, accessed: Object, e: hir.Expr, earlier: Usage) -> None:
        """Report an access that is unsequenced with an earlier access of the kind ``earlier``."""
        uses = self.uses.get(accessed)
        access = uses.accesses.get(earlier) if uses is not None else None
        if uses is None or access is None or uses.is_reported or access[0] is e:
            return
        if self.region.is_unordered(access[1]):
            uses.is_reported = True
            both = earlier != "use" and isinstance(e, (hir.IncDec, hir.Assign, hir.CompoundAssign))
            what = "multiple unsequenced modifications" if both else "unsequenced modification and access"
            change = e if earlier == "use" else access[0]
            self.ctx.warn(codes.UNSEQUENCED, change.pos, what=what, name=accessed.name)

    def _add(self, accessed: Object, e: hir.Expr, kind: Usage) -> None:
        accesses = self.uses.setdefault(accessed, _Uses()).accesses
        old = accesses.get(kind)
        if old is None or not self.region.is_unordered(old[1]):
            if kind == "effect" and self.effects:
                self.effects[-1].append((accessed, old))
            accesses[kind] = e, self.region


def _object(e: hir.Expr, *, changes: bool) -> Object | None:
    """Return the variable, or member of ``this``, that an expression denotes; ``None`` for other expressions."""
    while True:
        if isinstance(e, (hir.Load, hir.Cast)):
            e = e.operand
        elif isinstance(e, hir.Comma):
            e = e.right
        elif changes and isinstance(e, hir.IncDec) and e.is_prefix:
            e = e.operand
        elif changes and isinstance(e, (hir.Assign, hir.CompoundAssign)):
            e = e.target
        else:
            break
    if isinstance(e, hir.Member) and isinstance(e.base, hir.This):
        return e.field
    return e.var if isinstance(e, hir.VarRef) else None
