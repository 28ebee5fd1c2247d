"""Directives except ``#include`` and ``#pragma``: conditions, macro definitions, ``#line``, ``#error``."""

from __future__ import annotations

import re
from typing import Any, Final

from hlsl_tool.base.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.base.diagnostics.diagnostic import Replacement
from hlsl_tool.base.digits import number_of
from hlsl_tool.frontend.preprocessor.inclusion.visit import Define, LineNote
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.parsed import Directive, Verdict, visible
from hlsl_tool.frontend.preprocessor.locations import location
from hlsl_tool.frontend.preprocessor.macros.definitions import BUILTINS, DEFINED, HAS_INCLUDE, Macro, Problem
from hlsl_tool.frontend.preprocessor.state import Clause, OpenFile, State

_NAME_END: Final = re.compile(r"\s*\S")


# --------------------------------------------------------------------------------------------------------- conditions


def condition(state: State, opened: OpenFile, item: Directive) -> bool:
    """Evaluate the condition of an ``#if`` or ``#elif``."""
    parsed = item.condition
    assert parsed is not None
    macros = state.macros
    if state.memoise:
        for names, results in parsed.memo:
            cached = results.get(visible(names, macros))
            if cached is not None and (cached.is_complete or not state.reports_undefined):
                return cached.holds
    return _evaluated(state, opened, item)


def _evaluated(state: State, opened: OpenFile, item: Directive) -> bool:
    from hlsl_tool.frontend.preprocessor.expression import Evaluator, ExpressionError  # start-up time
    from hlsl_tool.frontend.preprocessor.macros.expansion import Around, closure, remember, report, run_expander
    from hlsl_tool.frontend.preprocessor.macros.trace import TracingExpander

    parsed, macros = item.condition, state.macros
    assert parsed is not None
    # In conditions the operators are builtin macros; removed afterwards, since text may use these names.
    macros["defined"], macros["__has_include"] = DEFINED, HAS_INCLUDE
    expander = TracingExpander(macros, Around(state, opened))
    try:
        tokens = lexer.lex_traced(opened.file.clean, item.at, item.at + len(item.rest))
        if not tokens:
            state.error(codes.EXPECTED_VALUE, item.word)
            return False
        tokens = run_expander(state, opened, expander, tokens)
    finally:
        del macros["defined"], macros["__has_include"]
    opened.volatile |= expander.volatile
    if any(code.severity != "warning" for code, _, _ in expander.problems):
        return False
    evaluator = Evaluator(tokens)
    try:
        value = evaluator.evaluate().number != 0
    except ExpressionError as problem:
        if problem.token is None:
            state.error(problem.code, item.at + len(item.rest), **problem.fields)
        else:
            state.error(problem.code, problem.token, **problem.fields)
        return False
    report(state, evaluator.warnings)
    for token in evaluator.undefined:
        if state.reports_undefined:
            at = token if token.frames else token.offset
            state.warning(codes.UNDEFINED_IDENTIFIER, at, name=str(token))
    plain = not (expander.volatile or expander.placed or expander.pasted or expander.problems or evaluator.warnings)
    if state.memoise and plain:
        names = closure(parsed.ids, macros)
        if "__has_include" not in names:  # depends on the file system
            remember(parsed.memo, names, macros, Verdict(value, not evaluator.undefined))
    return value


def open_condition(state: State, opened: OpenFile, item: Directive) -> None:
    """Execute ``#if``, ``#ifdef`` or ``#ifndef``: enter the first branch whose condition is true."""
    if item.kind == "if":
        value = condition(state, opened, item)
    elif not _has_name(state, opened, item):
        # Invalid condition: skip all branches, to avoid follow-up errors.
        clause = Clause(item, taken=True)
        opened.clauses.append(clause)
        _skip(state, opened, item)
        return
    else:
        defined = item.name in state.macros or item.name in ("__has_include", "defined")
        value = defined == (item.kind == "ifdef")
    opened.clauses.append(Clause(item, taken=value))
    if not value:
        _skip(state, opened, item)


