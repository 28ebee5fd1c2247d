"""Link checks: compare the stages of a pipeline by their recorded interfaces, without compiling anything.

A link job checks the entry points of one shader of the configuration, or the stages of one of its `pipelines`.  It is
up to date while the interfaces of its stages are unchanged; then nothing is read or reported.  Its report,
`<shader>.link`, lists for every stage the stages that it was checked against.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hlsl_tool.base.diagnostics import Diagnostic, Sink
from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.options.checks import GRAPHICS
from hlsl_tool.base.options.environments import is_at_least
from hlsl_tool.base.system.atomic_write import WriteError, write_all
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.base.system.paths import relative
from hlsl_tool.project.build.currency.folder import OutputFolder
from hlsl_tool.project.build.currency.log import Record
from hlsl_tool.project.build.digest import digest
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.render import JobResult, message
from hlsl_tool.project.build.ui.console import Console
from hlsl_tool.project.config.permutation import Permutation, Project

if TYPE_CHECKING:
    from hlsl_tool.reflection.linking.stage_interfaces import StageInterface

Interface = dict[str, Any]
"""A `StageInterface` as plain data."""


@dataclass(slots=True)
class Link:
    """One stage of a pipeline (the consumer), and the jobs that may precede it in the pipeline."""

    consumer: str
    alternatives: tuple[tuple[str, ...], ...]
    """For each entry, the permutations that agree with the consumer's."""
    farther: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """Jobs of the earlier stages, which share descriptor sets but pass no values to this one."""

    def names(self) -> set[str]:
        return {
            self.consumer,
            *(n for entries in (self.alternatives, *self.farther) for names in entries for n in names),
        }


@dataclass(slots=True)
class LinkJob:
    """The link checks between the stages of one pipeline, or between the entry points of one shader."""

    name: str
    source: str
    target: str
    links: list[Link]
    jobs: dict[str, Job]
    """The jobs of all links, by name."""
    permutation: tuple[tuple[str, str], ...] = ()
    pipeline: str = ""
    """Name of the pipeline in `pipelines`; empty for the stages of one shader."""
    _cache_key: str = field(default="", compare=False, repr=False)

    @property
    def configuration(self) -> str:
        """The configuration that declares its first stage, from the root."""
        return next(iter(self.jobs.values())).configuration

    @property
    def members(self) -> list[Job]:
        return list(self.jobs.values())

    @property
    def record_name(self) -> str:
        """Name of its record in the log; distinct from every job's name."""
        return f"link: {self.name}"

    def cache_key(self) -> str:
        """Return the hash of links, options and tools: of everything that affects the result except the interfaces."""
        if not self._cache_key:
            parts: list[object] = [[link.consumer, link.alternatives, link.farther] for link in self.links]
            for link in self.links:
                o = self.jobs[link.consumer].options
                parts.append([o.warnings, o.no_warnings, o.warnings_as_errors, o.target_env])
            fingerprints = sorted({job.fingerprint for job in self.jobs.values()})
            self._cache_key = digest(json.dumps([parts, fingerprints]).encode())
        return self._cache_key

    def key(self, interfaces: Mapping[str, Interface | None]) -> str:
        """Return the hash of everything that affects the result: `cache_key` and the interfaces of all stages."""
        content = [digest(canonical_interface(interfaces.get(name)).encode()) for name in sorted(self.jobs)]
        return digest("\n".join([self.cache_key(), *content]).encode())


def canonical_interface(interface: Interface | None) -> str:
    """Return an interface as compact JSON with sorted keys."""
    return json.dumps(interface, separators=(",", ":"), ensure_ascii=False, sort_keys=True)


# -------------------------------------------------------------------------------------------------------- planning


def plan_links(project: Project, jobs: list[Job]) -> list[LinkJob]:
    """Return the link jobs of a project: one for each shader with consecutive stages, one for each pipeline.

    Sets `Job.is_linked` of every job that takes part in a link.
    """
    by_name = {job.name: job for job in jobs}
    groups: dict[str, list[Permutation]] = {}
    for permutation in project.permutations:
        if permutation.linked and permutation.group and _stage(permutation) and permutation.name in by_name:
            groups.setdefault(permutation.group, []).append(permutation)
    prefix = "" if project.output_dir in ("", ".") else project.output_dir + "/"
    links = []
    for name, permutations in groups.items():
        links.append(_link_job(name, prefix, permutations, by_name))
    for pipeline in project.pipelines:
        stems = [stem for stem, _ in pipeline.stages]
        permutations = [v for stem in stems for v in project.permutations if v.stem == stem and v.name in by_name]
        link = _link_job(pipeline.name, prefix, permutations, by_name)
        link.pipeline = pipeline.name
        links.append(link)
    return [job for job in links if job.links]


