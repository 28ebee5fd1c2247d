"""Brings outputs up to date, one job at a time: what SCons's action, the watcher and `hlsl_tool build` share."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from hlsl_tool.build import direct
from hlsl_tool.build.causes import causes
from hlsl_tool.build.compiling import JobResult, failure, message, relative, warning
from hlsl_tool.build.console import Console
from hlsl_tool.build.executors import Executor
from hlsl_tool.build.files import WriteError, read_bytes, write_all, write_atomic
from hlsl_tool.build.links import Interface, LinkJob, LinkResult, run_links
from hlsl_tool.build.plan import MANIFEST_NAME, Job, manifest
from hlsl_tool.build.records import LOG_NAME, Record, Records, digest, key_of
from hlsl_tool.build.store.places import StoreOptions
from hlsl_tool.build.store.results import Result
from hlsl_tool.build.store.results import key_of as store_key
from hlsl_tool.build.store.verify import checked, sampled
from hlsl_tool.build.traces import holds
from hlsl_tool.diagnostics.catalogue import build as codes


@dataclass(slots=True)
class Outcome:
    """`built`, `current` (nothing to do) or `failed`."""

    state: str
    result: JobResult = field(default_factory=JobResult)


class Digests:
    """Digests of files under a root, each read once until it is forgotten."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.known: dict[str, str] = {}
        self.states: dict[str, tuple[int, int, int]] = {}

    def get(self, name: str) -> str:
        """Empty where there is no such file."""
        found = self.known.get(name)
        if found is None:
            data = read_bytes(os.path.join(self.root, name))
            found = self.known[name] = "" if data is None else digest(data)
        return found

    def now(self, name: str) -> str:
        """As `get`, of the file as it is now, should somebody have written it since it was last read."""
        try:
            status = os.stat(os.path.join(self.root, name))
            state = (status.st_mtime_ns, status.st_size, status.st_ino)
        except OSError:
            state = (0, 0, 0)
        if self.states.get(name) != state:
            self.known.pop(name, None)
            self.states[name] = state
        return self.get(name)

    def forget(self, names: Iterable[str] | None = None) -> None:
        if names is None:
            self.known.clear()
        else:
            for name in names:
                self.known.pop(name, None)