def close_condition(state: State, opened: OpenFile, item: Directive) -> None:
    """Execute ``#elif``, ``#else`` or ``#endif`` at the end of a branch that was taken."""
    if not opened.clauses:
        state.error(codes.ELSE_WITHOUT_IF, item.word, directive=item.kind)
        return
    _check_clause(state, opened, item)
    if item.kind == "endif":
        opened.clauses.pop()
    else:
        _skip(state, opened, item)


def _check_clause(state: State, opened: OpenFile, item: Directive) -> None:
    clause = opened.clauses[-1]
    if item.kind != "elif" and item.rest:
        state.warning(codes.EXTRA_TOKENS, item.at, directive=item.kind)
    if item.kind == "endif":
        return
    if clause.seen_else:
        state.error(codes.ELSE_AFTER_ELSE, item.word, directive=item.kind)
    if item.kind == "else":
        clause.seen_else = True


def _skip(state: State, opened: OpenFile, item: Directive) -> None:
    """Advance to the next branch whose condition is true, or to the ``#endif``."""
    items = opened.file.items
    clause = opened.clauses[-1]
    while True:
        index = item.jump
        if index > opened.index:
            opened.visit.skipped.append((opened.index, min(index, len(items))))
        if index >= len(items):
            _check_skipped(state, opened, opened.index, len(items))
            opened.index = len(items)
            return
        if opened.file.misplaced:
            _check_skipped(state, opened, opened.index, index)
        following = items[index]
        assert isinstance(following, Directive)
        item = following
        opened.index = index + 1
        after_else = clause.seen_else
        _check_clause(state, opened, item)
        if item.kind == "endif":
            opened.clauses.pop()
            return
        if clause.taken or after_else:
            continue
        if item.kind == "else" or condition(state, opened, item):
            clause.taken = True
            return


def _check_skipped(state: State, opened: OpenFile, start: int, end: int) -> None:
    """Report misplaced ``#elif``, ``#else`` and ``#endif`` in skipped text."""
    for index in opened.file.misplaced:
        if start <= index < end:
            inner = opened.file.items[index]
            assert isinstance(inner, Directive)
            state.error(codes.ELSE_AFTER_ELSE, inner.word, directive=inner.kind)


def _has_name(state: State, opened: OpenFile, item: Directive) -> bool:
    """Return whether an ``#ifdef``, ``#ifndef`` or ``#undef`` has a valid operand; report it if not."""
    if not item.name:
        code = codes.MACRO_NAME_NOT_IDENTIFIER if item.rest else codes.MACRO_NAME_MISSING
        state.error(code, item.at if item.rest else item.word)
        return False
    if len(item.rest) > len(item.name):
        behind = _NAME_END.match(item.rest, len(item.name))
        state.warning(
            codes.EXTRA_TOKENS, item.at + (behind.end() - 1 if behind else len(item.name)), directive=item.kind
        )
    return True


# -------------------------------------------------------------------------------------------------------- definitions


def define(state: State, opened: OpenFile, item: Directive) -> None:
    """Execute a `#define`: define the macro, and report errors in its definition."""
    macro = item.definition
    if isinstance(macro, Problem):
        at = item.at + macro.offset if item.rest else item.word
        state.error(macro.code, at, **_fields(macro))
        return
    assert macro is not None
    if macro.problem is not None:
        problem = macro.problem
        state.error(problem.code, item.at + problem.offset, **_fields(problem))
    previous = state.macros.get(macro.name)
    if previous is not None and previous is not macro:
        _redefinition(state, item, previous, macro)
    state.event(opened, Define(item))
    state.define(opened, macro)


def _fields(problem: Problem) -> dict[str, Any]:
    return dict(problem.fields)


