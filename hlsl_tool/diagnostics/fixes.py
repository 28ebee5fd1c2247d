"""Fix-its: the replacements that carry out the edits of a diagnostic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hlsl_tool.diagnostics.model import Advice, Edit, Location, Replacement


def replacements(
    edits: Iterable[Edit], token: int, base: int, tokens: Sequence[str], locate: Callable[[int], Location]
) -> tuple[Replacement, ...]:
    """Return the replacements of ``edits``; none if one of them has no place in a file.

    ``token`` is the index of the diagnostic's token, ``base`` that of the first token of its declaration, ``tokens``
    the spellings of the stream and ``locate`` the location of a token.  A token that a macro produces, or that is
    spelled over two lines, has no place that a replacement could change.
    """
    result = []
    for edit in edits:
        index = token if edit.at is None else base + edit.at
        replacement = _replacement(edit, index, tokens[index], locate(index)) if index < len(tokens) else None
        if replacement is None:
            return ()
        result.append(replacement)
    return tuple(result)


def _replacement(edit: Edit, index: int, spelling: str, at: Location) -> Replacement | None:
    if at.macro_stack or not at.line or at.source_line[at.col - 1 : at.end_col - 1] != spelling:
        return None
    start = at.end_col if edit.side == "after" else at.col
    end = at.col if edit.side == "before" else at.end_col
    return Replacement(at.file, at.line, start, end, edit.text, index)


def advice_of(hint: str | Advice | None) -> Advice:
    """Return an `Advice` unchanged, and a text or ``None`` as advice without fixes."""
    return hint if isinstance(hint, Advice) else Advice(hint)
