"""Classify names and ``<``: find types in qualified names, and pair template brackets."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.syntax import kinds as K
from hlsl_tool.frontend.syntax.brackets import Brackets
from hlsl_tool.frontend.syntax.builtin_types import BUILTIN_TYPES, SCOPED
from hlsl_tool.frontend.syntax.environment import Environment
from hlsl_tool.frontend.syntax.kinds import CAST, IDENT, QUAL, SCOPE, SPECIAL, TGT, TYPE

MAX_ANGLES = 256
"""Limit on nested template arguments; real code has three or four levels."""

_NESTING = {"(": 1, "[": 1, ")": -1, "]": -1}
_STATEMENT_END = frozenset(("", ";", "{", "}"))
_NO_ARGUMENT = frozenset(("&&", "||", "?", "+=", "-="))
"""Operators that show an earlier ``<`` to be less-than, outside of parentheses."""


@dataclass(slots=True)
class Names:
    """The classification of one top-level declaration's tokens in progress, with the methods for names and ``<``."""

    tokens: Sequence[str]
    env: Environment
    identifiers: frozenset[str]
    assumed: frozenset[str] = frozenset()
    """Names assumed to be types from the start."""
    kinds: list[int] = field(init=False)
    members: set[str] = field(init=False, default_factory=set)
    """Types that this chunk declares inside structs and namespaces."""
    templates: set[str] = field(init=False, default_factory=set)
    enums: set[str] = field(init=False, default_factory=set)
    dependent: set[int] = field(init=False, default_factory=set)
    """Positions of names that ``typename`` makes types."""
    splits: list[int] = field(init=False, default_factory=list)
    """Tokens ``>>`` that close two brackets."""
    drops: list[tuple[int, int]] = field(init=False, default_factory=list)
    """Ranges of dropped tokens."""
    brackets: Brackets = field(init=False)

    def token(self, at: int) -> str:
        return self.tokens[at] if 0 <= at < len(self.tokens) else ""

    def kind(self, at: int) -> int:
        return self.kinds[at] if 0 <= at < len(self.kinds) else K.END

    def is_name(self, at: int) -> bool:
        return self.kind(at) in (IDENT, TYPE, K.CONTEXTUAL, K.MATRIX_HANDLE)

    def is_template(self, at: int) -> bool:
        name = self.tokens[at]
        if name == "slice" and self.env.is_modern:
            return True
        return name in self.templates or name in self.env.templates

    # ------------------------------------------------------------------------------------------------ qualified names

    def on_colons(self, at: int) -> None:
        if self.is_name(at - 1):
            self.kinds[at - 1] = SCOPE
        name = at + 1
        if self.env.is_modern and self.token(name) == "register":
            self.kinds[name] = IDENT  # an attribute
        is_qualified = self.kind(at - 1) == SCOPE and self.token(at - 1) != self.token(name)
        is_global_type = self.kind(name) == TYPE and is_qualified and name not in self.dependent
        if self.kind(name) in (IDENT, K.CONTEXTUAL) or is_global_type:
            self.kinds[name] = TYPE if self._is_member_type(self.tokens[name], self.token(at - 1)) else IDENT

    def _is_member_type(self, name: str, scope: str) -> bool:
        if scope in self.env.enums or scope in self.enums:
            return False
        if scope == "hlsl" and (name in BUILTIN_TYPES or name == "numeric_limits"):
            return self.env.is_modern
        return name in SCOPED.get(scope, ()) or name in self.env.members or name in self.members

    def on_typename(self, at: int) -> None:
        """Classify the last component of ``typename A<B>::C`` as a type."""
        name = at + 1
        if self.token(name) == "::":
            name += 1
        while self.is_name(name) or self.kind(name) == SCOPE:
            behind = name + 1
            if self.token(behind) == "<":
                behind = self.match_angle(behind, forced=True, is_type=True) + 1
            if self.token(behind) != "::":
                if self.kinds[name] == IDENT:
                    self.kinds[name] = TYPE
                    self.dependent.add(name)
                return
            name = behind + 1
            if self.token(name) == "template":
                name += 1

    # ---------------------------------------------------------------------------------------------- template brackets

    def on_less(self, at: int) -> None:
        kind = self.kind(at - 1)
        if self.token(at - 1) == "operator":
            return
        end = -1 if self.env.is_modern else self.brackets.annotation_end(at)
        if end >= 0:
            self.drops.append((at, end + 1))
        elif kind in (TYPE, CAST) or self.token(at - 2) == "template":
            self.match_angle(at, forced=True)
        elif kind == IDENT:
            if self.is_template(at - 1):
                self.match_angle(at, forced=False)
            elif self.begins_type(at + 1):
                self.match_angle(at, forced=False, only_call=True)

    def begins_type(self, at: int) -> bool:
        """Return whether a type starts at ``at``; the name of a constructor does not count."""
        kind = self.kind(at)
        if kind in (K.INTWORD, QUAL, K.TYPENAME, K.STRUCT):
            return True
        if kind == K.CONTEXTUAL:
            return self.kind(at + 1) in (TYPE, K.INTWORD)
        if self.token(at) == "::":
            at += 1
        while self.token(at + 1) == "::":
            if self.kind(at + 1) == K.COLONS:
                self.kinds[at + 1] -= SPECIAL
                self.on_colons(at + 1)
            at += 2
        return self.kind(at) == TYPE and self.token(at + 1) != "("

    def match_angle(self, at: int, *, forced: bool, only_call: bool = False, is_type: bool = False) -> int:
        """Pair the template bracket ``<`` at index ``at``, and those inside it, with their closing brackets.

        Return the index of its closing bracket; -1, without an effect, if the ``<`` is an operator. With ``forced``, a
        ``<`` after a qualified name inside it opens a bracket, too. With ``only_call``, brackets that no ``(`` follows
        count as operators. With ``is_type``, the ``<`` belongs to the name of a type, and any operator may follow it.
        """
        pairs = self._find_pairs(at, forced, is_type)
        if not pairs:
            return -1
        right = pairs[-1][1]
        if only_call and self.token(right + 1) != "(":
            return -1
        self._pair(pairs)
        return right

    def _find_pairs(self, at: int, forced: bool, is_type: bool) -> list[tuple[int, int, bool]]:
        """Return (opening index, closing index, closed by the first half of a ``>>``) of each template bracket.

        These are the ``<`` at index ``at`` and those inside it; the list is empty if it is an operator. With
        ``forced``, a ``<`` after a qualified name inside it opens a bracket, too.
        """
        opened = [at]
        pairs: list[tuple[int, int, bool]] = []
        depth = 0
        position = at
        ends = _NO_ARGUMENT if self.token(at - 1) == "template" else _NO_ARGUMENT | {"="}
        if is_type:
            ends = frozenset()
        while opened:
            position += 1
            text = self.token(position)
            depth += _NESTING.get(text, 0)
            if depth < 0 or text in _STATEMENT_END or (depth == 0 and text in ends):
                return []
            if depth:
                continue
            if text == "::" and self.kinds[position] == K.COLONS:
                self.kinds[position] -= SPECIAL
                self.on_colons(position)
            elif text == "<" and self._nested(position, forced):
                opened.append(position)
                if len(opened) > MAX_ANGLES:
                    return []
            elif text == ">":
                pairs.append((opened.pop(), position, False))
            elif text == ">>" and len(opened) > 1:
                pairs.append((opened.pop(), position, True))
                pairs.append((opened.pop(), position, False))
        return pairs

    def _nested(self, at: int, forced: bool) -> bool:
        kind = self.kind(at - 1)
        if kind == TYPE:
            return True
        if kind != IDENT:
            return False
        return self.is_template(at - 1) or self.begins_type(at + 1) or (forced and self.token(at - 2) == "::")

    def _pair(self, pairs: list[tuple[int, int, bool]]) -> None:
        kinds = self.kinds
        for left, right, is_half in pairs:
            kinds[left] = K.TLT
            kinds[right] = TGT
            if is_half:
                self.splits.append(right)
            head = kinds[left - 1]
            if head in (TYPE, IDENT):
                if not is_half and self.token(right + 1) == "::":
                    kinds[left - 1] = SCOPE
                else:
                    kinds[left - 1] = K.TTYPE if head == TYPE else K.TNAME
