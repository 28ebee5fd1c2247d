"""One build of an output folder: build jobs, check links, write manifest and packs, find stale outputs, save state.

`hlsl_tool build`, SCons and the watcher run the same sequence (`BuildSession.run`). `BuildPolicy` contains all their
differences. If SCons schedules the shaders itself, its actions call the methods of the same session.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from hlsl_tool.base.system.atomic_write import WriteError
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.build.engine import Engine, Outcome
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.links import LinkJob, check_link, is_link_current, last_check
from hlsl_tool.project.build.outputs.manifest import is_manifest_current, write_manifest
from hlsl_tool.project.build.outputs.packs import PackJob, is_pack_current, write_pack
from hlsl_tool.project.build.ui.console import summary

if TYPE_CHECKING:
    from hlsl_tool.project.build.ui.console import Console


@dataclass(slots=True)
class BuildTargets:
    """Everything that a session brings up to date: a whole plan, or some jobs of one."""

    jobs: Sequence[Job]
    links: Sequence[LinkJob] = ()
    packs: Sequence[PackJob] = ()
    is_whole: bool = False
    """Whether these are all targets of the output folder; otherwise the manifest is not written."""
    plan_key: str = ""
    """Key under which the state records that all targets of a whole plan are current."""


@dataclass(slots=True)
class BuildResult:
    """The results of a build: the outcome of each job, failed link checks, and errors about the manifest and packs."""

    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    """Job → outcome, of each job that was begun."""
    undone: set[str] = field(default_factory=set)
    """Names of the jobs that failed or were not begun."""
    checked: list[LinkJob] = field(default_factory=list)
    """Link jobs that were looked at."""
    unfit: list[LinkJob] = field(default_factory=list)
    """Link jobs whose stages do not fit together."""
    problems: list[str] = field(default_factory=list)
    """Reasons why a pack or the manifest could not be written."""

    @property
    def ok(self) -> bool:
        """True if the build brought everything up to date: each job was done, and no link check or file failed."""
        return not (self.undone or self.unfit or self.problems)

    def summary(self, total: int, seconds: float) -> str:
        """Return the summary line of a build of ``total`` shaders that took ``seconds``."""
        built = sum(outcome.state == "built" for outcome in self.outcomes.values())
        stored = sum(outcome.is_stored for outcome in self.outcomes.values())
        failed = sum(outcome.state == "failed" for outcome in self.outcomes.values())
        unreached = sum(name not in self.outcomes for name in self.undone)
        current = total - built - failed - unreached
        return summary(built, current, failed, unreached, seconds, stored=stored, unfit=len(self.unfit))


def _raise(error: WriteError) -> None:
    raise error


@dataclass(frozen=True, slots=True)
class BuildPolicy:
    """The differences between the builds of the command line, of SCons and of the watcher."""

    build: Callable[[Sequence[Job]], Mapping[str, Outcome]]
    """Build jobs that are out of date; return the outcome of each job that was begun."""
    write: Callable[[str], None]
    """Write lines for the user."""
    check_link: Callable[[LinkJob], bool] | None = None
    """Check a link job in place of `BuildSession.check_link`; return whether the stages fit."""
    is_due: Callable[[LinkJob | PackJob], bool] = lambda target: True
    """Whether to look at a link job or a pack at all; called after the jobs were built."""
    blocked: Callable[[], Collection[str]] = tuple
    """Names of further jobs whose link checks have to wait, as if this run had failed to build them."""
    packs_last_good: bool = True
    """Pack the last good outputs of shaders that fail; if False, leave packs with such members untouched."""
    built: Callable[[BuildResult], None] = lambda result: None
    """Called after the link checks, before manifest and packs."""
    writes_manifest: Callable[[], bool] = lambda: True
    """Whether to write the manifest of a whole plan."""
    manifest_failed: Callable[[WriteError], None] = _raise
    """Handle a manifest that cannot be written; the default ends the run."""
    pack_failed: Callable[[PackJob, str], None] | None = None
    """Report a pack that cannot be written, with the reason; the default writes the reason as a line."""
    stale_outputs: Callable[[], None] | None = None
    """Report or remove stale outputs; `None` if the caller does so later."""
    saves_state: bool = False
    """Store the stamps of all files at the end: the next build with nothing to do is quick."""


class BuildSession:
    """The stages of a build; `run` executes them in order."""

    def __init__(self, engine: Engine, console: Console, targets: BuildTargets) -> None:
        self.engine = engine
        self.console = console
        self.targets = targets

    def outdated(self) -> list[Job]:
        return [job for job in self.targets.jobs if not self.engine.is_current(job)]

    def run(self, jobs: Sequence[Job], policy: BuildPolicy) -> BuildResult:
        """Build ``jobs``, which are out of date; then check links, write manifest and packs, and handle stale outputs.

        At last write the state file: even if one of these steps raises, but then it does not record that the plan is up
        to date. May raise WriteError.
        """
        result = BuildResult()
        is_complete = False
        self.engine.unwritable = None  # an earlier build's: there may be room now
        try:
            result.outcomes = policy.build(jobs)
            result.undone = {job.name for job in jobs if not _is_done(result.outcomes.get(job.name))}
            self._check_links(policy, result)
            policy.built(result)
            if self.engine.unwritable is None:
                if self.targets.is_whole and policy.writes_manifest():
                    self._write_manifest(policy, result)
                self._write_packs(policy, result)
            if policy.stale_outputs is not None:
                policy.stale_outputs()
            is_complete = True
        finally:
            if policy.saves_state:
                self.save_state(is_whole=is_complete and result.ok)
        return result

    def report_current(self, jobs: Sequence[Job]) -> None:
        """Report the warnings of ``jobs`` and of the link checks that are up to date, as their last builds had them."""
        for job in jobs:
            diagnostics = self.engine.diagnostics(job)
            if diagnostics:
                self.console.add(job, diagnostics, urgent=False)
        for link in self.targets.links:
            if is_link_current(self.engine, link):
                last_check(self.engine, link).report(self.console)

    # ---- steps

    def check_link(self, link: LinkJob) -> bool:
        """Do a link check unless it is up to date, and report it to the console.

        Return whether the stages fit together.
        """
        result = check_link(self.engine, link, self.engine.executor.run)
        if result is not None:
            result.report(self.console)
        return result is None or result.ok

    def write_manifest(self) -> None:
        """Write the manifest of all jobs.  May raise WriteError."""
        write_manifest(self.engine, list(self.targets.jobs))

    def write_pack(self, pack: PackJob, failed: Collection[str] = ()) -> str:
        """Bring a pack up to date; return an error message if it could not be written, else an empty string."""
        return write_pack(self.engine, pack, failed)

    def is_collected(self) -> bool:
        """Return whether all link checks and packs are up to date."""
        return self.are_links_current() and self.are_packs_current()

    def are_links_current(self) -> bool:
        """Return whether all link checks are up to date; a check that failed is not."""
        return all(is_link_current(self.engine, link) for link in self.targets.links)

    def are_packs_current(self) -> bool:
        """Return whether all packs on disk were made from the outputs that are on disk now."""
        return all(is_pack_current(self.engine, pack) for pack in self.targets.packs)

    def is_manifest_current(self) -> bool:
        """Return whether the manifest on disk lists all jobs as they are now."""
        return is_manifest_current(self.engine, list(self.targets.jobs))

    def save_state(self, *, is_whole: bool) -> None:
        """Write the state file; with ``is_whole`` it records that all targets of a whole plan are up to date."""
        engine, targets = self.engine, self.targets
        if engine.records_are_loaded:
            engine.records.compact()
        if is_whole and targets.plan_key:
            names = [item.record_name for items in (targets.links, targets.packs) for item in items]
            engine.save_state(targets.jobs, names, plan=targets.plan_key)
        else:
            engine.save_state()

    def _check_links(self, policy: BuildPolicy, result: BuildResult) -> None:
        check = policy.check_link or self.check_link
        blocked = result.undone.union(policy.blocked())
        for link in self.targets.links:
            if blocked.isdisjoint(link.jobs) and policy.is_due(link):
                result.checked.append(link)
                if not check(link):
                    result.unfit.append(link)

    def _write_manifest(self, policy: BuildPolicy, result: BuildResult) -> None:
        try:
            self.write_manifest()
        except WriteError as error:
            policy.manifest_failed(error)
            result.problems.append(str(error))

    def _write_packs(self, policy: BuildPolicy, result: BuildResult) -> None:
        failed = result.undone.union(policy.blocked())
        for pack in self.targets.packs:
            if not policy.is_due(pack):
                continue
            if not policy.packs_last_good and not failed.isdisjoint(job.name for job in pack.jobs):
                continue
            problem = self.write_pack(pack, failed)
            if problem:
                result.problems.append(problem)
                if policy.pack_failed is None:
                    policy.write(f"error: {problem}\n")
                else:
                    policy.pack_failed(pack, problem)


def _is_done(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.state != "failed"
