"""Brings outputs up to date, one job at a time: what SCons's action, the watcher and `hlsl_tool build` share."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from hlsl_tool.build.currency.causes import causes, edits
from hlsl_tool.build.currency.digests import Digests
from hlsl_tool.build.currency.log import Record, Records, digest, key_of
from hlsl_tool.build.currency.stale_outputs import Owns, prune, retired, stale_outputs
from hlsl_tool.build.currency.state import State
from hlsl_tool.build.currency.traces import holds
from hlsl_tool.build.outputs.links import Interface, LinkJob, LinkResult, is_interface, run_links
from hlsl_tool.build.outputs.render import JobResult, failure, message, relative, warning
from hlsl_tool.build.plan import Job, manifest
from hlsl_tool.build.store import direct_mode as direct
from hlsl_tool.build.store.places import StoreOptions
from hlsl_tool.build.store.results import Result
from hlsl_tool.build.store.results import key_of as store_key
from hlsl_tool.build.store.verify import checked, sampled
from hlsl_tool.build.ui.console import Console
from hlsl_tool.build.workers.executors import Executor, estimate
from hlsl_tool.build.workers.worker import internal_error
from hlsl_tool.diagnostics import Diagnostic
from hlsl_tool.diagnostics.catalogue import build as codes
from hlsl_tool.system.atomic_write import WriteError, read_bytes, write_all, write_atomic
from hlsl_tool.system.deep_stack import with_deep_stack
from hlsl_tool.system.file_names import LOG_NAME, MANIFEST_NAME


@dataclass(slots=True)
class Outcome:
    """`built`, `current` (nothing to do) or `failed`."""

    state: str
    result: JobResult = field(default_factory=JobResult)


class Engine:
    """Everything about one output folder.  Safe to call from several threads."""

    def __init__(
        self, root: str, output_dir: str, executor: Executor, store: StoreOptions | None = None, *, verify: float = 0.0
    ) -> None:
        self.root = root
        self.output_dir = output_dir
        self.equip(executor, store)
        self.verify = verify
        """Which part of the store's hits is compiled all the same, and compared."""
        self.problems: set[tuple[str, str]] = set()
        self.texts: set[str] = set()
        self.edits: dict[tuple[str, str, str], tuple[str, ...]] = {}
        self.told_of_tools = False
        self.stale: list[str] = []
        """As `find_stale` returned them last."""
        self.state = State(root, output_dir)
        self.digests = Digests(root, self.state.table())
        self.later: list[Callable[[], Diagnostic | None]] | None = None
        """Bookkeeping deferred until `catch_up`; `None` when nothing is deferred."""
        self.seconds = self.state.seconds()
        """Job → how long it was compiled the last time."""
        self.lock = threading.Lock()

    def equip(self, executor: Executor, store: StoreOptions | None) -> None:
        """Set who compiles and where results are kept."""
        self.executor = executor
        self.store_options = store or StoreOptions()
        self.store = self.store_options.open()

    @cached_property
    def records(self) -> Records:
        return Records(os.path.join(self.root, self.output_dir, LOG_NAME))

    @property
    def records_are_loaded(self) -> bool:
        """Whether the log has been read: a build with nothing to do need not."""
        return "records" in self.__dict__

    def trace(self, job: Job) -> tuple[dict[str, str], list[str]] | None:
        """(files, missing) as of the last build, if nothing that decides them has changed since."""
        record = self.records.get(job.name)
        if record is None or record.decided != job.decided():
            return None
        if not holds(job, self.root, record.files, record.missing, self.digests.get):
            return None
        return record.files, record.missing

    def current(self, job: Job) -> bool:
        """Whether the outputs on disk are what a build would write now."""
        record = self.records.get(job.name)
        if record is None or not record.key or set(record.outputs) != set(job.targets.values()):
            return False
        found = self.trace(job)
        if found is None or record.key != key_of(job.decided(), *found):
            return False
        return all(self.digests.look(path) == known for path, known in record.outputs.items())

    def build(self, job: Job) -> Outcome:
        """Compile and write, unless the outputs are current.  A failure leaves the last good outputs alone."""
        with self.lock:
            if self.current(job):
                return Outcome("current")
            why = self._why(job)
            before = self.records.get(job.name)
        result = self.result(job)
        if result.is_foreign and not self.told_of_tools:
            self.told_of_tools = True
            result.diagnostics = [*result.diagnostics, warning(codes.TOOLCHAIN_CHANGED)]
        if not result.ok:
            return Outcome("failed", result)
        targets = {job.targets[kind]: data for kind, data in result.outputs.items()}
        outputs = {path: digest(data) for path, data in targets.items()}
        with self.lock:
            self.digests.forget(result.files)
            # Leave identical outputs untouched, so that their mtimes do not change.
            new = [path for path, known in outputs.items() if self.digests.look(path) != known]
            for name, record in retired(before, outputs, self.records).items():
                self.records.put(name, record)
            self.records.put(job.name, Record())  # a crash while writing must not look up to date
        try:
            write_all({os.path.join(self.root, path): targets[path] for path in new})
        except WriteError as error:
            path = relative(error.path, self.root)
            problem = failure(message(codes.CANNOT_WRITE, None, path=path, reason=error.reason))
            problem.diagnostics[:0] = result.diagnostics
            problem.files, problem.missing = result.files, result.missing
            return Outcome("failed", problem)
        if result.is_foreign:  # nothing tells from what it was made: the record stays empty, and it is built again
            return Outcome("built", result)
        record = Record(
            key=key_of(job.decided(), result.files, result.missing),
            decided=job.decided(),
            files=result.files,
            missing=result.missing,
            outputs=outputs,
            lines=job.explained_lines(),
            # Of a result out of the store the time that matters is what it took to make it.
            times=result.times if not result.reused or before is None or not before.times else before.times,
            reused=result.reused,
            origin=job.configuration,
        )
        if self.later is None:
            self._complete(job, record, result, why)
        else:
            with self.lock:
                self.records.found[job.name] = record  # whoever is killed before the log has it builds it again
            self.later.append(lambda: self._complete_safely(job, record, result, why))
        return Outcome("built", result)

    def _complete(self, job: Job, record: Record, result: JobResult, why: Callable[[], list[str]]) -> None:
        """What is to be done when the outputs are there."""
        for task in result.later:
            task()
        result.later = []
        record.interface, record.causes = result.interface, why()
        with self.lock:
            self.records.put(job.name, record)
            if not result.reused:
                self.seconds[job.name] = result.seconds
        self.keep_texts(result)

    def _complete_safely(
        self, job: Job, record: Record, result: JobResult, why: Callable[[], list[str]]
    ) -> Diagnostic | None:
        """As `_complete`; an exception is a bug of ours, and becomes a message that says so."""
        try:
            self._complete(job, record, result, why)
        except Exception as error:  # noqa: BLE001  # as in `Compiler.run`
            with self.lock:
                self.records.put(job.name, Record())
            return internal_error(job, error)
        return None

    def catch_up(self) -> list[Diagnostic]:
        """Do what was put off."""
        tasks, self.later = self.later, []
        if not tasks:
            return []
        return with_deep_stack(lambda: [found for task in tasks if (found := task()) is not None])

    def estimate(self, jobs: Iterable[Job]) -> float:
        """Seconds that one process would compile them."""
        return estimate(jobs, self.seconds)

    def save_state(self, jobs: Iterable[Job] = (), links: Iterable[LinkJob] = (), *, plan: str = "") -> None:
        """Remember the stamps of files; with ``plan``, its key, that all of its jobs and links are current."""
        jobs = list(jobs)
        if plan:
            chosen = [link.record_name for link in links]
            names = [*(job.name for job in jobs), *chosen]
            records = [record for name in names if (record := self.records.get(name)) is not None]
            if len(records) < len(names) or not all(record.key for record in records):
                plan = ""  # something was compiled by another tool than the plan's, and is to be built again
            if any(job.options.case_insensitive_includes for job in jobs):
                plan = ""  # what folders hold decides, too, of which stamps tell nothing
            records.append(self._manifest_record())
            keys = {job.name: record.key for job in jobs if (record := self.records.get(job.name)) and record.settled}
            self.state.save(
                self.digests,
                self.seconds,
                records,
                plan=plan,
                count=len(names) - len(chosen),
                keys=keys,
                stale=self.stale,
            )
        elif self.records_are_loaded:
            records = [*self.records.found.values(), self._manifest_record()]
            self.state.save(self.digests, self.seconds, records, stale=self.stale)

    # ---- stale outputs

    def take_over(self, jobs: Iterable[Job]) -> None:
        """Record the configurations of jobs: a shader that moved from one to another is no output of the first."""
        for job in jobs:
            record = self.records.get(job.name)
            if record is not None and record.key and record.origin != job.configuration:
                self.records.put(job.name, replace(record, origin=job.configuration))

    def find_stale(self, claimed: Collection[str], owns: Owns) -> list[str]:
        """Return the stale outputs that are as they were written; `save_state` remembers them for the next build.

        ``claimed``: the outputs of all jobs of the output folder.
        """
        stale = stale_outputs(self.records, claimed, owns)
        self.stale = [path for path, known in sorted(stale.items()) if self.digests.look(path) == known]
        return self.stale

    def prune(self, claimed: Collection[str], owns: Owns) -> list[str]:
        """Remove stale outputs; return their paths.  May raise WriteError."""
        stale = stale_outputs(self.records, claimed, owns)
        with self.lock:
            return prune(self.records, stale, self.root, self.output_dir)

    def _manifest_record(self) -> Record:
        """That the manifest is as it is."""
        path = relative(os.path.join(self.root, self.output_dir, MANIFEST_NAME), self.root)
        return Record(outputs={path: self.digests.look(path)})

    def close(self) -> None:
        """Close the store; the executor belongs to the caller."""
        if self.store is not None:
            self.store.close()

    def result(self, job: Job) -> JobResult:
        """From the store, or from the compiler."""
        store = self.store
        if store is None:
            result = self.executor.run(job)
            result.diagnostics = [*result.diagnostics, *result.notes]
            return result
        with self.lock:
            found = direct.find(store, job, self.root, self.digests.now)
        result = found or self.executor.run(job)
        if result.reused and sampled(result.key, self.verify):
            result = checked(result, self.executor.run(replace(job, is_fresh=True)), job, store)
        if result.ok and found is None and not result.is_foreign:
            if result.later:  # the interface is one of it
                result.later.append(lambda: direct.keep(store, job, self.root, result))
            else:
                direct.keep(store, job, self.root, result)
        problems = dict.fromkeys((*result.store_problems, *store.take_problems()))
        with self.lock:
            new = [problem for problem in problems if problem not in self.problems]
            self.problems.update(new)
        result.diagnostics = [
            *result.diagnostics,
            *result.notes,
            *(warning(codes.STORE_PROBLEM, place=place, what=what) for place, what in new),
        ]
        return result

    # ---- why

    def causes(self, job: Job) -> list[str]:
        """Why the job is not current, in words; empty where it is."""
        return self._why(job)()

    def _why(self, job: Job) -> Callable[[], list[str]]:
        """Capture today's digests; the returned function computes the rebuild reasons later."""
        record = self.records.get(job.name) or Record()
        files = {name: self.digests.get(name) for name in (*record.files, *record.missing)}
        outputs = {path: self.digests.look(path) for path in record.outputs}
        return lambda: causes(record, job.explained_lines(), files.__getitem__, outputs.__getitem__, self._edits)

    def keep_texts(self, result: JobResult) -> None:
        """Put the sources into the store, each once, so that what comes to differ can be told."""
        texts = self.store_options.texts
        if self.store is None or texts == "none":
            return
        for name, known in result.files.items():
            if known not in self.texts:
                self.texts.add(known)
                data = read_bytes(os.path.join(self.root, name))
                if data is not None and digest(data) == known:
                    self.store.put(store_key("text", known), Result(None, {"text": data}), only_here=texts == "local")

    def _edits(self, name: str, then: str, now: str) -> tuple[str, ...]:
        """Worked out once for all shaders that include the file."""
        found = self.edits.get((name, then, now))
        if found is None:
            found = self.edits[name, then, now] = edits(self._text(name, then), self._text(name, now))
        return found

    def _text(self, name: str, known: str) -> str | None:
        data = read_bytes(os.path.join(self.root, name))
        if data is None or digest(data) != known:
            found = self.store.get(store_key("text", known)) if self.store is not None else None
            data = found.blobs.get("text") if found is not None else None
        return data.decode("utf-8", "replace") if data is not None else None

    # ---- the manifest

    def aliases(self, jobs: Iterable[Job]) -> dict[str, str]:
        """Shader → the first, by name, with the same words."""
        first: dict[str, str] = {}
        found: dict[str, str] = {}
        for job in sorted(jobs, key=lambda job: job.name):
            record = self.records.get(job.name)
            words = record.outputs.get(job.targets.get("spv", "")) if record is not None else None
            if words is not None and first.setdefault(words, job.name) != job.name:
                found[job.name] = first[words]
        return found

    def manifest_is_current(self, jobs: list[Job]) -> bool:
        return self._manifest(jobs) == read_bytes(os.path.join(self.root, self.output_dir, MANIFEST_NAME))

    def write_manifest(self, jobs: list[Job]) -> None:
        """Write the manifest of all jobs of the output folder, unless it is as it should be.  May raise WriteError."""
        if not self.manifest_is_current(jobs):
            write_atomic(os.path.join(self.root, self.output_dir, MANIFEST_NAME), self._manifest(jobs))

    def _manifest(self, jobs: list[Job]) -> bytes:
        return manifest(jobs, self.output_dir, self.aliases(jobs)).encode()

    # ---- checks between stages

    def linked(self, job: LinkJob) -> bool:
        """Whether the stages have been checked as they are, and fitted."""
        record = self.records.get(job.record_name)
        if record is None or record.key != job.key(self._interfaces(job)):
            return False
        return self.digests.look(job.target) == record.outputs.get(job.target)

    def link(self, job: LinkJob) -> LinkResult | None:
        """Check, unless that has been done with the stages as they are (`None`).  All of them have been built."""
        with self.lock:
            if self.linked(job):
                return None
            interfaces = self._interfaces(job)
        for name, interface in interfaces.items():
            if not is_interface(interface):  # the log was lost or damaged, or is that of an older version
                found = self.executor.run(job.jobs[name])
                for task in found.later:
                    task()
                interfaces[name] = found.interface
        result = run_links(job, interfaces)
        if not result.ok:
            return result
        data = result.report.encode()
        try:
            write_all({os.path.join(self.root, job.target): data})
        except WriteError as error:
            path = relative(error.path, self.root)
            problem = message(codes.CANNOT_WRITE, None, path=path, reason=error.reason)
            result.messages.append((next(iter(job.jobs.values())), [problem]))
            result.ok = False
            return result
        with self.lock:
            for name, interface in interfaces.items():
                record = self.records.get(name)
                if record is not None and record.interface != interface and interface is not None:
                    record.interface = interface
                    self.records.put(name, record)
            key = job.key(self._interfaces(job))
            outputs = {job.target: digest(data)}
            self.records.put(job.record_name, Record(key, job.decided(), outputs=outputs, origin=job.configuration))
        return result

    def link_all(self, jobs: Iterable[LinkJob], console: Console) -> list[LinkJob]:
        """Check all that is not current, in order; returns the jobs whose stages do not fit."""
        unfit = []
        for job in jobs:
            result = self.link(job)
            if result is None:
                continue
            result.tell(console)
            if not result.ok:
                unfit.append(job)
        return unfit

    def _interfaces(self, job: LinkJob) -> dict[str, Interface | None]:
        found: dict[str, Interface | None] = {}
        for name in job.jobs:
            record = self.records.get(name)
            found[name] = record.interface if record is not None else None
        return found
