"""Classify the tokens that HLSL 202x adds: the grammar has terminals of their own for them.

Earlier versions never see these terminals, so that their programs are parsed, and refused, as before.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.syntax import kinds as K
from hlsl_tool.frontend.syntax.kinds import IDENT, QUAL, TGT, TYPE
from hlsl_tool.frontend.syntax.names import Names

_OPERATORS = frozenset(("(", "-", "+", "!", "~", "{"))
_VALUES = frozenset((K.NUMBER, K.STRING, K.CHAR, K.CAST, K.TNAME, IDENT))
_WORDS = frozenset(("true", "false", "this", "sizeof"))
_BEFORE_VALUES = frozenset(("=", "return", "(", ",", "?", "+", "-", "*", "/", "%", "&&", "||", "==", "!=", "!"))
"""Tokens after which an expression begins, and no attribute of a statement."""
_MEMBER_STARTS = frozenset(("{", "}", ";", ":", "]", "~"))


@dataclass(slots=True)
class Braces:
    """An open pair of braces: its kind and its end."""

    kind: str
    """``global``, ``namespace``, ``struct``, ``block``."""
    end: int
    path: str = ""
    name: str = ""
    """The name of a struct."""


@dataclass(slots=True)
class Modern(Names):
    """The classification with the methods for tokens of HLSL 202x."""

    scopes: list[Braces] = field(init=False, default_factory=list)

    def on_paren(self, at: int) -> None:
        """Classify ``(``: it may follow a constructor's name, or begin the arguments of ``T x(args)``."""
        name = at - 1
        if self.kind(name) == TYPE and self._is_constructor(name):
            self.kinds[name] = K.CTOR
            if self.token(name - 1) == "~":
                self.kinds[name - 1] = K.DTOR
            behind = self.brackets.skip_square(at) + 1
            if self.token(behind) == ":":
                self.kinds[behind] = K.MEMBERS
        elif self._is_declared(name) and self._begins_value(at + 1):
            self.kinds[at] = K.DIRECT

    def _is_declared(self, name: int) -> bool:
        """Return whether a token is the name of a variable or function that is declared outside of a struct."""
        is_behind_type = self.kind(name) == IDENT and self.kind(name - 1) in (TYPE, TGT)
        return is_behind_type and self.scopes[-1].kind != "struct"

    def _is_constructor(self, name: int) -> bool:
        before = name - 1
        inner = self.scopes[-1]
        if inner.kind == "struct" and inner.name == self.token(name):
            if self.kind(before) == K.MEMBERS:
                return False
            return self.token(before) in _MEMBER_STARTS or self.kind(before) in (QUAL, TGT)
        if self.token(before) == "~":
            before -= 1
        if self.token(before) != "::" or inner.kind not in ("global", "namespace"):
            return False
        return self.token(before - 1) == self.token(name) or self.kind(before - 1) == TGT

    def _begins_value(self, at: int) -> bool:
        """Return whether an expression, and no parameter, begins at a token."""
        text, kind = self.token(at), self.kind(at)
        if text in _OPERATORS or text in _WORDS or text == "::":
            return True
        if kind == TYPE or self.token(at + 1) == "::":
            while self.token(at + 1) == "::":
                at += 2
            return self.token(at + 1) in ("(", "{") or self.kind(at) == IDENT
        return kind in _VALUES and self.kind(at + 1) != IDENT

    def on_bracket(self, at: int) -> None:
        """Classify ``[`` in front of an expression: the captures of a lambda expression, or an attribute."""
        before = self.token(at - 1)
        if before not in _BEFORE_VALUES:
            return
        behind = self.token(self.brackets.skip_square(at) + 1)
        if self.token(at + 1) != "[" and behind in ("(", "{"):
            self.kinds[at] = K.LAMBDA
        elif before in ("=", "return"):
            self.kinds[at] = K.ANNOTATED

    def on_colon(self, at: int) -> None:
        """Drop the ``:`` of ``T f() : [[attribute]]``."""
        if self.token(at + 1) == "[" and self.token(at + 2) == "[" and self.token(at - 1) == ")":
            self.drops.append((at, at + 1))

    def on_equal(self, at: int) -> None:
        """Classify ``= default`` and ``= delete``."""
        word = self.token(at + 1)
        if word in ("default", "delete") and self.token(at + 2) == ";":
            self.kinds[at] = K.DEFAULTED if word == "default" else K.DELETED
            self.drops.append((at + 1, at + 2))

    def on_arrow(self, at: int) -> None:
        """Classify ``->`` in front of the result type of a function or lambda expression."""
        is_behind_parameters = self.token(at - 1) in (")", "const")
        if is_behind_parameters and (self.kind(at + 1) == TYPE or self.token(at + 2) == "::"):
            self.kinds[at] = K.RESULT

    def on_for(self, at: int) -> None:
        """Classify the ``:`` of ``for (T x : array)``."""
        if self.token(at + 1) != "(":
            return
        depth = 0
        for position in range(at + 2, self.brackets.skip_square(at + 1)):
            text = self.tokens[position]
            depth += (text in "([{") - (text in ")]}")
            if depth == 0 and text in (";", "?"):
                return
            if depth == 0 and text == ":":
                self.kinds[position] = K.RANGE
                return
