"""`hlsl_tool config show NAME`: show the settings of a shader.  `hlsl_tool config check`: check configurations."""

from __future__ import annotations

import argparse
from typing import Any

from hlsl_tool.base.counted import counted
from hlsl_tool.cli import common
from hlsl_tool.cli.parsers import Parser


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser("config", help="look into configurations")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    show = actions.add_parser("show", help="the settings of shaders, with their places")
    common.add_project(show)
    show.add_argument("name", nargs="+", help="an output, an entry point, a source, or a pattern of them")
    show.add_argument("--all", action="store_true", help="settings at their defaults, too")
    show.set_defaults(function=run_show)
    check = actions.add_parser("check", help="read all configurations and list what they build")
    common.add_project(check)
    common.add_document(check)
    check.set_defaults(function=run_check)


def run_show(options: argparse.Namespace) -> int:
    """Print the settings of the shaders that the command line names; return the exit status."""
    from hlsl_tool.project.config.show import show

    project = common.load_project(options)
    print(show(common.all_chosen(project, options.name), with_defaults=options.all), end="")
    return 0


def run_check(options: argparse.Namespace) -> int:
    """Print the name of each shader; return the exit status. Raise `Failed` if a configuration has errors."""
    project = common.load_project(options)
    if common.is_document_on_stdout(options):
        return 0
    for permutation in project.permutations:
        print(f"{permutation.name}  ({permutation.source}, {permutation.options.profile})")
    print(f"{counted(len(project.permutations), 'shader')} in {counted(len(project.files), 'file')}")
    return 0
