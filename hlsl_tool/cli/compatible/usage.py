"""The texts of `--help` and `--version`."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.cli.compatible import actions
from hlsl_tool.cli.compatible.option_rows import BASE, BASES, EITHER, JOINED, REGISTERS, SEPARATE, Option
from hlsl_tool.version import version_line

_ARGUMENTS = {
    JOINED: "<value>",
    EITHER: " <value>",
    SEPARATE: " <value>",
    BASE: " [stage] <number>",
    BASES: " [stage] <number> [<set> …]",
    REGISTERS: " [stage] <set>|<register> <set> <binding> …",
}


def information(topic: str, verb: str, tool: str, example: str, table: Sequence[Option]) -> str:
    """Return the text of `help` or `version` (``topic``); ``tool`` is the program whose options are accepted."""
    return usage(verb, tool, example, table) if topic == "help" else version_line(f"hlsl_tool {verb}")


def usage(verb: str, tool: str, example: str, table: Sequence[Option]) -> str:
    """Return a list of the options in a table; those that are not supported come last."""
    lines = [f"hlsl_tool {verb}: HLSL to SPIR-V, with the command line of {tool}", "", f"usage: {example}", ""]
    lines += ["Options:", *(_line(option) for option in table if option.action is not actions.refuse)]
    lines += ["", "Refused:", *(_line(option) for option in table if option.action is actions.refuse)]
    return "\n".join(lines) + "\n"


def spelled(option: Option) -> list[str]:
    """Return all spellings of an option; the argument is appended to the last one."""
    return [*option.names[:-1], option.names[-1] + _ARGUMENTS.get(option.form, "")]


def _line(option: Option) -> str:
    names = ", ".join(spelled(option))
    text = option.doc.replace("`", "'")
    return f"  {names:<34} {text}" if len(names) <= 34 else f"  {names}\n  {'':34} {text}"
