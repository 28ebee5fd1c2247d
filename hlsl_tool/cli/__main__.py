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

VERBS = (
    "init", "compile", "run", "layout", "bindings", "reflect", "wgsl", "build", "lint", "link", "watch", "why",
    "explain", "stats", "report", "store", "pack", "server", "lsp", "config", "schema", "generate", "import",
    "cmake-dir", "glslc", "glslang",
)  # fmt: skip

OF_SCONS = {"lint", "stats", "store", "watch", "why"}
"""Verbs that find the calls of the SConstruct if they get no options."""

MODULES = {
    "why": "reasons.why",
    "explain": "reasons.explain",
    "cmake-dir": "exchange.cmake_dir",
    "generate": "exchange.generate",
    "import": "exchange.imports",
    "init": "project.init",
    "lint": "reports.lint",
    "report": "reports.report",
    "run": "running.run",
    "stats": "reports.stats",
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
    first = arguments[0] if arguments else ""
    if first == "--version":
        print(version_line("hlsl_tool"), end="")
        return 0
    if first in ("glslc", "glslang"):
        verb = importlib.import_module(f"hlsl_tool.cli.{MODULES[first]}")
        return verb.run(list(arguments[1:]))
    if first == "compile":
        # argparse cannot read dxc's options: everything behind the verb is passed on unchanged.
        from hlsl_tool.cli.compile import run_compile

        return run_compile(list(arguments[1:]))
    if first == "layout":
        from hlsl_tool.cli.layout import run_layout

        return run_layout(list(arguments[1:]))
    parser = _parser((first,) if first in VERBS else VERBS)
    options, rest = parser.parse_known_args(arguments)
    if first in OF_SCONS:
        from hlsl_tool.cli.common import options_of_scons

        options, rest = parser.parse_known_args([first, *options_of_scons(options), *arguments[1:]])
    if rest and not getattr(options, "takes_rest", False):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options.rest = rest
    if options.version:
        print(version_line("hlsl_tool"), end="")
        return 0
    if not hasattr(options, "function"):
        parser.print_help()
        return 2
    if hasattr(options, "diagnostics"):
        from hlsl_tool.cli.common import call

        return call(options)
    return options.function(options)


def _call(function: Callable[[], Any]) -> int:
    """Call the function of a verb; convert exceptions to messages, and return the exit status."""
    from hlsl_tool.cli.common import Failed

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
    except Exception as error:  # noqa: BLE001  # the last resort: a traceback helps no user
        from hlsl_tool.base.diagnostics.internal import internal_error

        advice = "please report it with the command line and the files that it reads"
        status, message = INTERNAL, f"{internal_error(error)}\n{advice}"
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


def _parser(names: Sequence[str]) -> argparse.ArgumentParser:
    """Return a parser for these verbs only: importing the modules of all verbs takes longer than most of them run."""
    import argparse  # takes longer than `--version` without it

    parser = argparse.ArgumentParser(prog="hlsl_tool", description="HLSL to SPIR-V: compile, build, watch.")
    parser.add_argument("--version", action="store_true", help="print the version")
    verbs = parser.add_subparsers(metavar="VERB", title="verbs")
    for name in names:
        importlib.import_module(f"hlsl_tool.cli.{MODULES.get(name, name)}").add(verbs)
    return parser


if __name__ == "__main__":
    main()
