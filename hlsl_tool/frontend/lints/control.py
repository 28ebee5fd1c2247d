"""Compute divergence along the control flow of a function.

At the end of a divergent construct, a variable that the construct assigned depends on the construct's condition. A
divergent ``return`` makes the rest of the function divergent, a ``break`` the rest of its loop, a ``continue`` the rest
of the body. ``discard`` has no effect, because the other invocations of a quad continue as helpers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.lints.divergence_sets import ALL, Divergence, covers, flat, join, keep, merge
from hlsl_tool.frontend.lints.expressions import THIS, ValueWalker, literal_of, memory_of
from hlsl_tool.frontend.lints.program import Analysis, Summary
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.hir import Expr, Function, Stmt, Variable

_MOST_ROUNDS = 5
"""Limit of analyses of a loop until the divergences at its start do not change; each adds a group to a variable."""
_RELATIONS = frozenset(("<", ">", "<=", ">=", "!="))

Env = dict[Variable, Divergence]


def walk_function(
    analysis: Analysis, f: Function, arguments: tuple[Divergence, ...], this: Divergence, flow: int
) -> Summary:
    """Return the divergences of a function's result and outputs.

    ``arguments`` and ``this`` are the divergences of the arguments and of the method's object, ``flow`` is that of the
    control flow at the call.
    """
    return _FunctionWalker(analysis, f, arguments, this, flow).run()


@dataclass(slots=True)
class _Frame:
    """A loop or switch around the current statement, with the variables' divergences at each of its exits."""

    is_loop: bool
    start: Env
    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)


@dataclass(slots=True)
class _Loop:
    """The components of a loop statement."""

    statement: hir.For | hir.While | hir.Do
    cond: Expr | None
    step: Expr | None
    body: Stmt
    declaration: hir.DeclStmt | None
    is_strided: bool


