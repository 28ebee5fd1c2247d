"""The record of one pass through a file: its directives and texts in order, with positions relative to the file.

A visit is cached with the result of an ``#include``, and is part of the records of all shaders that reuse the result;
so it does not refer to the including file.  The output consists of runs of tokens; their indices are relative to the
first run of the visit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

from hlsl_tool.base.diagnostics import Code
from hlsl_tool.frontend.preprocessor.lexing.parsed import Directive, ParsedFile, TextRun


class Define(NamedTuple):
    """A ``#define`` or ``#undef`` that was executed."""

    directive: Directive


class Pragma(NamedTuple):
    """A pragma for a later stage of the compiler."""

    name: str
    arguments: tuple[str, ...]
    offset: int
    text: str
    """Text after ``#pragma`` as written, for the printed output."""


class Warned(NamedTuple):
    """A warning that was reported, to be reported again when the visit is replayed."""

    code: Code
    offset: int
    fields: dict[str, Any]


class LineNote(NamedTuple):
    """A ``#line``: from ``offset`` (the start of the next line) on, line numbers start at ``line``."""

    offset: int
    line: int
    name: str | None


class Visit:
    """One pass of the preprocessor through a file: the directives and texts (events) in order."""

    __slots__ = ("events", "file", "lines", "name", "notable", "runs", "skipped")

    def __init__(self, file: ParsedFile, name: str) -> None:
        self.file = file
        self.name = name
        self.events: list[tuple[int, Event]] = []
        """(index of the next run, event)"""
        self.lines: list[LineNote] = []
        self.skipped: list[tuple[int, int]] = []
        """Ranges (first, end) of items of the file in branches of conditions that were not taken; never nested."""
        self.runs = 0
        """Number of output runs, included files counted."""
        self.notable = False
        """Whether it or an included file has pragmas or warnings."""

    def presented(self, offset: int) -> tuple[str, int, int]:
        """Return (file name, line, column) of an offset in the text without comments, as modified by ``#line``."""
        line, col = self.file.source.line_col(self.file.physical(offset))
        name, shift = self.name, 0
        at = bisect_right(self.lines, offset, key=lambda note: note.offset)
        if at:
            note = self.lines[at - 1]
            shift = note.line - self.file.source.line_col(self.file.physical(note.offset))[0]
            while at and self.lines[at - 1].name is None:
                at -= 1
            name = self.lines[at - 1].name or name if at else name
        return name, line + shift, col


class Include(NamedTuple):
    """An ``#include`` whose file was read."""

    visit: Visit
    offset: int
    """Offset of the directive in the including file."""


class Step(NamedTuple):
    """One level of the include stack: a pass through a file, and the offset of the ``#include`` that began it."""

    visit: Visit
    offset: int


Chain = tuple[Step, ...]


def walk(visit: Visit, base: int, chain: Chain) -> Iterator[tuple[int, Event, Chain]]:
    """Yield (index of the following run of tokens, event, include stack) of a file and its includes, in order."""
    todo = [(iter(visit.events), base, chain)]
    while todo:
        events, start, here = todo[-1]
        for index, event in events:
            yield start + index, event, here
            if isinstance(event, Include):
                below = (*here, Step(event.visit, event.offset))
                todo.append((iter(event.visit.events), start + index, below))
                break
        else:
            todo.pop()


class IncludeStacks:
    """Finds the include stack of a run of tokens, in the record of a finished preprocessing run."""

    __slots__ = ("_includes", "_main")

    def __init__(self, main: Visit) -> None:
        self._main = main
        self._includes: dict[Visit, list[tuple[int, Include]]] = {}
        """The includes of a visit that produced runs, with the index of the first run."""

    def at(self, run: int) -> Chain:
        """Return the include stack of a run."""
        chain: Chain = (Step(self._main, -1),)
        visit, base = self._main, 0
        while True:
            includes = self._of(visit)
            at = bisect_right(includes, run - base, key=lambda entry: entry[0])
            if not at:
                return chain
            index, include = includes[at - 1]
            if run >= base + index + include.visit.runs:
                return chain
            visit, base = include.visit, base + index
            chain = (*chain, Step(visit, include.offset))

    def _of(self, visit: Visit) -> list[tuple[int, Include]]:
        includes = self._includes.get(visit)
        if includes is None:
            includes = self._includes[visit] = [
                (index, event) for index, event in visit.events if isinstance(event, Include) and event.visit.runs
            ]
        return includes


Event = Define | Include | Pragma | Warned | LineNote


class Slice(NamedTuple):
    """The expanded tokens of a text from index ``first`` on."""

    text: Text
    first: int


class Joined(NamedTuple):
    """Several texts of one file, expanded together because a macro invocation spans the directives between them."""

    parts: tuple[TextRun, ...]


Text = TextRun | Joined
Source = TextRun | Joined | Slice
"""The origin of the tokens of a segment."""
