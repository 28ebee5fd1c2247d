"""`hlsl_tool compile`: compile one shader; takes the same arguments as `hlsl2spirv`."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from hlsl_tool.cli.parsers import Parser


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "compile", help="compile one shader, with dxc's options (hlsl2spirv is short for it)", add_help=False
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER)


def run_compile(arguments: list[str]) -> int:
    """Compile one shader with the command line of dxc and return the exit status."""
    from hlsl_tool.base.system.deep_stack import with_deep_stack
    from hlsl_tool.cli.dxc import run_safely

    status, out, err = with_deep_stack(lambda: run_safely(arguments, os.getcwd(), program="hlsl_tool"))
    sys.stdout.write(out)
    sys.stderr.write(err)
    return status
