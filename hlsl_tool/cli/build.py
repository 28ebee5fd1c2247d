"""`hlsl_tool build`: build shaders without SCons."""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.system.paths import relative
from hlsl_tool.cli import common
from hlsl_tool.cli.output import check_apart, require_file, shared_file_message
from hlsl_tool.cli.parsers import Parser

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from hlsl_tool.base.diagnostics import Diagnostic
    from hlsl_tool.project.build.engine import Engine
    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.plan_cache import Loaded, Plan
    from hlsl_tool.project.build.session import BuildSession
    from hlsl_tool.project.build.ui.console import Console
    from hlsl_tool.project.build.ui.progress import Progress


def add(verbs: Any) -> None:
    """Add the parser of this verb to the command line."""
    parser: Parser = verbs.add_parser("build", help="build shaders without SCons")
    common.add_project(parser)
    common.add_document(parser)
    common.add_jobs(parser)
    common.add_executor(parser)
    common.add_store(parser)
    parser.add_argument(
        "--verify-cache",
        type=float,
        nargs="?",
        const=100.0,
        default=0.0,
        metavar="PERCENT",
        help="compile so many of the shaders that the store has, and compare (100 if no number is given)",
    )
    parser.add_argument(
        "--no-server", action="store_true", help="compile without the compile server (`hlsl_tool server`)"
    )
    parser.add_argument("--prune", action="store_true", help="remove outputs of shaders that are configured no more")
    parser.add_argument(
        "--fix", action="store_true", help="apply the fix-its of errors that mend the sources; build again then"
    )
    parser.add_argument("--quiet", action="store_true", help="write diagnostics only: no progress and no summary")
    parser.add_argument("--stamp", metavar="FILE", help="write an empty file once everything is up to date")
    parser.add_argument(
        "--depfile", metavar="FILE", help="write a rule for make or ninja: the stamp and all files that were read"
    )
    parser.add_argument("names", nargs="*", help="outputs, entries, sources, or patterns of them; all if none is named")
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """Build the named shaders, or all shaders; return the exit status."""
    began = time.monotonic()
    require_file("--stamp", options.stamp)
    require_file("--depfile", options.depfile)
    check_apart(("--stamp", options.stamp), ("--depfile", options.depfile))
    if options.names:
        for flag in ("prune", "stamp", "depfile"):
            if getattr(options, flag):
                raise common.Failed(f"--{flag} is for the whole configuration: name no shaders")
        return _build(options, began, _named(options))
    if options.depfile and not options.stamp:
        raise common.Failed("--depfile needs --stamp: the file that depends on the others")
    plan = common.load_plan(options)
    _check_stamps(options, plan)
    status = 0
    if options.prune or common.is_document(options) or not _is_current(options, plan, began):
        status = _build(options, began, plan.loaded(), plan=plan.key)
    if status == 0 and options.stamp:
        _write_stamp(options, plan)
    return status


def _check_stamps(options: argparse.Namespace, plan: Plan) -> None:
    """Raise `Failed` if the stamp file or the depfile is also an output of the plan."""
    if not options.stamp:
        return
    from hlsl_tool.base.system.file_names import MANIFEST_NAME
    from hlsl_tool.project.build.currency.stale_outputs import claimed

    root = common.find_root(options.root)
    outputs = claimed(plan.jobs, plan.links, plan.packs) | {f"{plan.output_dir}/{MANIFEST_NAME}"}
    for flag in ("stamp", "depfile"):
        path = relative(getattr(options, flag) or os.curdir, root)
        if path in outputs:
            raise common.Failed(shared_file_message(f"--{flag}", path))


def _write_stamp(options: argparse.Namespace, plan: Plan) -> None:
    """Write the depfile and then the stamp file, for the build system that runs this command."""
    from hlsl_tool.base.system.atomic_write import WriteError, write_atomic
    from hlsl_tool.project.exchange.inputs import inputs_of_plan
    from hlsl_tool.project.exchange.step import depfile

    try:
        if options.depfile:
            inputs = map(_readable, inputs_of_plan(plan, common.configs(options)))
            write_atomic(options.depfile, depfile(options.stamp, inputs))
        write_atomic(options.stamp, b"")
    except WriteError as error:
        raise common.Failed(str(error)) from None


def _readable(path: str) -> str:
    """Return a path in a spelling that ninja can read in a depfile.

    It is relative to the working folder if the absolute path has characters such as `&` that ninja cannot read.
    """
    from hlsl_tool.project.build.outputs.make_rule import ninja_reads

    if ninja_reads(path):
        return path
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive
        return path


def _is_current(options: argparse.Namespace, plan: Plan, began: float) -> bool:
    """Return True, and write the summary, if the state file shows that everything is up to date.

    Neither the jobs nor the log are read in this case.
    """
    from hlsl_tool.project.build.currency.stale_outputs import report
    from hlsl_tool.project.build.currency.state_file import State
    from hlsl_tool.project.build.ui.console import summary
    from hlsl_tool.project.build.ui.progress import Progress

    if options.executor is not None or options.store is not None:  # reports a wrong address or store
        common.executor_of(options, plan.project)
        common.store_of(options, plan.project)
    state = State(common.find_root(options.root), plan.output_dir)
    count = state.count(plan.key)
    if count is not None:
        write = Progress(sys.stdout).write
        write(report(state.stale(), plan.output_dir))
        if not options.quiet:
            write(summary(0, count, 0, 0, time.monotonic() - began) + "\n")
    return count is not None


