"""Expand the macros in runs of text."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.frontend.preprocessor.inclusion.visit import Joined, Slice, Text
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.parsed import Run, TextRun, visible
from hlsl_tool.frontend.preprocessor.lexing.tokens import PragmaMark, Traced
from hlsl_tool.frontend.preprocessor.macros.definitions import Macro
from hlsl_tool.frontend.preprocessor.macros.expand import Expander, ExpansionProblem, NeedsTrace
from hlsl_tool.frontend.preprocessor.macros.expansion import Around, closure, lex_text, remember, report, run_expander
from hlsl_tool.frontend.preprocessor.macros.trace import TracingExpander
from hlsl_tool.frontend.preprocessor.pragmas import pragma
from hlsl_tool.frontend.preprocessor.state import OpenFile, State, Stop


def expand_text(state: State, opened: OpenFile, item: TextRun) -> None:
    """Output a run of text that contains macro names, or that must be checked for errors."""
    run = item.run
    if run.suspect:
        _expand_slowly(state, opened, item)
        return
    macros = state.macros
    if state.memoise:
        for names, results in run.memo:
            cached = results.get(visible(names, macros))
            if cached is not None:
                opened.pasted |= run.pasted
                state.emit(cached, item)
                return
        expander = Expander(macros)
        try:
            tokens = expander.expand(run.tokens)
        except NeedsTrace:
            pass
        except ExpansionProblem as problem:
            # Expanding again for the exact location would double the time.
            begun = lex_text(opened.file.clean, item)[expander.begun]
            report(state, [(problem.code, begun, problem.fields)])
            raise Stop from None
        else:
            if not expander.problems:
                opened.pasted |= expander.pasted
                _remember(run, expander, macros, tokens)
                state.emit(tokens, item)
                return
    _expand_slowly(state, opened, item)


def _remember(run: Run, expander: Expander, macros: dict[str, Macro], tokens: list[str]) -> None:
    run.pasted |= expander.pasted
    remember(run.memo, closure(run.ids | run.pasted, macros), macros, tokens)


def _expand_slowly(state: State, opened: OpenFile, item: TextRun) -> None:
    """Expand a run with locations: text with ``#``, ``__LINE__`` or errors, and invocations that span directives."""
    parts = [item]

    def more() -> list[Traced] | None:
        """Continue an open macro invocation: execute the next directives, and return the tokens of the next text."""
        opened.in_arguments = True
        following = state.advance(state, opened)
        opened.in_arguments = False
        if following is None:
            return None
        parts.append(following)
        return _traced(state, opened, following)

    expander = TracingExpander(state.macros, Around(state, opened))
    expander.legacy = state.options.legacy_macro_expansion
    expander.more = more
    tokens = run_expander(state, opened, expander, _traced(state, opened, item))
    opened.volatile |= expander.volatile
    plain = not (expander.volatile or expander.placed or expander.problems or item.run.suspect)
    if state.memoise and plain and len(parts) == 1:
        spellings = [str(token) for token in tokens]
        _remember(item.run, expander, state.macros, spellings)
        state.emit(spellings, item)
    else:
        _emit_traced(state, opened, tokens, item if len(parts) == 1 else Joined(tuple(parts)))


def _traced(state: State, opened: OpenFile, item: TextRun) -> list[Traced]:
    if item.run.suspect:
        check_text(state, opened, item)
    return lex_text(opened.file.clean, item)


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


def check_text(state: State, opened: OpenFile, item: TextRun) -> None:
    """Report malformed tokens and invalid characters."""
    broken = opened.file.source.decoded.invalid >= 0
    clean, behind = opened.file.clean, item.start
    for token in lex_text(clean, item):
        _check_gap(state, clean, behind, token.offset)
        behind = token.offset + len(token)
        if token[0] == '"' or token.startswith('L"'):
            if not lexer.WHOLE_STRING.fullmatch(token):
                state.error(codes.UNTERMINATED_STRING, token)
            elif broken and any("\x80" <= character <= "\xff" for character in token):
                state.warning(codes.STRING_ENCODING, token)
        elif token[0] == "'" or token.startswith("L'"):
            if not lexer.WHOLE_CHARACTER.fullmatch(token):
                state.error(codes.UNTERMINATED_CHARACTER, token)
        elif not token.isascii() and (broken or not lexer.IDENTIFIER.fullmatch(token)):
            state.error(codes.NON_ASCII, token)
    _check_gap(state, clean, behind, item.end)


def _check_gap(state: State, clean: str, start: int, end: int) -> None:
    for offset in range(start, end):
        if not clean[offset].isascii():
            state.warning(codes.UNICODE_SPACE, offset)
