"""What became of the shaders that were asked for: of those with nodes, and of those in sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import SCons.Node

if TYPE_CHECKING:
    from hlsl_tool.build.engine import Engine
    from hlsl_tool.build.job import Job
    from hlsl_tool.scons.session import Session

Node = Any
"""SCons has no types."""

_ORDER = ("stale", "current", "stored", "built", "failed")
"""States of a shader: of two that are known of one, the later holds."""

_STATES = {
    SCons.Node.up_to_date: "current",
    SCons.Node.executed: "current",
    SCons.Node.failed: "failed",
}


def state_of(node: Node) -> str:
    """The state of a shader's node: one of `_STATES`, or `stale`."""
    return _STATES.get(node.get_state(), "stale")


def states_of(session: Session, requested: list[tuple[list[Node], Job, Engine]]) -> list[str] | None:
    """What became of each shader that was asked for; none where none was."""
    found: list[str] = []
    by_job: dict[tuple[str, str, str], str] = {}
    whole: set[tuple[str, str]] = set()
    any_set = False
    for tree in session.trees:
        place = tree.root, tree.plan.output_dir
        for each in tree.asked_sets():
            any_set = True
            if each.count is not None:
                found += ["current"] * each.count
                whole.add(place)
                continue
            stale = dict.fromkeys((job.name for job in each.jobs()), "stale") if each.states is None else {}
            for name, state in (each.states or stale).items():
                key = *place, name
                by_job[key] = max(by_job.get(key, "stale"), state, key=_ORDER.index)
    for nodes, job, engine in requested:
        place = engine.root, engine.output_dir
        is_counted = place in whole and hasattr(nodes[0].attributes, "hlsl_in_set")
        if not is_counted or (id(engine), job.name) in session.outcomes:
            key = *place, job.name
            by_job[key] = max(by_job.get(key, "stale"), state_of(nodes[0]), key=_ORDER.index)
    for (root, output_dir, name), state in by_job.items():
        built = session.outcomes.get((id(session.engines.get((root, output_dir))), name), "stale")
        found.append(max(state, built, key=_ORDER.index))
    return found if requested or any_set else None
