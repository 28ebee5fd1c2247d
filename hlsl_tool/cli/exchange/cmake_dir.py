"""`hlsl_tool cmake-dir`: print the folder of the CMake package."""

from __future__ import annotations

import argparse
from typing import Any

from hlsl_tool.cli.parsers import Parser


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "generate cmake-dir", help="print the folder of the CMake package: the value of hlsl_tool_DIR"
    )
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """Print the folder; return the exit status."""
    from importlib.resources import files

    print(str(files("hlsl_tool.project.exchange") / "cmake").replace("\\", "/"))
    return 0
