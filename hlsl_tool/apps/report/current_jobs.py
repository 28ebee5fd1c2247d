"""Which shaders of a project are up to date: reports have no numbers for others."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.project.build.currency.folder import OutputFolder
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.config.permutation import Project

OUT_OF_DATE = "out of date"


def current_jobs(project: Project, jobs: Sequence[Job]) -> tuple[OutputFolder, list[Job], list[tuple[str, str]]]:
    """Return the output folder, the jobs that are up to date by its log, and (name, reason) of the others."""
    from hlsl_tool.project.build.currency.toolchain import fingerprint_of

    folder = OutputFolder(project.root, project.output_dir)
    current, missing = [], []
    for job in jobs:
        job.set_fingerprint(fingerprint_of(job))
        record = folder.records.get(job.name)
        if record is None or not record.key:
            missing.append((job.name, "not built"))
        elif not folder.is_current(job):
            missing.append((job.name, OUT_OF_DATE))
        else:
            current.append(job)
    return folder, current, missing
