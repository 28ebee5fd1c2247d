"""`hlsl_tool explain CODE`: print the meaning, a fix and an example of a diagnostic."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from hlsl_tool.cli import common
from hlsl_tool.cli.parsers import Parser


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "explain",
        help="meaning, fix and example of a diagnostic",
        description="Prints the page of a diagnostic: its message, the reason, how to fix it, and an example.",
    )
    parser.add_argument("names", nargs="*", metavar="CODE", help="HLSL0310, a name, a group or -Wname")
    parser.add_argument("--list", action="store_true", help="print all codes, one a line")
    # `-Wname` looks like an option to argparse and ends up in the rest.
    parser.set_defaults(function=run, takes_rest=True)


def run(options: argparse.Namespace) -> int:
    """Print the pages of the named diagnostics, or a list of all; return the exit status."""
    from hlsl_tool.apps.report import diagnostic_pages as pages
    from hlsl_tool.base.diagnostics.visible import write_text

    if options.list:
        write_text(sys.stdout, pages.overview())
        return 0
    requested = [*options.names, *options.rest]
    if not requested:
        raise common.Failed("name a code (`hlsl_tool explain HLSL0310`), or list all of them with --list")
    codes = [code for name in requested for code in _codes(name)]
    write_text(sys.stdout, "\n".join(pages.page(code) for code in dict.fromkeys(codes)))
    return 0


def _codes(name: str) -> list[Any]:
    """Return the diagnostic codes that a name selects; raise `Failed` with a suggestion if there are none."""
    from hlsl_tool.apps.report import diagnostic_pages as pages
    from hlsl_tool.base.similar import did_you_mean

    codes = pages.codes_of(name)
    if not codes:
        hint = did_you_mean(name, pages.names()) or "`hlsl_tool explain --list` prints all codes"
        raise common.Failed(f"there is no diagnostic `{name}`; {hint}")
    return codes
