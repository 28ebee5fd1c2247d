"""Read and write messages: a header with the length, and JSON.  Bytes that are no message are skipped and reported."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from .numbering import Numbering

Message = dict[str, Any]
_LENGTH = re.compile(rb"content-length\s*:\s*(\d+)\s*", re.IGNORECASE)
MOST_BYTES = 16 << 20
"""The length of a message above which its header counts as damaged."""
MOST_HEADER = 4096


class Garbage(Exception):
    """Raised for bytes that are no message; reading goes on behind them."""


class Reader:
    """Reads messages from a stream."""

    def __init__(self, stream: BinaryIO, report: Callable[[str], None] | None = None) -> None:
        self.stream, self.report = stream, report

    def read(self) -> Message | None:
        """Return the next message; ``None`` at the end of the stream.  Raises ``Garbage``."""
        length = self._header()
        if length is None:
            return None
        content = self.stream.read(length)
        if len(content) < length:
            return None
        try:
            message = json.loads(content)
        except ValueError as error:
            raise Garbage(f"a message is no JSON: {error}") from None
        except RecursionError:
            raise Garbage("a message is nested too deeply") from None
        if not isinstance(message, dict):
            raise Garbage("a message is no object of JSON")
        return message

    def _header(self) -> int | None:
        """Return the length of the next message; ``None`` at the end of the stream."""
        length: int | None = None
        is_damaged = False
        while True:
            line = self.stream.readline(MOST_HEADER)
            if not line:
                return None
            text = line.strip()
            if not text and length is not None:
                break
            parsed = _LENGTH.search(text)
            if parsed is not None:
                length = int(parsed[1])
            elif text and not re.fullmatch(rb"[\w-]+\s*:.*", text):
                is_damaged = True
        if is_damaged and self.report is not None:
            self.report("bytes that are no header of a message were skipped")
        if length > MOST_BYTES:
            raise Garbage(f"a message of {length} bytes is too long")
        return length


class Writer:
    """Writes messages to a stream; threads may share it."""

    def __init__(self, stream: BinaryIO, observe: Callable[[str, Message], None] | None = None) -> None:
        self.stream, self.observe = stream, observe
        self.numbering = Numbering()
        self._lock = threading.Lock()
        self._number = 0

    def write(self, message: Message) -> None:
        """Number and write a message; a client that has closed the stream gets nothing."""
        with self._lock:
            self._number += 1
            message["seq"] = self._number
            if self.observe is not None:
                self.observe("→", message)
            content = json.dumps(message, separators=(",", ":")).encode()
            with contextlib.suppress(OSError, ValueError):
                self.stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
                self.stream.flush()

    def event(self, name: str, /, **body: Any) -> None:
        """Write an event."""
        self.write({"type": "event", "event": name, "body": self.numbering.outgoing(name, body)})

    def output(self, text: str, category: str = "console") -> None:
        """Write text for the client's console."""
        self.event("output", category=category, output=text)

    def answer(self, request: Message, body: Any) -> None:
        """Write the response to a request."""
        shown = self.numbering.outgoing(str(request.get("command")), body)
        self.write(_response(request, True) | ({"body": shown} if body is not None else {}))

    def refuse(self, request: Message, text: str, *, shows: bool = False) -> None:
        """Write the response to a request that failed; with ``shows`` the client shows the text to the user."""
        error = {"id": 1, "format": "{text}", "variables": {"text": text}, "showUser": shows}
        self.write(_response(request, False) | {"message": text, "body": {"error": error}})


def _response(request: Message, is_success: bool) -> Message:
    return {
        "type": "response",
        "request_seq": request.get("seq", 0),
        "success": is_success,
        "command": request.get("command", ""),
    }
