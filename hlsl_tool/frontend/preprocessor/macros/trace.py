"""Macro expansion over tokens that carry their locations.

Slower than ``expand.Expander``; used if spacing or locations matter: stringising, ``__LINE__`` and similar macros,
``_Pragma``, locations of diagnostics, the printed output.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from hlsl_tool.base.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.frontend.preprocessor import limits
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.lexer import SPACE_LINE, SPACE_NONE
from hlsl_tool.frontend.preprocessor.lexing.tokens import Frame, PragmaMark, Traced
from hlsl_tool.frontend.preprocessor.macros.definitions import (
    ELIDED,
    EXPANDED,
    PASTE,
    PASTE_OP,
    PLACEMARKER,
    RAW,
    STRING,
    TOKEN,
    Macro,
)
from hlsl_tool.frontend.preprocessor.macros.expand import Context, Expander, ExpansionProblem, append_variadic


class Surroundings(Protocol):
    """Provides the position-dependent values of built-in macros."""

    def line(self, offset: int) -> int:
        """Return the line number of an offset, as modified by ``#line``."""

    def file_name(self, offset: int) -> str: ...

    def level(self) -> int: ...

    def base_name(self) -> str: ...

    def next_counter(self) -> int: ...

    def is_defined(self, name: str) -> bool: ...

    def has_include(self, name: str, *, angled: bool) -> bool: ...


_FIXED_DATE = '"Jan  1 1970"'
_FIXED_TIME = '"00:00:00"'
_FIXED_STAMP = '"Thu Jan  1 00:00:00 1970"'


