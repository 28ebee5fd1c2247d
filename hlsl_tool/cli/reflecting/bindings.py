"""`hlsl_tool reflect bindings`: show the binding of each resource, and the rule that determined it."""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from hlsl_tool.cli import common
from hlsl_tool.cli.output import STANDARD_INPUT, read_input
from hlsl_tool.cli.parsers import add_verb

if TYPE_CHECKING:
    from hlsl_tool.reflection.linking.table import Table

_USAGE = """hlsl_tool reflect bindings SHADER.hlsl -T PROFILE [-E ENTRY] [any option of hlsl2spirv]
       hlsl_tool reflect bindings [--root ROOT] --config PATH [NAME ...]"""
_EPILOG = """Columns: set, binding, resource, HLSL type, register, the rule that gave the binding, number of
descriptors, their kind, place of the declaration. Resources that are optimised away are listed as unused. With
--config there is a table for each entry and permutation, and one for all of a shader together.
Exit status: 0; 1 if a shader does not compile; 2 if the command line is wrong."""


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    text = "the binding of each resource, and the rule that chose it"
    parser = add_verb(verbs, "reflect bindings", run, help=text, usage=_USAGE, epilog=_EPILOG, takes_rest=True)
    common.add_project(parser)
    parser.add_argument("--format", choices=("text", "json", "csv"), default="text", help="the form of the table")
    common.add_jobs(parser)


def run(options: argparse.Namespace) -> int:
    """Print the bindings of one shader, or of the shaders of a project; return the exit status."""
    from hlsl_tool.reflection.linking.table import RENDERERS

    rest: list[str] = options.rest
    if options.config is not None or options.root is not None:
        return _project(options, rest)
    if not rest:
        raise common.Failed("no shader is named; see `hlsl_tool reflect bindings --help`")
    status, tables = _single(rest, options)
    if tables:
        sys.stdout.write(RENDERERS[options.format](tables))
    return status


def _single(words: list[str], options: argparse.Namespace) -> tuple[int, list[Table]]:
    from hlsl_tool.base.options.checks import modern_profile
    from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
    from hlsl_tool.compiler.compile import compile_shader
    from hlsl_tool.reflection.linking.binding_table import binding_table
    from hlsl_tool.reflection.linking.table import Table

    command = common.command_of(words)
    fs = CachedFileSystem(OSFileSystem(os.getcwd()))
    path = fs.resolve(command.source)
    data = read_input(command.source) if command.source == STANDARD_INPUT else fs.read(path)
    if data is None:
        raise common.Failed(f"cannot read `{command.source}`")
    source = SourceFile.from_bytes(command.source, path, data)
    o = command.options
    from hlsl_tool.base.system.deep_stack import with_deep_stack

    result = with_deep_stack(
        lambda: compile_shader(source, entry=o.entry, profile=modern_profile(o.profile), options=o, fs=fs)
    )
    common.show(result.diagnostics, options)
    if not result.ok or result.module is None:
        return 1, []
    rows = binding_table(result.module, result.interface)
    return 0, [Table(os.path.basename(command.source), command.source, o.entry, o.profile, rows)]


def _project(options: argparse.Namespace, names: list[str]) -> int:
    from hlsl_tool.base.diagnostics import Diagnostic
    from hlsl_tool.project.build.outputs.binding_tables import group_tables, read_table
    from hlsl_tool.project.build.plan import job_of
    from hlsl_tool.project.build.workers.choice import executor
    from hlsl_tool.reflection.linking.table import RENDERERS

    project = common.load_project(options)
    permutations = project.permutations
    for name in names:
        if name.startswith("-"):
            raise common.Failed(f"`{name}` goes with a shader; with --config its options count")
    if names:
        matches = [common.chosen(project, name) for name in names]
        permutations = [v for v in project.permutations if any(v in some for some in matches)]
    jobs = [job_of(permutation, project.output_dir, outputs=("bindings",)) for permutation in permutations]
    runner = executor(project.root, options.jobs)
    try:
        with ThreadPoolExecutor(max(1, options.jobs)) as pool:
            results = list(pool.map(runner.run, jobs))
    finally:
        runner.close()
    diagnostics: list[Diagnostic] = []
    for result in results:
        diagnostics += [d for d in result.diagnostics if d not in diagnostics]
    common.show(diagnostics, options)
    tables = [read_table(job, result) for job, result in zip(jobs, results, strict=True) if result.ok]
    groups = group_tables(permutations, tables)
    sys.stdout.write(RENDERERS[options.format](tables, groups))
    return 0 if all(result.ok for result in results) else 1
