"""`hlsl_tool report times`: print the times of a build by stage, shader and header, and list equal permutations."""

from __future__ import annotations

import argparse
import os
from typing import Any

from hlsl_tool.cli import common
from hlsl_tool.cli.parsers import Parser

ROWS = 10


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "report times",
        help="the time of a build by stage, shader and header, and equal permutations",
        description="Reads the log of the output folder, which has the times of each shader's last compilation by"
        " SCons, `build` or the watcher.",
        epilog="exit status: 0; 2 if nothing has been built",
    )
    common.add_project(parser)
    parser.add_argument("--json", action="store_true", help="everything, as JSON")
    parser.add_argument(
        "--top", type=int, default=ROWS, metavar="N", help=f"the length of lists ({ROWS}); 0 for no limit"
    )
    parser.add_argument("names", nargs="*", metavar="TARGET", help="only these outputs, entries, sources or patterns")
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """Print statistics about the last build of the named shaders, or of all; return the exit status."""
    from hlsl_tool.apps.report.statistics import as_json, as_text, collect
    from hlsl_tool.base.system.file_names import LOG_NAME
    from hlsl_tool.project.build.currency.log import Records
    from hlsl_tool.project.build.plan import job_of

    if options.top < 0:
        raise common.Failed("--top: it is 0 or more")
    project = common.load_project(options)
    permutations = project.permutations
    if options.names:
        permutations = common.all_chosen(project, options.names)
    jobs = [job_of(permutation, project.output_dir) for permutation in permutations]
    records = Records(os.path.join(project.root, project.output_dir, LOG_NAME))
    statistics = collect(project.root, jobs, records)
    if not statistics.built:
        raise common.Failed("nothing has been built yet")
    print(as_json(statistics) if options.json else as_text(statistics, options.top or None), end="")
    return 0
