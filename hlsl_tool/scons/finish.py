"""The end of a SCons run: write manifests and state files, confirm log records, report stale outputs, print a summary.

`atexit` runs it, after SCons has written its database or failed to do so.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import SCons.Node.FS
import SCons.Script

from hlsl_tool.base.system.atomic_write import WriteError
from hlsl_tool.project.build.currency.stale_outputs import Owns, claimed, is_configured_by, report, report_pruned
from hlsl_tool.project.build.plan_cache import remember_calls
from hlsl_tool.project.build.ui.console import summary
from hlsl_tool.project.config.trust import fence
from hlsl_tool.scons.compat import database_paths, is_interactive
from hlsl_tool.scons.generated_files import made_below
from hlsl_tool.scons.model import Collected, DeclaredJob
from hlsl_tool.scons.requested import requested_jobs, requested_nodes, state_of, states_of
from hlsl_tool.scons.switches import document_name, prunes

if TYPE_CHECKING:
    from hlsl_tool.project.build.engine import Engine
    from hlsl_tool.project.build.job import Job
    from hlsl_tool.scons.session import Session


def finish(session: Session) -> None:
    """Write manifests and state files, confirm log records, report or delete stale outputs, and print the summary."""
    option = SCons.Script.GetOption
    if session.console.whole and not (option("clean") or option("help") or option("no_exec")):
        _write_document(session)
    for executor in session.executors:
        executor.close()
    for engine in session.engines.values():
        engine.close()
    if not (option("clean") or option("help") or option("no_exec")):
        remember_calls(str(SCons.Node.FS.get_default_fs().Top.get_abspath()), session.calls.options())
    if option("clean") or option("help") or not (session.jobs or session.trees):
        return
    session.progress.clear()
    session.console.finish()
    requested = requested_jobs(session)
    states = states_of(session, requested)
    if option("no_exec"):
        return
    _write_manifests(session, is_question=bool(option("question")))
    if sconsign_written(session.began):
        _settle(session, requested)
    for tree in session.trees:
        if (tree.root, tree.plan.output_dir) in session.engines and session.building.has_built(tree.engine):
            _write_manifest(session, tree.engine, tree.plan.jobs)
    stale = handle_stale_outputs(session)
    _save_states(session)
    if states is not None and not option("silent") and not is_interactive():
        session.progress.write(stale)
        session.progress.write(_summary(session, states) + "\n")


def _summary(session: Session, states: list[str]) -> str:
    count, seconds = states.count, time.monotonic() - session.began
    if SCons.Script.GetOption("question"):  # SCons stops at the first target that is out of date
        answer = "some are out of date" if count("stale") else f"{count('current')} up to date"
        return f"shaders: {answer} ({seconds:.1f} s)"
    return summary(
        count("built") + count("stored"),
        count("current"),
        count("failed"),
        count("stale"),
        seconds,
        stored=count("stored"),
        unfit=session.building.unfit_count(),
    )


def sconsign_written(since: float) -> bool:
    """Return whether SCons wrote its database in this run; an internal error of SCons prevents that.

    ``since``: the start of the run on the monotonic clock.
    """
    began = time.time() - (time.monotonic() - since)
    for path in database_paths():
        try:
            if os.stat(path).st_mtime >= began:
                return True
        except OSError:
            continue  # the other spelling, then
    return False


def _write_manifests(session: Session, *, is_question: bool) -> None:
    """Write the manifests again for plans that have one SCons node for each shader.

    A manifest lists shaders with identical SPIR-V, which are known only after all shaders have been built.
    """
    for engine, jobs in session.manifests:
        if (session.building.has_built(engine) or engine.records_are_loaded) and not is_question:
            _write_manifest(session, engine, jobs)


def _write_manifest(session: Session, engine: Engine, jobs: list[Job]) -> None:
    from hlsl_tool.project.build.outputs.manifest import write_manifest

    try:
        write_manifest(engine, jobs)
    except WriteError as error:
        session.progress.write(f"error: {error}\n")


def _settle(session: Session, requested: list[DeclaredJob]) -> None:
    """Mark the log records of up-to-date jobs, packs and link reports as confirmed: SCons has written its database."""
    settled: dict[int, tuple[Engine, list[str]]] = {}
    for declared in requested:
        if state_of(declared.nodes[0]) == "current":
            settled.setdefault(id(declared.engine), (declared.engine, []))[1].append(declared.job.name)
    for node in session.collected:
        if state_of(node) == "current":
            collected: Collected = node.attributes.hlsl_collected
            settled.setdefault(id(collected.engine), (collected.engine, []))[1].append(collected.name)
    for engine, names in settled.values():
        if engine.records_are_loaded:  # else nothing was to be done, and all is settled
            engine.records.confirm(names)


def _save_states(session: Session) -> None:
    in_sets = {id(engine) for tree in session.trees for engine in tree.save()}
    for engine in session.engines.values():
        if id(engine) not in in_sets:
            _save_state(session, engine)


def _save_state(session: Session, engine: Engine) -> None:
    """Write the state file of an engine; record a plan as up to date if it is the only one of its output folder."""
    from hlsl_tool.project.build.session import BuildTargets

    plans = [declared.plan for declared in session.plans if declared.engine is engine]
    nodes = [declared.nodes[0] for declared in session.jobs if declared.engine is engine]
    is_whole = False
    targets = BuildTargets(())
    if len(plans) == 1 and len(nodes) == plans[0].count and engine.records_are_loaded:
        plan = plans[0]
        targets = BuildTargets(plan.jobs, plan.links, plan.packs, is_whole=True, plan_key=plan.key)
        is_whole = all(state_of(node) == "current" for node in nodes)
    steps = session.building.steps(engine, targets)
    steps.save_state(is_whole=is_whole and steps.is_collected())


# -------------------------------------------------------------------------------------------------------- stale outputs

_COMMAND = "scons prune=1"


def handle_stale_outputs(session: Session) -> str:
    """Delete stale outputs if `prune=1`; return the lines about deleted and remaining ones."""
    if prunes():
        for tree in session.trees:
            session.engine(tree.plan.project)
    lines = [_handle(session, engine) for engine in session.engines.values()]
    for tree in session.trees:
        root, output_dir = tree.root, tree.plan.output_dir
        if (root, output_dir) not in session.engines:
            lines.append(report(tree.state.stale(), output_dir, _COMMAND))
    return "".join(dict.fromkeys(lines))


def _handle(session: Session, engine: Engine) -> str:
    if not (engine.records_are_loaded or prunes()):
        return report(engine.state.stale(), engine.output_dir, _COMMAND)
    engine.take_over([job for _, job, owner in session.jobs if owner is engine])
    for tree in session.trees:
        if (tree.root, tree.plan.output_dir) == (engine.root, engine.output_dir):
            engine.take_over(tree.plan.jobs)
    outputs, owns = _claimed(session, engine), _owns(session, engine)
    text = ""
    if prunes():
        try:
            text = report_pruned(engine.prune(outputs, owns), engine.output_dir)
        except WriteError as error:
            text = f"cannot remove `{error.path}`: {error.reason}\n"
    return text + report(engine.find_stale(outputs, owns), engine.output_dir, _COMMAND)


def _claimed(session: Session, engine: Engine) -> set[str]:
    """Return all outputs that this run declares below an engine's root, because output folders may be nested."""
    plans = [plan for owner, plan, _ in session.plans if owner.root == engine.root]
    plans += [tree.plan for tree in session.trees if tree.root == engine.root]
    outputs = claimed(job for _, job, owner in session.jobs if owner.root == engine.root) | made_below(engine.root)
    return outputs.union(*(claimed(plan.jobs, plan.links, plan.packs) for plan in plans))