class TracingExpander(Expander):
    """``Expander`` over ``Traced`` tokens."""

    __slots__ = ("_around", "_end", "more", "placed", "volatile")

    def __init__(self, macros: dict[str, Macro], around: Surroundings) -> None:
        super().__init__(macros)
        self._around = around
        self._end = -1
        self.more: Callable[[], list[Traced] | None] | None = None
        """Returns more tokens when a macro invocation is still open at the end of the list."""
        self.placed = False
        """Whether the result depends on the location in the file."""
        self.volatile = False
        """Whether the result depends on more than macros and location: a counter, the include depth."""

    def expand_traced(self, tokens: list[Traced]) -> list[Traced]:
        return self._scan(tokens)[0]  # type: ignore[arg-type, return-value]

    def _more(self) -> list[str] | None:
        return self.more() if self.more is not None else None  # type: ignore[return-value]

    def _start(self, token: str) -> None:
        assert isinstance(token, Traced)
        if not token.frames:
            self._end = token.offset

    def _close(self, token: str) -> None:
        assert isinstance(token, Traced)
        if not token.frames:
            self._end = token.offset

    def _paint(self, token: str) -> str:
        assert isinstance(token, Traced)
        painted = Traced(token, token.offset, token.space, token.frames, token.root)
        painted.painted = True
        return painted

    def _join(self, left: str, joined: str) -> str:
        assert isinstance(left, Traced)
        return Traced(joined, left.offset, left.space, left.frames, left.root)

    def _vanished(self, name: str, tokens: list[str], i: int, stack: list[Context]) -> None:
        assert isinstance(name, Traced)
        if not name.space:
            return
        contexts = [(tokens, i), *((below, at) for below, at, _ in reversed(stack))]
        for below, at in contexts:
            if at < len(below):
                old = below[at]
                assert isinstance(old, Traced)
                below[at] = _respaced(old, old.space | name.space)
                return

    # ------------------------------------------------------------------------------------------ replacement lists

    def _object_body(self, macro: Macro, name: str) -> list[str]:
        assert isinstance(name, Traced)
        body: list[str] = []
        for index, token in enumerate(macro.traced_body()):
            frames = (*name.frames, Frame(macro, index))
            text = PASTE if token == "##" else token
            body.append(Traced(text, name.offset, token.space, frames, name.root))
        if macro.pastes:
            body = self._paste(body, name)
        return _lead(body, name)

    def _function_body(self, macro: Macro, name: str, arguments: list[list[str]]) -> list[str]:
        assert isinstance(name, Traced)
        out: list[str] = []
        spelled = macro.traced_body()
        expanded: list[list[str] | None] = [None] * len(arguments)
        pending = SPACE_NONE  # white space before an empty argument moves to the next token
        for operation, text, number, index in macro.program:
            space = spelled[index].space | pending
            frames = (*name.frames, Frame(macro, index))
            if operation == TOKEN:
                out.append(Traced(text, name.offset, space, frames, name.root))
            elif operation == PASTE_OP:
                out.append(Traced(PASTE, name.offset, space, frames, name.root))
            elif operation == STRING:
                out.append(Traced(self._stringise(arguments[number], name), name.offset, space, frames, name.root))
            else:
                if operation == EXPANDED or self.legacy:
                    done = expanded[number]
                    if done is None:
                        done = expanded[number] = self._expand_argument(arguments[number], name)
                else:
                    done = arguments[number]
                # After ## the argument keeps its own white space.
                copies = _through(done, Frame(macro, index), None if out and out[-1] == PASTE else space, name.root)
                if operation == EXPANDED:
                    out += copies
                    pending = SPACE_NONE if copies else space
                    continue
                if operation == RAW:
                    out += copies or [Traced(PLACEMARKER, name.offset, space, frames, name.root)]
                else:
                    append_variadic(out, copies, elided=done is ELIDED)
            pending = SPACE_NONE
        if macro.pastes:
            out = self._paste([t if isinstance(t, Traced) else Traced(t, name.offset, 0) for t in out], name)
        return _lead(out, name)

    def _expand_argument(self, argument: list[str], name: str) -> list[str]:
        if self.macros.keys().isdisjoint(argument):
            return argument
        end = self._end
        # Copy: the scan may move white space, but '#' and '##' need the original argument.
        result = super()._expand_argument(list(argument), name)
        self._end = end
        return result

    def _stringise(self, argument: list[str], name: str) -> str:
        parts: list[str] = []
        for token in argument:
            assert isinstance(token, Traced)
            if parts and token.space:
                parts.append(" ")
            if token[-1] in "\"'":
                parts.append(token.replace("\\", "\\\\").replace('"', '\\"'))
            else:
                parts.append(str(token))
        text = '"' + "".join(parts) + '"'
        if len(text) > limits.MAX_TOKEN_LENGTH:
            raise ExpansionProblem(codes.TOKEN_TOO_LONG, name, limit=limits.MAX_TOKEN_LENGTH)
        return text

    # ------------------------------------------------------------------------------------------ builtins

    def _builtin(self, macro: Macro, token: str, tokens: list[str], i: int) -> tuple[list[str], int] | None:
        assert isinstance(token, Traced)
        kind = macro.builtin
        if kind == "defined" or kind == "has":
            return self._test(kind, token, tokens, i)
        if kind == "pragma":
            return self._pragma(token, tokens, i)
        around = self._around
        place = self._end if token.frames and self._end >= 0 else token.offset
        self.placed = True
        if kind == "line":
            text = str(around.line(place))
        elif kind == "file":
            text = quote(around.file_name(place))
        elif kind == "date" or kind == "time" or kind == "timestamp":
            self.problems.append((codes.DATE_TIME, token, {}))
            text = {"date": _FIXED_DATE, "time": _FIXED_TIME}.get(kind, _FIXED_STAMP)
        else:
            self.volatile = True
            if kind == "counter":
                text = str(around.next_counter())
            elif kind == "level":
                text = str(around.level())
            else:
                text = quote(around.base_name())
        return [Traced(text, token.offset, token.space, token.frames, token.root)], i

    def _pragma(self, token: Traced, tokens: list[str], i: int) -> tuple[list[str], int] | None:
        if self._level:
            return None  # in an argument, it is executed after substitution
        window = tokens[i : i + 3]
        if len(window) < 3 or window[0] != "(" or window[2] != ")" or not lexer.WHOLE_STRING.fullmatch(window[1]):
            self.problems.append((codes.PRAGMA_OPERATOR_MALFORMED, token, {}))
            return [], i
        self.volatile = True
        return [PragmaMark(unquote(window[1]), token.offset, SPACE_LINE, token.frames, token.root)], i + 3

    def _test(self, kind: str, token: Traced, tokens: list[str], i: int) -> tuple[list[str], int] | None:
        """Evaluate ``defined X``, ``defined(X)`` or ``__has_include(<x>)``, whose operand is not expanded."""
        rest = tokens[i:]
        if kind == "has":
            return self._test_include(token, rest, i)
        bracket = bool(rest) and rest[0] == "("
        name = rest[1] if bracket and len(rest) > 1 else rest[0] if rest and not bracket else ""
        if not lexer.IDENTIFIER.fullmatch(name):
            self.problems.append((codes.MACRO_NAME_NOT_IDENTIFIER if name else codes.MACRO_NAME_MISSING, token, {}))
            return [Traced("0", token.offset, token.space)], len(tokens)
        used = 1
        if bracket:
            if len(rest) < 3 or rest[2] != ")":
                self.problems.append((codes.MISSING_AFTER, token, {"missing": ")", "after": "'defined'"}))
                return [Traced("0", token.offset, token.space)], len(tokens)
            used = 3
        value = "1" if self._around.is_defined(str(name)) else "0"
        return [Traced(value, token.offset, token.space)], i + used

    def _test_include(self, token: Traced, rest: list[str], i: int) -> tuple[list[str], int] | None:
        closing = rest.index(")") if ")" in rest else -1
        inner = rest[1:closing]
        if not rest or rest[0] != "(" or closing < 0 or not inner:
            self.problems.append((codes.INCLUDE_EXPECTS_NAME, token, {}))
            return [Traced("0", token.offset, token.space)], i + len(rest)
        if lexer.WHOLE_STRING.fullmatch(inner[0]) and len(inner) == 1:
            name, angled = inner[0][1:-1], False
        elif inner[0] == "<" and inner[-1] == ">":
            name, angled = "".join(inner[1:-1]), True
        else:
            self.problems.append((codes.INCLUDE_EXPECTS_NAME, token, {}))
            name, angled = "", True
        exists = bool(name) and self._around.has_include(name, angled=angled)
        return [Traced("1" if exists else "0", token.offset, token.space)], i + closing + 1


