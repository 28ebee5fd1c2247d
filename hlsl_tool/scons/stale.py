"""Stale outputs at the end of a run of SCons: reported, and with `scons prune=1` removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.build.currency.stale_outputs import Owns, claimed, is_configured_by, report, report_pruned
from hlsl_tool.scons.generated_files import made_below
from hlsl_tool.scons.switches import prunes
from hlsl_tool.system.atomic_write import WriteError

if TYPE_CHECKING:
    from hlsl_tool.build.engine import Engine
    from hlsl_tool.scons.session import Session


_COMMAND = "scons prune=1"


def handle_stale_outputs(session: Session) -> str:
    """Remove stale outputs with `prune=1`; return the lines about removed and remaining ones."""
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
    """Return the outputs of everything that was declared below a root: output folders may be nested."""
    plans = [plan for owner, plan, _ in session.plans if owner.root == engine.root]
    plans += [tree.plan for tree in session.trees if tree.root == engine.root]
    outputs = claimed(job for _, job, owner in session.jobs if owner.root == engine.root) | made_below(engine.root)
    return outputs.union(*(claimed(plan.jobs, plan.links, plan.packs) for plan in plans))


def _owns(session: Session, engine: Engine) -> Owns:
    """Configurations and SConscripts that declare shaders in this run."""
    scripts = {job.configuration for _, job, owner in session.jobs if owner is engine}
    names = [name for call in session.calls.calls if call.root == engine.root for name in call.names]
    is_configured = is_configured_by(names)
    return lambda file: file in scripts or is_configured(file)
