"""Collect the data of the HTML report: shaders that are up to date according to the log, and some compiled details."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from hlsl_tool.apps.report.coverage import coverage
from hlsl_tool.apps.report.current_jobs import OUT_OF_DATE, current_jobs
from hlsl_tool.apps.report.dead_axes import dead_axes
from hlsl_tool.apps.report.html.details import Details, details_of
from hlsl_tool.apps.report.html.history import History, Size
from hlsl_tool.apps.report.html.page_data import (
    BindingTable,
    BlockUse,
    HeaderRow,
    Missing,
    PointRow,
    Report,
    ShaderRow,
    Tree,
)
from hlsl_tool.apps.report.html.permutations import tree, without_effect
from hlsl_tool.apps.report.snapshot import Snapshot, Weight, weigh
from hlsl_tool.apps.report.statistics import Statistics, collect
from hlsl_tool.base.diagnostics import Diagnostic
from hlsl_tool.base.diagnostics.catalogue import linking as codes
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.base.system.regular_files import read_regular
from hlsl_tool.project.build.currency.folder import OutputFolder
from hlsl_tool.project.build.job import Job, stage_name
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.reflection.linking.binding_table import Binding, merged

MAX_COMPILED = 4
"""The number of permutations of an entry whose bindings and blocks are shown, of those with different modules."""
MAX_ENTRIES = 1000
"""The number of entries whose bindings and blocks are shown."""
MAX_CHANGES = 30
"""The number of shaders that the history lists for a point."""


@dataclass(slots=True)
class Build:
    """The jobs of a project, and the modules of those that are up to date."""

    project: Project
    jobs: list[Job]
    folder: OutputFolder
    current: list[Job]
    digests: dict[str, str]
    """Job → digest of its module."""
    weights: Snapshot
    missing: list[Missing]


def read_build(project: Project, jobs: list[Job]) -> Build:
    """Read the log, and the modules that are up to date; list other jobs as `not built` or `out of date`."""
    folder, candidates, missing = current_jobs(project, jobs)
    build = Build(project, jobs, folder, [], {}, {}, [Missing(*pair) for pair in missing])
    weighed: dict[str, Weight] = {}
    for job in candidates:
        record = folder.records.get(job.name)
        if record is not None and "spv" in job.targets:
            digest = record.outputs[job.targets["spv"]]
            if digest not in weighed:
                try:
                    weighed[digest] = weigh(read_regular(os.path.join(project.root, job.targets["spv"])))
                except OSError:  # another process removed it just now
                    build.missing.append(Missing(job.name, OUT_OF_DATE))
                    continue
            build.digests[job.name], build.weights[job.name] = digest, weighed[digest]
        build.current.append(job)
    return build


def report(build: Build, history: History, processes: int, *, has_times: bool) -> Report:
    """Return the data of the report; ``processes`` is the number of worker processes that compile the details."""
    statistics = collect(build.project.root, build.current, build.folder.records)
    chosen = _chosen(build)
    compiled = [job for jobs in chosen.values() for job in jobs]
    details = {
        job.name: one
        for job, one in zip(compiled, details_of(build.project.root, compiled, processes), strict=True)
        if one is not None
    }
    digests = [build.digests.get(job.name) for job in build.jobs]
    return Report(
        title=os.path.basename(os.path.abspath(build.project.root)),
        shaders=_shaders(build, statistics, history if has_times else History()),
        missing=build.missing,
        statistics=statistics,
        headers=_headers(build, statistics),
        trees=_trees(build),
        dead=dead_axes(build.project.permutations, build.jobs, digests),
        bindings=[*_pipelines(build, chosen, details), *_tables(build, chosen, details)],
        blocks=_blocks(chosen, details),
        coverage=coverage(build.project, build.current, [(one.name, one.reason) for one in build.missing]),
        left_out=len(_by_entry(build.current)) - len(chosen),
        history=points(history) if has_times else [],
        has_times=has_times,
    )


def _by_entry(jobs: Sequence[Job]) -> dict[str, list[Job]]:
    entries: dict[str, list[Job]] = {}
    for job in jobs:
        entries.setdefault(job.stem or job.name, []).append(job)
    return entries


def _different(build: Build, jobs: Sequence[Job]) -> list[Job]:
    """Return one job for each distinct module, in the order of the jobs."""
    different = {build.digests.get(job.name, job.name): job for job in reversed(jobs)}
    return list(reversed(different.values()))


def _chosen(build: Build) -> dict[str, list[Job]]:
    """Return entry point → permutations with distinct modules, which are compiled for their bindings and blocks.

    Only the first `MAX_ENTRIES` entry points, and `MAX_COMPILED` such permutations of each, are included.
    """
    entries = list(_by_entry(build.current).items())[:MAX_ENTRIES]
    return {entry: _different(build, jobs)[:MAX_COMPILED] for entry, jobs in entries}


def _shaders(build: Build, statistics: Statistics, history: History) -> list[ShaderRow]:
    times = {shader.name: shader for shader in statistics.shaders}
    trends = _trends(history)
    first: dict[str, str] = {}
    rows = []
    for job in build.current:
        weight = build.weights.get(job.name)
        if weight is None:
            continue
        shader = times[job.name]
        same_as = first.setdefault(build.digests[job.name], job.name)
        rows.append(
            ShaderRow(
                name=job.name,
                entry=job.stem or job.name,
                stage=stage_name(job),
                digest=build.digests[job.name],
                weight=weight,
                ms=shader.ms,
                slowest_stage=max(shader.stages, key=lambda stage: shader.stages[stage]) if shader.stages else "",
                reused=shader.reused,
                same_as=same_as if same_as != job.name else "",
                trend=trends.get(job.name, []),
            )
        )
    return sorted(rows, key=lambda row: (-row.weight.bytes, row.name))


def _trends(history: History) -> dict[str, list[Size]]:
    """Return shader → sizes at each point of the history, for shaders whose size changed."""
    trends: dict[str, list[Size]] = {}
    for _, sizes in history.states():
        for name, size in sizes.items():
            trends.setdefault(name, []).append(size)
    return {name: sizes for name, sizes in trends.items() if len(set(sizes)) > 1}


def points(history: History) -> list[PointRow]:
    """Return the points of a history with totals and changes, the oldest first."""
    rows: list[PointRow] = []
    before: dict[str, Size] = {}
    for point, sizes in history.states():
        changed: list[tuple[str, Size | None, Size | None]] = []
        if rows:
            changed = [(name, before.get(name), size) for name, size in point.changed.items()]
            changed += [(name, before.get(name), None) for name in point.removed]
            changed.sort(key=lambda change: (-_growth(change), change[0]))
        rows.append(
            PointRow(
                point.time,
                len(sizes),
                sum(size for size, _ in sizes.values()),
                sum(instructions for _, instructions in sizes.values()),
                changed[:MAX_CHANGES],
                max(0, len(changed) - MAX_CHANGES),
            )
        )
        before = dict(sizes)
    return rows


def _growth(change: tuple[str, Size | None, Size | None]) -> int:
    _, before, after = change
    return abs((after or (0, 0))[0] - (before or (0, 0))[0])


def _headers(build: Build, statistics: Statistics) -> list[HeaderRow]:
    users: dict[str, dict[str, int]] = {}
    for job in build.current:
        record = build.folder.records.get(job.name)
        for name in record.files if record is not None else ():
            entries = users.setdefault(name, {})
            entries[job.stem or job.name] = entries.get(job.stem or job.name, 0) + 1
    return [
        HeaderRow(
            header.name,
            _lines(os.path.join(build.project.root, header.name)),
            header.bytes,
            header.share_ms,
            header.edit_ms,
            sorted(users[header.name].items()),
            header.shaders,
        )
        for header in statistics.headers
    ]


def _lines(path: str) -> int:
    try:
        return read_regular(path).count(b"\n")
    except OSError:
        return 0


def _trees(build: Build) -> list[Tree]:
    """Return the permutation trees of all entry points with axes; those with the most permutations come first."""
    trees = []
    for entry, jobs in _by_entry(build.jobs).items():
        axes: dict[str, list[str]] = {}
        for job in jobs:
            for axis, value in job.permutation:
                values = axes.setdefault(axis, [])
                if value not in values:
                    values.append(value)
        rows = [(dict(job.permutation), build.digests[job.name]) for job in jobs if job.name in build.digests]
        if axes and rows:
            modules = len({digest for _, digest in rows})
            root = tree(list(axes), rows)
            dead = without_effect(axes, rows)
            trees.append(Tree(entry, list(axes.items()), len(jobs), modules, len(jobs) - len(rows), root, dead))
    return sorted(trees, key=lambda one: (-one.permutations, one.name))


def _tables(build: Build, chosen: dict[str, list[Job]], details: dict[str, Details]) -> list[BindingTable]:
    tables = []
    by_entry = _by_entry(build.current)
    for entry, compiled in chosen.items():
        jobs = by_entry[entry]
        several = [(job.name, details[job.name]) for job in compiled if job.name in details]
        rows = merged((name, one.bindings) for name, one in several)
        used = {shared.row.resource for shared in rows}
        table = BindingTable(entry, rows, len(several), len(jobs), len(_different(build, jobs)))
        table.unused = sorted({row.resource for _, one in several for row in one.bindings} - used)
        table.problems = list(dict.fromkeys(problem for _, one in several for problem in one.problems))
        table.crowded = frozenset(
            place for _, one in several if one.problems for place in _crowded(row for row in one.bindings if row.used)
        )
        if rows or table.unused:
            tables.append(table)
    return sorted(tables, key=lambda table: (not table.problems, table.name))


def _crowded(rows: Iterable[Binding]) -> frozenset[tuple[int | None, int | None]]:
    """Return the (set, binding) pairs that several resources share."""
    seen: dict[tuple[int | None, int | None], set[str]] = {}
    for row in rows:
        if row.binding is not None:
            seen.setdefault((row.set, row.binding), set()).add(row.resource)
    return frozenset(place for place, names in seen.items() if len(names) > 1)


def _pipelines(build: Build, chosen: dict[str, list[Job]], details: dict[str, Details]) -> list[BindingTable]:
    """Return a binding table for each pipeline, and each shader with several stages, with its link check errors."""
    from hlsl_tool.project.build.outputs.links import is_interface, plan_links, run_links

    tables = []
    for link in plan_links(build.project, build.jobs):
        entries = dict.fromkeys(job.stem or job.name for job in link.members)
        rows = merged(
            (entry, details[job.name].bindings)
            for entry in entries
            for job in chosen.get(entry, ())
            if job.name in details
        )
        records = {name: build.folder.records.get(name) for name in link.jobs}
        interfaces = {name: record.interface if record else None for name, record in records.items()}
        is_whole = set(link.jobs) <= build.digests.keys() and all(map(is_interface, interfaces.values()))
        diagnostics: list[Diagnostic] = []
        if is_whole:
            diagnostics = [d for _, reported in run_links(link, interfaces).messages for d in reported]
        problems = [f"{d.message} [{d.code.id}]" for d in diagnostics]
        table = BindingTable(link.name, rows, len(entries), problems=list(dict.fromkeys(problems)))
        table.is_pipeline, table.unchecked = True, not is_whole
        if any(d.code is codes.STAGE_BINDING for d in diagnostics):
            table.crowded = _crowded(shared.row for shared in rows)
        if rows or problems or table.unchecked:
            tables.append(table)
    return sorted(tables, key=lambda table: (not table.problems, table.name))


def _blocks(chosen: dict[str, list[Job]], details: dict[str, Details]) -> list[BlockUse]:
    """Return the distinct blocks of all entry points, sorted by name."""
    uses: dict[str, BlockUse] = {}
    for entry, jobs in chosen.items():
        for job in jobs:
            for block in details[job.name].blocks if job.name in details else ():
                use = uses.setdefault(block.svg + block.title, BlockUse(block, []))
                if entry not in use.entries:
                    use.entries.append(entry)
    ordered = sorted(uses.values(), key=lambda use: (use.block.title, -len(use.entries), use.block.svg))
    for number, use in enumerate(ordered, 1):
        use.number = number
    return ordered
