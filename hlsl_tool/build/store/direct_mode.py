"""Results by the contents of files: found without preprocessing, so without loading the compiler.

What a source includes is not known before it is read; so one entry, by the source's content and the options, lists what
earlier builds read and looked for in vain, each with the key of what came of it (as ccache's *direct mode* does).
Files are the same to the byte here, so messages and interfaces are kept as they were.

Where that fails, files that differ in comments and white space will do (`meaning`), if nothing of the result tells
where in them anything stands."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any, NamedTuple

from hlsl_tool.build.currency.plain_data import reader, restored
from hlsl_tool.build.currency.traces import DigestOf, is_outside, is_valid
from hlsl_tool.build.digest import digest
from hlsl_tool.build.digest import key_of as files_key
from hlsl_tool.build.job import Job
from hlsl_tool.build.outputs.render import JobResult
from hlsl_tool.build.store.results import Result, Store, key_of
from hlsl_tool.diagnostics import Diagnostic, Location
from hlsl_tool.diagnostics.model import IncludeFrame, MacroFrame
from hlsl_tool.system.atomic_write import read_bytes

FORMAT = "files 3"
CANDIDATES = 8
"""How many sets of includes are remembered for a source, the newest first: a branch and back, a header and back."""


class Trace(NamedTuple):
    """What a build read."""

    files: dict[str, str]
    """File → digest."""
    missing: list[str]
    """What was looked for in vain."""
    meanings: dict[str, str]
    """File → meaning, where that decides the result."""


def find(store: Store, job: Job, root: str, digest_of: DigestOf) -> JobResult | None:
    """The job's result, if one was stored for the files as they are."""
    source = digest_of(job.source)
    if not source:
        return None
    listed = _candidates(store.get(_list_key(job, source)))
    for each in listed:
        if is_valid(job, root, each.files, each.missing, digest_of):
            found = _get(store, job, root, each, "files")
            if found is not None:
                return found
    if not _is_free_of_places(job):
        return None
    result = _by_meanings(store, job, root, listed, digest_of)
    if result is None and (meaning := _meaning(root, job.source, source)):
        listed = _candidates(store.get(_list_key(job, meaning)))
        result = _by_meanings(store, job, root, listed, digest_of)
    return result


def _by_meanings(store: Store, job: Job, root: str, listed: list[Trace], digest_of: DigestOf) -> JobResult | None:
    for each in listed:
        if each.meanings and is_valid(job, root, each.meanings, each.missing, _meanings_now(root, each, digest_of)):
            found = _get(store, job, root, each, "meanings")
            if found is not None:
                found.files = {name: digest_of(name) for name in found.files}
                return found
    return None


def _meanings_now(root: str, trace: Trace, digest_of: DigestOf) -> DigestOf:
    """File → its meaning now: worked out for files that changed, and empty where there is none."""

    def meaning(name: str) -> str:
        content = digest_of(name)
        if content and content == trace.files.get(name):
            return trace.meanings[name]
        return content and (_meaning(root, name, content) or f"={content}")

    return meaning


def _get(store: Store, job: Job, root: str, trace: Trace, level: str) -> JobResult | None:
    key = _result_key(job, root, trace)
    found = store.get(key)
    result = _unpack(found, job) if found is not None else None
    if result is not None:
        result.files, result.missing = trace.files, trace.missing
        result.reused, result.key = level, key
    return result


_TELL_PLACES = frozenset(("bindings", "wgsl", "wgsl_bindings"))
"""Outputs in which lines of the source are named."""


def _is_free_of_places(job: Job) -> bool:
    """Whether the same tokens at other places give the same outputs, and nothing else is asked for."""
    if job.is_linked or job.options.debug or _TELL_PLACES & job.targets.keys():
        return False
    return not any("__LINE__" in (value or "") for _, value in job.options.defines)


_meanings: dict[tuple[str, str], str] = {}
"""(file, digest of its content) → its meaning: a header is read once for all shaders."""


def _meaning(root: str, name: str, content: str) -> str:
    """The meaning of a file that has this content; empty where it has none, or another content by now."""
    from hlsl_tool.build.store.normalised_hash import meaning_of

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
    source = result.files.get(job.source, "")
    if not source:
        return
    trace = Trace(result.files, result.missing, {})
    if _is_free_of_places(job) and not result.diagnostics and not result.pastes_line:
        meanings = {name: _meaning(root, name, content) for name, content in result.files.items()}
        if all(meanings.values()):
            trace = trace._replace(meanings=meanings)
    datum = {"messages": [_pack(d) for d in result.diagnostics], "interface": result.interface}
    store.put(_result_key(job, root, trace), Result(datum, dict(result.outputs)))
    for decisive in filter(None, (source, trace.meanings.get(job.source))):
        key = _list_key(job, decisive)
        others = [each for each in _candidates(store.get(key)) if each != trace]
        store.put(key, Result([list(each) for each in (trace, *others[: CANDIDATES - 1])]))


def _list_key(job: Job, source: str) -> str:
    """``source``: digest or meaning."""
    return key_of(FORMAT, "list", *_decided(job), source)


def _result_key(job: Job, root: str, trace: Trace) -> str:
    place = root if any(map(is_outside, (*trace.files, *trace.missing))) else ""
    level = "meanings" if trace.meanings else "files"
    decisive = files_key("", trace.meanings or trace.files, trace.missing)
    return key_of(FORMAT, "result", level, *_decided(job), place, decisive)


def _decided(job: Job) -> tuple[str, str]:
    return job.cache_key(), job.main_target if "dep" in job.targets else ""  # a rule names its target


def _candidates(listed: Result | None) -> list[Trace]:
    found = []
    for each in listed.datum if listed is not None and isinstance(listed.datum, list) else ():
        try:
            files, missing, meanings = each
            trace = Trace(_texts(files), [str(name) for name in missing], _texts(meanings))
        except (ValueError, TypeError, AttributeError):
            continue  # of another version
        if not trace.meanings or trace.meanings.keys() == trace.files.keys():
            found.append(trace)
    return found


def _texts(given: dict[object, object]) -> dict[str, str]:
    return {str(name): str(value) for name, value in given.items()}


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
        "code": d.code.id,
        "severity": d.severity,
        "message": d.message,
        "at": at,
        "hint": d.hint,
        "flag": d.flag,
        "notes": [_pack(note) for note in d.notes],
    }


def _unpack_message(data: dict[str, Any]) -> Diagnostic:
    from hlsl_tool.diagnostics.catalogue.registry import by_id

    code = by_id(data["code"])
    if code is None:
        raise ValueError(data["code"])
    location = None if data["at"] is None else _unpack_location(dict(data["at"]))
    notes = [_unpack_message(note) for note in data["notes"]]
    severity = data["severity"]
    if severity not in ("fatal", "error", "warning", "note"):
        raise ValueError(severity)
    read_text, read_hint = reader(str), reader(str | None)
    return Diagnostic(
        code, severity, read_text(data["message"]), location, notes, read_hint(data["hint"]), read_text(data["flag"])
    )


def _unpack_location(at: dict[str, Any]) -> Location:
    frames = [reader(tuple[str, int])(frame) for frame in at.pop("include_stack")]
    macros = [reader(tuple[str, str, int, int, str])(frame) for frame in at.pop("macro_stack")]
    location = restored(Location, at)
    location.include_stack = tuple(IncludeFrame(*frame) for frame in frames)
    location.macro_stack = tuple(MacroFrame(*frame) for frame in macros)
    return location
