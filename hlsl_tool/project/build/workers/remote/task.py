"""Functions that run on a scheduler's worker, which has hlsl_tool installed but none of the project's files."""

from __future__ import annotations

import os
import threading

import hlsl_tool
from hlsl_tool.base.source.recording import RecordedFiles, Recording
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult
from hlsl_tool.project.build.store.choice import StoreOptions
from hlsl_tool.project.build.workers.worker import Compiler


@dataclass(slots=True)
class Reply:
    """A worker's answer to a job: a result, or the reason why it refused the job."""

    result: JobResult | None = None
    refusal: str = ""
    """Reason why the worker cannot be used."""
    unknown: list[str] = field(default_factory=list)
    """Files that the job should have carried."""


def describe(toolsets: tuple[str, ...]) -> tuple[str, str, dict[str, str]]:
    """Return (system, version, fingerprint of each toolset) of this machine."""
    from hlsl_tool.project.build.currency.toolchain import fingerprint

    return os.name, hlsl_tool.__version__, {tools: fingerprint(tools) for tools in toolsets}


def unlike(ours: tuple[str, str, dict[str, str]], theirs: tuple[str, str, dict[str, str]]) -> str:
    """Compare two descriptions of machines; return the reason why their results may differ, or an empty text."""
    if ours[0] != theirs[0]:
        return f"its system is another ({theirs[0]}, here {ours[0]})"
    if ours[1] != theirs[1]:
        return f"it has hlsl_tool {theirs[1]}, here it is {ours[1]}"
    for place, here in ours[2].items():
        there = theirs[2].get(place, "")
        if here != there:
            parts = zip(there.split("; "), here.split("; "), strict=False)
            return "its toolchain is another: " + ", ".join(f"{a}, here {b}" for a, b in parts if a != b)
    return ""


_lock = threading.Lock()
_compilers: dict[tuple[str, StoreOptions | None], Compiler] = {}


def blob(data: bytes) -> bytes:
    """Return ``data``, the content of a file, unchanged.

    The scheduler runs this function as a task whose result other tasks need. If the worker that holds the result dies,
    the scheduler runs the task again elsewhere.
    """
    return data


def compile_carried(
    job: Job,
    recording: Recording,
    store: StoreOptions | None,
    sender: tuple[str, str, dict[str, str]],
    digests: list[str],
    *contents: bytes,
) -> Reply:
    """Compile a job from the files that were sent along, whose bytes are ``contents``.

    A process compiles one job at a time: Python threads would wait for each other anyway.
    """
    from hlsl_tool.base.system.deep_stack import with_deep_stack

    refusal = unlike(sender, describe(tuple(sender[2])))
    if refusal:
        return Reply(refusal=refusal)
    fs = RecordedFiles(recording, dict(zip(digests, contents, strict=True)))
    with _lock:
        compiler = _compilers.get((recording.root, store))
        if compiler is None:
            compiler = _compilers[recording.root, store] = Compiler(recording.root, store)
        result = with_deep_stack(lambda: compiler.run(job, fs))
    return Reply(unknown=fs.unknown) if fs.unknown else Reply(result)
