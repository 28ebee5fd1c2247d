"""Misbehaving servers, and one that is as strict as bazel-remote."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from hlsl_tool.project.build.store import http as store_http
from hlsl_tool.project.build.store.backend import Unavailable, content_key, index_entry, indexed
from hlsl_tool.project.build.store.http import Http
from hlsl_tool.project.build.store.results import Result, Store, key_of
from tests.patience import PATIENCE
from tests.unit.build.test_store import KEY, RESULT

TIMEOUT = 0.4
Answer = Callable[[socket.socket, bytes], None]


class Raw:
    """A server that sends fixed bytes as the answer to any request."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.over = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.asked = 0
        self.connections = 0
        self.open: list[socket.socket] = []
        self.threads = [threading.Thread(target=self._accept, daemon=True)]
        self.threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            self.open.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self.threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                while not self.over.is_set():
                    request = self._request(connection)
                    if not request:
                        return
                    self.asked += 1
                    self.answer(connection, request)
            except OSError:
                return  # the other side has had enough

    def _request(self, connection: socket.socket) -> bytes:
        """Read a request with its body, or at least a part of it."""
        data = b""
        while b"\r\n\r\n" not in data:
            part = connection.recv(1 << 16)
            if not part or data[:1] == b"\x16" or part[:1] == b"\x16":  # a greeting of TLS
                return data + part
            data += part
        head, _, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        while length and len(body) < int(length[1]):
            body += connection.recv(1 << 16)
        return head + b"\r\n\r\n" + body

    def close(self) -> None:
        self.over.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.open:
            with contextlib.suppress(OSError):  # its thread has closed it
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Raw]]:
    found: list[Raw] = []

    def start(answer: Answer) -> Raw:
        found.append(Raw(answer))
        return found[-1]

    yield start
    for server in found:
        server.close()


def says(data: bytes, *, closes: bool = True) -> Answer:
    def answer(connection: socket.socket, request: bytes) -> None:
        connection.sendall(data)
        if closes:
            raise OSError

    return answer


def trickles(data: bytes, again: bytes = b"x") -> Answer:
    """Return an answer that sends ``data`` at once, and then ``again`` repeatedly until the client disconnects."""

    def answer(connection: socket.socket, request: bytes) -> None:
        connection.sendall(data)
        for _ in range(200):
            connection.sendall(again)
            time.sleep(TIMEOUT / 20)

    return answer


def floods(connection: socket.socket, request: bytes) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def resets(connection: socket.socket, request: bytes) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    raise OSError


def stalls(connection: socket.socket, request: bytes) -> None:
    time.sleep(TIMEOUT * 3)


