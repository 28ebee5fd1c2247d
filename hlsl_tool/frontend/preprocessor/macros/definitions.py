"""Macro definitions, parsed from the text after ``#define``."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from hlsl_tool.base.diagnostics import Code
from hlsl_tool.base.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.lexer import SPACE_NONE
from hlsl_tool.frontend.preprocessor.lexing.tokens import Traced

PASTE: Final = "\0##"
"""The ``##`` operator inside a substituted body; a ``##`` from an argument is an ordinary token.  Files
with NUL characters are rejected, so it equals no token."""

PLACEMARKER: Final = "\0"
"""Placeholder for an empty operand of ``##``."""

# Operations of a body, see Macro.program.
TOKEN: Final = 0
EXPANDED: Final = 1
RAW: Final = 2
STRING: Final = 3
PASTE_OP: Final = 4
ELIDED: Final[list[str]] = []
"""An absent variadic argument, compared by identity; distinct from an empty one."""

VA_RAW: Final = 5
"""The variadic argument after ``, ##``: if absent, the comma is removed too (a common GNU extension)."""

Builtin = Literal["line", "file", "counter", "level", "base", "date", "time", "timestamp", "pragma", "defined", "has"]


class Problem(NamedTuple):
    """An error in a macro definition, not yet reported, because files share definitions."""

    code: Code
    offset: int
    """Offset in the definition's text."""
    fields: dict[str, str]


class Macro:
    """A macro definition.

    Definitions with equal text are the same object, so that sets of macros can be cache keys.
    """

    __slots__ = (
        "_traced",
        "body",
        "builtin",
        "ids",
        "name",
        "params",
        "pastes",
        "problem",
        "program",
        "stringises",
        "text",
        "variadic",
    )

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        """The clean text after ``#define``, starting with the name."""
        self.params: list[str] | None = None
        """Parameter names, a variadic one last; ``None`` for an object-like macro."""
        self.variadic = False
        self.body: list[str] = []
        self.ids: frozenset[str] = frozenset()
        self.program: list[tuple[int, str, int, int]] = []
        """The body of a function-like macro as (operation, token, parameter number, index in the body)."""
        self.pastes = False
        self.stringises = False
        self.builtin: Builtin | None = None
        self.problem: Problem | None = None
        self._traced: list[Traced] | None = None

    def body_start(self) -> int:
        """Offset of the replacement list in ``text``."""
        if self.params is None:
            return len(self.name)
        return self.text.index(")", len(self.name)) + 1

    def traced_body(self) -> list[Traced]:
        """Return the replacement list with spacing and offsets in ``text``; the first token has no leading blank."""
        if self._traced is None:
            self._traced = lexer.lex_traced(self.text, self.body_start(), first=SPACE_NONE)
        return self._traced

    def same_as(self, other: Macro) -> bool:
        """Return whether this is a valid redefinition of the other macro (C11 6.10.3p2)."""
        if self is other:
            return True
        if self.builtin or other.builtin or self.params != other.params or self.body != other.body:
            return False
        mine = [token.space != SPACE_NONE for token in self.traced_body()]
        return mine == [token.space != SPACE_NONE for token in other.traced_body()]

    def __repr__(self) -> str:
        return f"Macro({self.text!r})"


def parse_definition(text: str) -> Macro | Problem:
    """Parse the text after ``#define``, from which comments and the white space at both ends are removed.

    A definition with an error in its body still defines the name and stores the error in ``problem``, so that one
    mistake causes one error.
    """
    match = lexer.IDENTIFIER.match(text)
    if match is None:
        code = codes.MACRO_NAME_MISSING if not text else codes.MACRO_NAME_NOT_IDENTIFIER
        return Problem(code, 0, {})
    name = match.group()
    if name == "defined":
        return Problem(codes.DEFINED_AS_MACRO_NAME, 0, {})
    macro = Macro(name, text)
    position = match.end()
    if text.startswith("(", position):
        problem = _parse_parameters(macro, text, position + 1)
        if problem is not None:
            return problem
        position = macro.body_start()
    macro.body = lexer.lex(text[position:])
    macro.ids = frozenset(token for token in macro.body if lexer.IDENTIFIER.match(token))
    _compile_body(macro)
    return macro


