"""Run the macro expanders as part of a preprocessing run: provide their context, report their errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from hlsl_tool.base.diagnostics import Code, Diagnostic
from hlsl_tool.base.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.frontend.preprocessor.inclusion.lookup import find
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.parsed import MacroSet, Names, TextRun, visible
from hlsl_tool.frontend.preprocessor.lexing.tokens import Traced
from hlsl_tool.frontend.preprocessor.locations import location
from hlsl_tool.frontend.preprocessor.macros.definitions import Macro
from hlsl_tool.frontend.preprocessor.macros.expand import ExpansionProblem
from hlsl_tool.frontend.preprocessor.macros.trace import TracingExpander
from hlsl_tool.frontend.preprocessor.state import OpenFile, State, Stop


class Around:
    """The position-dependent values of built-in macros in an open file (implements ``trace.Surroundings``)."""

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
        target = find(self._state, name, angled=angled)
        if target is None:
            return False
        self._opened.asked.setdefault(target.file.source.path, target.file)
        return True


def closure(names: Names, macros: dict[str, Macro]) -> Names:
    """Return the names and all names that their macros mention, also indirectly: the dependencies of a result."""
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
    """Cache a result in ``memo`` for all macro tables in which these names have the same definitions as in ``macros``.

    ``memo`` is a list of pairs (names, results by the definitions of these names).
    """
    key = visible(names, macros)
    for memo_names, results in memo:
        if memo_names == names:
            results[key] = value
            return
    memo.append((names, {key: value}))


def lex_text(clean: str, text: TextRun) -> list[Traced]:
    """Return the tokens of a run of text with their locations."""
    return lexer.lex_traced(clean, text.start, text.end)


def run_expander(state: State, opened: OpenFile, expander: TracingExpander, tokens: list[Traced]) -> list[Traced]:
    """Expand tokens and report errors."""
    try:
        result = expander.expand_traced(tokens)
    except ExpansionProblem as problem:
        report(state, [*expander.problems, (problem.code, problem.token, problem.fields)])
        raise Stop from None
    opened.pasted |= expander.pasted
    report(state, expander.problems)
    return result


def report(state: State, problems: Sequence[tuple[Code, str, dict[str, Any]]]) -> None:
    """Report the errors of an expansion, each with a note at the definition of the macro."""
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
    origin = state.definitions().find(macro)
    where = location(origin[0], origin[1]) if origin is not None else None
    return state.sink.note(codes.MACRO_DEFINED_HERE, where, name=macro.name)
