"""Compute the spans of HIR nodes: the tokens that they were written with.

A node has only its characteristic token (``pos``).  Its begin and end follow from its operands and, for brackets and
parentheses, from the tokens themselves.  Parentheses around an operand are found by counting, because only parentheses
can be between an operator and the span of its operand.

A span is (first token, last token), as indices in the node's declaration.  Parentheses around the whole node are not
part of its span, because they are a node of their own in DXC's tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk

Span = tuple[int, int]

_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = {close: opened for opened, close in _OPEN.items()}
_BEFORE_DECLARATION = frozenset((";", "{", "}", "]", ":", "(", ","))
_TYPE = re.compile(
    r"(bool|dword|u?int|half|float|double|min1[026](float|u?int)|(u?int|float)(8|16|32|64)_t)([1-4](x[1-4])?)?"
)
_BINARY = (hir.Binary, hir.Logical, hir.Assign, hir.CompoundAssign, hir.Comma)


def first_token(chunk: SourceChunk | None, e: hir.Expr) -> int:
    """Return the first token of an expression, for diagnostics about the whole expression."""
    return e.pos if chunk is None else Spans(chunk.tokens).begin(e)


def location_of_whole(chunk: SourceChunk | None, e: hir.Expr) -> int:
    """Return DXC's location of an expression that is written alone: a parenthesis around it is its location."""
    if chunk is None:
        return e.pos
    spans = Spans(chunk.tokens)
    begin = spans.parenthesized(e)[0]
    return begin if begin != spans.begin(e) else spans.location(e)


