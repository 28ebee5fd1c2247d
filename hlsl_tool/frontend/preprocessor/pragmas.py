"""``#pragma`` and ``_Pragma``.

DXC supports ``once``, ``pack_matrix``, ``message``, ``dxc diagnostic``, ``mark``, ``region`` and ``endregion``; all
others are unknown, including FXC's ``warning``.
"""

from __future__ import annotations

from typing import Final

from hlsl_tool.base.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.base.diagnostics.catalogue import registry
from hlsl_tool.base.diagnostics.warnings import Level
from hlsl_tool.frontend.preprocessor.inclusion.visit import Pragma
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.lexer import SPACE
from hlsl_tool.frontend.preprocessor.lexing.tokens import Traced
from hlsl_tool.frontend.preprocessor.macros.expansion import Around, run_expander
from hlsl_tool.frontend.preprocessor.macros.trace import TracingExpander, unquote
from hlsl_tool.frontend.preprocessor.state import OpenFile, State

_SILENT: Final = frozenset(("mark", "region", "endregion"))
_LEVELS: Final[dict[str, Level]] = {
    "ignored": "ignored",
    "warning": "warning",
    "error": "error",
    "fatal": "fatal",
}


def pragma(state: State, opened: OpenFile, text: str, offset: int) -> None:
    """Execute a pragma; ``text`` is the text after ``#pragma``, ``offset`` its position."""
    tokens = lexer.lex(text)
    if not tokens:
        state.warning(codes.UNKNOWN_PRAGMA, offset)
        return
    name = tokens[0]
    arguments = tuple(tokens[1:])
    if name == "once":
        _once(state, opened, offset)
        return
    if name == "pack_matrix":
        arguments = _expanded(state, opened, text, offset)
        if len(arguments) != 3 or arguments[0] != "(" or arguments[2] != ")" or arguments[1] not in _MAJORNESS:
            state.error(codes.PRAGMA_PACK_MATRIX, offset)
    elif name == "message":
        _message(state, opened, text, offset)
    elif name == "dxc" and arguments[:1] == ("diagnostic",):
        name, arguments = "diagnostic", arguments[1:]
        _diagnostic(state, opened, arguments, offset)
    elif name not in _SILENT:
        state.warning(codes.UNKNOWN_PRAGMA, offset)
        name = ""
    opened.visit.notable = True
    state.event(opened, Pragma(name, arguments, offset, text))


_MAJORNESS: Final = frozenset(("row_major", "column_major"))


def _once(state: State, opened: OpenFile, offset: int) -> None:
    if len(state.open_files) == 1:
        state.warning(codes.PRAGMA_ONCE_IN_MAIN, offset)
        return
    path = opened.file.source.path
    state.once.add(path)
    opened.once.add(path)


def _expanded(state: State, opened: OpenFile, text: str, offset: int) -> tuple[str, ...]:
    """Return the arguments of a pragma after macro expansion."""
    traced = [Traced(token, offset, SPACE) for token in lexer.lex(text)[1:]]
    expander = TracingExpander(state.macros, Around(state, opened))
    result = run_expander(state, opened, expander, traced)
    opened.volatile |= expander.volatile
    return tuple(str(token) for token in result)


def _message(state: State, opened: OpenFile, text: str, offset: int) -> None:
    arguments = _expanded(state, opened, text, offset)
    if arguments[:1] == ("(",) and arguments[-1:] == (")",):
        arguments = arguments[1:-1]
    if not arguments or not all(lexer.WHOLE_STRING.fullmatch(argument) for argument in arguments):
        state.error(codes.PRAGMA_MESSAGE_MALFORMED, offset)
        return
    state.warning(codes.PRAGMA_MESSAGE, offset, text="".join(unquote(argument) for argument in arguments))


def _diagnostic(state: State, opened: OpenFile, arguments: tuple[str, ...], offset: int) -> None:
    action = arguments[0] if arguments else ""
    if action in ("push", "pop"):
        if action == "pop" and len(state.level_stack) <= opened.levels_before:
            opened.volatile = True  # it pops levels that an including file has pushed
        if not apply_diagnostic(state, arguments):
            state.warning(codes.PRAGMA_DIAGNOSTIC_POP, offset)
    elif action not in _LEVELS:
        state.warning(codes.PRAGMA_DIAGNOSTIC_INVALID, offset)
    elif len(arguments) != 2 or not arguments[1].startswith('"-W') or len(arguments[1]) < 5:
        state.warning(codes.PRAGMA_DIAGNOSTIC_OPTION, offset)
    else:
        if not registry.by_name(arguments[1][3:-1]):
            state.warning(codes.PRAGMA_DIAGNOSTIC_GROUP, offset, name=arguments[1][1:-1])
        apply_diagnostic(state, arguments)


def apply_diagnostic(state: State, arguments: tuple[str, ...]) -> bool:
    """Apply ``#pragma dxc diagnostic`` to the warning levels; also called when a cached file is replayed."""
    action = arguments[0] if arguments else ""
    if action == "push":
        state.level_stack.append(dict(state.levels))
        return True
    if action == "pop":
        if not state.level_stack:
            return False
        state.levels = state.level_stack.pop()
    elif action in _LEVELS and len(arguments) == 2:
        state.levels[arguments[1][3:-1]] = _LEVELS[action]
    else:
        return False
    state.sink.set_pragma_levels(state.tokens, state.levels)
    state.reports_undefined = state.sink.may_warn(codes.UNDEFINED_IDENTIFIER)
    return True
