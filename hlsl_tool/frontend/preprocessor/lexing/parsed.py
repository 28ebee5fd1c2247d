"""A file, split into directives and runs of text.

Parsed files depend only on their content, and are cached.  Runs and definitions are interned by their text: after an
edit only changed runs are lexed again, and cached results of the others stay valid.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from hlsl_tool.base.source import SourceFile
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.macros.definitions import Macro, Problem, parse_definition

_DIRECTIVE: Final = re.compile(r"^[^\S\n]*#[^\S\n]*([^\W\d]\w*|\d+)?([^\n]*)", re.MULTILINE)
_NOT_DEFINED: Final = re.compile(r"!\s*defined\s*(?:\(\s*(\w+)\s*\)|\s(\w+))")

CONDITIONS: Final = frozenset(("if", "ifdef", "ifndef"))
CLAUSES: Final = frozenset(("elif", "else", "endif"))

Names = frozenset[str]
MacroSet = frozenset[Macro]


def visible(names: Names, macros: dict[str, Macro]) -> MacroSet:
    """Return the definitions of these names in ``macros``: a cache key for results that depend on these names only."""
    if len(macros) < len(names):
        return frozenset(map(macros.__getitem__, names.intersection(macros)))
    return frozenset(map(macros.__getitem__, macros.keys() & names))


class Run:
    """The tokens of a piece of text without directives."""

    __slots__ = ("ids", "memo", "pasted", "suspect", "tokens")

    def __init__(self, text: str) -> None:
        self.tokens = lexer.lex(text)
        distinct = set(self.tokens)
        self.ids: Names = frozenset(token for token in distinct if token[0].isalpha() or token[0] in "_$")
        self.memo: list[tuple[Names, dict[MacroSet, list[str]]]] = []
        """Cached expansions: looked-up names → definitions of these names → tokens."""
        self.pasted: Names = frozenset()
        """Identifiers made by ``##`` in some expansion, which were also looked up."""
        self.suspect = not text.isascii() or any(
            (token[0] == '"' and not lexer.WHOLE_STRING.fullmatch(token))
            or (token[0] == "'" and not lexer.WHOLE_CHARACTER.fullmatch(token))
            for token in distinct
        )
        """Whether the text needs checks: unterminated strings, non-ASCII characters."""


class Verdict(NamedTuple):
    """The value of an ``#if`` condition, and whether it was found without evaluating undefined identifiers as 0."""

    holds: bool
    is_complete: bool
    """False if undefined identifiers were evaluated as 0; evaluated again if that must be reported."""


class Condition:
    """The expression of an ``#if``."""

    __slots__ = ("ids", "memo")

    def __init__(self, text: str) -> None:
        self.ids: Names = frozenset(lexer.IDENTIFIER.findall(text))
        self.memo: list[tuple[Names, dict[MacroSet, Verdict]]] = []


class TextRun:
    """A run at a position in a file."""

    __slots__ = ("end", "run", "start")

    def __init__(self, run: Run, start: int, end: int) -> None:
        self.run = run
        self.start = start
        self.end = end


class Directive:
    """A directive at a position in a file."""

    __slots__ = ("at", "condition", "definition", "jump", "kind", "name", "rest", "start", "word")

    def __init__(self, kind: str, rest: str, start: int, word: int, at: int) -> None:
        self.kind = kind
        self.rest = rest
        """Clean text after the directive's name, white space stripped."""
        self.start = start
        """Offset of the ``#``."""
        self.word = word
        """Offset of the directive's name, where diagnostics point."""
        self.at = at
        """Offset of ``rest``."""
        self.jump = -1
        """For conditions: index of the next clause of the same ``#if``; past the last item if there is none."""
        self.name = ""
        """Operand of ``ifdef``, ``ifndef`` and ``undef``."""
        self.definition: Macro | Problem | None = None
        self.condition: Condition | None = None


Item = TextRun | Directive


class Interner:
    """Caches runs, definitions and conditions, each by its text."""

    __slots__ = ("conditions", "definitions", "runs")

    def __init__(self) -> None:
        self.runs: dict[str, Run] = {}
        self.definitions: dict[str, Macro | Problem] = {}
        self.conditions: dict[str, Condition] = {}

    def run(self, text: str) -> Run:
        run = self.runs.get(text)
        if run is None:
            run = self.runs[text] = Run(text)
        return run

    def definition(self, text: str) -> Macro | Problem:
        definition = self.definitions.get(text)
        if definition is None:
            definition = self.definitions[text] = parse_definition(text)
        return definition

    def condition(self, text: str) -> Condition:
        condition = self.conditions.get(text)
        if condition is None:
            condition = self.conditions[text] = Condition(text)
        return condition


