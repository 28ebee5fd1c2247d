"""Runs of text through the macro table."""

from __future__ import annotations

from hlsl_tool.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.preprocessor import lexer
from hlsl_tool.preprocessor.expand import Expander, ExpansionProblem, NeedsTrace
from hlsl_tool.preprocessor.expansion import Around, closure, lex_text, remember, report, run_expander
from hlsl_tool.preprocessor.lexer import Traced
from hlsl_tool.preprocessor.macros import Macro
from hlsl_tool.preprocessor.parsed import Run, TextRun
from hlsl_tool.preprocessor.pragmas import pragma
from hlsl_tool.preprocessor.state import OpenFile, Pending, State, Stop
from hlsl_tool.preprocessor.trace import PragmaMark, TracingExpander
from hlsl_tool.preprocessor.visit import Joined, Slice, Text


def expand_text(state: State, opened: OpenFile, item: TextRun) -> None:
    """Put out a run of text that mentions macros, or that is not quite in order."""
    run = item.run
    if opened.pending is not None or run.suspect:
        _expand_slowly(state, opened, item)
        return
    macros = state.macros
    if state.memoise:
        for names, results in run.memo:
            known = results.get(frozenset(map(macros.__getitem__, names & macros.keys())))
            if known is not None:
                opened.made |= run.made
                state.emit(known, item)
                return
        expander = Expander(macros)
        try:
            tokens = expander.expand(run.tokens)
        except NeedsTrace:
            pass
        except ExpansionProblem as problem:
            # Going through it again for the exact place would take as long once more.
            begun = lex_text(opened.file.clean, item)[expander.begun]
            report(state, [(problem.code, begun, problem.fields)])
            raise Stop from None
        else:
            if not expander.problems and expander.open_at < 0:
                opened.made |= expander.made
                _remember(run, expander, macros, tokens)
                state.emit(tokens, item)
                return
    _expand_slowly(state, opened, item)


def _remember(run: Run, expander: Expander, macros: dict[str, Macro], tokens: list[str]) -> None:
    run.made |= expander.made
    remember(run.memo, closure(run.ids | run.made, macros), macros, tokens)


def _expand_slowly(state: State, opened: OpenFile, item: TextRun) -> None:
    """With all the history: the text may use ``#`` or ``__LINE__``, go on behind a directive, or hold mistakes."""
    file = opened.file
    pending = opened.pending
    source: Text = item if pending is None else Joined((*pending.parts, item), pending.skip)
    opened.pending = None
    traced = lex_text(file.clean, source)
    if item.run.suspect:
        check_text(state, opened, item)
    expander = TracingExpander(state.macros, Around(state, opened))
    expander.legacy = state.options.legacy_macro_expansion
    tokens = run_expander(state, opened, expander, traced)
    if expander.open_at >= 0:
        parts = source.parts if isinstance(source, Joined) else (item,)
        skip = (source.skip if isinstance(source, Joined) else 0) + expander.open_at
        opened.pending = Pending(parts, skip)
    elif (
        state.memoise
        and source is item
        and not (expander.volatile or expander.placed or expander.problems or item.run.suspect)
    ):
        plain = [str(token) for token in tokens]
        _remember(item.run, expander, state.macros, plain)
        state.emit(plain, item)
        return
    opened.volatile |= expander.volatile
    _emit_traced(state, opened, tokens, source)


def _emit_traced(state: State, opened: OpenFile, tokens: list[Traced], source: Text) -> None:
    first = 0
    for index, token in enumerate(tokens):
        if isinstance(token, PragmaMark):
            _emit_slice(state, tokens, source, first, index)
            first = index + 1
            pragma(state, opened, str(token), token.offset)
    _emit_slice(state, tokens, source, first, len(tokens))


def _emit_slice(state: State, tokens: list[Traced], source: Text, first: int, end: int) -> None:
    state.emit([str(token) for token in tokens[first:end]], source if first == 0 else Slice(source, first))


def unterminated(state: State, opened: OpenFile) -> None:
    """The file ends inside a macro invocation: put out what stands before it."""
    pending = opened.pending
    if pending is None:
        return
    opened.pending = None
    source = Joined(pending.parts, pending.skip)
    expander = TracingExpander(state.macros, Around(state, opened))
    expander.final = True
    tokens = run_expander(state, opened, expander, lex_text(opened.file.clean, source))
    _emit_traced(state, opened, tokens, source)