def _named(options: argparse.Namespace) -> Loaded:
    """Return project, jobs, link jobs and packs of the shaders that the command line names."""
    from hlsl_tool.project.build.currency.toolchain import fingerprint_of
    from hlsl_tool.project.build.outputs.links import plan_links
    from hlsl_tool.project.build.plan import plan

    project = common.load_project(options)
    permutations = common.all_chosen(project, options.names)
    all_jobs = plan(project)
    plan_links(project, all_jobs)  # marks stages that are linked with shaders that are not named
    names = {permutation.name for permutation in permutations}
    jobs = [job for job in all_jobs if job.name in names]
    for job in jobs:
        job.fingerprint = fingerprint_of(job)
    return project, jobs, plan_links(project, jobs), []


def _build(options: argparse.Namespace, began: float, loaded: Loaded, *, plan: str = "") -> int:
    """Build and return the exit status.  ``plan`` is the key of the whole plan; empty if only a part of it is built."""
    from hlsl_tool.apps.server.builds import lender
    from hlsl_tool.base.system.atomic_write import WriteError
    from hlsl_tool.project.build.batch import build_all
    from hlsl_tool.project.build.engine import Engine
    from hlsl_tool.project.build.session import BuildPolicy, BuildSession, BuildTargets
    from hlsl_tool.project.build.workers.choice import Later

    project, jobs, links, packs = loaded
    store = common.store_of(options, project)
    workers = lender(is_wanted=not options.no_server, is_quiet=options.quiet)
    runner = Later(project.root, options.jobs, store, common.executor_of(options, project), workers)
    engine = Engine(project.root, project.output_dir, runner, store, verify=options.verify_cache / 100)
    progress = _progress(options)
    console = _console(options, progress)
    session = BuildSession(engine, console, BuildTargets(jobs, links, packs, bool(plan), plan))
    outdated = session.outdated()
    progress.expect(len(outdated))
    runner.work = engine.estimate(outdated)
    width = runner.width() if outdated else 1
    policy = BuildPolicy(
        build=lambda jobs: build_all(engine, jobs, workers=width, progress=progress, console=console),
        write=progress.write,
        stale_outputs=(lambda: _handle_stale(options, session, progress.write)) if plan else None,
        saves_state=True,
    )
    try:
        result = session.run(outdated, policy)
        if console.whole:
            session.report_current([job for job in jobs if job.name not in result.outcomes])
    except WriteError as error:
        raise common.Failed(str(error)) from None
    finally:
        console.finish()
        common.add_to_document(console, options)
        runner.close()
        engine.close()
    if options.fix:
        progress.write(_fixed(console, engine, jobs, result.undone))
    if result.unfit:
        progress.write(f"stages that do not fit: {', '.join(link.name for link in result.unfit)}\n")
    if not options.quiet:
        progress.write(result.summary(len(jobs), time.monotonic() - began) + "\n")
    return 0 if result.ok else 2


def _fixed(console: Console, engine: Engine, jobs: list[Job], failed: Collection[str]) -> str:
    """Apply the fix-its of the errors of a build; return lines about the changed files and those that were refused.

    The fix-its are tried with the shaders that ``failed``, and with those that read the files to change.
    """
    from hlsl_tool.project.build.ui.fixing import apply_fixes
    from hlsl_tool.project.build.workers.trials import trial_of

    diagnostics = console.diagnostics()
    files = {fix.file for diagnostic in diagnostics for fix in diagnostic.fixes}
    concerned = [job for job in jobs if job.name in failed or not files.isdisjoint(engine.files_of([job]))]
    return apply_fixes(diagnostics, engine.root, trial_of(engine.root, concerned)).report()


def _console(options: argparse.Namespace, progress: Progress) -> Console:
    """Return the console of a build, which writes diagnostics to the standard error, as far as they are lines."""
    from hlsl_tool.base.diagnostics.visible import write_text
    from hlsl_tool.project.build.ui.console import Console
    from hlsl_tool.project.build.ui.diagnostics import render_messages

    color = common.colored(options)

    def write(text: str) -> None:
        progress.clear()
        write_text(sys.stderr, text)
        sys.stderr.flush()

    def render(diagnostics: list[Diagnostic]) -> str:
        return render_messages(diagnostics, options.diagnostics, color=color)

    return Console(write, render, whole=common.is_document(options))


def _progress(options: argparse.Namespace) -> Progress:
    """Return the progress of a build: on the standard output, if no document of diagnostics goes there."""
    from hlsl_tool.project.build.ui.progress import Progress

    return Progress(sys.stderr if common.is_document_on_stdout(options) else sys.stdout, quiet=options.quiet)


def _handle_stale(options: argparse.Namespace, session: BuildSession, write: Callable[[str], None]) -> None:
    """Delete stale outputs if `--prune` is given, else report them."""
    from hlsl_tool.project.build.currency.stale_outputs import claimed, is_configured_by, report, report_pruned

    engine, targets = session.engine, session.targets
    engine.take_over(targets.jobs)
    outputs = claimed(targets.jobs, targets.links, targets.packs)
    owns = is_configured_by(common.configs(options))
    if options.prune:
        write(report_pruned(engine.prune(outputs, owns), engine.output_dir))
    write(report(engine.find_stale(outputs, owns), engine.output_dir))
