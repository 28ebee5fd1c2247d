"""`hlsl_tool debug`: the debug adapter for editors."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from typing import Any

from hlsl_tool.cli.common import Failed, add_connection, log_to_standard_error
from hlsl_tool.cli.parsers import Parser


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "debug",
        help="debug shaders without a GPU: the debug adapter for editors",
        description="Speaks the Debug Adapter Protocol; docs/how-to/debug.md describes the launch configuration.",
        epilog="exit status: 0 when the client disconnects; 2 if it cannot start",
    )
    add_connection(parser)
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """Run the debug adapter until the client disconnects; return the exit status."""
    log_to_standard_error(options, logging.WARNING)
    try:
        from hlsl_tool.apps.debug.serve import serve_port, serve_streams
    except ImportError as error:
        if "numpy" not in str(error):
            raise
        raise Failed('the debugger needs numpy: pip install "hlsl_tool[debug]"') from None
    if options.tcp is None:
        serve_streams()
        sys.stderr.flush()
        os._exit(0)  # a run that does not end must not keep the process
    try:
        serve_port(options.tcp)
    except OSError as error:
        raise Failed(f"cannot listen on port {options.tcp}: {error.strerror or error}") from None
    return 0
