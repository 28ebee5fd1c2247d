"""The store of results: stored results are found, any damage is a cache miss, and the size is bounded."""

from __future__ import annotations

import http.server
import multiprocessing
import os
import pathlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from hlsl_tool.project.build.store import directory
from hlsl_tool.project.build.store.backend import Unavailable, content_key, index_entry, indexed
from hlsl_tool.project.build.store.choice import BadStore, StoreOptions, parse_size, store_options
from hlsl_tool.project.build.store.directory import Directory
from hlsl_tool.project.build.store.http import Http
from hlsl_tool.project.build.store.results import Result, Store, key_of
from tests.patience import PATIENCE

KEY = key_of("a", "shader")
RESULT = Result({"messages": ["ä"]}, {"spv": b"words" * 2000, "reflection": b"{}"})


def files(path: pathlib.Path, kind: str) -> list[pathlib.Path]:
    return sorted(p for p in (path / kind).rglob("*") if p.is_file())


def test_index_entries_are_action_results() -> None:
    # Written by hand after remote_execution.proto: output_files { path, digest { hash, size_bytes } }.
    digest = b"\x0a\x40" + content_key(b"abc").encode() + b"\x10\x03"
    file = b"\x0a\x01n" + b"\x12" + bytes([len(digest)]) + digest
    assert index_entry({"n": b"abc"}) == b"\x12" + bytes([len(file)]) + file
    assert indexed(index_entry({"n": b"abc"}) + b"\x20\x01") == {
        "n": (content_key(b"abc"), None)
    }  # exit_code is passed over


@pytest.mark.parametrize("cut", range(1, 78, 7))
def test_a_torn_index_entry_is_none(cut: int) -> None:
    with pytest.raises(ValueError, match=r"entry|digest|hash"):
        indexed(index_entry({"n": b"abc"})[:-cut])


def test_a_key_hangs_on_where_its_parts_end() -> None:
    assert key_of("ab", "c") != key_of("a", "bc") != key_of("abc")


# ------------------------------------------------------------------------------------------------------- a directory


def test_get_returns_the_result_that_put_stored(tmp_path: pathlib.Path) -> None:
    store = Store([Directory(str(tmp_path))])
    assert store.get(KEY) is None
    store.put(KEY, RESULT)
    assert store.get(KEY) == RESULT
    assert store.take_problems() == []


def test_small_blobs_stand_in_the_entry_of_a_folder(tmp_path: pathlib.Path) -> None:
    store = Store([Directory(str(tmp_path))])
    store.put(KEY, Result({"n": 1}, {"spv": b"x" * 4096, "large": b"y" * 4097}))
    assert [path.read_bytes() for path in files(tmp_path, "cas")] == [b"y" * 4097]
    assert store.get(KEY) == Result({"n": 1}, {"spv": b"x" * 4096, "large": b"y" * 4097})


def test_entries_whose_blobs_are_files_are_read(tmp_path: pathlib.Path) -> None:
    """Index entries may name files with the outputs instead of containing them, as in earlier versions."""
    directory = Directory(str(tmp_path))
    directory.inline_size = 0
    Store([directory]).put(KEY, RESULT)
    assert len(files(tmp_path, "cas")) == 3
    assert Store([Directory(str(tmp_path))]).get(KEY) == RESULT


@pytest.mark.parametrize("kind", ["ac", "cas"])
@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"", lambda data: data[:-1] + b"?"])
def test_damage_is_a_miss_and_goes(tmp_path: pathlib.Path, kind: str, damage: Callable[[bytes], bytes]) -> None:
    store = Store([Directory(str(tmp_path))])
    store.put(KEY, RESULT)
    for path in files(tmp_path, kind):
        path.write_bytes(damage(path.read_bytes()))
    found = store.get(KEY)
    assert found is None or (kind == "ac" and found == RESULT)  # a wrong size in an entry is not noticed
    store.put(KEY, RESULT)
    for _ in range(len(RESULT.blobs) + 1):  # a blob with the right length is found to be wrong when it is read
        if store.get(KEY) is None:
            store.put(KEY, RESULT)
    assert store.get(KEY) == RESULT


