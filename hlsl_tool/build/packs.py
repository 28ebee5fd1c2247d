"""Packs of what was built: written when all members are there, and again when one of them is another."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from hlsl_tool.build.engine import Engine
from hlsl_tool.build.files import WriteError, read_bytes, write_all
from hlsl_tool.build.plan import STAGES, Job
from hlsl_tool.build.records import Record, digest
from hlsl_tool.compiler.option_checks import split_profile
from hlsl_tool.config.model import Project
from hlsl_tool.config.packs import packed
from hlsl_tool.pack.format import SUFFIX, VERSION, Member, PackError
from hlsl_tool.pack.write import write


@dataclass(slots=True)
class PackJob:
    """One pack."""

    name: str
    target: str
    """From the root, with slashes."""
    kinds: tuple[str, ...]
    jobs: list[Job] = field(default_factory=list)
    configuration: str = ""
    """The file that asks for it, from the root."""

    def decided(self) -> str:
        """The hash of what decides the bytes, but for the contents of the members."""
        rows = [[job.name, job.stem, job.permutation, _stage(job), _entry_point(job)] for job in self.jobs]
        return digest(json.dumps([VERSION, self.kinds, rows], ensure_ascii=False).encode())


def plan_packs(project: Project, jobs: list[Job]) -> list[PackJob]:
    by_name = {job.name: job for job in jobs}
    prefix = "" if project.output_dir in ("", ".") else project.output_dir + "/"
    found = []
    for spec in project.packs:
        members = [by_name[variant.name] for variant in packed(spec, project) if variant.name in by_name]
        found.append(PackJob(spec.name, f"{prefix}{spec.name}{SUFFIX}", spec.outputs, members, spec.at.file))
    return found


def pack(engine: Engine, job: PackJob) -> str:
    """Bring a pack up to date: `written`, `current`, or `waits` where a member has not been built.  May raise
    WriteError and PackError."""
    contents: list[str] = []
    for member in job.jobs:
        record = engine.records.get(member.name)
        for kind in job.kinds:
            path = member.targets.get(kind)
            known = record.outputs.get(path, "") if record is not None and path is not None else ""
            if path is not None and not known:
                return "waits"
            contents.append(known)
    key = digest("\n".join([job.decided(), *contents]).encode())
    place = os.path.join(engine.root, job.target)
    name = f"pack: {job.name}"
    before = engine.records.get(name)
    if before is not None and before.key == key:
        data = read_bytes(place)
        if data is not None and digest(data) == before.outputs.get(job.target):
            return "current"
    members = []
    for member in job.jobs:
        blobs: dict[str, bytes] = {}
        for kind in job.kinds:
            if kind in member.targets:
                content = read_bytes(os.path.join(engine.root, member.targets[kind]))
                if content is None:
                    return "waits"
                blobs[kind] = content
        members.append(Member(member.name, member.stem or member.name, member.permutation, _stage(member),
                              _entry_point(member), blobs))  # fmt: skip
    data = write(members, job.kinds)
    write_all({place: data})
    engine.records.put(name, Record(key, job.decided(), outputs={job.target: digest(data)}, origin=job.configuration))
    return "written"


def pack_all(engine: Engine, jobs: Iterable[PackJob], say: Callable[[str], None]) -> bool:
    """Bring packs up to date; whether all of them could be written or wait for shaders that fail."""
    ok = True
    for job in jobs:
        try:
            pack(engine, job)
        except WriteError as error:
            say(f"cannot write `{error.path}`: {error.reason}\n")
            ok = False
        except PackError as error:
            say(f"cannot pack `{job.name}`: {error}\n")
            ok = False
    return ok


def _stage(job: Job) -> str:
    stage = (split_profile(job.options.profile) or ("", 0, 0))[0]
    return STAGES.get(stage, stage)


def _entry_point(job: Job) -> str:
    return job.options.entry_point_name or job.options.entry