class _FunctionWalker(ValueWalker):
    def __init__(
        self, analysis: Analysis, function: Function, arguments: tuple[Divergence, ...], this: Divergence, flow: int
    ) -> None:
        super().__init__(analysis, function.chunk, flow)
        self.function = function
        self.env = dict(zip(function.params, arguments, strict=False))
        self.env[THIS] = this
        self.falls = True
        """Whether control reaches the current statement."""
        self.returned = self.broken = self.continued = 0
        """Divergences of the control flow that left the function, loop or body."""
        self.left_at = 0
        """Time before the first construct in which invocations left the function or body and others did not."""
        self.frames: list[_Frame] = []
        self.result: Divergence = 0
        self.ends: list[Env] = []

    def run(self) -> Summary:
        """Analyse the function's body and return its summary."""
        assert self.function.body is not None
        self.statement(self.function.body)
        if self.falls:
            self.ends.append(self.env)
        env = self._merged(self.ends, self.written, self.returned if len(self.ends) > 1 else 0, since=self.left_at)
        outputs = tuple([env.get(param, 0) for param in self.function.params])
        return Summary(self.result, outputs, env.get(THIS, 0))

    def statement(self, s: Stmt | None) -> None:
        if s is None or not (self.falls or isinstance(s, (hir.Case, hir.Block))):
            return
        self.analysis.step()
        handler = self._statements.get(s.__class__)
        if handler is not None:
            handler(self, s)

    # ---- simple statements

    def _block(self, s: hir.Block) -> None:
        for one in s.statements:
            self.statement(one)

    def _declaration(self, s: hir.DeclStmt) -> None:
        if s.var.storage == "local":
            self.env[s.var] = self.value(s.var.init) if s.var.init is not None else 0

    def _expression(self, s: hir.ExprStmt) -> None:
        self.value(s.expr)

    def _return(self, s: hir.Return) -> None:
        if s.value is not None:
            value = self.value(s.value)
            self.result = merge(merge(self.result, value), self.flow)
        self.returned = join(self.returned, self.flow)
        self.ends.append(self.env)
        self.falls = False

    def _break(self, s: hir.Break) -> None:
        if self.frames:
            self.frames[-1].breaks.append(self.env)
        self.broken = join(self.broken, self.flow)
        self.falls = False

    def _continue(self, s: hir.Continue) -> None:
        loop = next((frame for frame in reversed(self.frames) if frame.is_loop), None)
        if loop is not None:
            loop.continues.append(self.env)
        self.continued = join(self.continued, self.flow)
        self.falls = False

    # ---- branches

    def _if(self, s: hir.If) -> None:
        if s.declaration is not None:
            self.statement(s.declaration)
        cond = self.whole(s.cond)
        literal = literal_of(s.cond)
        if literal is not None:
            self.statement(s.then if literal else s.otherwise)
            return
        before, outer, left = self.flow, self.written, self._left()
        base, self.written, began = self.env, {}, self.time
        if cond & ALL and find_attribute(s.attributes, "flatten") is None:
            self.flow = self.diverge(cond, s.cond)
        inner, ends = self.flow, []
        for branch in (s.then, s.otherwise):
            self.env, self.falls, self.flow = dict(base), True, inner
            refined = self._refine(s.cond) if branch is s.then else None
            self.statement(branch)
            if refined is not None and refined not in self.written:
                self.env[refined] = base[refined]
            if self.falls:
                ends.append(self.env)
        self.env = self._merged(ends, self.written, cond if len(ends) > 1 else 0, base)
        self.falls = bool(ends)
        self.written = outer | self.written
        self.flow = self._after(before, left, began)

    def _refine(self, cond: Expr) -> Variable | None:
        """Record a variable (or its field) as uniform where a condition has found it equal to a uniform value.

        Return the variable; ``None`` if the condition is no such comparison.
        """
        if not isinstance(cond, hir.Binary) or cond.op != "==":
            return None
        for one, other in ((cond.left, cond.right), (cond.right, cond.left)):
            one = memory_of(one)
            root = one
            while isinstance(root, (hir.Member, hir.Swizzle)):
                root = root.base
            if isinstance(root, hir.VarRef) and root.var in self.env and not self.whole(other) & ALL:
                written, self.written = self.written, {}
                self.store(one, 0)
                self.written = written
                return root.var
        return None

    def _switch(self, s: hir.Switch) -> None:
        if s.declaration is not None:
            self.statement(s.declaration)
        cond = self.whole(s.cond)
        before, outer, broken, left = self.flow, self.written, self.broken, self._left()
        base, self.written, began = self.env, {}, self.time
        self.flow = self.diverge(cond, s.cond)
        frame = _Frame(False, base)
        self.frames.append(frame)
        self.falls, inner = False, self.flow
        has_default = False
        for one in s.body.statements if isinstance(s.body, hir.Block) else [s.body]:
            if isinstance(one, hir.Case):
                self.flow = inner
                has_default |= one.value is None
            self.statement(one)
        self.frames.pop()
        ends = [*frame.breaks, *([self.env] if self.falls else []), *([] if has_default else [base])]
        self.env = self._merged(ends, self.written, cond, base)
        self.falls = bool(ends)
        self.written = outer | self.written
        self.broken = broken
        self.flow = self._after(before, left, began)

    def _case(self, s: hir.Case) -> None:
        start = self.frames[-1].start if self.frames else self.env
        self.env = dict(self._merged([start, *([self.env] if self.falls else [])], self.written, 0, start))
        self.falls = True

    # ---- loops

    def _for(self, s: hir.For) -> None:
        for one in s.init:
            self.statement(one)
        self._loop(s, s.cond, s.step, s.body, s.declaration)

    def _while(self, s: hir.While) -> None:
        self._loop(s, s.cond, None, s.body, s.declaration)

    def _do(self, s: hir.Do) -> None:
        self._loop(s, s.cond, None, s.body, None)

    def _loop(
        self, s: hir.For | hir.While | hir.Do, cond: Expr | None, step: Expr | None, body: Stmt,
        declaration: hir.DeclStmt | None,
    ) -> None:  # fmt: skip
        """Analyse a loop repeatedly until the divergences at its start do not change any more."""
        before, outer, left, began = self.flow, self.written, self._left(), self.time
        saved = self.broken, self.continued
        self.written = {}
        loop = _Loop(s, cond, step, body, declaration, isinstance(s, hir.For) and self._is_strided(s))
        start, leaves = self.env, 0
        for _ in range(_MOST_ROUNDS):
            returned = self.returned
            frame = _Frame(True, start)
            self.frames.append(frame)
            leaving, exits = self._round(loop, frame, before, leaves)
            self.frames.pop()
            again = self._merged([start, *([self.env] if self.falls else [])], self.written, 0, start)
            is_stable = not (leaving | self.returned) & ALL & ~(leaves | returned) and all(
                covers(start.get(var, 0), again.get(var, 0)) for var in self.written
            )
            start, leaves = again, leaving
            if is_stable:
                break
        self.env = self._merged(exits, self.written, leaves, start)
        self.falls = bool(exits)
        self.written = outer | self.written
        self.broken, self.continued = saved
        self.flow = self._after(before, left, began)

    def _round(self, loop: _Loop, frame: _Frame, before: int, leaves: int) -> tuple[int, list[Env]]:
        """Analyse a loop once; return the divergence of the control flow that leaves it, and the state at its exits.

        The state is a list of the variables' divergences, one for each exit. ``leaves`` is the returned divergence as
        the preceding round computed it.
        """
        self.env, self.falls = dict(frame.start), True
        self.flow = join(join(before, leaves), self.returned)
        self.broken = self.continued = 0
        exits = frame.breaks
        tests_first = not isinstance(loop.statement, hir.Do)
        if loop.cond is not None and tests_first:
            if loop.declaration is not None:
                self.statement(loop.declaration)
            leaves = join(leaves, self._leaving(loop.cond, is_strided=loop.is_strided))
            exits.append(dict(self.env))
            self.flow = join(self.flow, leaves)
        left_at, self.left_at = self.left_at, 0
        self.statement(loop.body)
        ends = [*frame.continues, *([self.env] if self.falls else [])]
        reason = self.continued if len(ends) > 1 else 0
        self.env = self._merged(ends, self.written, reason, frame.start, since=self.left_at)
        self.left_at = left_at
        self.falls = bool(ends)
        leaves = join(leaves, self.broken)
        self.flow = join(join(before, leaves), self.returned)
        if self.falls and loop.step is not None:
            self.value(loop.step)
        if self.falls and loop.cond is not None and not tests_first:
            leaves = join(leaves, self._leaving(loop.cond, is_strided=False))
            exits.append(self.env)
        return leaves, exits

    def _leaving(self, cond: Expr, *, is_strided: bool) -> int:
        """Return the divergence of the control flow that leaves a loop when its condition is false.

        The result is 0 if the condition is uniform, or if ``is_strided``: the loop's counter starts at a divergent
        value and is compared with a uniform bound, so that all invocations may make equally many iterations.
        """
        divergence = self.whole(cond)
        if is_strided or not divergence & ALL:
            return 0
        cause = self.analysis.cause(self.analysis.cause_of(divergence).source, cond.pos, self.chunk)
        return divergence & ALL | cause

    def _is_strided(self, s: hir.For) -> bool:
        """Return whether a loop's counter starts at a divergent value and is compared with a uniform bound.

        All invocations may then make equally many iterations.
        """
        cond = s.cond
        if not isinstance(cond, hir.Binary) or cond.op not in _RELATIONS:
            return False
        declared = {one.var for one in s.init if isinstance(one, hir.DeclStmt)}
        for one, other in ((cond.left, cond.right), (cond.right, cond.left)):
            one = memory_of(one)
            if isinstance(one, hir.VarRef) and one.var in declared and flat(self.env.get(one.var, 0)) & ALL:
                return not self.whole(other) & ALL
        return False

    # ---- joins

    def _left(self) -> int:
        """Return the divergence of control flow that has left the function, the loop or the loop's body early."""
        return join(self.returned, join(self.broken, self.continued))

    def _after(self, before: int, left: int, began: int) -> int:
        """Return the divergence of control flow after a construct that some invocations may have left early.

        ``before`` is the divergence of control flow before the construct; ``left`` is that of earlier ``return``,
        ``break`` and ``continue`` statements. ``began`` is the number of assignments analysed before the construct.
        """
        now = self._left()
        if now & ALL & ~left and not left & ALL:
            self.left_at = began
        return join(before, now)

    def _merged(
        self, ends: list[Env], written: dict[Variable, int], divergence: int, base: Env | None = None, *, since: int = 0
    ) -> Env:
        """Return the divergence of every variable at a point where paths meet.

        ``ends`` are the variables' divergences at the end of each path; without any path, return ``base``, by default
        the current divergences. ``written`` maps each variable that a path assigns to the number of its last
        assignment, counted from the start of the function. Variables with a number above ``since`` also get
        ``divergence``, that of the condition which selects the path.
        """
        if not ends:
            return base if base is not None else self.env
        if len(ends) == 1 and not divergence & ALL:
            return ends[0]
        env = dict(ends[0])
        reason = flat(keep(divergence, ALL))
        for var, time in written.items():
            value = env.get(var, 0)
            for other in ends[1:]:
                value = merge(value, other.get(var, 0))
            env[var] = merge(value, reason) if reason and time > since else value
        return env

    _statements: ClassVar[dict[type, Callable[..., None]]] = {
        hir.Block: _block,
        hir.DeclStmt: _declaration,
        hir.ExprStmt: _expression,
        hir.If: _if,
        hir.For: _for,
        hir.While: _while,
        hir.Do: _do,
        hir.Switch: _switch,
        hir.Case: _case,
        hir.Break: _break,
        hir.Continue: _continue,
        hir.Return: _return,
    }
