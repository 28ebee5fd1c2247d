"""A WebSocket server that sends events to programs on this machine, by the package `websockets`.

It listens on the loopback address, and refuses web pages from other hosts: a browser sends the origin of the page and
the name of the host, and both must refer to this machine.  Messages from clients are ignored, except pings and closes.
A client that does not read events fast enough is disconnected.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable
from http import HTTPStatus
from urllib.parse import urlsplit

from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

LOCAL = ("localhost", "127.0.0.1", "::1")
MAX_CLIENTS = 128
"""Beyond this number the oldest client is disconnected: abandoned clients must not block new ones."""
MAX_MESSAGE = 1 << 16
MAX_UNSENT = 16 << 20
HANDSHAKE_SECONDS = 5.0
CLOSING_SECONDS = 1.0
"""Time for the last texts to reach the clients when the server ends."""

_LOG = logging.Logger(__name__, logging.CRITICAL + 1)
"""Clients that are refused or vanish are no concern of the watcher's terminal."""


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
        self.clients: dict[ServerConnection, None] = {}
        """Those that have been greeted, the oldest first."""
        self.queue: deque[str] = deque()
        self.loop = asyncio.new_event_loop()
        self.ending = asyncio.Event()
        self.thread = threading.Thread(target=self._run, name="websocket", daemon=True)
        self.thread.start()

    def send(self, text: str) -> None:
        """Send a text to all clients.  Any thread may call it; it does not block."""
        self.queue.append(_message(text))
        self._call(self.flush)

    def close(self) -> None:
        """Send pending texts, disconnect the clients and end the thread."""
        self._call(self.ending.set)
        self.thread.join(5)

    def _call(self, function: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self.loop.call_soon_threadsafe(function)

    # ---- in the thread

    def flush(self) -> None:
        """Send pending texts to all clients; disconnect a client that leaves more than `MAX_UNSENT` bytes unread."""
        while self.queue:
            broadcast(self.clients, self.queue.popleft())
            for client in list(self.clients):
                if client.transport.get_write_buffer_size() > MAX_UNSENT:
                    self._drop(client)

    def _drop(self, client: ServerConnection) -> None:
        self.clients.pop(client, None)  # now, and not when the loop reports it
        client.transport.abort()

    def _run(self) -> None:
        try:
            self.loop.run_until_complete(self._serve())
        finally:
            self.loop.close()

    async def _serve(self) -> None:
        async with serve(
            self._attend,
            sock=self.listener,
            process_request=_refusal,
            compression=None,
            max_size=MAX_MESSAGE,
            open_timeout=HANDSHAKE_SECONDS,
            close_timeout=CLOSING_SECONDS,
            ping_interval=None,
            logger=_LOG,
        ):
            await self.ending.wait()
            self.flush()

    async def _attend(self, client: ServerConnection) -> None:
        """Greet a client, and wait for its end."""
        self.flush()  # pending texts are for the others: the greeting contains them
        for text in self.greeting():
            broadcast([client], _message(text))
        if len(self.clients) >= MAX_CLIENTS:
            self._drop(next(iter(self.clients)))
        self.clients[client] = None
        try:
            async for _ in client:
                pass
        except ConnectionClosed:
            pass
        finally:
            self.clients.pop(client, None)


def _refusal(client: ServerConnection, request: Request) -> Response | None:
    """Return the refusal of a request that does not come from this machine."""
    hosts = request.headers.get_all("Host")
    if len(hosts) == 1 and _is_local(f"//{hosts[0]}") and all(map(_is_local, request.headers.get_all("Origin"))):
        return None
    return client.respond(HTTPStatus.FORBIDDEN, "")


def _is_local(address: str) -> bool:
    try:
        return urlsplit(address).hostname in LOCAL
    except ValueError:
        return False


def _message(text: str) -> str:
    """Return a line of JSON without its line break; escape characters that UTF-8 cannot encode."""
    return text.rstrip("\n").encode("utf-8", "backslashreplace").decode()
