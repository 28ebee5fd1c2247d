"""The options of a conversion on the command line, from the table that configurations and the library use."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any

from hlsl_tool.base.options.conversion import ConversionOption
from hlsl_tool.base.options.kinds import Choice, Int
from hlsl_tool.cli.parsers import Parser


def add_options(parser: Parser, table: Mapping[str, ConversionOption]) -> None:
    """Add the options of a table to the parser of a verb."""
    for name, option in table.items():
        if isinstance(option.kind, Choice) and option.placeholder:
            parser.add_argument(
                option.flag, dest=name, choices=option.kind.values, default=option.default, help=option.doc
            )
        elif isinstance(option.kind, Int):
            parser.add_argument(
                option.flag,
                dest=name,
                metavar=option.placeholder,
                type=_number(option.kind),
                default=option.default,
                help=option.doc,
            )
        else:
            parser.add_argument(
                option.flag,
                dest=name,
                action="store_const",
                const=option.values[1],
                default=option.default,
                help=f"`{name}: {str(option.values[1]).lower()}`; {option.doc}",
            )


def chosen(options: argparse.Namespace, table: Mapping[str, ConversionOption]) -> dict[str, Any]:
    """Return name → value of the options of a table."""
    return {name: getattr(options, name) for name in table}


def _number(kind: Int) -> Callable[[str], int]:
    """Return an argparse type for numbers of this kind: a function that raises argparse's error for other text."""

    def read(text: str) -> int:
        if text.isdecimal() and kind.low <= int(text) <= kind.high:
            return int(text)
        raise argparse.ArgumentTypeError(f"`{text}` is not a number from {kind.low} to {kind.high}")

    return read
