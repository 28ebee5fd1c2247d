"""Limits on the nesting of control flow (through calls as well) and on the unrolling of loops.

spirv-opt inlines and unrolls before anything is validated, and may take minutes and gigabytes until it refuses a
module. So the limits are checked here, where the source location is available.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Protocol

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.constants import evaluate_int

if TYPE_CHECKING:
    from hlsl_tool.base.options.compile_options import CompileOptions
    from hlsl_tool.frontend.sema.model.hir import Function
    from hlsl_tool.frontend.sema.model.instances import Hint
    from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk

MAX_NESTING = 1023
"""SPIR-V's universal limit on the nesting of constructs, which spirv-val checks."""
MAX_UNROLLED = 4096
"""Limit on the iterations of an unrolled loop, times those of the loops around it.

spirv-opt's memory grows with their square: 2048 iterations of the smallest body take more than 2 GiB.
"""

_UNROLL_HINT = "leave out `[unroll]`, or unroll an inner loop of few iterations only"
_NESTING_HINT = "a `switch`, a table or functions that return early need less"


class _Call(NamedTuple):
    """A call site, with the nesting depth of the control flow around it."""

    named: Function
    """The function as the call names it: it may be a declaration."""
    callee: Function
    depth: int
    pos: int


@dataclass(slots=True)
class Nesting:
    """The deepest nesting of control flow within one function, and the calls that it contains."""

    depth: int = 0
    calls: list[_Call] = field(default_factory=list)


class Position(Protocol):
    """The current source position and the functions that report errors there; implemented by `context.Lowering`."""

    options: CompileOptions
    function: Function | None

    def error(
        self,
        code: Code,
        pos: int | None = None,
        *,
        chunk: SourceChunk | None = None,
        hint: Hint = None,
        **fmt: object,
    ) -> None:
        """Report an error."""
        ...

    def fail(self, code: Code, pos: int | None = None, *, hint: Hint = None, **fmt: object) -> NoReturn:
        """Report an error and end the lowering of the statement or function."""
        ...


class Limits:
    """Counts nested constructs and unrolled iterations around the current statement, and per function."""

    def __init__(self, ctx: Position) -> None:
        self.ctx = ctx
        self.depth = 0
        self.copies = 1
        """The number of copies of the current position in the unrolled function."""
        self.bodies: dict[Function, Nesting] = {}

    def body(self) -> Nesting:
        assert self.ctx.function is not None
        return self.bodies.setdefault(self.ctx.function, Nesting())

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Restore the counts of nested constructs and of unrolled copies when the ``with`` block ends."""
        before = self.depth, self.copies
        try:
            yield
        finally:
            self.depth, self.copies = before

    def deeper(self, pos: int) -> None:
        """Count one more nested construct.

        Beyond SPIR-V's limit, report an error and end the lowering of the function.
        """
        self.depth += 1
        if self.ctx.function is not None:
            body = self.body()
            body.depth = max(body.depth, self.depth)
        if self.depth > MAX_NESTING and self._is_validated():
            self.ctx.fail(codes.CONTROL_FLOW_NESTING, pos, limit=MAX_NESTING, hint=_NESTING_HINT)

    def unrolled(self, s: hir.For) -> None:
        """Multiply the count of unrolled copies by a loop's iterations, unless their number is unknown."""
        count = iterations(s)
        if count is None:
            return
        self.copies *= max(count, 1)
        if self.copies > MAX_UNROLLED and not self.ctx.options.codegen_only:
            self.ctx.fail(codes.UNROLLED, s.pos, count=self.copies, limit=MAX_UNROLLED, hint=_UNROLL_HINT)

    def called(self, named: Function, callee: Function, pos: int) -> None:
        """Record a call at the current depth: ``named`` is the declaration it names, ``callee`` the definition."""
        if self.ctx.function is not None:
            self.body().calls.append(_Call(named, callee, self.depth, pos))

    def check(self) -> None:
        """Report functions whose control flow nests too deep once their callees are inlined.

        Also report recursion of functions that only initialisers of global variables call.
        """
        if not self._is_validated():
            return
        depths: dict[Function, int] = {}
        recursive: dict[Function, None] = {}
        for f in self.bodies:
            for caller in _callees_first(f, self.bodies, depths, recursive):
                depths[caller] = self._depth(caller, depths)
        for f in recursive:
            name = f.qualified_name
            self.ctx.error(sema_codes.RECURSION, f.pos, chunk=f.chunk, caller=name, name=name)

    def _depth(self, f: Function, depths: dict[Function, int]) -> int:
        """Return the nesting depth of a function with its callees inlined.

        The result is 0 after an error was reported, so that it is not reported again.
        """
        deepest = self.bodies[f].depth
        for call in self.bodies[f].calls:
            depth = call.depth + depths.get(call.callee, 0)
            if depth > MAX_NESTING:
                self.ctx.error(
                    codes.CONTROL_FLOW_NESTING, call.pos, chunk=f.chunk, limit=MAX_NESTING, hint=_NESTING_HINT
                )
                return 0
            deepest = max(deepest, depth)
        return deepest

    def _is_validated(self) -> bool:
        return not self.ctx.options.codegen_only and self.ctx.options.validate != "no"


