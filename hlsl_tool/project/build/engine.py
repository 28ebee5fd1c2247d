"""Bring the outputs of a single job up to date; used by SCons's action, the watcher and `hlsl_tool build`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.diagnostics import Diagnostic
from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.system.atomic_write import WriteError, read_bytes, write_all
from hlsl_tool.base.system.dataclass import dataclass, field, replace
from hlsl_tool.base.system.deep_stack import with_deep_stack
from hlsl_tool.base.system.paths import relative
from hlsl_tool.project.build.currency.causes import causes, edits
from hlsl_tool.project.build.currency.folder import OutputFolder
from hlsl_tool.project.build.currency.log import Record
from hlsl_tool.project.build.currency.stale_outputs import retired
from hlsl_tool.project.build.digest import digest, key_of
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult, message, warning
from hlsl_tool.project.build.store import direct_mode as direct
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.store.source_texts import SourceTexts
from hlsl_tool.project.build.store.verify import checked, sampled
from hlsl_tool.project.build.workers.executors import Executor, estimate
from hlsl_tool.project.build.workers.worker import internal_error

if TYPE_CHECKING:
    from hlsl_tool.project.build.store.lookups import Lookups


@dataclass(slots=True)
class Outcome:
    """The end of a job's build: whether it was built, up to date or failed, and its outputs and diagnostics."""

    state: str
    """`built`, `current` (nothing to do) or `failed`."""
    result: JobResult = field(default_factory=JobResult)

    @property
    def is_stored(self) -> bool:
        """True if the outputs were taken from the store instead of being compiled."""
        return self.state == "built" and self.result.reused != ""