def test_an_entry_in_the_place_of_another_is_a_miss(tmp_path: pathlib.Path) -> None:
    store = Store([Directory(str(tmp_path))])
    other = key_of("another")
    store.put(KEY, RESULT)
    store.put(other, Result("another's"))
    (tmp_path / "ac" / KEY[:2]).mkdir(exist_ok=True)
    (tmp_path / "ac" / other[:2] / other).replace(tmp_path / "ac" / KEY[:2] / KEY)
    assert store.get(KEY) is None


def test_the_longest_unused_goes_first(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "USE_GRAIN", 0.0)
    backend = Directory(str(tmp_path), size=40 * 4096)
    store = Store([backend])
    keys = [key_of(str(number)) for number in range(30)]
    for number, key in enumerate(keys):
        store.put(key, Result(number, {"spv": os.urandom(4000)}))
        for path in files(tmp_path, "ac") + files(tmp_path, "cas"):
            status = path.stat()
            os.utime(path, (status.st_atime - 10, status.st_mtime - 10))
        assert store.get(keys[0]) is not None
    assert backend.usage().bytes <= 40 * 4096 * 1.2  # between two collections there may be a little more
    backend.collect()
    assert store.get(keys[0]) is not None
    assert store.get(keys[-1]) is not None
    assert store.get(keys[1]) is None


def test_old_temporary_files_of_killed_writers_are_deleted(tmp_path: pathlib.Path) -> None:
    backend = Directory(str(tmp_path))
    Store([backend]).put(KEY, RESULT)
    left = tmp_path / "cas" / KEY[:2] / f"{KEY}.1.2.3.tmp"
    left.parent.mkdir(exist_ok=True)
    left.write_bytes(b"half")
    backend.collect()
    assert left.exists()  # it may be being written
    os.utime(left, (1, 1))
    backend.collect()
    assert not left.exists()
    assert Store([backend]).get(KEY) == RESULT


def test_clear_leaves_what_is_not_ours(tmp_path: pathlib.Path) -> None:
    backend = Directory(str(tmp_path / "store"))
    Store([backend]).put(KEY, RESULT)
    (tmp_path / "store" / "notes.txt").write_text("mine")
    backend.clear()
    assert [path.name for path in (tmp_path / "store").rglob("*")] == ["notes.txt"]


