"""Diagnostics as plain data: a code, a message made from it, a place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Severity = Literal["fatal", "error", "warning", "note"]


class IncludeFrame(NamedTuple):
    """An ``#include`` that led to a place; the innermost comes first."""

    file: str
    line: int


class MacroFrame(NamedTuple):
    """A macro whose expansion made a token, with the place inside the macro's definition.

    The macro that was written in the file comes first, then what its expansion led to.
    """

    name: str
    file: str
    line: int
    col: int
    source_line: str


@dataclass(slots=True)
class Location:
    """Where a message belongs.  Lines and columns count from 1; ``end_col`` is the column behind the last character."""

    file: str
    line: int = 0
    col: int = 0
    end_col: int = 0
    source_line: str = ""
    include_stack: tuple[IncludeFrame, ...] = ()
    macro_stack: tuple[MacroFrame, ...] = ()
    index: int = -1
    """Index of the token in its token stream where there is one; ``#pragma dxc diagnostic`` counts by it."""


@dataclass(slots=True, frozen=True)
class Code:
    """One row of the catalogue.  ``template`` is a ``str.format`` template; its fields are the keywords of the call."""

    id: str
    name: str
    """Kebab case; of a warning also the name that ``-W`` and ``#pragma dxc diagnostic`` take."""
    severity: Severity
    template: str
    group: str = ""
    """A second ``-W`` name that stands for several warnings."""
    default_on: bool = True
    """Warnings that are only given on ``-W<name>`` have ``False``."""
    default_error: bool = False
    """Warnings that are errors unless a flag says otherwise: ``-Wno-return-type``."""
    of_environment: bool = False
    """Warnings that say something of the machine and nothing of the shader: -WX leaves them as they are."""
    doc: str = ""
    """What the message means and what to do, for the documentation page."""


@dataclass(slots=True)
class Diagnostic:
    """A message."""

    code: Code
    severity: Severity
    message: str
    location: Location | None = None
    notes: list[Diagnostic] = field(default_factory=list)
    hint: str | None = None
    flag: str = ""
    """The option that governs a warning, for display: ``-Wunknown-pragmas``, ``-Werror,-Wconversion``."""

    def flatten(self) -> Iterator[Diagnostic]:
        """The message and then its notes, in the order in which they are shown."""
        todo = [self]
        while todo:
            item = todo.pop()
            yield item
            todo.extend(reversed(item.notes))
