"""The active permutation: a code lens that shows it, and commands that list and select permutations."""

from __future__ import annotations

from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.session import Session, uri_of_path
from hlsl_tool.apps.lsp.workspace.targets import Target

LIST = "hlsl_tool.listPermutations"
SELECT = "hlsl_tool.selectPermutation"
NEXT = "hlsl_tool.nextPermutation"
CHOOSE = "hlsl_tool.choosePermutation"
"""The command of a client that shows a menu (the extension for VS Code)."""


def code_lens(session: Session, path: str) -> list[lsp.CodeLens]:
    """Return the code lens in the first line: the shader and permutation with which the file is analysed."""
    if session.workspace.is_configuration(path):
        return []
    start = lsp.Position(0, 0)
    choices = session.choices(path)
    target = session.target(path)
    if target not in choices:
        return []
    name = target.label if target.source == path else f"{target.shown}: {target.label}"
    title = f"{name} ({choices.index(target) + 1} of {len(choices)})"
    command = CHOOSE if session.settings.has_menu else NEXT
    return [lsp.CodeLens(lsp.Range(start, start), lsp.Command(title, command, arguments=[uri_of_path(path)]))]


def listed(session: Session, path: str) -> list[dict[str, object]]:
    """Return the permutations of a file as plain data: name, source, label, and whether it is the active one."""
    active = session.target(path)
    return [
        {"name": target.name, "source": target.shown, "label": target.label, "active": target is active}
        for target in session.choices(path)
    ]


def following(session: Session, path: str) -> Target | None:
    """Return the permutation after the active one, cyclically; ``None`` if there is only one."""
    choices = session.choices(path)
    active = session.target(path)
    if len(choices) < 2 or active not in choices:
        return None
    return choices[(choices.index(active) + 1) % len(choices)]
