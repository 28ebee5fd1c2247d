"""Convert the edits of a diagnostic, which refer to tokens, to fix-its, which refer to text in files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hlsl_tool.base.diagnostics.diagnostic import Advice, Edit, Location, Replacement


def replacements(
    edits: Iterable[Edit], token: int, base: int, tokens: Sequence[str], locate: Callable[[int], Location]
) -> tuple[Replacement, ...]:
    """Return the replacements for ``edits``; () if one of them does not concern a token in a file.

    ``tokens`` are the spellings of all tokens of the shader.  ``token`` is the index of the token at which the
    diagnostic is, and ``base`` the index of the first token of the top-level declaration, to which edits are relative.
    ``locate`` returns the location of the token at an index.  A token from a macro, or one that is spelled over two
    lines, cannot be replaced.
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
    """Convert a hint to an `Advice`; a text or ``None`` has no edits."""
    return hint if isinstance(hint, Advice) else Advice(hint)
