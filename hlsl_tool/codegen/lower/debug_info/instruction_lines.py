"""Record the source position of every instruction.

An instruction belongs to the HIR node whose handler writes it: the position is set before the handler runs and restored
when it returns. ``_RULES`` lists the nodes for which DXC does not use the first token. OpLine has a single position;
DebugLine of NonSemantic.Shader.DebugInfo.100 has the range from the node's first token to its last.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from hlsl_tool.codegen.lower.core import casts
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.spans import Span, Spans
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.debug_info.token_locations import Places
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Function, Program
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.spirv.builder.debugging import DebugModuleBuilder

if TYPE_CHECKING:
    from hlsl_tool.base.options.compile_options import CompileOptions

Line = tuple[int, ...]


class LineLowering(Lowering):
    """Lowering that also records source positions."""

    def __init__(
        self, program: Program, options: CompileOptions, builder: DebugModuleBuilder, stage: str, places: Places
    ) -> None:
        super().__init__(program, options, builder, stage)
        self.noted = builder
        """The builder, which attaches positions to instructions."""
        self.places = places
        self.ranges = options.debug_vulkan
        self._spans: dict[SourceChunk, Spans] = {}
        self._ranges: dict[int, Span] = {}
        """Expression → range that replaces its own."""
        self._matrices: dict[int, Line] = {}
        """Matrix value → position of its expression's first token."""

    # ---- hooks of Lowering

    def expr_or_none(self, e: hir.Expr) -> Value | None:
        b = self.noted
        outer = b.line, b.memory_line, b.row_lines
        self.at(e)
        value = super().expr_or_none(e)
        b.line, b.memory_line, b.row_lines = outer
        if value is not None and self.chunk is not None and casts.is_matrix(e.type):
            self._matrices[value.id] = self.line_at(self.spans.begin(e))
        return value

    def stmt(self, s: hir.Stmt) -> None:
        if self.chunk is not None and s.__class__ is not hir.Block:
            span = self.spans.statement(s)
            self.set_line(s.pos if isinstance(s, hir.DeclStmt) else span[0], span)
        super().stmt(s)

    def at(self, e: hir.Expr) -> None:
        self.pos = e.pos
        if self.chunk is None:
            return
        rule = _RULES.get(e.__class__)
        spans = self.spans
        if self.ranges:
            self._pass_range(e)
        self.noted.row_lines = self._matrices if _works_by_rows(e) and casts.is_matrix(e.type) else None
        span = self._ranges.get(id(e)) or spans.of(e)
        if rule is None:
            self.set_line(span[0], span)
            return
        token, memory = rule(spans, e)
        b = self.noted
        b.line = self.line_at(token, span)
        b.memory_line = self.line_at(memory, span) if memory != token else b.line

    def _pass_range(self, e: hir.Expr) -> None:
        """Record an expression's token range for its operand, too.

        Do so for an assignment, whose operand here is its target, and for a swizzle that selects all components of its
        vector in order. Do nothing for other expressions.
        """
        inner: hir.Expr
        if isinstance(e, hir.Swizzle) and e.components == tuple(range(ty.component_count(e.base.type))):
            inner = e.base
        elif isinstance(e, hir.Assign):
            inner = e.target
        else:
            return
        span = self._ranges.get(id(e)) or self.spans.of(e)
        self._ranges[id(inner)] = span
        while isinstance(inner, (hir.Load, hir.Cast)):
            inner = inner.operand
            self._ranges[id(inner)] = span

    def at_begin(self, node: hir.Stmt | hir.Expr, within: hir.Expr | None = None) -> None:
        if self.chunk is not None:
            self.set_line(self._span(node)[0], self._span(within) if within is not None else None)

    def at_end(self, node: hir.Stmt | hir.Expr, within: hir.Expr | None = None) -> None:
        if self.chunk is not None:
            self.set_line(self._span(node)[1], self._span(within) if within is not None else None)

    def enter_function(self, f: Function) -> None:
        self.set_line(self.spans.declaration(f.pos))

    def wrapper_begun(self, f: Function) -> None:
        assert self.b.function is not None
        self.b.entry_wrappers.add(self.b.function.id)

    def parameters_written(self, f: Function) -> None:
        function = self.b.function
        assert function is not None
        own = function.parameters[len(function.parameters) - len(f.params) :]
        for p, inst in zip(f.params, own, strict=True):
            inst.line = self.line_at(p.pos)

    def finished(self) -> None:
        self.places.write_names()

    # ---- positions

    @property
    def spans(self) -> Spans:
        assert self.chunk is not None
        cached = self._spans.get(self.chunk)
        if cached is None:
            cached = self._spans[self.chunk] = Spans(self.chunk.tokens)
        return cached

    def _span(self, node: hir.Stmt | hir.Expr) -> Span:
        if node.__class__ in _STATEMENTS:
            return self.spans.statement(node)  # type: ignore[arg-type]  # its class is in the table
        return self.spans.of(node)  # type: ignore[arg-type]

    def line_at(self, token: int, span: Span | None = None) -> Line:
        """Return the source position of a token; include the range of ``span`` if the instruction set has ranges."""
        assert self.chunk is not None
        if not self.ranges or span is None:
            return self.places.of(self.chunk, token)
        first, last = self.places.of(self.chunk, span[0]), self.places.of(self.chunk, span[1])
        return (*first, *last[1:])

    def set_line(self, token: int, span: Span | None = None) -> None:
        """Set the source position of the instructions that follow."""
        self.noted.line = self.noted.memory_line = self.line_at(token, span)


