"""LALR tables in the form that the driver uses.

The first lines of ``hlsl.tables`` are the digest of the grammar, the numbers of rules and states, the terminals, the
nonterminals, and pairs of a spelling and its terminal. One line each follows for every rule (left-hand side, length,
action), for the actions of every state (pairs of terminal and code: a state to shift to, or ``-1 - rule``) and for its
gotos (pairs of nonterminal and state).

The driver runs on *rows* instead of states.  A row maps a terminal to an ``Entry``, which has the complete action.
Two optimisations make that fast.

* **Unit reductions are skipped.**  After a reduction to ``primary`` the row is that of the pair (state below,
  ``primary``).  The first look-up of ``;`` walks the chain ``primary → postfix → … → expression`` and caches the
  result.  So a grammar with a level for every operator costs no more than a flat one.
* **Shifts and reductions are merged.**  If the state after a shift can only reduce by one rule, the entry does both.

Rows are computed on first use, so start-up is cheap.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hlsl_tool.base.system.hashing import blake2b

GRAMMAR = os.path.join(os.path.dirname(__file__), "hlsl.lark")
TABLES = os.path.join(os.path.dirname(__file__), "hlsl.tables")
FORMAT = 2
"""Version of the tables' file format; part of the grammar digest."""

SHIFT = 0
RENAME = -100
"""Action: reclassify a type name as an identifier where the grammar allows only one (``float3 Light``)."""
ACCEPT = -101

Action = Callable[..., Any]


Entry = tuple[int, Any, Any, "Gotos"]
"""The parser's action on one terminal: (length, action, target, gotos).

``length`` is ``SHIFT``, ``RENAME`` or ``ACCEPT``; a positive *n*: reduce the *n* topmost symbols, without the terminal;
``-n``: shift, then reduce the *n* topmost symbols, including the terminal.

``gotos`` belong to the current state; a shift pushes them.

``target`` is the next row if it can be precomputed: after a shift, and after reductions of a single symbol or of one
symbol and the terminal (``1``, ``-1``, ``-2``).  Otherwise it is the left-hand side, to be looked up in the uncovered
gotos.  For ``RENAME`` it is the replacement terminal.

A plain tuple, since unpacking one is fastest.
"""


class NoEntry(Exception):
    """Raised if the grammar has no action for a token."""


class Row(dict[int, Entry]):
    """A mapping from terminals to entries for the symbol on top of the stack, filled on demand.

    ``below`` is the state under that symbol (-1 without one), ``state`` the state above it: final after a shift; after
    a reduction (``is_final`` false), the start of a chain of unit reductions.
    """

    __slots__ = ("below", "is_final", "state", "tables")

    def __init__(self, tables: Tables, state: int, below: int, *, is_final: bool) -> None:
        self.tables = tables
        self.state = state
        self.below = below
        self.is_final = is_final

    def __missing__(self, terminal: int) -> Entry:
        entry = self.tables.resolve(self, terminal)
        self[terminal] = entry
        return entry


class Gotos(dict[int, Row]):
    """A mapping from nonterminals to rows, for one state; the driver's stack consists of these."""

    __slots__ = ("state", "tables")

    def __init__(self, tables: Tables, state: int) -> None:
        self.tables = tables
        self.state = state

    def __missing__(self, symbol: int) -> Row:
        row = self[symbol] = Row(self.tables, self.tables.goto(self.state)[symbol], self.state, is_final=False)
        return row


