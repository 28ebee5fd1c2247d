"""The shaders that the targets of a run depend on, and their states: for estimates and the summary."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import SCons.Node
import SCons.Node.FS
import SCons.Script

from hlsl_tool.scons.compat import known_alias
from hlsl_tool.scons.model import DeclaredJob, Node
from hlsl_tool.scons.switches import job_count

if TYPE_CHECKING:
    from hlsl_tool.scons.session import Session

_ORDER = ("stale", "current", "stored", "built", "failed")
"""States of a shader: where two are reported for one, the later holds."""

_STATES = {
    SCons.Node.up_to_date: "current",
    SCons.Node.executed: "current",
    SCons.Node.failed: "failed",
}


def requested_jobs(session: Session) -> list[DeclaredJob]:
    """Return the jobs with nodes of their own that the targets depend on."""
    shaders, folders = _walk(session)
    return [
        declared
        for declared in session.jobs
        if any(node in shaders or node.get_abspath().startswith(folders) for node in declared.nodes)
    ]


def requested_nodes(session: Session) -> set[Node]:
    """Return the nodes of shaders that the targets of the run depend on.

    If they depend on a folder, the result includes the nodes of all `HlslShaders` calls that write into it.
    """
    shaders, folders = _walk(session)
    return shaders | {tree.all for tree in session.trees if (tree.folder + os.sep).startswith(folders)}


def _walk(session: Session) -> tuple[set[Node], tuple[str, ...]]:
    """Follow the dependencies of all targets.

    Return the nodes of shaders and the paths of folders that were reached.
    """
    shaders: set[Node] = set()
    folders: list[str] = []
    seen: set[int] = set()
    todo = list(session.targets or SCons.Script.BUILD_TARGETS)
    while todo:
        node = _node_of(session, todo.pop())
        if id(node) in seen:
            continue
        seen.add(id(node))
        if hasattr(node.attributes, "hlsl_job") or hasattr(node, "states"):
            shaders.add(node)
            continue
        if isinstance(node, SCons.Node.FS.Entry) and node.isdir():
            folders.append(node.get_abspath() + os.sep)
        elif isinstance(node, SCons.Node.FS.Dir):
            folders.append(node.get_abspath() + os.sep)
            # Not by the dictionary's own methods, which would make nodes of all outputs in the folder.
            todo += [entry for name, entry in dict.items(node.entries) if name not in (".", "..")]
        todo += [*(node.sources or ()), *(node.depends or ()), *(node.implicit or ()), *(node.prerequisites or ())]
    return shaders, tuple(folders)


def _node_of(session: Session, target: Any) -> Node:
    """Return the node of a target, which may be a word from the command line."""
    if not isinstance(target, str):
        return target
    fs = SCons.Node.FS.get_default_fs()
    alias = known_alias(target) or session.lookup(target, str(fs.Top.get_abspath()))
    return alias if alias is not None else fs.Entry(target, fs.Top)


def state_of(node: Node) -> str:
    """Return the state of a shader's node: `current`, `failed` or `stale`."""
    return _STATES.get(node.get_state(), "stale")


def states_of(session: Session, requested: list[DeclaredJob]) -> list[str] | None:
    """Return the state of each requested shader; `None` if no shader was requested."""
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


def expect_builds(session: Session) -> None:
    """Count the jobs that this run will build, for its progress and estimates; later calls do nothing.

    These are jobs with nodes of their own, and jobs of nodes that build several shaders.
    """
    if session.total >= 0:
        return
    single = [(job, engine) for _, job, engine in requested_jobs(session) if not engine.is_current(job)]
    sets = [(job, tree.engine) for tree in session.trees for node in tree.requested_sets() for job in node.outdated()]
    jobs = {(id(engine), job.name): (job, engine) for job, engine in (*single, *sets)}
    session.total = len(jobs)
    work = sum(engine.estimate([job]) for job, engine in jobs.values())
    for executor in session.executors:  # one that has not begun yet starts as many processes as suit the work
        executor.work = (executor.work or 0) + work
        executor.jobs = job_count()
    for job, engine in jobs.values():
        engine.expect([job])
    session.progress.expect(session.total)
    session.console.expect([job for job, _ in single])
