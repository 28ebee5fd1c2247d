"""Apply the fix-its of errors to the sources of a project."""

from __future__ import annotations

import os
from collections.abc import Iterable

from hlsl_tool.base.diagnostics import Diagnostic, Replacement
from hlsl_tool.base.system.atomic_write import rewrite
from hlsl_tool.base.system.dataclass import dataclass, field


@dataclass(slots=True)
class Applied:
    """For each file: the number of replacements that were made, or the reason why the file was not changed.

    Files are named as in diagnostics.
    """

    counts: dict[str, int] = field(default_factory=dict)
    """Number of replacements that were made."""
    refused: dict[str, str] = field(default_factory=dict)
    """Reasons why files were not changed."""


def apply_fixes(diagnostics: Iterable[Diagnostic], root: str) -> Applied:
    """Apply the fix-its of errors to files below ``root``.

    A fix-it is skipped if its file lies outside of the project, is read-only, is not UTF-8 or has changed, or if it
    overlaps an earlier fix-it.  The fix-its of warnings are never applied: they may change what a shader computes.
    """
    fixes_by_file: dict[str, dict[Replacement, Diagnostic]] = {}
    for diagnostic in diagnostics:
        if diagnostic.severity in ("error", "fatal"):
            for fix in diagnostic.fixes:
                fixes_by_file.setdefault(fix.file, {}).setdefault(fix._replace(token=-1), diagnostic)
    applied = Applied()
    for file, fixes in sorted(fixes_by_file.items()):
        try:
            count = _rewrite(os.path.realpath(os.path.join(root, file)), os.path.realpath(root), fixes)
        except _Refused as reason:
            applied.refused[file] = str(reason)
        else:
            applied.counts[file] = count
    return applied


class _Refused(Exception):
    """Raised with the reason why a file is not changed."""


def _rewrite(path: str, root: str, fixes: dict[Replacement, Diagnostic]) -> int:
    """Apply replacements to a file without changing its permissions; return how many were applied.

    Raise ``_Refused``.
    """
    if not path.startswith(root.rstrip(os.sep) + os.sep):
        raise _Refused("it lies outside of the project")
    count = 0

    def edit(data: bytes) -> bytes:
        nonlocal count
        lines = _lines(data)
        count = _mend(lines, fixes)
        if not count:
            raise _Refused("it changed since it was compiled")
        return "\n".join(lines).encode()

    try:
        rewrite(path, edit, below=root)
    except OSError as error:
        raise _Refused(error.strerror or str(error)) from None
    return count


def _lines(data: bytes) -> list[str]:
    """Return the lines of a file; raise ``_Refused`` if it is not UTF-8, or starts with a byte order mark."""
    try:
        text = data.decode()
    except ValueError:
        raise _Refused("it is not UTF-8") from None
    if text.startswith("\ufeff"):
        raise _Refused("it begins with a byte order mark")
    return text.split("\n")


def _mend(lines: list[str], fixes: dict[Replacement, Diagnostic]) -> int:
    """Apply replacements to the lines in place, from the end; return how many were applied."""
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
    """Return whether a line is unchanged since it was compiled, up to the end of the replacement.

    The rest of the line may have been changed by a fix-it that was applied before.
    """
    at = diagnostic.location
    if at is None or (at.file, at.line) != (fix.file, fix.line):
        return True
    return lines[fix.line - 1][: fix.end_col - 1] == at.source_line[: fix.end_col - 1]
