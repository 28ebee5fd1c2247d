"""The build commands of generated rules: `hlsl2spirv --step FILE`.

A build command (`Step`) builds some jobs of one source in the same way as `hlsl_tool build`: with the log of the output
folder and the store of the project.  FILE, the jobs file, is plain data made from the plan, so that no configuration is
read.  The command reads only the log records of its own jobs and appends to the log; the final command of the rules
(`hlsl_tool build --stamp`) compacts the log.

Beside the jobs file the command writes a depfile, and a stamp for build systems that do not know that identical outputs
keep their times.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hlsl_tool.base.system.atomic_write import WriteError, write_own
from hlsl_tool.base.system.dataclass import dataclass, replace
from hlsl_tool.base.system.paths import absolute, relative
from hlsl_tool.base.system.regular_files import read_regular
from hlsl_tool.project.build.currency.stale_outputs import retired_name
from hlsl_tool.project.build.outputs.make_rule import CONFLICTING, escape_name, make_reads, make_rule, ninja_reads
from hlsl_tool.project.build.plan_cache import as_plain, from_plain
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.exchange.call import path_in_rules

if TYPE_CHECKING:
    from hlsl_tool.base.diagnostics import Diagnostic
    from hlsl_tool.compiler.result import Memory
    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.outputs.render import JobResult
    from hlsl_tool.project.build.store.choice import StoreOptions

FORMAT = "step 1"
SUFFIX = ".json"
DEPFILE = ".d"
STAMP = ".stamp"
PLAN = ".plan"

RESTAT = "restat"
"""Style of a build system that looks at the times of outputs again after a build command: it needs no stamp."""

STAMPS = "stamps"
"""Style of a build system that compares the time of a stamp, and leaves outputs alone."""

MAKE = "make"
"""Style of make: a stamp, and a depfile with a rule for each header."""


@dataclass(slots=True)
class Step:
    """The content of a jobs file: the jobs to build, their project, the target and style of the depfile."""

    project: Project
    """The project without its permutations; its root is a path from the folder in which the rules run."""
    jobs: list[Job]
    target: str
    """The target in the depfile of the build command, as the rules spell it."""
    style: str = RESTAT

    def encode(self) -> bytes:
        """Return the bytes of the file.

        They depend on the tools, so that the build command runs again after an update.
        """
        content = as_plain(self.project, self.jobs, [], [])
        head = {"format": FORMAT, "target": self.target, "style": self.style}
        return (json.dumps(head | content, ensure_ascii=False) + "\n").encode()


_NO_STEP = (
    TypeError,
    KeyError,
    AttributeError,
    IndexError,
    RecursionError,
    UnicodeDecodeError,
    json.JSONDecodeError,
)
"""Exceptions for files of another shape."""


def decode(data: bytes) -> Step:
    """Parse a jobs file; raise ValueError for other files, or for one of another version."""
    try:
        content = json.loads(data)
        if content["format"] != FORMAT:
            raise ValueError("another version of hlsl_tool wrote it")
        project, jobs, _, _ = from_plain(content)
        if not jobs:
            raise ValueError("it has no jobs")
        return Step(project, jobs, str(content["target"]), str(content["style"]))
    except _NO_STEP:
        raise ValueError("it is no jobs file") from None


def run_step(arguments: Sequence[str], folder: str, memory: Memory | None = None) -> tuple[int, str]:
    """Run the build command ``--step``: build the jobs in a jobs file; return (exit status, standard error).

    ``arguments``: the path of the jobs file, relative to ``folder``, in which the rule runs.
    """
    if len(arguments) != 1:
        return 1, "error: --step takes one jobs file\n"
    path = os.path.join(folder, arguments[0])
    try:
        step = decode(read_regular(path))
    except OSError as error:
        return 1, f"error: cannot read the jobs file '{arguments[0]}': {error.strerror}; generate the rules again\n"
    except ValueError as error:
        return 1, f"error: '{arguments[0]}': {error}; generate the rules again\n"
    return _run(step, path.removesuffix(SUFFIX), folder, memory)


def _run(step: Step, stem: str, folder: str, memory: Memory | None) -> tuple[int, str]:
    from hlsl_tool.project.build.batch import build_all
    from hlsl_tool.project.build.engine import Engine
    from hlsl_tool.project.build.store.choice import BadStore, project_store
    from hlsl_tool.project.build.ui.console import Console
    from hlsl_tool.project.build.ui.diagnostics import render_messages
    from hlsl_tool.project.build.ui.progress import Progress

    base = step.project.root
    project = replace(step.project, root=absolute(base, folder))
    _set_fingerprints(step.jobs)
    errors: list[str] = []

    def render(diagnostics: list[Diagnostic]) -> str:
        return render_messages(diagnostics, "text", color=False)

    try:
        store = project_store(project, folder=folder)
        executor = _InProcess(project.root, store, memory)
        names = [name for job in step.jobs for name in (job.name, *map(retired_name, job.targets.values()))]
        engine = Engine(project.root, project.output_dir, executor, store, only=names)
        console, progress = Console(errors.append, render), Progress(io.StringIO(), quiet=True)
        try:
            outcomes = build_all(engine, step.jobs, workers=1, progress=progress, console=console)
        finally:
            console.finish()
            executor.close()
            engine.close()
        if executor.has_crashed:
            return 3, "".join(errors)
        if any(outcome.state == "failed" for outcome in outcomes.values()):
            return 1, "".join(errors)
        inputs = engine.files_of(step.jobs)
        if step.style != STAMPS:  # ninja takes an empty depfile, as CMake writes it without inputs, for a missing one
            inputs -= {step.jobs[0].source}  # the rule names the source of all jobs
        names = [path_in_rules(base, name, folder) for name in sorted(inputs)]
        _write_depfile(step, stem, names, engine.searched(step.jobs), folder)
        if step.style != RESTAT:
            write_own(stem + STAMP, b"")
    except BadStore as error:
        return 1, f"error: store: {error}\n"
    except WriteError as error:
        return 1, "".join(errors) + f"error: cannot write '{error.path}': {error.reason}\n"
    return 0, "".join(errors)


def _set_fingerprints(jobs: Iterable[Job]) -> None:
    """Set the fingerprint of the present toolchain in each job."""
    from hlsl_tool.project.build.currency.toolchain import fingerprint_now, toolset

    tools: dict[str, str] = {}
    for job in jobs:
        wanted = toolset(job)
        if wanted not in tools:
            tools[wanted] = fingerprint_now(wanted)
        job.set_fingerprint(tools[wanted])


class _InProcess:
    """An executor that compiles in the calling thread, with the compiler caches of the caller."""

    def __init__(self, root: str, store: StoreOptions, memory: Memory | None) -> None:
        from hlsl_tool.project.build.workers.worker import Compiler

        self.compiler = Compiler(root, store)
        self.memory = self.compiler.memory = memory or self.compiler.memory

    @property
    def has_crashed(self) -> bool:
        """True after an internal error, which may have left the compiler's caches inconsistent."""
        return self.compiler.memory is not self.memory

    def run(self, job: Job) -> JobResult:
        return self.compiler.run(job)

    def close(self) -> None:
        self.compiler.close()


