"""Builds the shaders of this example and shows them: in a browser of yours, or as a picture by headless Chromium.

python examples/webgpu/draw.py                              prints the page's address and serves it
python examples/webgpu/draw.py --picture docs/images/webgpu.png    draws with Chromium and SwiftShader, without a GPU
"""

from __future__ import annotations

import argparse
import http.server
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = "examples/webgpu/index.html"
FLAGS = ("--headless=new", "--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")
TIMEOUT = 120


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the project; what the page posts ends the wait."""

    posted: tuple[str, bytes] = "", b""
    arrived = threading.Event()

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments, directory=str(ROOT))  # type: ignore[arg-type]  # what the server hands on

    def do_POST(self) -> None:
        Handler.posted = self.path, self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        self.arrived.set()

    def log_message(self, *arguments: object) -> None:
        """Nothing of each request."""


def picture(address: str) -> bytes:
    """The PNG that the page draws."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("draw.py: Chromium is not installed")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [browser, *FLAGS, f"--user-data-dir={profile}", f"{address}#picture"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            if not Handler.arrived.wait(TIMEOUT):
                sys.exit(f"draw.py: the page drew nothing in {TIMEOUT} seconds")
        finally:
            process.terminate()
            process.wait()
    what, data = Handler.posted
    if what != "/picture":
        sys.exit(f"draw.py: {data.decode()}")
    return data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--picture", type=Path, metavar="FILE.png")
    options = parser.parse_args()
    build = [sys.executable, "-m", "hlsl_tool", "build", "--config", "examples/webgpu/shaders.yaml"]
    subprocess.run(build, cwd=ROOT, check=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_port}/{PAGE}"
    if options.picture is None:
        print(address)
        server.serve_forever()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options.picture.write_bytes(picture(address))
    server.shutdown()


if __name__ == "__main__":
    main()