_BY_ROWS = (hir.Binary, hir.CompoundAssign, hir.IncDec)
_WHOLE = ("modf", "frexp")
"""Intrinsics whose rows of matrices have the position of the call."""


def _works_by_rows(e: hir.Expr) -> bool:
    """Return whether an operation on a matrix is lowered row by row.

    The instructions for a row then have the source position of the operand that contains the row.
    """
    return isinstance(e, _BY_ROWS) or (isinstance(e, hir.IntrinsicCall) and e.name not in _WHOLE)


_STATEMENTS = frozenset(hir.Stmt.__args__)

Rule = Callable[[Spans, hir.Expr], tuple[int, int]]
"""Returns (token of operations, token of memory accesses)."""


def _at_operator(spans: Spans, e: hir.Expr) -> tuple[int, int]:
    return e.pos, spans.begin(e)


def _stepped(spans: Spans, e: hir.Expr) -> tuple[int, int]:
    assert isinstance(e, hir.IncDec)
    return e.pos, spans.begin(e.operand)


def _at_token(spans: Spans, e: hir.Expr) -> tuple[int, int]:
    return e.pos, e.pos


def _loaded(spans: Spans, e: hir.Expr) -> tuple[int, int]:
    assert isinstance(e, hir.Load)
    at = spans.location(e.operand)
    return at, at


def _accessed(spans: Spans, e: hir.Expr) -> tuple[int, int]:
    while isinstance(e, (hir.Member, hir.Index)):
        e = e.base
    at = spans.location(e)
    return at, at


def _called(spans: Spans, e: hir.Expr) -> tuple[int, int]:
    """Return (token of a call's instructions, token of its loads).

    Both are the name of a method, or the first token of a call of a function.
    """
    at = spans.location(e)
    return at, at


_NAMED = re.compile("Append|Consume|(In|De)crementCounter|Gather(Cmp)?(Red|Green|Blue|Alpha)")


def _method(spans: Spans, e: hir.Expr) -> tuple[int, int]:
    """Return (token of the instructions, token of the loads) of a built-in method: the object's first token.

    The instructions have the token of the method's name for a texture's ``GetDimensions``, for methods that gather a
    given component, and for those that count.
    """
    assert isinstance(e, hir.MethodCall)
    begin = spans.begin(e)
    kind = e.object.type.name if isinstance(e.object.type, ty.ObjectType) else ""
    is_buffer = kind.endswith(("dBuffer", "sBuffer"))
    is_named = not is_buffer if e.name == "GetDimensions" else _NAMED.fullmatch(e.name) is not None
    is_named = is_named and not kind.endswith("Stream")
    return (e.pos if is_named else begin), begin


def _cast(spans: Spans, e: hir.Expr) -> tuple[int, int]:
    """Return (token of a cast's instructions, token of its loads).

    Both are the first token of the operand, with the parentheses around it, for a conversion of numbers or to a
    structure, but not if a vector is written like a call; else the cast's.
    """
    assert isinstance(e, hir.Cast)
    begin = spans.begin(e)
    is_call = e.is_explicit and isinstance(e.type, ty.Vector) and spans.tokens[begin] != "("
    at = spans.with_parentheses(e.operand) if e.kind in ("numeric", "flat") and not is_call else begin
    return at, at


_RULES: dict[type, Rule] = {
    hir.Load: _loaded,
    hir.Member: _accessed,
    hir.Index: _accessed,
    hir.Binary: _at_operator,
    hir.Logical: _at_operator,
    hir.Unary: _at_operator,
    hir.IncDec: _stepped,
    hir.CompoundAssign: _at_operator,
    hir.Call: _called,
    hir.MethodCall: _method,
    hir.Cast: _cast,
    hir.InitList: _at_token,
}
