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
        span = self._ranges.get(id(e)) or _range_of(spans, e)
        token, memory = rule(spans, e) if rule is not None else (span[0], span[0])
        operations, loads = _rangeless(e)
        b = self.noted
        b.line = self.line_at(token, None if operations else span)
        if loads is not None:
            b.memory_line = self.line_at(spans.location(loads), self._ranges.get(id(loads)) or spans.of(loads))
        else:
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

    def at_begin(self, node: hir.Stmt | hir.Expr, within: hir.Stmt | hir.Expr | None = None) -> None:
        if self.chunk is not None:
            self.set_line(self._span(node)[0], self._span(within) if within is not None else None)

    def at_end(self, node: hir.Stmt | hir.Expr, within: hir.Expr | None = None) -> None:
        if self.chunk is not None:
            self.set_line(self._span(node)[1], self._span(within) if within is not None else None)

    def at_part(self, whole: hir.Expr, part: hir.Expr | None) -> None:
        if self.chunk is not None:
            self.set_line(whole.pos, self._span(part) if part is not None else None)

    def at_check(self, s: hir.For) -> None:
        if self.chunk is not None:
            self.set_line(self._span(s.cond or s)[0], self.spans.initialisation(s))

    def at_ends(self, node: hir.Stmt, inner: hir.Stmt) -> None:
        self.at_end(inner if self.ranges else node)

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
        first, last, point = (self.places.of(self.chunk, at) for at in (*span, token))
        return (*first, *last[1:], *point[1:])

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


_NAMED_POINTS = re.compile("Gather(Cmp)?(Red|Green|Blue|Alpha)")
_TEXTURE = re.compile("(RW|RasterizerOrdered)?(Texture|Buffer$)")
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
    is_converted = e.kind in ("numeric", "flat") and not _is_vector_call(spans, e)
    at = spans.parenthesized(e.operand)[0] if is_converted else spans.begin(e)
    return at, at


def _is_vector_call(spans: Spans, e: hir.Cast) -> bool:
    return e.is_explicit and isinstance(e.type, ty.Vector) and spans.tokens[spans.begin(e)] != "("


def _range_of(spans: Spans, e: hir.Expr) -> Span:
    """Return the tokens of an expression; those of the operand, with its parentheses, for a conversion of numbers."""
    if isinstance(e, hir.Cast) and e.kind == "numeric" and not _is_vector_call(spans, e):
        return spans.parenthesized(e.operand)
    return spans.of(e)


def _rangeless(e: hir.Expr) -> tuple[bool, hir.Expr | None]:
    """Return (whether DebugLine has a point for the operations of an expression, the operand with the range of loads).

    Interlocked functions and methods that gather one component are points.
    The loads of a swizzle and of a texture have the range of the vector and of the texture.
    """
    if isinstance(e, hir.Swizzle) and len(e.components) > 1:
        is_whole = e.components == tuple(range(ty.component_count(e.base.type)))
        return False, None if is_whole else e.base
    if isinstance(e, hir.MethodCall) and isinstance(e.object.type, ty.ObjectType):
        is_point = _NAMED_POINTS.fullmatch(e.name) is not None
        return is_point, e.object if _TEXTURE.match(e.object.type.name) else None
    if isinstance(e, hir.IntrinsicCall):
        return e.name.startswith("Interlocked"), None
    return False, None


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
