"""Start sessions on the standard streams, or on a port."""

from __future__ import annotations

import gc
import logging
import os
import socket
from typing import BinaryIO

from .protocol.messages import Message, Reader, Writer
from .session import Session

_log = logging.getLogger("hlsl_tool.apps.debug")


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Serve one client."""
    Session(Reader(requests), Writer(answers, _trace)).serve()


def serve_streams() -> None:
    """Serve the client at the standard input and output."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a stray print must not damage the messages
    serve(requests, answers)


def serve_port(port: int) -> None:
    """Serve clients one after another on a port of this machine; raise ``OSError`` if it cannot be used."""
    with socket.create_server(("127.0.0.1", port)) as server:
        _log.warning("listens on port %d", server.getsockname()[1])
        while True:
            serve_connection(server.accept()[0])
            gc.collect()  # sessions are in cycles, with large arrays


def serve_connection(connection: socket.socket) -> None:
    """Serve one client; a connection that breaks ends its session only."""
    try:
        # closing the streams writes what a client that is gone has not read
        with connection, connection.makefile("rb") as requests, connection.makefile("wb") as answers:
            serve(requests, answers)
    except OSError as error:
        _log.warning("the connection is closed: %s", error)


def _trace(direction: str, message: Message) -> None:
    _log.info("%s %s", direction, message)
