"""The log, the state file and the digests of one output folder."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.base.system.file_names import LOG_NAME, MANIFEST_NAME
from hlsl_tool.base.system.paths import UP, absolute, existing_folder, folders_of_links, relative, without_links
from hlsl_tool.project.build.currency.digests import Digests
from hlsl_tool.project.build.currency.log import Record, Records
from hlsl_tool.project.build.currency.stale_outputs import Owns, prune, stale_outputs
from hlsl_tool.project.build.currency.state_file import State
from hlsl_tool.project.build.currency.traces import is_valid
from hlsl_tool.project.build.digest import key_of
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.config.trust import fence

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Diagnostic


class OutputFolder:
    """Log, state file and digests of one output folder.  Callers on several threads must hold `lock`."""

    def __init__(self, root: str, output_dir: str, only: Collection[str] | None = None) -> None:
        """Open the folder ``output_dir`` of the project at ``root``.

        ``only``: names of the jobs whose log records are read; the state file is then not read.
        """
        self.root = root
        self.output_dir = output_dir
        self.only = only
        self.below = fence(root, output_dir)
        """The folder that no output may leave by a link; empty for none."""
        self.digests = Digests(root, self.state.table() if only is None else None)
        self.seconds = self.state.seconds() if only is None else {}
        """Job → seconds that its last compilation took."""
        self.stale: list[str] = []
        """The stale outputs that `find_stale` returned last."""
        self.lock = threading.Lock()

    @cached_property
    def state(self) -> State:
        """The state file; read at the first access."""
        return State(self.root, self.output_dir)

    @cached_property
    def records(self) -> Records:
        """The log; read at the first access, because a build with nothing to do does not need it."""
        return Records(os.path.join(self.root, self.output_dir, LOG_NAME), self.only, below=self.below)

    def files_of(self, jobs: Iterable[Job]) -> set[str]:
        """Return the sources of ``jobs`` and every file that their last builds read, as paths relative to the root."""
        files: set[str] = set()
        for job in jobs:
            record = self.records.get(job.name)
            files.update((job.source, *(record.files if record is not None else ())))
        return files

    def searched(self, jobs: Iterable[Job]) -> list[str]:
        """Return the absolute folders whose directory entries can change which files ``jobs`` read.

        A new file in one of them may match an include path that did not exist before; a symbolic link may change its
        target.
        """
        jobs = list(jobs)
        missing: set[str] = set()
        for job in jobs:
            record = self.records.get(job.name)
            names = record.missing if record is not None else ()
            missing.update(os.path.dirname(name.removesuffix(UP)) for name in names)
        folders = {without_links(existing_folder(absolute(name, self.root))) for name in missing}
        folders.update(folders_of_links(self.files_of(jobs), self.root))
        return sorted(folder.replace(os.sep, "/") for folder in folders)

    @property
    def records_are_loaded(self) -> bool:
        """True once the log has been read."""
        return "records" in self.__dict__

    @property
    def manifest_path(self) -> str:
        """Absolute path of the manifest."""
        return os.path.join(self.root, self.output_dir, MANIFEST_NAME)

    # ---- jobs

    def trace(self, job: Job) -> tuple[dict[str, str], list[str]] | None:
        """Return the dependency trace (files, missing paths) of a job's last build; `None` if it is no longer valid.

        It is valid while the job's options, the toolchain, the files and the missing paths are unchanged.
        """
        record = self.records.get(job.name)
        if record is None or record.cache_key != job.cache_key():
            return None
        if not is_valid(job, self.root, record.files, record.missing, self.digests.digest_cached):
            return None
        return record.files, record.missing

    def is_current(self, job: Job) -> bool:
        """Return whether a job is up to date: options, inputs and outputs match the record of its last build."""
        record = self.records.get(job.name)
        if record is None or not record.key or set(record.outputs) != set(job.targets.values()):
            return False
        trace = self.trace(job)
        if trace is None or record.key != key_of(job.cache_key(), *trace):
            return False
        return self.has_outputs_of(record)

    def has_outputs_of(self, record: Record) -> bool:
        """Return whether every output of a record is on disk with the digest that the record states."""
        return all(self.digests.digest_fresh(path) == digest for path, digest in record.outputs.items())

    def diagnostics(self, job: Job) -> list[Diagnostic]:
        """Return the warnings of the last build of a job that succeeded; [] if the log has none."""
        record = self.records.get(job.name)
        if record is None or not record.diagnostics:
            return []
        from hlsl_tool.project.build.currency.plain_diagnostics import diagnostic_of  # start-up time

        try:
            return [diagnostic_of(data) for data in record.diagnostics]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return []  # damaged

    # ---- state

    def save_state(self, jobs: Iterable[Job] = (), collected: Iterable[str] = (), *, plan: str = "") -> None:
        """Write the state file: the stamps of all files that the log mentions, for the next build to compare.

        ``plan`` is the key of a plan in which everything is up to date; empty for none.  ``jobs`` are the jobs of that
        plan, and ``collected`` the names of its link checks and packs in the log.  The state file does not record the
        plan if the log has no complete record of one of them.
        """
        jobs, collected = list(jobs), list(collected)
        if not plan:
            if self.records_are_loaded:
                records = [*self.records.by_name.values(), self._manifest_record()]
                self.state.save(self.digests, self.seconds, records, stale=self.stale)
            return
        names = [*(job.name for job in jobs), *collected]
        records = [record for name in names if (record := self.records.get(name)) is not None]
        if len(records) < len(names) or not all(record.key for record in records):
            plan = ""  # another tool than the plan's compiled something, which has to be built again
        if any(job.options.case_insensitive_includes for job in jobs):
            plan = ""  # the entries of folders decide, too, and stamps do not cover them
        records.append(self._manifest_record())
        keys = {job.name: record.key for job in jobs if (record := self.records.get(job.name)) and record.is_confirmed}
        self.state.save(self.digests, self.seconds, records, plan=plan, count=len(jobs), keys=keys, stale=self.stale)

    def _manifest_record(self) -> Record:
        path = relative(self.manifest_path, self.root)
        return Record(outputs={path: self.digests.digest_fresh(path)})

    # ---- stale outputs

    def take_over(self, jobs: Iterable[Job]) -> None:
        """Record today's configuration of each job in the log, for shaders that moved to another configuration.

        Otherwise their outputs would look like stale outputs of the former configuration.
        """
        for job in jobs:
            record = self.records.get(job.name)
            if record is not None and record.key and record.origin != job.configuration:
                self.records.put(job.name, replace(record, origin=job.configuration))

    def find_stale(self, claimed: Collection[str], owns: Owns) -> Sequence[str]:
        """Return the stale outputs that are unmodified since they were written.

        `save_state` stores them for the next build. ``claimed`` are the outputs of all current jobs of the output
        folder. Only outputs of configurations for which ``owns`` returns True are included.
        """
        stale = stale_outputs(self.records, claimed, owns)
        self.stale = [path for path, digest in sorted(stale.items()) if self.digests.digest_fresh(path) == digest]
        return self.stale

    def prune(self, claimed: Collection[str], owns: Owns) -> list[str]:
        """Remove stale outputs and return their paths.  May raise WriteError."""
        stale = stale_outputs(self.records, claimed, owns)
        with self.lock:
            return prune(self.records, stale, self.root, self.output_dir)
