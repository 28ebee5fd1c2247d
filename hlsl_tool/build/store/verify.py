"""`--verify-cache`: some of what the store gives is compiled all the same, and has to be equal."""

from __future__ import annotations

from hlsl_tool.build.job import Job
from hlsl_tool.build.outputs.render import JobResult, failure, message
from hlsl_tool.build.store.results import Store
from hlsl_tool.diagnostics.catalogue import build as codes


def sampled(key: str, part: float) -> bool:
    """Whether a key is among this part of all keys: always the same ones, so that what is wrong is found again."""
    return int(key[:8], 16) < part * (1 << 32)


def checked(stored: JobResult, fresh: JobResult, job: Job, store: Store) -> JobResult:
    """The stored result, or an error that tells how it differs from the fresh one."""
    what = difference(stored, fresh)
    if not what:
        return stored
    for key in {stored.key, *stored.keys}:
        store.drop(key)
    fields = {"name": job.name, "what": what, "key": stored.key, "level": stored.reused}
    problem = failure(message(codes.STORE_WRONG, None, **fields))
    problem.files, problem.missing = fresh.files, fresh.missing
    return problem


def difference(stored: JobResult, fresh: JobResult) -> str:
    """What is not equal; empty where all is."""
    for kind, data in stored.outputs.items():
        if fresh.outputs.get(kind) != data:
            return kind
    if stored.outputs.keys() != fresh.outputs.keys():
        return "outputs"
    if stored.diagnostics != fresh.diagnostics:
        return "messages"
    if None not in (stored.interface, fresh.interface) and stored.interface != fresh.interface:
        return "interface"
    return "files" if (stored.files, stored.missing) != (fresh.files, fresh.missing) else ""