class Spans:
    """The spans of the nodes of one declaration, with a cache."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = tokens
        self._spans: dict[int, tuple[hir.Expr, Span]] = {}

    def of(self, e: hir.Expr) -> Span:
        """Return the span of an expression; the left operands of a chain, which may be long, are visited in a loop."""
        edge: list[hir.Expr] = []
        node: hir.Expr | None = e
        while node is not None and id(node) not in self._spans:
            edge.append(node)
            node = _left(node)
        for node in reversed(edge):
            self._spans[id(node)] = node, self._span(node)
        return self._spans[id(e)][1]

    def begin(self, e: hir.Expr) -> int:
        """Return the first token of an expression."""
        return self.of(e)[0]

    def end(self, e: hir.Expr) -> int:
        """Return the last token of an expression."""
        return self.of(e)[1]

    def parenthesized(self, e: hir.Expr) -> Span:
        """Return the span of an expression with the parentheses around it, without those of a call."""
        begin, end = self.of(e)
        tokens = self.tokens
        while begin > 1 and end + 1 < len(tokens) and tokens[begin - 1] == "(" and tokens[end + 1] == ")":
            before = tokens[begin - 2]
            if before != "return" and (before in (")", "]", ">") or before.isidentifier()):
                break
            begin, end = begin - 1, end + 1
        return begin, end

    def location(self, e: hir.Expr) -> int:
        """Return the token that DXC gives as the expression's location (``getExprLoc``)."""
        if isinstance(e, (*_BINARY, hir.Unary, hir.IncDec, hir.Member)):
            return e.pos
        if isinstance(e, hir.Call) and e.this is not None:
            return e.pos
        return self.begin(e)

    # ---- the span of one node, after those of its left operands

    def _span(self, e: hir.Expr) -> Span:
        handler = _SPANS.get(type(e))
        return handler(self, e) if handler is not None else (self._qualified(e.pos), e.pos)

    def _binary(self, e: hir.Binary | hir.Logical | hir.Comma) -> Span:
        return self._until(e.left, e.pos - 1), self._from(e.right, e.pos + 1)

    def _assignment(self, e: hir.Assign | hir.CompoundAssign) -> Span:
        return self._until(e.target, e.pos - 1), self._from(e.value, e.pos + 1)

    def _load(self, e: hir.Load) -> Span:
        return self.of(e.operand)

    def _member(self, e: hir.Swizzle | hir.MatrixSwizzle | hir.Member) -> Span:
        return (self._until(e.base, e.pos - 2), e.pos) if self._dotted(e.pos) else (e.pos, e.pos)

    def _unary(self, e: hir.Unary) -> Span:
        return e.pos, self._from(e.operand, e.pos + 1)

    def _increment(self, e: hir.IncDec) -> Span:
        if e.is_prefix:
            return e.pos, self._from(e.operand, e.pos + 1)
        return self._until(e.operand, e.pos - 1), e.pos

    def _index(self, e: hir.Index) -> Span:
        return self._until(e.base, e.pos - 1), self.closing(e.pos)

    def _ternary(self, e: hir.Ternary) -> Span:
        return self._until(e.cond, e.pos - 1), self._parenthesized(self.of(e.otherwise))[1]

    def _init_list(self, e: hir.InitList) -> Span:
        return (self._name_before(e.pos) if e.is_constructor else e.pos), self.closing(e.pos)

    def _intrinsic(self, e: hir.IntrinsicCall) -> Span:
        return self._qualified(e.pos), self._arguments(e.pos)

    def _sizeof(self, e: hir.SizeOf) -> Span:
        return e.pos, self.closing(e.pos + 1)

    def _method(self, e: hir.MethodCall) -> Span:
        if self.tokens[e.pos] == "[":
            return self._until(e.object, e.pos - 1), self.closing(e.pos)
        if self._dotted(e.pos):
            return self._until(e.object, e.pos - 2), self._arguments(e.pos)
        return self.begin(e.object), self._arguments(e.pos)

    def _call(self, e: hir.Call) -> Span:
        pos = e.pos
        if e.is_operator and e.this is not None:
            begin = self.begin(e.this)
            if self.tokens[pos] in _OPEN:
                return begin, self.closing(pos)
            if begin > pos:  # a prefix operator
                return pos, self._from(e.this, pos + 1)
            begin = self._until(e.this, pos - 1)
            return begin, self._from(e.args[0], pos + 1) if e.args else pos
        if e.this is not None and self._dotted(pos):
            return self._until(e.this, pos - 2), self._arguments(pos)
        return self._qualified(pos), self._arguments(pos)

    def _cast(self, e: hir.Cast) -> Span:
        """Return the span of ``(T)x`` or ``T(x)``.

        If one cast of the source became several nodes, only the innermost node has the tokens of the type.
        """
        inner = self.of(e.operand)
        if not e.is_explicit:
            return inner
        begin, end = self._parenthesized(inner)
        before = self.tokens[begin - 1] if begin else ""
        if before == ")":
            return self.opening(begin - 1), end
        if (begin, end) == inner:
            return inner
        within = isinstance(e.operand, hir.Cast) and e.operand.is_explicit
        if before == ">" or _TYPE.fullmatch(before) or (before.isidentifier() and not within):
            return self._name_before(begin), end
        return inner

    # ---- operands

    def _until(self, operand: hir.Expr, last: int) -> int:
        """Return the first token of an operand and of the parentheses around it, whose last token is ``last``."""
        begin, end = self.of(operand)
        return max(begin - max(last - end, 0), 0)

    def _from(self, operand: hir.Expr, first: int) -> int:
        """Return the last token of an operand and of the parentheses around it, whose first token is ``first``."""
        begin, end = self.of(operand)
        return min(end + max(begin - first, 0), len(self.tokens) - 1)

    def _parenthesized(self, span: Span) -> Span:
        begin, end = span
        tokens = self.tokens
        while begin > 0 and end + 1 < len(tokens) and tokens[begin - 1] == "(" and tokens[end + 1] == ")":
            begin, end = begin - 1, end + 1
        return begin, end

    # ---- tokens

    def _dotted(self, pos: int) -> bool:
        return pos > 0 and self.tokens[pos - 1] == "."

    def _qualified(self, pos: int) -> int:
        """Return the first token of a qualified name: ``a`` in ``a::b::c`` if ``pos`` is that of ``c``."""
        while pos > 1 and self.tokens[pos - 1] == "::" and self.tokens[pos - 2].isidentifier():
            pos -= 2
        return pos

    def _name_before(self, bracket: int) -> int:
        """Return the first token of the type's name before an opening bracket."""
        at = bracket - 1
        if at > 0 and self.tokens[at] == ">":
            depth = 0
            while at > 0:
                depth += (self.tokens[at] == ">") - (self.tokens[at] == "<")
                at -= 1
                if depth == 0:
                    break
        return self._qualified(max(at, 0))

    def _arguments(self, name: int) -> int:
        """Return the closing parenthesis of the call of ``name``.

        The result is ``name`` itself for a call without parentheses (``buffer.Get``).
        """
        tokens, at = self.tokens, name + 1
        if at < len(tokens) and tokens[at] == "<":
            depth = 0
            while at < len(tokens):
                depth += (tokens[at] == "<") - (tokens[at] == ">")
                at += 1
                if depth == 0:
                    break
        return self.closing(at) if at < len(tokens) and tokens[at] == "(" else name

    def closing(self, at: int) -> int:
        """Return the token that closes the bracket at the token ``at``."""
        depth = 0
        for index in range(at, len(self.tokens)):
            token = self.tokens[index]
            depth += (token in _OPEN) - (token in _CLOSE)
            if depth <= 0:
                return index
        return at

    def opening(self, at: int) -> int:
        """Return the token that opens the bracket that the token ``at`` closes."""
        depth = 0
        for index in range(at, -1, -1):
            token = self.tokens[index]
            depth += (token in _CLOSE) - (token in _OPEN)
            if depth <= 0:
                return index
        return at

    # ---- statements and declarations

    def statement(self, s: hir.Stmt) -> Span:
        """Return the span of a statement; for an expression statement that of its expression, without the semicolon."""
        pos = s.pos
        if isinstance(s, hir.Block):
            return pos, s.end if s.end >= 0 else pos
        if isinstance(s, hir.ExprStmt):
            return self.of(s.expr)
        if isinstance(s, hir.Return):
            return pos, self._parenthesized(self.of(s.value))[1] if s.value is not None else pos
        if isinstance(s, hir.If):
            last: hir.Stmt = s
            while isinstance(last, hir.If):
                last = last.otherwise or last.then
            return pos, self.statement(last)[1]
        if isinstance(s, (hir.For, hir.While, hir.Switch)):
            return pos, self.statement(s.body)[1]
        if isinstance(s, hir.Do):
            return pos, self._parenthesized(self.of(s.cond))[1]
        if isinstance(s, hir.DeclStmt):
            return self.declaration(s.var.pos), self.declaration_end(s.var)
        return pos, pos

    def initialisation(self, s: hir.For) -> Span:
        """Return the span of the first part of a ``for``, declarations with their semicolon; ``for`` if it is empty."""
        if not s.init:
            return s.pos, s.pos
        last = self.statement(s.init[-1])[1]
        return self.statement(s.init[0])[0], last + isinstance(s.init[-1], hir.DeclStmt)

    def declaration_end(self, v: hir.Variable) -> int:
        """Return the last token of a declarator with its initialiser."""
        at, tokens = v.pos + 1, self.tokens
        while at < len(tokens) and tokens[at] not in (";", ",", ")"):
            at = (self.closing(at) if tokens[at] in _OPEN else at) + 1
        return at - 1

    def declaration(self, name: int) -> int:
        """Return the first token of the declaration of ``name``: a qualifier or its type, after any attributes."""
        tokens, at = self.tokens, name
        depth = 0
        while at > 0:
            before = tokens[at - 1]
            if before == ">":
                depth += 1
            elif before == "<":
                depth -= 1
            elif depth == 0 and before in _BEFORE_DECLARATION:
                break
            at -= 1
        if tokens[at] == "template":
            at = self._behind_template(at + 1)
        return at

    def _behind_template(self, at: int) -> int:
        depth = 0
        while at < len(self.tokens):
            depth += (self.tokens[at] == "<") - (self.tokens[at] == ">")
            at += 1
            if depth == 0:
                break
        return at


