"""Write files that combine the outputs of many jobs: packs, blobs of permutations, structs of a project.

They are written once all member jobs are built, and again when the output of a member changes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Container, Mapping

from hlsl_tool import __version__
from hlsl_tool.base.system.atomic_write import WriteError, read_bytes, write_all
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.build.currency.folder import OutputFolder
from hlsl_tool.project.build.currency.log import Record
from hlsl_tool.project.build.digest import digest
from hlsl_tool.project.build.job import Job, stage_name
from hlsl_tool.project.build.outputs.pipelines import Pipelines, pipeline_layouts, pipelines
from hlsl_tool.project.build.outputs.render import c_header, variable_name
from hlsl_tool.project.build.outputs.vulkan_pipelines import pipeline_tables, vulkan_pipelines
from hlsl_tool.project.config.output_kinds import JOINED, PIPELINE_FILES, PROJECT_FILES
from hlsl_tool.project.config.packs import packed
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.pack.format import SUFFIX, VERSION, Member, PackError
from hlsl_tool.project.pack.shadermake import permutation_key, write_blob
from hlsl_tool.project.pack.write import write


@dataclass(slots=True)
class PackJob:
    """A file to write that combines the outputs of several jobs."""

    name: str
    target: str
    """From the root, with slashes."""
    kinds: tuple[str, ...]
    jobs: list[Job] = field(default_factory=list)
    configuration: str = ""
    """Path of the configuration that declares the pack, relative to the root."""
    form: str = "pack"
    """`pack`, or one of `JOINED`."""
    array: str = ""
    """The name of the C array of a `blob_header`."""
    array_type: str = ""
    pipelines: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(name, its stages without permutations) of the pipelines, for `PIPELINE_FILES`."""

    def cache_key(self) -> str:
        """Return the hash of names, kinds and stages: of all that affects the file except its members' outputs."""
        rows = [[job.name, job.stem, job.permutation, stage_name(job), _entry_point(job)] for job in self.jobs]
        form = [] if self.form == "pack" else [self.form, self.array, self.array_type]
        if self.form in PROJECT_FILES:
            form += [__version__, *(f"{name}={','.join(stems)}" for name, stems in self.pipelines)]
        return digest(json.dumps([VERSION, self.kinds, rows, *form], ensure_ascii=False).encode())

    @property
    def members(self) -> list[Job]:
        """The jobs whose outputs are packed."""
        return self.jobs

    @property
    def record_name(self) -> str:
        """Name of its record in the log; distinct from every job's name."""
        return f"{self.form}: {self.name}"

    def paths(self) -> list[str]:
        """Return the paths of all outputs that are packed, from the root."""
        return [path for member in self.jobs for path in _packed(member, self.kinds).values()]

    def key(self, digests: list[str]) -> str:
        """Return the hash of everything that affects the file: `cache_key` and ``digests``, those of `paths()`."""
        return digest("\n".join([self.cache_key(), *digests]).encode())


def _packed(member: Job, kinds: tuple[str, ...]) -> dict[str, str]:
    """Return kind → path (from the root) of the outputs of one member that are packed."""
    return {kind: member.targets[kind] for kind in kinds if kind in member.targets}


def plan_packs(project: Project, jobs: list[Job]) -> list[PackJob]:
    """Return the pack jobs of a project, including blobs and structs; omit permutations that are not in ``jobs``."""
    by_name = {job.name: job for job in jobs}
    prefix = "" if project.output_dir in ("", ".") else project.output_dir + "/"
    packs = []
    for spec in project.packs:
        members = [by_name[permutation.name] for permutation in packed(spec, project) if permutation.name in by_name]
        packs.append(PackJob(spec.name, f"{prefix}{spec.name}{SUFFIX}", spec.outputs, members, spec.at.file))
    return packs + _plan_blobs(project, by_name, prefix)


def _plan_blobs(project: Project, jobs: Mapping[str, Job], prefix: str) -> list[PackJob]:
    """Return the blobs, structs and pipeline files that the outputs of shaders configure: one job for each file."""
    blobs: dict[str, PackJob] = {}
    listed: dict[str, Pipelines] = {}
    for permutation in project.permutations:
        for kind in (kind for kind in permutation.outputs if kind in JOINED and permutation.name in jobs):
            path = permutation.file(kind)
            names = (kind, permutation.array or permutation.stem, permutation.array_type)
            made_of = (JOINED[kind],)
            blob = blobs.setdefault(path, PackJob(path, prefix + path, made_of, [], permutation.at.file, *names))
            blob.jobs.append(jobs[permutation.name])
            if kind in PIPELINE_FILES:
                if kind not in listed:
                    listed[kind] = (pipelines if kind == "webgpu_pipelines" else vulkan_pipelines)(project)
                blob.pipelines = listed[kind]
    return list(blobs.values())


