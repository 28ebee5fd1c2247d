"""The manifest of an output folder: the index from which engines load shaders.

Its schema is `config/schema/manifest.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hlsl_tool.base.system.atomic_write import read_bytes, write_atomic
from hlsl_tool.project.build.currency.folder import OutputFolder
from hlsl_tool.project.build.job import Job, stage_name

MANIFEST_VERSION = 1


def manifest(jobs: list[Job], output_dir: str, aliases: Mapping[str, str] | None = None) -> str:
    """Return the JSON text of the manifest of ``jobs``.

    ``aliases`` maps a shader to the first shader with the same SPIR-V.
    """
    prefix = "" if output_dir in ("", ".") else output_dir + "/"
    aliases = aliases or {}
    shaders = [_entry(job, prefix, aliases.get(job.name)) for job in sorted(jobs, key=lambda job: job.name)]
    variant = {"variant": jobs[0].variant} if jobs and jobs[0].variant else {}
    return json.dumps({"version": MANIFEST_VERSION, **variant, "shaders": shaders}, indent=1, ensure_ascii=False) + "\n"


def _entry(job: Job, prefix: str, alias: str | None) -> dict[str, Any]:
    options = job.options
    return {
        "name": job.name,
        "shader": job.stem or job.name,
        "source": job.source,
        "entry": options.entry,
        "entry_point": options.entry_point_name or options.entry,
        "stage": stage_name(job),
        "profile": options.profile,
        "target_env": options.target_env,
        "defines": {name: "1" if value is None else value for name, value in options.defines},
        "permutation": dict(job.permutation),
        "outputs": {kind: path.removeprefix(prefix) for kind, path in job.targets.items()},
        **({"alias_of": alias} if alias is not None else {}),
    }


def is_manifest_current(folder: OutputFolder, jobs: list[Job]) -> bool:
    """Return whether the manifest on disk equals the one that `write_manifest` would write."""
    return _content(folder, jobs) == read_bytes(folder.manifest_path)


def write_manifest(folder: OutputFolder, jobs: list[Job]) -> None:
    """Write the manifest of all jobs of the output folder; leave an identical one untouched.  May raise WriteError."""
    content = _content(folder, jobs)
    if content != read_bytes(folder.manifest_path):
        write_atomic(folder.manifest_path, content, below=folder.below)


def _content(folder: OutputFolder, jobs: list[Job]) -> bytes:
    return manifest(jobs, folder.output_dir, _aliases(folder, jobs)).encode()


def _aliases(folder: OutputFolder, jobs: Iterable[Job]) -> dict[str, str]:
    """Return shader → the alphabetically first shader with the same SPIR-V."""
    first: dict[str, str] = {}
    aliases: dict[str, str] = {}
    for job in sorted(jobs, key=lambda job: job.name):
        record = folder.records.get(job.name)
        digest = record.outputs.get(job.targets.get("spv", "")) if record is not None else None
        if digest is not None and first.setdefault(digest, job.name) != job.name:
            aliases[job.name] = first[digest]
    return aliases