class Tables:
    """The tables of a grammar, with every rule bound to its action function."""

    def __init__(self, text: str, actions: dict[str, Action]) -> None:
        self.grammar, sizes, terminals, nonterminals, spellings, *lines = text.split("\n")
        rules, states = map(int, sizes.split())
        self.terminals: list[str] = terminals.split()
        self.nonterminals: list[str] = nonterminals.split()
        words = spellings.split()
        self.spellings: dict[str, int] = dict(zip(words[::2], map(int, words[1::2]), strict=True))
        self.kinds: dict[str, int] = {name: number for number, name in enumerate(self.terminals)}
        self.symbols: dict[str, int] = {name: number for number, name in enumerate(self.nonterminals)}
        self.rules: list[tuple[int, int, Action | None]] = [_rule(line, actions) for line in lines[:rules]]
        self._action_lines = lines[rules : rules + states]
        self._goto_lines = lines[rules + states : rules + 2 * states]
        self._actions: list[dict[int, int] | None] = [None] * states
        self._gotos: list[dict[int, int] | None] = [None] * states
        self._only_rule: dict[int, int] = {}
        self._stack_items: dict[int, Gotos] = {}
        self._rows: dict[tuple[int, int], Row] = {}
        self._end = self.kinds["$END"]
        self.final = self.goto(0)[self.symbols["start"]]
        self.name = self.kinds["IDENT"]
        self._type = self.kinds["TYPE"]
        self.start = self.row(0, -1)

    def actions(self, state: int) -> dict[int, int]:
        actions = self._actions[state]
        if actions is None:
            actions = self._actions[state] = _pairs(self._action_lines[state])
        return actions

    def goto(self, state: int) -> dict[int, int]:
        gotos = self._gotos[state]
        if gotos is None:
            gotos = self._gotos[state] = _pairs(self._goto_lines[state])
        return gotos

    def row(self, state: int, below: int) -> Row:
        """Return the row after a shift from state ``below`` to ``state``."""
        row = self._rows.get((state, below))
        if row is None:
            row = self._rows[state, below] = Row(self, state, below, is_final=True)
        return row

    def gotos(self, state: int) -> Gotos:
        gotos = self._stack_items.get(state)
        if gotos is None:
            gotos = self._stack_items[state] = Gotos(self, state)
        return gotos

    def settle(self, row: Row, terminal: int) -> tuple[int, int | None]:
        """Follow unit reductions for ``terminal``; return (final state, its action code or ``None``)."""
        state = row.state
        code = self.actions(state).get(terminal)
        if not row.is_final:
            while code is not None and code < 0:
                symbol, length, action = self.rules[-1 - code]
                if length != 1 or action is not None:
                    break
                state = self.goto(row.below)[symbol]
                code = self.actions(state).get(terminal)
        return state, code

    def resolve(self, row: Row, terminal: int) -> Entry:
        state, code = self.settle(row, terminal)
        gotos = self.gotos(state)
        if code is None:
            if terminal == self._end and state == self.final:
                return ACCEPT, None, None, gotos
            if terminal == self._type and self.settle(row, self.name)[1] is not None:
                return RENAME, None, self.name, gotos
            raise NoEntry
        if code < 0:
            symbol, length, action = self.rules[-1 - code]
            target = self.gotos(row.below)[symbol] if length == 1 else symbol
            return length, action or _forward, target, gotos
        only = self.only_rule(code)
        if only < 0:
            return SHIFT, None, self.row(code, state), gotos
        symbol, length, action = self.rules[only]
        if length == 1:
            target = gotos[symbol]
        elif length == 2:
            target = self.gotos(row.below)[symbol]
        else:
            target = symbol
        return -length, action or _forward, target, gotos

    def only_rule(self, state: int) -> int:
        """Return the rule by which a state always reduces; -1 if it has other actions."""
        rule = self._only_rule.get(state)
        if rule is None:
            codes = set(self.actions(state).values())
            code = codes.pop() if len(codes) == 1 else 0
            rule = self._only_rule[state] = -1 - code if code < 0 else -1
        return rule


def _forward(tokens: Any, value: Any) -> Any:
    return value


def _pairs(line: str) -> dict[int, int]:
    numbers = list(map(int, line.split()))
    return dict(zip(numbers[::2], numbers[1::2], strict=True))


def _rule(line: str, actions: dict[str, Action]) -> tuple[int, int, Action | None]:
    symbol, length, *name = line.split(" ")
    return int(symbol), int(length), actions[name[0]] if name else None


def read(path: str) -> str:
    """Return the text of a file of the package."""
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def grammar_digest(grammar: str) -> str:
    """Return a hash of the grammar and of the format of the tables."""
    return blake2b(f"{FORMAT}\n{grammar}".encode(), digest_size=16).hexdigest()
