"""The events of `--listen` in a real browser: pages from this machine get them, pages from elsewhere are rejected."""

from __future__ import annotations

import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("websockets", reason="the extra `listen` is not installed")

from hlsl_tool.project.watch.websocket import Server

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
PAGE = """\
<script>
const texts = [], socket = new WebSocket("ws://127.0.0.1:%d");
const report = (word) => fetch("/" + word, { method: "POST", body: JSON.stringify(texts) });
socket.onmessage = (message) => { if (texts.push(message.data) == 2) report("read"); };
socket.onerror = () => report("refused");
</script>
"""

pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="there is no Chromium (package chromium)")]


class Site:
    """A web server with one page, which reports the events that it gets."""

    def __init__(self, port: int) -> None:
        reports: queue.Queue[tuple[str, str]] = queue.Queue()
        self.reports = reports

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer((PAGE % port).encode())

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.answer(b"")
                reports.put((self.path, body))

            def answer(self, body: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.port = self.server.server_address[1]


@pytest.fixture
def events() -> Iterator[Server]:
    server = Server(0, lambda: ['{"event":"hello"}'])
    yield server
    server.close()


@pytest.fixture
def site(events: Server) -> Iterator[Site]:
    site = Site(events.port)
    yield site
    site.server.shutdown()
    site.server.server_close()


def report_of(site: Site, host: str, profile: Path, events: Server) -> tuple[str, str]:
    """Return the report of the page, served under a host name."""
    command = [
        str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        f"--user-data-dir={profile}", "--host-resolver-rules=MAP elsewhere.test 127.0.0.1", "--remote-debugging-port=0",
        f"http://{host}:{site.port}/",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
        try:
            for _ in range(120):
                events.send('{"event":"built"}')
                try:
                    return site.reports.get(timeout=0.5)
                except queue.Empty:
                    assert browser.poll() is None, "Chromium has ended"
            raise AssertionError("the page reports nothing")
        finally:
            browser.kill()


def test_a_page_of_this_machine_reads_events(events: Server, site: Site, tmp_path: Path) -> None:
    assert report_of(site, "localhost", tmp_path, events) == (
        "/read",
        '["{\\"event\\":\\"hello\\"}","{\\"event\\":\\"built\\"}"]',
    )


def test_a_page_from_elsewhere_is_refused(events: Server, site: Site, tmp_path: Path) -> None:
    assert report_of(site, "elsewhere.test", tmp_path, events) == ("/refused", "[]")
