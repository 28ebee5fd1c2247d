"""A client of the debug adapter for tests: a process, requests with their answers, and events in order."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

TIMEOUT = 60.0
"""Seconds after which an answer counts as missing."""

RESUMING = (
    "next",
    "stepIn",
    "stepOut",
    "continue",
    "stepBack",
    "reverseContinue",
    "pause",
    "configurationDone",
    "restart",
)


class RequestFailed(Exception):
    """Raised for a response without success."""


class Client:
    """A client with an adapter process on its standard streams, or on a connection."""

    def __init__(self, streams: tuple[BinaryIO, BinaryIO] | None = None) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        if streams is None:
            command = [sys.executable, "-m", "hlsl_tool", "debug", "--stdio"]
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
            assert self.process.stdin is not None and self.process.stdout is not None
            streams = self.process.stdout, self.process.stdin
        self.source, self.sink = streams
        self.errors = ""
        self.number = 0
        self.source_path, self.source_text = Path(), ""
        self.placed: list[dict[str, Any]] = []
        """The breakpoints that the launch set, as answered."""
        self.incoming: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.events: list[dict[str, Any]] = []
        self.resuming: set[int] = set()
        """Requests whose answer comes before the next stop."""
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        while True:
            length = 0
            while (line := self.source.readline()) not in (b"\r\n", b""):
                length = int(line.partition(b":")[2])
            if not length:
                self.incoming.put(None)
                return
            self.incoming.put(json.loads(self.source.read(length)))

    def _next(self) -> dict[str, Any]:
        message = self.incoming.get(timeout=TIMEOUT)
        if message is None:
            raise EOFError("the adapter has ended")
        return message

    def send(self, command: str, **arguments: Any) -> int:
        """Send a request and return its number."""
        self.number += 1
        self.send_raw({"seq": self.number, "type": "request", "command": command, "arguments": arguments})
        return self.number

    def send_raw(self, message: Any) -> None:
        content = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))

    def send_bytes(self, content: bytes) -> None:
        self.sink.write(content)
        self.sink.flush()

    def answer(self, number: int) -> Any:
        """Return the body of the response to a request; events before it are stored."""
        while True:
            message = self._next()
            if message["type"] == "event":
                assert message["event"] != "stopped" or number not in self.resuming, "a stop before the answer"
                self.events.append(message)
            elif message["request_seq"] == number:
                if not message["success"]:
                    raise RequestFailed(message["message"])
                return message.get("body")

    def request(self, command: str, **arguments: Any) -> Any:
        """Send a request and return the body of its response.

        A stop must follow the answer to the request that resumes the run.
        """
        number = self.send(command, **arguments)
        if command in RESUMING:
            self.resuming.add(number)
        return self.answer(number)

    def event(self, *names: str) -> dict[str, Any]:
        """Return the next event with one of the names, and drop those before it, except for outputs."""
        kept = []
        try:
            while True:
                message = self.events.pop(0) if self.events else self._next()
                if message["type"] == "event" and message["event"] in names:
                    return {"event": message["event"], **message["body"]}
                if message["type"] == "event" and message["event"] == "output":
                    kept.append(message)
        finally:
            self.events[:0] = kept

    def output(self) -> str:
        """Return the text of all outputs up to now."""
        texts = [message["body"]["output"] for message in self.events if message["event"] == "output"]
        self.events = [message for message in self.events if message["event"] != "output"]
        return "".join(texts)

    # ---- sessions

    def launch(self, program: Path, breakpoints: Any = (), **configuration: Any) -> list[dict[str, Any]]:
        """Launch a shader with breakpoints, which are lines or objects; return the breakpoints as answered."""
        self.request("initialize", adapterID="hlsl_tool", linesStartAt1=True, columnsStartAt1=True)
        self.request("launch", program=str(program), **configuration)
        self.event("initialized")
        out = self.break_at(program, breakpoints)
        self.request("configurationDone")
        return out

    def break_at(self, program: Path, breakpoints: Any) -> list[dict[str, Any]]:
        wanted = [item if isinstance(item, dict) else {"line": item} for item in breakpoints]
        body = self.request("setBreakpoints", source={"path": str(program)}, breakpoints=wanted)
        return list(body["breakpoints"])

    def stop(self) -> tuple[str, str, str]:
        """Wait for a stop; return its reason, the innermost function, and its line: the mark, or else the number."""
        event = self.event("stopped", "terminated")
        if event["event"] == "terminated":
            return ("terminated", "", "")
        frame = self.frames()[0]
        return event["reason"], frame["name"], self.mark(frame["line"])

    def mark(self, line: int) -> str:
        """Return the comment that marks a line; else its number."""
        text = (self.source_text.splitlines() or [""] * line)[line - 1]
        return text.rpartition("// ")[2] if "// " in text else str(line)

    def go(self, command: str, thread: int = 1) -> tuple[str, str, str]:
        """Send a request that resumes the run, and wait for the next stop."""
        self.request(command, threadId=thread)
        return self.stop()

    def frames(self, thread: int = 1) -> list[dict[str, Any]]:
        return list(self.request("stackTrace", threadId=thread)["stackFrames"])

    def scope(self, name: str, frame: int | None = None) -> dict[str, dict[str, Any]]:
        """Return name → variable of a scope of the innermost function, or of another frame."""
        number = frame if frame is not None else self.frames()[0]["id"]
        for scope in self.request("scopes", frameId=number)["scopes"]:
            if scope["name"] == name:
                return self.children(scope)
        return {}

    def children(self, parent: dict[str, Any], **arguments: Any) -> dict[str, dict[str, Any]]:
        body = self.request("variables", variablesReference=parent["variablesReference"], **arguments)
        return {row["name"]: row for row in body["variables"]}

    def values(self, name: str, frame: int | None = None) -> dict[str, str]:
        """Return name → value of the variables of a scope."""
        return {key: row["value"] for key, row in self.scope(name, frame).items()}

    def evaluate(self, expression: str, **arguments: Any) -> str:
        arguments.setdefault("frameId", self.frames()[0]["id"])
        return str(self.request("evaluate", expression=expression, **arguments)["result"])

    def close(self) -> str:
        """Disconnect; return what the adapter wrote to its standard error."""
        with contextlib.suppress(OSError, EOFError, ValueError):  # it may have ended
            self.request("disconnect")
        if self.process is None:
            return ""
        for stream in (self.process.stdin, self.process.stderr):
            assert stream is not None
            if stream is self.process.stderr and not stream.closed:
                self.errors = stream.read().decode()
            with contextlib.suppress(OSError):
                stream.close()
        self.process.wait(TIMEOUT)
        self.thread.join(TIMEOUT)
        self.source.close()
        return self.errors
