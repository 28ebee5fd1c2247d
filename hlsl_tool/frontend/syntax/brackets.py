"""Brackets of a top-level declaration: matching pairs, and ends of declarations, for the classifier's lookahead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlsl_tool.frontend.syntax import kinds as K

_OPEN = frozenset("([{")
_CLOSE = frozenset(")]}")
_MANY = 12
"""Number of lookups by name after which an index of all names is built."""


class Brackets:
    """The brackets of a sequence of tokens, matched on demand."""

    __slots__ = ("_closing", "_codes", "_lookups", "_positions", "_specials", "tokens")

    def __init__(self, tokens: Sequence[str], codes: list[int], specials: list[int]) -> None:
        self.tokens = tokens
        self._codes = codes
        self._specials = specials
        self._closing: dict[int, int] | None = None
        self._positions: dict[str, list[int]] | None = None
        self._lookups = 0

    def close(self, at: int) -> int:
        """Return the index of the brace that closes the one at ``at``; the number of tokens if it is missing."""
        if self._closing is None:
            self._closing = self._match_braces()
        return self._closing.get(at, len(self.tokens))

    def _match_braces(self) -> dict[int, int]:
        closing = {}
        opened: list[int] = []
        for at in self._specials:
            text = self.tokens[at]
            if text == "{":
                opened.append(at)
            elif text == "}" and opened:
                closing[opened.pop()] = at
        return closing

    def next_brace(self, at: int) -> int:
        try:
            return self.tokens.index("{", at)
        except ValueError:
            return len(self.tokens)

    def positions(self, name: str, start: int, end: int) -> Iterator[int]:
        """Yield the indices between ``start`` and ``end`` at which the token is ``name``."""
        self._lookups += 1
        if self._lookups > _MANY:
            if self._positions is None:
                self._positions = {}
                for at, text in enumerate(self.tokens):
                    self._positions.setdefault(text, []).append(at)
            for at in self._positions.get(name, ()):
                if start <= at < end:
                    yield at
            return
        index = self.tokens.index
        at = start - 1
        while True:
            try:
                at = index(name, at + 1, end)
            except ValueError:
                return
            yield at

    def skip_square(self, at: int) -> int:
        """Return the index of the bracket that closes the ``[`` at ``at``."""
        return self._skip(at, len(self.tokens))

    def _skip(self, at: int, end: int) -> int:
        depth = 0
        while at < end:
            text = self.tokens[at]
            if text in _OPEN:
                depth += 1
            elif text in _CLOSE:
                depth -= 1
                if depth <= 0:
                    return at
            at += 1
        return end

    def opening(self, at: int) -> int:
        """Return the index of the bracket that the ``]`` or ``)`` at ``at`` closes; -1 if it is missing."""
        depth = 0
        for position in range(at, -1, -1):
            text = self.tokens[position]
            depth += (text in _CLOSE) - (text in _OPEN)
            if depth == 0:
                return position
        return -1

    def annotation_end(self, at: int) -> int:
        """Return the index of the ``>`` that ends the effects annotation ``< string s = "x"; >`` at ``at``.

        The result is -1 without one.
        """
        tokens = self.tokens
        if tokens[at + 3 : at + 4] not in (("=",), ["="]) or not tokens[at + 1].isidentifier():
            return -1
        if self._codes[at + 1] != K.TYPE or not tokens[at + 2].isidentifier():
            return -1
        position = at + 4
        while position < len(tokens) - 1:
            text = tokens[position]
            if text == ";" and tokens[position + 1] == ">":
                return position + 1
            if text == "}":
                return -1
            position = self.close(position) + 1 if text == "{" else position + 1
        return -1

    def typedef_names(self, at: int) -> list[int]:
        """Return the indices of the names that the ``typedef`` at ``at`` declares."""
        tokens = self.tokens
        names = []
        angles = 0
        last = -1
        expects_name = True
        position = at + 1
        while position < len(tokens):
            text = tokens[position]
            if text == "{":
                position = self.close(position)
            elif text == "(" or text == "[":
                is_attribute = list(tokens[position : position + 2]) == ["[", "["]
                if expects_name and angles == 0 and last >= 0 and not is_attribute:
                    names.append(last)
                    expects_name = False
                position = self._skip(position, len(tokens))
            elif text == "<":
                angles += 1
            elif text == ">":
                angles -= 1
            elif text == ">>":
                angles -= 2
            elif text in (",", ";") and angles <= 0:
                if expects_name and last >= 0:
                    names.append(last)
                expects_name = True
                if text == ";":
                    break
            elif text.isidentifier():
                last = position
            position += 1
        return names

    def declaration_end(self, at: int) -> int:
        """Return the index of the ``;`` or closing brace that ends the declaration at ``at``.

        Without one, it is the number of tokens.
        """
        tokens = self.tokens
        parens = 0
        for position in range(at, len(tokens)):
            text = tokens[position]
            if text == "(":
                parens += 1
            elif text == ")":
                parens -= 1
            elif parens <= 0:
                if text == ";":
                    return position
                if text == "{":
                    return self.close(position)
        return len(tokens)
