"""A server as a store, by the protocol of bazel-remote and others: GET and PUT of `/ac/<key>` and `/cas/<hash>`.

Everything has a limit: how long a whole answer may take, however slowly it trickles, and how large it may be.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import threading
import time
from urllib.parse import unquote, urlsplit

from hlsl_tool.build.store.backend import MAX_BLOB, Kind, Unavailable

TIMEOUT = 5.0
"""Seconds for one request and its answer."""
_PART = 1 << 16
_REFUSED = (401, 403, 405)
"""The server takes nothing from us: reading may still work."""


class Http:
    def __init__(self, url: str, *, read_only: bool = False, timeout: float = TIMEOUT) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"`{url}` is no http:// or https:// address")
        self.scheme, self.host, self.port = parts.scheme, parts.hostname, parts.port
        self.base = parts.path.rstrip("/")
        self.name = f"{self.scheme}://{self.host}{f':{self.port}' if self.port else ''}{self.base}"
        self.read_only = read_only
        self.timeout = timeout
        self.headers: dict[str, str] = {}
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self.headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        self.local = threading.local()
        self.open: list[http.client.HTTPConnection] = []
        """Every thread's connection."""

    def get(self, kind: Kind, key: str) -> bytes | None:
        status, data = self._ask("GET", kind, key, None)
        if status == 200:
            return data
        if status in (404, 410):
            return None
        raise Unavailable(f"status {status}")

    def put(self, kind: Kind, key: str, data: bytes) -> None:
        status, _ = self._ask("PUT", kind, key, data)
        if status in _REFUSED:
            self.read_only = True
            raise Unavailable(f"it takes no results (status {status}) and is only read from", weight=0)
        if status not in (200, 201, 202, 204):
            raise Unavailable(f"status {status}")

    def drop(self, kind: Kind, key: str) -> None:
        """The protocol has no word for it."""

    def close(self) -> None:
        for connection in self.open:
            connection.close()
        self.open.clear()
        self.local = threading.local()

    # ---- one request

    def _ask(self, method: str, kind: Kind, key: str, body: bytes | None) -> tuple[int, bytes]:
        deadline = time.monotonic() + self.timeout
        for attempt in (0, 1):
            connection = getattr(self.local, "connection", None)
            kept = connection is not None
            if connection is None:
                secure = self.scheme == "https"
                maker = http.client.HTTPSConnection if secure else http.client.HTTPConnection
                connection = self.local.connection = maker(self.host, self.port, timeout=self.timeout)
                self.open.append(connection)
            try:
                return self._exchange(connection, method, f"{self.base}/{kind}/{key}", body, deadline)
            except (OSError, http.client.HTTPException) as error:
                self._forget()
                late = isinstance(error, TimeoutError) or time.monotonic() >= deadline
                if kept and attempt == 0 and not late:
                    continue  # a server may end a connection that was kept open
                reason = f"no answer in {self.timeout:g} seconds" if late else _words(error)
                raise Unavailable(reason, weight=2 if late else 1) from None
            except Unavailable:
                self._forget()
                raise
        raise Unavailable("no connection")

    def _exchange(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None, deadline: float
    ) -> tuple[int, bytes]:
        connection.request(method, path, body, self.headers)
        answer = connection.getresponse()
        data = bytearray()
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if connection.sock is not None:
                connection.sock.settimeout(left)
            part = answer.read1(_PART)
            if not part:
                break
            data += part
            if len(data) > MAX_BLOB:
                raise Unavailable("an answer is too large to be true")
        if answer.length:  # fewer bytes than were announced
            raise http.client.IncompleteRead(bytes(data), answer.length)
        answer.close()  # of the answer, not of the connection: the next request may follow
        if connection.sock is not None:
            connection.sock.settimeout(self.timeout)
        return answer.status, bytes(data)

    def _forget(self) -> None:
        connection = getattr(self.local, "connection", None)
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.close()
            self.open.remove(connection)
            self.local.connection = None


def _words(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    return "it ended in the middle of an answer" if isinstance(error, http.client.IncompleteRead) else (
        f"its answer is not HTTP ({type(error).__name__})"
    )
