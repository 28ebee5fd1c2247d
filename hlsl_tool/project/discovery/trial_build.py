"""Build a new configuration, mend the shaders that fail, and build again."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from hlsl_tool.base.counted import counted
from hlsl_tool.base.diagnostics import Diagnostic, Sink
from hlsl_tool.base.system.atomic_write import remove_empty, remove_own, write_atomic
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.build.batch import build_all
from hlsl_tool.project.build.currency.toolchain import fingerprint_of
from hlsl_tool.project.build.engine import Engine, Outcome
from hlsl_tool.project.build.outputs.links import plan_links
from hlsl_tool.project.build.plan import plan
from hlsl_tool.project.build.session import BuildPolicy, BuildSession, BuildTargets
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.ui.console import Console
from hlsl_tool.project.build.workers.choice import Later
from hlsl_tool.project.config.load import load
from hlsl_tool.project.discovery.configuration import Decisions, configuration
from hlsl_tool.project.discovery.discover import Discovery, Guess
from hlsl_tool.project.discovery.mending import Mender

if TYPE_CHECKING:
    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.ui.progress import Progress
    from hlsl_tool.project.build.workers.executors import Lender

MAX_BUILDS = 4
"""Limit on the builds after mending."""

Key = tuple[str, str, str, tuple[tuple[str, str], ...]]
"""Source, entry point, stage and macros."""


class BuildFailed(Exception):
    """Raised if the new configuration cannot be loaded; the message has the first error."""


@dataclass(slots=True)
class Failure:
    """A shader that does not compile, with its errors."""

    guess: Guess
    errors: list[Diagnostic]

    @property
    def error(self) -> Diagnostic | None:
        """The first error."""
        return self.errors[0] if self.errors else None


@dataclass(slots=True)
class Trial:
    """The result of building a new configuration."""

    failures: list[Failure] = field(default_factory=list)
    built: int = 0
    warnings: int = 0
    """Number of warnings of all shaders, those of earlier builds included."""
    unfit: int = 0
    """Number of sources whose stages do not fit together."""
    dropped: list[Guess] = field(default_factory=list)
    """Entry points of included files that do not compile by themselves."""


@dataclass(slots=True)
class Builder:
    """Builds the configuration of a discovery, as `hlsl_tool build` does."""

    discovery: Discovery
    decisions: Decisions
    file: str
    """The configuration, from the root."""
    jobs: int
    progress: Progress
    write: Callable[[str], None]
    lender: Lender | None = None

    def save(self) -> None:
        """Write the configuration.  May raise WriteError."""
        path = f"{self.discovery.root}/{self.file}"
        write_atomic(path, configuration(self.discovery, self.decisions).encode())

    def run(self) -> Trial:
        """Write and build the configuration; mend shaders that fail, as far as that is possible, and build again.

        An interruption removes the configuration, so that the next call of `init` starts again.
        """
        try:
            return self._run()
        except KeyboardInterrupt:
            path = f"{self.discovery.root}/{self.file}"
            with suppress(OSError):
                remove_own(path)
            remove_empty(posixpath.dirname(path), self.discovery.root)
            raise

    def _run(self) -> Trial:
        self.save()
        trial = self._build()
        mender = Mender(self.discovery)
        for number in range(MAX_BUILDS):
            if not trial.failures:
                break
            if number == 0:
                self.write(f"{counted(len(trial.failures), 'shader')} failed; trying settings and macros\n")
            if not mender.mend_all((failure.guess, failure.errors) for failure in trial.failures):
                break
            self.save()
            trial = self._build()
        self._drop_included(trial)
        if trial.unfit and self.decisions.links:
            self.decisions.links = False
            self.decisions.lines.append("link: stages of one source do not fit together, so they are not checked.")
            self.save()
        return trial

    def _drop_included(self, trial: Trial) -> None:
        """Remove shaders that fail if other files include their sources: they are no sources by themselves.

        All stay if no other shader does: a configuration needs one.
        """
        dropped = [failure.guess for failure in trial.failures if failure.guess.is_included]
        if dropped and len(dropped) < len(self.discovery.guesses):
            trial.dropped = dropped
            trial.failures = [failure for failure in trial.failures if not failure.guess.is_included]
            self.discovery.guesses = [guess for guess in self.discovery.guesses if guess not in trial.dropped]
            self.save()

    def _build(self) -> Trial:
        sink = Sink(error_limit=0)
        project = load(self.discovery.root, [self.file], sink)
        if sink.error_count:
            error = next(item for item in sink.diagnostics if item.severity == "error")
            raise BuildFailed(f"{error.message} [{error.code.id}]")
        jobs = plan(project)
        for job in jobs:
            job.set_fingerprint(fingerprint_of(job))
        links = plan_links(project, jobs) if self.decisions.links else []
        runner = Later(project.root, self.jobs, StoreOptions(), "", self.lender)
        engine = Engine(project.root, project.output_dir, runner, StoreOptions())
        console = Console(lambda text: None, lambda diagnostics: "", whole=True)
        session = BuildSession(engine, console, BuildTargets(jobs, links, [], False, ""))
        outdated = session.outdated()
        self.progress.expect(len(outdated))
        runner.work = engine.estimate(outdated)
        policy = BuildPolicy(
            build=lambda jobs: build_all(engine, jobs, workers=self.jobs, progress=self.progress, console=console),
            write=lambda text: None,
        )
        try:
            result = session.run(outdated, policy)
            session.report_current([job for job in jobs if job.name not in result.outcomes])
        finally:
            self.progress.clear()
            runner.close()
            engine.close()
        return self._trial(jobs, result.outcomes, len(result.unfit), console)

    def _trial(self, jobs: list[Job], outcomes: Mapping[str, Outcome], unfit: int, console: Console) -> Trial:
        guesses = {_key_of_guess(guess): guess for guess in self.discovery.guesses}
        trial = Trial(unfit=unfit)
        trial.warnings = sum(item.severity == "warning" for item in console.diagnostics())
        for job in jobs:
            outcome = outcomes.get(job.name)
            if outcome is None or outcome.state != "failed":
                trial.built += 1
                continue
            errors = [item for item in outcome.result.diagnostics if item.severity in ("error", "fatal")]
            trial.failures.append(Failure(guesses[_key_of_job(job)], errors))
        return trial


def _key_of_guess(guess: Guess) -> Key:
    return guess.source, guess.entry.name, guess.entry.stage, tuple(sorted(guess.macros.items()))


def _key_of_job(job: Job) -> Key:
    macros = tuple(sorted((name, "1" if value is None else value) for name, value in job.options.defines))
    return job.source, job.options.entry, job.options.profile.partition("_")[0], macros
