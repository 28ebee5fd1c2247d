"""Results by the contents of files: found without preprocessing, so without loading the compiler.

What a source includes is not known before it is read; so one entry, by the source's content and the options, lists what
earlier builds read and looked for in vain, each with the key of what came of it (as ccache's *direct mode* does).
Files are the same to the byte here, so messages and interfaces are kept as they were.

Where that fails, files that differ in comments and white space will do (`meaning`), if nothing of the result tells
where in them anything stands. """

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

from hlsl_tool.build.compiling import JobResult
from hlsl_tool.build.files import read_bytes
from hlsl_tool.build.plan import Job
from hlsl_tool.build.records import digest
from hlsl_tool.build.records import key_of as files_key
from hlsl_tool.build.store.results import Result, Store, key_of
from hlsl_tool.build.traces import DigestOf, holds, is_outside
from hlsl_tool.diagnostics import Diagnostic, Location
from hlsl_tool.diagnostics.model import IncludeFrame, MacroFrame

FORMAT = "files 2"
CANDIDATES = 8
"""How many sets of includes are remembered for a source, the newest first: a branch and back, a header and back."""


def find(store: Store, job: Job, root: str, digest_of: DigestOf) -> JobResult | None:
    """The job's result, if one was stored for the files as they are."""
    result = _find(store, job, root, digest_of, "files")
    if result is None and _is_free_of_places(job):
        meanings: dict[str, str] = {}

        def meaning(name: str) -> str:
            """Of a file as it is; of one that has none its digest, which no meaning is equal to."""
            known = meanings.get(name)
            if known is None:
                content = digest_of(name)
                known = meanings[name] = content and (_meaning(root, name, content) or f"={content}")
            return known

        result = _find(store, job, root, meaning, "meanings")
        if result is not None:
            result.files = {name: digest_of(name) for name in result.files}
    return result


def _find(store: Store, job: Job, root: str, digest_of: DigestOf, level: str) -> JobResult | None:
    source = digest_of(job.source)
    listed = store.get(_list_key(job, source, level)) if source else None
    for files, missing in _candidates(listed):
        if not holds(job, root, files, missing, digest_of):
            continue
        key = _result_key(job, root, files, missing, level)
        found = store.get(key)
        result = _unpack(found, job) if found is not None else None
        if result is not None:
            result.files, result.missing = files, missing
            result.reused, result.key = level, key
            return result
    return None


_TELL_PLACES = frozenset(("bindings", "wgsl", "wgsl_bindings"))
"""Outputs in which lines of the source are named."""


def _is_free_of_places(job: Job) -> bool:
    """Whether the same tokens at other places give the same outputs, and nothing else is asked for."""
    return not (job.is_linked or job.options.debug or _TELL_PLACES & job.targets.keys())


_meanings: dict[tuple[str, str], str] = {}
"""(file, digest of its content) → its meaning: a header is read once for all shaders."""


def _meaning(root: str, name: str, content: str) -> str:
    """The meaning of a file that has this content; empty where it has none, or another content by now."""
    from hlsl_tool.build.meaning import meaning_of

    key = os.path.join(root, name), content
    found = _meanings.get(key)
    if found is None:
        data = read_bytes(key[0])
        found = meaning_of(data) if data is not None and digest(data) == content else ""
        if len(_meanings) > 20_000:
            _meanings.clear()
        _meanings[key] = found
    return found


def keep(store: Store, job: Job, root: str, result: JobResult) -> None:
    """Store a good result."""
    _keep(store, job, root, result, result.files, "files")
    if _is_free_of_places(job) and not result.diagnostics:
        files = {name: _meaning(root, name, content) for name, content in result.files.items()}
        if all(files.values()):
            _keep(store, job, root, result, files, "meanings")


def _keep(store: Store, job: Job, root: str, result: JobResult, files: dict[str, str], level: str) -> None:
    source = files.get(job.source, "")
    if not source:
        return
    datum = {"messages": [_pack(d) for d in result.diagnostics], "interface": result.interface}
    store.put(_result_key(job, root, files, result.missing, level), Result(datum, dict(result.outputs)))
    key = _list_key(job, source, level)
    mine = (files, result.missing)
    others = [each for each in _candidates(store.get(key)) if each != mine]
    store.put(key, Result([list(each) for each in (mine, *others[: CANDIDATES - 1])]))


def _list_key(job: Job, source: str, level: str) -> str:
    return key_of(FORMAT, "list", level, *_decided(job), source)


def _result_key(job: Job, root: str, files: dict[str, str], missing: list[str], level: str) -> str:
    place = root if any(map(is_outside, (*files, *missing))) else ""
    return key_of(FORMAT, "result", level, *_decided(job), place, files_key("", files, missing))


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
