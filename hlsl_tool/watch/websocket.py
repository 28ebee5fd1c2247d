"""A WebSocket server (RFC 6455) that sends events to programs on this machine.

It listens on the loopback address, and refuses pages from elsewhere: a browser sends the origin of the page and the
name of the host, and both must be of this machine.  Messages of clients are ignored, except pings and closes.  A client
that does not keep up with the events is disconnected.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import selectors
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

_MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455, section 1.3
_TEXT, _CLOSE, _PING, _PONG = 0x1, 0x8, 0x9, 0xA
_KNOWN = (0x0, _TEXT, 0x2, _CLOSE, _PING, _PONG)
_GOING_AWAY, _PROTOCOL_ERROR, _TOO_BIG = 1001, 1002, 1009
LOCAL = ("localhost", "127.0.0.1", "::1")
MAX_CLIENTS = 128
"""Beyond this number the oldest client is disconnected: abandoned clients must not block new ones."""
MAX_REQUEST = 8192
MAX_MESSAGE = 1 << 16
MAX_UNSENT = 16 << 20
HANDSHAKE_SECONDS = 5.0


class CannotListen(Exception):
    """Reason why the server cannot listen on its port."""


class _Refused(Exception):
    """An answer to a request that does not open a WebSocket."""

    def __init__(self, status: str, headers: str = "") -> None:
        super().__init__(status)
        self.answer = f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n{headers}\r\n".encode()


class _Client:
    """One connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.since = time.monotonic()
        self.is_open = False
        """True after the handshake."""
        self.is_closing = False
        """True if nothing more is read; pending bytes are still sent."""
        self.unread = bytearray()
        self.unsent = bytearray()


class Server:
    """Sends texts to all its clients from a thread of its own; a new client gets those of `greeting` first."""

    def __init__(self, port: int, greeting: Callable[[], Iterable[str]]) -> None:
        self.greeting = greeting
        if not 0 <= port < 1 << 16:
            raise CannotListen("a port is a number from 0 to 65535")
        try:
            self.listener = socket.create_server(("127.0.0.1", port), backlog=16)
        except OSError as error:
            raise CannotListen(os.strerror(error.errno) if error.errno else str(error)) from None
        self.listener.setblocking(False)
        self.port = int(self.listener.getsockname()[1])
        self.clients: set[_Client] = set()
        self.waking, self.woken = socket.socketpair()
        for end in (self.waking, self.woken):
            end.setblocking(False)
        self.lock = threading.Lock()
        self.queue: list[str] = []
        self.is_ending = False
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.selector.register(self.woken, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self._serve, name="websocket", daemon=True)
        self.thread.start()

    def send(self, text: str) -> None:
        """Send a text to all clients.  Any thread may call it; it does not wait."""
        with self.lock:
            self.queue.append(text)
        self._wake()

    def close(self) -> None:
        self.is_ending = True
        self._wake()
        self.thread.join(5)

    def _wake(self) -> None:
        try:
            self.waking.send(b"!")
        except OSError:
            return  # it is awake already, or has ended

    # ---- in the thread

    def _serve(self) -> None:
        while not self.is_ending:
            for key, mask in self.selector.select(1.0):
                if key.fileobj is self.listener:
                    self._accept()
                elif key.fileobj is self.woken:
                    self._drain()
                else:
                    client: _Client = key.data
                    if client in self.clients and mask & selectors.EVENT_READ:
                        self._read(client)
                    if client in self.clients and mask & selectors.EVENT_WRITE:
                        self._write(client)
            self._broadcast()
            now = time.monotonic()
            for client in [c for c in self.clients if not c.is_open and now - c.since > HANDSHAKE_SECONDS]:
                self._drop(client)
        self._broadcast()
        for client in list(self.clients):
            if client.is_open:
                client.unsent += frame(_CLOSE, struct.pack("!H", _GOING_AWAY))
                self._write(client)
            self._drop(client)
        for end in (self.listener, self.waking, self.woken):
            end.close()
        self.selector.close()

    def _accept(self) -> None:
        try:
            connection, _ = self.listener.accept()
        except OSError:
            return  # the client has gone again
        if len(self.clients) >= MAX_CLIENTS:
            self._drop(min(self.clients, key=lambda client: (client.is_open, client.since)))
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = _Client(connection)
        self.clients.add(client)
        self.selector.register(connection, selectors.EVENT_READ, client)

    def _drain(self) -> None:
        try:
            while self.woken.recv(4096):
                pass
        except OSError:
            return  # nothing is left

    def _broadcast(self) -> None:
        with self.lock:
            texts, self.queue = self.queue, []
        if not texts:
            return
        data = b"".join(map(_text_frame, texts))
        for client in list(self.clients):
            if client.is_open and not client.is_closing:
                client.unsent += data
                self._write(client)

    def _read(self, client: _Client) -> None:
        try:
            data = client.connection.recv(1 << 16)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self._drop(client)
            return
        if client.is_closing:
            return
        client.unread += data
        if not client.is_open:
            self._shake_hands(client)
        if client.is_open:
            self._frames(client)
        if client in self.clients and client.unsent:
            self._write(client)

    def _shake_hands(self, client: _Client) -> None:
        end = client.unread.find(b"\r\n\r\n")
        try:
            if end < 0:
                if len(client.unread) > MAX_REQUEST:
                    raise _Refused("431 Request Header Fields Too Large")
                return
            answer = accepted(bytes(client.unread[:end]))
        except _Refused as refusal:
            client.unsent += refusal.answer
            client.is_closing = True
            return
        del client.unread[: end + 4]
        self._broadcast()  # pending texts are for the others: the greeting contains them
        client.is_open = True
        client.unsent += answer + b"".join(map(_text_frame, self.greeting()))

    def _frames(self, client: _Client) -> None:
        while not client.is_closing:
            try:
                first = parse(client.unread)
            except Malformed as problem:
                client.unsent += frame(_CLOSE, struct.pack("!H", problem.code))
                client.is_closing = True
                return
            if first is None:
                return
            opcode, payload, size = first
            del client.unread[:size]
            if opcode == _PING:
                client.unsent += frame(_PONG, payload)
            elif opcode == _CLOSE:
                client.unsent += frame(_CLOSE, payload[:2])
                client.is_closing = True

    def _write(self, client: _Client) -> None:
        try:
            while client.unsent:
                sent = client.connection.send(client.unsent)
                del client.unsent[:sent]
        except (BlockingIOError, InterruptedError):
            if len(client.unsent) > MAX_UNSENT:
                self._drop(client)
                return
        except OSError:
            self._drop(client)
            return
        if client.is_closing and not client.unsent:
            self._drop(client)
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.unsent else 0)
        self.selector.modify(client.connection, events, client)

    def _drop(self, client: _Client) -> None:
        if client in self.clients:
            self.clients.discard(client)
            self.selector.unregister(client.connection)
            client.connection.close()