def _stage(permutation: Permutation) -> str:
    return GRAPHICS.get(permutation.options.profile.partition("_")[0], "")


def _link_job(name: str, prefix: str, permutations: list[Permutation], jobs: dict[str, Job]) -> LinkJob:
    from hlsl_tool.reflection.linking.order import before, earlier

    by_stage: dict[str, list[Permutation]] = {}
    for permutation in permutations:
        by_stage.setdefault(_stage(permutation), []).append(permutation)
    links = []
    for consumer in permutations:
        stage = _stage(consumer)
        nearest = before(stage, set(by_stage))
        alternatives = _entries(by_stage.get(nearest, ()), consumer)
        farther = [_entries(by_stage[s], consumer) for s in earlier(stage, set(by_stage)) if s != nearest]
        if alternatives or any(farther):
            links.append(Link(consumer.name, alternatives, tuple(entries for entries in farther if entries)))
    named = {name for link in links for name in link.names()}
    for stage in named:
        jobs[stage].is_linked = True
    return LinkJob(
        name,
        permutations[0].source if permutations else "",
        f"{prefix}{name}.link",
        links,
        {n: jobs[n] for n in sorted(named)},
    )


def _entries(permutations: Sequence[Permutation], consumer: Permutation) -> tuple[tuple[str, ...], ...]:
    """Group ``permutations`` (of one stage) by entry point; drop those whose macros contradict the consumer's."""
    entries: dict[str, list[str]] = {}
    for permutation in permutations:
        if _agree(permutation, consumer):
            entries.setdefault(permutation.stem, []).append(permutation.name)
    return tuple(tuple(names) for names in entries.values())


def _agree(a: Permutation, b: Permutation) -> bool:
    """Return whether two permutations have the same value for every macro that both define."""
    ours, theirs = dict(a.chosen), dict(b.chosen)
    return all(theirs[name] == value for name, value in ours.items() if name in theirs)


# --------------------------------------------------------------------------------------------------------- checking


def is_interface(content: Any) -> bool:
    """Return whether JSON data from the log or a store has the types of a `StageInterface`; an empty one is valid."""
    if not isinstance(content, dict):
        return False
    if not content:
        return True  # not a graphics stage
    from hlsl_tool.project.build.currency.plain_data import reader, restored
    from hlsl_tool.reflection.linking.stage_interfaces import StageInterface

    try:
        interface = restored(StageInterface, content)
        places = [slot.place for slot in (*interface.inputs, *interface.outputs)]
        for place in (*filter(None, places), *interface.binding_places.values()):
            reader(tuple[str, int, int, int, str])(place)
    except ValueError:
        return False
    return True


@dataclass(slots=True)
class LinkResult:
    """Diagnostics of a link job, for each stage; the text of the report; the name of the link job's pipeline."""

    messages: list[tuple[Job, list[Diagnostic]]] = field(default_factory=list)
    ok: bool = True
    report_text: str = ""
    pipeline: str = ""

    def plain_messages(self) -> list[dict[str, Any]]:
        """Return the diagnostics as plain data, each with the name of its stage."""
        if not self.messages:
            return []
        from hlsl_tool.project.build.currency.plain_diagnostics import plain_diagnostic  # start-up time

        return [{"about": job.name, **plain_diagnostic(d)} for job, reported in self.messages for d in reported]

    def report(self, console: Console) -> None:
        """Add the diagnostics to ``console``, which writes each once and lists all permutations that it concerns."""
        console.expect([about for about, _ in self.messages])
        for about, diagnostics in self.messages:
            console.add(about, diagnostics, urgent=False, pipeline=self.pipeline)


def is_link_current(folder: OutputFolder, job: LinkJob) -> bool:
    """Return whether the stages fit, their interfaces are unchanged since the check, and the report is on disk."""
    record = folder.records.get(job.record_name)
    if record is None or record.key != job.key(_interfaces(folder, job)):
        return False
    return folder.digests.digest_fresh(job.target) == record.outputs.get(job.target)


