"""Measure the language server: seconds from a key stroke (didChange) to its diagnostics (publishDiagnostics).

    python bench/lsp_latency.py SHADER [--rounds 30] [--arguments "-T ps_6_6 -E main -HV 2018"] [--header FILE]

Types into the body of the shader's last function, or into a header that it includes, one character after another, and
waits for the diagnostics of each. The time includes the server's wait for further key strokes. Requests are measured
before that, at words all over the text.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ARGUMENTS = "-T ps_6_6 -E main -HV 2018"


class Client:
    """A minimal editor for the measurement."""

    def __init__(self, folder: Path, options: dict[str, Any], checkout: Path) -> None:
        command = [sys.executable, "-m", "hlsl_tool", "lsp", "--stdio"]
        environment = {**os.environ, "PYTHONPATH": str(checkout)}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.count = 0
        self.request(
            "initialize",
            {"capabilities": {}, "processId": None, "rootUri": folder.as_uri(), "initializationOptions": options},
        )
        self.notify("initialized", {})

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def request(self, method: str, params: Any) -> Any:
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        while (answer := self.receive()).get("id") != self.count:
            pass
        return answer.get("result")

    def diagnostics(self, uri: str, version: int) -> list[Any]:
        """Wait for the diagnostics of a version of a document."""
        while True:
            params = self.receive().get("params") or {}
            if params.get("uri") == uri and (params.get("version") or 0) >= version:
                return params["diagnostics"]

    def close(self) -> None:
        self.request("shutdown", None)
        self.notify("exit", None)
        self.process.wait(10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shader", type=Path)
    parser.add_argument("--header", type=Path, help="the file that is edited, if it is not the shader")
    parser.add_argument(
        "--arguments", default="-T ps_6_6 -E main -HV 2018", help="options, if no configuration names the shader"
    )
    parser.add_argument("--folder", type=Path, help="the folder of the workspace (that of the shader)")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--beside", type=Path, default=ROOT, help="measure this checkout of the tool")
    options = parser.parse_args()
    shader = options.shader.resolve()
    folder = (options.folder or shader.parent).resolve()
    client = Client(folder, {"arguments": shlex.split(options.arguments), "allPermutations": False}, options.beside)
    try:
        run(client, shader, (options.header or shader).resolve(), options.rounds)
    finally:
        client.close()


def open_document(client: Client, path: Path) -> tuple[str, str]:
    text = path.read_text(errors="replace")
    document = {"uri": path.as_uri(), "languageId": "hlsl", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    return path.as_uri(), text


def run(client: Client, shader: Path, edited: Path, rounds: int) -> None:
    began = time.perf_counter()
    uri, text = open_document(client, shader)
    shown = client.diagnostics(uri, 1)
    print(f"opened: {time.perf_counter() - began:.3f} s, {len(shown)} diagnostics")
    if edited != shader:
        uri, text = open_document(client, edited)
        client.diagnostics(uri, 1)
    answers(client, edited, text)
    line, column = insertion(text)
    times = []
    for number in range(rounds):
        where = {"line": line, "character": column + number}
        change = {"range": {"start": where, "end": where}, "text": "x"}
        began = time.perf_counter()
        document = {"uri": uri, "version": number + 2}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        shown = client.diagnostics(uri, number + 2)
        times.append(time.perf_counter() - began)
    worst = sorted(times)[max(0, int(len(times) * 0.9) - 1)]
    print(f"a key stroke: median {statistics.median(times) * 1000:.0f} ms, 90 % within {worst * 1000:.0f} ms")
    print(f"line {line + 1}; diagnostics at the end: {[d['message'] for d in shown]}")


REQUESTS = ("hover", "definition", "completion", "signatureHelp", "documentSymbol", "inlayHint", "references")


def answers(client: Client, edited: Path, text: str) -> None:
    """Measure requests at words throughout the document."""
    document = {"uri": edited.as_uri()}
    words = list(re.finditer(r"[A-Za-z_]\w+", text))[:: max(1, text.count("\n") // 20)]
    for name in REQUESTS:
        times = []
        for word in words[:40]:
            before = text[: word.start() + 1]
            position = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
            everything = {"start": {"line": 0, "character": 0}, "end": {"line": 10**6, "character": 0}}
            params = {"textDocument": document, "position": position, "range": everything}
            params["context"] = {"includeDeclaration": True, "triggerKind": 1, "isRetrigger": False}
            began = time.perf_counter()
            client.request(f"textDocument/{name}", params)
            times.append(time.perf_counter() - began)
        print(f"{name}: median {statistics.median(times) * 1000:.1f} ms, longest {max(times) * 1000:.0f} ms")


def insertion(text: str) -> tuple[int, int]:
    """Return the position of the edit: the end of the last line that ends a statement."""
    lines = text.split("\n")
    for number in range(len(lines) - 1, -1, -1):
        if lines[number].startswith(("\t", " ")) and lines[number].rstrip().endswith(";"):
            return number, len(lines[number].rstrip())
    return len(lines) - 1, len(lines[-1])


if __name__ == "__main__":
    main()