def _parse_parameters(macro: Macro, text: str, start: int) -> Problem | None:
    end = text.find(")", start)
    tokens = lexer.lex_traced(text, start, end if end >= 0 else None)
    params: list[str] = []
    expect_name = True
    for i, token in enumerate(tokens):
        code: Code | None = None
        if expect_name:
            code = _add_parameter(macro, params, token)
            expect_name = False
        elif token == "," and not macro.variadic:
            if i == len(tokens) - 1 and end >= 0:
                return Problem(codes.EXPECTED_IDENTIFIER_IN_PARAMETERS, end, {})
            expect_name = True
        elif macro.variadic:
            code = codes.MISSING_RPAREN_IN_MACRO
        elif token == "...":
            macro.variadic = True  # a named variadic parameter: args...
        else:
            code = codes.EXPECTED_COMMA_IN_PARAMETERS
        if code is not None:
            return Problem(code, token.offset, {"name": token} if code is codes.DUPLICATE_PARAMETER else {})
    if end < 0:
        return Problem(codes.MISSING_RPAREN_IN_MACRO, len(text), {})
    macro.params = params
    return None


def _add_parameter(macro: Macro, params: list[str], token: str) -> Code | None:
    """Append the parameter that ``token`` names; return the error code if it is invalid, else ``None``."""
    if macro.variadic:
        return codes.MISSING_RPAREN_IN_MACRO
    if token == "...":
        macro.variadic = True
        params.append("__VA_ARGS__")
        return None
    if lexer.IDENTIFIER.fullmatch(token) is None:
        return codes.EXPECTED_IDENTIFIER_IN_PARAMETERS if token == "," else codes.INVALID_PARAMETER_TOKEN
    if token in params:
        return codes.DUPLICATE_PARAMETER
    params.append(str(token))
    return None


def _compile_body(macro: Macro) -> None:
    body = macro.body
    last = len(body) - 1
    macro.pastes = "##" in body
    if macro.pastes:
        if body[0] == "##":
            macro.problem = Problem(codes.PASTE_AT_START, macro.traced_body()[0].offset, {})
        elif body[last] == "##":
            macro.problem = Problem(codes.PASTE_AT_END, macro.traced_body()[last].offset, {})
        if macro.problem is not None:
            macro.body, macro.ids, macro.pastes = [], frozenset(), False
            return
    if macro.params is None:
        macro.program = [(PASTE_OP if t == "##" else TOKEN, t, 0, i) for i, t in enumerate(body)]
        return
    numbers = {name: number for number, name in enumerate(macro.params)}
    i = 0
    while i <= last:
        token = body[i]
        if token == "##":
            macro.program.append((PASTE_OP, token, 0, i))
        elif token == "#":
            number = numbers.get(body[i + 1], -1) if i < last else -1
            if number < 0:
                offset = macro.traced_body()[min(i + 1, last)].offset
                macro.problem = Problem(codes.STRINGISE_NOT_PARAMETER, offset, {})
                macro.body, macro.ids, macro.program, macro.pastes = [], frozenset(), [], False
                return
            macro.stringises = True
            macro.program.append((STRING, token, number, i))
            i += 1
        elif token in numbers:
            number = numbers[token]
            before = i > 0 and body[i - 1] == "##"
            operation = RAW if before or (i < last and body[i + 1] == "##") else EXPANDED
            if before and macro.variadic and number == len(numbers) - 1 and i > 1 and body[i - 2] == ",":
                operation = VA_RAW
            macro.program.append((operation, token, number, i))
        else:
            macro.program.append((TOKEN, token, 0, i))
        i += 1


def builtin(name: str, kind: Builtin) -> Macro:
    """Return a built-in macro whose value depends on its position, such as `__LINE__`."""
    macro = Macro(name, name)
    macro.builtin = kind
    return macro


# ``_Pragma`` etc. are in the macro table, so that runs that mention them are expanded.
BUILTINS: Final[dict[str, Macro]] = {
    macro.name: macro
    for macro in (
        builtin("__LINE__", "line"),
        builtin("__FILE__", "file"),
        builtin("__COUNTER__", "counter"),
        builtin("__INCLUDE_LEVEL__", "level"),
        builtin("__BASE_FILE__", "base"),
        builtin("__DATE__", "date"),
        builtin("__TIME__", "time"),
        builtin("__TIMESTAMP__", "timestamp"),
        builtin("_Pragma", "pragma"),
    )
}
DEFINED: Final = builtin("defined", "defined")
HAS_INCLUDE: Final = builtin("__has_include", "has")