def test_a_full_disk_is_reported_once_and_hurts_nothing(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store([Directory(str(tmp_path))])
    store.put(KEY, RESULT)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    for number in range(5):
        store.put(key_of(str(number)), Result(number))
    assert store.take_problems() == [(str(tmp_path), "nothing more is stored there: No space left on device")]
    assert not list(tmp_path.rglob("*.tmp"))
    assert store.get(KEY) == RESULT


def test_a_folder_that_cannot_be_made(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store([Directory(str(tmp_path / "file" / "store"))])
    store.put(KEY, RESULT)
    assert store.get(KEY) is None
    assert "nothing more is stored there" in store.take_problems()[0][1]


def test_read_only_writes_nothing(tmp_path: pathlib.Path) -> None:
    store = Store([Directory(str(tmp_path), read_only=True)])
    store.put(KEY, RESULT)
    assert list(tmp_path.iterdir()) == []
    assert store.take_problems() == []


def test_a_later_place_fills_an_earlier_one(tmp_path: pathlib.Path) -> None:
    near, far = Directory(str(tmp_path / "near")), Directory(str(tmp_path / "far"))
    Store([far]).put(KEY, RESULT)
    assert Store([near, far]).get(KEY) == RESULT
    assert Store([near]).get(KEY) == RESULT


def _write(path: str, seed: int, count: int) -> None:
    store = Store([Directory(path, size=64 * 4096)])
    for number in range(count):
        key = key_of(str((number + seed) % 20))
        found = store.get(key)
        if found is not None and found != _result(key):
            os._exit(3)
        store.put(key, _result(key))


def _result(key: str) -> Result:
    return Result(key, {"spv": key.encode() * 100})


def test_two_processes_at_once_lose_nothing(tmp_path: pathlib.Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_write, args=(str(tmp_path), seed, 150)) for seed in (0, 7)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    store = Store([Directory(str(tmp_path))])
    for number in range(20):
        found = store.get(key_of(str(number)))
        assert found is None or found == _result(key_of(str(number)))


# ----------------------------------------------------------------------------------------------------------- a server


class Server:
    """A server that stores results in a dictionary; ``answer`` may replace its answers."""

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.answer: Callable[[http.server.BaseHTTPRequestHandler], bool] = lambda handler: False
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer.asked.append(f"GET {self.path}")
                if outer.answer(self):
                    return
                data = outer.data.get(self.path)
                self.send_response(404 if data is None else 200)
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                self.wfile.write(data or b"")

            def do_HEAD(self) -> None:
                outer.asked.append(f"HEAD {self.path}")
                if outer.answer(self):
                    return
                data = outer.data.get(self.path)
                self.send_response(404 if data is None else 200)
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()

            def do_PUT(self) -> None:
                outer.asked.append(f"PUT {self.path}")
                data = self.rfile.read(int(self.headers["Content-Length"]))
                if outer.answer(self):
                    return
                outer.data[self.path] = data
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments: object) -> None:
                """Log nothing."""

        class Listener(http.server.ThreadingHTTPServer):
            request_queue_size = 64  # a client that has to call again waits for a second

        self.server = Listener(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.clients: list[Http] = []

    def client(self, timeout: float = 5.0) -> Http:
        self.clients.append(Http(self.url, timeout=timeout))
        return self.clients[-1]

    def close(self) -> None:
        for client in self.clients:
            client.close()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.close()


def http_store(server: Server, timeout: float = 0.3) -> Store:
    return Store([server.client(timeout)])


def test_a_server_gives_what_it_was_given(server: Server) -> None:
    large = Result(RESULT.datum, {**RESULT.blobs, "large": bytes(Http.inline_size + 1)})
    http_store(server).put(KEY, large)
    assert sorted(path.split("/")[1] for path in server.data) == ["ac", "cas"]
    assert all(path.split("/")[2] == content_key(data) for path, data in server.data.items() if "/cas/" in path)
    store = http_store(server)
    assert store.get(KEY) == large
    assert store.get(key_of("unknown")) is None
    store.close()
    assert store.take_problems() == []


def verbs(server: Server) -> list[str]:
    found = sorted(line.split()[0] for line in server.asked)
    server.asked.clear()
    return found


def test_small_content_is_sent_without_asking(server: Server) -> None:
    store = http_store(server)
    store.put(KEY, RESULT)
    assert verbs(server) == ["PUT"]
    store.put(KEY, RESULT)
    assert verbs(server) == []
    store.put(key_of("another"), RESULT)
    assert verbs(server) == ["PUT"]


def test_a_server_is_asked_before_it_is_given_large_content(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Http, "inline_size", 0)
    http_store(server).put(KEY, RESULT)
    assert verbs(server).count("PUT") == 4
    again = http_store(server)
    again.put(KEY, RESULT)
    assert verbs(server) == ["GET"]
    again.put(KEY, RESULT)
    assert verbs(server) == []
    other = key_of("another")
    again.put(other, RESULT)  # the same blobs, another datum
    assert verbs(server) == ["GET", "HEAD", "HEAD", "HEAD", "PUT", "PUT"]
    again.put(key_of("a third"), RESULT)
    assert verbs(server) == ["GET", "HEAD", "PUT", "PUT"]
    cold = http_store(server)
    assert cold.get(key_of("a fourth")) is None
    cold.put(key_of("a fourth"), RESULT)
    assert verbs(server) == ["GET", "HEAD", "HEAD", "HEAD", "PUT", "PUT"]  # it said that it has no entry
    assert cold.get(key_of("a fourth")) == RESULT


def refusing(verb: str, status: int) -> Callable[[http.server.BaseHTTPRequestHandler], bool]:
    """Return answers that reject one kind of request; other requests are answered normally."""

    def refuse(handler: http.server.BaseHTTPRequestHandler) -> bool:
        if handler.command == verb:
            handler.send_response(status)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
        return handler.command == verb

    return refuse


def test_a_server_that_knows_no_head(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Http, "inline_size", 0)
    server.answer = refusing("HEAD", 405)
    store = http_store(server)
    store.put(KEY, RESULT)
    assert verbs(server) == ["GET", "HEAD", "PUT", "PUT", "PUT", "PUT"]
    assert store.get(KEY) == RESULT
    assert store.take_problems() == []


def test_a_result_is_one_answer_if_it_is_small(server: Server) -> None:
    http_store(server).put(KEY, RESULT)
    server.asked.clear()
    assert http_store(server).get(KEY) == RESULT
    assert server.asked == [f"GET /ac/{KEY}"]
    large = Result({}, {"spv": bytes(Http.inline_size + 1)})
    http_store(server).put(KEY, large)
    server.asked.clear()
    assert http_store(server).get(KEY) == large
    assert [verb.partition("/")[2][:2] for verb in server.asked] == ["ac", "ca"]


def test_a_blob_that_a_server_lost_is_uploaded_again(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Http, "inline_size", 0)
    http_store(server).put(KEY, RESULT)
    lost = [path for path in server.data if path.startswith("/cas/")]
    for path in lost:
        data = server.data.pop(path)
        store = http_store(server)
        assert store.get(KEY) is None
        store.put(KEY, RESULT)
        assert server.data[path] == data
        server.data[path] = b"?" * len(data)
        store = http_store(server)
        assert store.get(KEY) is None
        store.put(KEY, RESULT)
        assert server.data[path] == data
        assert http_store(server).get(KEY) == RESULT


def test_local_results_are_not_uploaded(server: Server, tmp_path: pathlib.Path) -> None:
    store = Store([Directory(str(tmp_path)), server.client()])
    store.put(KEY, RESULT, only_here=True)
    assert server.asked == []
    assert store.get(KEY) == RESULT


def test_a_server_that_lies_is_not_believed(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Http, "inline_size", 0)
    writer = http_store(server)
    writer.put(KEY, RESULT)
    writer.put(key_of("b"), Result("b's", {"spv": b"other words"}))
    good = dict(server.data)
    store = http_store(server)
    for path in good:
        server.data = {**good, path: good[path][:-1] + b"!"}  # a damaged one
        found = store.get(KEY)
        # An entry ends with a blob's size, whose damage is not noticed.
        assert (found is None) == (path in _blobs_of(good, KEY)), path
        assert found in (None, RESULT)
    server.data = {**good, f"/ac/{KEY}": good[f"/ac/{key_of('b')}"]}  # an honest answer to another question
    assert store.get(KEY) is None
    assert [what for _, what in store.take_problems()] == ["damaged entries were not used"]


def _blobs_of(data: dict[str, bytes], key: str) -> set[str]:
    """Return the paths of a stored result's blobs on the server, whose content is ``data``."""
    return {f"/cas/{blob.hash}" for blob in indexed(data[f"/ac/{key}"]).values()}


def test_a_server_that_stalls_costs_little_and_is_left_alone(server: Server) -> None:
    release = threading.Event()

    def stall(handler: http.server.BaseHTTPRequestHandler) -> bool:
        release.wait(PATIENCE)
        return False

    server.answer = stall
    store = http_store(server)
    for _ in range(10):
        assert store.get(KEY) is None
        store.put(KEY, RESULT)
    release.set()
    assert len(server.asked) <= 3
    [(place, what)] = store.take_problems()
    assert place == server.url
    assert what == "it is left alone for this run: no answer in 0.3 seconds"


def test_a_server_that_trickles_is_given_up(server: Server) -> None:
    def trickle(handler: http.server.BaseHTTPRequestHandler) -> bool:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"x")
                time.sleep(0.05)
        except OSError:
            pass  # the other side has had enough
        return True

    server.answer = trickle
    with pytest.raises(Unavailable, match="no answer"):
        server.client(0.3).get("ac", KEY)


def test_a_server_that_dies_in_the_middle(server: Server) -> None:
    def die(handler: http.server.BaseHTTPRequestHandler) -> bool:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"half")
        handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)
        return True

    server.answer = die
    with pytest.raises(Unavailable, match="in the middle"):
        server.client().get("ac", KEY)


