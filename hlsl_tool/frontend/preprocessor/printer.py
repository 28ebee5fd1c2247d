"""Print the preprocessed shader in the format of DXC's ``-P``.

Empty lines preserve the original line of each token; a ``#line`` directive replaces larger gaps.  Tokens are separated
by a blank if the source has white space there, or if they would otherwise form another token.
"""

from __future__ import annotations

from typing import Final, Protocol

from hlsl_tool.frontend.preprocessor.inclusion.visit import Chain, Include, LineNote, Pragma, Step, Visit
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.lexer import SPACE, SPACE_LINE, SPACE_NONE
from hlsl_tool.frontend.preprocessor.lexing.tokens import Traced

_MAX_EMPTY_LINES: Final = 8

_BEFORE_EQUAL: Final = frozenset(("&", "+", "-", "/", "<", ">", "|", "%", "*", "!", "<<", ">>", "^", "="))
"""Operators that form another operator with a following ``=``."""

_BEFORE_CHARACTER: Final = {
    "&": "&",
    "+": "+",
    "-": "->",
    "/": "*/",
    "<": "<:%",
    ">": ">",
    "|": "|",
    "%": ">:",
    ":": ">:",
    "#": "#@%",
    "->": "*",
}
"""First characters that must not follow an operator."""

_STRING_PREFIXES: Final = frozenset(("L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"))


class Printable(Protocol):
    """The part of a token stream that printing uses."""

    @property
    def main(self) -> Visit: ...

    @property
    def runs(self) -> list[list[str]]: ...

    def traced_run(self, run: int, steps: Chain) -> list[Traced]: ...


class Printer:
    """Prints one token stream."""

    __slots__ = ("_directive", "_line", "_name", "_out", "_previous", "_stream", "_tokens")

    def __init__(self, stream: Printable) -> None:
        self._stream = stream
        self._out: list[str] = []
        self._line = 0
        self._name = ""
        self._tokens = False
        """Whether the current line has tokens."""
        self._directive = False
        """Whether the current line has a directive."""
        self._previous: tuple[Traced | None, Traced | None] = (None, None)

    def print(self) -> str:
        main = self._stream.main
        self._line, self._name = 1, main.name
        self._mark()
        self._visit_all(main)
        self._out.append("\n")
        return "".join(self._out)

    def _visit_all(self, main: Visit) -> None:
        """Print the main file and the files that it includes.

        The traversal is iterative, with a stack of (pass through a file, include stack, first run, next event).
        """
        stack: list[tuple[Visit, Chain, int, int]] = [(main, (Step(main, -1),), 0, 0)]
        run = 0
        while stack:
            visit, chain, base, at = stack.pop()
            while at < len(visit.events):
                index, event = visit.events[at]
                at += 1
                while run < base + index:
                    self._run(run, chain)
                    run += 1
                if isinstance(event, Include):
                    self._move_to(visit.presented(event.offset)[1])
                    self._change(event.visit.name, 1)
                    stack.append((visit, chain, base, at))
                    stack.append((event.visit, (*chain, Step(event.visit, event.offset)), run, 0))
                    break
                if isinstance(event, Pragma):
                    self._pragma(visit, event)
                elif isinstance(event, LineNote):
                    name, line, _ = visit.presented(event.offset)
                    self._change(name, line)
            else:
                while run < base + visit.runs:
                    self._run(run, chain)
                    run += 1
                if stack:
                    self._back(stack[-1][0], chain[-1].offset)

    def _back(self, visit: Visit, offset: int) -> None:
        """Continue in the including file after an included file was printed; ``offset`` is that of the ``#include``."""
        clean = visit.file.clean
        end = clean.find("\n", offset)
        name, line, _ = visit.presented(end + 1 if end >= 0 else len(clean))
        self._change(name, line)

    # ----------------------------------------------------------------------------------------------------------- lines

    def _change(self, name: str, line: int) -> None:
        if self._line == line and self._name == name:
            return
        self._line, self._name = line, name
        self._mark()

    def _mark(self) -> None:
        self._new_line(count=False)
        name = self._name.replace("\\", "\\\\").replace('"', '\\"')
        self._out.append(f'#line {self._line} "{name}"\n')

    def _new_line(self, *, count: bool = True) -> None:
        if self._tokens or self._directive:
            self._out.append("\n")
            self._tokens = self._directive = False
            if count:
                self._line += 1

    def _move_to(self, line: int) -> bool:
        """Move to a line; return whether that started a new output line."""
        distance = line - self._line
        if distance == 0:
            return line == 1
        if 0 < distance <= _MAX_EMPTY_LINES:
            self._out.append("\n" * distance)
            self._line = line
        else:
            self._line = line
            self._mark()
        return True

    def _pragma(self, visit: Visit, event: Pragma) -> None:
        if event.name in ("region", "endregion", "mark"):
            return
        self._new_line()
        self._move_to(visit.presented(event.offset)[1])
        tokens = lexer.lex_traced(event.text)
        text = "".join((" " if token.space != SPACE_NONE else "") + token for token in tokens)
        self._out.append(f"#pragma {text.strip()}")
        self._directive = True

    # ---------------------------------------------------------------------------------------------------------- tokens

    def _run(self, run: int, chain: Chain) -> None:
        spellings = self._stream.runs[run]
        visit = chain[-1].visit
        for token, spelling in zip(self._stream.traced_run(run, chain), spellings, strict=True):
            self._token(visit, token, spelling)

    def _token(self, visit: Visit, token: Traced, spelling: str) -> None:
        if self._directive:
            self._new_line()
            self._move_to(visit.presented(token.root)[1])
        if token.space & SPACE_LINE and self._first_on_line(visit, token):
            pass
        elif token.space & SPACE or (self._tokens and self._must_part(token)):
            self._out.append(" ")
        self._out.append(spelling)
        self._tokens = True
        self._previous = (self._previous[1], token)

    def _first_on_line(self, visit: Visit, token: Traced) -> bool:
        _, line, col = visit.presented(token.root)
        if not self._move_to(line):
            return False
        if col == 1 and token.space & SPACE:
            col = 2  # preceded by an empty expansion
        if col <= 1 and token == "#":
            self._out.append(" ")  # keeps `#` from starting a directive
        self._out.append(" " * (col - 1))
        return True

    def _must_part(self, token: Traced) -> bool:
        """Return whether a token and its predecessor would form another token without a blank between them."""
        before, last = self._previous
        if last is None:
            return False
        if not last.frames and not token.frames and last.offset + len(last) == token.offset:
            return False  # adjacent in the source
        first = token[0]
        if last in _BEFORE_EQUAL and token in ("=", "=="):
            return True
        if last in _BEFORE_CHARACTER:
            return first in _BEFORE_CHARACTER[last]
        if last == ".":
            return first.isdigit() or first == "*" or (first == "." and before == ".")
        if last[0].isalpha() or last[0] in "_$":
            if last[-1] in "\"'":
                return first.isalpha() or first == "_"
            if first in "\"'":
                return last in _STRING_PREFIXES
            return first.isalnum() or first in "_$"
        if last[0].isdigit() or (last[0] == "." and last[1:2].isdigit()):
            return first.isalnum() or first in "_.+-"
        if last[0] in "\"'":
            return first.isalpha() or first == "_"
        return False
