"""The part of the watcher that builds: jobs that are out of date, and everything that is made from their outputs.

Shaders that failed are built first.  Events that arrive while shaders are built are processed after the current shader.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.project.build.currency.stale_outputs import claimed, is_configured_by, report
from hlsl_tool.project.build.engine import Engine, Outcome
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.links import LinkJob, plan_links
from hlsl_tool.project.build.outputs.packs import PackJob, plan_packs
from hlsl_tool.project.build.session import BuildPolicy, BuildResult, BuildSession, BuildTargets
from hlsl_tool.project.build.store.choice import StoreOptions, project_store
from hlsl_tool.project.build.ui.console import Console
from hlsl_tool.project.build.workers.choice import executor, width_of
from hlsl_tool.project.build.workers.executors import Executor, Inline, Processes
from hlsl_tool.project.watch.deferred import DeferredOptions
from hlsl_tool.project.watch.dependents import Dependents
from hlsl_tool.project.watch.files import Files
from hlsl_tool.project.watch.plans import Change, Plans
from hlsl_tool.project.watch.screen import Screen
from hlsl_tool.project.watch.state import Batch, Board, Built
from hlsl_tool.project.watch.stream import Stream

OUTPUTS_SECONDS = 20.0
"""Seconds between two looks at all outputs."""
REST_SECONDS = 0.25
"""Seconds after which a file that was read while a program wrote it is read again, if its shader has errors."""
PATIENCE_SECONDS = 1.0
"""Seconds after which a failure is reported although a program is still writing."""
ATTEMPTS = 3
"""Attempts at a shader whose files change each time while it is compiled, before the watcher waits for an event."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """Functions of the watcher's event loop that the building part calls."""

    notice: Callable[[], None]
    """Take in the events that have arrived."""
    wants_plan: Callable[[], bool]
    """Whether the configurations have to be read again, before anything else is built."""
    watch: Callable[[], object]
    """Watch the folders that jobs read from; called when these may have changed."""


