"""Diagnostics as plain data: a code, a message, a location."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from hlsl_tool.base.system.dataclass import dataclass, field

Severity = Literal["fatal", "error", "warning", "note"]
Side = Literal["before", "replace", "after"]
"""Place of an edit's text: before its token, in place of it, after it."""


class IncludeFrame(NamedTuple):
    """One ``#include`` of an include stack, in which the outermost comes first."""

    file: str
    line: int


class MacroFrame(NamedTuple):
    """A macro whose expansion produced a token, with the location inside of the macro's definition.

    In a list, the macro that the file invokes comes first, followed by the macros in its expansion.
    """

    name: str
    file: str
    line: int
    col: int
    source_line: str


@dataclass(slots=True)
class Location:
    """A source range.  Lines and columns are 1-based; ``end_col`` is the column after the last character."""

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
    """An entry of the catalogue.  ``template`` is a ``str.format`` template, whose fields are keywords of the call."""

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
    """A change of the source at a token, given by the token's position.

    `base/diagnostics/fixes.py` makes replacements of edits.
    """

    text: str
    at: int | None = None
    """Number of the token in its declaration; ``None`` for the token of the diagnostic."""
    side: Side = "replace"


class Advice(NamedTuple):
    """The text of a hint, and the edits of the source that apply it."""

    hint: str | None
    edits: tuple[Edit, ...] = ()


class Replacement(NamedTuple):
    """New text for a range in one line; for an insertion the range is empty.  Lines and columns are 1-based."""

    file: str
    line: int
    col: int
    end_col: int
    text: str
    token: int = -1
    """Index in its stream of the token that is replaced or beside the insertion; -1 if unknown."""


class Occurrence(NamedTuple):
    """A permutation of a shader that reported a diagnostic."""

    shader: str
    permutation: tuple[tuple[str, str], ...] = ()
    """Macros that vary between permutations, with their values."""
    pipeline: str = ""
    """The pipeline of the configuration whose link check reported the diagnostic."""


@dataclass(slots=True)
class Diagnostic:
    """An error, warning or note as data."""

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
        """Yield the diagnostic and all its notes, in display order."""
        todo = [self]
        while todo:
            item = todo.pop()
            yield item
            todo.extend(reversed(item.notes))
