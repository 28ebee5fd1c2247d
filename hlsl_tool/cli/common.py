"""Functions that many verbs share: find the project's root, load configurations, show diagnostics.

Modules that only some verbs need are imported inside functions: every verb pays for the imports at the top.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.system.paths import absolute, relative
from hlsl_tool.base.system.regular_files import read_regular
from hlsl_tool.cli.output import Failed as Failed
from hlsl_tool.cli.output import write_output
from hlsl_tool.cli.parsers import Parser, Renamed
from hlsl_tool.project.build.ui.diagnostics import FORMS, WHOLE_FORMS, render_messages
from hlsl_tool.project.build.workers.addresses import checked_address
from hlsl_tool.project.config.trust import allow_outside

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Diagnostic
    from hlsl_tool.base.options.command_line import Command
    from hlsl_tool.project.build.plan_cache import Plan
    from hlsl_tool.project.build.store.choice import StoreOptions
    from hlsl_tool.project.build.ui.console import Console
    from hlsl_tool.project.config.parameters import Parameters
    from hlsl_tool.project.config.permutation import Permutation, Project

DEFAULT_CONFIG = "config/shaders"
MARKS = ("SConstruct", "config/shaders", "config/defaults.yaml")


def chosen(project: Project, name: str) -> list[Permutation]:
    """Return the permutations that ``name`` selects: a shader, entry point, output or pattern.

    Raise `Failed` for none.
    """
    from hlsl_tool.project.config.show import find, is_pattern, near

    permutations = find(project, name)
    if not permutations:
        hint = near(project, name)
        if hint is None and project.variant_names:
            hint = f"name its variant, if it is of one: `--variant {'|'.join(project.variant_names)}`"
        verb = "matches" if is_pattern(name) else "is called"
        raise Failed(f"no shader {verb} `{name}`" + (f"; {hint}" if hint else ""))
    return permutations


def all_chosen(project: Project, names: Iterable[str]) -> list[Permutation]:
    """Return the permutations that any of ``names`` selects, each once; raise `Failed` if a name selects none."""
    return list({permutation.name: permutation for name in names for permutation in chosen(project, name)}.values())


def add_project(parser: Parser) -> None:
    """Add the options that select the project, and the format of diagnostics."""
    group = parser.common()
    group.add_argument("--root", help="the project's root (default: the nearest folder with a SConstruct)")
    group.add_argument(
        "--config", action="append", metavar="PATH", help=f"a configuration, a folder or a pattern ({DEFAULT_CONFIG})"
    )
    group.add_argument(
        "--allow-outside",
        action=_AllowOutside,
        nargs=0,
        help="let configurations name programs and folders outside the project (docs/explanation/security.md)",
    )
    add_parameters(parser)
    add_form(parser)


def add_parameters(parser: Parser) -> None:
    """Add the options that pass values to configurations: variables, macros, the output folder, the variant."""
    group = parser.common()
    group.add_argument("--variant", default="", metavar="NAME", help="one of the `variants` of the configurations")
    group.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="the value of `${NAME}` in configurations"
    )
    group.add_argument("--define", action="append", default=[], metavar="NAME[=VALUE]", help="a macro of all shaders")
    group.add_argument("--output-dir", default="", metavar="FOLDER", help="the output folder, from the project's root")


def parameters_of(options: argparse.Namespace) -> Parameters:
    """Return the values that the command line passes to configurations."""
    from hlsl_tool.project.config.parameters import parameters

    for text in options.set:
        if "=" not in text:
            raise Failed(f"--set {text}: write NAME=VALUE")
    variables = dict(text.split("=", 1) for text in options.set)
    defines = {text.partition("=")[0]: text.partition("=")[2] if "=" in text else "1" for text in options.define}
    try:
        return parameters(variables, defines, options.output_dir, options.variant)
    except ValueError as problem:
        raise Failed(f"--set or --define: {problem}") from None


class _AllowOutside(argparse.Action):
    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        allow_outside()


def add_form(parser: Parser) -> None:
    """Add the options for the format of diagnostics."""
    group = parser.common()
    group.add_argument(
        "--diagnostics",
        choices=FORMS,
        default="text",
        help="the form of messages: lines on the standard error, or one document (json, sarif) on the standard output",
    )
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colours in messages")


def add_document(parser: Parser) -> None:
    """Add ``--output`` to a verb whose only result are diagnostics: the file of a json or sarif document."""
    parser.add_argument(
        "--output", metavar="FILE", help="the file for a json or sarif document (-, the default: the standard output)"
    )
    parser.set_defaults(reports=True)


def command_of(words: Sequence[str], read: Callable[[str], str | None] | None = None) -> Command:
    """Return the command that words of hlsl2spirv mean; raise `Failed` for wrong ones.

    ``read`` returns the text of a response file.
    """
    from hlsl_tool.base.options.checks import OptionError
    from hlsl_tool.base.options.command_line import parse

    try:
        return parse(words, read=read, is_file=os.path.isfile)
    except OptionError as error:
        raise Failed(error.text) from None


def add_jobs(parser: Parser) -> None:
    """Add ``--jobs``, whose value is at least 1 (``auto``: the number of processors)."""
    parser.common().add_argument(
        "-j", "--jobs", type=_count, default=1, help="the number of shaders to compile at a time, or `auto`"
    )


def port(text: str) -> int:
    """Convert the value of an option to the number of a port; for argparse."""
    if not text.isdecimal() or int(text) > 0xFFFF:
        raise argparse.ArgumentTypeError(f"`{text}` is no port: a number from 0 to 65535")
    return int(text)


def add_connection(parser: Parser) -> None:
    """Add the options of a verb that serves an editor: standard input and output or a port, and what it logs."""
    parser.add_argument("--stdio", action="store_true", help="use the standard input and output (the default)")
    parser.add_argument("--tcp", type=port, metavar="PORT", help="listen on this port of this machine instead")
    parser.add_argument("--verbose", action="store_true", help="log messages to the standard error")


def log_to_standard_error(options: argparse.Namespace, quiet: int) -> None:
    """Log to the standard error: all messages with ``--verbose``, else those of level ``quiet`` and above."""
    import logging  # start-up time

    level = logging.INFO if options.verbose else quiet
    logging.basicConfig(stream=sys.stderr, level=level, format="%(name)s: %(message)s")


def _count(text: str) -> int:
    if text == "auto":
        return os.cpu_count() or 1
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is no number above 0")
    return int(text)


def add_store(parser: Parser) -> None:
    """Add ``--store``; the result is a list of store locations, ``["none"]``, or ``None``."""
    group = parser.common()
    group.add_argument(
        "--store",
        action="append",
        metavar="PLACE",
        help="the store of results: a folder, an address, `project`, `build`, `user` or `none`; repeatable",
    )
    group.add_argument(
        "--no-store", dest="store", nargs=0, action=Renamed, now="--store none", convert=lambda values: ["none"]
    )


def add_executor(parser: Parser) -> None:
    """Add ``--executor``; the build checks its address."""
    parser.common().add_argument(
        "--executor",
        metavar="ADDRESS",
        help="where shaders are compiled: `local`, or a dask scheduler (dask://host:8786)",
    )


def executor_of(options: argparse.Namespace, project: Project | None = None) -> str:
    """Return the address of the executor from the command line or the configuration; empty for this machine."""
    configured = project.executor if project is not None else ""
    try:
        return checked_address(configured if options.executor is None else options.executor)
    except ValueError as error:
        raise Failed(f"--executor {error}") from None


def store_of(options: argparse.Namespace, project: Project) -> StoreOptions:
    """Return the store options from the command line, the environment or the configuration."""
    from hlsl_tool.project.build.store.choice import BadStore, project_store

    try:
        return project_store(project, options.store)
    except BadStore as error:
        raise Failed(f"store: {error}") from None


def options_of_scons(options: argparse.Namespace) -> list[str]:
    """Return command-line options that select what the SConstruct builds; [] if the user has selected something.

    Raise `Failed` if the SConstruct has several calls of `HlslShaders` and there is no default configuration.
    """
    from hlsl_tool.project.build.plan_cache import remembered_calls

    given = (options.root, options.config, options.variant, options.set, options.define, options.output_dir)
    if any(given):
        return []
    root = find_root(None)
    calls = remembered_calls(root) if os.path.exists(os.path.join(root, "SConstruct")) else []
    if len(calls) > 1 and not os.path.exists(os.path.join(root, DEFAULT_CONFIG)):
        lines = "\n  ".join(shlex.join(call) for call in calls)
        raise Failed(f"the SConstruct has several calls of `HlslShaders`; give the options of one:\n  {lines}")
    return calls[0] if len(calls) == 1 else []


def find_root(given: str | None) -> str:
    """Return the root ``given``, else the nearest folder with one of ``MARKS``, else the working folder.

    Raise `Failed` if the given folder does not exist.
    """
    if given is not None:
        if not os.path.isdir(given):
            raise Failed(f"there is no folder `{given}`")
        return absolute(given)
    folder = os.getcwd()
    while True:
        if any(os.path.exists(os.path.join(folder, mark)) for mark in MARKS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return os.getcwd()
        folder = parent


def configs(options: argparse.Namespace) -> list[str]:
    """Return the configurations of the command line, relative to the root.

    A path is looked up from the root first, and then from the working folder.
    """
    root = find_root(options.root)
    return [_from_root(path, root) for path in options.config or [DEFAULT_CONFIG]]


def _require_configuration(options: argparse.Namespace, root: str) -> None:
    """Raise `Failed` if the command line names no configuration, and the root has no default one."""
    if not options.config and not os.path.exists(os.path.join(root, DEFAULT_CONFIG)):
        raise Failed(
            f"there is no configuration in `{DEFAULT_CONFIG}`: `hlsl_tool init` writes one for the shaders of a folder,"
            " `hlsl_tool import` one for another tool's list, and --config names one elsewhere"
        )


def _from_root(path: str, root: str) -> str:
    if os.path.isabs(path) or os.path.exists(os.path.join(root, path)) or not os.path.exists(path):
        return path
    return relative(path, root)


def load_project(options: argparse.Namespace) -> Project:
    """Load the project and show its diagnostics; raise ``Failed`` after errors."""
    from hlsl_tool.base.diagnostics import Sink
    from hlsl_tool.project.config.load import load

    sink = Sink(error_limit=0)
    root = find_root(options.root)
    _require_configuration(options, root)
    project = load(root, configs(options), sink, given=parameters_of(options))
    show(sink.diagnostics, options)
    if sink.error_count:
        raise Failed
    return project


def load_plan(options: argparse.Namespace) -> Plan:
    """Return the plan of the configurations, from the cache if possible; raise ``Failed`` after errors."""
    from hlsl_tool.project.build import plan_cache

    root, names, given = find_root(options.root), configs(options), parameters_of(options)
    _require_configuration(options, root)
    plan = plan_cache.cached(root, names, given=given)
    if plan is None:
        from hlsl_tool.base.diagnostics import Sink

        sink = Sink(error_limit=0)
        plan = plan_cache.read(root, names, sink, given=given)
        show(sink.diagnostics, options)
    if plan is None:
        raise Failed
    return plan


def read_manifest(path: str) -> list[dict[str, Any]]:
    """Return the shaders in a manifest file; raise ``Failed`` if the file is not a manifest."""
    try:
        content = json.loads(read_regular(path))
    except OSError as error:
        raise Failed(f"cannot read `{path}`: {error.strerror}") from None
    except ValueError as error:
        raise Failed(f"`{path}` is no manifest: {error}") from None
    required = ("name", "stage", "entry_point", "permutation", "outputs")
    shaders = content.get("shaders") if isinstance(content, dict) else None
    if not isinstance(shaders, list) or not all(isinstance(s, dict) and all(k in s for k in required) for s in shaders):
        raise Failed(f"`{path}` is no manifest")
    return shaders


def colored(options: argparse.Namespace) -> bool:
    """Return whether diagnostics on the standard error are coloured."""
    if options.color == "auto":
        return sys.stderr.isatty() and "NO_COLOR" not in os.environ
    return bool(options.color == "always")


def show(diagnostics: Iterable[Diagnostic], options: argparse.Namespace) -> None:
    """Write diagnostics to the standard error, or add them to the document that the verb writes at its end."""
    shown = list(diagnostics)
    if is_document(options):
        options.reported += shown
    elif shown:
        from hlsl_tool.base.diagnostics.visible import write_text

        write_text(sys.stderr, render_messages(shown, options.diagnostics, color=colored(options)))
        sys.stderr.flush()


def is_document(options: argparse.Namespace) -> bool:
    """Return whether diagnostics are written as one document when the verb ends."""
    return getattr(options, "diagnostics", "") in WHOLE_FORMS


def is_document_on_stdout(options: argparse.Namespace) -> bool:
    """Return whether such a document goes to the standard output, which then has to be free of other text."""
    return is_document(options) and options.output in (None, "-")


def add_to_document(console: Console, options: argparse.Namespace) -> None:
    """Add the diagnostics of a console to the document, if there is one."""
    if console.whole:
        options.reported += console.complete()


def call(options: argparse.Namespace) -> Any:
    """Call the function of a verb; then write its diagnostics if they are one document.

    A verb that prints something else writes the document only if it fails, and its warnings as text.
    """
    if not is_document(options):
        return options.function(options)
    options.reported = []
    reports = getattr(options, "reports", False)
    failed = True
    try:
        status = options.function(options)
        failed = False
    except Failed as problem:
        failed = not str(problem)  # diagnostics have been reported
        raise
    finally:
        if reports or failed:
            write_output(options.output if reports else None, render_messages(options.reported, options.diagnostics))
        elif options.reported:
            from hlsl_tool.base.diagnostics.visible import write_text

            write_text(sys.stderr, render_messages(options.reported))
    return status
