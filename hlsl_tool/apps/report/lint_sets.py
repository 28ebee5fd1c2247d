"""Lints about all shaders of a configuration: declarations that no shader uses, and permutation axes without effect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hlsl_tool.apps.report.dead_axes import dead_axes
from hlsl_tool.apps.report.lint_facts import Declared, JobFacts
from hlsl_tool.base.diagnostics import Diagnostic, Sink
from hlsl_tool.base.diagnostics.catalogue import lints as codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.config.permutation import Permutation


@dataclass(slots=True)
class _Uses:
    """A resource or input, the jobs of the shaders that declare it, and whether any of them uses it."""

    declared: Declared
    jobs: list[Job] = field(default_factory=list)
    is_used: bool = False


def check_sets(
    permutations: Sequence[Permutation], jobs: Sequence[Job], facts: Sequence[JobFacts], *, is_whole: bool
) -> list[Diagnostic]:
    """Return the findings about the set of shaders; [] if a shader failed, because it might use any declaration.

    ``is_whole``: the set contains all shaders of the project.  If not, declarations in included files are ignored, as
    other shaders may use them.
    """
    if not all(one.ok for one in facts):
        return []
    found: list[Diagnostic] = []
    for code, of in ((codes.UNUSED_RESOURCE, _resources), (codes.UNUSED_SEMANTIC, _inputs)):
        for uses in _unused(jobs, facts, of, is_whole=is_whole):
            declared = uses.declared
            key = "name" if code is codes.UNUSED_RESOURCE else "semantic"
            fmt = {key: declared.name, "type": declared.type, "count": len(uses.jobs)}
            found += _reported(uses.jobs[0], code, declared.place, fmt)
    return found + _dead_axes(permutations, jobs, facts)


def _resources(facts: JobFacts) -> list[Declared]:
    return facts.resources


def _inputs(facts: JobFacts) -> list[Declared]:
    return facts.inputs


def _unused(
    jobs: Sequence[Job], facts: Sequence[JobFacts], of: Callable[[JobFacts], list[Declared]], *, is_whole: bool
) -> Iterable[_Uses]:
    """Return the declarations that no shader uses, sorted by source location.

    ``of`` selects resources or inputs.
    """
    by_place: dict[tuple[str, int, int, str], _Uses] = {}
    for job, one in zip(jobs, facts, strict=True):
        for declared in of(one):
            place = declared.place
            if is_whole or place.file == job.source:
                uses = by_place.setdefault((place.file, place.line, place.col, declared.name), _Uses(declared))
                uses.jobs.append(job)
                uses.is_used |= declared.is_used
    return [by_place[key] for key in sorted(by_place) if not by_place[key].is_used]


def _dead_axes(permutations: Sequence[Permutation], jobs: Sequence[Job], facts: Sequence[JobFacts]) -> list[Diagnostic]:
    """Return a finding for each macro whose values all give the same modules."""
    found: list[Diagnostic] = []
    for dead in dead_axes(permutations, jobs, [one.digest for one in facts]):
        fmt = {"axis": dead.axis, "count": dead.count, "name": dead.name}
        found += _reported(jobs[dead.first], codes.DEAD_AXIS, permutations[dead.first].at, fmt)
    return found


def _reported(job: Job, code: Code, place: object, fmt: dict[str, object]) -> list[Diagnostic]:
    """Return [finding] with the severity that the warning options of a shader give it; [] if they disable it."""
    from hlsl_tool.compiler.preprocessing import warning_options

    sink = Sink(warning_options(job.options))
    sink.warning(code, place, **fmt)  # type: ignore[arg-type]
    return sink.diagnostics