def _redefinition(state: State, item: Directive, previous: Macro, macro: Macro) -> None:
    if previous.builtin is not None or previous is BUILTINS.get(macro.name):
        state.warning(codes.BUILTIN_REDEFINED, item.at, what="redefining")
    elif not previous.same_as(macro):
        origin = state.definitions().find(previous)
        where = location(origin[0], origin[1]) if origin is not None else None
        note = state.sink.note(codes.PREVIOUS_DEFINITION, where)
        state.warning(codes.MACRO_REDEFINED, item.at, notes=(note,), name=macro.name)


def undef(state: State, opened: OpenFile, item: Directive) -> None:
    """Execute an `#undef`; warn if it removes a predefined macro."""
    if not _has_name(state, opened, item):
        return
    previous = state.macros.get(item.name)
    if previous is not None and previous.builtin is not None:
        state.warning(codes.BUILTIN_REDEFINED, item.at, what="undefining")
    state.event(opened, Define(item))
    state.undefine(opened, item.name)


# ---------------------------------------------------------------------------------------------------------- the others


def line(state: State, opened: OpenFile, item: Directive, *, marker: bool) -> None:
    """Execute ``#line N "file"``, or the line marker ``# N "file" flags`` of other preprocessors."""
    from hlsl_tool.frontend.preprocessor.macros.expansion import Around, run_expander  # start-up time
    from hlsl_tool.frontend.preprocessor.macros.trace import TracingExpander, unquote

    start = item.start + 1 if marker else item.at
    tokens = lexer.lex_traced(opened.file.clean, start, item.at + len(item.rest))
    expander = TracingExpander(state.macros, Around(state, opened))
    tokens = run_expander(state, opened, expander, tokens)
    opened.volatile |= expander.volatile
    if not tokens or not tokens[0].isascii() or not tokens[0][0].isdigit():
        state.error(codes.LINE_NUMBER, item.at)
        return
    if not tokens[0].isdigit():
        state.error(codes.LINE_DIGITS, tokens[0])
        return
    number = number_of(tokens[0])
    if number > 0xFFFFFFFF:
        state.error(codes.LINE_NUMBER, tokens[0])
        return
    name: str | None = None
    if len(tokens) > 1:
        if not lexer.WHOLE_STRING.fullmatch(tokens[1]):
            state.error(codes.LINE_FILE_NAME, tokens[1])
            return
        name = unquote(tokens[1])
        if len(tokens) > 2 and not marker:
            state.warning(codes.EXTRA_TOKENS, tokens[2].offset, directive="line")
    if state.options.ignore_line_directives:
        return
    end = opened.file.clean.find("\n", item.at + len(item.rest))
    note = LineNote(end + 1 if end >= 0 else len(opened.file.clean), number, name)
    opened.visit.lines.append(note)
    state.event(opened, note)


_NAMES = ("define", "elif", "else", "endif", "error", "if", "ifdef", "ifndef", "include", "line", "pragma", "undef")


def unknown(state: State, name: str, item: Directive) -> None:
    """Report an unknown directive."""
    from hlsl_tool.base.similar import most_similar  # start-up time

    close = most_similar(name, _NAMES)
    at = state.place(item.word)
    fixes: tuple[Replacement, ...] = ()
    if close is not None and at.source_line[at.col - 1 : at.end_col - 1] == name:
        fixes = (Replacement(at.file, at.line, at.col, at.end_col, close),)
    hint = f"did you mean '#{close}'?" if close is not None else None
    state.error(codes.INVALID_DIRECTIVE, item.word, hint=hint, fixes=fixes)


def user_message(state: State, opened: OpenFile, item: Directive) -> None:
    """Report ``#error`` and ``#warning`` with their text as in the source, including comments."""
    logical = lexer.splice(opened.file.source.text)[0]
    begin = item.at
    end = logical.find("\n", item.start)
    text = logical[begin : end if end >= 0 else len(logical)].strip()
    if item.kind == "error":
        state.error(codes.USER_ERROR, item.word, text=text)
    else:
        state.warning(codes.USER_WARNING, item.word, text=text)
