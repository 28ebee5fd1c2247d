"""`hlsl_tool report`: print the sizes of shaders, and their growth since an earlier build."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from hlsl_tool.cli import common
from hlsl_tool.cli.output import STANDARD_OUTPUT, check_apart, write_output
from hlsl_tool.cli.parsers import Parser
from hlsl_tool.cli.reports import page

if TYPE_CHECKING:
    from hlsl_tool.apps.report.comparison import Limits
    from hlsl_tool.apps.report.coverage import Coverage
    from hlsl_tool.project.config.permutation import Project


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "report",
        help="sizes and instructions of built shaders, and their growth: for CI",
        description="Compares a build with an earlier one, given as its folder, its manifest, a folder of .spv files,"
        " or a snapshot that --save wrote. Without --against it lists sizes and instructions.",
        epilog="exit status: 0; 1 if something grew beyond the limits; 2 if there is nothing to compare",
    )
    common.add_project(parser)
    parser.add_argument("--against", metavar="OLD", help="the earlier build: a folder, a manifest or a snapshot")
    parser.add_argument(
        "--build", metavar="NEW", help="the build to look at, in the same forms (the project's output folder)"
    )
    parser.add_argument("--save", metavar="FILE", help="write a snapshot of the build, for later comparisons")
    parser.add_argument(
        "--max-growth", default="0%", metavar="PERCENT", help="the allowed growth of a shader: 5%% (default: none)"
    )
    parser.add_argument(
        "--max-total", metavar="PERCENT", help="the allowed growth of all shaders together (default: no limit)"
    )
    parser.add_argument(
        "--ignore-below", type=int, default=0, metavar="N", help="ignore growth by up to N bytes or instructions"
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="bytes, instructions (these by default), texture, memory, branches or calls; repeatable",
    )
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="the form of the report")
    parser.add_argument("--all", action="store_true", help="list every shader that changed, not the first 20")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the file to write (-, the default: the standard output)"
    )
    parser.add_argument(
        "--coverage",
        action="store_true",
        help="list the lines of the project's sources that no permutation compiles, in place of sizes",
    )
    page.add(parser)
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """Print the sizes of shaders and their growth, and write a snapshot or HTML page; return the exit status."""
    from hlsl_tool.apps.report.comparison import FORMS, ROWS, as_json, compare
    from hlsl_tool.apps.report.coverage import totals
    from hlsl_tool.apps.report.snapshot import BadSnapshot, take, text

    if options.coverage:
        return _coverage(options)
    limits = _limits(options)
    page.check(options)
    outputs = ("-o", options.output), ("--save", options.save), ("--html", options.html), ("--history", options.history)
    check_apart(*outputs)
    build = page.load(options) if options.html is not None else None
    project = common.load_project(options) if build is None and options.build is None else None
    try:
        after = build.weights if build is not None else take(options.build or _output_folder(project))
        before = take(options.against) if options.against is not None else None
    except BadSnapshot as problem:
        raise common.Failed(str(problem)) from None
    if options.save is not None:
        write_output(options.save, text(after))
    comparison = compare(before, after, limits) if before is not None else None
    if build is not None:
        line = page.write(options, build, comparison)
        print(line, file=sys.stdout if comparison is None and options.html != STANDARD_OUTPUT else sys.stderr)
    if comparison is None:
        is_asked = options.output is not None or (options.save is None and build is None)
        if is_asked:
            lines = _lines_of(project) if project is not None else None
            if options.format == "json":
                write_output(options.output, text(after, coverage=totals(lines)) if lines is not None else text(after))
            else:
                sentence = f"\n{lines.sentence()}\n" if lines is not None else ""
                write_output(options.output, _listed(after, options.format) + sentence)
        return 0
    if options.format == "json":
        write_output(options.output, as_json(comparison))
    else:
        write_output(options.output, FORMS[options.format](comparison, None if options.all else ROWS))
    return 0 if comparison.ok else 1


def _coverage(options: argparse.Namespace) -> int:
    """Write the lines that no permutation compiles; return the exit status."""
    from hlsl_tool.apps.report.coverage import FORMS

    for name in ("against", "build", "save", "html"):
        if getattr(options, name) is not None:
            raise common.Failed(f"--coverage and --{name} are two reports: make one after the other")
    for option, default in OF_SIZES.items():
        if getattr(options, option[2:].replace("-", "_")) != default:
            raise common.Failed(f"{option} is about sizes, which --coverage does not report: leave one of them out")
    result = _lines_of(common.load_project(options))
    if result.missing and not result.permutations:
        raise common.Failed(page.nothing(result.missing[0][1], len(result.missing)))
    write_output(options.output, FORMS[options.format](result))
    return 0


OF_SIZES = {
    "--max-growth": "0%",
    "--max-total": None,
    "--ignore-below": 0,
    "--metric": None,
    "--all": False,
    "--history": None,
    "--no-times": False,
}
"""Option about sizes → its value if it is not given."""


def _lines_of(project: Project) -> Coverage:
    """Return the lines that the permutations of a project compile, of those that are up to date."""
    from hlsl_tool.apps.report.coverage import coverage
    from hlsl_tool.apps.report.current_jobs import current_jobs
    from hlsl_tool.project.build.plan import plan

    _, current, missing = current_jobs(project, plan(project))
    return coverage(project, current, missing)


def _limits(options: argparse.Namespace) -> Limits:
    """Return the limits of growth.

    Raise ``Failed`` if they are invalid, or if no earlier build is given to compare with.
    """
    from hlsl_tool.apps.report.comparison import Limits
    from hlsl_tool.apps.report.snapshot import METRICS

    metrics = tuple(options.metric or ("bytes", "instructions"))
    for metric in metrics:
        if metric not in METRICS:
            raise common.Failed(f"--metric: `{metric}` is none of {', '.join(METRICS)}")
    total = _part(options.max_total, "--max-total") if options.max_total is not None else None
    limits = Limits(metrics, _part(options.max_growth, "--max-growth"), total, options.ignore_below)
    if options.against is None and (total is not None or limits.growth or options.ignore_below):
        raise common.Failed(
            "--max-growth, --max-total and --ignore-below compare with an earlier build: give --against"
        )
    if options.ignore_below < 0:
        raise common.Failed("--ignore-below: it is 0 or more")
    return limits


def _output_folder(project: Project | None) -> str:
    assert project is not None
    return os.path.join(project.root, project.output_dir)


def _part(text: str, option: str) -> float:
    """Convert a percentage (`5%`, `5 %` or `5`) to a fraction (0.05); raise ``Failed`` for other text."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?%?", text.strip())
    if match is None:
        raise common.Failed(f"{option}: `{text}` is no percentage such as 5%")
    return float(match[1]) / 100


def _listed(snapshot: Any, form: str) -> str:
    from hlsl_tool.apps.report.snapshot import METRICS

    rows = [(name, *(str(getattr(weight, metric)) for metric in METRICS)) for name, weight in sorted(snapshot.items())]
    rows.append(("total", *(str(sum(getattr(w, metric) for w in snapshot.values())) for metric in METRICS)))
    if form == "markdown":
        lines = ["| Shader | " + " | ".join(METRICS) + " |", "|---|" + "---:|" * len(METRICS)]
        return "\n".join(lines + [f"| `{name}` | " + " | ".join(cells) + " |" for name, *cells in rows]) + "\n"
    table = [("", *METRICS), *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(METRICS) + 1)]
    lines = []
    for name, *cells in table:
        lines.append(f"{name:<{widths[0]}}" + "".join(f"  {c:>{w}}" for c, w in zip(cells, widths[1:], strict=True)))
    return "\n".join(lines) + "\n"