def _lead(body: list[str], name: Traced) -> list[str]:
    """Give the first token of an expansion the white space that precedes the macro's name."""
    if body:
        first = body[0]
        assert isinstance(first, Traced)
        if first.space != name.space:
            body[0] = _respaced(first, name.space)
    return body


def _respaced(token: Traced, space: int) -> Traced:
    copy = token.__class__(token, token.offset, space, token.frames, token.root)
    copy.painted = token.painted
    return copy


def _through(argument: list[str], frame: Frame, space: int | None, root: int) -> list[str]:
    """Return copies of an argument's tokens for their place in the macro's expansion.

    ``frame`` is the place in the macro's body, and is added to their histories. ``space`` replaces the spacing of the
    first token unless it is ``None``; ``root`` is the offset in the text of the outermost macro name.
    """
    result: list[str] = []
    for token in argument:
        assert isinstance(token, Traced)
        blank = token.space if result or space is None else space
        copy = token.__class__(token, token.offset, blank, (*token.frames, frame), root)
        copy.painted = token.painted
        result.append(copy)
    return result


def quote(text: str) -> str:
    """Return a string literal with backslashes and quotes escaped."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquote(token: str) -> str:
    """Convert the string operand of ``_Pragma`` to its text (C11 6.10.9)."""
    return token[token.index('"') + 1 : -1].replace('\\"', '"').replace("\\\\", "\\")
