"""`hlsl_tool lsp`: the language server for editors."""

from __future__ import annotations

import argparse
import logging
import os
from typing import Any

from hlsl_tool.cli.common import Failed, add_connection, log_to_standard_error
from hlsl_tool.cli.parsers import Parser


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "lsp",
        help="the language server for editors",
        description="Speaks the language server protocol (docs/how-to/editors.md).",
        epilog="exit status: 0 when the client ends it; 2 if it cannot start",
    )
    add_connection(parser)
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """Run the language server until the client ends it; return the exit status."""
    log_to_standard_error(options, logging.ERROR)
    try:
        from hlsl_tool.apps.lsp.registration import create
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol", "cattrs", "attrs"):
            raise
        raise Failed('the language server needs pygls: pip install "hlsl_tool[lsp]"') from None
    server = create()
    if options.tcp is not None:
        try:
            server.start_tcp("127.0.0.1", options.tcp)
        except OSError as error:
            raise Failed(f"cannot listen on port {options.tcp}: {error.strerror or error}") from None
    else:
        requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # a stray print must not damage the messages
        server.start_io(requests, answers)
    return 0
