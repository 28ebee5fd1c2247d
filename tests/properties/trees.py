"""A project of sources, its jobs, and builds with a store, each of which is compared with a clean compilation."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field, replace

from hlsl_tool.project.build.currency import toolchain
from hlsl_tool.project.build.engine import Engine
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult, compile_job, disk
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.workers.executors import Inline
from hlsl_tool.project.build.workers.worker import new_memory


@dataclass
class Built:
    """What a build did for one job (`state`), and the result of a clean compilation of the job (`clean`)."""

    state: str
    """``current``, ``failed``, ``compiled``, or the kind of key in the store: ``files``, ``tokens``, ``reach``."""
    clean: JobResult


@dataclass
class Tree:
    root: pathlib.Path
    jobs: list[Job]
    stores: tuple[str, ...]
    inline: Inline | None = field(default=None, repr=False)
    """Kept from one build to the next, as a watcher does it, until `restart`."""

    def __post_init__(self) -> None:
        self.restart()

    def write(self, name: str, text: str | bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def restart(self) -> None:
        if self.inline is not None:
            self.inline.close()
        self.inline = None
        toolchain.fingerprint.cache_clear()

    def build(self, what: str = "") -> dict[str, Built]:
        """Build all jobs; compare every output and message with those of a clean compilation."""
        store = StoreOptions(self.stores)
        root = str(self.root)
        if self.inline is None:
            self.inline = Inline(root, store)
        engine = Engine(root, "build", self.inline, store)
        memory = new_memory()
        found: dict[str, Built] = {}
        for job in self.jobs:
            fingerprint = toolchain.fingerprint_of(job)
            job = replace(job, fingerprint=fingerprint, _cache_key="")
            outcome = engine.build(job)
            told = f"{what}: {job.name} ({outcome.state}, {outcome.result.reused})"
            clean = compile_job(job, root, disk(root), memory)
            assert (outcome.state != "failed") == clean.ok, told
            if outcome.state != "current":
                assert outcome.result.diagnostics == clean.diagnostics, told
                assert outcome.result.files == clean.files, told
            for kind, data in clean.outputs.items():
                assert (self.root / job.targets[kind]).read_bytes() == data, f"{told}: {kind}"
            if clean.ok:
                record = engine.records.get(job.name)
                assert record is not None, told
                if None not in (record.interface, clean.interface):  # which only links want
                    assert record.interface == clean.interface, told
            state = outcome.state if outcome.state != "built" else outcome.result.reused or "compiled"
            found[job.name] = Built(state, clean)
        engine.close()
        return found


def new_job(name: str, source: str, options: object, *kinds: str) -> Job:
    """Return a job that compiles ``source`` with ``options``, and writes outputs of these kinds (default: `spv`)."""
    from hlsl_tool.project.config.output_kinds import SUFFIXES

    targets = {kind: f"build/{name}{SUFFIXES[kind]}" for kind in SUFFIXES if kind in (kinds or ("spv",))}
    return Job(name, source, options, targets)  # type: ignore[arg-type]
