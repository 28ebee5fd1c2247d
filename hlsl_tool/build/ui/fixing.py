"""Apply the fix-its of errors to the sources of a project."""

from __future__ import annotations

import os
from collections.abc import Iterable

from hlsl_tool.diagnostics import Diagnostic, Replacement
from hlsl_tool.system.atomic_write import write_all
from hlsl_tool.system.regular_files import read_regular


def apply_fixes(diagnostics: Iterable[Diagnostic], root: str) -> dict[str, int]:
    """Apply the fix-its of errors to files below ``root``; return the number of replacements by file.

    A fix-it is left out if its file lies outside of the project, is not UTF-8 or has changed, or if it overlaps an
    earlier one.  Warnings are left alone: their fix-its may change what a shader computes.  May raise ``WriteError``.
    """
    wanted: dict[str, dict[Replacement, Diagnostic]] = {}
    for diagnostic in diagnostics:
        if diagnostic.severity in ("error", "fatal"):
            for fix in diagnostic.fixes:
                wanted.setdefault(fix.file, {}).setdefault(fix._replace(token=-1), diagnostic)
    texts: dict[str, bytes] = {}
    counts: dict[str, int] = {}
    for file, fixes in sorted(wanted.items()):
        path = os.path.realpath(os.path.join(root, file))
        lines = _lines(path) if path.startswith(os.path.realpath(root) + os.sep) else None
        count = _mend(lines, fixes) if lines is not None else 0
        if lines is not None and count:
            texts[path] = "\n".join(lines).encode()
            counts[file] = count
    if texts:
        write_all(texts)
    return counts


def _lines(path: str) -> list[str] | None:
    """Return the lines of a file; ``None`` if it cannot be read or is not UTF-8 without a mark."""
    try:
        text = read_regular(path).decode()
    except (OSError, ValueError):
        return None
    return text.split("\n") if not text.startswith("\ufeff") else None


def _mend(lines: list[str], fixes: dict[Replacement, Diagnostic]) -> int:
    """Apply replacements to the lines, from the end; return how many were applied."""
    count, before = 0, (len(lines) + 1, 0)
    for fix, diagnostic in sorted(fixes.items(), key=lambda item: (item[0].line, item[0].end_col), reverse=True):
        if fix.line > len(lines) or (fix.line, fix.end_col) > before or not _is_current(lines, fix, diagnostic):
            continue
        line = lines[fix.line - 1]
        lines[fix.line - 1] = line[: fix.col - 1] + fix.text + line[fix.end_col - 1 :]
        before = (fix.line, fix.col)
        count += 1
    return count


def _is_current(lines: list[str], fix: Replacement, diagnostic: Diagnostic) -> bool:
    """Return whether the line is the one that was compiled; what follows the replacement may be mended already."""
    at = diagnostic.location
    if at is None or (at.file, at.line) != (fix.file, fix.line):
        return True
    return lines[fix.line - 1][: fix.end_col - 1] == at.source_line[: fix.end_col - 1]