def pack(folder: OutputFolder, job: PackJob, failed: Container[str] = ()) -> str:
    """Bring a pack up to date; return `written`, `current`, or `waits` if a failed member has no earlier good output.

    The outputs on disk decide, not the log, which may be lost.  ``failed``: names of the jobs that failed in this
    build; the outputs of their last successful build are packed.  Raises WriteError, and PackError if an output is
    missing.
    """
    if not all(_has_good_outputs(folder, member, job.kinds) for member in job.jobs if member.name in failed):
        return "waits"
    if is_pack_current(folder, job):
        return "current"
    place = os.path.join(folder.root, job.target)
    members = [_member(folder, member, job.kinds) for member in job.jobs]
    data = _content(job, members)
    key = job.key([digest(blob) for member in members for blob in member.blobs.values()])
    is_new = read_bytes(place) != data
    if is_new:
        write_all({place: data}, below=folder.below)
    outputs = {job.target: digest(data)}
    folder.records.put(job.record_name, Record(key, job.cache_key(), outputs=outputs, origin=job.configuration))
    return "written" if is_new else "current"


def _content(job: PackJob, members: list[Member]) -> bytes:
    if job.form == "pack":
        return write(members, job.kinds)
    if job.form == "webgpu_pipelines":
        return pipeline_layouts(job.pipelines, members).encode()
    if job.form in PIPELINE_FILES:
        namespace = _file_name(job) if job.form == "vulkan_pipelines_cpp" else None
        return pipeline_tables(job.pipelines, members, namespace=namespace).encode()
    if job.form in PROJECT_FILES:
        return _structs(job, members).encode()
    blob = write_blob([(permutation_key(member.permutation), member.blobs["spv"]) for member in members])
    if job.form == "blob":
        return blob
    element = job.array_type if job.array_type not in ("", "uint32_t") else "uint8_t"  # keys have any length
    return c_header(blob, variable_name(job.array), element).encode()


def _structs(job: PackJob, members: list[Member]) -> str:
    from hlsl_tool.reflection.check import ReflectError
    from hlsl_tool.reflection.cpp import Shader, cpp_project_header
    from hlsl_tool.reflection.load_json import from_json
    from hlsl_tool.reflection.structs import csharp_structs, rust_structs

    try:
        shaders = [Shader(member.name, member.shader, from_json(member.blobs["reflection"])) for member in members]
    except ReflectError as error:
        raise PackError(str(error)) from None
    if job.form == "rust_structs":
        return rust_structs(shaders)
    namespace = _file_name(job)
    if job.form == "csharp_structs":
        return csharp_structs(shaders, namespace=namespace)
    return cpp_project_header(shaders, namespace=namespace)


def _file_name(job: PackJob) -> str:
    """Return the base name of a pack job's target without suffix, as a C identifier that serves as a namespace."""
    return variable_name(os.path.basename(job.target).partition(".")[0])


def is_pack_current(folder: OutputFolder, job: PackJob) -> bool:
    """Return whether the pack on disk was made from the outputs that are on disk now."""
    record = folder.records.get(job.record_name)
    if record is None or record.key != job.key([folder.digests.digest_fresh(path) for path in job.paths()]):
        return False
    return bool(record.outputs) and folder.digests.digest_fresh(job.target) == record.outputs.get(job.target)


def _has_good_outputs(folder: OutputFolder, member: Job, kinds: tuple[str, ...]) -> bool:
    """Return whether the outputs of ``member`` of these kinds on disk all come from its last successful build."""
    record = folder.records.get(member.name)
    return record is not None and all(
        path in record.outputs and record.outputs[path] == folder.digests.digest_fresh(path)
        for path in _packed(member, kinds).values()
    )


def _member(folder: OutputFolder, member: Job, kinds: tuple[str, ...]) -> Member:
    blobs: dict[str, bytes] = {}
    for kind, path in _packed(member, kinds).items():
        content = read_bytes(os.path.join(folder.root, path))
        if content is None:
            raise PackError(f"`{path}` is missing")
        blobs[kind] = content
    stem = member.stem or member.name
    return Member(member.name, stem, member.permutation, stage_name(member), _entry_point(member), blobs)


def write_pack(folder: OutputFolder, job: PackJob, failed: Container[str] = ()) -> str:
    """Bring a pack up to date; return an error message if it could not be written, else an empty string.

    A pack that waits for failed members is not an error.
    """
    try:
        pack(folder, job, failed)
    except WriteError as error:
        return str(error)
    except PackError as error:
        return f"cannot pack `{job.name}`: {error}"
    return ""


def _entry_point(job: Job) -> str:
    return job.options.entry_point_name or job.options.entry
