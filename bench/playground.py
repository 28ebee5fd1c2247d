"""Measure the playground in headless Chromium: the first load, and the time from a key stroke to the picture.

    python bench/playground.py [--samples NAME ...] [--strokes N]

It builds playground/dist, serves it, and loads it with an empty browser.  Each stroke changes a number in the last
function with a `return`; the first three warm the caches and do not count.  Without a GPU SwiftShader draws on the CPU.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import json
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLAYGROUND = ROOT / "playground"
sys.path.insert(0, str(PLAYGROUND))
from chromium import WEBGPU, Page, browser

WARM_UP = 3
STROKE = """(() => {
  const { view } = playground.editor, text = view.state.doc.toString();
  const old = text.match(/    float stroke[^\\n]*\\n/), at = old ? old.index : text.lastIndexOf("    return");
  view.dispatch({ changes: { from: at, to: at + (old?.[0].length ?? 0), insert: "    float stroke = %d.0;\\n" } });
})()"""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None: ...


def show_sizes(dist: Path) -> None:
    files = [path for path in sorted(dist.rglob("*")) if path.is_file() and path.name != "offline.js"]
    plain = sum(path.stat().st_size for path in files)
    packed = sum(len(gzip.compress(path.read_bytes(), 6)) for path in files)
    print(f"first load: {plain / 1e6:.1f} MB, {packed / 1e6:.1f} MB with gzip, {len(files)} files")


def load(page: Page, address: str) -> float:
    """Return the seconds from the request to a loaded compiler."""
    start = time.perf_counter()
    page.open(address)
    page.wait("document.body.dataset.shown", 300)
    return time.perf_counter() - start


def strokes(page: Page, sample: str, count: int) -> tuple[float, float, int]:
    """Return (median ms to the result, median ms to the picture, number of lines)."""
    script = f"playground.openSample({sample!r})"
    compiled, drawn = [], []
    for number in range(count + WARM_UP + 1):
        before = page.evaluate("document.body.dataset.shown")
        page.evaluate(script)
        page.wait(f"document.body.dataset.shown > {before} && document.body.dataset.busy === 'false'", 120)
        times = json.loads(page.evaluate("JSON.stringify(playground.times)"))
        if number > WARM_UP:
            compiled.append(times["compiled"])
            drawn.append(times["drawn"])
        script = STROKE % number
    lines = page.evaluate("playground.editor.view.state.doc.lines")
    return statistics.median(compiled), statistics.median(drawn), lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", nargs="+", default=["shapes", "panel", "torus", "terrain", "julia", "waves"])
    parser.add_argument("--strokes", type=int, default=9)
    options = parser.parse_args()
    subprocess.run([sys.executable, PLAYGROUND / "build.py"], check=True)
    show_sizes(PLAYGROUND / "dist")
    handler = functools.partial(QuietHandler, directory=str(PLAYGROUND / "dist"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, browser(*WEBGPU) as page:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        page.emulate()
        print(f"ready after {load(page, address):.1f} s; loaded again after {load(page, address):.1f} s")
        page.evaluate("playground.stage.isPlaying = false")  # SwiftShader would take the cores from the compiler
        print(f"{'sample':12} {'lines':>5} {'compiled, ms':>13} {'drawn, ms':>10}")
        for sample in options.samples:
            compiled, drawn, lines = strokes(page, sample, options.strokes)
            print(f"{sample:12} {lines:5} {compiled:13.0f} {drawn:10.0f}")
        server.shutdown()


if __name__ == "__main__":
    main()
