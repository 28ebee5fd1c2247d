"""`--verify-cache`: compile a sample of the stored results again, and compare."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult, failure, message
from hlsl_tool.project.build.store.results import Store


def sampled(key: str, part: float) -> bool:
    """Return whether ``key`` belongs to a fixed sample of all keys; ``part`` (0 to 1) is the size of the sample."""
    return int(key[:8], 16) < part * (1 << 32)


def checked(stored: JobResult, fresh: JobResult, job: Job, store: Store) -> JobResult:
    """Return the stored result if it equals the fresh one; else drop it from the store and return an error."""
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
    """Name the first part of two results that differs, such as an output kind; empty if they are equal."""
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
