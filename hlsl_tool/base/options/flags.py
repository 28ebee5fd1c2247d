"""Convert options to a command line of `hlsl2spirv`: the reverse of `command_line.parse`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hlsl_tool.base.options.checks import may_write_position
from hlsl_tool.base.options.compile_options import DEBUG_EVERYTHING, DEFAULTS, CompileOptions, space_text, version_text
from hlsl_tool.base.options.kinds import (
    COMMAS,
    FLAG,
    JOINED,
    Debug,
    Defines,
    Flag,
    HexInt,
    Kind,
    ListOf,
    Optimize,
    Place,
    Registers,
    Row,
    Shifts,
    Version,
)
from hlsl_tool.base.options.table import TABLE


def flags_of(options: CompileOptions) -> list[str]:
    """Return command-line arguments for these options; values without a command-line equivalent are omitted."""
    words: list[str] = []
    for row in TABLE:
        value = getattr(options, row.field)
        is_ignored = row.field == "invert_y" and not may_write_position(options.profile)
        if value != getattr(DEFAULTS, row.field) and not is_ignored:
            words += _words(row, value)
    return words


def _words(row: Row, value: Any) -> list[str]:
    for flag in row.flags:
        if flag.form == FLAG and (flag.sets == value or (row.field == "debug" and value == DEBUG_EVERYTHING)):
            return [flag.name]
    with_values = [flag for flag in row.flags if flag.form != FLAG]
    if not with_values:
        return []
    spell = _SPELLED.get(type(row.kind), _one)
    return [word for values in spell(value) for word in _joined(with_values[-1], values)]


def _joined(flag: Flag, values: list[str]) -> list[str]:
    if flag.form in (JOINED, COMMAS):
        return [flag.name + values[0]]
    return [flag.name, *values]


def _one(value: object) -> list[list[str]]:
    return [[str(value)]]


def _shifts(value: tuple[tuple[int, int], ...]) -> list[list[str]]:
    return [[str(shift), space_text(space)] for shift, space in value]


def _defines(value: tuple[tuple[str, str | None], ...]) -> list[list[str]]:
    return [[name if text is None else f"{name}={text}"] for name, text in value]


def _passes(value: object) -> list[list[str]]:
    return [[",".join(value)]] if isinstance(value, tuple) else []


_SPELLED: dict[type[Kind], Callable[[Any], list[list[str]]]] = {
    ListOf: lambda value: [[str(item)] for item in value],
    Defines: _defines,
    Shifts: _shifts,
    Registers: lambda value: [list(map(str, register)) for register in value],
    Place: lambda value: [list(map(str, value))],
    Version: lambda value: [[version_text(value)]],
    HexInt: lambda value: [[f"{value:x}"]],
    Debug: lambda value: [[category] for category in value],
    Optimize: _passes,
}
"""Kind of value → function that returns the values after each occurrence of the flag."""
