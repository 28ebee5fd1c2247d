"""Macros that shaders test and no file defines: candidates for permutations."""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.parsed import Directive, ParsedFile

UNDEFINED = "~"
"""The value of a permutation that lacks the macro, as YAML has it."""

OTHER_LANGUAGES = frozenset(("GLSL", "GL_ES"))
"""Macros of other languages, which headers test that several languages share; compilers' own begin with `__`."""

_WORDS = frozenset(("defined", "__has_include", "true", "false"))
_COMPARISONS = frozenset(("==", "!=", "<", ">", "<=", ">="))
MAX_DIGITS = 9
"""Limit on the digits of a value that is proposed."""

MAX_VALUES = 8
"""Limit on the values of a macro that are proposed."""


@dataclass(slots=True)
class TestedMacro:
    """A macro that conditions test: the first test, and the values that tests compare it with."""

    name: str
    file: str
    line: int
    is_number: bool = False
    """Whether its value is tested, and not only its existence."""
    values: set[int] = field(default_factory=set)
    names: dict[str, None] = field(default_factory=dict)
    """Macros that tests compare it with: it has their values, such as `MODE == MODE_FAST`."""

    def axis(self) -> list[str]:
        """Return the values of a permutation axis."""
        if not self.is_number:
            return [UNDEFINED, "1"]
        if self.names:
            return list(self.names)[:MAX_VALUES]
        return [str(number) for number in sorted(self.values | {0, 1} if len(self.values) < 2 else self.values)][
            :MAX_VALUES
        ]


def tested_macros(files: Iterable[ParsedFile], defined: frozenset[str]) -> dict[str, TestedMacro]:
    """Return the macros that conditions in files test, and that are neither ``defined`` nor the compiler's own."""
    tested: dict[str, TestedMacro] = {}
    for parsed in files:
        for item in parsed.items:
            if isinstance(item, Directive) and item.kind in ("if", "elif", "ifdef", "ifndef"):
                _add(tested, parsed, item, defined)
    return tested


def _add(tested: dict[str, TestedMacro], parsed: ParsedFile, item: Directive, defined: frozenset[str]) -> None:
    tokens = [str(token) for token in lexer.lex(item.rest)] if item.condition is not None else [item.name]
    for at, token in enumerate(tokens):
        if not lexer.IDENTIFIER.fullmatch(token) or token in _WORDS or token in defined or _is_foreign(token):
            continue
        if tokens[at + 1 : at + 2] == ["("]:
            continue  # a call of a macro
        macro = tested.get(token)
        if macro is None:
            line, _ = parsed.source.line_col(parsed.physical(item.word))
            macro = tested[token] = TestedMacro(token, parsed.source.name, line)
        before = [other for other in tokens[max(at - 2, 0) : at] if other != "("]
        if item.condition is None or "defined" in before[-1:]:
            continue
        macro.is_number = True
        other = _compared(tokens, at)
        if other.isdecimal() and len(other) <= MAX_DIGITS:
            macro.values.add(int(other))
        elif other in defined:
            macro.names[other] = None


def _is_foreign(name: str) -> bool:
    return name in OTHER_LANGUAGES or name.startswith("__")


def _compared(tokens: list[str], at: int) -> str:
    """Return the number or the name that a condition compares the token at a position with; empty for neither."""
    for operator, other in ((at + 1, at + 2), (at - 1, at - 2)):
        if 0 <= operator < len(tokens) and 0 <= other < len(tokens) and tokens[operator] in _COMPARISONS:
            text = tokens[other]
            return text.rstrip("uUlL") if text[0].isdecimal() else text
    return ""
