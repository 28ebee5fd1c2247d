"""Locate tokens in the preprocessed text.

With debug information DXC compiles the text that ``-P`` prints, so the columns that it writes are those of this text.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.frontend.preprocessor.inclusion.visit import Visit
from hlsl_tool.frontend.preprocessor.lexing.tokens import Traced
from hlsl_tool.frontend.preprocessor.printer import Printable, Printer
from hlsl_tool.frontend.preprocessor.stream import TokenStream


class PrintedPlaces:
    """The locations of a stream's tokens in the preprocessed text."""

    def __init__(self, stream: TokenStream) -> None:
        self._stream = stream
        self._columns: list[int] | None = None

    def locate(self, index: int) -> Location:
        """Return the location of a token, with its column in the preprocessed text."""
        if self._columns is None:
            self._columns = _columns(self._stream)
        location = self._stream.locate(index)
        return replace(location, col=self._columns[index]) if index < len(self._columns) else location


def _columns(stream: Printable) -> list[int]:
    printer = _ColumnPrinter(stream)
    printer.print()
    return printer.columns


class _ColumnPrinter(Printer):
    """Records the column of each token that it prints."""

    __slots__ = ("_width", "columns")

    def __init__(self, stream: Printable) -> None:
        super().__init__(stream)
        self.columns: list[int] = []
        self._width = 0
        """Number of characters on the current output line."""

    def _mark(self) -> None:
        super()._mark()
        self._width = 0

    def _token(self, visit: Visit, token: Traced, spelling: str) -> None:
        count = len(self._out)
        super()._token(visit, token, spelling)
        for part in self._out[count:]:
            newline = part.rfind("\n")
            self._width = self._width + len(part) if newline < 0 else len(part) - newline - 1
        self.columns.append(self._width - len(spelling) + 1)
