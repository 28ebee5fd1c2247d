"""One job → the bytes of its outputs.

Runs wherever an executor puts it, and touches nothing but its arguments.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from hlsl_tool.build.digest import digest
from hlsl_tool.build.job import Job
from hlsl_tool.diagnostics import Code, Diagnostic, Location, Sink
from hlsl_tool.diagnostics.catalogue import build as codes
from hlsl_tool.options.checks import GRAPHICS
from hlsl_tool.source import CachedFileSystem, FileSystem, OSFileSystem, SourceFile
from hlsl_tool.system.dataclass import dataclass, field

if TYPE_CHECKING:
    from hlsl_tool.compiler.result import CompileResult, Memory
    from hlsl_tool.compiler.reuse import Results
    from hlsl_tool.options.model import CompileOptions
    from hlsl_tool.preprocessor.stream import IncludeTrace


@dataclass(slots=True)
class JobResult:
    """What became of a job."""

    outputs: dict[str, bytes] = field(default_factory=dict)
    """Kind → content; empty where the job failed."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    """Every file that was read → digest, from the root where it lies below it."""
    missing: list[str] = field(default_factory=list)
    pastes_line: bool = False
    """Whether line numbers are asked for in a way that no text shows (`IncludeTrace`)."""
    ok: bool = True
    seconds: float = 0.0
    times: dict[str, float] = field(default_factory=dict)
    """Stage of the compiler → milliseconds."""
    interface: dict[str, Any] | None = None
    """What a stage of a graphics pipeline hands over and takes (`linking.stages`)."""
    reused: str = ""
    """Where the store had it: `files`, `meanings`, `tokens` or `reach`, by the key that led to it; empty if it was
    compiled."""
    key: str = ""
    """That key."""
    keys: list[str] = field(default_factory=list)
    """Every key that was read or written on the way."""
    is_foreign: bool = False
    """Whether something else compiled it than what the job's fingerprint stands for: right, but under no key."""
    store_problems: list[tuple[str, str]] = field(default_factory=list)
    """(place, what is wrong with it): nothing of the job's."""
    notes: list[Diagnostic] = field(default_factory=list)
    """Warnings of who compiled, which are none of the job's, either."""
    later: list[Callable[[], None]] = field(default_factory=list)
    """What has been put off, where that was asked for: `interface` and keeping the result come of it."""


def failure(diagnostic: Diagnostic) -> JobResult:
    return JobResult(diagnostics=[diagnostic], ok=False)


def message(code: Code, location: Location | None = None, **fields: Any) -> Diagnostic:
    """A diagnostic of the build itself."""
    return Sink().error(code, location, **fields)


def warning(code: Code, **fields: Any) -> Diagnostic:
    """A warning of the build itself, which no flag switches off."""
    return Diagnostic(code, "warning", code.template.format(**fields))


def relative(path: str, root: str) -> str:
    """A path from the root, with slashes; one on another drive, or far outside, stays as it is."""
    try:
        found = os.path.relpath(path, root).replace(os.sep, "/")
    except ValueError:
        return path.replace(os.sep, "/")
    return found


def disk(root: str) -> FileSystem:
    """The disk as one job sees it: every file is read once, so that what is hashed is what was compiled."""
    return CachedFileSystem(OSFileSystem(root))


def compile_job(
    job: Job, root: str, fs: FileSystem, memory: Memory | None, results: Results | None = None, *, defers: bool = False
) -> JobResult:
    """Compile, and render every kind of output that the job asks for.  ``defers``: what outputs do not need is put
    off."""
    from hlsl_tool.compiler.compile import compile_shader

    data = fs.read(fs.resolve(job.source))
    if data is None:
        reason = fs.why_unreadable(job.source) or "no such file"
        return failure(message(codes.CANNOT_READ, None, path=job.source, reason=reason))
    source = SourceFile.from_bytes(job.source, fs.resolve(job.source), data)

    later: list[Callable[[], None]] = []

    def compile_with(options: CompileOptions) -> CompileResult:
        return compile_shader(
            source,
            entry=options.entry,
            profile=options.profile,
            options=options,
            fs=fs,
            memory=memory,
            results=results,
            later=later if defers else None,
        )

    compiled = compile_with(job.options)
    files, missing = trace_files(compiled.trace, root)
    result = JobResult({}, list(compiled.diagnostics), files, missing, compiled.trace.pastes_line, compiled.ok)
    result.reused, result.key, result.times = compiled.reused, compiled.key, compiled.watch.ms
    if not compiled.ok:
        return result
    for kind in job.targets:
        if kind in RENDERERS:
            result.outputs[kind] = RENDERERS[kind](job, compiled, files)
            continue
        from hlsl_tool.build.outputs.wgsl import CannotWrite, wgsl_output

        try:
            result.outputs[kind] = wgsl_output(kind, job, compiled, compile_with)
        except CannotWrite as problem:
            result.diagnostics.append(problem.diagnostic)
            result.outputs, result.ok = {}, False
            return result
    if job.is_linked and job.options.profile.partition("_")[0] in GRAPHICS:
        if defers:
            later.insert(0, partial(_add_interface, result, compiled))
        else:
            _add_interface(result, compiled)
    compiled.watch.lap("outputs")
    result.later = later
    return result