class Rebuilder:
    """Builds the outdated jobs of a plan, with one executor and one store for all batches."""

    def __init__(
        self,
        plans: Plans,
        board: Board,
        screen: Screen,
        stream: Stream,
        hooks: Hooks,
        *,
        workers: int = 1,
        store: list[str] | None = None,
        address: str | None = None,
    ) -> None:
        """Create the builder.

        ``store`` and ``address`` (of the executor) replace those of the configurations.
        """
        self.plans = plans
        self.board = board
        self.screen = screen
        self.stream = stream
        self.hooks = hooks
        self.root = plans.root
        self.workers = workers
        self.given_store = store
        self.given_address = address
        self.files = Files(self.root)
        self.dependents = Dependents()
        self.executor: Executor | None = None
        self.engine: Engine | None = None
        self.stale: dict[str, Job] = {}
        """Jobs that are out of date, by name."""
        self.wants_manifest = False
        """Whether the manifest and the packs have to be checked."""
        self.noticed = time.perf_counter()
        """Time at which the last change was noticed."""
        self._store = DeferredOptions()
        self._address = ""
        self._links: list[LinkJob] = []
        self._packs: list[PackJob] = []
        self._attempts: dict[str, int] = {}
        self._suspects: dict[str, float] = {}
        """File that may have been read half-written → time of that."""
        self._wants_links = False
        """Whether all groups of stages have to be checked."""
        self._wants_stale = False
        """Whether stale outputs have to be reported."""
        self._has_outputs = False
        """Whether all outputs were written once, so that a missing one was removed."""
        self._looked = time.monotonic()
        """Time of the last look at all outputs."""

    def close(self) -> None:
        """Close the executor and the store."""
        if self.executor is not None:
            self.executor.close()
        if self.engine is not None:
            self.engine.close()

    def forget(self) -> None:
        """Discard the compiler's caches; the store still has the results."""
        if isinstance(self.executor, Inline):
            self.executor.forget()
        elif isinstance(self.executor, Processes) and self.engine is not None:
            self.executor.close()
            self.executor = self.engine.executor = executor(self.root, self.workers, self._workers_store())

    def _workers_store(self) -> StoreOptions:
        """Return the store for the executor: the deferred one in this process; worker processes write immediately."""
        return self._store if self.workers == 1 else self._store.plain()

    # ---- the plan

    def follow(self, change: Change) -> None:
        """Use a new plan: mark the jobs that are out of date, and drop those that were removed.  May raise BadStore."""
        engine = self._engine_of_plan()
        for job in change.removed:
            self.dependents.drop(job.name)
            self.stale.pop(job.name, None)
            self.board.drop(job.name)
            self.stream.removed(job)
        self._links = plan_links(self.plans.project, self.plans.jobs)
        self._packs = plan_packs(self.plans.project, self.plans.jobs)
        self.wants_manifest = self._wants_links = self._wants_stale = True
        self.files.keep(self.dependents.names() | self.plans.names)
        self.stream.hello(self.plans, self.board)
        current = 0
        for job in change.changed:
            if engine.is_current(job):
                current += 1
                self._remember(job, None)
                self.board.drop(job.name)
            else:
                self.stale[job.name] = job
        self.board.current += current + len(self.plans.jobs) - len(change.changed)

    def _engine_of_plan(self) -> Engine:
        """Return the engine of the plan's output folder; create a new one if folder, store or executor changed."""
        project = self.plans.project
        options = DeferredOptions.of(project_store(project, self.given_store))
        address = project.executor if self.given_address is None else self.given_address
        engine = self.engine
        is_same = (options, address) == (self._store, self._address)
        if engine is not None and engine.output_dir == project.output_dir and is_same:
            return engine
        self.close()
        self._store, self._address = options, address
        self.executor = executor(self.root, self.workers, self._workers_store(), address=address)
        self.engine = engine = Engine(self.root, project.output_dir, self.executor, options)
        engine.digests = self.files
        if isinstance(self.executor, Inline):  # outputs first, then the bookkeeping
            self.executor.defers, engine.later = True, []
        return engine

    # ---- outdated jobs

    def mark_changed(self, names: set[str]) -> None:
        """Mark the jobs whose last attempt read another content of one of these files."""
        for name in sorted(self.dependents.stale(names, self.files.digest_cached)):
            job = self.plans.by_name.get(name)
            if job is not None:
                self.stale[name] = job
                self._attempts.pop(name, None)

    def suspect(self, names: Iterable[str]) -> None:
        """Record files that may be half-written, because they have just changed.

        A failure of a shader that uses one is reported only after the file has been unchanged for a while.
        """
        self._suspects.update(dict.fromkeys(names, time.monotonic()))

    def _was_half_written(self, outcome: Outcome) -> bool:
        """After a failure, wait until suspect files have been unchanged for a while.

        Return True if a file of the attempt has changed in the meantime.
        """
        result, now = outcome.result, self.files.digest_cached
        end = time.monotonic() + PATIENCE_SECONDS
        while suspects := self._suspects.keys() & {*result.files, *result.missing}:
            rest = min(end, max(self._suspects[name] for name in suspects) + REST_SECONDS)
            if (left := rest - time.monotonic()) > 0:
                time.sleep(min(left, REST_SECONDS / 5))
                self.hooks.notice()
                continue
            for name in suspects:
                del self._suspects[name]
            self.mark_changed(self.files.that_changed(suspects, by_event=True))
        return any(now(name) != digest for name, digest in result.files.items()) or any(map(now, result.missing))

    def look_after_outputs(self) -> None:
        """Mark jobs whose outputs another program deleted, as `rm -rf build` does.

        The log and the manifest are checked at each call, all outputs only every `OUTPUTS_SECONDS`.
        """
        engine, now = self.engine, time.monotonic()
        if engine is None or not self._has_outputs:
            return
        has_log = os.path.exists(engine.records.path)
        is_whole = has_log and os.path.exists(engine.manifest_path)
        if is_whole and now - self._looked < OUTPUTS_SECONDS:
            return
        self._looked = now
        if not has_log:
            engine.records.rewrite()
        good = [job for job in self.plans.jobs if job.name not in self.board.failures]
        missing = [job for job in good if self._lack(job.targets.values())]
        self.stale.update((job.name, job) for job in missing)
        others = [*(pack.target for pack in self._packs), *(link.target for link in self._links)]
        if missing or not is_whole or self._lack(others):
            self.wants_manifest = self._wants_links = True

    def _lack(self, targets: Iterable[str]) -> bool:
        return not all(os.path.exists(os.path.join(self.root, path)) for path in targets)

    # ---- building

    def build(self) -> None:
        """Build until nothing is out of date, the configurations must be read again, or the watcher can only wait."""
        engine = self.engine
        if engine is None:
            self.stale.clear()
            return
        console = Console(self.screen.write, self.screen.render)
        batch = self.board.begin()
        policy = BuildPolicy(
            build=lambda jobs: self._build_stale(engine, console),
            write=self.screen.write,
            is_due=self._is_due,
            blocked=lambda: self.board.failures.keys() | self.stale.keys(),
            built=lambda result: self._report(result, console, batch),
            writes_manifest=lambda: self.wants_manifest,
            manifest_failed=lambda error: self.screen.write(f"error: {error}\n"),
            stale_outputs=lambda: self._report_stale(engine),
        )
        targets = BuildTargets(self.plans.jobs, self._links, self._packs, is_whole=True)
        BuildSession(engine, console, targets).run(list(self.stale.values()), policy)
        self._has_outputs |= self.wants_manifest
        self.wants_manifest = False
        self.stream.settled(self.board, batch)
        self.hooks.watch()
        self._store.flush()
        engine.records.compact()

    def _build_stale(self, engine: Engine, console: Console) -> dict[str, Outcome]:
        """Build the jobs that are out of date; return job → outcome of its last attempt."""
        outcomes: dict[str, Outcome] = {}
        width = width_of(self.executor, self.workers) if self.stale else 1
        if width == 1:
            self._one_by_one(engine, console, outcomes)
        else:
            self._several(engine, console, width, outcomes)
        return outcomes

    def _one_by_one(self, engine: Engine, console: Console, outcomes: dict[str, Outcome]) -> None:
        expected: set[str] = set()
        while self.stale and not self.hooks.wants_plan():
            self._expect(console, expected)
            job = self._next()
            began = time.perf_counter()
            outcomes[job.name] = engine.build(job)
            self._done(job, outcomes[job.name], began, console)
            if problems := engine.catch_up():
                console.add(job, problems, urgent=False)
            self.hooks.notice()

    def _several(self, engine: Engine, console: Console, width: int, outcomes: dict[str, Outcome]) -> None:
        expected: set[str] = set()
        running: dict[Future[Outcome], tuple[Job, float]] = {}
        with ThreadPoolExecutor(width) as pool:
            while running or (self.stale and not self.hooks.wants_plan()):
                self._expect(console, expected)
                while self.stale and len(running) < width and not self.hooks.wants_plan():
                    job = self._next()
                    running[pool.submit(engine.build, job)] = (job, time.perf_counter())
                done, _ = wait(running, timeout=0.05, return_when=FIRST_COMPLETED)
                for future in done:
                    job, began = running.pop(future)
                    outcomes[job.name] = future.result()
                    self._done(job, outcomes[job.name], began, console)
                self.hooks.notice()
                for job, _ in running.values():  # `_done` compares their files when they end
                    self.stale.pop(job.name, None)

    def _expect(self, console: Console, expected: set[str]) -> None:
        """Update the progress for jobs that have become out of date meanwhile."""
        new = [job for name, job in self.stale.items() if name not in expected]
        if new:
            console.expect(new)
            expected.update(job.name for job in new)
            self.board.total += len(new)
            self.screen.progress(self.board)

    def _next(self) -> Job:
        """Remove and return the next job to build: first those that failed, then in the order of the plan."""
        name = next((name for name in self.stale if name in self.board.failures), None) or next(iter(self.stale))
        return self.stale.pop(name)

    def _done(self, job: Job, outcome: Outcome, began: float, console: Console) -> None:
        """Report an attempt; mark the job again if its files changed during the compilation."""
        if outcome.state == "failed" and self._suspects and self._was_half_written(outcome):
            self.stale[job.name] = job
            return
        now = time.perf_counter()
        before = self._remember(job, outcome)
        result = outcome.result
        built = Built(job, now - began, result.seconds, now - self.noticed, result.reused, before)
        self.board.done(built, outcome, time.time())
        console.add(job, result.diagnostics, urgent=False)
        if outcome.state == "failed":
            self.stream.failed(built, result.diagnostics)
        else:
            self.stream.built(built, self._changed_outputs(job, before))
            self.wants_manifest = True
        self.screen.progress(self.board)
        if (
            not self.dependents.is_stale(job.name, self.files.digest_cached)
            or self.plans.by_name.get(job.name) is not job
        ):
            self._attempts.pop(job.name, None)
            return
        # A file was written while it was compiled, and its event has not arrived: read the files and try again.
        changed = self.files.that_changed(self.dependents.used[job.name], by_event=True)
        self._attempts[job.name] = self._attempts.get(job.name, 0) + 1
        if self.dependents.is_stale(job.name, self.files.digest_cached) and self._attempts[job.name] < ATTEMPTS:
            self.stale[job.name] = job
        for name in self.dependents.stale(changed, self.files.digest_cached) - {job.name}:
            self.stale[name] = self.plans.by_name[name]

    def _remember(self, job: Job, outcome: Outcome | None) -> dict[str, str]:
        """Store the dependency trace of a job's attempt; return the digests that its outputs had before."""
        record = self.engine.records.get(job.name) if self.engine is not None else None
        before = self.board.outputs.get(job.name, {})
        files: dict[str, str] = {}
        missing: Iterable[str] = ()
        if outcome is not None and outcome.state != "current":
            files, missing = outcome.result.files, outcome.result.missing
        elif record is not None:
            files, missing = record.files, record.missing
        used = {**files, **dict.fromkeys(missing, "")}
        if not files:  # the compiler read nothing: wait for a change of files that the job used before
            names = {job.source, *self.dependents.used.get(job.name, ()), *used}
            used = {name: self.files.digest_cached(name) for name in names}
        self.dependents.put(job.name, used)
        for name in used:
            self.files.digest_cached(name)
        if record is not None:
            self.board.outputs[job.name] = dict(record.outputs)
        return before

    def _changed_outputs(self, job: Job, before: dict[str, str]) -> dict[str, str]:
        """Return kind → path of the outputs whose digests differ from ``before``."""
        now = self.board.outputs.get(job.name, {})
        return {kind: path for kind, path in job.targets.items() if now.get(path) != before.get(path)}

    # ---- after the jobs

    def _is_due(self, target: LinkJob | PackJob) -> bool:
        """Return whether this batch or a new plan may have changed the inputs of a link check or a pack."""
        if isinstance(target, LinkJob):
            built = {built.job.name for built in self.board.batch.built}
            return self._wants_links or not target.jobs.keys().isdisjoint(built)
        if not self.wants_manifest:
            return False
        if self._lack(target.paths()):  # members were removed: they are built again, and packed then
            self._looked = -OUTPUTS_SECONDS
            return False
        return True

    def _report(self, result: BuildResult, console: Console, batch: Batch) -> None:
        """Report the results of a batch; called before manifest and packs are written."""
        self._wants_links = self._wants_links and bool(self.board.failures or self.stale)
        unfit = set(self.board.unfit).difference(link.name for link in result.checked)
        unfit.update(link.name for link in result.unfit)
        self.board.unfit = sorted(unfit.intersection(link.name for link in self._links))
        console.finish()
        self.board.end(batch, self.plans.by_name)
        self.screen.settled(self.board, batch)

    def _report_stale(self, engine: Engine) -> None:
        """Report stale outputs, once for each plan."""
        if not self._wants_stale:
            return
        self._wants_stale = False
        engine.take_over(self.plans.jobs)
        outputs = claimed(self.plans.jobs, self._links, self._packs)
        stale = engine.find_stale(outputs, is_configured_by(self.plans.configs))
        if stale:
            self.screen.write(report(stale, engine.output_dir))
