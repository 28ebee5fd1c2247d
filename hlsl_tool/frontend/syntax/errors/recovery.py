"""Syntax error recovery: report the error, then repair the input or resume at a synchronisation point.

If inserting one missing ``;``, ``)`` or ``]`` makes the token acceptable, the parse continues. Otherwise (panic mode)
the unfinished statement or declaration of the innermost list is discarded, with the tokens up to its end, so that it
causes no follow-up errors.
"""

from __future__ import annotations

from itertools import islice

from hlsl_tool.base.diagnostics.catalogue import syntax as codes
from hlsl_tool.base.diagnostics.errors import InternalError
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax import kinds as K
from hlsl_tool.frontend.syntax.builtin_types import BUILTIN_TYPES
from hlsl_tool.frontend.syntax.classified import Classified
from hlsl_tool.frontend.syntax.driver import Run
from hlsl_tool.frontend.syntax.errors.messages import Parsed, explain
from hlsl_tool.frontend.syntax.errors.problems import Problem
from hlsl_tool.frontend.syntax.tables import NoEntry

MAX_PROBLEMS = 256
"""Limit on errors per chunk; later ones are most likely follow-up errors."""

_SPELLINGS = K.TABLES.spellings
_STATEMENT = K.TABLES.symbols["statement"]
_ITEM = K.TABLES.symbols["item"]
_LBRACE = _SPELLINGS["{"]
_RBRACE = _SPELLINGS["}"]
_SEMICOLON = _SPELLINGS[";"]
_REPAIRS = tuple(tuple(_SPELLINGS[text] for text in texts) for texts in (";", ")", "]", ":", ",", ");"))


_MODIFIERS = frozenset(("volatile", "mutable", "virtual", "explicit"))
"""Reserved words that modify a declaration, which is complete without them."""


def recover(run: Run, classified: Classified, problems: list[Problem]) -> list[ast.Decl]:
    """Report the error, resume the parse after it, and return the declarations that could be parsed."""
    position = _position(run, classified)
    end = len(classified.kinds)
    while True:
        if position >= end and problems and not Parsed(run).open_brace():
            return _close(run, classified)
        problem = explain(run, classified, position)
        if not problems or problems[-1].at != problem.at:
            problems.append(problem)
        if len(problems) >= MAX_PROBLEMS:
            return _salvage(run)
        if position >= end:
            return _close(run, classified)
        if problem.code is codes.RESERVED and problem.arguments["name"] in _MODIFIERS:
            position += 1  # the rest of the declaration may be right
        elif problem.code is codes.UNKNOWN_TYPE and Parsed(run).accepts(K.TYPE):
            _assume_type(classified, position)
        elif problem.code is codes.UNKNOWN_TYPE and _unshift(run, problem.at):
            position -= 1
            _assume_type(classified, position)
        elif _is_beyond_repair(problem, classified, position) or not _repair(run, classified, position):
            position = _panic(run, classified, position)
        try:
            # Read kinds lazily: parsing may reclassify the following tokens
            pairs = zip(classified.indices[position:], islice(classified.kinds, position, None), strict=True)
            run.feed(pairs)
            run.feed(((len(run.tokens), K.END),))
        except NoEntry:
            position = _position(run, classified, position)
        else:
            return _salvage(run)


def _is_beyond_repair(problem: Problem, classified: Classified, position: int) -> bool:
    """Return whether the error is of a kind that inserting a token cannot repair.

    Examples are `float[4] a`, constructors in structs, and braced arguments.
    """
    return (
        problem.code in (codes.BRACKETS_BEFORE_NAME, codes.NEEDS_TYPE)
        or _behind_argument(classified, position) != position
    )


def stopped(run: Run, classified: Classified) -> Problem:
    """Return the syntax error at the token at which a parse stopped."""
    return explain(run, classified, _position(run, classified))


def missed_type(run: Run, classified: Classified) -> str:
    """Return the unknown type at which the parse stopped, if a scope in the same top-level declaration declares it."""
    if not classified.members:
        return ""
    problem = explain(run, classified, _position(run, classified))
    name = problem.arguments.get("name", "") if problem.code is codes.UNKNOWN_TYPE else ""
    return name if name in classified.members else ""


def hiding_member(run: Run, classified: Classified) -> str:
    """Return the type name before the unexpected token, if a member of a struct may hide that type.

    The bodies of methods that are defined outside of their struct see its members, which are not known here.
    """
    tokens, position = classified.tokens, _position(run, classified) - 1
    if position < 0 or classified.kinds[position] != K.TYPE or "{" not in tokens:
        return ""
    name, brace = tokens[classified.indices[position]], tokens.index("{")
    is_method = any(tokens[at] == "::" and tokens[at + 2] == "(" for at in range(brace - 2))
    return name if is_method and classified.indices[position] > brace and name not in BUILTIN_TYPES else ""


def _unshift(run: Run, at: int) -> bool:
    """Take back the last token, if it is the one at ``at`` and a type would be accepted there.

    The result is whether that was done.
    """
    if not run.values or getattr(run.values[-1], "pos", run.values[-1]) != at:
        return False
    gotos, value, row = run.stack.pop(), run.values.pop(), run.row
    run.row = run.tables.row(gotos.state, run.stack[-1].state) if run.stack else run.tables.start
    if Parsed(run).accepts(K.TYPE):
        return True
    run.stack.append(gotos)
    run.values.append(value)
    run.row = row
    return False


