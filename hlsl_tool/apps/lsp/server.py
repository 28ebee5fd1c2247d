"""The server: connects requests of the protocol with the features.

The event loop reads messages; a single worker thread analyses.  If a feature raises an exception, it is logged and the
answer is empty, so that the server keeps running.
"""

from __future__ import annotations

import asyncio
import logging
import os
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from hlsl_tool import __version__
from hlsl_tool.apps.lsp.session import Published, Session, Settings, path_of_uri, settings_of, uri_of_path
from hlsl_tool.apps.lsp.workspace.targets import Target
from hlsl_tool.base.system.deep_stack import with_deep_stack

Result = TypeVar("Result")
DEBOUNCE = 0.03
"""Seconds without a change before a document is analysed."""
IDLE = 0.7
"""Seconds without a change before other permutations are analysed."""
WATCHED = "**/*.{hlsl,hlsli,fx,fxh,h,inc,yaml,yml}"
"""Pattern of the files whose changes on disk concern the server."""
_log = logging.getLogger("hlsl_tool.apps.lsp")


class Protocol(LanguageServerProtocol):
    """The protocol of pygls; it also answers requests with malformed parameters."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Convert a message to an object.

        Answer a malformed request with an error, as its sender waits for an answer.
        """
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], None, error.to_response_error())
            raise


class Server(LanguageServer):
    """The language server; `registration` adds its features."""

    def __init__(self) -> None:
        kind = lsp.TextDocumentSyncKind.Incremental
        super().__init__("hlsl_tool", __version__, text_document_sync_kind=kind, protocol_cls=Protocol)
        self.session = Session(os.getcwd(), Settings(), self.log)
        self.is_ready = False
        self._is_ended = False
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="analysis")
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._versions: dict[str, int] = {}

    def end(self) -> None:
        """End the worker thread; cancel scheduled analyses, and ignore later requests for analyses."""
        self._is_ended = True
        for path in list(self._timers):
            self._cancel(path)
        self._worker.shutdown(wait=False, cancel_futures=True)

    # ---- the worker

    async def call(self, what: str, function: Callable[[], Result]) -> Result | None:
        """Run a function on the worker thread; if it raises an exception, log it and return ``None``.

        Also return ``None`` after the end of the server.
        """
        if self._is_ended:
            return None
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._worker, lambda: with_deep_stack(function))
        except asyncio.CancelledError:
            raise
        except Exception:  # noqa: BLE001  # the last resort: a crash must not end the server
            self.report_crash(what)
            return None

    def report_crash(self, what: str) -> None:
        """Log the current exception: a sentence to the client, the traceback to the standard error."""
        trace = traceback.format_exc()
        _log.error("%s failed\n%s", what, trace)
        last = trace.rstrip().rpartition("\n")[2]
        self.log(f"hlsl_tool: {what} failed ({last}); this is a bug, please report it with the traceback in the log")

    def log(self, message: str) -> None:
        """Write a line to the client's log."""
        self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error of the protocol, such as a malformed message, without a dialog in the client."""
        _log.error("%s: %s", getattr(source, "__name__", source), error)

    # ---- the connection

    def begin(self, params: lsp.InitializeParams) -> None:
        """Start the session in the client's workspace."""
        folder = os.getcwd()
        if params.workspace_folders:
            folder = path_of_uri(params.workspace_folders[0].uri)
        elif params.root_uri:
            folder = path_of_uri(params.root_uri)
        self.session = Session(folder, settings_of(params.initialization_options), self.log)

    def move(self, folder: str) -> None:
        """Start a new session in another folder; keep the compiler's caches and the open documents."""
        for path in list(self._timers):
            self._cancel(path)
        old = self.session
        self.session = Session(folder, old.settings, self.log)
        self.session.analyser.memory = old.analyser.memory
        for uri in self.workspace.text_documents:
            self.schedule(self.take_text(uri))

    async def load(self) -> None:
        """Read the configurations and load the compiler, before the first document needs it."""
        published = await self.call("reading the configurations", self.session.check_configurations)
        self.is_ready = True
        self.publish(published)

    def watch_files(self) -> None:
        """Ask the client, if it supports that, to report changes of shaders and configurations on disk."""
        workspace = self.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace is not None else None
        if watched is None or not watched.dynamic_registration:
            return
        options = lsp.DidChangeWatchedFilesRegistrationOptions([lsp.FileSystemWatcher(WATCHED)])
        registration = lsp.Registration("files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        self.client_register_capability(lsp.RegistrationParams([registration]))

    def refresh(self) -> None:
        """Ask the client, if it supports that, to request lenses and hints again: the active permutation changed."""
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)
        if workspace is not None and workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)

    # ---- diagnostics

    def publish(self, published: Published | None, versions: dict[str, int] | None = None) -> None:
        """Send diagnostics to the client; ``versions`` are the versions of the documents when the analysis started."""
        for path, items in (published or {}).items():
            version = (versions or {}).get(path)
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri_of_path(path), items, version))

    def take_text(self, uri: str) -> str:
        """Pass the text of an open document to the session; return the document's path."""
        path = path_of_uri(uri)
        document = self.workspace.get_text_document(uri)
        self.session.open(path, document.source)
        if document.version is not None:
            self._versions[path] = document.version
        return path

    def forget(self, uri: str) -> str:
        """Forget the version of a closed document; return the document's path."""
        path = path_of_uri(uri)
        self._versions.pop(path, None)
        self._cancel(path)
        return path

    def schedule(self, path: str, delay: float = DEBOUNCE) -> None:
        """Analyse the documents that a change of a file affects, after ``delay`` seconds without further changes."""
        self._cancel(path)
        loop = asyncio.get_running_loop()
        self._timers[path] = loop.call_later(delay, lambda: self.start(self._check(path)))

    def start(self, work: Any) -> None:
        """Run a coroutine; the server keeps a reference, as otherwise it could be garbage-collected."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _cancel(self, path: str) -> None:
        timer = self._timers.pop(path, None)
        if timer is not None:
            timer.cancel()

    async def _check(self, path: str) -> None:
        self._timers.pop(path, None)
        if self.session.documents.is_open(path):
            await self._publish_check(path)
        if self.session.workspace.is_configuration(path):
            for other in self.session.documents.paths():
                if other != path:
                    await self._publish_check(other)
            return
        affected = await self.call("the analysis", lambda: self.session.affected(path)) or []
        for other in affected:
            if other != path:
                await self._publish_check(other)
        if path not in self._timers:
            loop = asyncio.get_running_loop()
            self._timers[path] = loop.call_later(IDLE, lambda: self.start(self._check_others(path)))

    async def _check_others(self, path: str) -> None:
        """Analyse the other permutations of a document one by one, until the document changes."""
        self._timers.pop(path, None)
        if self.session.documents.is_open(path):
            versions = dict(self._versions)
            self.publish(await self.call("lowering", lambda: self.session.check_lowered(path)), versions)
        targets = await self.call("the analysis", lambda: self.session.other_targets(path)) or []
        for count in range(1, len(targets) + 1):
            if path in self._timers or not self.session.documents.is_open(path):
                return
            await self._publish_others(path, targets[:count])

    async def _publish_check(self, path: str) -> None:
        versions = dict(self._versions)
        self.publish(await self.call("the analysis", lambda: self.session.check(path)), versions)

    async def _publish_others(self, path: str, targets: list[Target]) -> None:
        versions = dict(self._versions)
        self.publish(await self.call("the analysis", lambda: self.session.check_others(path, targets)), versions)
