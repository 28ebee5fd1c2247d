"""A WebSocket server that sends events to programs on this machine; the package `websockets` implements the protocol.

It listens on the loopback address, and refuses web pages from other hosts: a browser sends the origin of the page and
the name of the host, and both must refer to this machine.  Messages from clients are ignored, except pings and closes.
A client that does not read events fast enough is disconnected.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import cast
from urllib.parse import urlsplit

from websockets.frames import CloseCode
from websockets.http11 import Request
from websockets.protocol import CONNECTING, OPEN, SEND_EOF
from websockets.server import ServerProtocol

LOCAL = ("localhost", "127.0.0.1", "::1")
MAX_CLIENTS = 128
"""Beyond this number the oldest client is disconnected: abandoned clients must not block new ones."""
MAX_REQUEST = 8192
MAX_MESSAGE = 1 << 16
MAX_UNSENT = 16 << 20
HANDSHAKE_SECONDS = 5.0
CLOSING_SECONDS = 1.0
"""Time for the last texts to reach the clients when the server ends."""

_END_OF_REQUEST = b"\r\n\r\n"


class CannotListen(Exception):
    """Raised if the server cannot listen on its port; the text is the reason."""


class Server:
    """Sends texts to all clients, from its own thread; a new client first gets the texts of `greeting`."""

    def __init__(self, port: int, greeting: Callable[[], Iterable[str]]) -> None:
        self.greeting = greeting
        if not 0 <= port < 1 << 16:
            raise CannotListen("a port is a number from 0 to 65535")
        try:
            self.listener = socket.create_server(("127.0.0.1", port))
        except OSError as error:
            raise CannotListen(os.strerror(error.errno) if error.errno else str(error)) from None
        self.port = int(self.listener.getsockname()[1])
        self.clients: set[_Client] = set()
        self.queue: deque[bytes] = deque()
        self.loop = asyncio.new_event_loop()
        self.ending = asyncio.Event()
        self.thread = threading.Thread(target=self._run, name="websocket", daemon=True)
        self.thread.start()

    def send(self, text: str) -> None:
        """Send a text to all clients.  Any thread may call it; it does not block."""
        self.queue.append(_message(text))
        self._call(self.broadcast)

    def close(self) -> None:
        """Send pending texts, disconnect the clients and end the thread."""
        self._call(self.ending.set)
        self.thread.join(5)

    def _call(self, function: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self.loop.call_soon_threadsafe(function)

    # ---- in the thread

    def broadcast(self) -> None:
        """Send pending texts to all clients whose connection is open."""
        while self.queue:
            text = self.queue.popleft()
            for client in list(self.clients):
                client.send(text)

    def admit(self, client: _Client) -> None:
        """Add a connection.

        If there are more than `MAX_CLIENTS`, close the oldest, preferably one without a handshake.
        """
        if len(self.clients) >= MAX_CLIENTS:
            oldest = min(self.clients, key=lambda each: (each.is_open, each.since))
            self.clients.discard(oldest)  # now, and not when the loop reports it
            oldest.transport.abort()
        self.clients.add(client)

    def _run(self) -> None:
        try:
            self.loop.run_until_complete(self._serve())
        finally:
            self.loop.close()

    async def _serve(self) -> None:
        listening = await self.loop.create_server(lambda: _Client(self), sock=self.listener)
        await self.ending.wait()
        listening.close()
        self.broadcast()
        for client in list(self.clients):
            client.close()
        end = self.loop.time() + CLOSING_SECONDS
        while self.clients and self.loop.time() < end:
            await asyncio.sleep(0.01)
        for client in list(self.clients):
            client.transport.abort()
        await asyncio.sleep(0)  # the loop closes the sockets in its next turn


class _Client(asyncio.Protocol):
    """One connection: passes bytes between a socket and `websockets`, and enforces limits."""

    transport: asyncio.Transport

    def __init__(self, server: Server) -> None:
        self.server = server
        self.protocol = ServerProtocol(max_size=MAX_MESSAGE)
        self.since = server.loop.time()
        self.request = bytearray()

    @property
    def is_open(self) -> bool:
        """True after the handshake, until one side closes."""
        return self.protocol.state is OPEN and not self.transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start to wait for a request; the connection is closed if none is accepted within `HANDSHAKE_SECONDS`."""
        self.transport = cast(asyncio.Transport, transport)
        self.deadline = self.server.loop.call_later(HANDSHAKE_SECONDS, self.transport.abort)
        self.server.admit(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection from the server."""
        self.deadline.cancel()
        self.server.clients.discard(self)

    def data_received(self, data: bytes) -> None:
        """Process a request, pings and closes."""
        if self.protocol.state is CONNECTING:
            self.request += data
            end = self.request.find(_END_OF_REQUEST)
            if end >= 0:
                data = bytes(self.request[end + len(_END_OF_REQUEST) :])  # frames; the answer comes first
                self._receive_request(bytes(self.request[: end + len(_END_OF_REQUEST)]))
            elif len(self.request) > MAX_REQUEST:
                self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        if self.is_open:
            self.protocol.receive_data(data)
            self.protocol.events_received()  # messages are ignored
        self._write(self.protocol.data_to_send())

    def send(self, message: bytes) -> None:
        """Send a text if the client is open; disconnect a client that leaves more than `MAX_UNSENT` bytes unread."""
        if self.is_open:
            self.protocol.send_text(message)
            self._write(self.protocol.data_to_send())

    def close(self) -> None:
        """Close the connection after sending the pending bytes."""
        if self.is_open:
            self.protocol.send_close(CloseCode.GOING_AWAY)
            self._write(self.protocol.data_to_send())
        self.transport.close()

    def _receive_request(self, head: bytes) -> None:
        """Process the bytes of an HTTP request."""
        self.protocol.receive_data(head)
        for request in self.protocol.events_received():
            self._answer(cast(Request, request))
        pending = self.protocol.data_to_send()
        if pending == [SEND_EOF]:  # `websockets` hangs up on what is not HTTP
            pending.insert(0, self.protocol.reject(HTTPStatus.BAD_REQUEST, "").serialize())
        self._write(pending)

    def _answer(self, request: Request) -> None:
        """Accept a WebSocket request from this machine and send the greeting; refuse any other request."""
        headers = request.headers
        hosts = headers.get_all("Host")
        if len(hosts) != 1 or not _is_local(f"//{hosts[0]}") or not all(map(_is_local, headers.get_all("Origin"))):
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        response = self.protocol.accept(request)
        if response.status_code == HTTPStatus.BAD_REQUEST and headers.get_all("Sec-WebSocket-Version") != ["13"]:
            self._refuse(HTTPStatus.UPGRADE_REQUIRED, {"Sec-WebSocket-Version": "13"})  # RFC 6455, section 4.4
            return
        self.server.broadcast()  # pending texts are for the others: the greeting contains them
        self.protocol.send_response(response)
        if self.is_open:
            self.deadline.cancel()
            for text in self.server.greeting():
                self.protocol.send_text(_message(text))

    def _refuse(self, status: HTTPStatus, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        """Send an HTTP response that rejects the request."""
        response = self.protocol.reject(status, "")
        response.headers.update(headers)
        self.protocol.send_response(response)

    def _write(self, pending: Iterable[bytes]) -> None:
        """Pass the protocol's bytes to the socket, which sends them when possible."""
        for data in pending:
            if data == SEND_EOF:
                self.transport.close()
            else:
                self.transport.write(data)
        if self.transport.get_write_buffer_size() > MAX_UNSENT:
            self.transport.abort()


def _is_local(address: str) -> bool:
    try:
        return urlsplit(address).hostname in LOCAL
    except ValueError:
        return False


def _message(text: str) -> bytes:
    """Return a line of JSON without its line break; escape characters that UTF-8 cannot encode."""
    return text.rstrip("\n").encode("utf-8", "backslashreplace")
