"""The watcher: keeps the last good outputs, survives every error, rebuilds only what a change affects.

It stays resident, so the compiler is warm and remembers what shaders share.  It writes the same outputs, records and
results as `scons shaders`; a later `scons` finds them current.

A shader is out of date where a file that its last attempt saw, or looked for in vain, is another now.  What happens
while shaders are built counts as soon as the one that is being compiled is done.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from hlsl_tool.build.currency.stale_outputs import claimed, is_configured_by, report
from hlsl_tool.build.engine import Engine, Outcome
from hlsl_tool.build.job import Job
from hlsl_tool.build.outputs.links import LinkJob, plan_links
from hlsl_tool.build.outputs.packs import PackJob, plan_packs
from hlsl_tool.build.session import BuildPolicy, BuildResult, BuildSession, BuildTargets
from hlsl_tool.build.store.places import BadStore, StoreOptions, project_store
from hlsl_tool.build.ui.console import Console
from hlsl_tool.build.workers.executors import Executor, Inline, Processes, executor, width_of
from hlsl_tool.config.model import Project
from hlsl_tool.system.file_names import MANIFEST_NAME
from hlsl_tool.watch.deferred import DeferredOptions
from hlsl_tool.watch.dependents import Dependents
from hlsl_tool.watch.events import (
    EVERYTHING,
    LOCK_IDLE_SECONDS,
    QUIET_SECONDS,
    Bursts,
    Nothing,
    Source,
    Unwatchable,
    existing,
    git_locks,
    system_events,
)
from hlsl_tool.watch.files import Files, Listings
from hlsl_tool.watch.plans import Plans
from hlsl_tool.watch.screen import Screen
from hlsl_tool.watch.state import Batch, Board, Built
from hlsl_tool.watch.stream import Stream

SWEEP_SECONDS = 2.0
"""When nothing came for so long those files are looked at of which events may not tell: links lead elsewhere, folders
are moved with those around them …"""
SWEEP_ALL = 10
"""… and each time but the tenth only those, where events tell of the others."""
OUTPUTS_SECONDS = 20.0
"""How often all outputs are looked for."""
POLL_SECONDS = 1.0
"""How often files are looked at where the system has no more watches to give."""
FORGET_AFTER = 1000
"""So many compilations are remembered before all of it is forgotten: every edit adds to it, for as long as it runs."""
ATTEMPTS = 3
"""So often a shader is tried whose files change each time while it is compiled, before an event is waited for."""


class Watcher:
    def __init__(
        self,
        root: str,
        configs: list[str],
        *,
        screen: Screen,
        jobs: int = 1,
        store: list[str] | None = None,
        stream: Stream | None = None,
        poll: float | None = None,
        source: Source | None = None,
        address: str | None = None,
    ) -> None:
        """``address``: who compiles, in place of what the configurations say.  May raise BadStore."""
        self.root = os.path.abspath(root)
        self.given_address = address
        self.workers = max(1, jobs)
        self.given_store = store
        project_store(Project(self.root), store)  # what the command line or the environment says holds from the start
        self.screen = screen
        self.stream = stream or Stream()
        self.interval = poll or SWEEP_SECONDS
        self.is_polling = poll is not None
        self.plans = Plans(self.root, configs)
        self.board = Board()
        self.files = Files(self.root)
        self.listings = Listings()
        self.dependents = Dependents()
        self.source = source or (Nothing() if poll else self._events())
        self.bursts = Bursts(self.source, self.concerns, git_locks(self.root))
        self.store = DeferredOptions()
        self.address = ""
        """Who compiles: this machine, or the workers of a scheduler."""
        self.executor: Executor | None = None
        self.engine: Engine | None = None
        self.links: list[LinkJob] = []
        self.packs: list[PackJob] = []
        self.stale: dict[str, Job] = {}
        self.attempts: dict[str, int] = {}
        self.idle = 0
        """How often nothing had come."""
        self.is_unsure = False
        """Whether something may have happened before a folder came to be watched."""
        self.wants_plan = True
        self.wants_manifest = False
        self.wants_links = False
        """All groups of stages are to be checked."""
        self.wants_stale = False
        """Stale outputs are to be reported."""
        self.has_outputs = False
        """Whether everything was written once: what is missing then was removed."""
        self.looked = time.monotonic()
        """When all outputs were last looked for."""
        self.noticed = time.perf_counter()
        """When the last change came to be known."""

    def _events(self) -> Source:
        try:
            return system_events(self.root)
        except Unwatchable as problem:
            self.screen.write(f"warning: {problem}; files are looked at every {POLL_SECONDS:g} s\n")
            self.is_polling, self.interval = True, POLL_SECONDS
            return Nothing()

    # ---- life

    def run(self) -> None:
        self.start()
        while True:
            self.step(self.bursts.wait(self.interval))

    def start(self) -> None:
        """Plan, build what is not current, and begin to watch."""
        gc.disable()  # a collection in the middle of a rebuild takes longer than it
        self.watch()
        self.act()
        gc.collect()
        gc.freeze()
        self.screen.ready(len(self.plans.jobs))

    def close(self) -> None:
        gc.unfreeze()
        gc.enable()
        self.source.close()
        if self.executor is not None:
            self.executor.close()
        if self.engine is not None:
            self.engine.close()

    # ---- steps

    def step(self, paths: set[str]) -> None:
        """Act on a burst of events, or on a while without one."""
        if paths or not self._glance():
            self.notice(paths or {EVERYTHING})
        if not paths:
            self.look_after_outputs()
        self.act()
        if not paths and self.board.has_garbage:
            self.board.has_garbage = False
            if self.board.attempts > FORGET_AFTER:
                self.board.attempts = 0
                self.forget()
            gc.collect()

    def forget(self) -> None:
        """Begin with an empty memory; the store still has what was compiled."""
        if isinstance(self.executor, Inline):
            self.executor.forget()
        elif isinstance(self.executor, Processes) and self.engine is not None:
            self.executor.close()
            self.executor = self.engine.executor = executor(self.root, self.workers, self._workers_store())

    def _workers_store(self) -> StoreOptions:
        """In this process it is the one store, with what has not been written yet; processes have their own."""
        store = self.store
        return store if self.workers == 1 else store.plain()

    def act(self) -> None:
        while self.wants_plan or self.stale:
            if self.wants_plan:
                self.plan()
            self.build()
        if self.wants_manifest and self.engine is not None:
            self.build()

    def look_after_outputs(self) -> None:
        """Mark what was removed by others, such as `rm -rf build`, as out of date.

        The log and the manifest are looked for each time, all outputs from time to time.
        """
        engine, now = self.engine, time.monotonic()
        if engine is None or not self.has_outputs:
            return
        has_log = os.path.exists(engine.records.path)
        is_whole = has_log and os.path.exists(os.path.join(self.root, engine.output_dir, MANIFEST_NAME))
        if is_whole and now - self.looked < OUTPUTS_SECONDS:
            return
        self.looked = now
        if not has_log:
            engine.records.rewrite()
        good = [job for job in self.plans.jobs if job.name not in self.board.failures]
        missing = [job for job in good if self._lack(job.targets.values())]
        self.stale.update((job.name, job) for job in missing)
        others = [*(pack.target for pack in self.packs), *(link.target for link in self.links)]
        if missing or not is_whole or self._lack(others):
            self.wants_manifest = self.wants_links = True

    def _lack(self, targets: Iterable[str]) -> bool:
        return not all(os.path.exists(os.path.join(self.root, path)) for path in targets)

    def concerns(self, path: str) -> bool:
        """Whether an event at this path can matter."""
        return path in self.files.names or path in self.files.around() or self.listings.concerns(path)

    def notice(self, paths: set[str]) -> None:
        """Take in what happened: afterwards `stale` and `wants_plan` are as the disk has it."""
        if not paths:
            return
        self.noticed = time.perf_counter()
        files = self.files
        if EVERYTHING in paths:
            changed = files.sweep()
            while changed and self.is_polling and (more := self._swept_again()):
                changed |= more  # somebody is still writing
        else:
            changed = files.that_changed(files.below(paths), by_event=True)
        if not paths.isdisjoint(files.around()) or EVERYTHING in paths:
            while self.watch():  # folders that came and went; what is in them was not watched until now
                changed |= files.sweep()
        listed = EVERYTHING in paths or any(map(self._may_be_listed, paths))
        if not changed.isdisjoint(self.plans.names) or (listed and self.listings.changed()):
            self.wants_plan = True
        jobs = self.plans.by_name
        for name in sorted(self.dependents.stale(changed, files.get)):
            if name in jobs:
                self.stale[name] = jobs[name]
                self.attempts.pop(name, None)

    def _glance(self) -> bool:
        """After a while without events: whether nothing changed of which they do not tell, by stamps, so that
        not all files have to be looked at."""
        self.idle += 1
        if self.is_polling or self.is_unsure or self.idle % SWEEP_ALL == 0:
            self.is_unsure = False
            return False
        if self.listings.changed():
            self.wants_plan = True
            return False
        return not (self.source.misses(self._folders()) or self.files.may_have_changed())

    def _swept_again(self) -> set[str]:
        """What changed since a moment ago, or since git had its lock."""
        began = time.monotonic()
        time.sleep(QUIET_SECONDS)
        while any(map(os.path.exists, self.bursts.locks)) and time.monotonic() - began < LOCK_IDLE_SECONDS:
            time.sleep(QUIET_SECONDS)
        return self.files.sweep()

    def _may_be_listed(self, path: str) -> bool:
        """Whether a name may have come or gone that a pattern finds; one that was found and is there has not."""
        name = self.files.names.get(path)
        is_as_before = name is not None and self.files.get(name) and self.listings.has(path)
        return not is_as_before and self.listings.concerns(path)

    def plan(self) -> None:
        """Read the configurations again.  With errors in them the last good ones hold."""
        self.wants_plan = False
        change = self.plans.load()
        self.files.that_changed(self.plans.names, by_event=False)
        self.listings.expect(self.plans.listings())
        self.watch()
        self.screen.messages(change.diagnostics)
        self.board.config_is_bad = not change.ok
        self.stream.config(change.ok, change.diagnostics)
        if not change.ok:
            self.screen.waiting()
            return
        try:
            engine = self._engine()
        except BadStore as problem:
            self.screen.write(f"store: {problem}\n")
            self.screen.waiting()
            return
        for job in change.removed:
            self.dependents.drop(job.name)
            self.stale.pop(job.name, None)
            self.board.drop(job.name)
            self.stream.removed(job)
        self.links = plan_links(self.plans.project, self.plans.jobs)
        self.packs = plan_packs(self.plans.project, self.plans.jobs)
        self.wants_manifest = self.wants_links = self.wants_stale = True
        self.files.keep(self.dependents.names() | self.plans.names)
        self.stream.hello(self.plans, self.board)
        current = 0
        for job in change.changed:
            if engine.is_current(job):
                current += 1
                self._saw(job, None)
                self.board.drop(job.name)
            else:
                self.stale[job.name] = job
        self.board.current += current + len(self.plans.jobs) - len(change.changed)
        self.watch()
        if not self.stale:
            self.build()

    def _engine(self) -> Engine:
        """The engine of the output folder, another one if that or the store's places changed."""
        project = self.plans.project
        wanted = project_store(project, self.given_store)
        options = DeferredOptions.of(wanted)
        address = project.executor if self.given_address is None else self.given_address
        engine = self.engine
        same = (options, address) == (self.store, self.address)
        if engine is not None and engine.output_dir == project.output_dir and same:
            return engine
        if engine is not None:
            engine.close()
        if self.executor is not None:
            self.executor.close()
        self.store, self.address = options, address
        self.executor = executor(self.root, self.workers, self._workers_store(), address=address)
        self.engine = engine = Engine(self.root, project.output_dir, self.executor, options)
        engine.digests = self.files
        if isinstance(self.executor, Inline):  # outputs first, and then the rest
            self.executor.defers, engine.later = True, []
        return engine

    # ---- building

    def build(self) -> None:
        """Build until nothing is out of date, the configuration wants to be read, or nothing but waiting helps."""
        engine = self.engine
        if engine is None:
            self.stale.clear()
            return
        console = Console(self.screen.write, self.screen.render)
        batch = self.board.begin()
        targets = BuildTargets(self.plans.jobs, self.links, self.packs, is_whole=True)
        policy = BuildPolicy(
            build=lambda jobs: self._build_stale(engine, console),
            write=self.screen.write,
            is_due=self._is_due,
            blocked=lambda: self.board.failures.keys() | self.stale.keys(),
            built=lambda result: self._report(result, console, batch),
            writes_manifest=lambda: self.wants_manifest,
            manifest_failed=lambda error: self.screen.write(f"cannot write `{error.path}`: {error.reason}\n"),
            stale_outputs=lambda: self._report_stale(engine),
        )
        BuildSession(engine, console, targets).run(list(self.stale.values()), policy)
        self.has_outputs |= self.wants_manifest
        self.wants_manifest = False
        self.stream.settled(self.board, batch)
        self.watch()
        self.store.flush()
        engine.records.compact()

    def _build_stale(self, engine: Engine, console: Console) -> dict[str, Outcome]:
        """Build until nothing is out of date or the configuration has to be read again; return the last outcomes."""
        outcomes: dict[str, Outcome] = {}
        width = width_of(self.executor, self.workers) if self.stale else 1
        if width == 1:
            self._one_by_one(engine, console, outcomes)
        else:
            self._several(engine, console, width, outcomes)
        return outcomes

    def _is_due(self, target: LinkJob | PackJob) -> bool:
        """Whether to look at a group of stages, or at a pack: those that this batch or another plan may change."""
        if isinstance(target, LinkJob):
            built = {built.job.name for built in self.board.batch.built}
            return self.wants_links or not target.jobs.keys().isdisjoint(built)
        if not self.wants_manifest:
            return False
        if self._lack(target.paths()):  # members were removed: they are built again, and packed then
            self.looked = -OUTPUTS_SECONDS
            return False
        return True

    def _report(self, result: BuildResult, console: Console, batch: Batch) -> None:
        """Report what became of a batch, before the manifest and packs are written."""
        self.wants_links = self.wants_links and bool(self.board.failures or self.stale)
        unfit = set(self.board.unfit).difference(link.name for link in result.checked)
        unfit.update(link.name for link in result.unfit)
        self.board.unfit = sorted(unfit.intersection(link.name for link in self.links))
        console.finish()
        self.board.end(batch, self.plans.by_name)
        self.screen.settled(self.board, batch)

    def _one_by_one(self, engine: Engine, console: Console, outcomes: dict[str, Outcome]) -> None:
        expected: set[str] = set()
        while self.stale and not self.wants_plan:
            self._expect(console, expected)
            job = self._next()
            began = time.perf_counter()
            outcomes[job.name] = engine.build(job)
            self._done(job, outcomes[job.name], began, console)
            if problems := engine.catch_up():
                console.add(job, problems, urgent=False)
            self.notice(self.bursts.pending())

    def _several(self, engine: Engine, console: Console, width: int, outcomes: dict[str, Outcome]) -> None:
        expected: set[str] = set()
        running: dict[Future[Outcome], tuple[Job, float]] = {}
        with ThreadPoolExecutor(width) as pool:
            while running or (self.stale and not self.wants_plan):
                self._expect(console, expected)
                while self.stale and len(running) < width and not self.wants_plan:
                    job = self._next()
                    running[pool.submit(engine.build, job)] = (job, time.perf_counter())
                done, _ = wait(running, timeout=0.05, return_when=FIRST_COMPLETED)
                for future in done:
                    job, began = running.pop(future)
                    outcomes[job.name] = future.result()
                    self._done(job, outcomes[job.name], began, console)
                self.notice(self.bursts.pending())
                for job, _ in running.values():  # whoever is at work finds out for itself
                    self.stale.pop(job.name, None)

    def _expect(self, console: Console, expected: set[str]) -> None:
        new = [job for name, job in self.stale.items() if name not in expected]
        if new:
            console.expect(new)
            expected.update(job.name for job in new)
            self.board.total += len(new)
            self.screen.progress(self.board)

    def _next(self) -> Job:
        """What failed comes first, then in the order of the plan."""
        name = next((name for name in self.stale if name in self.board.failures), None) or next(iter(self.stale))
        return self.stale.pop(name)

    def _done(self, job: Job, outcome: Outcome, began: float, console: Console) -> None:
        now = time.perf_counter()
        before = self._saw(job, outcome)
        result = outcome.result
        failed = outcome.state == "failed"
        built = Built(job, now - began, result.seconds, now - self.noticed, result.reused, before)
        self.board.done(built, outcome, time.time())
        console.add(job, result.diagnostics, urgent=False)
        if failed:
            self.stream.failed(built, result.diagnostics)
        else:
            self.stream.built(built, self._changed(job, before))
            self.wants_manifest = True
        self.screen.progress(self.board)
        if self.dependents.is_stale(job.name, self.files.get) and self.plans.by_name.get(job.name) is job:
            # A file was written while it was compiled, and no event has told yet; look, and try again.
            changed = self.files.that_changed(self.dependents.used[job.name], by_event=True)
            self.attempts[job.name] = self.attempts.get(job.name, 0) + 1
            if self.dependents.is_stale(job.name, self.files.get) and self.attempts[job.name] < ATTEMPTS:
                self.stale[job.name] = job
            for name in self.dependents.stale(changed, self.files.get) - {job.name}:
                self.stale[name] = self.plans.by_name[name]
        else:
            self.attempts.pop(job.name, None)

    def _saw(self, job: Job, outcome: Outcome | None) -> dict[str, str]:
        """Remember what a job read and looked for; returns the outputs that it had before."""
        record = self.engine.records.get(job.name) if self.engine is not None else None
        before = self.board.outputs.get(job.name, {})
        seen: tuple[dict[str, str], Iterable[str]] = ({}, ())
        if outcome is not None and outcome.state != "current":
            seen = (outcome.result.files, outcome.result.missing)
        elif record is not None:
            seen = (record.files, record.missing)
        used = {**seen[0], **dict.fromkeys(seen[1], "")}
        if not seen[0]:  # it did not come to reading: what was known is as it is now
            names = {job.source, *self.dependents.used.get(job.name, ()), *used}
            used = {name: self.files.get(name) for name in names}
        self.dependents.put(job.name, used)
        for name in used:
            self.files.get(name)
        if record is not None:
            self.board.outputs[job.name] = dict(record.outputs)
        return before

    def _changed(self, job: Job, before: dict[str, str]) -> dict[str, str]:
        """Kind → file of the outputs whose bytes are others than before."""
        now = self.board.outputs.get(job.name, {})
        return {kind: path for kind, path in job.targets.items() if now.get(path) != before.get(path)}

    def _report_stale(self, engine: Engine) -> None:
        """Report outputs of shaders that are configured no more, once for each plan."""
        if self.wants_stale:
            self.wants_stale = False
            engine.take_over(self.plans.jobs)
            outputs = claimed(self.plans.jobs, self.links, self.packs)
            stale = engine.find_stale(outputs, is_configured_by(self.plans.configs))
            if stale:
                self.screen.write(report(stale, engine.output_dir))

    # ---- folders

    def watch(self) -> bool:
        """Watch every folder that a build reads from or looks into; whether there were new ones."""
        try:
            new = self.source.watch(self._folders())
        except Unwatchable as problem:
            self._poll(problem)
            new = True
        self.is_unsure |= new  # what happened before nobody tells
        return new

    def _poll(self, problem: Unwatchable) -> None:
        """Go on without the system's events."""
        self.screen.write(f"warning: {problem}; files are looked at every {POLL_SECONDS:g} s\n")
        self.source.close()
        self.source = self.bursts.source = Nothing()
        self.is_polling, self.interval = True, POLL_SECONDS

    def _folders(self) -> set[str]:
        self.files.around()
        return {existing(folder) for folder in self.files.direct | self.listings.folders()}