def _assume_type(classified: Classified, position: int) -> None:
    """Classify an unknown name as a type from ``position`` on, so that it is reported only once."""
    kinds, indices, tokens = classified.kinds, classified.indices, classified.tokens
    name = tokens[indices[position]]
    kinds[position] = K.TYPE
    for later in range(position + 1, len(kinds) - 1):
        if kinds[later] == K.IDENT and kinds[later + 1] == K.IDENT and tokens[indices[later]] == name:
            kinds[later] = K.TYPE


def _position(run: Run, classified: Classified, start: int = 0) -> int:
    """Return the index of the unexpected token among the classified tokens."""
    for position in range(start, len(classified.kinds)):
        if classified.indices[position] == run.at:
            return position
    return len(classified.kinds)


def _repair(run: Run, classified: Classified, position: int) -> bool:
    """Insert one or two missing tokens, if that lets the parse continue; return whether it does."""
    parsed = Parsed(run)
    kind = classified.kinds[position]
    for inserted in _REPAIRS:
        if parsed.accepts(*inserted, kind):
            at = max(0, classified.indices[position] - 1)
            run.feed((at, repair) for repair in inserted)
            return True
    return False


def _panic(run: Run, classified: Classified, position: int) -> int:
    """Discard the unfinished declaration or statement; return the position at which to resume."""
    tables = run.tables
    depth = 0
    if Parsed(run).rule_after(";") in ("empty_statement", "empty_declaration"):
        run.feed(((max(0, run.at - 1), _SEMICOLON),))  # no unfinished declaration: keep the complete ones
    else:
        while run.stack:
            gotos = run.stack.pop()
            value = run.values.pop()
            if type(value) is int and run.tokens[value] == "{":
                depth += 1
            if _is_list(run, gotos.state):
                break
        run.row = tables.row(gotos.state, run.stack[-1].state) if run.stack else tables.start
    behind = _behind_argument(classified, position)
    resumed = _skip(classified.kinds, behind, depth, nested=Parsed(run).open_brace())
    classified.lost |= _declared(classified, position, resumed)
    return resumed


def _behind_argument(classified: Classified, position: int) -> int:
    """Return the position after a ``{...}`` at ``position`` that is an argument; otherwise ``position``."""
    kinds, tokens, at = classified.kinds, classified.tokens, position
    if not 0 < position < len(kinds) or kinds[position] != _LBRACE:
        return position
    if tokens[classified.indices[position - 1]] not in ("(", ","):
        return position
    depth = 0
    while at < len(kinds):
        depth += (kinds[at] == _LBRACE) - (kinds[at] == _RBRACE)
        at += 1
        if depth == 0:
            return at
    return position


def _declared(classified: Classified, position: int, end: int) -> set[str]:
    """Return the names that the discarded declaration or statement around ``position`` might have declared.

    ``end`` is the position after its last token.
    """
    kinds, indices, tokens = classified.kinds, classified.indices, classified.tokens
    start = position
    while start > 0 and kinds[start - 1] not in (_SEMICOLON, _LBRACE, _RBRACE):
        start -= 1
    names = set()
    for at in range(max(start, 1), min(end, len(kinds))):
        before = tokens[indices[at - 1]]
        if kinds[at] in _NAMES and (before.isidentifier() or before in _BEFORE_NAMES):
            names.add(tokens[indices[at]])
    return names


_NAMES = frozenset((K.IDENT, K.TYPE, K.TNAME, K.SCOPE))
_BEFORE_NAMES = frozenset((">", ",", "}", "]", "*", "&"))


def _is_list(run: Run, state: int) -> bool:
    """Return whether, in this state, a statement or declaration can begin, or the list of them can end."""
    goto = run.tables.goto(state)
    if _STATEMENT not in goto and _ITEM not in goto:
        return False
    return _RBRACE in run.tables.actions(state) or state == run.tables.final


def _skip(kinds: list[int], position: int, depth: int, *, nested: bool) -> int:
    """Return the position at which to resume after discarding a declaration or statement.

    ``kinds`` are the terminals, ``position`` is where to start skipping, and ``depth`` the number of the construct's
    braces that are open there. The result is the position after the construct's ``;`` or closing brace. If the
    enclosing list ends first, it is the position of the list's closing brace (``nested``), or the one after it.
    """
    braced = depth > 0
    while position < len(kinds):
        kind = kinds[position]
        if kind == _LBRACE:
            depth += 1
            braced = True
        elif kind == _RBRACE:
            if depth == 0:
                return position if nested else position + 1
            depth -= 1
            if depth == 0 and braced:
                position += 1
                if position < len(kinds) and kinds[position] == _SEMICOLON:
                    position += 1
                return position
        elif kind == _SEMICOLON and depth == 0:
            return position + 1
        position += 1
    return position


def _close(run: Run, classified: Classified) -> list[ast.Decl]:
    """Close all open constructs at the end of input; return the declarations parsed so far."""
    last = len(run.tokens) - 1
    for _ in range(2 * len(run.stack) + 2):
        parsed = Parsed(run)
        if parsed.accepts(K.END):
            break
        kind = next((kind for kind in (_SEMICOLON, _RBRACE) if parsed.accepts(kind)), None)
        if kind is None:
            if not run.stack:
                break
            _panic(run, classified, len(classified.kinds))
        elif kind == _SEMICOLON and parsed.accepts(_RBRACE):
            run.feed(((last, _RBRACE),))
        else:
            run.feed(((last, kind),))
    return _salvage(run)


def _salvage(run: Run) -> list[ast.Decl]:
    try:
        if run.feed(((len(run.tokens), K.END),)):
            value = run.values[0]
            if not isinstance(value, list):
                raise InternalError("a parse ended in something else than a list of declarations")
            return value
    except NoEntry:
        pass
    return []
