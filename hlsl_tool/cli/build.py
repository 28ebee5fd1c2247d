"""`hlsl_tool build`: what `scons shaders` does, without SCons."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from hlsl_tool.cli import common


def add(verbs: Any) -> None:
    parser: argparse.ArgumentParser = verbs.add_parser("build", help="build shaders without SCons")
    common.add_project(parser)
    common.add_jobs(parser)
    common.add_executor(parser)
    common.add_store(parser)
    parser.add_argument(
        "--verify-cache", type=float, nargs="?", const=100.0, default=0.0, metavar="PERCENT",
        help="compile so many of the shaders that the store has, and compare (100 if no number is given)",
    )
    parser.add_argument("names", nargs="*", help="outputs, entries or sources; all if none is named")
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    from hlsl_tool.build.batch import build_all
    from hlsl_tool.build.console import Console, summary
    from hlsl_tool.build.engine import Engine
    from hlsl_tool.build.executors import Later
    from hlsl_tool.build.files import WriteError
    from hlsl_tool.build.links import plan_links
    from hlsl_tool.build.messages import WHOLE_FORMS, render_messages
    from hlsl_tool.build.packs import pack_all, plan_packs
    from hlsl_tool.build.plan import job_of
    from hlsl_tool.build.progress import Progress
    from hlsl_tool.build.toolchain import fingerprint
    from hlsl_tool.config.show import find

    began = time.monotonic()
    project = common.load_project(options)
    variants = project.variants
    if options.names:
        variants = []
        for name in options.names:
            found = find(project, name)
            if not found:
                raise common.Failed(f"no shader is called `{name}`")
            variants += [variant for variant in found if variant not in variants]
    jobs = [job_of(variant, project.output_dir) for variant in variants]
    for job in jobs:
        job.fingerprint = fingerprint(job.options.spirv_tools)
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
    runner.work = engine.estimate(stale)
    try:
        outcomes = build_all(engine, stale, workers=runner.width() if stale else 1, progress=progress, console=console)
        broken = {name for name, outcome in outcomes.items() if outcome.state == "failed"}
        unfit = engine.link_all([link for link in plan_links(project, jobs) if broken.isdisjoint(link.jobs)], console)
        packed = True
        if not options.names:
            engine.write_manifest(jobs)
            packed = pack_all(engine, plan_packs(project, jobs), progress.write)
    except WriteError as error:
        raise common.Failed(f"cannot write `{error.path}`: {error.reason}") from None
    finally:
        console.finish()
        runner.close()
        engine.save_state()
        engine.close()
    write = progress.write
    if unfit:
        write(f"stages that do not fit: {', '.join(link.name for link in unfit)}\n")
    failed = len(broken)
    built = sum(outcome.state == "built" for outcome in outcomes.values())
    stored = sum(outcome.state == "built" and outcome.result.reused != "" for outcome in outcomes.values())
    write(summary(built, len(jobs) - built - failed, failed, 0, time.monotonic() - began, stored=stored) + "\n")
    return 2 if failed or unfit or not packed else 0