def check_link(folder: OutputFolder, job: LinkJob, compile_stage: Callable[[Job], JobResult]) -> LinkResult | None:
    """Check the stages of a link job and write its report; return `None` if the job is up to date.

    All stages must have been built.  ``compile_stage`` compiles a stage whose log record has no interface.
    """
    with folder.lock:
        if is_link_current(folder, job):
            return None
        interfaces = _interfaces(folder, job)
    for name, interface in interfaces.items():
        if not is_interface(interface):  # the log was lost or damaged, or is that of an older version
            compiled = compile_stage(job.jobs[name])
            for task in compiled.later:
                task()
            interfaces[name] = compiled.interface
    result = run_links(job, interfaces)
    if not result.ok:
        return result
    data = result.report_text.encode()
    try:
        write_all({os.path.join(folder.root, job.target): data}, below=folder.below)
    except WriteError as error:
        path = relative(error.path, folder.root)
        problem = message(codes.CANNOT_WRITE, None, path=path, reason=error.reason)
        result.messages.append((next(iter(job.jobs.values())), [problem]))
        result.ok = False
        return result
    with folder.lock:
        for name, interface in interfaces.items():
            record = folder.records.get(name)
            if record is not None and record.interface != interface and interface is not None:
                record.interface = interface
                folder.records.put(name, record)
        key = job.key(_interfaces(folder, job))
        record = Record(key, job.cache_key(), outputs={job.target: digest(data)}, origin=job.configuration)
        record.diagnostics = result.plain_messages()
        folder.records.put(job.record_name, record)
    return result


def last_check(folder: OutputFolder, job: LinkJob) -> LinkResult:
    """Return the warnings of the last check of a link job that is up to date."""
    result = LinkResult(pipeline=job.pipeline)
    record = folder.records.get(job.record_name)
    if record is None or not record.diagnostics:
        return result
    from hlsl_tool.project.build.currency.plain_diagnostics import diagnostic_of  # start-up time

    with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):  # damaged
        for data in record.diagnostics:
            result.messages.append((job.jobs[data["about"]], [diagnostic_of(data)]))
    return result


def _interfaces(folder: OutputFolder, job: LinkJob) -> dict[str, Interface | None]:
    """Return stage → its interface according to the log; `None` if the log has none."""
    records = {name: folder.records.get(name) for name in job.jobs}
    return {name: record.interface if record is not None else None for name, record in records.items()}


def run_links(job: LinkJob, interfaces: Mapping[str, Interface | None]) -> LinkResult:
    """Check every stage of a link job against the stages that may precede it.

    ``interfaces`` maps stages to interfaces.
    """
    result = LinkResult(report_text=_report([]), pipeline=job.pipeline)
    if not any(interfaces.values()):
        return result
    # Imported here: a build with nothing to do checks nothing.
    from hlsl_tool.compiler.preprocessing import warning_options
    from hlsl_tool.reflection.linking.pipeline import check_alternatives, check_sharing
    from hlsl_tool.reflection.linking.stage_interfaces import StageInterface

    stages = {name: StageInterface.of(content) for name, content in interfaces.items() if content}
    checked = []
    for link in job.links:
        consumer = stages.get(link.consumer)
        alternatives = _interfaces_of(link.alternatives, stages)
        farther = [_interfaces_of(entries, stages) for entries in link.farther]
        if consumer is None or not (alternatives or any(farther)):
            continue
        about = job.jobs[link.consumer]
        sink = Sink(warning_options(about.options), error_limit=0)
        widths_may_differ = is_at_least(about.options.target_env, "vulkan1.3")
        problems = check_alternatives(consumer, alternatives, widths_may_differ=widths_may_differ)
        for problem in (*problems, *check_sharing(consumer, farther, problems)):
            problem.report(sink)
        if sink.diagnostics:
            result.messages.append((about, sink.diagnostics))
        result.ok = result.ok and sink.error_count == 0
        shared = [name for entries in link.farther for names in entries for name in names]
        checked.append(
            {
                "stage": link.consumer,
                "after": [list(names) for names in link.alternatives],
                "reads": [_slot(slot) for slot in consumer.inputs],
                **({"shares_sets_with": shared} if shared else {}),
            }
        )
    result.report_text = _report(checked)
    return result


def _interfaces_of(
    entries: tuple[tuple[str, ...], ...], stages: dict[str, StageInterface]
) -> list[list[StageInterface]]:
    """Return the interfaces of the permutations of each entry point; entry points without interfaces are omitted.

    ``entries`` has the names of the permutations of each entry point, ``stages`` maps these names to interfaces.
    """
    interfaces = [[stages[name] for name in names if name in stages] for names in entries]
    return [permutations for permutations in interfaces if permutations]


def _report(checked: list[dict[str, Any]]) -> str:
    return json.dumps({"version": 1, "links": checked}, indent=1, ensure_ascii=False) + "\n"


def _slot(slot: Any) -> dict[str, Any]:
    fields = {"location": slot.location, "component": slot.component, "type": slot.type, "semantic": slot.semantic}
    return {name: value for name, value in fields.items() if value not in ("",)}
