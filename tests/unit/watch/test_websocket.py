"""The WebSocket server: the requirements of RFC 6455, and clients that it rejects."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import random
import socket
import struct
from collections.abc import Iterator

import pytest

from hlsl_tool.project.watch import websocket
from hlsl_tool.project.watch.websocket import MAX_MESSAGE, CannotListen, Server
from tests.patience import PATIENCE

GREETING = ['{"event":"hello"}\n']


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server(0, lambda: GREETING)
    yield found
    found.close()
    assert not found.thread.is_alive()


class Client:
    """A minimal client: a second implementation of the protocol."""

    def __init__(self, server: Server, *, headers: dict[str, str] | None = None, request: bytes | None = None) -> None:
        self.connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = (headers or {}).get("Sec-WebSocket-Key", base64.b64encode(os.urandom(16)).decode())
        fields = {
            "Host": f"localhost:{server.port}",
            "Upgrade": "websocket",
            "Connection": "keep-alive, Upgrade",
            "Sec-WebSocket-Key": key,
            "Sec-WebSocket-Version": "13",
            **(headers or {}),
        }
        lines = ["GET /events HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items() if value)]
        self.connection.sendall(request or ("\r\n".join(lines) + "\r\n\r\n").encode())
        self.data = b""
        head = self._until(b"\r\n\r\n").decode()
        self.status = int(head.split()[1])
        self.head = head.split("\r\n")
        if self.status == 101:
            digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
            assert f"Sec-WebSocket-Accept: {base64.b64encode(digest).decode()}" in self.head
            assert not [line for line in self.head if line.startswith("Sec-WebSocket-Extensions")]

    def _until(self, end: bytes) -> bytes:
        while end not in self.data:
            part = self.connection.recv(4096)
            assert part, self.data
            self.data += part
        found, _, self.data = self.data.partition(end)
        return found

    def _take(self, size: int) -> bytes:
        while len(self.data) < size:
            part = self.connection.recv(1 << 16)
            if not part:
                raise EOFError
            self.data += part
        found, self.data = self.data[:size], self.data[size:]
        return found

    def receive(self) -> tuple[int, bytes]:
        first, size = self._take(2)
        assert first & 0x80
        assert not size & 0x80  # servers do not mask
        if size == 126:
            (size,) = struct.unpack("!H", self._take(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", self._take(8))
        return first & 0x0F, self._take(size)

    def send(self, opcode: int, payload: bytes = b"", *, masked: bool = True, size: int | None = None) -> None:
        length = len(payload) if size is None else size
        head = bytes([0x80 | opcode])
        bit = 0x80 if masked else 0
        if length < 126:
            head += bytes([bit | length])
        elif length < 1 << 16:
            head += bytes([bit | 126]) + struct.pack("!H", length)
        else:
            head += bytes([bit | 127]) + struct.pack("!Q", length)
        mask = os.urandom(4)
        body = bytes(b ^ mask[i % 4] for i, b in enumerate(payload)) if masked else payload
        self.connection.sendall(head + (mask if masked else b"") + body)

    def close(self) -> None:
        self.connection.close()


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    found = Client(server)
    assert found.receive() == (1, GREETING[0].rstrip("\n").encode())
    yield found
    found.close()


def test_events_come_to_all_in_order(server: Server, client: Client) -> None:
    other = Client(server)
    other.receive()
    texts = ["a", "ü" * 60, "b" * 125, "c" * 126, "d" * 65535, "e" * 65536, "f" * 1_000_000]
    for text in texts:
        server.send(text + "\n")
    for each in (client, other):
        assert [each.receive() for _ in texts] == [(1, text.encode()) for text in texts]
    other.close()


@pytest.mark.parametrize("shakes_hands", [True, False])
def test_a_new_client_is_accepted_beyond_the_limit(
    server: Server, shakes_hands: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websocket, "MAX_CLIENTS", 4)
    first = Client(server)
    first.receive()
    if shakes_hands:
        forgotten = [Client(server).connection for _ in range(4)]
    else:
        forgotten = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
    late = Client(server)
    assert late.status == 101
    late.receive()
    server.send("news\n")
    assert late.receive() == (1, b"news")
    if shakes_hands:
        with pytest.raises((EOFError, ConnectionResetError)):
            first.receive()
    else:
        assert first.receive() == (1, b"news")
    for connection in (first.connection, late.connection, *forgotten):
        connection.close()


def test_the_key_of_the_specification(server: Server) -> None:
    client = Client(server, headers={"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="})
    assert "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in client.head
    client.close()


def test_pings_and_closes_are_answered(client: Client) -> None:
    client.send(1, b"nobody listens")
    client.send(9, b"are you there")
    assert client.receive() == (10, b"are you there")
    client.send(8, struct.pack("!H", 1000))
    assert client.receive() == (8, struct.pack("!H", 1000))
    with pytest.raises(EOFError):
        client.receive()


def test_closing_sends_a_going_away_frame() -> None:
    server = Server(0, list)
    client = Client(server)
    client.send(9)
    client.receive()
    server.send("the last\n")
    server.close()
    assert client.receive() == (1, b"the last")
    assert client.receive() == (8, struct.pack("!H", 1001))
    client.close()


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"Host": "evil.example:80"}, 403),  # a name that was made to lead here
        ({"Host": ""}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 101),
        ({"Origin": "http://127.0.0.1"}, 101),
        ({"Host": "[::1]:80"}, 101),
        ({"Origin": "http://[::1"}, 403),
        ({"Upgrade": ""}, 426),
        ({"Connection": "close"}, 426),
        ({"Sec-WebSocket-Version": "8"}, 400),
        ({"Sec-WebSocket-Key": "short"}, 400),
        ({"Sec-WebSocket-Key": "c2hvcnQ="}, 400),
        ({"Sec-WebSocket-Key": ""}, 400),
    ],
)
def test_the_headers_decide_whether_a_client_is_accepted(server: Server, changed: dict[str, str], status: int) -> None:
    client = Client(server, headers=changed)
    assert client.status == status
    client.close()


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"HTTP/1.1 405 "),
        (b"nonsense\r\n\r\n", b""),
        (b"GET / HTTP/1.1\r\nx\r\n\r\n", b""),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 3000, b"HTTP/1.1 431 "),
    ],
)
def test_other_requests(server: Server, client: Client, request_: bytes, answer: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as other:
        other.sendall(request_)
        assert other.recv(4096)[: len(answer) or None] == answer
    server.send("news\n")
    assert client.receive() == (1, b"news")


def test_frames_that_cannot_be(server: Server) -> None:
    for send, code in (
        (lambda c: c.send(1, b"bare", masked=False), 1002),
        (lambda c: c.send(3, b""), 1002),
        (lambda c: c.send(9, b"x" * 126), 1002),
        (lambda c: c.send(1, b"", size=MAX_MESSAGE + 1), 1009),
        (lambda c: c.connection.sendall(b"\xf1\x80mask"), 1002),
    ):
        client = Client(server)
        client.receive()
        send(client)
        opcode, payload = client.receive()
        assert (opcode, payload[:2]) == (8, struct.pack("!H", code))
        client.close()


def test_a_vanished_client_does_not_disturb_others(server: Server, client: Client) -> None:
    for _ in range(5):
        gone = Client(server)
        gone.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        gone.close()
        server.send("text\n")
        assert client.receive() == (1, b"text")


def test_a_client_that_does_not_read_is_disconnected(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hlsl_tool.project.watch.websocket.MAX_UNSENT", 1 << 16)
    slow = Client(server)
    text = "x" * (1 << 20)
    for _ in range(12):
        server.send(text)
        assert client.receive()[1] == text.encode()
    with pytest.raises((EOFError, ConnectionResetError)):
        for _ in range(14):
            slow.receive()
    slow.close()


def test_damaged_frames_end_or_wait(server: Server, client: Client) -> None:
    found = random.Random(1)
    for _ in range(300):
        damaged = Client(server)
        damaged.receive()
        damaged.connection.sendall(found.randbytes(found.randrange(1, 20)))
        damaged.connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(EOFError, ConnectionResetError):
            while True:
                opcode, payload = damaged.receive()
                assert opcode == 10 or (opcode, payload[:2]) in [(8, struct.pack("!H", code)) for code in (1002, 1009)]
        damaged.close()
    server.send("news\n")
    assert client.receive() == (1, b"news")


def test_frames_may_come_in_pieces(server: Server, client: Client) -> None:
    for size in (0, 1, 124, 125):
        payload = bytes(number % 251 for number in range(size))
        masked = bytes([0x89, 0x80 | size]) + b"\x01\x02\x03\x04"
        masked += bytes(b ^ (1, 2, 3, 4)[i % 4] for i, b in enumerate(payload))
        for cut in range(0, len(masked), max(len(masked) // 20, 1)):
            client.connection.sendall(masked[:cut])
            client.connection.sendall(masked[cut:])
            assert client.receive() == (10, payload)
    for size in (126, 65535):
        client.send(1, b"x" * size)
    client.send(9, b"still here")
    assert client.receive() == (10, b"still here")


@pytest.mark.parametrize("more", [b"\x89\x80mask", b"\x88\x80mask", b"\xff" * 40, b"\x81\x80mask", b"\x00" * 20000])
def test_frames_before_the_answer(server: Server, client: Client, more: bytes) -> None:
    """A client that does not wait for the answer harms itself only."""
    key = base64.b64encode(bytes(16)).decode()
    request = (
        f"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()
    hasty = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    hasty.sendall(request + more)
    hasty.recv(4096)
    hasty.close()
    server.send("news\n")
    assert client.receive() == (1, b"news")


def test_a_port_that_is_taken(server: Server) -> None:
    with pytest.raises(CannotListen, match="in use"):
        Server(server.port, list)
    with pytest.raises(CannotListen):
        Server(70000, list)


def test_text_that_is_not_utf8(server: Server, client: Client) -> None:
    server.send('{"root":"/r\udcff"}\n')
    assert client.receive() == (1, b'{"root":"/r\\udcff"}')
