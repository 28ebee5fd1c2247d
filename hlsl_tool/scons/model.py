"""Data types: the jobs, plans and combined files that SConscripts declare, with their nodes; the protocol `Tree`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Location
    from hlsl_tool.base.system.atomic_write import WriteError
    from hlsl_tool.project.build.currency.state_file import State
    from hlsl_tool.project.build.engine import Engine
    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.plan_cache import Plan

Node = Any
"""SCons has no types."""

Line = tuple[str, int]
"""File and line of a SConscript."""

Unmade = tuple[str, str, "Location", "str | None"]
"""A source that does not exist: root, source, place in the configuration, hint."""


class Collected(NamedTuple):
    """A file that combines the outputs of several jobs: a pack, or the report of a link check."""

    engine: Engine
    name: str
    """Name of its record in the log."""
    members: Sequence[Job]
    is_current: Callable[[], bool]
    """Whether the file on disk is what a build would write now, if all members are current."""


class DeclaredJob(NamedTuple):
    """A job and the node of each of its outputs."""

    nodes: list[Node]
    job: Job
    engine: Engine


class DeclaredPlan(NamedTuple):
    """A plan whose shaders have one SCons node each, with its engine and the node of its manifest."""

    engine: Engine
    plan: Plan
    manifest: Node


class Tree(Protocol):
    """The interface of `node_set.ShaderTree`: one call of `HlslShaders` whose shaders share one SCons node."""

    root: str
    plan: Plan
    folder: str
    all: Node

    @property
    def engine(self) -> Engine: ...

    @property
    def state(self) -> State: ...

    def lookup(self, name: str, curdir: str | None) -> Node | None: ...

    def mark_current(self, targets: list[Node]) -> None: ...

    def quick_count(self) -> int | None: ...

    def forget(self) -> None: ...

    def outputs(self, targets: Iterable[str]) -> list[Node]: ...

    def requested_sets(self) -> list[Any]: ...

    def generated_files(self, jobs: Callable[[], list[Job]]) -> list[Node]: ...

    def folder_set(self, key: str) -> Node: ...

    def declare_output(self, job: Any) -> None: ...

    def cannot_write(self, error: WriteError) -> None: ...

    def save(self) -> list[Engine]: ...