def _callees_first(
    f: Function, bodies: dict[Function, Nesting], done: dict[Function, int], recursive: dict[Function, None]
) -> Iterator[Function]:
    """Yield a function and its callees, direct and indirect, that are not in ``done``; callees come first.

    Functions that call themselves are added to ``recursive``.
    """
    opened: set[Function] = set()
    stack = [(f, False)]
    while stack:
        g, is_ready = stack.pop()
        if g in done or g not in bodies:
            continue
        if is_ready:
            yield g
            continue
        if g in opened:
            recursive[g] = None
            continue
        opened.add(g)
        stack.append((g, True))
        stack += [(call.callee, False) for call in bodies[g].calls if call.callee not in done]


def iterations(s: hir.For) -> int | None:
    """Return the number of iterations of a loop that spirv-opt can unroll; ``None`` for any other loop.

    spirv-opt unrolls a loop whose integer counter has a constant start, step and bound, and that has no other exit.
    """
    start = _start(s.init)
    if start is None or s.step is None or not isinstance(s.cond, hir.Binary) or _jumps(s.body):
        return None
    variable, first = start
    step, end = _step(s.step, variable), evaluate_int(s.cond.right)
    if not step or end is None or not _reads(s.cond.left, variable):
        return None
    distance = {"<": end - first, "<=": end - first + 1, ">": first - end, ">=": first - end + 1}.get(s.cond.op)
    if distance is None or (step > 0) != (s.cond.op in ("<", "<=")):
        return None
    return max(0, -(-distance // abs(step)))


def _start(init: list[hir.Stmt]) -> tuple[hir.Variable, int] | None:
    if len(init) != 1 or not isinstance(init[0], hir.DeclStmt) or init[0].var.init is None:
        return None
    value = evaluate_int(init[0].var.init)
    return None if value is None else (init[0].var, value)


def _step(e: hir.Expr, variable: hir.Variable) -> int | None:
    if isinstance(e, hir.IncDec) and _reads(e.operand, variable):
        return 1 if e.op == "++" else -1
    if isinstance(e, hir.CompoundAssign) and e.op in ("+", "-") and _reads(e.target, variable):
        value = evaluate_int(e.value)
        return value if value is None or e.op == "+" else -value
    return None


def _reads(e: hir.Expr, variable: hir.Variable) -> bool:
    while isinstance(e, (hir.Load, hir.Cast)):
        e = e.operand
    return isinstance(e, hir.VarRef) and e.var is variable


def _jumps(s: hir.Stmt | None, *, inside: bool = False) -> bool:
    """Return whether a statement jumps out of the loop.

    With ``inside``, ``break`` and ``continue`` belong to a nested loop.
    """
    if isinstance(s, hir.Block):
        return any(_jumps(x, inside=inside) for x in s.statements)
    while isinstance(s, hir.If):
        if _jumps(s.then, inside=inside):
            return True
        s = s.otherwise
    if isinstance(s, (hir.For, hir.While, hir.Do, hir.Switch)):
        return _jumps(s.body, inside=True)
    if isinstance(s, (hir.Break, hir.Continue)):
        return not inside
    return _jumps(s, inside=inside) if isinstance(s, hir.Block) else isinstance(s, (hir.Return, hir.Discard))
