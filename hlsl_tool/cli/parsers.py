"""The parsers of the verbs: errors of one line with suggestions, and the list of verbs by groups."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

COMMON = "common options"
"""Title of the group of the options that most verbs have: the last one of their help."""


class Parser(argparse.ArgumentParser):
    """A parser that reports a wrong command line in one line; its results name the parser of the verb (`parser`)."""

    def error(self, message: str) -> NoReturn:
        """End the process with status 2 and an error of one line."""
        self.exit(2, f"hlsl_tool: error: {message}; see `{self.prog} --help`\n")

    def unknown(self, words: Sequence[str]) -> NoReturn:
        """End the process with an error about words that are no arguments of the verb."""
        from hlsl_tool.base.similar import did_you_mean  # start-up time

        first = words[0]
        hint = did_you_mean(first.partition("=")[0], self._option_string_actions) if first.startswith("-") else None
        self.exit(2, f"hlsl_tool: error: unknown argument `{first}`; {hint or f'see `{self.prog} --help`'}\n")

    def format_help(self) -> str:
        """Return the help; its first line has the arguments, and the options only as a word."""
        if self.usage is None:
            words = [_usage(action) for action in self._get_positional_actions()]
            self.usage = " ".join(("%(prog)s [options]", *words))
        return super().format_help()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as `argparse` does, and store the parser of the verb in the result."""
        options, rest = super().parse_known_args(args, namespace)
        if not hasattr(options, "parser"):
            options.parser = self
        return options, rest

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            from hlsl_tool.base.similar import did_you_mean  # start-up time

            names = [str(name) for name in action.choices]
            hint = did_you_mean(str(value), names)
            problem = f"`{value}` is none of {', '.join(names)}"
            raise argparse.ArgumentError(action, f"{problem}; {hint}" if hint is not None else problem)

    def common(self) -> argparse._ArgumentGroup:
        """Return the group of the options that most verbs have, which comes last in the help."""
        for group in self._action_groups:
            if group.title == COMMON:
                return group
        return self.add_argument_group(COMMON)


def add_verb(
    verbs: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    description: str | None = None,
    takes_rest: bool = False,
    **texts: str,
) -> Parser:
    """Add the parser of a verb, whose function is ``run``, to the command line and return it.

    ``description`` and ``epilog`` keep their lines if there is a description. With ``takes_rest``, words that the
    parser does not know, such as options of hlsl2spirv, are left to the verb.
    """
    form = argparse.RawDescriptionHelpFormatter if description else argparse.HelpFormatter
    parser: Parser = verbs.add_parser(
        name, description=description, formatter_class=form, allow_abbrev=not takes_rest, **texts
    )
    parser.set_defaults(function=run, takes_rest=takes_rest)
    return parser


def _usage(action: argparse.Action) -> str:
    """Return a positional argument as a line of usage shows it."""
    name = str(action.metavar or action.dest.upper())
    if isinstance(action, argparse._SubParsersAction):
        return f"{name} ..."
    return {"*": f"[{name} ...]", "+": f"{name} ...", "?": f"[{name}]"}.get(str(action.nargs), name)


class Renamed(argparse.Action):
    """An option of an earlier version, which keeps working; the help does not list it.

    The results of the parser have a note about it (`notes`).
    """

    def __init__(self, option_strings: Sequence[str], dest: str, *, now: str, convert: Any = None, **more: Any) -> None:
        super().__init__(option_strings, dest, help=argparse.SUPPRESS, **more)
        self.now = now
        self.convert = convert

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        namespace.notes = [*getattr(namespace, "notes", ()), f"`{option_string}` is now `{self.now}`"]
        setattr(namespace, self.dest, values if self.convert is None else self.convert(values))


def note(text: str) -> None:
    """Write a note to the standard error."""
    sys.stderr.write(f"hlsl_tool: note: {text}\n")


class _Listing:
    """Collects the verbs' lines of help; stands in for the result of `add_subparsers`."""

    def __init__(self) -> None:
        self.lines: dict[str, str] = {}

    def add_parser(self, name: str, *, help: str, **more: Any) -> Parser:
        self.lines[name] = help
        return Parser(prog=name, add_help=False)


def listing(groups: Mapping[str, Iterable[str]], modules: Mapping[str, str]) -> str:
    """Return the help of the program: the verbs by groups, each with the line of its parser."""
    import textwrap  # start-up time

    verbs = _Listing()
    for name in (name for names in groups.values() for name in names):
        importlib.import_module(f"hlsl_tool.cli.{modules.get(name, name)}").add(verbs)
    width = max(map(len, verbs.lines)) + 2
    lines = ["usage: hlsl_tool VERB ...", "       hlsl_tool --version", "", "HLSL to SPIR-V: compile, build, watch."]
    for title, names in groups.items():
        lines += ["", f"{title}:"]
        for name in names:
            text = textwrap.wrap(verbs.lines[name], 110 - width)
            lines.append(f"  {name:<{width}}{text[0]}")
            lines += [" " * (width + 2) + more for more in text[1:]]
    lines += ["", "`hlsl_tool VERB --help` describes a verb."]
    return "\n".join(lines) + "\n"
