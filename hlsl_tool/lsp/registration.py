"""Register the requests and notifications of the protocol with the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types as lsp

from hlsl_tool.lsp.features.hover import hover
from hlsl_tool.lsp.server import Server
from hlsl_tool.lsp.session import path_of_uri
from hlsl_tool.lsp.source.analysis import Analysis
from hlsl_tool.source import SourceFile


def create() -> Server:
    """Return the server with all its features."""
    server = Server()
    _lifecycle(server)
    _documents(server)
    _requests(server)
    return server


def _lifecycle(server: Server) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.begin(params)

    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        await server.load()


def _documents(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.schedule(server.take_text(params.text_document.uri), 0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.schedule(server.take_text(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        server.schedule(path_of_uri(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        path = server.forget(params.text_document.uri)
        server.publish(await server.call("closing a document", lambda: server.session.forget(path)))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def files_changed(params: lsp.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            path = path_of_uri(change.uri)
            if server.session.workspace.is_configuration(path):
                await server.load()
            server.schedule(path)


def _requests(server: Server) -> None:
    def request(method: str, answer: Callable[[Analysis, SourceFile, Any], Any], options: Any = None) -> None:
        """Register a request about a document: ``answer`` gets its analysis, its text and the parameters."""

        @server.feature(method, options)
        async def handler(params: Any) -> Any:
            path = path_of_uri(params.text_document.uri)

            def work() -> Any:
                result = server.session.analysis(path)
                return answer(*result, params) if result is not None else None

            return await server.call(method, work)

    request(lsp.TEXT_DOCUMENT_HOVER, lambda analysis, file, params: hover(analysis, file, params.position))