def test_a_server_that_takes_nothing_is_still_read(server: Server) -> None:
    http_store(server).put(KEY, RESULT)

    server.answer = refusing("PUT", 403)
    store = http_store(server)
    store.put(key_of("b"), RESULT)
    store.put(key_of("c"), RESULT)
    assert sum(asked.startswith("PUT") for asked in server.asked) == 1 + 1
    assert store.get(KEY) == RESULT
    assert "is only read from" in store.take_problems()[0][1]


def test_no_server_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    store = Store([Http(f"http://user:secret@127.0.0.1:{port}")])
    for _ in range(4):
        assert store.get(KEY) is None
    [(place, what)] = store.take_problems()
    assert place == f"http://127.0.0.1:{port}"  # and no password
    assert "left alone" in what


def test_the_password_is_sent(server: Server) -> None:
    found: list[str | None] = []

    def look(handler: http.server.BaseHTTPRequestHandler) -> bool:
        found.append(handler.headers["Authorization"])
        return False

    server.answer = look
    client = Http(server.url.replace("//", "//me:s%40crets@"))
    client.get("ac", KEY)
    client.close()
    assert found == ["Basic bWU6c0BjcmV0cw=="]


# -------------------------------------------------------------------------------------------------------------- which


def test_command_line_over_environment_over_configuration(tmp_path: pathlib.Path) -> None:
    root = str(tmp_path)
    build = os.path.join(root, "build", ".hlsl_tool.store")
    env = {"HLSL_TOOL_STORE": "http://cache:8080 /mnt/store", "HLSL_TOOL_STORE_SIZE": "1M"}

    def places(**given: object) -> tuple[str, ...]:
        return store_options(root, "build", **given).places  # type: ignore[arg-type]

    assert places(env={}) == (os.path.join(root, ".hlsl_tool", "store"),)
    assert places(env={}, configured=("cache", "build")) == (os.path.join(root, "cache"), build)
    assert places(env=env, configured=("cache",)) == ("http://cache:8080", "/mnt/store")
    assert places(env=env, given=["off"]) == ()
    assert places(env={"XDG_CACHE_HOME": "/c", "LOCALAPPDATA": "/c"}, given=["user"])[0].startswith(("/c", os.sep))
    assert store_options(root, "build", env=env, configured_size="5G").size == 1 << 20
    assert store_options(root, "build", env={}, configured_size="5G").size == 5 << 30
    assert StoreOptions().open() is None