_SPANS: dict[type, Callable[..., Span]] = {
    hir.Binary: Spans._binary,
    hir.Logical: Spans._binary,
    hir.Comma: Spans._binary,
    hir.Assign: Spans._assignment,
    hir.CompoundAssign: Spans._assignment,
    hir.Load: Spans._load,
    hir.Cast: Spans._cast,
    hir.Swizzle: Spans._member,
    hir.MatrixSwizzle: Spans._member,
    hir.Member: Spans._member,
    hir.Unary: Spans._unary,
    hir.IncDec: Spans._increment,
    hir.Index: Spans._index,
    hir.Ternary: Spans._ternary,
    hir.MethodCall: Spans._method,
    hir.Call: Spans._call,
    hir.InitList: Spans._init_list,
    hir.IntrinsicCall: Spans._intrinsic,
    hir.SizeOf: Spans._sizeof,
}
"""Type of node → its span; other nodes are names and literals."""


def _left(e: hir.Expr) -> hir.Expr | None:
    """Return the leftmost operand of an expression; ``None`` if there is none, and for calls of functions and lists."""
    if isinstance(e, (hir.Binary, hir.Logical, hir.Comma)):
        return e.left
    if isinstance(e, (hir.Assign, hir.CompoundAssign)):
        return e.target
    if isinstance(e, (hir.Swizzle, hir.MatrixSwizzle, hir.Member, hir.Index)):
        return e.base
    if isinstance(e, (hir.Load, hir.Cast, hir.Unary, hir.IncDec)):
        return e.operand
    if isinstance(e, hir.Ternary):
        return e.cond
    if isinstance(e, hir.MethodCall):
        return e.object
    return e.this if isinstance(e, hir.Call) else None
