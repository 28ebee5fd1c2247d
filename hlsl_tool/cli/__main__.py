"""`hlsl_tool VERB …`; each verb is a module of this package with `add(subparsers)`."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.system.streams import open_closed
from hlsl_tool.version import version_line

if TYPE_CHECKING:
    import argparse

GROUPS = {
    "daily": ("init", "build", "watch", "lint", "why", "explain", "compile", "link"),
    "look into": (
        "run", "debug", "reflect", "reflect bindings", "reflect layout", "reflect link", "report", "report times",
        "config", "store",
    ),
    "other tools": (
        "generate", "generate cmake-dir", "import", "pack", "repro", "wgsl", "cross", "lsp", "server", "schema",
    ),
}  # fmt: skip
"""The verbs by groups, as `--help` lists them.  A name of two words is an action that has a parser of its own."""

VERBS = (*(verb for verbs in GROUPS.values() for verb in verbs), "glslc", "glslang")

RENAMED = {
    "bindings": "reflect bindings",
    "cmake-dir": "generate cmake-dir",
    "layout": "reflect layout",
    "stats": "report times",
}
"""Verbs of earlier versions, which keep working with a note."""

OF_SCONS = {"lint", "report times", "store", "watch", "why"}
"""Verbs that find the calls of the SConstruct if they get no options."""

MODULES = {
    "why": "reasons.why",
    "explain": "reasons.explain",
    "generate cmake-dir": "exchange.cmake_dir",
    "generate": "exchange.generate",
    "import": "exchange.imports",
    "init": "project.init",
    "link": "running.link",
    "lint": "reports.lint",
    "reflect": "reflecting.reflect",
    "reflect bindings": "reflecting.bindings",
    "reflect layout": "reflecting.layout",
    "reflect link": "reflecting.link",
    "report": "reports.report",
    "repro": "running.repro",
    "run": "running.run",
    "report times": "reports.stats",
    "glslc": "compatible.glslc",
    "glslang": "compatible.glslang",
}
"""Modules of the verbs whose module has another name than the verb."""

CLOSED_PIPE = 128 + 13
"""The exit status that shells report for a program that SIGPIPE ended."""

INTERNAL = 3
"""The exit status after a bug of ours, as that of `hlsl2spirv`."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line of the process, or ``arguments``, and exit."""
    open_closed()
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status: 0, or that of the verb.

    A wrong command line has status 2.  A bug in hlsl_tool has status 3, and prints a message instead of a traceback.
    """
    return _call(lambda: _run(arguments))


def _run(arguments: Sequence[str]) -> Any:
    """Parse a command line and run its verb; return the exit status."""
    if arguments and arguments[0] == "--version":
        print(version_line("hlsl_tool"), end="")
        return 0
    first, words = _verb(arguments)
    if first in ("glslc", "glslang"):
        verb = importlib.import_module(f"hlsl_tool.cli.{MODULES[first]}")
        return verb.run(words)
    if first == "compile":
        # argparse cannot read dxc's options: everything behind the verb is passed on unchanged.
        from hlsl_tool.cli.compile import run_compile

        return run_compile(words)
    if first == "reflect layout":
        from hlsl_tool.cli.reflecting.layout import run_layout

        return run_layout(words)
    if not first or first not in VERBS:
        return _without_verb(first, words)
    from hlsl_tool.cli.parsers import note

    parser = _parser(first)
    options, rest = parser.parse_known_args([first, *words])
    if first in OF_SCONS:
        from hlsl_tool.cli.common import options_of_scons

        options, rest = parser.parse_known_args([first, *options_of_scons(options), *words])
    if rest and not getattr(options, "takes_rest", False):
        options.parser.unknown(rest)
    options.rest = rest
    for text in getattr(options, "notes", ()):
        note(text)
    if hasattr(options, "diagnostics"):
        from hlsl_tool.cli.common import call

        return call(options)
    return options.function(options)


def _verb(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the verb, which may have two words, and the words behind it; write a note for a former name."""
    first, words = (arguments[0] if arguments else ""), list(arguments[1:])
    if words and f"{first} {words[0]}" in VERBS:
        return f"{first} {words[0]}", words[1:]
    if first in RENAMED:
        print(f"hlsl_tool: note: `hlsl_tool {first}` is now `hlsl_tool {RENAMED[first]}`", file=sys.stderr)
    return RENAMED.get(first, first), words


def _without_verb(first: str, words: Sequence[str]) -> int:
    """Print the list of verbs, or an error about a word that is no verb; return the exit status."""
    from hlsl_tool.cli.output import Failed
    from hlsl_tool.cli.parsers import listing

    if first in ("-h", "--help"):
        print(listing(GROUPS, MODULES), end="")
        return 0
    if not first:
        print(listing(GROUPS, MODULES), end="")
        return 2
    if first.startswith("-"):
        raise Failed(f"`{first}` is no option; `hlsl_tool --help` lists the verbs")
    from hlsl_tool.base.similar import did_you_mean

    hint = did_you_mean(first, (*VERBS, *RENAMED)) or "`hlsl_tool --help` lists the verbs"
    raise Failed(f"no verb is called `{first}`; {hint}")


def _call(function: Callable[[], Any]) -> int:
    """Call the function of a verb; convert exceptions to messages, and return the exit status."""
    from hlsl_tool.cli.output import Failed

    message = ""
    try:
        status = function()
    except Failed as problem:
        status, message = 2, f"error: {problem}" if str(problem) else ""
    except BrokenPipeError:
        return _closed()
    except OSError as error:
        from hlsl_tool.base.system.paths import reason_of

        status, message = 1, f"error: {reason_of(error)}"
    except MemoryError:
        from hlsl_tool.base.diagnostics.internal import out_of_memory

        status, message = INTERNAL, out_of_memory()
    except Exception as error:  # noqa: BLE001  # the last resort: a traceback helps no user
        from hlsl_tool.base.diagnostics.internal import internal_error

        advice = "hint: please report it with the command line; for a shader add the archive of `hlsl_tool repro`"
        status, message = INTERNAL, f"{internal_error(error)} [HLSL0002]\n{advice}"
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _closed()
    except OSError as error:
        _discard_output()
        status, message = status or 1, f"error: cannot write to the standard output: {error.strerror}"
    if message:
        _report(f"hlsl_tool: {message}")
    return int(status or 0)


def _report(text: str) -> None:
    from hlsl_tool.base.diagnostics.visible import visible

    print(visible(text), file=sys.stderr)


def _closed() -> int:
    """Return the exit status if the reader closed the pipe (`| head`).

    It is not 0, because the command is not complete: a failing build must not look successful.
    """
    _discard_output()
    return CLOSED_PIPE


def _discard_output() -> None:
    """Redirect the standard output to nowhere; otherwise Python reports an error when it closes the broken stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(name: str) -> argparse.ArgumentParser:
    """Return a parser for one verb only: importing the modules of all verbs takes longer than most of them run."""
    from hlsl_tool.cli.parsers import Parser  # argparse takes longer than `--version` without it

    parser = Parser(prog="hlsl_tool")
    verbs = parser.add_subparsers(metavar="VERB", title="verbs")
    importlib.import_module(f"hlsl_tool.cli.{MODULES.get(name, name)}").add(verbs)
    return parser


if __name__ == "__main__":
    main()
