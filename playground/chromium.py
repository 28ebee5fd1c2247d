"""A headless Chromium for the playground's tests and measurements, driven by its DevTools protocol."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
)  # fmt: skip
WEBGPU = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")


class PageError(Exception):
    """Raised for an exception in the page, or if a condition does not become true in time."""


def program() -> str | None:
    """Return the path of Chromium, or None if it is not installed."""
    return shutil.which("chromium") or shutil.which("google-chrome")


class Page:
    """A page of the browser."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.number = 0
        self.requests: list[str] = []
        """The addresses that the page and its workers asked for."""
        self.errors: list[str] = []
        """Texts of exceptions and of errors on the console."""
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its result; events that arrive before it are stored."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=120))
            if message.get("id") == self.number:
                if "error" in message:
                    raise PageError(f"{method}: {message['error']['message']}")
                return dict(message["result"])
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        parameters = message.get("params", {})
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(parameters["exceptionDetails"].get("exception", {}).get("description")))
        elif message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])

    def evaluate(self, script: str) -> Any:
        """Return the value of a JavaScript expression; promises are awaited."""
        result = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise PageError(result["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return result["result"].get("value")

    def wait(self, condition: str, seconds: float = 60) -> Any:
        """Wait until a JavaScript expression is true, and return its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.evaluate(condition):
                return value
            time.sleep(0.02)
        raise PageError(f"not true in {seconds} s: {condition}")

    def open(self, address: str) -> None:
        """Load a page."""
        self.send("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def type(self, text: str) -> None:
        """Insert text at the focus, like a keyboard."""
        self.send("Input.insertText", text=text)

    def emulate(self, *, scheme: str = "light", width: int = 1280, height: int = 800) -> None:
        """Set the colour scheme and the window size."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def screenshot(self, path: Path) -> None:
        """Save a picture of the window as a PNG file."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))


@contextmanager
def browser(*flags: str) -> Iterator[Page]:
    """Start Chromium with additional flags and yield its page."""
    path = program()
    if path is None:
        raise PageError("Chromium is not installed")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [path, *FLAGS, *flags, f"--user-data-dir={profile}", "--remote-debugging-port=0", "about:blank"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                with connect(_address(Path(profile)), max_size=None, open_timeout=30) as socket:
                    yield Page(socket)
            finally:
                process.kill()


def _address(profile: Path) -> str:
    """Return the address of the page's DevTools socket, once the browser has written its port."""
    import urllib.request

    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            port = (profile / "DevToolsActivePort").read_text(encoding="utf-8").split()[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=10) as reply:
                pages = [target for target in json.load(reply) if target["type"] == "page"]
            if pages:
                return str(pages[0]["webSocketDebuggerUrl"])
        except (OSError, IndexError):
            pass
        time.sleep(0.05)
    raise PageError("Chromium did not start")
