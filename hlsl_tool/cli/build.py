"""`hlsl_tool build`: what `scons shaders` does, without SCons."""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any

from hlsl_tool.cli import common

if TYPE_CHECKING:
    from collections.abc import Callable

    from hlsl_tool.build.currency.plan_cache import Loaded, Plan
    from hlsl_tool.build.engine import Engine
    from hlsl_tool.build.outputs.links import LinkJob
    from hlsl_tool.build.outputs.packs import PackJob
    from hlsl_tool.build.plan import Job
    from hlsl_tool.config.model import Project, Variant


def add(verbs: Any) -> None:
    parser: argparse.ArgumentParser = verbs.add_parser("build", help="build shaders without SCons")
    common.add_project(parser)
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
    parser.add_argument("--prune", action="store_true", help="remove outputs of shaders that are configured no more")
    parser.add_argument("names", nargs="*", help="outputs, entries or sources; all if none is named")
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    began = time.monotonic()
    if options.names:
        if options.prune:
            raise common.Failed("--prune compares with the whole configuration: name no shaders")
        return _build(options, began, *_named(options))
    plan = common.load_plan(options)
    if plan.has_packs or options.prune or not _is_current(options, plan, began):
        return _build(options, began, *plan.loaded(), plan=plan.key)
    return 0


def _is_current(options: argparse.Namespace, plan: Plan, began: float) -> bool:
    """Write the summary if nothing has changed since all shaders were current: then neither the jobs nor the log are
    needed."""
    from hlsl_tool.build.currency.stale_outputs import report
    from hlsl_tool.build.currency.state import State
    from hlsl_tool.build.ui.console import summary
    from hlsl_tool.build.ui.progress import Progress

    if options.executor is not None or options.store is not None:  # what is given wrongly is told all the same
        common.executor_of(options, plan.project)
        common.store_of(options, plan.project)
    state = State(common.find_root(options.root), plan.output_dir)
    count = state.count(plan.key)
    if count is not None:
        write = Progress(sys.stdout).write
        write(report(state.stale(), plan.output_dir))
        write(summary(0, count, 0, 0, time.monotonic() - began) + "\n")
    return count is not None


def _named(options: argparse.Namespace) -> Loaded:
    """The part of the project that was asked for."""
    from hlsl_tool.build.currency.toolchain import fingerprint
    from hlsl_tool.build.outputs.links import plan_links
    from hlsl_tool.build.plan import plan
    from hlsl_tool.config.show import find

    project = common.load_project(options)
    variants: list[Variant] = []
    for name in options.names:
        found = find(project, name)
        if not found:
            raise common.Failed(f"no shader is called `{name}`")
        variants += [variant for variant in found if variant not in variants]
    every = plan(project)
    plan_links(project, every)  # marks what is linked with others that are not named here
    names = {variant.name for variant in variants}
    jobs = [job for job in every if job.name in names]
    for job in jobs:
        job.fingerprint = fingerprint(job.options.spirv_tools)
    return project, jobs, plan_links(project, jobs), []


def _build(
    options: argparse.Namespace,
    began: float,
    project: Project,
    jobs: list[Job],
    links: list[LinkJob],
    packs: list[PackJob],
    *,
    plan: str = "",
) -> int:
    """``plan``: the key of the plan that these are all of."""
    from hlsl_tool.build.batch import build_all
    from hlsl_tool.build.currency.stale_outputs import claimed
    from hlsl_tool.build.engine import Engine
    from hlsl_tool.build.outputs.packs import pack_all
    from hlsl_tool.build.ui.console import Console, summary
    from hlsl_tool.build.ui.diagnostics import WHOLE_FORMS, render_messages
    from hlsl_tool.build.ui.progress import Progress
    from hlsl_tool.build.workers.executors import Later
    from hlsl_tool.system.atomic_write import WriteError

    store = common.store_of(options, project)
    runner = Later(project.root, options.jobs, store, common.executor_of(options, project))
    engine = Engine(project.root, project.output_dir, runner, store, verify=options.verify_cache / 100)
    progress = Progress(sys.stdout)

    def write_messages(text: str) -> None:
        if console.whole:
            progress.clear()
            sys.stderr.write(text)
        else:
            progress.write(text)

    form = options.diagnostics
    color = common.colored(options)
    whole = form in WHOLE_FORMS
    console = Console(write_messages, lambda found: render_messages(found, form, color=color), whole=whole)
    stale = [job for job in jobs if not engine.current(job)]
    is_whole = False
    progress.expect(len(stale))
    runner.work = engine.estimate(stale)
    try:
        outcomes = build_all(engine, stale, workers=runner.width() if stale else 1, progress=progress, console=console)
        broken = {name for name, outcome in outcomes.items() if outcome.state == "failed"}
        unfit = engine.link_all([link for link in links if broken.isdisjoint(link.jobs)], console)
        packed = True
        if plan:
            engine.write_manifest(jobs)
            packed = pack_all(engine, packs, progress.write, broken)
            _stale(options, engine, jobs, claimed(jobs, links, packs), progress.write)
        is_whole = bool(plan) and not (broken or unfit)
    except WriteError as error:
        raise common.Failed(f"cannot write `{error.path}`: {error.reason}") from None
    finally:
        console.finish()
        runner.close()
        if engine.records_are_loaded:
            engine.records.compact()
        engine.save_state(*((jobs, links) if is_whole else ()), plan=plan if is_whole else "")
        engine.close()
    write = progress.write
    if unfit:
        write(f"stages that do not fit: {', '.join(link.name for link in unfit)}\n")
    failed = len(broken)
    built = sum(outcome.state == "built" for outcome in outcomes.values())
    stored = sum(outcome.state == "built" and outcome.result.reused != "" for outcome in outcomes.values())
    write(summary(built, len(jobs) - built - failed, failed, 0, time.monotonic() - began, stored=stored) + "\n")
    return 2 if failed or unfit or not packed else 0


def _stale(
    options: argparse.Namespace, engine: Engine, jobs: list[Job], claimed: set[str], write: Callable[[str], None]
) -> None:
    """Remove stale outputs with --prune, else report them."""
    from hlsl_tool.build.currency.stale_outputs import is_configured_by, report, report_pruned

    engine.take_over(jobs)
    owns = is_configured_by(common.configs(options))
    if options.prune:
        write(report_pruned(engine.prune(claimed, owns), engine.output_dir))
    write(report(engine.find_stale(claimed, owns), engine.output_dir))
