"""Results by the contents of files: found without preprocessing, so without loading the compiler.

What a source includes is not known before it is read; so one entry, by the source's content and the options, lists what
earlier builds read and looked for in vain, each with the key of what came of it (as ccache's *direct mode* does).
Files are the same to the byte here, so messages and interfaces are kept as they were.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from hlsl_tool.build.compiling import JobResult
from hlsl_tool.build.plan import Job
from hlsl_tool.build.records import key_of as files_key
from hlsl_tool.build.store.results import Result, Store, key_of
from hlsl_tool.build.traces import DigestOf, holds, is_outside
from hlsl_tool.diagnostics import Diagnostic, Location
from hlsl_tool.diagnostics.model import IncludeFrame, MacroFrame

FORMAT = "files 1"
CANDIDATES = 8
"""How many sets of includes are remembered for a source, the newest first: a branch and back, a header and back."""


def find(store: Store, job: Job, root: str, digest_of: DigestOf) -> JobResult | None:
    """The job's result, if one was stored for the files as they are."""
    source = digest_of(job.source)
    listed = store.get(_list_key(job, source)) if source else None
    for files, missing in _candidates(listed):
        if not holds(job, root, files, missing, digest_of):
            continue
        key = _result_key(job, root, files, missing)
        found = store.get(key)
        result = _unpack(found, job) if found is not None else None
        if result is not None:
            result.files, result.missing = files, missing
            result.reused, result.key = "files", key
            return result
    return None


def keep(store: Store, job: Job, root: str, result: JobResult) -> None:
    """Store a good result."""
    source = result.files.get(job.source, "")
    if not source:
        return
    datum = {"messages": [_pack(d) for d in result.diagnostics], "interface": result.interface}
    store.put(_result_key(job, root, result.files, result.missing), Result(datum, dict(result.outputs)))
    key = _list_key(job, source)
    mine = (result.files, result.missing)
    others = [each for each in _candidates(store.get(key)) if each != mine]
    store.put(key, Result([list(each) for each in (mine, *others[: CANDIDATES - 1])]))


def _list_key(job: Job, source: str) -> str:
    return key_of(FORMAT, "list", *_decided(job), source)


def _result_key(job: Job, root: str, files: dict[str, str], missing: list[str]) -> str:
    place = root if any(map(is_outside, (*files, *missing))) else ""
    return key_of(FORMAT, "result", *_decided(job), place, files_key("", files, missing))


def _decided(job: Job) -> tuple[str, str]:
    return job.decided(), job.main_target if "dep" in job.targets else ""  # a rule names its target


def _candidates(listed: Result | None) -> list[tuple[dict[str, str], list[str]]]:
    found = []
    for each in listed.datum if listed is not None and isinstance(listed.datum, list) else ():
        try:
            files, missing = each
            found.append(({str(n): str(d) for n, d in files.items()}, [str(n) for n in missing]))
        except (ValueError, TypeError, AttributeError):
            continue  # of another version
    return found


def _unpack(found: Result, job: Job) -> JobResult | None:
    if set(found.blobs) != set(job.targets):
        return None
    try:
        told = [_unpack_message(d) for d in found.datum["messages"]]
        return JobResult({kind: found.blobs[kind] for kind in job.targets}, told, interface=found.datum["interface"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _pack(d: Diagnostic) -> dict[str, Any]:
    at = asdict(d.location) if d.location is not None else None
    return {
        "code": d.code.id, "severity": d.severity, "message": d.message, "at": at, "hint": d.hint, "flag": d.flag,
        "notes": [_pack(note) for note in d.notes],
    }  # fmt: skip


def _unpack_message(data: dict[str, Any]) -> Diagnostic:
    from hlsl_tool.diagnostics.catalogue.registry import by_id

    code = by_id(data["code"])
    if code is None:
        raise ValueError(data["code"])
    location = None
    if data["at"] is not None:
        at = dict(data["at"])
        at["include_stack"] = tuple(IncludeFrame(*frame) for frame in at["include_stack"])
        at["macro_stack"] = tuple(MacroFrame(*frame) for frame in at["macro_stack"])
        location = Location(**at)
    notes = [_unpack_message(note) for note in data["notes"]]
    return Diagnostic(code, data["severity"], data["message"], location, notes, data["hint"], data["flag"])