class ParsedFile:
    """The directives and texts of a file, and the identifiers in its text."""

    __slots__ = ("clean", "guard", "ids", "items", "misplaced", "source", "splices", "tested", "unterminated")

    def __init__(self, source: SourceFile, interner: Interner) -> None:
        self.source = source
        logical, self.splices = lexer.splice(source.text)
        self.clean, self.unterminated = lexer.clean(logical)
        """``unterminated`` is the offset of a comment that never ends, or -1."""
        self.items: list[Item] = []
        self.guard = ""
        """The include guard; ``""`` if there is none."""
        ids: set[str] = set()
        tested: set[str] = set()
        self.misplaced: list[int] = []
        """Indices of ``#else`` and ``#elif`` after an ``#else``, an error even in skipped text."""
        self._split(interner, ids, tested)
        self.ids: Names = frozenset(ids)
        """All identifiers that can affect the output of this file, those in macro bodies included."""
        self._link()
        self._find_guard()
        self.tested: Names = frozenset(tested - {self.guard})
        """The names that its conditions test."""

    def _split(self, interner: Interner, ids: set[str], tested: set[str]) -> None:
        text = self.clean
        items = self.items
        position = 0
        for match in _DIRECTIVE.finditer(text):
            self._text(interner, ids, position, match.start())
            position = match.end()
            kind, rest = match.group(1) or "", match.group(2)
            stripped = rest.strip()
            at = match.start(2) + len(rest) - len(rest.lstrip()) if stripped else match.start(2)
            start = text.index("#", match.start())
            item = Directive(kind, stripped, start, match.start(1) if kind else start, at)
            items.append(item)
            if kind == "define":
                definition = item.definition = interner.definition(stripped)
                if isinstance(definition, Macro):
                    ids |= definition.ids
                    ids.add(definition.name)
            elif kind == "if" or kind == "elif":
                item.condition = interner.condition(stripped)
                tested |= item.condition.ids
            elif kind in ("ifdef", "ifndef", "undef"):
                name = lexer.IDENTIFIER.match(stripped)
                item.name = name.group() if name else ""
                ids.add(item.name)
                if kind != "undef":
                    tested.add(item.name)
            elif kind in ("include", "line", "pragma"):
                ids.update(lexer.IDENTIFIER.findall(stripped))
        self._text(interner, ids, position, len(text))
        ids |= tested

    def _text(self, interner: Interner, ids: set[str], start: int, end: int) -> None:
        text = self.clean[start:end]
        if text and not text.isspace():
            run = interner.run(text)
            ids |= run.ids
            self.items.append(TextRun(run, start, end))

    def _find_guard(self) -> None:
        """Detect an include guard: an ``#ifndef`` around the whole file, without ``#elif`` or ``#else``."""
        if len(self.items) < 2:
            return
        first, last = self.items[0], self.items[-1]
        if not isinstance(first, Directive) or not isinstance(last, Directive):
            return
        if first.jump != len(self.items) - 1 or last.kind != "endif":
            return
        if first.kind == "ifndef":
            self.guard = first.name
        elif first.kind == "if":
            match = _NOT_DEFINED.fullmatch(first.rest)
            self.guard = match.group(1) or match.group(2) if match else ""

    def _link(self) -> None:
        """Link every ``#if``, ``#elif`` and ``#else`` to the next directive of the same condition."""
        items = self.items
        opened: list[Directive] = []
        for index, item in enumerate(items):
            if isinstance(item, TextRun):
                continue
            if item.kind in CONDITIONS:
                item.jump = len(items)
                opened.append(item)
            elif item.kind in CLAUSES and opened:
                opened[-1].jump = index
                if item.kind == "endif":
                    opened.pop()
                else:
                    if opened[-1].kind == "else":
                        self.misplaced.append(index)
                    item.jump = len(items)
                    opened[-1] = item

    def physical(self, offset: int) -> int:
        """Map an offset in the text without comments and line continuations to one in the file's content."""
        return self.splices.physical(offset)
