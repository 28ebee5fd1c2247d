"""Compile the jobs of a configuration for lints; collect diagnostics, digests of modules, resources and inputs."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from hlsl_tool.apps.report.compiling import examine_all
from hlsl_tool.base.diagnostics.diagnostic import Diagnostic, Location
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.build.job import Job
from hlsl_tool.spirv import op

if TYPE_CHECKING:
    from hlsl_tool.base.source import CachedFileSystem
    from hlsl_tool.compiler.result import CompileResult, Memory
    from hlsl_tool.spirv.ir import Module


@dataclass(slots=True)
class Declared:
    """A resource or an input that a shader declares, and whether the shader uses it."""

    name: str
    """Name of a resource, or semantic of an input."""
    type: str
    place: Location
    is_used: bool


@dataclass(slots=True)
class JobFacts:
    """The data of one job: diagnostics, digest of the module, declared resources and inputs."""

    ok: bool
    diagnostics: list[Diagnostic]
    digest: bytes = b""
    """Digest of the module's bytes."""
    resources: list[Declared] = field(default_factory=list)
    inputs: list[Declared] = field(default_factory=list)


def gather(root: str, jobs: Sequence[Job], processes: int) -> list[JobFacts]:
    """Compile jobs on ``processes`` worker processes; return their data in the same order."""
    return examine_all(_facts, root, jobs, processes)


def _facts(root: str, job: Job, fs: CachedFileSystem, memory: Memory) -> JobFacts:
    from hlsl_tool.base.diagnostics.catalogue import build as codes
    from hlsl_tool.base.source import SourceFile
    from hlsl_tool.compiler.compile import compile_shader
    from hlsl_tool.project.build.outputs.render import message

    path = fs.resolve(job.source)
    data = fs.read(path)
    if data is None:
        reason = fs.why_unreadable(job.source) or "no such file"
        return JobFacts(False, [message(codes.CANNOT_READ, None, path=job.source, reason=reason)])
    o = job.options
    source = SourceFile.from_bytes(job.source, path, data)
    result = compile_shader(source, entry=o.entry, profile=o.profile, options=o, fs=fs, memory=memory)
    facts = JobFacts(result.ok, result.diagnostics)
    if result.ok and result.module is not None:
        facts.digest = blake2b(result.spirv).digest()
        result.interface.locate()
        facts.resources = _resources(result, result.module)
        facts.inputs = _inputs(result, result.module)
    return facts


def _resources(result: CompileResult, module: Module) -> list[Declared]:
    """Return the resources that the source declares, except counters and the block of loose globals."""
    from hlsl_tool.reflection.linking.binding_table import binding_table

    places = {record.name: record.place for record in result.interface.resources if not record.counter_of}
    declared = []
    for row in binding_table(module, result.interface):
        place = places.get(row.resource)
        if place is not None and not row.resource.startswith("$"):
            declared.append(Declared(row.resource, row.type, place, row.used))
    return declared


def _inputs(result: CompileResult, module: Module) -> list[Declared]:
    """Return the inputs with user-defined semantics.

    One is unused if the module has no interface variable of its name.
    """
    variables = {variable for entry in module.entry_points for variable in entry.operands[3:]}
    names = {inst.operands[1] for inst in module.names if inst.op == op.OpName and inst.operands[0] in variables}
    declared = []
    for record in result.interface.stage_variables:
        if record.direction == "input" and record.location is not None and record.place is not None and record.name:
            declared.append(Declared(record.semantic, record.type, record.place, record.name in names))
    return declared