class Engine(OutputFolder):
    """An output folder with the executor and the store that build its jobs.  Safe for threads."""

    def __init__(
        self,
        root: str,
        output_dir: str,
        executor: Executor,
        store: StoreOptions | None = None,
        *,
        verify: float = 0.0,
        only: Collection[str] | None = None,
    ) -> None:
        """Open the output folder.

        ``verify``: the share (0 to 1) of results from the store that are compiled again and compared.  ``only``: names
        of the log records to read (see `OutputFolder`).
        """
        super().__init__(root, output_dir, only)
        self.equip(executor, store)
        self.verify = verify
        self.later: list[Callable[[], Diagnostic | None]] | None = None
        """Bookkeeping deferred until `catch_up`; `None` when nothing is deferred."""
        self._reported_problems: set[tuple[str, str]] = set()
        self._known_edits: dict[tuple[str, str, str], tuple[str, ...]] = {}
        self._has_reported_tools = False
        self.unwritable: Diagnostic | None = None
        """The error that no output can be written, because the disk is full or the output folder cannot be changed."""

    def equip(self, executor: Executor, store: StoreOptions | None) -> None:
        self.executor = executor
        self.store_options = store or StoreOptions()
        self.store = self.store_options.open()
        self.texts = SourceTexts(self.root, self.store, self.store_options.texts)
        self.lookups: Lookups | None = None
        """Lookups on servers, which run beside the build; `None` if all stores are folders."""
        if self.store is not None and self.store.is_remote:
            from hlsl_tool.project.build.store.beside import BesideStore  # start-up time
            from hlsl_tool.project.build.store.lookups import Lookups

            assert isinstance(self.store, BesideStore)
            self.lookups = Lookups(self.store, self.root, self._digest_stat)

    def _digest_stat(self, name: str) -> str:
        with self.lock:
            return self.digests.digest_stat(name)

    def expect(self, jobs: Iterable[Job]) -> None:
        """Start to look up the results of jobs on servers: this build will ask for them."""
        if self.lookups is not None:
            self.lookups.begin(jobs)

    def close(self) -> None:
        """Close the store.  The caller closes the executor."""
        if self.lookups is not None:
            self.lookups.close()
        if self.store is not None:
            self.store.close()

    def estimate(self, jobs: Iterable[Job]) -> float:
        """Estimate the seconds that a single process needs to compile ``jobs``."""
        return estimate(jobs, self.seconds)

    # ---- building

    def build(self, job: Job) -> Outcome:
        """Build a job and write its outputs, unless it is up to date.

        A failed job leaves its previous outputs as they are.
        """
        with self.lock:
            if self.is_current(job):
                return Outcome("current")
            why = self._why(job)
            before = self.records.get(job.name)
        result = self.result(job)
        if result.is_foreign and not self._has_reported_tools:
            self._has_reported_tools = True
            result.diagnostics = [*result.diagnostics, warning(codes.TOOLCHAIN_CHANGED)]
        if not result.ok:
            return Outcome("failed", result)
        outputs = {job.targets[kind]: digest(data) for kind, data in result.outputs.items()}
        if not self._write(job, result, outputs, before):
            return Outcome("failed", result)
        if not result.is_foreign:  # else its key is unknown: the next build compiles it again
            self._record(job, _record(job, result, outputs, before), result, why)
        return Outcome("built", result)

    def _write(self, job: Job, result: JobResult, outputs: dict[str, str], before: Record | None) -> bool:
        """Write the outputs that differ from the files on disk.

        On failure, add a diagnostic to ``result`` and return False.
        """
        targets = {job.targets[kind]: data for kind, data in result.outputs.items()}
        with self.lock:
            self.digests.forget(result.files)
            # Leave identical outputs untouched, so that their mtimes do not change.
            changed = [path for path, content in outputs.items() if self.digests.digest_fresh(path) != content]
            for name, record in retired(before, outputs, self.records).items():
                self.records.put(name, record)
            if before is not None:
                # Invalidate the record first: a crash while writing must not look up to date.
                self.records.put(job.name, Record())
        try:
            write_all({os.path.join(self.root, path): targets[path] for path in changed}, below=self.below)
        except WriteError as error:
            result.diagnostics = [*result.diagnostics, self._write_problem(error)]
            result.ok = False
            return False
        return True

    def _write_problem(self, error: WriteError) -> Diagnostic:
        """Return the diagnostic of an output that cannot be written; the same for all if no output can be."""
        with self.lock:
            if self.unwritable is not None:
                return self.unwritable
            folder = os.path.join(self.root, self.output_dir)
            if error.is_full:
                self.unwritable = message(codes.DISK_FULL, None, place=self.output_dir, free=_free_space(folder))
            elif not _is_writable(folder):
                self.unwritable = message(codes.OUTPUT_FOLDER, None, place=self.output_dir, reason=error.reason)
            else:
                return message(codes.CANNOT_WRITE, None, path=relative(error.path, self.root), reason=error.reason)
            return self.unwritable

    def _record(self, job: Job, record: Record, result: JobResult, why: Callable[[], list[str]]) -> None:
        """Write the log record of a job that was just built; if bookkeeping is deferred, `catch_up` writes it later.

        ``why`` returns the reasons for the rebuild, which become part of the record.
        """
        if self.later is None:
            self._complete(job, record, result, why)
            return
        with self.lock:
            self.records.by_name[job.name] = record  # not on disk yet: a build that is killed now builds the job again
        self.later.append(lambda: self._complete_safely(job, record, result, why))

    def _complete(self, job: Job, record: Record, result: JobResult, why: Callable[[], list[str]]) -> None:
        """Do the bookkeeping for a job whose outputs are written.

        Write its log record with the rebuild reasons that ``why`` returns, remember the duration, and put the texts of
        its sources into the store.
        """
        for task in result.later:
            task()
        result.later = []
        record.interface, record.causes = result.interface, why()
        with self.lock:
            self.records.put(job.name, record)
            if not result.reused:
                self.seconds[job.name] = result.seconds
        if not result.is_stored and result.reused != "files":  # else the store has them
            self.texts.put(result.files, lambda name: read_bytes(os.path.join(self.root, name)))

    def _complete_safely(
        self, job: Job, record: Record, result: JobResult, why: Callable[[], list[str]]
    ) -> Diagnostic | None:
        """Call `_complete`; convert an exception, which is a bug in hlsl_tool, into a diagnostic."""
        try:
            self._complete(job, record, result, why)
        except Exception as error:  # noqa: BLE001  # as in `Compiler.run`
            with self.lock:
                self.records.put(job.name, Record())
            return internal_error(job, error)
        return None

    def catch_up(self) -> list[Diagnostic]:
        """Run the deferred bookkeeping; return a diagnostic for each task that raised an exception."""
        tasks, self.later = self.later, []
        if not tasks:
            return []
        return with_deep_stack(lambda: [diagnostic for task in tasks if (diagnostic := task()) is not None])

    def result(self, job: Job) -> JobResult:
        """Return the result of a job: from the store if possible, else from the executor, and then store it."""
        store = self.store
        if store is None:
            result = self.executor.run(job)
            result.diagnostics = [*result.diagnostics, *result.notes]
            return result
        if self.lookups is not None:
            hit = self.lookups.take(job)
        else:
            with self.lock:
                hit = direct.lookup(store, job, self.root, self.digests.digest_stat)
        result = hit or self.executor.run(job)
        if result.reused and sampled(result.key, self.verify):
            result = checked(result, self.executor.run(replace(job, is_fresh=True)), job, store)
        if result.ok and hit is None and not (result.is_foreign or result.is_stored):
            if result.later:  # the result is complete once they have run
                result.later.append(lambda: direct.put(store, job, self.root, result))
            else:
                direct.put(store, job, self.root, result)
        problems = dict.fromkeys((*result.store_problems, *store.take_problems()))
        with self.lock:
            new = [problem for problem in problems if self._is_new(problem)]
        result.diagnostics = [
            *result.diagnostics,
            *result.notes,
            *(warning(codes.STORE_PROBLEM, place=place, what=what) for place, what in new),
        ]
        return result

    def _is_new(self, problem: tuple[str, str]) -> bool:
        """Return whether a problem of the store was not reported before, by this or another process of the build.

        Figures in parentheses do not count.
        """
        place, what = problem
        kind = place, what.partition(" (")[0]
        is_new = kind not in self._reported_problems
        self._reported_problems.add(kind)
        return is_new

    # ---- reasons

    def causes(self, job: Job) -> list[str]:
        """Describe why a job is out of date; return [] if it is up to date."""
        return self._why(job)()

    def _why(self, job: Job) -> Callable[[], list[str]]:
        """Compute today's digests of a job's files; return a function that computes the rebuild reasons from them.

        The function may be called later, when files may have changed again.
        """
        record = self.records.get(job.name) or Record()
        files = {name: self.digests.digest_cached(name) for name in (*record.files, *record.missing)}
        outputs = {path: self.digests.digest_fresh(path) for path in record.outputs}
        lines = job.explained_lines if record.lines else list
        return lambda: causes(record, lines(), files.__getitem__, outputs.__getitem__, self._edits)

    def _edits(self, name: str, then: str, now: str) -> tuple[str, ...]:
        """Name the declarations that differ between two versions of a file, given by their digests.

        The answer is cached for all shaders that include the file.
        """
        edited = self._known_edits.get((name, then, now))
        if edited is None:
            edited = self._known_edits[name, then, now] = edits(self.texts.get(name, then), self.texts.get(name, now))
        return edited


