"""`hlsl_tool server start|status|stop`: control the compile server that `hlsl2spirv` and builds use."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import signal
import sys
import time

from hlsl_tool.apps.server import client, protocol
from hlsl_tool.cli.common import Failed

STARTED = 10.0
"""Seconds within which a server has to answer after its start."""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the parser of `hlsl_tool server`."""
    parser = subparsers.add_parser("server", help="the compile server: start it, look at it, stop it")
    parser.add_argument("action", choices=("start", "status", "stop"), help="what to do")
    parser.add_argument(
        "--idle",
        type=_minutes,
        metavar="MINUTES",
        default=0.0,
        help="with `start`: end the server when nothing was asked for so long (10)",
    )
    parser.set_defaults(function=run)


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes < math.inf:
        raise argparse.ArgumentTypeError(f"`{text}` is no number above 0")
    return minutes


def run(options: argparse.Namespace) -> int:
    """Perform the action; return 1 if no server runs, or if it does not start or does not answer."""
    problem = protocol.why_impossible()
    if problem:
        raise Failed(f"no server can run: {problem}")
    actions = {"start": lambda: _start(options.idle * 60), "stop": _stop, "status": _show}
    return actions[options.action]()


def _start(idle: float) -> int:
    if _status() is None:
        client.start(idle)
        deadline = time.monotonic() + STARTED
        while _status() is None and time.monotonic() < deadline:
            time.sleep(0.05)
    return _show()


def _stop() -> int:
    """Ask the server to end; kill it if it does not answer."""
    from hlsl_tool.apps.server.lock import holder  # its locks exist where a server can run

    process = holder()
    if not process:
        print("no server runs", file=sys.stderr)
        return 1
    if client.ask([protocol.STOP]) is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
            print(f"process {process} did not answer and was killed", file=sys.stderr)
    deadline = time.monotonic() + STARTED
    while holder() == process and time.monotonic() < deadline:
        time.sleep(0.02)
    return 0


def _show() -> int:
    status = _status()
    if status is None:
        from hlsl_tool.apps.server.lock import holder  # its locks exist where a server can run

        process = holder()
        text = f"process {process} is a server that does not answer: stop it" if process else "no server runs"
        print(text, file=sys.stderr)
        return 1
    print(f"process {status['process']} at {protocol.socket_path()}")
    print(f"up for {status['seconds']} s; this worker: {status['requests']} requests, {status['megabytes']} MB")
    return 0


def _status() -> dict[str, int] | None:
    answer = client.ask([protocol.STATUS])
    if answer is None:
        return None
    status: dict[str, int] = json.loads(answer[1])
    return status
