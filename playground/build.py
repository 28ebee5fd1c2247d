"""Build the playground: a folder that any static server can serve, and that also works from disk.

    python playground/build.py            npm ci, our pure wheel, its bytecode, the bundles: playground/dist
    python playground/build.py --serve    the same, and serve it on this machine

It needs Node.js with npm, and Python's `build` package with setuptools.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import functools
import http.server
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
DIST = HERE / "dist"
WHEEL_SOURCES = ("hlsl_tool", "setup.py", "pyproject.toml", "README.md", "LICENSE")
PYODIDE = ("pyodide.asm.wasm", "python_stdlib.zip")
PAGE = ("index.html", "style.css")
NODE_MODULES = ("node:*", "ws", "fs", "path", "url", "vm", "child_process")
"""Modules of Node.js that Pyodide imports there, never in a browser."""


def run(command: list[str], *, folder: Path = HERE, environment: dict[str, str] | None = None) -> None:
    """Run a program in a folder; exit with its output if it fails."""
    variables = {**os.environ, **(environment or {})}
    done = subprocess.run(command, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"build.py: `{' '.join(command)}` failed:\n{done.stdout.decode(errors='replace')}")


def install() -> None:
    """Install the packages of package-lock.json, unless they are installed."""
    stamp = HERE / "node_modules" / ".package-lock.json"
    if not stamp.exists() or stamp.stat().st_mtime < (HERE / "package-lock.json").stat().st_mtime:
        run(["npm", "ci", "--no-fund", "--no-audit"])
        stamp.touch()


def build_wheel(target: Path) -> None:
    """Build the wheel without SPIRV-Tools, like a release, from a copy of the sources."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name in WHEEL_SOURCES:
            if (ROOT / name).is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "spirv_tools")
                shutil.copytree(ROOT / name, place / name, ignore=ignored)
            else:
                shutil.copy(ROOT / name, place)
        pure = {"HLSL_TOOL_PURE": "1", "SOURCE_DATE_EPOCH": "1577836800"}
        module = ["build", "--wheel", "--no-isolation", "--skip-dependency-check"]
        command = [sys.executable, "-m", *module, "-o", str(target), str(place)]
        run(command, folder=place, environment=pure)


def manifest(assets: Path) -> dict[str, object]:
    """Return what the page needs to know about its files: names, sizes, and Pyodide's lock file without packages."""
    lock = json.loads((HERE / "node_modules/pyodide/pyodide-lock.json").read_text(encoding="utf-8"))
    sizes = [{"name": path.name, "size": path.stat().st_size} for path in sorted(assets.iterdir())]
    return {"assets": sizes, "lock": json.dumps({"info": lock["info"], "packages": {}})}


def samples() -> list[dict[str, object]]:
    """Return the samples and their texts, in the order of samples.json."""
    listed = json.loads((HERE / "samples/samples.json").read_text(encoding="utf-8"))
    return [{**one, "source": (HERE / "samples" / f"{one['name']}.hlsl").read_text(encoding="utf-8")} for one in listed]


def headers() -> dict[str, str]:
    """Return the headers of the sample shaders, which the shaders of the page can include."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "shaders/include").iterdir())}


def compile_modules(wheel: Path, assets: Path) -> dict[str, object]:
    """Compile the modules of the wheel for Pyodide, and the first sample, which the page shows while Python loads.

    Return the source of that sample, the reply of the compiler, and the views of the module.
    """
    first = samples()[0]
    with tempfile.TemporaryDirectory() as folder:
        sample, result = Path(folder, "sample.json"), Path(folder, "first.json")
        request = {"source": first["source"], "options": first.get("options", {}), "headers": headers()}
        sample.write_text(json.dumps(request), encoding="utf-8")
        run(["node", "compile.mjs", str(wheel), str(assets / "compiled.zip"), str(sample), str(result)])
        return dict(json.loads(result.read_text(encoding="utf-8")))


def generate(assets: Path, first: dict[str, object]) -> None:
    """Write src/generated.js: the manifest, the headers and samples, and the first sample compiled."""
    values = {"manifest": manifest(assets), "headers": headers(), "samples": samples(), "first": first}
    lines = [f"export const {name} = {json.dumps(value, indent=1)};\n" for name, value in values.items()]
    (HERE / "src/generated.js").write_text("".join(lines), encoding="utf-8")


def bundle(name: str, form: str) -> None:
    """Bundle a script of the page with its imports, as a classic script (iife) or a module (esm)."""
    options = ["--bundle", "--minify", f"--format={form}", "--loader:.py=text", "--log-level=warning"]
    options += ["--legal-comments=eof", *(f"--external:{module}" for module in NODE_MODULES)]
    run(["npx", "--no-install", "esbuild", f"src/{name}", *options, f"--outfile={DIST / name}"])


def write_offline(assets: Path) -> None:
    """Write offline.js for pages that are opened from disk, because browsers do not let those fetch files."""

    def coded(path: Path) -> str:
        return base64.b64encode(path.read_bytes()).decode()

    content = {
        "worker": coded(DIST / "worker.js"),
        "assets": {path.name: coded(path) for path in sorted(assets.iterdir())},
    }
    (DIST / "offline.js").write_text(f"globalThis.PLAYGROUND_OFFLINE = {json.dumps(content)};\n", encoding="utf-8")


def build() -> None:
    """Write playground/dist."""
    install()
    shutil.rmtree(DIST, ignore_errors=True)
    assets = DIST / "assets"
    assets.mkdir(parents=True)
    build_wheel(assets)
    wheel = next(assets.glob("*.whl"))
    first = compile_modules(wheel, assets)
    for name in PYODIDE:
        shutil.copy(HERE / "node_modules/pyodide" / name, assets)
    for name in PAGE:
        shutil.copy(HERE / name, DIST)
    generate(assets, first)
    bundle("worker.js", "esm")  # Pyodide runs in workers of modules only
    bundle("main.js", "iife")  # pages from the disk load classic scripts only
    write_offline(assets)


def serve(port: int) -> None:
    """Serve the folder locally until interrupted."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(DIST))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        sys.exit(f"build.py: port {port}: {error.strerror}; choose another one with --port, or any with --port 0")
    with server, contextlib.suppress(KeyboardInterrupt):
        print(f"http://127.0.0.1:{server.server_port}/", flush=True)
        server.serve_forever()


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--serve", action="store_true", help="serve the folder afterwards")
    parser.add_argument("--port", type=int, default=8080, help="the port of the server (8080)")
    options = parser.parse_args()
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            sys.exit(f"build.py: {program} is not installed")
    for package in ("build", "setuptools"):
        try:
            importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            sys.exit(f"build.py: Python lacks `{package}`: {sys.executable} -m pip install build setuptools")
    build()
    if options.serve:
        serve(options.port)


if __name__ == "__main__":
    main()
