"""Builders, actions and scanners of single nodes: jobs, link checks, packs, the manifest."""

from __future__ import annotations

from typing import Any

import SCons.Builder
import SCons.Defaults
import SCons.Errors
import SCons.Node.FS
import SCons.Node.Python
import SCons.Scanner

from hlsl_tool.base.system.atomic_write import WriteError
from hlsl_tool.project.build.digest import key_of
from hlsl_tool.project.build.engine import Engine
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.links import LinkJob
from hlsl_tool.project.build.outputs.manifest import write_manifest
from hlsl_tool.project.build.outputs.render import disk
from hlsl_tool.project.build.scanning import scan_job
from hlsl_tool.scons.compat import ConstantAction
from hlsl_tool.scons.model import Collected, Node
from hlsl_tool.scons.requested import expect_builds
from hlsl_tool.scons.run import session

Env = Any


def _compile(target: list[Node], source: list[Node], env: Env) -> int:
    job: Job = target[0].attributes.hlsl_job
    engine: Engine = target[0].attributes.hlsl_engine
    here = session()
    outcome = here.building.build(engine, job)
    here.done(job, outcome)
    if outcome.state == "failed":
        text = here.building.failure(engine, job)
        raise SCons.Errors.BuildError(node=target[0], errstr=text, status=2, exitstatus=2)
    return 0


def _link(target: list[Node], source: list[Node], env: Env) -> int:
    job: LinkJob = target[0].attributes.hlsl_link
    engine: Engine = target[0].attributes.hlsl_engine
    if not session().building.link(engine, job):
        text = f"the stages of {job.name} do not fit together"
        raise SCons.Errors.BuildError(node=target[0], errstr=text, status=2, exitstatus=2)
    return 0


def _line(target: list[Node], source: list[Node], env: Env) -> str:
    job, engine, here = target[0].attributes.hlsl_job, target[0].attributes.hlsl_engine, session()
    if job.main_target not in here.lines and not engine.is_current(job):
        expect_builds(here)
    return here.line(job, engine)


def _write_manifest(target: list[Node], source: list[Node], env: Env) -> int:
    engine, jobs = target[0].attributes.hlsl_manifest
    try:
        write_manifest(engine, jobs)
    except WriteError as error:
        text = str(error)
        raise SCons.Errors.BuildError(node=target[0], errstr=text, status=2, exitstatus=2) from None
    return 0


def _scan(node: Node, env: Env, path: Any) -> list[Node]:
    """Return the dependencies of a target other than its source.

    One `Value` covers the options, the toolchain, the contents of all headers and the paths that were looked up and did
    not exist; files that other builders make are nodes of their own.  A node for each header would take most of the
    time of a build with nothing to do.
    """
    attributes = node.attributes
    if not hasattr(attributes, "hlsl_job"):
        return []
    _make_default_environment()
    job: Job = attributes.hlsl_job
    engine: Engine = attributes.hlsl_engine
    here = session()
    memo = (engine.root, job.name)
    if memo in here.scans:
        return here.scans[memo]
    current_key = here.current_key(engine, job)
    if current_key is not None:
        attributes.hlsl_is_suspect = False
        here.scans[memo] = [_value(current_key)]
        return here.scans[memo]
    record = engine.records.get(job.name)
    if record is not None:
        # Other builders may have made some of these since they were last read.
        engine.digests.forget([name for name in record.files if here.is_derived(engine.root, name)])
        engine.digests.forget(record.missing)
    trace = engine.trace(job)
    if trace is None:
        here.scan_memory = here.scan_memory or _memory()
        trace = scan_job(job, engine.root, disk(engine.root), here.scan_memory)
    files, missing = trace
    names = [name for name in (*files, *missing) if name != job.source and here.is_derived(engine.root, name)]
    # Another program may have written or removed the outputs, or the log was lost: the action compares them.
    attributes.hlsl_is_suspect = not (here.is_settled(engine, job.name) and engine.is_current(job))
    if names or here.file(engine.root, job.source).is_derived():
        # Files that are not made yet have no content: SCons notices their changes, and the action reads them.
        others = {name: digest for name, digest in files.items() if name not in names and name != job.source}
        key = key_of(job.cache_key(), others, [name for name in missing if name not in names])
        return [_value(key), *(here.file(engine.root, name) for name in names)]
    nodes = here.scans[memo] = [_value(key_of(job.cache_key(), files, missing))]
    return nodes


