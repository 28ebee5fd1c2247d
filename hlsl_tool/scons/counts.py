"""States of the shaders that were asked for: those with nodes of their own, and those in sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import SCons.Node

if TYPE_CHECKING:
    from hlsl_tool.scons.session import DeclaredJob, Session

Node = Any
"""SCons has no types."""

_ORDER = ("stale", "current", "stored", "built", "failed")
"""States of a shader: where two are reported for one, the later holds."""

_STATES = {
    SCons.Node.up_to_date: "current",
    SCons.Node.executed: "current",
    SCons.Node.failed: "failed",
}


def state_of(node: Node) -> str:
    """Return the state of a shader's node: `current`, `failed` or `stale`."""
    return _STATES.get(node.get_state(), "stale")


def states_of(session: Session, requested: list[DeclaredJob]) -> list[str] | None:
    """Return the state of each shader that was asked for; `None` if none was."""
    counted: list[str] = []
    """States of sets that are current by the state file, which does not name their shaders."""
    states: dict[tuple[str, str, str], str] = {}
    """(root, output folder, job) → state."""
    whole: set[tuple[str, str]] = set()
    has_set = False

    def merge(key: tuple[str, str, str], state: str) -> None:
        states[key] = max(states.get(key, "stale"), state, key=_ORDER.index)

    for tree in session.trees:
        folder = tree.root, tree.plan.output_dir
        for part in tree.requested_sets():
            has_set = True
            if part.count is not None:
                counted += ["current"] * part.count
                whole.add(folder)
                continue
            stale = dict.fromkeys((job.name for job in part.jobs()), "stale") if part.states is None else {}
            for name, state in (part.states or stale).items():
                merge((*folder, name), state)
    for nodes, job, engine in requested:
        folder = engine.root, engine.output_dir
        is_counted = folder in whole and hasattr(nodes[0].attributes, "hlsl_in_set")
        if not is_counted or (id(engine), job.name) in session.building.states:
            merge((*folder, job.name), state_of(nodes[0]))
    for (root, output_dir, name), state in states.items():
        engine_id = id(session.engines.get((root, output_dir)))
        counted.append(max(state, session.building.states.get((engine_id, name), "stale"), key=_ORDER.index))
    return counted if requested or has_set else None
