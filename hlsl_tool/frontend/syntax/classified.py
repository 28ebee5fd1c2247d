"""The tokens of a top-level declaration with the grammar's terminals for them: the parser's input."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.syntax import kinds as K
from hlsl_tool.frontend.syntax.builtin_types import BUILTIN_TYPES, KEYWORD_TYPES
from hlsl_tool.frontend.syntax.environment import Effect
from hlsl_tool.frontend.syntax.kinds import IDENT, SPECIAL, TGT, TYPE
from hlsl_tool.frontend.syntax.tables import NoEntry

_LBRACE = K.LBRACE - SPECIAL
_RBRACE = K.RBRACE - SPECIAL
_LPAR = K.TABLES.spellings["("]
_RPAR = K.TABLES.spellings[")"]
_SEMICOLON = K.TABLES.spellings[";"]
_NO_HIDING = frozenset((".", "->", ":", "::", "["))
"""Tokens after which a name is a member, a semantic or an attribute, and declares nothing."""


@dataclass(slots=True)
class Classified:
    """The terminals of a top-level declaration with their token indices.

    A ``>>`` that closes two template brackets occurs twice.
    """

    tokens: Sequence[str]
    kinds: list[int]
    indices: Sequence[int]
    effects: list[Effect]
    members: frozenset[str] = frozenset()
    """Words of the chunk that are types in some struct or namespace whose members are not in scope."""
    splits: tuple[int, ...] = ()
    """Indices of the ``>>`` that close two lists of template arguments."""
    lost: set[str] = field(default_factory=set)
    """Names that error recovery may have discarded the declarations of."""

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield (token index, terminal) lazily, so that later changes by ``rename`` take effect."""
        return zip(self.indices, self.kinds, strict=True)

    def rename(self, at: int) -> None:
        """Reclassify the type name at ``at`` as an identifier, which hides the type to the end of its scope."""
        name = self.tokens[at]
        if name in KEYWORD_TYPES:
            raise NoEntry
        if self.tokens[at - 1] == "}" and name in BUILTIN_TYPES:  # a missing `;` after a struct
            raise NoEntry
        start = bisect_left(self.indices, at)
        self.kinds[start] = IDENT
        if self.tokens[at - 1] in _NO_HIDING:
            return
        end, is_global = self._scope_end(start)
        kinds, indices, tokens = self.kinds, self.indices, self.tokens
        for position in range(start + 1, end):
            if kinds[position] == TYPE:
                index = indices[position]
                if tokens[index] == name and tokens[index - 1] not in ("::", "struct", "class", "enum"):
                    kinds[position] = IDENT
        if is_global or "cbuffer" in tokens[:6] or "tbuffer" in tokens[:6]:
            self.effects.append(Effect("hide", name))

    def hide(self, names: frozenset[str]) -> None:
        """Reclassify type names after the first brace as identifiers, where members of a struct hide them."""
        tokens, kinds = self.tokens, self.kinds
        brace = tokens.index("{")
        for position, index in enumerate(self.indices):
            is_plain = tokens[index - 1] not in ("::", "struct", "class", "enum")
            if kinds[position] == TYPE and index > brace and tokens[index] in names and is_plain:
                kinds[position] = IDENT

    def _scope_end(self, start: int) -> tuple[int, bool]:
        """Return (end of the scope of the name declared at ``start``, whether that scope is the whole declaration)."""
        braces = parens = angles = 0
        in_parameters = False
        for position in range(start + 1, len(self.kinds)):
            kind = self.kinds[position]
            if kind == _LBRACE:
                braces += 1
            elif kind == _RBRACE:
                braces -= 1
                if braces < 0 or (in_parameters and braces == 0):
                    return position, False
            elif kind == _LPAR:
                parens += 1
            elif kind == _RPAR:
                parens -= 1
                if parens < 0:
                    parens, in_parameters = 0, True
            elif kind == K.TLT:
                angles += 1
            elif kind == TGT:
                angles -= 1
                if angles < 0:  # a template parameter: its scope is the whole declaration
                    return len(self.kinds), False
            elif kind == _SEMICOLON and in_parameters and braces == 0 and parens == 0:
                return position, False
        return len(self.kinds), True