def _write_depfile(step: Step, stem: str, files: list[str], folders: list[str], folder: str) -> None:
    """Write the depfile of a build command, a file with the path ``stem`` and a suffix.

    It lists ``files`` and ``folders``, on which the jobs depend.  For make, it has an empty rule for each of them, so
    that a deleted one is no error.  ``folder`` is the folder in which the rules run.  Raise WriteError if writing
    fails, or if the build system cannot parse the name of a file.
    """
    reads = {RESTAT: ninja_reads, MAKE: make_reads}.get(step.style, bool)
    for name in files:
        if not reads(name):
            raise WriteError(stem + DEPFILE, f"the build system cannot read the name `{name}` in it")
    # Absolute paths differ from the target `shaders`; those in a folder `R&D` are read only without that folder.
    relatives = [name for name in (relative(name, folder) for name in folders if not reads(name)) if name != "shaders"]
    inputs = [*files, *filter(reads, (*folders, *relatives))]
    write_own(stem + DEPFILE, depfile(step.target, inputs, removable=inputs if step.style == MAKE else ()))


def depfile(target: str, inputs: Iterable[str], *, removable: Iterable[str] = ()) -> bytes:
    """Return the content of a depfile: a rule with the prerequisites ``inputs`` of ``target``.

    ``removable`` are inputs that get an empty rule, so that make accepts their deletion.
    """
    rules = [make_rule(escape_name(target), inputs)]
    rules += [make_rule(escape_name(name), ()) for name in removable if not CONFLICTING.search(name)]
    return "".join(rules).encode("utf-8", "surrogateescape")
