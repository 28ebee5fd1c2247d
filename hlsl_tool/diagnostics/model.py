"""Diagnostics as plain data: a code, a message, a location."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from hlsl_tool.system.dataclass import dataclass, field

Severity = Literal["fatal", "error", "warning", "note"]
Side = Literal["before", "replace", "after"]
"""Place of an edit's text: before its token, in place of it, after it."""


class IncludeFrame(NamedTuple):
    """An ``#include`` in an include stack; the outermost comes first."""

    file: str
    line: int


class MacroFrame(NamedTuple):
    """A macro whose expansion produced a token, with the location inside the macro's definition.

    The macro invoked in the file comes first, then the macros of its expansion.
    """

    name: str
    file: str
    line: int
    col: int
    source_line: str


@dataclass(slots=True)
class Location:
    """A source range.  Lines and columns count from 1; ``end_col`` is the column after the last character."""

    file: str
    line: int = 0
    col: int = 0
    end_col: int = 0
    source_line: str = ""
    include_stack: tuple[IncludeFrame, ...] = ()
    macro_stack: tuple[MacroFrame, ...] = ()
    index: int = -1
    """Index of the token in its stream, -1 if unknown; selects the levels of ``#pragma dxc diagnostic``."""
    underlined: tuple[tuple[int, int], ...] = ()
    """Further ranges of the line, such as operands: first columns, and the columns after the last characters."""


@dataclass(slots=True, frozen=True)
class Code:
    """One row of the catalogue.  ``template`` is a ``str.format`` template; its fields are the keywords of the call."""

    id: str
    name: str
    """Kebab-case name; for a warning also the name for ``-W`` and ``#pragma dxc diagnostic``."""
    severity: Severity
    template: str
    group: str = ""
    """``-W`` name shared by several warnings."""
    default_on: bool = True
    """``False`` for warnings that ``-W<name>`` must enable."""
    default_error: bool = False
    """``True`` for warnings that are errors by default, unless disabled by a flag (``-Wno-return-type``)."""
    of_environment: bool = False
    """``True`` for warnings about the machine, not the shader; ``-WX`` does not make them errors."""
    outside_macros: bool = False
    """``True`` for warnings that are not reported where a macro is expanded."""
    of_valid: bool = False
    """``True`` for warnings that are not reported behind an error, of which they may be a consequence."""
    of_spacing: bool = False
    """``True`` for warnings that depend on line breaks and blanks, so that they are not stored by tokens."""
    doc: str = ""
    """Meaning of the message and remedy, for the documentation page."""


class Edit(NamedTuple):
    """A change of the source at a token, by the token's number; `diagnostics/fixes.py` makes replacements of edits."""

    text: str
    at: int | None = None
    """Number of the token in its declaration; ``None`` for the token of the diagnostic."""
    side: Side = "replace"


class Advice(NamedTuple):
    """A hint with the edits that carry it out."""

    hint: str | None
    edits: tuple[Edit, ...] = ()


class Replacement(NamedTuple):
    """New text for a range of one line; an insertion has an empty range.  Lines and columns count from 1."""

    file: str
    line: int
    col: int
    end_col: int
    text: str
    token: int = -1
    """Index in its stream of the token that is replaced or beside the insertion; -1 if unknown."""


class Occurrence(NamedTuple):
    """A permutation of a shader that has a diagnostic."""

    shader: str
    permutation: tuple[tuple[str, str], ...] = ()
    """Macros that vary between permutations, with their values."""
    pipeline: str = ""
    """The pipeline of the configuration whose link check reported the diagnostic."""


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
    """The option that controls a warning, for display: ``-Wunknown-pragmas``, ``-Werror,-Wconversion``."""
    occurrences: tuple[Occurrence, ...] = ()
    """Permutations of a build that have the diagnostic; set for documents (JSON, SARIF) only."""
    fixes: tuple[Replacement, ...] = ()
    """Replacements that mend the source if all of them are applied; their ranges do not overlap."""

    def flatten(self) -> Iterator[Diagnostic]:
        """Yield the diagnostic and its notes in display order."""
        todo = [self]
        while todo:
            item = todo.pop()
            yield item
            todo.extend(reversed(item.notes))