@pytest.mark.parametrize("text", ["", "-1", "5X", "0", "G"])
def test_a_size_that_is_none(text: str) -> None:
    with pytest.raises(BadStore, match="no size"):
        parse_size(text)


def test_a_place_that_is_none(tmp_path: pathlib.Path) -> None:
    with pytest.raises(BadStore, match="no http"):
        store_options(str(tmp_path), "build", env={}, given=["ftp://x"])
    with pytest.raises(BadStore, match="stands alone"):
        store_options(str(tmp_path), "build", env={}, given=["off", "x"])


def test_an_entry_that_stays_the_same_is_not_replaced(tmp_path: pathlib.Path) -> None:
    backend = Directory(str(tmp_path))
    backend.put("ac", "ab" * 32, b"one")
    place = tmp_path / "ac" / "ab" / ("ab" * 32)
    before = place.stat().st_ino
    backend.put("ac", "ab" * 32, b"one")
    assert place.stat().st_ino == before
    backend.put("ac", "ab" * 32, b"two")
    assert place.read_bytes() == b"two"


@pytest.mark.parametrize("read_only", [False, True])
def test_the_use_of_a_file_is_noted_unless_the_store_is_read_only(tmp_path: pathlib.Path, read_only: bool) -> None:
    Store([Directory(str(tmp_path))]).put(KEY, RESULT)
    old = time.time() - 10 * directory.USE_GRAIN
    for path in (*files(tmp_path, "ac"), *files(tmp_path, "cas")):
        os.utime(path, (old, old))
    store = Store([Directory(str(tmp_path), read_only=read_only)])
    assert store.get(KEY) == RESULT
    times = {path.stat().st_mtime for path in (*files(tmp_path, "ac"), *files(tmp_path, "cas"))}
    assert all((abs(time_ - old) < 1) is read_only for time_ in times)
