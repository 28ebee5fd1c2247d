"""An editor for tests: pytest-lsp's client and a server process, called without coroutines."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

TIMEOUT = 60.0
"""Seconds after which an answer counts as missing."""


class Editor:
    """An editor with a workspace folder."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.client = LanguageClient()
        self.published: list[lsp.PublishDiagnosticsParams] = []
        self.client.protocol.fm._features.pop(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, None)
        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self.published.append(params))
        self.capabilities = self.run(self._start(options)).capabilities

    async def _start(self, options: dict[str, Any]) -> lsp.InitializeResult:
        await self.client.start_io(sys.executable, "-m", "hlsl_tool", "lsp", "--stdio")
        return await self.client.initialize_session(
            lsp.InitializeParams(
                capabilities=lsp.ClientCapabilities(),
                workspace_folders=[lsp.WorkspaceFolder(self.folder.as_uri(), "test")],
                initialization_options=options,
            )
        )

    def move(self, folder: Path) -> None:
        """Close all documents and continue in another workspace folder."""
        for name in list(self.texts):
            self.shut(name)
        event = lsp.WorkspaceFoldersChangeEvent(
            added=[lsp.WorkspaceFolder(folder.as_uri(), "test")],
            removed=[lsp.WorkspaceFolder(self.folder.as_uri(), "test")],
        )
        self.folder = folder
        self.published.clear()
        self.client.log_messages.clear()
        params = lsp.DidChangeWorkspaceFoldersParams(event)
        self.call(self.client.workspace_did_change_workspace_folders, params)

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine of the client and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(TIMEOUT)

    def close(self) -> None:
        """End the server as an editor does."""
        self.run(self._stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def _stop(self) -> None:
        await self.client.shutdown_session()
        await self.client.stop()
        await asyncio.sleep(0)

    def uri(self, name: str) -> str:
        """Return the URI of a file in the workspace folder."""
        return (self.folder / name).as_uri()

    def document(self, name: str) -> lsp.TextDocumentIdentifier:
        """Return the identifier of a file in the workspace folder, for requests."""
        return lsp.TextDocumentIdentifier(self.uri(name))

    # ---- documents

    def open(self, name: str, text: str | None = None) -> None:
        """Open a document, with the text of the file or with ``text``, which is not saved."""
        text = (self.folder / name).read_text() if text is None else text
        self.texts[name], self.versions[name] = text, 1
        item = lsp.TextDocumentItem(self.uri(name), "hlsl", 1, text)
        self.call(self.client.text_document_did_open, lsp.DidOpenTextDocumentParams(item))

    def change(self, name: str, old: str, new: str) -> None:
        """Replace a part of the document's text, as by typing."""
        text = self.texts[name]
        start = text.index(old)
        where = lsp.Range(self.position(name, start), self.position(name, start + len(old)))
        self.texts[name] = text[:start] + new + text[start + len(old) :]
        self.versions[name] += 1
        change = lsp.TextDocumentContentChangePartial(range=where, text=new)
        document = lsp.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name))
        self.call(self.client.text_document_did_change, lsp.DidChangeTextDocumentParams(document, [change]))

    def shut(self, name: str) -> None:
        """Close a document."""
        del self.texts[name]
        self.call(self.client.text_document_did_close, lsp.DidCloseTextDocumentParams(self.document(name)))

    def call(self, function: Any, *arguments: Any) -> None:
        """Call a function of the client on the client's thread."""

        async def work() -> None:
            function(*arguments)

        self.run(work())

    def position(self, name: str, offset: int) -> lsp.Position:
        """Convert an offset to a position of the protocol (UTF-16 units)."""
        before = self.texts[name][:offset]
        line = before.rpartition("\n")[2]
        return lsp.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)

    def at(self, name: str, marked: str) -> lsp.Position:
        """Return the position that ``|`` marks in a part of the text: ``light.|color``."""
        before, _, after = marked.partition("|")
        return self.position(name, self.texts[name].index(before + after) + len(before))

    def request(self, method: str, name: str, marked: str, kind: Any, **more: Any) -> Any:
        """Send a request about a position and return the answer."""
        params = kind(text_document=self.document(name), position=self.at(name, marked), **more)
        return self.run(getattr(self.client, f"text_document_{method}_async")(params))

    # ---- answers

    def hover(self, name: str, marked: str) -> str:
        """Return the text of the hover at a position; empty if there is none."""
        answer = self.request("hover", name, marked, lsp.HoverParams)
        return answer.contents.value if answer is not None else ""

    def diagnostics(self, name: str, *, version: int | None = None) -> list[lsp.Diagnostic]:
        """Wait for the diagnostics of the document's current version."""
        uri, wanted = self.uri(name), version or self.versions.get(name)
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            for params in reversed(self.published):
                if params.uri == uri and (params.version or 0) >= (wanted or 0):
                    return list(params.diagnostics)
            time.sleep(0.01)
        raise AssertionError(f"no diagnostics of {name}")

    def wait_for(self, name: str, condition: Any) -> list[lsp.Diagnostic]:
        """Wait until a condition is true for the diagnostics of a file; return them."""
        end = time.monotonic() + TIMEOUT
        latest: list[lsp.Diagnostic] = []
        while time.monotonic() < end:
            given = [params for params in self.published if params.uri == self.uri(name)]
            latest = list(given[-1].diagnostics) if given else []
            if given and condition(latest):
                return latest
            time.sleep(0.01)
        raise AssertionError(f"the diagnostics of {name} stay {[d.message for d in latest]}")


def messages(diagnostics: list[lsp.Diagnostic]) -> list[tuple[int, str]]:
    """Return (1-based line, first line of the message) of each diagnostic."""
    return [(d.range.start.line + 1, d.message.split("\n")[0]) for d in diagnostics]


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        path = folder / name
        os.makedirs(path.parent, exist_ok=True)
        path.write_text(text)
