"""`hlsl_tool report --html`: write a report about a build as a single HTML page."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hlsl_tool.cli import common
from hlsl_tool.cli.output import require_file, write_output
from hlsl_tool.cli.parsers import Parser

if TYPE_CHECKING:
    from hlsl_tool.apps.report.comparison import Comparison
    from hlsl_tool.apps.report.html.gather import Build
    from hlsl_tool.apps.report.html.history import History

PAGE_NAME = "index.html"
"""The name of the page in a folder."""


def add(parser: Parser) -> None:
    """Add the options of the HTML report."""
    group = parser.add_argument_group("a page of HTML")
    group.add_argument(
        "--html", metavar="FILE", help=f"write a page about the project's build: one file, or FOLDER/{PAGE_NAME}"
    )
    group.add_argument(
        "--history", metavar="FILE", help="the earlier sizes (.hlsl_tool.history in the output folder); updated"
    )
    group.add_argument("--no-times", action="store_true", help="a page without times and history, for comparisons")
    common.add_jobs(parser)


def check(options: argparse.Namespace) -> None:
    """Raise ``Failed`` if options contradict each other, or if Jinja2 is not installed."""
    if options.html is None:
        if options.history is not None or options.no_times:
            raise common.Failed("--history and --no-times are about a page: give --html")
        return
    require_file("--history", options.history)
    if not options.html:
        raise common.Failed("--html: name a file or a folder")
    if options.build is not None:
        raise common.Failed("--html is about the project's build: leave --build out, or give --root and --output-dir")
    if options.history is not None and options.no_times:
        raise common.Failed("--no-times leaves the history out: give --history or --no-times")
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise common.Failed('the HTML report needs Jinja2: pip install "hlsl_tool[html]"') from None


def load(options: argparse.Namespace) -> Build:
    """Load the project's last build; raise ``Failed`` if nothing has been built."""
    from hlsl_tool.apps.report.html.gather import read_build
    from hlsl_tool.apps.report.snapshot import BadSnapshot
    from hlsl_tool.project.build.plan import plan

    project = common.load_project(options)
    try:
        build = read_build(project, plan(project))
    except BadSnapshot as problem:
        raise common.Failed(str(problem)) from None
    if not build.current:
        reason = build.missing[0].reason if build.missing else "not built"
        raise common.Failed(nothing(reason, len(build.jobs)))
    return build


def nothing(reason: str, count: int) -> str:
    """Return the error message about a build of which no shader is up to date."""
    return f"nothing to report: all {count} shaders are {reason}; run `hlsl_tool build`"


def write(options: argparse.Namespace, build: Build, comparison: Comparison | None) -> str:
    """Write the page and the history file; return a line that names the page."""
    from hlsl_tool.apps.report.html.gather import report
    from hlsl_tool.apps.report.html.history import History
    from hlsl_tool.apps.report.html.render import render

    history = History() if options.no_times else _history(options, build)
    data = report(build, history, options.jobs, has_times=not options.no_times)
    data.comparison, data.against = comparison, options.against or ""
    path = options.html
    if os.path.isdir(path) or path.endswith(("/", os.sep)):
        path = os.path.join(path, PAGE_NAME)
    page = render(data).encode("utf-8", "replace")
    write_output(path, page)
    missing = f", {len(build.missing)} not up to date" if build.missing else ""
    lines = f", {data.coverage.left} lines compiled by none" if data.coverage.left else ""
    return f"{path}: {len(build.current)} shaders{missing}{lines}, {-(-len(page) // 1000):,} kB"


def _history(options: argparse.Namespace, build: Build) -> History:
    """Load the history, add a point for this build, and save it; print a warning if saving fails.

    A damaged history in the output folder is replaced by a new one; for a file that the user names, ``Failed`` is
    raised.
    """
    from hlsl_tool.apps.report.html.history import HISTORY_NAME, BadHistory, History, load, save
    from hlsl_tool.base.system.atomic_write import WriteError

    project = build.project
    path = options.history or os.path.join(project.root, project.output_dir, HISTORY_NAME)
    try:
        history = load(path)
    except BadHistory:
        if options.history is not None:
            problem = f"`{path}` is no history of reports, and is left as it is"
            raise common.Failed(f"{problem}; name another file with --history") from None
        print(f"hlsl_tool: warning: `{path}` is damaged, or of another version: a new history begins", file=sys.stderr)
        history = History()
    known = None if options.config is not None else {job.name for job in build.jobs}
    if history.add(f"{datetime.now(UTC):%Y-%m-%d %H:%M}", build.weights, known):
        try:
            save(path, history)
        except WriteError as error:
            print(f"hlsl_tool: warning: {error}", file=sys.stderr)
    return history
