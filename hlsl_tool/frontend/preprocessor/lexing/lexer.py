"""Split text into preprocessing tokens.

Two lexers share the same patterns.  The fast one is a single ``findall`` that returns plain spellings.  The other
returns ``Traced`` tokens, strings with their offset and preceding white space; it serves stringising, locations and the
printed output, on demand for one run of text.

There are three versions of a text.  *Physical* text is the file's content.  *Logical* text has line continuations
removed (``Splices`` maps offsets back).  *Clean* text is logical text in which all comments are replaced by blanks,
character for character, so that both have the same offsets.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from hlsl_tool.frontend.preprocessor.lexing.tokens import Traced

# A preprocessing number takes letters, '#' (for the old "1.#INF") and one period; a period in front of 'x' or 'r' is a
# swizzle ("1.xxx"), and a sign belongs to the number after an exponent letter.  All as DXC lexes them.
_NUMBER = (
    r"0[xX](?:[eEpP][+-]|[\w#])*(?:\.(?![xr])(?:[eEpP][+-]|[\w#])*)?"
    r"|\d(?:[eE][+-]|[\w#])*(?:\.(?![xr])(?:[eE][+-]|[\w#])*)?"
    r"|\.\d(?:[eE][+-]|[\w#])*"
)
_STRING = r'"(?:[^"\\\n]|\\.)*"?'
_CHARACTER = r"'(?:[^'\\\n]|\\.)*'?"
_OPERATOR = (
    r"<<=|>>=|\.\.\.|->\*|->|::|##|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|%=|&=|\|=|\^="
    r"|[^\s]"
)
_IDENTIFIER = r"[^\W\d][\w$]*|\$[\w$]*"

TOKEN: Final = re.compile(rf"{_IDENTIFIER}|{_NUMBER}|{_STRING}|{_CHARACTER}|{_OPERATOR}")
# Strings with a prefix are rare, and the alternative slows down every identifier: used only if an identifier L occurs.
_PREFIXED: Final = re.compile(rf"L{_STRING}|L{_CHARACTER}|{TOKEN.pattern}")

IDENTIFIER: Final = re.compile(r"(?:[^\W\d]|\$)[\w$]*")
WHOLE_STRING: Final = re.compile(r'L?"(?:[^"\\\n]|\\.)*"')
WHOLE_CHARACTER: Final = re.compile(r"L?'(?:[^'\\\n]|\\.)*'")

_CONTINUATION: Final = re.compile(r"\\[ \t\f\v]*\r?\n")
# Comments, and tokens that may contain a comment mark.  A file name in angle brackets may contain "//".
_COMMENT: Final = re.compile(
    rf"#[ \t]*include[ \t]*<[^>\n]*>|//[^\n]*|/\*.*?\*/|/\*|{_STRING}|{_CHARACTER}",
    re.DOTALL,
)

SPACE_NONE: Final = 0
SPACE: Final = 1
SPACE_LINE: Final = 2
"""A separate bit for the first token of a line; an indented token has both bits."""


def lex(text: str) -> list[str]:
    """Return the spellings of all tokens in a text without comments and line continuations."""
    tokens = TOKEN.findall(text)
    if 'L"' in text or "L'" in text:
        return _PREFIXED.findall(text)
    return tokens


def is_token(text: str) -> bool:
    """Return whether a text is exactly one token; ``//`` and ``/*`` are not."""
    return text not in ("//", "/*") and _PREFIXED.fullmatch(text) is not None


def spans(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of the tokens of ``text[start:end]``."""
    stop = len(text) if end is None else end
    pattern = _PREFIXED if text.find('L"', start, stop) >= 0 or text.find("L'", start, stop) >= 0 else TOKEN
    return [match.span() for match in pattern.finditer(text, start, stop)]


def lex_traced(text: str, start: int = 0, end: int | None = None, *, first: int = SPACE_LINE) -> list[Traced]:
    """Return the tokens of ``text[start:end]`` with offsets and spacing.

    ``first`` is the spacing of the first token.
    """
    result: list[Traced] = []
    previous = start
    for begin, stop in spans(text, start, end):
        if not result:
            space = first if not first or begin == start or text[begin - 1] == "\n" else first | SPACE
        elif begin == previous:
            space = SPACE_NONE
        elif text.find("\n", previous, begin) >= 0:
            space = SPACE_LINE if text[begin - 1] == "\n" else SPACE_LINE | SPACE
        else:
            space = SPACE
        result.append(Traced(text[begin:stop], begin, space))
        previous = stop
    return result


class Splices:
    """Maps offsets in logical text to offsets in physical text."""

    __slots__ = ("_logical", "_shift")

    def __init__(self) -> None:
        self._logical: list[int] = []
        self._shift: list[int] = []

    def add(self, logical: int, shift: int) -> None:
        self._logical.append(logical)
        self._shift.append(shift)

    def physical(self, offset: int) -> int:
        at = bisect_right(self._logical, offset)
        return offset + self._shift[at - 1] if at else offset

    def __bool__(self) -> bool:
        return bool(self._logical)


def splice(text: str) -> tuple[str, Splices]:
    """Remove line continuations, including those with blanks or a carriage return after the backslash."""
    splices = Splices()
    if "\\" not in text:
        return text, splices
    parts: list[str] = []
    position = removed = 0
    for match in _CONTINUATION.finditer(text):
        parts.append(text[position : match.start()])
        position = match.end()
        removed += position - match.start()
        splices.add(position - removed, removed)
    if not parts:
        return text, splices
    parts.append(text[position:])
    return "".join(parts), splices


def clean(text: str) -> tuple[str, int]:
    """Replace comments of logical text by blanks.

    Also return the offset of an unterminated comment, -1 if there is none.
    """
    if "/*" not in text and "//" not in text:
        return text, -1
    unterminated = -1

    def blank(match: re.Match[str]) -> str:
        nonlocal unterminated
        word = match.group()
        if word[0] != "/":
            return word
        if word == "/*" and unterminated < 0:
            unterminated = match.start()
        # A comment is one blank even if it spans lines: it ends no directive, and the token after it does not begin a
        # line.
        return " " * len(word)

    result = _COMMENT.sub(blank, text)
    if unterminated >= 0:
        result = result[:unterminated] + " " * (len(result) - unterminated)
    return result, unterminated
