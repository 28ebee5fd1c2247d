"""Register the requests and notifications of the protocol with the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from hlsl_tool.apps.lsp import requests
from hlsl_tool.apps.lsp.features import navigation, permutations
from hlsl_tool.apps.lsp.features.code_actions import code_actions
from hlsl_tool.apps.lsp.features.formatting import formatted
from hlsl_tool.apps.lsp.features.inlay_hints import inlay_hints
from hlsl_tool.apps.lsp.features.rename import Refused
from hlsl_tool.apps.lsp.features.semantic_tokens import LEGEND, semantic_tokens
from hlsl_tool.apps.lsp.features.signature_help import signature_help
from hlsl_tool.apps.lsp.features.symbols import document_symbols
from hlsl_tool.apps.lsp.server import Server
from hlsl_tool.apps.lsp.session import path_of_uri, uri_of_path
from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.base.source import SourceFile

Result = TypeVar("Result")


def create() -> Server:
    """Return a language server with handlers for all requests; it is not started."""
    server = Server()
    _lifecycle(server)
    _documents(server)
    _requests(server)
    _session_requests(server)
    _renaming(server)
    _formatting(server)
    _permutations(server)
    return server


def _lifecycle(server: Server) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.begin(params)

    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        server.watch_files()
        await server.load()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders_changed(params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        folders = list(server.workspace.folders.values())
        if folders:
            server.move(path_of_uri(folders[0].uri))
            await server.load()

    @server.feature(lsp.SHUTDOWN)
    def shut_down(params: None) -> None:
        server.end()


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
        """Register a handler of a request about a document.

        ``answer`` gets its analysis, its text and the parameters.
        """

        @server.feature(method, options)
        async def handler(params: Any) -> Any:
            path = path_of_uri(params.text_document.uri)

            def work() -> Any:
                result = server.session.analysis(path)
                return answer(*result, params) if result is not None else None

            return await server.call(method, work)

    request(lsp.TEXT_DOCUMENT_DEFINITION, lambda a, f, p: navigation.definition(a, f, p.position, uri_of_path))
    request(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, lambda a, f, p: navigation.highlights(a, f, p.position))
    request(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, lambda a, f, p: document_symbols(a, f))
    request(lsp.TEXT_DOCUMENT_INLAY_HINT, lambda a, f, p: inlay_hints(a, f, p.range))
    request(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, lambda a, f, p: semantic_tokens(a, f), LEGEND)
    request(
        lsp.TEXT_DOCUMENT_SIGNATURE_HELP,
        lambda a, f, p: signature_help(server.session.analyser, a.target, f, p.position),
        lsp.SignatureHelpOptions(trigger_characters=["(", ","]),
    )


def _session_requests(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        return await server.call("hover", lambda: requests.hover(server.session, params))

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", ":", '"', "<", "/"]))
    async def complete(params: lsp.CompletionParams) -> list[lsp.CompletionItem] | None:
        return await server.call("completion", lambda: requests.completion(server.session, params))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def refer(params: lsp.ReferenceParams) -> list[lsp.Location] | None:
        return await server.call("references", lambda: requests.references(server.session, params))

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    async def act(params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
        path = path_of_uri(params.text_document.uri)
        session = server.session
        return await server.call(
            "code actions",
            lambda: code_actions(
                session.published(path), params.range, lambda item, changes: session.helps(path, item, changes)
            ),
        )


def _renaming(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        return _unless_refused(await server.call("rename", lambda: requests.prepare_rename(server.session, params)))

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    async def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        return _unless_refused(await server.call("rename", lambda: requests.rename(server.session, params)))


def _formatting(server: Server) -> None:
    async def edits(uri: str, part: lsp.Range | None) -> list[lsp.TextEdit] | None:
        def work() -> list[lsp.TextEdit] | Refused | None:
            path = path_of_uri(uri)
            file = server.session.documents.source(path)
            if file is None or server.session.workspace.is_configuration(path):
                return None
            return formatted(file, part)

        return _unless_refused(await server.call("formatting", work))

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    async def format_document(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        return await edits(params.text_document.uri, None)

    @server.feature(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)
    async def format_range(params: lsp.DocumentRangeFormattingParams) -> list[lsp.TextEdit] | None:
        return await edits(params.text_document.uri, params.range)


def _unless_refused(answer: Result | Refused) -> Result:
    """Return the answer; convert a refusal to an error of the protocol, which the editor shows."""
    if isinstance(answer, Refused):
        raise JsonRpcException(str(answer), code=lsp.LSPErrorCodes.RequestFailed)
    return answer


def _permutations(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def lens(params: lsp.CodeLensParams) -> list[lsp.CodeLens] | None:
        path = path_of_uri(params.text_document.uri)
        return await server.call("code lens", lambda: permutations.code_lens(server.session, path))

    @server.command(permutations.LIST)
    async def list_permutations(uri: str) -> list[dict[str, object]] | None:
        path = path_of_uri(uri)
        return await server.call("permutations", lambda: permutations.listed(server.session, path))

    @server.command(permutations.SELECT)
    async def select(uri: str, name: str) -> bool:
        path = path_of_uri(uri)
        is_chosen = bool(await server.call("permutations", lambda: server.session.choose(path, name)))
        server.schedule(path, 0)
        server.refresh()
        return is_chosen

    @server.command(permutations.NEXT)
    async def choose_next(uri: str) -> str | None:
        path = path_of_uri(uri)
        target = await server.call("permutations", lambda: permutations.following(server.session, path))
        if target is None:
            return None
        await select(uri, target.name)
        return target.label
