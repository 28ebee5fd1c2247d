"""Look up results by the contents of files: without preprocessing, and so without loading the compiler.

The includes of a source are unknown before it is read.  So an entry, stored under the source's digest and the options,
lists the dependency traces of earlier builds; each trace leads to the key of a result (ccache's *direct mode*).  All
files have the same bytes then, so diagnostics and interfaces are stored with the result.

If no trace matches, files that differ only in comments and white space match, too (`normalised_hash`), unless the
result depends on line numbers.
"""

from __future__ import annotations

import os
from typing import NamedTuple, Protocol

from hlsl_tool.base.system.atomic_write import read_bytes
from hlsl_tool.project.build.currency.plain_diagnostics import diagnostic_of, plain_diagnostic
from hlsl_tool.project.build.currency.traces import DigestOf, is_outside, is_valid
from hlsl_tool.project.build.digest import digest
from hlsl_tool.project.build.digest import key_of as files_key
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult
from hlsl_tool.project.build.store.results import Result, Store, key_of

FORMAT = "files 3"
CANDIDATES = 8
"""Number of dependency traces that are stored for a source, the newest first."""


class Readable(Protocol):
    """A store, from which results are read."""

    def get(self, key: str) -> Result | None: ...


class Trace(NamedTuple):
    """The files that a build read, with their digests, and the paths that it looked up and that did not exist."""

    files: dict[str, str]
    """File → digest."""
    missing: list[str]
    """Paths that were looked up and did not exist."""
    normalised: dict[str, str]
    """File → normalised content hash, if the result depends on these only; else empty."""


def lookup(store: Readable, job: Job, root: str, digest_of: DigestOf) -> JobResult | None:
    """Return the stored result of a job for the present content of its files; `None` if there is none."""
    source = digest_of(job.source)
    if not source:
        return None
    candidates = _candidates(store.get(_list_key(job, source)))
    for trace in candidates:
        if is_valid(job, root, trace.files, trace.missing, digest_of):
            result = _get(store, job, root, trace, "files")
            if result is not None:
                return result
    if not _is_free_of_places(job):
        return None
    result = _lookup_normalised(store, job, root, candidates, digest_of)
    if result is None and (normalised := _normalised_hash(root, job.source, source)):
        candidates = _candidates(store.get(_list_key(job, normalised)))
        result = _lookup_normalised(store, job, root, candidates, digest_of)
    return result


def _lookup_normalised(
    store: Readable, job: Job, root: str, candidates: list[Trace], digest_of: DigestOf
) -> JobResult | None:
    """Return the stored result for the first dependency trace among ``candidates`` that matches today's files.

    Files match if their normalised content hashes are equal. `None` if no trace matches or has a result.
    """
    for trace in candidates:
        normalised_of = _normalised_digest_of(root, trace, digest_of)
        if trace.normalised and is_valid(job, root, trace.normalised, trace.missing, normalised_of):
            result = _get(store, job, root, trace, "meanings")
            if result is not None:
                result.files = {name: digest_of(name) for name in result.files}
                return result
    return None


def _normalised_digest_of(root: str, trace: Trace, digest_of: DigestOf) -> DigestOf:
    """Return a function that maps a file's name to the normalised content hash of the file today.

    For a file whose digest equals that in ``trace``, it returns the hash that the trace stores.
    """

    def normalised(name: str) -> str:
        content = digest_of(name)
        if content and content == trace.files.get(name):
            return trace.normalised[name]
        return content and (_normalised_hash(root, name, content) or f"={content}")

    return normalised


def _get(store: Readable, job: Job, root: str, trace: Trace, level: str) -> JobResult | None:
    """Return the result that is stored for a job and a dependency trace; `None` if there is none.

    ``level`` (`files` or `meanings`) becomes the field `reused` of the result.
    """
    key = _result_key(job, root, trace)
    stored = store.get(key)
    result = _unpack(stored, job) if stored is not None else None
    if result is not None:
        result.files, result.missing = trace.files, trace.missing
        result.reused, result.key = level, key
    return result


