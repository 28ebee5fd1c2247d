"""`hlsl_tool watch`: rebuild the shaders that a saved file affects, until interrupted."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from hlsl_tool.cli import common
from hlsl_tool.cli.parsers import Parser, Renamed

if TYPE_CHECKING:
    from types import ModuleType

    from hlsl_tool.project.watch.stream import Stream

DEFAULT_POLL = 0.25


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "watch",
        help="rebuild shaders as their files are saved",
        description="Builds shaders that are out of date, and then those that a saved file affects"
        " (docs/how-to/watch.md).",
        epilog="exit status: 0 when it is interrupted; 2 if it cannot start",
    )
    common.add_project(parser)
    common.add_jobs(parser)
    common.add_executor(parser)
    common.add_store(parser)
    parser.add_argument(
        "--poll",
        type=float,
        nargs="?",
        const=DEFAULT_POLL,
        metavar="SECONDS",
        help="check all files at this interval, for disks without change events"
        f" ({DEFAULT_POLL} if no number is given)",
    )
    parser.add_argument(
        "--events",
        nargs="?",
        const="-",
        metavar="WHERE",
        help="report results as lines of JSON: to the standard output (all other text goes to the standard error"
        " then), or to WebSockets: ws://localhost:PORT",
    )
    parser.add_argument("--listen", action=Renamed, type=common.port, now="--events ws://localhost:PORT", dest="listen")
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """Watch the project and rebuild shaders until an interrupt; return the exit status."""
    from hlsl_tool.project.build.store.choice import BadStore
    from hlsl_tool.project.build.ui.diagnostics import render_messages
    from hlsl_tool.project.watch.loop import Watcher
    from hlsl_tool.project.watch.screen import screen_for
    from hlsl_tool.project.watch.stream import Stream

    if common.is_document(options):
        raise common.Failed(
            f"--diagnostics {options.diagnostics}: a watch has no end; `--events` has its results as data"
        )
    if options.jobs < 1:
        raise common.Failed("--jobs: it is 1 or more")
    address = common.executor_of(options) if options.executor is not None else None
    if options.poll is not None and not 0.01 <= options.poll <= 3600:
        raise common.Failed("--poll: it is a number of seconds, from 0.01 to 3600")
    where = options.events
    ports = [options.listen] if options.listen is not None else []
    if where not in (None, "-"):
        ports.append(_port(where))
    out = sys.stderr if where == "-" else sys.stdout
    color = options.color == "always" or (options.color == "auto" and out.isatty() and "NO_COLOR" not in os.environ)
    screen = screen_for(
        out, lambda diagnostics: render_messages(diagnostics, options.diagnostics, color=color), color=color
    )
    root, configs = common.find_root(options.root), common.configs(options)
    stream = Stream()
    if where == "-":
        stream.add(_to_stdout)
    for port in ports:
        _listen(stream, port, screen.write)
    try:
        watcher = Watcher(
            root,
            configs,
            given=common.parameters_of(options),
            jobs=options.jobs,
            store=options.store,
            screen=screen,
            stream=stream,
            poll=options.poll,
            address=address,
        )
        try:
            watcher.run()
        except KeyboardInterrupt:
            screen.write("\n")
        finally:
            watcher.close()
    except BadStore as problem:
        raise common.Failed(f"store: {problem}") from None
    finally:
        stream.close()
    return 0


def _to_stdout(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


def _port(address: str) -> int:
    from urllib.parse import urlsplit

    websocket = _websocket()
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme != "ws" or port is None or parts.path not in ("", "/"):
        raise common.Failed(f"--events: `{address}` is not ws://localhost:PORT")
    if parts.hostname not in websocket.LOCAL:
        raise common.Failed(
            f"--events: `{parts.hostname}` is not this machine; events stay here: ws://localhost:{port}"
        )
    return port


def _listen(stream: Stream, port: int, write: Any) -> None:
    websocket = _websocket()
    try:
        server = websocket.Server(port, stream.greeting)
    except websocket.CannotListen as problem:
        raise common.Failed(f"cannot listen on port {port}: {problem}") from None
    stream.add(server.send, server.close)
    write(f"events: ws://localhost:{server.port}\n")


def _websocket() -> ModuleType:
    """Import and return the module of the event server; raise `Failed` if the package it needs is not installed."""
    try:
        from hlsl_tool.project.watch import websocket
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "websockets":
            raise
        raise common.Failed('--events needs websockets: pip install "hlsl_tool[listen]"') from None
    return websocket