def _is_writable(folder: str) -> bool:
    """Return whether a folder, or the nearest one above it that exists, is a folder in which files can be created."""
    while not os.path.lexists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)


def _free_space(folder: str) -> str:
    """Return the free bytes of a folder's file system in words."""
    import shutil  # start-up time

    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return "few bytes"
    return f"{free >> 20} MiB" if free >= 1 << 20 else f"{free} bytes"


def _record(job: Job, result: JobResult, outputs: dict[str, str], before: Record | None) -> Record:
    """Return the log record of a job that was just built; ``outputs`` maps each output's path to its digest."""
    # A result out of the store took no time to compile: the time of its last compilation stays.
    is_timed = not result.reused or before is None or not before.times
    return Record(
        key=key_of(job.cache_key(), result.files, result.missing),
        cache_key=job.cache_key(),
        files=result.files,
        missing=result.missing,
        outputs=outputs,
        lines=job.explained_lines(),
        times=result.times if is_timed or before is None else before.times,
        reused=result.reused,
        origin=job.configuration,
        diagnostics=recorded(result.diagnostics),
    )


def recorded(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Return the diagnostics that the log keeps, as plain data: those about the machine of today are left out."""
    kept = [diagnostic for diagnostic in diagnostics if not diagnostic.code.of_environment]
    if not kept:
        return []
    from hlsl_tool.project.build.currency.plain_diagnostics import plain_diagnostic  # start-up time

    return [plain_diagnostic(diagnostic) for diagnostic in kept]