class Engine:
    """Everything about one output folder.  Safe to call from several threads."""

    def __init__(
        self, root: str, output_dir: str, executor: Executor, store: StoreOptions | None = None, *, verify: float = 0.0
    ) -> None:
        self.root = root
        self.output_dir = output_dir
        self.store = store.open() if store is not None else None
        self.verify = verify
        """Which part of the store's hits is compiled all the same, and compared."""
        self.problems: set[tuple[str, str]] = set()
        self.texts: set[str] = set()
        self.told_of_tools = False
        self.executor = executor
        self.records = Records(os.path.join(root, output_dir, LOG_NAME))
        self.digests = Digests(root)
        self.lock = threading.Lock()

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
        for path, known in record.outputs.items():
            data = read_bytes(os.path.join(self.root, path))
            if data is None or digest(data) != known:
                return False
        return True

    def settled(self, job: Job) -> bool:
        """Whether SCons's own database knows what is on disk."""
        record = self.records.get(job.name)
        return record is None or record.settled

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
        with self.lock:
            self.digests.forget(result.files)
            self.records.put(job.name, Record())  # from here on the outputs are nobody's until they are whole
        try:
            write_all({os.path.join(self.root, path): data for path, data in targets.items()})
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
            outputs={path: digest(data) for path, data in targets.items()},
            interface=result.interface,
            lines=job.explained_lines(),
            causes=why(),
            # Of a result out of the store the time that matters is what it took to make it.
            times=result.times if not result.reused or before is None or not before.times else before.times,
            reused=result.reused,
        )
        with self.lock:
            self.records.put(job.name, record)
        self.keep_texts(result)
        return Outcome("built", result)

    def close(self) -> None:
        """Of what it has itself; the executor is its owner's."""
        if self.store is not None:
            self.store.close()

    def result(self, job: Job) -> JobResult:
        """From the store, or from the compiler."""
        store = self.store
        if store is None:
            return self.executor.run(job)
        with self.lock:
            found = direct.find(store, job, self.root, self.digests.now)
        result = found or self.executor.run(job)
        if result.reused and sampled(result.key, self.verify):
            result = checked(result, self.executor.run(replace(job, is_fresh=True)), job, store)
        if result.ok and found is None and not result.is_foreign:
            direct.keep(store, job, self.root, result)
        problems = dict.fromkeys((*result.store_problems, *store.take_problems()))
        with self.lock:
            new = [problem for problem in problems if problem not in self.problems]
            self.problems.update(new)
        result.diagnostics = [
            *result.diagnostics, *(warning(codes.STORE_PROBLEM, place=place, what=what) for place, what in new)
        ]  # fmt: skip
        return result

    # ---- why

    def causes(self, job: Job) -> list[str]:
        """Why the job is not current, in words; empty where it is."""
        return self._why(job)()

    def _why(self, job: Job) -> Callable[[], list[str]]:
        """What finds the causes as of now, when nobody waits for outputs any more."""
        record = self.records.get(job.name) or Record()
        files = {name: self.digests.get(name) for name in (*record.files, *record.missing)}
        outputs = {path: self._output_digest(path) for path in record.outputs}
        return lambda: causes(record, job.explained_lines(), files.__getitem__, outputs.__getitem__, self._text)

    def keep_texts(self, result: JobResult) -> None:
        """Put the sources into the store, each once, so that what comes to differ can be told."""
        if self.store is None:
            return
        for name, known in result.files.items():
            if known not in self.texts:
                self.texts.add(known)
                data = read_bytes(os.path.join(self.root, name))
                if data is not None and digest(data) == known:
                    self.store.put(store_key("text", known), Result(None, {"text": data}))

    def _text(self, name: str, known: str) -> str | None:
        data = read_bytes(os.path.join(self.root, name))
        if data is None or digest(data) != known:
            found = self.store.get(store_key("text", known)) if self.store is not None else None
            data = found.blobs.get("text") if found is not None else None
        return data.decode("utf-8", "replace") if data is not None else None

    def _output_digest(self, path: str) -> str:
        data = read_bytes(os.path.join(self.root, path))
        return digest(data) if data is not None else ""

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

    def write_manifest(self, jobs: list[Job]) -> None:
        """Write the manifest of all jobs of the output folder, unless it is as it should be.  May raise WriteError."""
        path = os.path.join(self.root, self.output_dir, MANIFEST_NAME)
        data = manifest(jobs, self.output_dir, self.aliases(jobs)).encode()
        if read_bytes(path) != data:
            write_atomic(path, data)

    # ---- checks between stages

    def linked(self, job: LinkJob) -> bool:
        """Whether the stages have been checked as they are, and fitted."""
        record = self.records.get(_link_name(job))
        if record is None or record.key != job.key(self._interfaces(job)):
            return False
        data = read_bytes(os.path.join(self.root, job.target))
        return data is not None and digest(data) == record.outputs.get(job.target)

    def link(self, job: LinkJob) -> LinkResult | None:
        """Check, unless that has been done with the stages as they are (`None`).  All of them have been built."""
        with self.lock:
            if self.linked(job):
                return None
            interfaces = self._interfaces(job)
        for name, interface in interfaces.items():
            if interface is None:  # the log was lost, or is that of an older version
                interfaces[name] = self.executor.run(job.jobs[name]).interface
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
                if record is not None and record.interface is None and interface is not None:
                    record.interface = interface
                    self.records.put(name, record)
            key = job.key(self._interfaces(job))
            self.records.put(_link_name(job), Record(key, job.decided(), outputs={job.target: digest(data)}))
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


def _link_name(job: LinkJob) -> str:
    """Its name in the log, which no output can have."""
    return f"link: {job.name}"
