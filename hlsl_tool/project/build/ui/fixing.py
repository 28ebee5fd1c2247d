"""Apply the fix-its of errors to the sources of a project, as far as they help.

A fix-it is a guess. So its file is compiled with it first: it is applied only if the file then has fewer errors, and
none that it had not before. The fix-its of a file are written together or not at all.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from hlsl_tool.base.diagnostics import Diagnostic, Replacement
from hlsl_tool.base.system.atomic_write import read_bytes, rewrite
from hlsl_tool.base.system.dataclass import dataclass, field

Trial = Callable[[Mapping[str, str]], Iterable[Diagnostic]]
"""Compiles the shaders concerned with texts (name of a file → text) in place of files; returns the diagnostics."""


ErrorKey = tuple[int, str, str]
"""Line, code and message, by which an error is the same one before and after a change."""


@dataclass(slots=True)
class Applied:
    """For each file: the number of replacements that were made, or the reason why the file was not changed.

    Files are named as in diagnostics.
    """

    counts: dict[str, int] = field(default_factory=dict)
    """Number of replacements that were made."""
    refused: dict[str, str] = field(default_factory=dict)
    """Reasons why files were not changed."""

    def report(self) -> str:
        """Return lines that list the changed files, and those that were refused."""
        lines = [f"fixed: {file} ({count} place{'s' if count > 1 else ''})\n" for file, count in self.counts.items()]
        lines += [f"not fixed: {file}: {reason}\n" for file, reason in self.refused.items()]
        return "".join(lines) or "fixed: nothing\n"


@dataclass(slots=True, eq=False)
class FixIt:
    """The replacements of one error in one file; they are made together."""

    replacements: tuple[Replacement, ...]
    diagnostic: Diagnostic

    def is_current(self, lines: Sequence[str]) -> bool:
        """Return whether the lines are those that were compiled, up to the ends of the replacements."""
        at = self.diagnostic.location
        for fix in self.replacements:
            if fix.line > len(lines):
                return False
            if at is not None and (at.file, at.line) == (fix.file, fix.line):
                line = lines[fix.line - 1]
                if line[: fix.end_col - 1] != at.source_line[: fix.end_col - 1]:
                    return False
        return True

    def overlaps(self, others: Iterable[FixIt]) -> bool:
        """Return whether a replacement of another fix-it has characters in common with one of this."""
        ranges = [(fix.line, fix.col, fix.end_col) for other in others for fix in other.replacements]
        return any(
            fix.line == line and fix.col < end and start < fix.end_col
            for fix in self.replacements
            for line, start, end in ranges
        )


class _Refused(Exception):
    """Raised with the reason why a file is not changed."""


def apply_fixes(diagnostics: Iterable[Diagnostic], root: str, trial: Trial) -> Applied:
    """Apply those fix-its of errors to files below ``root`` that leave their file with fewer errors and no new ones.

    A fix-it is skipped if its file lies outside of the project, is read-only, is not UTF-8 or has changed, or if it
    overlaps an earlier fix-it.  The fix-its of warnings are never applied: they may change what a shader computes.
    """
    applied = Applied()
    texts: dict[str, str] = {}
    for file, fixes in sorted(_by_file(diagnostics).items()):
        path = os.path.join(os.path.realpath(root), file)
        try:
            data = _content(path, os.path.realpath(root))
            lines = _lines(data)
            chosen = _chosen(lines, fixes, file, partial(_with, trial, texts, file))
            text = mended(lines, chosen)
            _write(path, os.path.realpath(root), data, text.encode())
        except _Refused as reason:
            applied.refused[file] = str(reason)
        else:
            texts[file] = text
            applied.counts[file] = sum(len(fix.replacements) for fix in chosen)
    return applied


def _with(trial: Trial, texts: Mapping[str, str], file: str, text: str) -> Iterable[Diagnostic]:
    return trial({**texts, file: text})


def _by_file(diagnostics: Iterable[Diagnostic]) -> dict[str, list[FixIt]]:
    """Return file → fix-its of errors; permutations may have the same one, which is listed once."""
    files: dict[str, dict[tuple[Replacement, ...], FixIt]] = {}
    for diagnostic in diagnostics:
        if diagnostic.severity in ("error", "fatal"):
            by_file: dict[str, list[Replacement]] = {}
            for fix in diagnostic.fixes:
                by_file.setdefault(fix.file, []).append(fix._replace(token=-1))
            for file, group in by_file.items():
                files.setdefault(file, {}).setdefault(tuple(group), FixIt(tuple(group), diagnostic))
    return {file: list(fixes.values()) for file, fixes in files.items()}


def _chosen(
    lines: list[str], fixes: list[FixIt], file: str, compile_text: Callable[[str], Iterable[Diagnostic]]
) -> list[FixIt]:
    """Return the fix-its to apply: all that do not overlap if they help together, else those that help one by one."""
    fixes = compatible(lines, fixes)
    if not fixes:
        raise _Refused("it changed since it was compiled")

    def errors(chosen: list[FixIt]) -> Counter[ErrorKey]:
        return errors_in(compile_text(mended(lines, chosen)), file)

    before = errors([])
    if is_improved(before, errors(fixes)):
        return fixes
    chosen: list[FixIt] = []
    for fix in fixes if len(fixes) > 1 else ():
        after = errors([*chosen, fix])
        if is_improved(before, after):
            chosen, before = [*chosen, fix], after
    if not chosen:
        raise _Refused("the fix-its would leave as many errors, or other ones")
    return chosen


def errors_in(diagnostics: Iterable[Diagnostic], file: str) -> Counter[ErrorKey]:
    """Return how often a file has each error."""
    return Counter(
        (d.location.line, d.code.id, d.message)
        for d in diagnostics
        if d.severity in ("error", "fatal") and d.location is not None and d.location.file == file
    )


def is_improved(before: Counter[ErrorKey], after: Counter[ErrorKey]) -> bool:
    """Return whether there are fewer errors than before, and none that is new."""
    return after.total() < before.total() and not after - before


def compatible(lines: Sequence[str], fixes: Iterable[FixIt]) -> list[FixIt]:
    """Return the fix-its that are current, without those that overlap an earlier one."""
    chosen: list[FixIt] = []
    for fix in fixes:
        if fix.is_current(lines) and not fix.overlaps(chosen):
            chosen.append(fix)
    return chosen


def mended(lines: Sequence[str], fixes: Iterable[FixIt]) -> str:
    """Return the text with the replacements of fix-its that do not overlap."""
    result = list(lines)
    replacements = [fix for item in fixes for fix in item.replacements]
    for fix in sorted(replacements, key=lambda fix: (fix.line, fix.end_col), reverse=True):
        line = result[fix.line - 1]
        result[fix.line - 1] = line[: fix.col - 1] + fix.text + line[fix.end_col - 1 :]
    return "\n".join(result)


def _content(path: str, root: str) -> bytes:
    """Return the content of a file of the project; raise ``_Refused`` for another file, or one that has none."""
    if not os.path.realpath(path).startswith(root.rstrip(os.sep) + os.sep):
        raise _Refused("it lies outside of the project")
    data = read_bytes(path)
    if data is None:
        raise _Refused("No such file or directory")
    return data


def _write(path: str, root: str, before: bytes, data: bytes) -> None:
    """Replace the content of a file without changing its permissions; raise ``_Refused``."""

    def edit(now: bytes) -> bytes:
        _unchanged(now, before)
        return data

    try:
        rewrite(os.path.realpath(path), edit, below=root)
    except OSError as error:
        raise _Refused(error.strerror or str(error)) from None


def _unchanged(now: bytes, before: bytes) -> None:
    if now != before:
        raise _Refused("it changed since it was compiled")


def _lines(data: bytes) -> list[str]:
    """Return the lines of a file; raise ``_Refused`` if it is not UTF-8, or starts with a byte order mark."""
    try:
        text = data.decode()
    except ValueError:
        raise _Refused("it is not UTF-8") from None
    if text.startswith("\ufeff"):
        raise _Refused("it begins with a byte order mark")
    return text.split("\n")
