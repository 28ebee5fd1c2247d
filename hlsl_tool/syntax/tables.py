"""The LALR tables, made ready for the driver.

``hlsl.tables`` holds, after a header, one line a rule (left-hand side, length, action), a state's actions (pairs of
terminal and code: a state to shift to, or ``-1 - rule``) and a state's gotos (pairs of nonterminal and state).

The driver does not run on states.  It runs on *rows*: what may follow, as a dictionary from a terminal to an ``Entry``
that says everything there is to do.  Two things make that fast.

* **Unit chains vanish.**  After a reduction to, say, ``primary`` the row is that of the pair (state below,
  ``primary``).  Asked for ``;`` it walks the chain ``primary → postfix → … → expression`` once, and from then on has
  the answer.  So a grammar with a level for every operator costs no more than a flat one.
* **A shift that leaves nothing to decide reduces at once.**  Where the state shifted to can do nothing but reduce by
  one rule, the entry does both.

Rows are made when first asked for, so starting costs next to nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

GRAMMAR = Path(__file__).resolve().parent / "hlsl.lark"
TABLES = GRAMMAR.with_suffix(".tables")
FORMAT = 1
"""Of the tables' file; part of the digest that says whether tables belong to a grammar."""

SHIFT = 0
RENAME = -100
"""Only a name can stand here, and a type's name does: it becomes one (``float3 Light`` beside ``struct Light``)."""
ACCEPT = -101

Action = Callable[..., Any]


Entry = tuple[int, Any, Any, "Gotos"]
"""What to do on one terminal: (length, action, target, gotos).

``length`` is ``SHIFT``; a positive number *n*: reduce the *n* topmost symbols, the terminal stays; ``-n``: shift and
reduce the *n* topmost symbols, the terminal counted; or ``RENAME`` or ``ACCEPT``.

``gotos`` are those of the state in which this happens: a shift pushes them.

``target`` is the next row where that is known beforehand: after a shift, and after reducing a rule of which only one
symbol, or one symbol and the terminal, is involved (``1``, ``-1``, ``-2``).  Otherwise it is the left-hand side, to be
looked up in what the reduction uncovers.  For ``RENAME`` it is the terminal to be taken instead.

A plain tuple, since nothing is taken apart as fast.
"""


class NoEntry(Exception):
    """The grammar has nothing for this token here."""


class Row(dict[int, Entry]):
    """Terminal → entry, for the symbol on top of the stack.

    ``below`` is the state under that symbol (-1: there is no symbol), ``state`` the state above it: final after a
    shift, and after a reduction (``is_final`` false) the start of a unit chain.
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
    """Nonterminal → row, of one state: what stands on the driver's stack."""

    __slots__ = ("state", "tables")

    def __init__(self, tables: Tables, state: int) -> None:
        self.tables = tables
        self.state = state

    def __missing__(self, symbol: int) -> Row:
        row = self[symbol] = Row(self.tables, self.tables.goto(self.state)[symbol], self.state, is_final=False)
        return row


class Tables:
    """The grammar's tables, with the action of every rule bound to its function."""

    def __init__(self, text: str, actions: dict[str, Action]) -> None:
        head, _, body = text.partition("\n")
        header = json.loads(head)
        rules, states = header["sizes"]
        lines = body.split("\n")
        self.grammar: str = header["grammar"]
        self.terminals: list[str] = header["terminals"]
        self.nonterminals: list[str] = header["nonterminals"]
        self.spellings: dict[str, int] = header["spellings"]
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
        found = self._actions[state]
        if found is None:
            found = self._actions[state] = _pairs(self._action_lines[state])
        return found

    def goto(self, state: int) -> dict[int, int]:
        found = self._gotos[state]
        if found is None:
            found = self._gotos[state] = _pairs(self._goto_lines[state])
        return found

    def row(self, state: int, below: int) -> Row:
        """The row after a shift from ``below`` to ``state``."""
        found = self._rows.get((state, below))
        if found is None:
            found = self._rows[state, below] = Row(self, state, below, is_final=True)
        return found

    def gotos(self, state: int) -> Gotos:
        found = self._stack_items.get(state)
        if found is None:
            found = self._stack_items[state] = Gotos(self, state)
        return found

    def settle(self, row: Row, terminal: int) -> tuple[int, int | None]:
        """The state that the row stands for when ``terminal`` follows, unit chain walked; and the code found there."""
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
            return length, action or _hand_on, target, gotos
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
        return -length, action or _hand_on, target, gotos

    def only_rule(self, state: int) -> int:
        """The rule by which a state reduces whatever follows; -1 if it has a choice."""
        found = self._only_rule.get(state)
        if found is None:
            codes = set(self.actions(state).values())
            code = codes.pop() if len(codes) == 1 else 0
            found = self._only_rule[state] = -1 - code if code < 0 else -1
        return found


def _hand_on(tokens: Any, value: Any) -> Any:
    return value


def _pairs(line: str) -> dict[int, int]:
    numbers = list(map(int, line.split()))
    return dict(zip(numbers[::2], numbers[1::2], strict=True))


def _rule(line: str, actions: dict[str, Action]) -> tuple[int, int, Action | None]:
    symbol, length, *name = line.split(" ")
    return int(symbol), int(length), actions[name[0]] if name else None


def grammar_digest(grammar: str) -> str:
    return hashlib.blake2b(f"{FORMAT}\n{grammar}".encode(), digest_size=16).hexdigest()


def load(actions: dict[str, Action]) -> Tables:
    """The tables of the grammar in this package.

    Those beside it are used if they are its own.  Whoever edits the grammar need not think of them: they are built
    anew then, once, and kept by the grammar's digest among the compiled files.
    """
    digest = grammar_digest(GRAMMAR.read_text(encoding="utf-8"))
    for path in (TABLES, _cached(digest)):
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            continue
        if f'"grammar":"{digest}"' in text[: text.find("\n")]:
            return Tables(text, actions)
    return Tables(_rebuild(digest), actions)


def _cached(digest: str) -> Path:
    return GRAMMAR.parent / "__pycache__" / f"hlsl-{digest}.tables"


def _rebuild(digest: str) -> str:
    from hlsl_tool.syntax import build_tables  # lark costs as much as compiling a small shader

    text = build_tables.render(build_tables.build(GRAMMAR.read_text(encoding="utf-8")))
    path = _cached(digest)
    scratch = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(exist_ok=True)
        scratch.write_text(text, encoding="utf-8")
        os.replace(scratch, path)
    except OSError:  # a package that cannot be written to: the tables are built again next time
        scratch.unlink(missing_ok=True)
    return text
