"""Builds the control-flow graph of a function body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.frontend.sema.model.hir import Variable
from hlsl_tool.frontend.sema.model.operands import Step, operands, perform
from hlsl_tool.frontend.sema.rules.flow.graph import Branch, Event, FlowBlock, Graph


def build(body: hir.Block, is_tracked: Callable[[Variable], bool]) -> Graph:
    """Return the control-flow graph of a body.

    It contains the accesses of all variables for which ``is_tracked`` returns true.
    """
    builder = _Builder(is_tracked)
    builder.statement(body)
    builder.exits.append((builder.block, body.end))
    end = builder.start(*(block for block, _ in builder.exits))
    return Graph(builder.blocks, builder.exits, end)


class _Builder:
    """Builds a graph; ``block`` is the block to which events are added."""

    def __init__(self, is_tracked: Callable[[Variable], bool]) -> None:
        self.is_tracked = is_tracked
        self.block = FlowBlock()
        self.blocks = [self.block]
        self.exits: list[tuple[FlowBlock, int]] = []
        self.breaks: list[FlowBlock] = []
        self.continues: list[FlowBlock] = []
        self.switches: list[FlowBlock] = []
        """Blocks that end in the enclosing switches, the innermost last."""
        self._deciding: tuple[FlowBlock, bool | None] = self.block, None
        """The block that was ended by a condition last, and the value of a constant condition."""

    # --- blocks

    def start(self, *predecessors: FlowBlock) -> FlowBlock:
        """Start a new block with these predecessors."""
        block = FlowBlock()
        for p in predecessors:
            p.goes_to(block)
        return self.place(block)

    def place(self, block: FlowBlock) -> FlowBlock:
        """Add ``block``, which may already have predecessors, and continue in it."""
        self.blocks.append(block)
        self.block = block
        return block

    # --- expressions

    def value(self, e: hir.Expr) -> None:
        """Add the accesses of variables in an expression to the current block, in the order of evaluation."""
        perform(e, self._steps)

    def _steps(self, e: hir.Expr) -> list[Step]:
        """Return the sub-expressions and actions that evaluate an expression, in order."""
        if isinstance(e, hir.Load) and isinstance(e.operand, hir.VarRef):
            self._event("use", e.operand)
            return []
        if isinstance(e, hir.VarRef):
            self._event("name", e)
        if isinstance(e, hir.Assign):
            return [*self._places(e.target), e.value, lambda: self._assign(e.target)]
        if isinstance(e, (hir.CompoundAssign, hir.IncDec)):
            target = e.target if isinstance(e, hir.CompoundAssign) else e.operand
            after: list[Step] = [e.value] if isinstance(e, hir.CompoundAssign) else []
            return [*self._places(target), *after, lambda: self._update(target)]
        if isinstance(e, (hir.Logical, hir.Ternary)):
            return self._branching(e)
        if isinstance(e, (hir.Call, hir.IntrinsicCall, hir.MethodCall)):
            return self._call(e)
        return list(operands(e))

    def _places(self, target: hir.Expr) -> list[Step]:
        """Return the evaluated parts of an assigned expression: its indices, and its base unless that is a variable."""
        steps: list[Step] = []
        while isinstance(target, (hir.Swizzle, hir.MatrixSwizzle, hir.Index, hir.Member, hir.Cast)):
            if isinstance(target, hir.Index):
                steps.append(target.index)
            target = target.operand if isinstance(target, hir.Cast) else target.base
        if not isinstance(target, hir.VarRef):
            steps.append(target)
        return steps

    def _assign(self, target: hir.Expr) -> None:
        """Add an assignment; assigning a part of a variable counts as assigning all of it."""
        while isinstance(target, (hir.Swizzle, hir.MatrixSwizzle, hir.Index, hir.Member, hir.Cast)):
            target = target.operand if isinstance(target, hir.Cast) else target.base
        if isinstance(target, hir.VarRef):
            self._event("assign", target)

    def _update(self, target: hir.Expr) -> None:
        if isinstance(target, hir.VarRef):
            self._event("use", target)
        self._assign(target)

    def _call(self, e: hir.Call | hir.IntrinsicCall | hir.MethodCall) -> list[Step]:
        """Return the steps of a call: evaluate its arguments, then assign those of ``out``/``inout`` parameters."""
        if isinstance(e, hir.Call):
            directions: tuple[str, ...] = tuple(p.direction for p in e.function.params)
            steps: list[Step] = [e.this] if e.this is not None else []
        else:
            directions = e.directions
            steps = [e.object] if isinstance(e, hir.MethodCall) else []
        written: list[tuple[hir.Expr, str]] = []
        for a, direction in zip(e.args, directions, strict=False):
            if direction == "in":
                steps.append(a)
            else:
                steps += self._places(a)
                written.append((a, direction))
        steps += e.args[len(directions) :]
        changes = isinstance(e, hir.Call)  # built-in functions write without a use of the earlier value, for clang
        return [*steps, *(_bound(self._update if d == "inout" and changes else self._assign, a) for a, d in written)]

    def _branching(self, e: hir.Logical | hir.Ternary) -> list[Step]:
        """Return the steps of ``&&``, ``||`` or ``?:``, which do not evaluate all of their operands."""
        after = FlowBlock()
        if isinstance(e, hir.Logical):

            def split() -> None:
                self._decide(Branch(e.op, e.left.pos), e.left)
                ends = (after, self.start()) if e.op == "||" else (self.start(), after)
                self._link(ends)

            def join() -> None:
                self.block.goes_to(after)
                self.place(after)

            return [e.left, split, e.right, join]
        otherwise = FlowBlock()

        def choose() -> None:
            self._decide(Branch("?:", e.cond.pos), e.cond)
            self._link((self.start(), otherwise))

        def turn() -> None:
            self.block.goes_to(after)
            self.place(otherwise)

        def end() -> None:
            self.block.goes_to(after)
            self.place(after)

        return [e.cond, choose, e.then, turn, e.otherwise, end]

    def _event(self, kind: Any, e: hir.VarRef) -> None:
        if self.is_tracked(e.var):
            self.block.events.append(Event(kind, e.var, e.pos))

    # --- conditions

    def _decide(self, branch: Branch, cond: hir.Expr) -> None:
        """End the current block with a branch on ``cond``; its edges are added when its successors exist."""
        self.block.branch = branch
        self._deciding = self.block, _constant(cond)

    def _link(self, ends: tuple[FlowBlock, FlowBlock]) -> None:
        """Add edges from the block that was ended by a branch last to ``ends``: (successor if true, if false)."""
        block, constant = self._deciding
        block.goes_to(None if constant is False else ends[0])
        block.goes_to(None if constant is True else ends[1])

    def condition(self, cond: hir.Expr, branch: str, yes: FlowBlock, no: FlowBlock) -> None:
        """Evaluate the condition of a statement and branch to ``yes`` or ``no``."""
        while isinstance(cond, hir.Logical):
            self.value(cond.left)
            self._decide(Branch(cond.op, cond.left.pos), cond.left)
            following = FlowBlock()
            self._link((yes, following) if cond.op == "||" else (following, no))
            self.place(following)
            cond = cond.right
        self.value(cond)
        self._decide(Branch(branch, cond.pos), cond)
        self._link((yes, no))

    # --- statements

    def statement(self, s: hir.Stmt | None) -> None:
        if s is not None:
            handler = _STATEMENTS.get(s.__class__)
            if handler is not None:
                handler(self, s)

    def jump(self, target: FlowBlock | None) -> None:
        """Add an edge to ``target``; statements that follow are unreachable unless other edges lead to them."""
        if target is not None:
            self.block.goes_to(target)
        self.start()


def _bound(action: Callable[[hir.Expr], None], e: hir.Expr) -> Callable[[], None]:
    return lambda: action(e)


def _constant(cond: hir.Expr) -> bool | None:
    value = evaluate(cond)
    return bool(value) if isinstance(value, (int, float)) else None


def _block(b: _Builder, s: hir.Block) -> None:
    for each in s.statements:
        b.statement(each)


def _declaration(b: _Builder, s: hir.DeclStmt) -> None:
    v = s.var
    is_tracked = b.is_tracked(v)
    if is_tracked:
        b.block.events.append(Event("declare", v, v.pos))
    if v.init is not None:
        b.value(v.init)
        if is_tracked:
            b.block.events.append(Event("assign", v, v.pos))


def _expression(b: _Builder, s: hir.ExprStmt) -> None:
    b.value(s.expr)


def _if(b: _Builder, s: hir.If) -> None:
    """Add an ``if``; iterate over ``else if`` chains."""
    after = FlowBlock()
    link: hir.Stmt | None = s
    while isinstance(link, hir.If):
        b.statement(link.declaration)
        then, otherwise = FlowBlock(), FlowBlock() if link.otherwise is not None else after
        b.condition(link.cond, "if", then, otherwise)
        b.place(then)
        b.statement(link.then)
        b.block.goes_to(after)
        link = link.otherwise
        if otherwise is not after:
            b.place(otherwise)
    if link is not None:
        b.statement(link)
        b.block.goes_to(after)
    b.place(after)


def _for(b: _Builder, s: hir.For) -> None:
    for each in s.init:
        b.statement(each)
    _loop(b, "for", s, FlowBlock())


def _while(b: _Builder, s: hir.While) -> None:
    _loop(b, "while", s, None)


def _loop(b: _Builder, name: str, s: hir.For | hir.While, step: FlowBlock | None) -> None:
    """Add a loop that tests its condition first; ``step`` is the block of the third clause of a ``for``."""
    head = b.start(b.block)
    body, after = FlowBlock(), FlowBlock()
    b.statement(s.declaration)
    if s.cond is None:
        b.block.goes_to(body)
    else:
        b.condition(s.cond, name, body, after)
    b.place(body)
    again = step or head
    _body(b, s.body, after, again)
    b.block.goes_to(again)
    if isinstance(s, hir.For):
        b.place(again)
        if s.step is not None:
            b.value(s.step)
        b.block.goes_to(head)
    b.place(after)


def _body(b: _Builder, body: hir.Stmt, after: FlowBlock, again: FlowBlock) -> None:
    b.breaks.append(after)
    b.continues.append(again)
    b.statement(body)
    b.breaks.pop()
    b.continues.pop()


def _do(b: _Builder, s: hir.Do) -> None:
    body = b.start(b.block)
    condition, after = FlowBlock(), FlowBlock()
    _body(b, s.body, after, condition)
    b.block.goes_to(condition)
    b.place(condition)
    b.condition(s.cond, "do", body, after)
    b.place(after)


def _switch(b: _Builder, s: hir.Switch) -> None:
    b.statement(s.declaration)
    b.value(s.cond)
    head, after = b.block, FlowBlock()
    head.branch = Branch("switch", s.pos)
    b.switches.append(head)
    b.breaks.append(after)
    b.start()
    b.statement(s.body)
    b.block.goes_to(after)
    b.breaks.pop()
    b.switches.pop()
    if not any(t is not None and t.label is not None and t.label.name == "default" for t in head.successors):
        head.goes_to(after)
    b.place(after)


def _case(b: _Builder, s: hir.Case) -> None:
    previous = b.block
    block = b.start(b.switches[-1])
    block.label = Branch("default" if s.value is None else "case", s.pos)
    previous.goes_to(block)


def _break(b: _Builder, s: hir.Break) -> None:
    b.jump(b.breaks[-1] if b.breaks else None)


def _continue(b: _Builder, s: hir.Continue) -> None:
    b.jump(b.continues[-1] if b.continues else None)


def _return(b: _Builder, s: hir.Return) -> None:
    if s.value is not None:
        b.value(s.value)
    b.exits.append((b.block, s.pos))
    b.jump(None)


_STATEMENTS: dict[type, Callable[[_Builder, Any], None]] = {
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
