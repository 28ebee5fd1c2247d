"""Builds the jobs and link checks of one SCons run, each only once, even if several SCons nodes need it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hlsl_tool.project.build.engine import Engine, Outcome
    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.outputs.links import LinkJob
    from hlsl_tool.project.build.session import BuildSession, BuildTargets
    from hlsl_tool.project.build.ui.console import Console

Key = tuple[int, str]
"""Identity of an engine, and the name of a job or the target of a link check."""


class Building:
    """Outcome of each job of the run, guarded by a lock for each job.  Safe for threads."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.states: dict[Key, str] = {}
        """State of each job that this run came to: `built`, `stored`, `current` or `failed`."""
        self._failures: dict[Key, str] = {}
        self._fits: dict[Key, bool] = {}
        self._lock = threading.Lock()
        self._claims: dict[Key, threading.Lock] = {}

    def clear(self) -> None:
        """Forget the outcomes of the previous build, in an interactive SCons."""
        for memo in (self.states, self._failures, self._fits, self._claims):
            memo.clear()

    def build(self, engine: Engine, job: Job) -> Outcome:
        """Build a job, once in a run.

        A second call returns `current` or `failed`, without diagnostics.
        """
        from hlsl_tool.project.build.engine import Outcome

        with self._claim(key := (id(engine), job.name)):
            state = self.states.get(key)
            if state is not None:
                return Outcome("failed" if state == "failed" else "current")
            outcome = engine.build(job)
            self.states[key] = "stored" if outcome.is_stored else outcome.state
            if outcome.state == "failed":
                errors = sum(d.severity in ("error", "fatal") for d in outcome.result.diagnostics)
                self._failures[key] = f"{errors} error{'' if errors == 1 else 's'}"
            return outcome

    def failure(self, engine: Engine, job: Job) -> str:
        """Return the text for SCons's message about a failed job, such as `2 errors`."""
        return self._failures.get((id(engine), job.name), "an error")

    def has_built(self, engine: Engine) -> bool:
        """Return whether this run has written any output of an engine."""
        return any(state in ("built", "stored") for (owner, _), state in self.states.items() if owner == id(engine))

    def link(self, engine: Engine, link: LinkJob) -> bool:
        """Do a link check, once in a run; return whether the stages fit together."""
        with self._claim(key := (id(engine), link.target)):
            if key not in self._fits:
                self._fits[key] = self.steps(engine).check_link(link)
            return self._fits[key]

    def unfit_count(self) -> int:
        """Return the number of failed link checks in this run."""
        return sum(not fits for fits in self._fits.values())

    def steps(self, engine: Engine, targets: BuildTargets | None = None) -> BuildSession:
        """Return a new build session for ``targets``; SCons's actions call its methods.

        Without ``targets``, only the methods that take a single link check or pack may be called.
        """
        # Imported here: a set with nothing to do needs no engine.
        from hlsl_tool.project.build.session import BuildSession, BuildTargets

        return BuildSession(engine, self.console, targets or BuildTargets(()))

    @contextmanager
    def _claim(self, key: Key) -> Iterator[None]:
        with self._lock:
            claim = self._claims.setdefault(key, threading.Lock())
        with claim:
            yield
