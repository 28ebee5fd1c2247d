"""The parser's inner loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hlsl_tool.syntax.tables import RENAME, Gotos, NoEntry, Row, Tables


class Run:
    """The state of one parse; after an error it is what recovery works on.

    ``stack`` holds the gotos of the states below the current ``row``, ``values`` a value for every symbol, so both
    are equally long: the state above the topmost symbol is not known before the next token is.
    """

    __slots__ = ("at", "rename", "row", "stack", "tables", "tokens", "values")

    def __init__(self, tables: Tables, tokens: Sequence[str], rename: Callable[[int], None]) -> None:
        self.tables = tables
        self.tokens = tokens
        self.rename = rename
        """Called with the index of a token that was taken for a type and is a name here; may refuse by ``NoEntry``."""
        self.stack: list[Gotos] = []
        self.values: list[Any] = []
        self.row: Row = tables.start
        self.at = -1
        """The token that did not fit."""

    def feed(self, kinds: Iterable[tuple[int, int]]) -> bool:
        """Parse (token index, terminal) pairs.  True when the grammar's end was reached, with its value on ``values``.

        Raises ``NoEntry`` at a token that does not fit, with everything before it taken in.

        The topmost element of both stacks is kept in a local: most steps then touch no list.  ``tables.Entry`` says
        what the fields of an entry mean; the cases stand in the order of their frequency.
        """
        stack: list[Any] = self.stack
        values, tokens = self.values, self.tokens
        push, pop, keep, take = stack.append, stack.pop, values.append, values.pop
        row = self.row
        at = -1
        top, value = (pop(), take()) if stack else (None, None)
        try:
            for at, kind in kinds:
                while True:
                    length, action, target, gotos = row[kind]
                    if not length:
                        push(top)
                        keep(value)
                        top = gotos
                        value = at
                        row = target
                        break
                    if length == -1:
                        push(top)
                        keep(value)
                        top = gotos
                        value = action(tokens, at)
                        row = target
                        break
                    if length == 3:
                        middle = take()
                        value = action(tokens, take(), middle, value)
                        pop()
                        top = pop()
                        row = top[target]
                    elif length == 1:
                        value = action(tokens, value)
                        row = target
                    elif length == 2:
                        value = action(tokens, take(), value)
                        top = pop()
                        row = top[target]
                    elif length == -3:
                        value = action(tokens, take(), value, at)
                        top = pop()
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
            push(top)
            keep(value)
            if stack[0] is None:
                del stack[0], values[0]
            self.row = row
