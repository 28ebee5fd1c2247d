"""An HTTP server as a back end, by the protocol of bazel-remote and others: GET and PUT of `/ac/<key>`, `/cas/<hash>`.

Time and size are limited: the time of a whole request, from the TLS handshake to the last byte, even if the answer
trickles in slowly; and the size of an answer.  A server that is always slow counts as one that fails.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import io
import select
import socket
import ssl
import threading
import time
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from hlsl_tool.project.build.store.backend import MAX_BLOB, Kind, Unavailable
from hlsl_tool.project.config.secrets import masked, revealed

TIMEOUT = 5.0
"""Seconds for one request and its answer."""
CONNECT = 2.0
"""Seconds for a connection; a server that does not accept it in this time is left alone."""
SLOW = 1.0
"""Seconds.  A slower answer counts as a failure: compiling is faster."""
_PART = 1 << 16
_REFUSED = (401, 403, 405)
"""Statuses of a server that refuses to store results; reading may still work."""


class Http:
    """A backend that reads and writes results on an HTTP server."""

    is_remote = True
    inline_size = 1 << 15  # one request for a typical result; larger entries may exceed the limits of a server

    def __init__(self, url: str, *, read_only: bool = False, timeout: float = TIMEOUT) -> None:
        try:
            parts = urlsplit(revealed(url))
            self.scheme, self.host, self.port = parts.scheme, parts.hostname or "", parts.port
        except ValueError:  # its text may hold a part of a password
            self.scheme = self.host = ""
        if self.scheme not in ("http", "https") or not self.host:
            raise ValueError(f"`{masked(url)}` is no http:// or https:// address")
        self.base = parts.path.rstrip("/")
        self.name = f"{self.scheme}://{self.host}{f':{self.port}' if self.port else ''}{self.base}"
        self.read_only = read_only
        self.timeout = timeout
        self.headers: dict[str, str] = {}
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self.headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        self.local = threading.local()
        self.lock = threading.Lock()
        self.open: list[http.client.HTTPConnection] = []
        """The connections of all threads."""
        self.entries: dict[str, bytes] = {}
        """Key → index entry that the server has."""
        self.blobs: set[str] = set()
        """Blobs that the server has."""
        self.absent: set[tuple[Kind, str]] = set()
        """(kind, key) that the server does not have."""
        self.answers_head = True
        self.is_closed = False

    def get(self, kind: Kind, key: str) -> bytes | None:
        """Return the content of a URL; `None` if the server does not have it."""
        status, data = self._ask("GET", kind, key, None)
        if status == 200:
            self._note(kind, key, data)
            return data
        if status in (404, 410):
            self.absent.add((kind, key))
            return None
        raise Unavailable(f"status {status}")

    def has(self, kind: Kind, key: str, data: bytes) -> bool:
        """Return whether the server has this content, according to an earlier answer.

        If the content is large, the server is asked, too: small content is sent as fast.
        """
        if (kind, key) in self.absent:
            return False
        is_large = len(data) > self.inline_size
        if kind == "ac":
            entry = self.entries.get(key)
            return (self.get(kind, key) if entry is None and is_large else entry) == data
        return key in self.blobs or (is_large and self.answers_head and self._has_blob(key))

    def _has_blob(self, key: str) -> bool:
        status, _ = self._ask("HEAD", "cas", key, None)
        if status == 200:
            self.blobs.add(key)
        elif status in (404, 410):
            self.absent.add(("cas", key))
        else:  # the server does not support HEAD: everything is sent to it
            self.answers_head = False
        return status == 200

    def _note(self, kind: Kind, key: str, data: bytes) -> None:
        """Remember that the server has this content, so that it is not sent again."""
        self.absent.discard((kind, key))
        if kind == "ac":
            self.entries[key] = data
        else:
            self.blobs.add(key)

    def put(self, kind: Kind, key: str, data: bytes) -> None:
        """Send content to the server, unless the server already has it."""
        if self.has(kind, key, data):
            return
        status, _ = self._ask("PUT", kind, key, data)
        if status in _REFUSED:
            self.read_only = True
            raise Unavailable(f"it takes no results (status {status}) and is only read from", weight=0)
        if status not in (200, 201, 202, 204):
            raise Unavailable(f"status {status}")
        self._note(kind, key, data)

    def drop(self, kind: Kind, key: str) -> None:
        """Make the next `put` send the content again; the protocol has no request to delete it."""
        self.entries.pop(key, None)
        self.blobs.discard(key)
        self.absent.add((kind, key))

    def close(self) -> None:
        """Close all connections, also those on which other threads wait; later requests are refused."""
        with self.lock:
            self.is_closed = True
            connections, self.open = self.open, []
        for connection in connections:
            with contextlib.suppress(OSError, AttributeError):  # a thread may wait for an answer
                connection.sock.shutdown(socket.SHUT_RDWR)
            connection.close()
        self.local = threading.local()

    # ---- one request

    def _ask(self, method: str, kind: Kind, key: str, body: bytes | None) -> tuple[int, bytes]:
        began = time.monotonic()
        deadline = began + self.timeout
        for attempt in (0, 1):
            connection = getattr(self.local, "connection", None)
            if connection is not None and connection.sock is None:  # the server has ended it with its answer
                self._forget()
                connection = None
            is_old = connection is not None
            try:
                connection = connection or self._connected(deadline)
                answer = self._exchange(connection, method, f"{self.base}/{kind}/{key}", body, deadline)
            except (OSError, http.client.HTTPException, ValueError) as error:
                self._forget()
                late = isinstance(error, TimeoutError) or time.monotonic() >= deadline
                if is_old and attempt == 0 and not late:
                    continue  # a server may end a connection that was kept open
                reason = f"no answer in {self.timeout:g} seconds" if late else _words(error)
                raise Unavailable(reason, weight=2 if late else 1) from None
            except Unavailable:
                self._forget()
                raise
            took = time.monotonic() - began
            if took > SLOW:
                raise Unavailable(f"an answer took {took:.1f} seconds")
            return answer
        raise Unavailable("no connection")

    def _connected(self, deadline: float) -> http.client.HTTPConnection:
        try:
            return self._connect(deadline)
        except TimeoutError:
            self._forget()
            raise Unavailable(f"no connection in {CONNECT:g} seconds", weight=3) from None

    def _connect(self, deadline: float) -> http.client.HTTPConnection:
        """Open the HTTP connection of the current thread."""
        connection = http.client.HTTPConnection(self.host, self.port or (443 if self.scheme == "https" else 80))
        connection.timeout = min(CONNECT, _left(deadline))
        self.local.connection = connection
        with self.lock:
            self._refuse_if_closed()
            self.open.append(connection)
        connection.connect()
        with self.lock:  # `close` could not end a connection that did not exist yet
            if self.is_closed:
                connection.close()
            self._refuse_if_closed()
        if self.scheme == "https":
            context = ssl.create_default_context()
            connection.sock = secure = context.wrap_socket(
                connection.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            _greet(secure, deadline)
        return connection

    def _refuse_if_closed(self) -> None:
        if self.is_closed:
            raise Unavailable("the store is closed", weight=0)

    def _exchange(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None, deadline: float
    ) -> tuple[int, bytes]:
        connection.sock.settimeout(_left(deadline))
        connection.response_class = partial(_answer, deadline)  # type: ignore[assignment]  # it is only called
        connection.request(method, path, body, self.headers)
        answer = connection.getresponse()
        data = bytearray()
        while part := answer.read1(_PART):
            data += part
            if len(data) > MAX_BLOB:
                raise Unavailable("an answer is too large to be true")
        if answer.length:  # fewer bytes than were announced
            raise http.client.IncompleteRead(bytes(data), answer.length)
        answer.close()  # of the answer, not of the connection: the next request may follow
        return answer.status, bytes(data)

    def _forget(self) -> None:
        connection = getattr(self.local, "connection", None)
        self.local.connection = None
        if connection is None:
            return
        with contextlib.suppress(OSError):
            connection.close()
        with self.lock, contextlib.suppress(ValueError):  # `close` may have been faster
            self.open.remove(connection)


def _left(deadline: float) -> float:
    """Return the seconds until ``deadline``; raise TimeoutError if it has passed."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _Timed(io.RawIOBase):
    """A stream that reads from a socket until a deadline.

    A time limit for each single read would not suffice: an answer may take any number of reads.
    """

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self.sock = sock
        self.deadline = deadline
        # Without a file of its own the socket would be closed with the connection, before the answer has been read.
        self.file = sock.makefile("rb", buffering=0)

    def close(self) -> None:
        """Release the socket."""
        self.file.close()
        super().close()

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return a reader: the only method of a socket that HTTPResponse uses."""
        return io.BufferedReader(self, _PART)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes; raise TimeoutError at the deadline."""
        self.sock.settimeout(_left(self.deadline))
        return self.sock.recv_into(buffer)


def _answer(deadline: float, sock: socket.socket, **options: Any) -> http.client.HTTPResponse:
    return http.client.HTTPResponse(_Timed(sock, deadline), **options)  # type: ignore[arg-type]  # it asks for no more


def _greet(secure: ssl.SSLSocket, deadline: float) -> None:
    secure.setblocking(False)
    while True:
        try:
            secure.do_handshake()
        except ssl.SSLWantReadError:
            select.select([secure], [], [], _left(deadline))
        except ssl.SSLWantWriteError:
            select.select([], [secure], [], _left(deadline))
        else:
            return


def _words(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    return (
        "it ended in the middle of an answer"
        if isinstance(error, http.client.IncompleteRead)
        else (f"its answer is not HTTP ({type(error).__name__})")
    )
