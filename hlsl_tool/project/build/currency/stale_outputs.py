"""Stale outputs: files that earlier builds wrote for a shader, or a kind of output, that is no longer configured.

The log of an output folder records every output with the configuration that declared it (`Record.origin`).  An output
is stale if no current job writes it and the present build reads the configuration that declared it.  Builds report
stale outputs; `hlsl_tool build --prune` and `scons prune=1` remove them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Protocol

from hlsl_tool.base.system.atomic_write import WriteError, remove_empty, remove_own
from hlsl_tool.project.build.currency.digests import Digests
from hlsl_tool.project.build.currency.log import Record, Records

if TYPE_CHECKING:
    from hlsl_tool.project.build.job import Job


class Collected(Protocol):
    """A file that is made of the outputs of several jobs: a pack, or the report of a link check."""

    target: str
    """Path from the root."""


Owns = Callable[[str], bool]
"""True for a configuration (a path from the root) that the present build reads, or would read if it still existed."""

SHOWN = 3
"""Number of stale outputs that a report names."""


def is_configured_by(names: Sequence[str]) -> Owns:
    """Return a predicate that is true for a configuration that matches one of ``names``.

    The names are files, folders and glob patterns, relative to the root.
    """
    return lambda file: any(file == name or file.startswith(f"{name}/") or fnmatchcase(file, name) for name in names)


def retired_name(path: str) -> str:
    """Return the name under which the log records an output that its job no longer writes."""
    return f"retired: {path}"


def retired(before: Record | None, outputs: Collection[str], records: Records) -> dict[str, Record]:
    """Return name → record of the log records to write after a build of a job, for outputs that came or went.

    ``before`` is the job's previous record, ``outputs`` are the paths that it writes now. An output that the job no
    longer writes gets a record of its own; if the job writes such an output again, that record is replaced by an empty
    one.
    """
    again = [name for name in map(retired_name, outputs) if records.get(name) is not None]
    changes = {name: Record() for name in again}
    if before is not None:
        gone = {path: digest for path, digest in before.outputs.items() if path not in outputs}
        changes |= {retired_name(path): Record(outputs={path: gone[path]}, origin=before.origin) for path in gone}
    return changes


def stale_outputs(records: Records, claimed: Collection[str], owns: Owns) -> dict[str, str]:
    """Return the stale outputs (path from the root → digest as written), whether or not they still exist.

    ``claimed`` are the outputs of all current jobs of the output folder. Only outputs of configurations for which
    ``owns`` returns True are included.
    """
    return {
        path: digest
        for record in records.by_name.values()
        if record.origin and owns(record.origin)
        for path, digest in record.outputs.items()
        if path not in claimed
    }


def prune(records: Records, stale: dict[str, str], root: str, output_dir: str) -> list[str]:
    """Delete stale outputs and folders that become empty; return the deleted paths.

    Skip files that were modified since they were written, and paths that lead out of the output folder.  Raise
    WriteError for a file that cannot be deleted.
    """
    top = os.path.realpath(os.path.join(root, output_dir))
    digests = Digests(root, {})
    removed = []
    for path, digest in sorted(stale.items()):
        place = os.path.join(root, path)
        folder = os.path.realpath(os.path.dirname(place))
        if os.path.commonpath((top, folder)) != top or os.path.islink(place) or digests.digest_fresh(path) != digest:
            continue
        try:
            remove_own(place, below=records.below)
        except OSError as error:
            raise WriteError(place, error.strerror or str(error)) from error
        removed.append(path)
        remove_empty(folder, top)
    rows = records.by_name.items()
    records.drop([name for name, record in rows if record.outputs and all(path in stale for path in record.outputs)])
    return removed


def claimed(jobs: Iterable[Job], *collected: Iterable[Collected]) -> set[str]:
    """Return the paths of all outputs that the given jobs, link checks and packs write."""
    outputs = {path for job in jobs for path in job.targets.values()}
    return outputs.union(*({item.target for item in items} for items in collected))


def report(stale: Sequence[str], output_dir: str, command: str = "hlsl_tool build --prune") -> str:
    """Return the line about stale outputs that a build ends with; empty if there are none."""
    if not stale:
        return ""
    verb = "belongs" if len(stale) == 1 else "belong"
    text = f"{_count(stale)} in {output_dir} {verb} to no shader of the configuration"
    return f"{text} ({command} removes {'it' if len(stale) == 1 else 'them'}): {_named(stale)}\n"


def report_pruned(removed: Sequence[str], output_dir: str) -> str:
    """Return the line about outputs that were deleted; empty if there are none."""
    return f"removed {_count(removed)} from {output_dir}: {_named(removed)}\n" if removed else ""


def _count(paths: Sequence[str]) -> str:
    return "1 stale output" if len(paths) == 1 else f"{len(paths)} stale outputs"


def _named(paths: Sequence[str]) -> str:
    return ", ".join(paths[:SHOWN]) + (", …" if len(paths) > SHOWN else "")
