"""Running the expanders within one preprocessing: their surroundings, and their complaints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from hlsl_tool.diagnostics import Code, Diagnostic
from hlsl_tool.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.preprocessor.inclusion.lookup import find
from hlsl_tool.preprocessor.lexing import lexer
from hlsl_tool.preprocessor.lexing.parsed import MacroSet, Names, TextRun, visible
from hlsl_tool.preprocessor.lexing.tokens import Traced
from hlsl_tool.preprocessor.macros.definitions import Macro
from hlsl_tool.preprocessor.macros.expand import ExpansionProblem
from hlsl_tool.preprocessor.macros.trace import TracingExpander
from hlsl_tool.preprocessor.places import location
from hlsl_tool.preprocessor.state import OpenFile, State, Stop


class Around:
    """Answers the builtin macros for one open file (``trace.Surroundings``)."""

    __slots__ = ("_opened", "_state")

    def __init__(self, state: State, opened: OpenFile) -> None:
        self._state = state
        self._opened = opened

    def line(self, offset: int) -> int:
        return self._opened.visit.presented(offset)[1]

    def file_name(self, offset: int) -> str:
        return self._opened.visit.presented(offset)[0]

    def level(self) -> int:
        return len(self._state.open_files) - 1

    def base_name(self) -> str:
        return self._state.open_files[0].visit.presented(0)[0]

    def next_counter(self) -> int:
        value = self._state.counter
        self._state.counter += 1
        return value

    def is_defined(self, name: str) -> bool:
        return name in self._state.macros

    def has_include(self, name: str, *, angled: bool) -> bool:
        found = find(self._state, name, angled=angled)
        if found is None:
            return False
        self._opened.asked.setdefault(found.file.source.path, found.file)
        return True


def closure(names: Names, macros: dict[str, Macro]) -> Names:
    """The names, and all that the macros they reach mention: what a result can depend on."""
    todo = list(names.intersection(macros)) if len(macros) < len(names) else list(macros.keys() & names)
    if not todo:
        return names
    seen = set(names)
    while todo:
        for name in macros[todo.pop()].ids:
            if name not in seen:
                seen.add(name)
                if name in macros:
                    todo.append(name)
    return frozenset(seen)


T = TypeVar("T")


def remember(memo: list[tuple[Names, dict[MacroSet, T]]], names: Names, macros: dict[str, Macro], value: T) -> None:
    """Keep a result for all tables in which the names mean what they mean now."""
    key = visible(names, macros)
    for known, results in memo:
        if known == names:
            results[key] = value
            return
    memo.append((names, {key: value}))


def lex_text(clean: str, text: TextRun) -> list[Traced]:
    """The tokens of a run of text, with their places."""
    return lexer.lex_traced(clean, text.start, text.end)


def run_expander(state: State, opened: OpenFile, expander: TracingExpander, tokens: list[Traced]) -> list[Traced]:
    """Expand, and report what went wrong."""
    try:
        result = expander.expand_traced(tokens)
    except ExpansionProblem as problem:
        report(state, [*expander.problems, (problem.code, problem.token, problem.fields)])
        raise Stop from None
    opened.pasted |= expander.pasted
    report(state, expander.problems)
    return result


def report(state: State, problems: Sequence[tuple[Code, str, dict[str, Any]]]) -> None:
    for code, token, fields in problems:
        assert isinstance(token, Traced)
        if code.severity == "warning":
            state.warning(code, token, **fields)
            continue
        notes: tuple[Diagnostic, ...] = ()
        name = fields.get("macro")
        macro = state.macros.get(name) if isinstance(name, str) else None
        if macro is not None:
            notes = (_defined_here(state, macro),)
        state.error(code, token, notes=notes, **fields)


def _defined_here(state: State, macro: Macro) -> Diagnostic:
    found = state.definitions().find(macro)
    where = location(found[0], found[1]) if found is not None else None
    return state.sink.note(codes.MACRO_DEFINED_HERE, where, name=macro.name)