def sized(status: str, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def entry_of(text: bytes) -> Answer:
    """Return the answers of a server that has a valid index entry for this text under any key."""

    def answer(connection: socket.socket, request: bytes) -> None:
        connection.sendall(sized("200 OK", index_entry({"datum": text}) if b"/ac/" in request else text))

    return answer


ELSEWHERE = "Location: http://127.0.0.1:1/ac/x"
SERVERS: dict[str, Answer] = {
    "stalls": stalls,
    "says nothing": says(b""),
    "resets": resets,
    "500": says(sized("500 Oh", b"no"), closes=False),
    "503 without an end": trickles(b"HTTP/1.1 503 Busy\r\n\r\n"),
    "moved for ever": says(sized("301 Moved", b"", ELSEWHERE), closes=False),
    "found elsewhere": says(sized("302 Found", b"", ELSEWHERE), closes=False),
    "moved for now": says(sized("307 Moved", b"", ELSEWHERE), closes=False),
    "no content": says(b"HTTP/1.1 204 No Content\r\n\r\n", closes=False),
    "partial content": says(sized("206 Partial", b"half"), closes=False),
    "a web page": says(sized("200 OK", b"<html>please log in</html>", "Content-Type: text/html"), closes=False),
    "nothing in it": says(sized("200 OK", b""), closes=False),
    "not HTTP": says(b"\0\xff SSH-2.0 hello\r\n" * 20),
    "HTTP of another time": says(b"HTTP/9.9 200 OK\r\n\r\nwords"),
    "a status that is none": says(b"HTTP/1.1 abc OK\r\n\r\n"),
    "a length that is none": says(b"HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\nabc"),
    "more than there is": says(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf"),
    "far too much": says(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nhalf"),
    "a bad chunk": says(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhalf"),
    "a torn chunk": says(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf"),
    "a status bit by bit": trickles(b"", b"H"),
    "headers bit by bit": trickles(b"HTTP/1.1 200 OK\r\nX: ", b"y"),
    "headers without an end": trickles(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    "a body bit by bit": trickles(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
    "chunks bit by bit": trickles(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "always to be continued": floods,
    "to be continued, slowly": trickles(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a datum that is deep": entry_of(b"[" * 200_000),
    "a datum that is a number": entry_of(b"7"),
    "a datum of nothing": entry_of(json.dumps({"key": KEY}).encode()),
    "another's datum": entry_of(json.dumps({"key": key_of("b"), "datum": 1, "blobs": {}}).encode()),
    "blobs that are no hashes": entry_of(json.dumps({"key": KEY, "datum": 1, "blobs": {"spv": 7}}).encode()),
    "blobs of elsewhere": entry_of(json.dumps({"key": KEY, "datum": 1, "blobs": {"spv": "../../x"}}).encode()),
}


@pytest.mark.parametrize("name", SERVERS)
def test_a_bad_server_is_a_miss(name: str, serve: Callable[[Answer], Raw]) -> None:
    server = serve(SERVERS[name])
    store = Store([Http(f"http://127.0.0.1:{server.port}", timeout=TIMEOUT)])
    for _ in range(6):
        assert store.get(KEY) is None
        store.put(KEY, RESULT)
    store.close()
    if any("left alone" in what for _, what in store.problems):
        assert server.connections <= 6  # of twelve
    assert len(store.take_problems()) <= 2


def test_a_secure_server_that_never_comes_to_the_point(serve: Callable[[Answer], Raw]) -> None:
    record = b"\x16\x03\x03\x40\x00"  # a record of TLS, of which there is to come more
    server = serve(trickles(record))
    store = Store([Http(f"https://127.0.0.1:{server.port}", timeout=TIMEOUT)])
    for _ in range(6):
        assert store.get(KEY) is None
    assert server.connections <= 4  # of six
    store.close()


def test_a_server_that_is_always_slow_is_left_alone(
    serve: Callable[[Answer], Raw], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(connection: socket.socket, request: bytes) -> None:
        time.sleep(0.1)
        connection.sendall(sized("404 Not Found", b""))

    monkeypatch.setattr(store_http, "SLOW", 0.05)
    server = serve(slow)
    store = Store([Http(f"http://127.0.0.1:{server.port}")])
    for _ in range(10):
        assert store.get(KEY) is None
    assert server.asked == 3
    assert "an answer took 0.1 seconds" in store.take_problems()[0][1]
    store.close()


# ------------------------------------------------------------------------------------------------------- bazel-remote


class Remote:
    """A server with the rules of bazel-remote's HTTP interface, according to its documentation.

    A blob must have the hash in its path, and an entry must be an ActionResult.  The server returns an entry only while
    it has all of its blobs.
    """

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}
        self.refused: list[str] = []

    def answer(self, connection: socket.socket, request: bytes) -> None:
        head, _, body = request.partition(b"\r\n\r\n")
        method, path, _ = head.split(b"\r\n")[0].decode().split(" ")
        status, found = self.act(method, path, body)
        if status[0] not in "2" and status != "404 Not Found":
            self.refused.append(f"{method} {path}: {status}")
        connection.sendall(sized(status, found))

    def act(self, method: str, path: str, body: bytes) -> tuple[str, bytes]:
        named = re.fullmatch(r"/(?:[^/]+/)?(ac|cas)/([0-9a-f]{64})", path)
        if named is None:
            return "400 Bad Request", b"the path is not of the form /ac/ or /cas/ and a hash"
        kind, key = named.groups()
        if method == "PUT":
            if kind == "cas" and content_key(body) != key:
                return "400 Bad Request", b"another hash"
            if kind == "ac" and not self.action_result(body):
                return "400 Bad Request", b"no ActionResult"
            self.data[f"{kind}/{key}"] = body
            return "200 OK", b""
        data = self.data.get(f"{kind}/{key}")
        if data is None or (kind == "ac" and not self.complete(data)):
            return "404 Not Found", b""
        return "200 OK", data

    def action_result(self, body: bytes) -> bool:
        try:
            self.files(body)
            return bool(body)
        except (ValueError, IndexError):
            return False

    def complete(self, body: bytes) -> bool:
        """Return whether all blobs of an entry exist with the sizes that the entry lists."""
        return all(len(self.data.get(f"cas/{key}", b"?" * (size + 1))) == size for key, size in self.files(body))

    def files(self, body: bytes) -> list[tuple[str, int]]:
        """Return (hash, size) of the output files in an entry; an independent parser of protocol buffers."""
        found = []
        for number, value in self.fields(body):
            if number == 2 and isinstance(value, bytes):
                digest = dict(self.fields(dict(self.fields(value))[2]))  # type: ignore[arg-type]
                key = digest[1]
                assert isinstance(key, bytes)
                if not re.fullmatch(rb"[0-9a-f]{64}", key):
                    raise ValueError("no hash")
                found.append((key.decode(), int(digest.get(2, 0))))
        return found

    def fields(self, data: bytes) -> list[tuple[int, bytes | int]]:
        found: list[tuple[int, bytes | int]] = []
        at = 0

        def number() -> int:
            nonlocal at
            value = shift = 0
            while True:
                byte = data[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value

        while at < len(data):
            tag = number()
            if tag & 7 == 0:
                found.append((tag >> 3, number()))
            elif tag & 7 == 2:
                size = number()
                if at + size > len(data):
                    raise ValueError("torn")
                found.append((tag >> 3, data[at : at + size]))
                at += size
            else:
                raise ValueError("a field that an ActionResult has not")
        return found


def test_a_strict_server_takes_everything_and_gives_it_back(serve: Callable[[Answer], Raw]) -> None:
    remote = Remote()
    server = serve(remote.answer)
    results = {
        key_of(str(number)): Result({"n": number}, {"spv": bytes([number]) * number * 40, "empty": b""})
        for number in range(20)
    }
    writer = Store([Http(f"http://127.0.0.1:{server.port}")])
    for key, result in results.items():
        writer.put(key, result)
    writer.close()
    reader = Store([Http(f"http://127.0.0.1:{server.port}/instance")])
    assert {key: reader.get(key) for key in results} == results
    reader.close()
    assert remote.refused == []
    assert writer.take_problems() + reader.take_problems() == []
    assert server.connections == 2  # one for each, kept open


def test_a_blob_that_a_strict_server_has_evicted_is_a_miss(
    serve: Callable[[Answer], Raw], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Http, "inline_size", 0)
    remote = Remote()
    store = Store([Http(f"http://127.0.0.1:{serve(remote.answer).port}")])
    store.put(KEY, RESULT)
    blobs = indexed(remote.data[f"ac/{KEY}"])
    for name in blobs:
        kept = remote.data.pop(f"cas/{blobs[name].hash}")
        assert store.get(KEY) is None
        remote.data[f"cas/{blobs[name].hash}"] = kept
    assert store.get(KEY) == RESULT
    assert store.take_problems() == []
    store.close()


def test_a_store_that_closes_while_it_connects_waits_for_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    connects, may_go_on = threading.Event(), threading.Event()
    connect = http.client.HTTPConnection.connect

    def slow_connect(connection: http.client.HTTPConnection) -> None:
        connects.set()
        assert may_go_on.wait(PATIENCE)
        connect(connection)

    monkeypatch.setattr(http.client.HTTPConnection, "connect", slow_connect)
    with socket.create_server(("127.0.0.1", 0)) as silent, ThreadPoolExecutor(1) as pool:
        server = Http(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=10.0)
        answer = pool.submit(server.get, "ac", "0" * 64)
        assert connects.wait(PATIENCE)
        server.close()
        may_go_on.set()
        with pytest.raises(Unavailable, match="the store is closed"):
            answer.result(PATIENCE)
