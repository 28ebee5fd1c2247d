"""What a worker of the scheduler does.  It has hlsl_tool installed, and nothing of the project."""

from __future__ import annotations

import os
import threading

import hlsl_tool
from hlsl_tool.build.job import Job
from hlsl_tool.build.outputs.render import JobResult
from hlsl_tool.build.store.places import StoreOptions
from hlsl_tool.build.workers.remote.carried import Carried, CarriedFiles
from hlsl_tool.build.workers.worker import Compiler
from hlsl_tool.system.dataclass import dataclass, field


@dataclass(slots=True)
class Reply:
    result: JobResult | None = None
    refusal: str = ""
    """Why the worker will not do: in words."""
    unknown: list[str] = field(default_factory=list)
    """Files that the job should have carried."""


def describe(spirv_tools: tuple[str, ...]) -> tuple[str, str, dict[str, str]]:
    """(kind of system, version, fingerprint of the toolchain for each folder of tools) of this machine."""
    from hlsl_tool.build.currency.toolchain import fingerprint

    return os.name, hlsl_tool.__version__, {place: fingerprint(place) for place in spirv_tools}


def unlike(mine: tuple[str, str, dict[str, str]], theirs: tuple[str, str, dict[str, str]]) -> str:
    """Why results of the two may differ; empty where they may not."""
    if mine[0] != theirs[0]:
        return f"its system is another ({theirs[0]}, here {mine[0]})"
    if mine[1] != theirs[1]:
        return f"it has hlsl_tool {theirs[1]}, here it is {mine[1]}"
    for place, here in mine[2].items():
        there = theirs[2].get(place, "")
        if here != there:
            parts = zip(there.split("; "), here.split("; "), strict=False)
            return "its toolchain is another: " + ", ".join(f"{a}, here {b}" for a, b in parts if a != b)
    return ""


_lock = threading.Lock()
_compilers: dict[tuple[str, StoreOptions | None], Compiler] = {}


def blob(data: bytes) -> bytes:
    """A file, as a task: the scheduler can make it again should the worker that has it go."""
    return data


def compile_carried(
    job: Job,
    carried: Carried,
    store: StoreOptions | None,
    mine: tuple[str, str, dict[str, str]],
    digests: list[str],
    *contents: bytes,
) -> Reply:
    """Compile a job from what it carries.  One at a time in a process: threads would wait for each other anyhow."""
    from hlsl_tool.system.deep_stack import with_deep_stack

    refusal = unlike(mine, describe(tuple(mine[2])))
    if refusal:
        return Reply(refusal=refusal)
    fs = CarriedFiles(carried, dict(zip(digests, contents, strict=True)))
    with _lock:
        compiler = _compilers.get((carried.root, store))
        if compiler is None:
            compiler = _compilers[carried.root, store] = Compiler(carried.root, store)
        result = with_deep_stack(lambda: compiler.run(job, fs))
    return Reply(unknown=fs.unknown) if fs.unknown else Reply(result)