def _scan_collected(node: Node, env: Env, path: Any) -> list[Node]:
    """Mark the node of a pack or link report as suspect if another program may have written the file; return [].

    The action of a suspect node runs even if SCons considers the node up to date.

    A build that was killed, `hlsl_tool build` and the watcher write such files, too.  SCons compares the members only
    with those of its own last build, so it misses members that were changed and changed back.
    """
    collected: Collected = node.attributes.hlsl_collected
    engine, here = collected.engine, session()
    members_are_current = all(
        here.current_key(engine, job) is not None or engine.is_current(job) for job in collected.members
    )
    is_settled = here.is_settled(engine, collected.name)
    node.attributes.hlsl_is_suspect = not (is_settled and members_are_current and collected.is_current())
    return []


def _make_default_environment() -> None:
    """Create SCons's default environment before any thread starts; otherwise each thread would create one.

    All SConscripts have been read: those that need tools in the default environment have already created it.
    """
    SCons.Defaults.DefaultEnvironment(tools=[])


def _value(key: str) -> Node:
    return SCons.Node.Python.ValueWithMemo(f"all that decides it: {key}")


def _memory() -> Any:
    from hlsl_tool.frontend.preprocessor.memory import PreprocessorMemory

    return PreprocessorMemory()


def _pack(target: list[Node], source: list[Node], env: Env) -> int:
    engine, job = target[0].attributes.hlsl_pack
    problem = session().building.steps(engine).write_pack(job)
    if problem:
        raise SCons.Errors.BuildError(node=target[0], errstr=problem, status=2, exitstatus=2)
    return 0


COMPILE = ConstantAction(_compile, {"strfunction": _line})
WRITE = ConstantAction(_write_manifest, {"cmdstr": None})
"""Silent: the manifest follows from the configuration and from the shaders."""

LINK = ConstantAction(_link, {"cmdstr": None})
"""Silent: problems are reported as diagnostics."""

PACK = ConstantAction(_pack, {"cmdstr": None})
FOLLOW = ConstantAction(lambda target, source, env: 0, {"cmdstr": None})
"""Another output of a job: written when the first is."""


class CollectedFile(SCons.Node.FS.File):  # type: ignore[misc]  # SCons has no types
    """The node of a pack or link report, which combines other outputs."""

    __slots__ = ()

    def get_stored_implicit(self) -> None:
        """Return `None`, so that `--implicit-cache` does not reuse an outdated `Value` with the contents of headers."""

    def is_up_to_date(self) -> bool:
        """Return whether the file is up to date according to SCons, and the scanner has not marked it as suspect."""
        is_current: bool = super().is_up_to_date()
        return is_current and not getattr(self.attributes, "hlsl_is_suspect", False)


class ShaderFile(CollectedFile):
    """The node of an output of a shader."""

    __slots__ = ()

    def explain(self) -> None:
        """Return no explanation: with `--debug=explain`, the action prints the reasons of each build itself."""


SCANNER = SCons.Scanner.ScannerBase(_scan, name="HLSL", node_class=None)
BUILDER = SCons.Builder.Builder(action=COMPILE, target_scanner=SCANNER)
FOLLOWER = SCons.Builder.Builder(action=FOLLOW)
COLLECTED = SCons.Scanner.ScannerBase(_scan_collected, name="HLSL outputs", node_class=None)
LINK_BUILDER = SCons.Builder.Builder(action=LINK, target_scanner=COLLECTED)
PACK_BUILDER = SCons.Builder.Builder(action=PACK, target_scanner=COLLECTED)
TEXT_BUILDER = SCons.Builder.Builder(action=WRITE)
