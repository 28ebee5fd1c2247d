"""Text to preprocessing tokens.

Two ways over the same patterns.  The hot one is a single ``findall`` that yields bare spellings.  The other one yields
``Traced`` tokens, strings that also know where they stand and whether white space precedes them; it serves
stringising, positions and the printed output, and is run on demand over one run of text.

A file goes through three forms.  *Physical* text is what the file holds.  *Logical* text has line continuations taken
out (``Splices`` has the way back).  *Clean* text is the logical text with every comment blanked, character for
character, so that offsets in the two agree.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from hlsl_tool.preprocessor.lexing.tokens import Traced

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
# Strings with a prefix are rare, and the alternative would cost every identifier: used where an identifier L turns up.
_PREFIXED: Final = re.compile(rf"L{_STRING}|L{_CHARACTER}|{TOKEN.pattern}")

IDENTIFIER: Final = re.compile(r"(?:[^\W\d]|\$)[\w$]*")
WHOLE_STRING: Final = re.compile(r'L?"(?:[^"\\\n]|\\.)*"')
WHOLE_CHARACTER: Final = re.compile(r"L?'(?:[^'\\\n]|\\.)*'")

_CONTINUATION: Final = re.compile(r"\\[ \t\f\v]*\r?\n")
# What may hide a comment mark, and comments.  An angled file name may hold "//".
_COMMENT: Final = re.compile(
    rf"#[ \t]*include[ \t]*<[^>\n]*>|//[^\n]*|/\*.*?\*/|/\*|{_STRING}|{_CHARACTER}",
    re.DOTALL,
)

SPACE_NONE: Final = 0
SPACE: Final = 1
SPACE_LINE: Final = 2
"""A bit of its own: the first token of its line; an indented one has both."""


def lex(text: str) -> list[str]:
    """The spellings of all tokens in clean text."""
    tokens = TOKEN.findall(text)
    if 'L"' in text or "L'" in text:
        return _PREFIXED.findall(text)
    return tokens


def is_token(text: str) -> bool:
    """Is this text one token?  A comment mark is none."""
    return text not in ("//", "/*") and _PREFIXED.fullmatch(text) is not None


def spans(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The (start, end) offsets of the tokens that ``lex`` yields for ``text[start:end]``."""
    stop = len(text) if end is None else end
    pattern = _PREFIXED if text.find('L"', start, stop) >= 0 or text.find("L'", start, stop) >= 0 else TOKEN
    return [match.span() for match in pattern.finditer(text, start, stop)]


def lex_traced(text: str, start: int = 0, end: int | None = None, *, first: int = SPACE_LINE) -> list[Traced]:
    """The tokens of ``text[start:end]`` with their offsets and spacing; the first token's spacing is given."""
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
    """The way from offsets in logical text back to the physical text."""

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
    """Take out line continuations (also with blanks or a carriage return behind the backslash)."""
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
    """Blank the comments of logical text; also the offset of a comment that is never closed (-1 if there is none)."""
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
        # A comment is one blank even if it holds line ends: they end no directive, and what follows the comment does
        # not begin a line.
        return " " * len(word)

    result = _COMMENT.sub(blank, text)
    if unterminated >= 0:
        result = result[:unterminated] + " " * (len(result) - unterminated)
    return result, unterminated
