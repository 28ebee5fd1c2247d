"""Render diagnostics in the format of clang and DXC: message, source line, caret, include stack, macro backtrace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hlsl_tool.base.diagnostics.diagnostic import Diagnostic, IncludeFrame, Location, Replacement
from hlsl_tool.base.diagnostics.visible import visible, visible_name

from .words import SEVERITY_WORDS, suffix

WIDTH = 160
"""Limit on displayed columns; longer source lines are cut around the caret."""

_BEFORE = 60
_MAX_MACROS = 8
"""Limit on displayed frames of a macro backtrace; the middle of a longer one is omitted."""
_MAX_INCLUDES = 5
"""Displayed frames at either end of a long include stack."""

_RESET = "\033[0m"
_BOLD = "\033[1m"
_GREEN = "\033[1;32m"
_COLORS = {"fatal": "\033[1;31m", "error": "\033[1;31m", "warning": "\033[1;35m", "note": "\033[1;36m"}


def as_text(diagnostics: Sequence[Diagnostic], *, color: bool = False) -> str:
    """Render all diagnostics with their notes."""
    lines: list[str] = []
    shown: tuple[IncludeFrame, ...] = ()
    for d in diagnostics:
        for item in d.flatten():
            shown = _message(lines, item, shown, color)
    return "".join(f"{line}\n" for line in lines)


def _message(lines: list[str], d: Diagnostic, shown: tuple[IncludeFrame, ...], color: bool) -> tuple[IncludeFrame, ...]:
    """Append the text of one diagnostic to ``lines``; return the include stack that was shown last.

    ``shown`` is the include stack that was shown before; the diagnostic's own is printed only if it differs.
    """
    place = d.location
    stack = place.include_stack if place is not None else ()
    if place is not None and place.line and stack != shown:
        lines += _included_from(stack)
        shown = stack
    word, message = SEVERITY_WORDS[d.severity], visible(d.message) + suffix(d)
    where = visible_name(_where(place))
    if color:
        bold = "" if d.severity == "note" else _BOLD
        lines.append(f"{_BOLD}{where}{_RESET}{_COLORS[d.severity]}{word}: {_RESET}{bold}{message}{_RESET}")
    else:
        lines.append(f"{where}{word}: {message}")
    if place is not None:
        fixes = [fix for fix in d.fixes if (fix.file, fix.line) == (place.file, place.line)]
        lines += snippet(
            place.source_line, place.col, place.end_col, color=color, fixes=fixes, underlined=place.underlined
        )
        lines += _macros(place, color)
    if d.hint:
        lines.append(f"{_COLORS['note']}hint: {_RESET}{visible(d.hint)}" if color else f"hint: {visible(d.hint)}")
    return shown


def _included_from(stack: tuple[IncludeFrame, ...]) -> list[str]:
    """Return the lines of an include stack; the middle of a long one is omitted."""
    lines = [f"In file included from {visible_name(frame.file)}:{frame.line}:" for frame in stack]
    left_out = len(lines) - 2 * _MAX_INCLUDES
    if left_out <= 1:
        return lines
    return [*lines[:_MAX_INCLUDES], f"(skipping {left_out} contexts in backtrace)", *lines[-_MAX_INCLUDES:]]


def _where(place: Location | None) -> str:
    if place is None:
        return ""
    if not place.line:
        return f"{place.file}: "
    return f"{place.file}:{place.line}:{place.col}: " if place.col else f"{place.file}:{place.line}: "


def _macros(place: Location, color: bool) -> Iterator[str]:
    frames = place.macro_stack
    left_out = len(frames) - _MAX_MACROS
    for n, frame in enumerate(frames):
        if left_out > 0 and _MAX_MACROS // 2 <= n < len(frames) - _MAX_MACROS // 2:
            if n == _MAX_MACROS // 2:
                yield f"note: ({left_out} expansions of macros in between are not shown)"
            continue
        yield f"{visible_name(frame.file)}:{frame.line}:{frame.col}: note: expanded from macro '{frame.name}'"
        yield from snippet(frame.source_line, frame.col, 0, color=color)


def snippet(
    source: str,
    col: int,
    end_col: int,
    *,
    color: bool = False,
    fixes: Sequence[Replacement] = (),
    underlined: Sequence[tuple[int, int]] = (),
) -> list[str]:
    """Return the source line, a line with the caret, and a line with the texts of fix-its, if there are any.

    Columns are 1-based; ``end_col`` is the column after the range.  ``fixes`` and ``underlined`` concern this source
    line.
    """
    source = source.rstrip("\r\n")
    if not source.strip() or col < 1:
        return []
    start = 0
    if len(source) > WIDTH:
        start = max(0, min(col - 1 - _BEFORE, len(source) - WIDTH))
        source, col, end_col = source[start : start + WIDTH], col - start, end_col - start
    source = "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in source)
    ranges = [(first - start, end - start) for first, end in (*underlined, (col, end_col))]
    mark = _mark(source, col, ranges)
    blank = len(mark) - len(mark.lstrip())
    mark = f"{mark[:blank]}{_GREEN}{mark[blank:]}{_RESET}" if color else mark
    insertions = _insertions(source, [(fix.col - 1 - start, fix.text) for fix in fixes], color)
    return [source, mark, *insertions]


def _mark(source: str, col: int, ranges: Sequence[tuple[int, int]]) -> str:
    """Return the line below the source line: ``~`` in ranges of columns, ``^`` at the caret; tabs are preserved."""
    width = max(col, *(min(end, len(source) + 1) - 1 for _, end in ranges))
    cells = list(_lead(source, width))
    for first, end in ranges:
        for at in range(max(first, 1), min(end, len(source) + 1)):
            cells[at - 1] = "~" if cells[at - 1] == " " else cells[at - 1]
    cells[col - 1] = "^"
    return "".join(cells).rstrip()


def _lead(source: str, width: int) -> str:
    """Return ``width`` blanks, with a tab wherever ``source`` has one.

    So a caret after them is below the right column of the source line, for any tab width.
    """
    return "".join("\t" if c == "\t" else " " for c in source[:width]).ljust(width)


def _insertions(source: str, texts: list[tuple[int, str]], color: bool) -> list[str]:
    """Return a line with texts below their columns; a text that would overlap the previous one moves to the right."""
    line = ""
    for column, text in sorted(texts):
        if 0 <= column < WIDTH and text:
            line = line + _lead(source, column)[len(line) :] if len(line) <= column else line + " "
            line += visible_name(text)
    return [f"{_GREEN}{line}{_RESET}" if color else line] if line else []
