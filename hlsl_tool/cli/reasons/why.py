"""`hlsl_tool why TARGET`: print why a shader is out of date, or why it was last built."""

from __future__ import annotations

import argparse
from typing import Any

from hlsl_tool.cli import common
from hlsl_tool.cli.parsers import Parser


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "why",
        help="why a shader is out of date, or was built the last time",
        description="Names the option, the tool, the file, and in it the function or macro that differs from the last"
        " build. Changes inside of files are found with the help of the store.",
    )
    common.add_project(parser)
    common.add_store(parser)
    parser.add_argument("names", nargs="+", metavar="TARGET", help="outputs, entries, sources, or patterns")
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """Print for each named shader why it is out of date, or why it was last built; return the exit status."""
    from hlsl_tool.project.build.currency.toolchain import fingerprint_of
    from hlsl_tool.project.build.engine import Engine
    from hlsl_tool.project.build.plan import job_of
    from hlsl_tool.project.build.workers.executors import Inline

    project = common.load_project(options)
    permutations = common.all_chosen(project, options.names)
    engine = Engine(project.root, project.output_dir, Inline(project.root), common.store_of(options, project))
    for permutation in permutations:
        job = job_of(permutation, project.output_dir)
        job.fingerprint = fingerprint_of(job)
        now = engine.causes(job)
        record = engine.records.get(job.name)
        print(f"{job.name}: {'out of date' if now else 'up to date; why it was built:'}")
        for cause in now or (record.causes if record is not None else []):
            print(f"  {cause}")
    engine.close()
    return 0
