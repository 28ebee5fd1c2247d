"""Invalid input neither ends the server nor leads to an exception as the answer."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from hlsl_tool.apps.lsp.registration import create
from hlsl_tool.apps.lsp.session import Session, Settings
from tests.lsp.conftest import FILES, SHADER, Opener
from tests.lsp.editor import Editor, messages, write
from tests.patience import PATIENCE

MAIN, COMMON = "shaders/main.hlsl", "shaders/include/common.hlsli"


def test_an_unknown_file(edit: Opener) -> None:
    editor = edit()
    editor.texts["nowhere.hlsl"] = "float x;"
    assert editor.hover("nowhere.hlsl", "flo|at x") == ""
    assert not editor.request("completion", "nowhere.hlsl", "flo|at x", lsp.CompletionParams)
    assert not editor.request("definition", "nowhere.hlsl", "flo|at x", lsp.DefinitionParams)


def test_a_document_that_is_no_file(edit: Opener) -> None:
    editor = edit()
    item = lsp.TextDocumentItem("untitled:Untitled-1", "hlsl", 1, "float f() { return nothing; }")
    editor.call(editor.client.text_document_did_open, lsp.DidOpenTextDocumentParams(item))
    editor.open(MAIN)
    assert editor.diagnostics(MAIN) == []
    document = lsp.TextDocumentIdentifier(item.uri)
    editor.call(editor.client.text_document_did_close, lsp.DidCloseTextDocumentParams(document))


def test_positions_outside_of_the_text(editor: Editor) -> None:
    for line, character in ((0, 100_000), (100_000, 0), (100_000, 100_000)):
        position = lsp.Position(line, character)
        document = editor.document(MAIN)
        editor.run(editor.client.text_document_hover_async(lsp.HoverParams(document, position)))
        editor.run(editor.client.text_document_definition_async(lsp.DefinitionParams(document, position)))
        editor.run(editor.client.text_document_completion_async(lsp.CompletionParams(document, position)))
    assert editor.client.log_messages == []


def test_every_position_of_a_broken_text(edit: Opener) -> None:
    editor = edit()
    broken = SHADER.replace("float3 lit", "float3 3lit = (").replace("SamplerState linear", "Sampler<State linear{")
    editor.open(MAIN, broken)
    for offset in range(0, len(broken), 7):
        document, position = editor.document(MAIN), editor.position(MAIN, offset)
        editor.run(editor.client.text_document_hover_async(lsp.HoverParams(document, position)))
        editor.run(editor.client.text_document_definition_async(lsp.DefinitionParams(document, position)))
    for offset in range(0, len(broken), 41):
        document, position = editor.document(MAIN), editor.position(MAIN, offset)
        editor.run(editor.client.text_document_completion_async(lsp.CompletionParams(document, position)))
        editor.run(editor.client.text_document_signature_help_async(lsp.SignatureHelpParams(document, position)))
    assert editor.client.log_messages == []


def test_a_file_that_is_not_utf8(edit: Opener) -> None:
    editor = edit()
    (editor.folder / COMMON).write_bytes(FILES[COMMON].encode() + b"// \xe4\xf6\xfc \xff\n")
    editor.open(MAIN)
    assert [item.severity for item in editor.diagnostics(MAIN)] == []
    assert "shade" in editor.hover(MAIN, "sha|de(sun")


def test_a_huge_file(edit: Opener) -> None:
    text = "".join(f"float f{number}(float x) {{ return x * {number}; }}\n" for number in range(5000))
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    assert editor.diagnostics("free.hlsl") == []
    editor.change("free.hlsl", "return x * 4999", "return y * 4999")
    assert [line for line, _ in messages(editor.diagnostics("free.hlsl"))] == [5000]


def test_nesting_that_is_too_deep(edit: Opener) -> None:
    editor = edit({"free.hlsl": "float f() { return " + "(" * 5000 + "1" + ")" * 5000 + "; }\n"})
    editor.open("free.hlsl")
    assert editor.diagnostics("free.hlsl") != []


def test_files_that_appear_and_go(edit: Opener) -> None:
    editor = edit(FILES | {MAIN: FILES[MAIN].replace("common.hlsli", "late.hlsli")})
    editor.open(MAIN)
    assert len(editor.diagnostics(MAIN)) == 1
    write(editor.folder, {"shaders/include/late.hlsli": FILES[COMMON]})
    event = lsp.FileEvent(editor.uri("shaders/include/late.hlsli"), lsp.FileChangeType.Created)
    editor.call(editor.client.workspace_did_change_watched_files, lsp.DidChangeWatchedFilesParams([event]))
    assert editor.wait_for(MAIN, lambda items: not items) == []


def _message(content: object) -> bytes:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


def test_messages_that_are_no_json(tmp_path: Path) -> None:
    """Invalid bytes between two requests are logged; the second request is answered."""
    initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None}}
    unknown = {"jsonrpc": "2.0", "id": 2, "method": "no/such/method", "params": {}}
    wrong = {"jsonrpc": "2.0", "id": 3, "method": "textDocument/hover", "params": {"textDocument": 5}}
    sent = [initialize, b"{]", b"\xff\xfe", b"[]", unknown, wrong]
    sent += [{"jsonrpc": "2.0", "id": 4, "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"}]
    command = [sys.executable, "-m", "hlsl_tool", "lsp", "--stdio"]
    run = subprocess.run(
        command, input=b"".join(map(_message, sent)), capture_output=True, timeout=PATIENCE, cwd=tmp_path, check=False
    )
    answers = [json.loads(part[part.index(b"{") :]) for part in run.stdout.split(b"Content-Length:")[1:]]
    by_id = {answer["id"]: answer for answer in answers if answer.get("id") is not None and "method" not in answer}
    assert by_id[1]["result"]["capabilities"]["hoverProvider"]
    assert "error" in by_id[2] and "error" in by_id[3]
    assert by_id[4]["result"] is None


def test_without_pygls_a_line_names_the_extra(tmp_path: Path) -> None:
    blocked = "import sys; sys.modules['pygls'] = None; from hlsl_tool.cli.__main__ import main; main(['lsp'])"
    run = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert run.returncode == 2
    assert run.stderr.splitlines() == [
        'hlsl_tool: error: the language server needs pygls: pip install "hlsl_tool[lsp]"'
    ]


def test_a_crash_is_logged_and_the_server_lives_on(caplog: pytest.LogCaptureFixture) -> None:
    server = create()
    shown: list[str] = []
    server.log = shown.append  # type: ignore[method-assign]

    async def work() -> list[object]:
        return [await server.call("a hover", lambda: 1 // 0), await server.call("the analysis", lambda: 5)]

    assert asyncio.run(work()) == [None, 5]
    (line,) = shown
    assert line.startswith("hlsl_tool: a hover failed (ZeroDivisionError")
    assert "Traceback" in caplog.text
    server.end()


def test_closing_the_editor_during_an_analysis_reports_no_crash() -> None:
    server = create()
    shown: list[str] = []
    server.log = shown.append  # type: ignore[method-assign]

    async def work() -> object:
        server.schedule("a.hlsl", 0)
        server.end()
        await asyncio.sleep(0.05)
        return await server.call("the analysis", lambda: 5)

    assert asyncio.run(work()) is None
    assert shown == []


def test_the_memory_is_emptied_after_many_analyses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlsl_tool.apps.lsp.source.analysis.RUNS", 3)
    session = Session(str(tmp_path), Settings(), print)
    path = str(tmp_path / "a.hlsl")
    first = session.analyser.memory
    for number in range(5):
        session.open(path, f"float f() {{ return {number}; }}\nfloat g() {{ return {'y' * number or 1}; }}\n")
        session.check(path)
    assert session.analyser.memory is first
    session.check_lowered(path)
    assert session.analyser.memory is not first
    assert [item.code for item in session.published(path)] == ["HLSL0301"]