# ------------------------------------------------------------------------------------------------------ the protocol


class Malformed(Exception):
    """A frame that violates the protocol, with the status code of the answer."""

    def __init__(self, code: int) -> None:
        super().__init__(str(code))
        self.code = code


def accepted(request: bytes) -> bytes:
    """Return the answer to a request that opens a WebSocket (section 4.2); raise `_Refused` for any other."""
    lines = request.decode("latin-1").split("\r\n")
    words = lines[0].split(" ")
    if len(words) != 3 or words[2] != "HTTP/1.1":
        raise _Refused("400 Bad Request")
    if words[0] != "GET":
        raise _Refused("405 Method Not Allowed", "Allow: GET\r\n")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if not colon:
            raise _Refused("400 Bad Request")
        name, value = name.strip().lower(), value.strip()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    if not _is_local(headers.get("host", ""), "//"):
        raise _Refused("403 Forbidden")
    if "origin" in headers and not _is_local(headers["origin"], ""):
        raise _Refused("403 Forbidden")
    tokens = [word.strip().lower() for word in headers.get("connection", "").split(",")]
    if headers.get("upgrade", "").lower() != "websocket" or "upgrade" not in tokens:
        raise _Refused("426 Upgrade Required", "Upgrade: websocket\r\n")
    if headers.get("sec-websocket-version") != "13":
        raise _Refused("426 Upgrade Required", "Sec-WebSocket-Version: 13\r\nUpgrade: websocket\r\n")
    key = headers.get("sec-websocket-key", "")
    try:
        if len(base64.b64decode(key, validate=True)) != 16:
            raise _Refused("400 Bad Request")
    except (binascii.Error, ValueError):
        raise _Refused("400 Bad Request") from None
    digest = base64.b64encode(hashlib.sha1(key.encode() + _MAGIC).digest()).decode()
    return (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {digest}\r\n\r\n"
    ).encode()


def _is_local(address: str, prefix: str) -> bool:
    try:
        return urlsplit(prefix + address).hostname in LOCAL
    except ValueError:
        return False


def _text_frame(text: str) -> bytes:
    """Return a line of JSON as a frame; characters that UTF-8 cannot encode become JSON escapes."""
    return frame(_TEXT, text.rstrip("\n").encode("utf-8", "backslashreplace"))


def frame(opcode: int, payload: bytes) -> bytes:
    """Return a complete frame as servers send it, not masked (section 5.2)."""
    size = len(payload)
    if size < 126:
        return bytes((0x80 | opcode, size)) + payload
    if size < 1 << 16:
        return bytes((0x80 | opcode, 126)) + struct.pack("!H", size) + payload
    return bytes((0x80 | opcode, 127)) + struct.pack("!Q", size) + payload


def parse(data: bytes | bytearray) -> tuple[int, bytes, int] | None:
    """Return (opcode, payload, length) of the first frame of a client's bytes; `None` while it is incomplete."""
    if len(data) < 2:
        return None
    opcode, size, at = data[0] & 0x0F, data[1] & 0x7F, 2
    if data[0] & 0x70 or opcode not in _KNOWN or not data[1] & 0x80:
        raise Malformed(_PROTOCOL_ERROR)  # no extension was agreed on, and clients mask
    if opcode >= _CLOSE and (size > 125 or not data[0] & 0x80):
        raise Malformed(_PROTOCOL_ERROR)
    if size >= 126:
        width, form = (2, "!H") if size == 126 else (8, "!Q")
        if len(data) < at + width:
            return None
        (size,) = struct.unpack_from(form, data, at)
        at += width
    if size > MAX_MESSAGE:
        raise Malformed(_TOO_BIG)
    if len(data) < at + 4 + size:
        return None
    mask = data[at : at + 4]
    at += 4
    payload = bytes(byte ^ mask[number % 4] for number, byte in enumerate(data[at : at + size]))
    return opcode, payload, at + size