def _owns(session: Session, engine: Engine) -> Owns:
    """Return a predicate that is true for configurations and SConscripts that declare shaders in this run."""
    scripts = {job.configuration for _, job, owner in session.jobs if owner is engine}
    names = [name for call in session.calls.calls if call.root == engine.root for name in call.names]
    is_configured = is_configured_by(names)
    return lambda file: file in scripts or is_configured(file)


# ------------------------------------------------------------------------------------------------------ documents


def _write_document(session: Session) -> None:
    """Write the document of a run to the file that `diagnostics_output` names, else to one in the output folder."""
    from hlsl_tool.base.diagnostics.visible import write_text
    from hlsl_tool.base.system.atomic_write import write_atomic
    from hlsl_tool.base.system.paths import relative
    from hlsl_tool.project.build.ui.diagnostics import render_messages
    from hlsl_tool.scons.arguments import FOR_DOCUMENT

    session.progress.clear()
    _add_current(session)
    text = render_messages([*FOR_DOCUMENT, *session.console.complete()], session.form)
    name = document_name()
    if name == "-":
        write_text(sys.stdout, text)
        sys.stdout.flush()
        return
    top = str(SCons.Node.FS.get_default_fs().Top.get_abspath())
    folder, below = _folder(session) or (top, "")
    path = os.path.join(top, name) if name else os.path.join(folder, f"diagnostics.{session.form}")
    try:
        write_atomic(path, text.encode(), below="" if name else below)
    except WriteError as error:
        session.progress.write(f"error: {error}\n")
    else:
        session.progress.write(f"messages: {relative(path, top)}\n")


def _folder(session: Session) -> tuple[str, str] | None:
    """Return the first output folder of the run, and the folder that it must not leave by a link."""
    places = [(engine.root, engine.output_dir) for engine in session.engines.values()]
    places += [(tree.root, tree.plan.output_dir) for tree in session.trees]
    if not places:
        return None
    return os.path.join(*places[0]), fence(*places[0])


def _add_current(session: Session) -> None:
    """Report the warnings of the requested shaders and link checks that are up to date."""
    from hlsl_tool.project.build.outputs.links import is_link_current, last_check

    names: dict[int, set[str]] = {}
    for engine, job in _requested(session):
        if engine.is_current(job):
            names.setdefault(id(engine), set()).add(job.name)
            session.console.add(job, engine.diagnostics(job), urgent=False)
    plans = [(declared.engine, declared.plan) for declared in session.plans]
    for engine, plan in (*plans, *((tree.engine, tree.plan) for tree in session.trees)):
        for link in plan.links:
            if names.get(id(engine), set()).issuperset(link.jobs) and is_link_current(engine, link):
                last_check(engine, link).report(session.console)


def _requested(session: Session) -> Iterator[tuple[Engine, Job]]:
    for declared in requested_jobs(session):
        yield declared.engine, declared.job
    for node in requested_nodes(session):
        if hasattr(node, "states"):
            for job in node.jobs():
                yield node.tree.engine, job
