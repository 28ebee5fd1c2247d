"""Turn a project into the jobs that build it.  Reads no files; equal projects give equal plans."""

from __future__ import annotations

from collections import Counter

from hlsl_tool.project.build.job import Job
from hlsl_tool.project.config.layers import UNDEFINED
from hlsl_tool.project.config.output_kinds import SUFFIXES
from hlsl_tool.project.config.permutation import Permutation, Project


def plan(project: Project) -> list[Job]:
    """Return the jobs of a project in the order of its configurations."""
    jobs = [job_of(permutation, project.output_dir) for permutation in project.permutations]
    counts = Counter(job.stem for job in jobs)
    for job in jobs:
        job.variant = project.variant
        job.siblings = counts[job.stem] if job.permutation or counts[job.stem] > 1 else 0
    return jobs


def job_of(permutation: Permutation, output_dir: str, outputs: tuple[str, ...] | None = None) -> Job:
    """Return the job of a permutation; ``outputs`` replaces the output kinds of the configuration."""
    prefix = "" if output_dir in ("", ".") else output_dir + "/"
    kinds = [kind for kind in SUFFIXES if kind in (permutation.outputs if outputs is None else outputs)]
    return Job(
        name=permutation.name,
        source=permutation.source,
        options=permutation.options,
        targets={kind: prefix + permutation.file(kind) for kind in kinds},
        permutation=tuple(pair for pair in permutation.chosen if pair[1] != UNDEFINED),
        stem=permutation.stem,
        array=permutation.array,
        array_type=permutation.array_type,
        namespace=permutation.namespace,
        origin=f"{permutation.at.file}:{permutation.at.line}",
    )
