"""Lines and columns of clients that count them from 0."""

from __future__ import annotations

from typing import Any

_INCOMING = frozenset(("setBreakpoints", "breakpointLocations"))
_OUTGOING = frozenset(
    (
        "setBreakpoints",
        "breakpointLocations",
        "setFunctionBreakpoints",
        "setDataBreakpoints",
        "stackTrace",
        "breakpoint",
    )
)
_LINES, _COLUMNS = ("line", "endLine"), ("column", "endColumn")


class Numbering:
    """Converts positions between a client and this package, which counts from 1."""

    def __init__(self) -> None:
        self.first_line = self.first_column = 1
        """The number that the client gives to the first line, and to the first column."""

    def incoming(self, command: str, value: Any) -> Any:
        """Return the arguments of a request with lines and columns from 1 on."""
        return self._moved(value, 1) if command in _INCOMING else value

    def outgoing(self, name: str, value: Any) -> Any:
        """Return the body of a response or event as the client counts."""
        return self._moved(value, -1) if name in _OUTGOING else value

    def _moved(self, value: Any, sign: int) -> Any:
        if self.first_line == 1 and self.first_column == 1:
            return value
        if isinstance(value, list):
            return [self._moved(item, sign) for item in value]
        if not isinstance(value, dict):
            return value
        out = {key: self._moved(item, sign) for key, item in value.items()}
        for keys, first in ((_LINES, self.first_line), (_COLUMNS, self.first_column)):
            for key in keys:
                if isinstance(out.get(key), int):
                    out[key] += sign * (1 - first)
        return out