_WITH_PLACES = frozenset(("bindings", "wgsl", "wgsl_bindings"))
"""Kinds of output that name lines of the source."""


def _is_free_of_places(job: Job) -> bool:
    """Return whether the outputs of a job do not depend on the line numbers of its source."""
    if job.is_linked or job.options.debug or _WITH_PLACES & job.targets.keys():
        return False
    return not any("__LINE__" in (value or "") for _, value in job.options.defines)


_normalised: dict[tuple[str, str], str] = {}
"""(file, digest of its content) → normalised content hash: a header is read once for all shaders."""


def _normalised_hash(root: str, name: str, content: str) -> str:
    """Return the normalised content hash of the file ``name``.

    Empty if no hash covers the file, or if its present digest is no longer ``content``.
    """
    from hlsl_tool.project.build.store.normalised_hash import normalised_hash

    key = os.path.join(root, name), content
    normalised = _normalised.get(key)
    if normalised is None:
        data = read_bytes(key[0])
        normalised = normalised_hash(data) if data is not None and digest(data) == content else ""
        if len(_normalised) > 20_000:
            _normalised.clear()
        _normalised[key] = normalised
    return normalised


def put(store: Store, job: Job, root: str, result: JobResult) -> None:
    """Store the result of a job under its dependency trace.

    Do nothing if the trace does not contain the job's source.
    """
    source = result.files.get(job.source, "")
    if not source:
        return
    trace = Trace(result.files, result.missing, {})
    if _is_free_of_places(job) and not result.diagnostics and not result.pastes_line:
        hashes = {name: _normalised_hash(root, name, content) for name, content in result.files.items()}
        if all(hashes.values()):
            trace = trace._replace(normalised=hashes)
    datum = {"messages": [plain_diagnostic(d) for d in result.diagnostics], "interface": result.interface}
    store.put(_result_key(job, root, trace), Result(datum, dict(result.outputs)))
    for decisive in filter(None, (source, trace.normalised.get(job.source))):
        key = _list_key(job, decisive)
        others = [other for other in _candidates(store.get(key)) if other != trace]
        store.put(key, Result([list(row) for row in (trace, *others[: CANDIDATES - 1])]))


def _list_key(job: Job, source: str) -> str:
    """Return the store key of the list of dependency traces of a source.

    ``source`` is the digest or the normalised content hash of the source.
    """
    return key_of(FORMAT, "list", *_options_key(job), source)


def _result_key(job: Job, root: str, trace: Trace) -> str:
    place = root if any(map(is_outside, (*trace.files, *trace.missing))) else ""
    level = "meanings" if trace.normalised else "files"
    decisive = files_key("", trace.normalised or trace.files, trace.missing)
    return key_of(FORMAT, "result", level, *_options_key(job), place, decisive)


def _options_key(job: Job) -> tuple[str, str]:
    return job.cache_key(), job.main_target if "dep" in job.targets else ""  # a rule names its target


def _candidates(listed: Result | None) -> list[Trace]:
    """Return the dependency traces in a stored list; skip those of another format."""
    traces = []
    for row in listed.datum if listed is not None and isinstance(listed.datum, list) else ():
        try:
            files, missing, normalised = row
            trace = Trace(_texts(files), [str(name) for name in missing], _texts(normalised))
        except (ValueError, TypeError, AttributeError):
            continue  # of another version
        if not trace.normalised or trace.normalised.keys() == trace.files.keys():
            traces.append(trace)
    return traces


def _texts(content: dict[object, object]) -> dict[str, str]:
    return {str(name): str(value) for name, value in content.items()}


def _unpack(stored: Result, job: Job) -> JobResult | None:
    """Convert a stored result to a `JobResult`; `None` if `put` did not write it in this format."""
    if set(stored.blobs) != set(job.targets):
        return None
    try:
        diagnostics = [diagnostic_of(d) for d in stored.datum["messages"]]
        outputs = {kind: stored.blobs[kind] for kind in job.targets}
        return JobResult(outputs, diagnostics, interface=stored.datum["interface"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
