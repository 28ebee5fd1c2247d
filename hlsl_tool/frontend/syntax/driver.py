"""The parser's inner loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hlsl_tool.frontend.syntax.tables import RENAME, Gotos, NoEntry, Row, Tables


class Run:
    """The state of one parse, from which error recovery can continue.

    ``stack`` has the gotos of the states below the current ``row``, ``values`` one value for every symbol, so both have
    the same length: the state above the topmost symbol is determined by the next token.
    """

    __slots__ = ("at", "rename", "row", "stack", "tables", "tokens", "values")

    def __init__(self, tables: Tables, tokens: Sequence[str], rename: Callable[[int], None]) -> None:
        self.tables = tables
        self.tokens = tokens
        self.rename = rename
        """Called with the index of a type name to reclassify as an identifier; raises ``NoEntry`` to reject it."""
        self.stack: list[Gotos] = []
        self.values: list[Any] = []
        self.row: Row = tables.start
        self.at = -1
        """Index of the unexpected token."""

    def feed(self, kinds: Iterable[tuple[int, int]]) -> bool:  # noqa: C901  the inner loop avoids calls
        """Parse (token index, terminal) pairs; return true if they are complete, with the result in ``values``.

        Raises ``NoEntry`` at an unexpected token, after processing all tokens before it.
        The topmost elements of both stacks are in local variables, so that most steps access no list. ``tables.Entry``
        documents the fields of an entry; the cases are ordered by frequency.
        """
        stack: list[Any] = self.stack
        values, tokens = self.values, self.tokens
        row = self.row
        at = -1
        top, value = (stack.pop(), values.pop()) if stack else (None, None)
        try:
            for at, kind in kinds:
                while True:
                    length, action, target, gotos = row[kind]
                    if not length:
                        stack.append(top)
                        values.append(value)
                        top = gotos
                        value = at
                        row = target
                        break
                    if length == -1:
                        stack.append(top)
                        values.append(value)
                        top = gotos
                        value = action(tokens, at)
                        row = target
                        break
                    if length == 3:
                        middle = values.pop()
                        value = action(tokens, values.pop(), middle, value)
                        stack.pop()
                        top = stack.pop()
                        row = top[target]
                    elif length == 1:
                        value = action(tokens, value)
                        row = target
                    elif length == 2:
                        value = action(tokens, values.pop(), value)
                        top = stack.pop()
                        row = top[target]
                    elif length == -3:
                        value = action(tokens, values.pop(), value, at)
                        top = stack.pop()
                        row = top[target]
                        break
                    elif length == -2:
                        value = action(tokens, value, at)
                        row = target
                        break
                    elif length > 0:
                        items = values[1 - length :]
                        del values[1 - length :]
                        value = action(tokens, *items, value)
                        top = stack[1 - length]
                        del stack[1 - length :]
                        row = top[target]
                    elif length > RENAME:
                        items = values[2 + length :]
                        del values[2 + length :]
                        value = action(tokens, *items, value, at)
                        top = stack[2 + length]
                        del stack[2 + length :]
                        row = top[target]
                        break
                    elif length == RENAME:
                        self.rename(at)
                        kind = target
                    else:
                        return True
            return False
        except NoEntry:
            self.at = at
            raise
        finally:
            stack.append(top)
            values.append(value)
            if stack[0] is None:
                del stack[0], values[0]
            self.row = row