def _add_interface(result: JobResult, compiled: CompileResult) -> None:
    result.interface = _stage_interface(compiled)


def _stage_interface(compiled: CompileResult) -> dict[str, Any]:
    """Empty where the module is no stage of a graphics pipeline."""
    from hlsl_tool.linking.stages import stage_interfaces
    from hlsl_tool.spirv.decode import decode

    found = stage_interfaces(compiled.module or decode(compiled.spirv), compiled.interface)
    return found[0].plain() if found else {}


def trace_files(trace: IncludeTrace, root: str) -> tuple[dict[str, str], list[str]]:
    """(file → digest, paths not found), both from the root."""
    sources = [source for source in (*trace.files, *trace.asked) if os.path.isabs(source.path)]
    files = {relative(source.path, root): digest(source.data) for source in sources}
    return files, sorted({relative(path, root) for path in trace.missing})


# ---------------------------------------------------------------- outputs


def _spv(job: Job, result: CompileResult, files: dict[str, str]) -> bytes:
    return result.spirv


def _assembly(job: Job, result: CompileResult, files: dict[str, str]) -> bytes:
    from hlsl_tool.spirv.decode import decode
    from hlsl_tool.spirv.text import disassemble

    return disassemble(decode(result.spirv)).encode()


def _reflection(job: Job, result: CompileResult, files: dict[str, str]) -> bytes:
    from hlsl_tool.reflect import reflection_json

    return reflection_json(result.spirv, result.interface).encode()


def _header(job: Job, result: CompileResult, files: dict[str, str]) -> bytes:
    return c_header(result.spirv, variable_name(job.name)).encode()


def _cpp(job: Job, result: CompileResult, files: dict[str, str]) -> bytes:
    from hlsl_tool.reflect.cpp import cpp_header

    return cpp_header(result.reflect(), namespace=variable_name(job.name)).encode()


def _dep(job: Job, result: CompileResult, files: dict[str, str]) -> bytes:
    rule = make_rule(job.main_target, [job.source, *(name for name in files if name != job.source)])
    return rule.encode("utf-8", "surrogateescape")


def _bindings(job: Job, result: CompileResult, files: dict[str, str]) -> bytes:
    from hlsl_tool.linking.bindings import binding_table
    from hlsl_tool.linking.table import Table, as_json
    from hlsl_tool.spirv.decode import decode

    rows = binding_table(result.module or decode(result.spirv), result.interface)
    return as_json([Table(job.name, job.source, job.options.entry, job.options.profile, rows)]).encode()


RENDERERS: dict[str, Callable[[Job, CompileResult, dict[str, str]], bytes]] = {
    "spv": _spv,
    "spvasm": _assembly,
    "reflection": _reflection,
    "header": _header,
    "cpp": _cpp,
    "dep": _dep,
    "bindings": _bindings,
}


def variable_name(name: str) -> str:
    """`lit/pbr.PSMain.SHADOWS=1` → `lit_pbr_PSMain_SHADOWS_1`."""
    clean = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    return "_" + clean if clean[:1].isdigit() else clean


def c_header(spirv: bytes, variable: str) -> str:
    """A module as an array of 32-bit words: what vkCreateShaderModule takes."""
    words = [f"0x{int.from_bytes(spirv[at : at + 4], 'little'):08x}" for at in range(0, len(spirv), 4)]
    rows = [", ".join(words[at : at + 8]) for at in range(0, len(words), 8)]
    body = ",\n    ".join(rows)
    return (
        f"#pragma once\n\n#include <stdint.h>\n\nstatic const uint32_t {variable}[{len(words)}] = {{\n    {body}\n}};\n"
    )


def make_rule(target: str, files: Iterable[str]) -> str:
    """A rule for make; spaces, dollars and hashes are escaped as make wants it."""
    names = [_escape(posixpath.normpath(name)) for name in files]
    return f"{_escape(target)}: " + " \\\n  ".join(names) + "\n"


def _escape(name: str) -> str:
    return name.replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ")
