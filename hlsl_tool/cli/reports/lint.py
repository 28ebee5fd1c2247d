"""`hlsl_tool lint`: run the lints on all shaders of a configuration."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.counted import counted
from hlsl_tool.cli import common
from hlsl_tool.cli.parsers import Parser, note

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Diagnostic
    from hlsl_tool.base.diagnostics.diagnostic import Code
    from hlsl_tool.project.build.job import Job


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser(
        "lint",
        help="warnings about shaders that a GPU runs badly, over all permutations",
        description="Compiles all permutations without writing outputs, and reports lints: those of builds, and those"
        " about all shaders together (resources and inputs that none of them uses, macros without effect).",
        epilog="exit status: 0; 1 with --werror if there is a finding; 2 if a shader does not compile",
    )
    common.add_project(parser)
    common.add_document(parser)
    common.add_jobs(parser)
    parser.add_argument("--list", action="store_true", help="print the names of the lints and what they report")
    parser.add_argument("--only", action="append", metavar="NAME", help="run this lint and no other; repeatable")
    parser.add_argument("--disable", action="append", metavar="NAME", help="do not run this lint; repeatable")
    parser.add_argument("--werror", action="store_true", help="exit with 1 if there is a finding")
    parser.add_argument("--fix", action="store_true", help="apply the fix-its of errors to the sources that they mend")
    parser.add_argument("configs", nargs="*", help=argparse.SUPPRESS)
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """List the lints, or run the selected ones on all shaders of the configurations; return the exit status."""
    names = _lints()
    if options.list:
        _print_list(names)
        return 0
    for name in (*(options.only or ()), *(options.disable or ())):
        if name not in names:
            from hlsl_tool.base.similar import did_you_mean

            hint = did_you_mean(name, names)
            raise common.Failed(f"no lint is called `{name}`" + (f"; {hint}" if hint else ""))
    if options.configs:
        note("`lint CONFIG` is now `lint --config CONFIG`")
        options.config = [*(options.config or ()), *options.configs]
    return _lint(options, names)


def _lint(options: argparse.Namespace, names: dict[str, list[Code]]) -> int:
    from hlsl_tool.apps.report.lint_facts import gather
    from hlsl_tool.apps.report.lint_sets import check_sets
    from hlsl_tool.base.system.dataclass import replace
    from hlsl_tool.project.build.plan import plan

    project = common.load_project(options)
    jobs = plan(project)
    chosen = (*(f"no-{name}" for name in ("lint", "uninitialized")), *options.only) if options.only else ()
    flags = (*chosen, *(f"no-{name}" for name in options.disable or ()))
    for job in jobs:
        job.options = replace(job.options, warnings=(*job.options.warnings, *flags), validate="no")
    facts = gather(project.root, jobs, options.jobs)
    lints = {code.id for codes in names.values() for code in codes}
    reported = [[d for d in one.diagnostics if d.code.id in lints or d.severity in ("error", "fatal")] for one in facts]
    of_sets = check_sets(project.permutations, jobs, facts, is_whole=options.config is None)
    count = _write(options, jobs, reported, of_sets)
    if options.fix:
        from hlsl_tool.project.build.ui.fixing import apply_fixes
        from hlsl_tool.project.build.workers.trials import trial_of

        fixed = apply_fixes((d for one in facts for d in one.diagnostics), project.root, trial_of(project.root, jobs))
        sys.stderr.write(fixed.report())
    if not all(one.ok for one in facts):
        return 2
    return 1 if options.werror and count else 0


def _write(
    options: argparse.Namespace, jobs: list[Job], reported: list[list[Diagnostic]], of_sets: list[Diagnostic]
) -> int:
    """Write each finding once, with the permutations that have it; return the number of findings."""
    from functools import partial

    from hlsl_tool.base.diagnostics.visible import write_text
    from hlsl_tool.project.build.ui.console import Console
    from hlsl_tool.project.build.ui.diagnostics import render_messages

    color = common.colored(options)
    console = Console(
        partial(write_text, sys.stderr),
        lambda diagnostics: render_messages(diagnostics, options.diagnostics, color=color),
        whole=common.is_document(options),
    )
    console.expect(jobs)
    for job, diagnostics in zip(jobs, reported, strict=True):
        console.add(job, diagnostics, urgent=False)
    console.finish()
    common.add_to_document(console, options)
    common.show(of_sets, options)
    count = len(console.groups) + len(of_sets)
    if options.diagnostics == "text":
        print(f"lints: {counted(count, 'finding')} in {counted(len(jobs), 'shader')}")
    return count


def _lints() -> dict[str, list[Code]]:
    """Return the diagnostic codes of each lint and of each group of lints, by name."""
    from hlsl_tool.base.diagnostics.catalogue import language, layout, lints
    from hlsl_tool.base.diagnostics.diagnostic import Code

    uninitialized = [language.UNINITIALIZED, language.SOMETIMES_UNINITIALIZED]
    names: dict[str, list[Code]] = {code.name: [code] for code in uninitialized}
    names["uninitialized"] = uninitialized
    for module in (lints, layout):
        for code in vars(module).values():
            if isinstance(code, Code) and code.severity == "warning" and not code.default_on:
                names.setdefault(code.name, [code])
                if code.group:
                    names.setdefault(code.group, []).append(code)
    return names


def _print_list(names: dict[str, list[Code]]) -> None:
    """Print one line for each lint."""
    from hlsl_tool.project.config.keys import BUILD_WARNINGS

    width = max(map(len, names))
    for name, (code, *_) in names.items():
        if name == code.name:
            default = "" if code.group == "lint" or name in BUILD_WARNINGS else "  (with --only)"
            print(f"{name:<{width}}  {code.template}{default}")
