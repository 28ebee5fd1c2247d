"""Code actions that apply the fix-its of diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsprotocol import types as lsp

Changes = dict[str, list[lsp.TextEdit]]
"""URI → edits of the document."""


def code_actions(
    published: Iterable[lsp.Diagnostic], where: lsp.Range, helps: Callable[[lsp.Diagnostic, Changes], bool]
) -> list[lsp.CodeAction]:
    """Return the fix-its of the published diagnostics in a range as code actions, those that help only.

    The field ``data`` of a diagnostic contains its replacements.
    """
    actions: list[lsp.CodeAction] = []
    for diagnostic in published:
        if not isinstance(diagnostic.data, dict) or not _overlap(diagnostic.range, where):
            continue
        changes: Changes = {}
        for fix in diagnostic.data.get("fixes", ()):
            start = lsp.Position(fix["line"], fix["start"])
            end = lsp.Position(fix["line"], fix["end"])
            changes.setdefault(fix["uri"], []).append(lsp.TextEdit(lsp.Range(start, end), fix["text"]))
        if changes and helps(diagnostic, changes):
            actions.append(
                lsp.CodeAction(
                    _title(changes),
                    kind=lsp.CodeActionKind.QuickFix,
                    diagnostics=[diagnostic],
                    edit=lsp.WorkspaceEdit(changes=changes),
                    is_preferred=True,
                )
            )
    return actions


def _overlap(a: lsp.Range, b: lsp.Range) -> bool:
    def key(p: lsp.Position) -> tuple[int, int]:
        return p.line, p.character

    return key(a.start) <= key(b.end) and key(b.start) <= key(a.end)


def _title(changes: Changes) -> str:
    """Return a title such as ``replace with `position```, or the number of edits if there are several."""
    edits = [edit for group in changes.values() for edit in group]
    if len(edits) > 1:
        return f"fix it ({len(edits)} changes)"
    text = edits[0].new_text
    if edits[0].range.start == edits[0].range.end:
        return f"insert `{text}`"
    return f"replace with `{text}`" if text else "remove"
