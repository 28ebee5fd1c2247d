"""The features on the sample shaders, in this process: with damaged texts, and renames that must change nothing."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from hlsl_tool.apps.lsp import requests
from hlsl_tool.apps.lsp.features import navigation, signature_help
from hlsl_tool.apps.lsp.features.inlay_hints import inlay_hints
from hlsl_tool.apps.lsp.features.rename import Refused
from hlsl_tool.apps.lsp.features.symbols import document_symbols
from hlsl_tool.apps.lsp.session import Session, Settings, path_of_uri, uri_of_path
from hlsl_tool.apps.lsp.source.text import offset_of
from hlsl_tool.base.system.deep_stack import with_deep_stack

ROOT = Path(__file__).parents[2]
DAMAGED = 12
"""Number of damaged texts."""
RENAMES = 40
"""Number of names that are renamed."""
PIECES = (
    "{",
    "}",
    "(",
    ")",
    ".",
    ";",
    "#",
    '"',
    "/*",
    "::",
    "<",
    ">",
    "\\\n",
    "é",
    "🎨",
    "#define X",
    "template<",
    "N::",
)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """Return a session in a copy of the samples."""
    folder = tmp_path_factory.mktemp("samples")
    for name in ("config", "shaders"):
        shutil.copytree(ROOT / name, folder / name)
    session = Session(str(folder), Settings(), print)
    session.workspace.load()
    assert session.workspace.targets
    return session


def shaders(session: Session) -> list[str]:
    """Return the paths of the sample shaders."""
    return sorted(session.workspace.by_source)


def damage(random_: random.Random, text: str) -> str:
    """Return a text with some pieces deleted, inserted or duplicated."""
    for _ in range(random_.randrange(1, 4)):
        at = random_.randrange(len(text))
        kind = random_.randrange(4)
        if kind == 0:
            text = text[:at] + text[at + random_.randrange(1, 40) :]
        elif kind == 1:
            text = text[:at] + random_.choice(PIECES) + text[at:]
        elif kind == 2:
            other = random_.randrange(len(text))
            text = text[:at] + text[other : other + 30] + text[at:]
        else:
            text = text[: max(at, 5)]
    return text


def ask(session: Session, path: str, position: lsp.Position) -> None:
    """Send every request about a position."""
    document = lsp.TextDocumentIdentifier(uri_of_path(path))
    requests.hover(session, lsp.HoverParams(document, position))
    requests.completion(session, lsp.CompletionParams(document, position))
    requests.references(session, lsp.ReferenceParams(lsp.ReferenceContext(True), document, position))
    requests.rename(session, lsp.RenameParams(document, position, "newName"))
    result = session.analysis(path)
    assert result is not None
    navigation.definition(*result, position, uri_of_path)
    navigation.highlights(*result, position)
    document_symbols(*result)
    inlay_hints(*result, lsp.Range(lsp.Position(0, 0), lsp.Position(10_000, 0)))
    signature_help.signature_help(session.analyser, result[0].target, result[1], position)


@pytest.mark.parametrize("seed", range(DAMAGED))
def test_no_request_fails_on_damaged_texts(session: Session, seed: int) -> None:
    random_ = random.Random(seed)
    path = random_.choice(shaders(session))
    text = damage(random_, Path(path).read_text())

    def work() -> None:
        session.open(path, text)
        session.check(path)
        session.check_lowered(path)
        for _ in range(3):
            ask(session, path, lsp.Position(random_.randrange(text.count("\n") + 2), random_.randrange(60)))
        session.forget(path)

    with_deep_stack(work)


def names(session: Session, random_: random.Random) -> Iterator[tuple[str, lsp.Position, str]]:
    """Yield (path, position, word) of words in the sample shaders, in random order."""
    paths = shaders(session)
    while True:
        path = random_.choice(paths)
        text = Path(path).read_text()
        word = random_.choice(list(re.finditer(r"[A-Za-z_]\w+", text)))
        before = text[: word.start()]
        yield path, lsp.Position(before.count("\n"), len(before) - before.rfind("\n") - 1), word.group()


def test_a_rename_changes_nothing_but_the_name(session: Session) -> None:
    """The renamed shader has the same diagnostics, and renaming it back gives the original text."""
    renamed = 0

    def work() -> None:
        nonlocal renamed
        for path, position, name in names(session, random.Random(1)):
            document = lsp.TextDocumentIdentifier(uri_of_path(path))
            edit = requests.rename(session, lsp.RenameParams(document, position, "renamedName"))
            if not isinstance(edit, lsp.WorkspaceEdit) or not edit.changes:
                assert edit is None or isinstance(edit, Refused)
                continue
            before = {item.message for items in session.check(path).values() for item in items}
            texts = {path: apply(session, path, edits) for path, edits in by_path(edit).items()}
            after = {item.message for items in session.check(path).values() for item in items}
            assert after == before, (path, position, name)
            uri, edits = next(iter(edit.changes.items()))
            first = lsp.TextDocumentIdentifier(uri)  # the first name of a file stays where it is
            back = requests.rename(session, lsp.RenameParams(first, edits[0].range.start, name))
            if isinstance(back, Refused):  # a local may have the name of an intrinsic function or of a member
                assert str(back) in (f"`{name}` has a meaning in HLSL", f"`{name}` is used already"), (path, position)
            else:
                assert isinstance(back, lsp.WorkspaceEdit)
                for changed, edits in by_path(back).items():
                    apply(session, changed, edits)
                shown = {changed: (session.documents.read(changed) or b"").decode() for changed in texts}
                assert shown == texts, (path, position, name)
            for changed in texts:
                session.documents.close(changed)
            renamed += 1
            if renamed == RENAMES:
                return

    with_deep_stack(work)


def by_path(edit: lsp.WorkspaceEdit) -> dict[str, list[lsp.TextEdit]]:
    """Return path → edits."""
    return {path_of_uri(uri): list(edits) for uri, edits in (edit.changes or {}).items()}


def apply(session: Session, path: str, edits: list[lsp.TextEdit]) -> str:
    """Apply edits to an open document; return the text before."""
    file = session.documents.source(path)
    assert file is not None
    text = file.text
    for edit in sorted(edits, key=lambda e: offset_of(file, e.range.start), reverse=True):
        start, end = offset_of(file, edit.range.start), offset_of(file, edit.range.end)
        text = text[:start] + edit.new_text + text[end:]
    session.open(path, text)
    return file.text
