"""Compile one job and render its outputs.

Any process may run it: it changes nothing but its arguments.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from hlsl_tool.base.diagnostics import Code, Diagnostic, Location, Sink
from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.options.checks import GRAPHICS
from hlsl_tool.base.source import CachedFileSystem, FileSystem, OSFileSystem, SourceFile
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.base.system.paths import UP, relative
from hlsl_tool.project.build.digest import digest
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.build.outputs.problems import CannotWrite
from hlsl_tool.project.config.output_kinds import CROSS_KINDS

if TYPE_CHECKING:
    from hlsl_tool.base.options.compile_options import CompileOptions
    from hlsl_tool.compiler.result import CompileResult, Memory
    from hlsl_tool.compiler.reuse import Results
    from hlsl_tool.cross import Converted
    from hlsl_tool.frontend.preprocessor.stream import IncludeTrace
    from hlsl_tool.project.build.outputs.wgsl import WgslOutputs
    from hlsl_tool.reflection.reflection import MslSlots


@dataclass(slots=True)
class JobResult:
    """Outputs, diagnostics and dependency trace of a job."""

    outputs: dict[str, bytes] = field(default_factory=dict)
    """Kind → content; empty if the job failed."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    """Every file that was read → digest; paths below the root are relative to it."""
    missing: list[str] = field(default_factory=list)
    """Every path that was looked up and did not exist."""
    pastes_line: bool = False
    """Whether token pasting makes `__LINE__`, which no text of a file shows (`IncludeTrace`)."""
    ok: bool = True
    seconds: float = 0.0
    times: dict[str, float] = field(default_factory=dict)
    """Stage of the compiler → milliseconds."""
    interface: dict[str, Any] | None = None
    """Inputs and outputs of a graphics stage (`reflection.linking.stage_interfaces`)."""
    reused: str = ""
    """Kind of the key under which the store had it: `files`, `meanings`, `tokens` or `reach`; empty if compiled."""
    key: str = ""
    """The key under which the store had it."""
    keys: list[str] = field(default_factory=list)
    """All keys that were looked up or written."""
    is_foreign: bool = False
    """True if the toolchain changed since the job was fingerprinted; the result is valid but must not be cached."""
    is_stored: bool = False
    """Whether the process that compiled it has put it into the build's store, or does so in a task of `later`."""
    store_problems: list[tuple[str, str]] = field(default_factory=list)
    """(place, description) of problems of the store."""
    notes: list[Diagnostic] = field(default_factory=list)
    """Warnings of the executor, which do not concern the job."""
    later: list[Callable[[], None]] = field(default_factory=list)
    """Deferred tasks: they set `interface` and store the result."""


def failure(diagnostic: Diagnostic) -> JobResult:
    """Return the result of a job that failed with this diagnostic."""
    return JobResult(diagnostics=[diagnostic], ok=False)


def message(code: Code, location: Location | None = None, **fields: Any) -> Diagnostic:
    """Create an error of the build itself (not of the compiler)."""
    return Sink().error(code, location, **fields)


def warning(code: Code, **fields: Any) -> Diagnostic:
    """Create a warning of the build itself; no option disables it."""
    return Diagnostic(code, "warning", code.template.format(**fields))


def disk(root: str) -> FileSystem:
    """Return a file system for one job.

    It reads every file only once, so that the hashed and the compiled bytes agree.
    """
    return CachedFileSystem(OSFileSystem(root))


def compile_job(
    job: Job, root: str, fs: FileSystem, memory: Memory | None, results: Results | None = None, *, defers: bool = False
) -> JobResult:
    """Compile a job and render its outputs; ``defers`` puts work that outputs do not need into `JobResult.later`."""
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
    whole = compiled
    if "debug" in job.targets:
        from hlsl_tool.compiler.stripping import stripped  # start-up time

        compiled = stripped(whole)
    try:
        result.outputs = _outputs(job, whole, compiled, files, compile_with)
    except CannotWrite as problem:
        result.diagnostics.append(problem.diagnostic)
        result.ok = False
        return result
    if job.is_linked and job.options.profile.partition("_")[0] in GRAPHICS:
        if defers:
            later.insert(0, partial(_add_interface, result, compiled))
        else:
            _add_interface(result, compiled)
    compiled.watch.lap("outputs")
    result.later = later
    return result


def _outputs(
    job: Job,
    whole: CompileResult,
    compiled: CompileResult,
    files: dict[str, str],
    compile_with: Callable[[CompileOptions], CompileResult],
) -> dict[str, bytes]:
    """Return the outputs of a job by kind; raise `CannotWrite` if one cannot be made.

    ``whole`` is the result with debug information, ``compiled`` the one for all outputs but `debug`.
    """
    texts: dict[str, Converted] = {}
    if CROSS_KINDS & job.targets.keys():
        from hlsl_tool.project.build.outputs.cross import convert_job  # start-up time

        texts = convert_job(job, compiled)
    slots = cast("Mapping[int, MslSlots]", texts["msl"].slots()) if "msl" in texts else {}
    wgsl: WgslOutputs | None = None
    outputs: dict[str, bytes] = {}
    for kind in job.targets:
        if kind in texts:
            outputs[kind] = texts[kind].text.encode()
        elif kind in RENDERERS:
            outputs[kind] = RENDERERS[kind](Rendering(job, whole if kind == "debug" else compiled, files, slots))
        else:
            from hlsl_tool.project.build.outputs.wgsl import WgslOutputs  # start-up time

            wgsl = wgsl or WgslOutputs(job, compiled, compile_with)
            outputs[kind] = wgsl.output(kind)
    return outputs


def _add_interface(result: JobResult, compiled: CompileResult) -> None:
    result.interface = _stage_interface(compiled)


def _stage_interface(compiled: CompileResult) -> dict[str, Any]:
    """Return the interface (inputs, outputs, bindings) of a graphics stage as plain data; empty for other stages."""
    from hlsl_tool.reflection.linking.stage_interfaces import stage_interfaces
    from hlsl_tool.spirv.decode import decode

    interfaces = stage_interfaces(compiled.module or decode(compiled.spirv), compiled.interface)
    return interfaces[0].plain() if interfaces else {}


def trace_files(trace: IncludeTrace, root: str) -> tuple[dict[str, str], list[str]]:
    """Convert an include trace to (file → digest, missing paths), with paths relative to the root."""
    sources = [source for source in (*trace.files, *trace.asked) if os.path.isabs(source.path)]
    files = {relative(source.path, root): digest(source.data) for source in sources}
    return files, sorted({_missing_name(path, root) for path in trace.missing})


def _missing_name(path: str, root: str) -> str:
    return relative(path.removesuffix(UP), root) + UP if path.endswith(UP) else relative(path, root)


# ---------------------------------------------------------------- outputs


@dataclass(slots=True)
class Rendering:
    """The data that the bytes of an output depend on."""

    job: Job
    result: CompileResult
    files: dict[str, str]
    """Every file that was read → digest."""
    slots: Mapping[int, MslSlots]
    """Id of a variable → its indices in the output `msl`."""


def _spv(r: Rendering) -> bytes:
    return r.result.spirv


def _assembly(r: Rendering) -> bytes:
    from hlsl_tool.spirv.decode import decode
    from hlsl_tool.spirv.text import disassemble

    return disassemble(decode(r.result.spirv)).encode()


def _reflection(r: Rendering) -> bytes:
    from hlsl_tool.reflection.emit_json import reflection_json

    return reflection_json(r.result.spirv, r.result.interface, r.slots).encode()


def _header(r: Rendering) -> bytes:
    default = f"{r.job.name}_spv" if "cpp" in r.job.targets else r.job.name  # the plain name is the namespace there
    return c_header(r.result.spirv, variable_name(r.job.array or default), r.job.array_type).encode()


def _cpp(r: Rendering) -> bytes:
    from hlsl_tool.reflection.cpp import cpp_header

    return cpp_header(r.result.reflect(), namespace=variable_name(r.job.namespace or r.job.name)).encode()


def _dep(r: Rendering) -> bytes:
    from hlsl_tool.project.build.outputs.make_rule import escape_name, make_rule  # start-up time

    rule = make_rule(
        escape_name(r.job.main_target), [r.job.source, *(name for name in r.files if name != r.job.source)]
    )
    return rule.encode("utf-8", "surrogateescape")


def _bindings(r: Rendering) -> bytes:
    from hlsl_tool.reflection.linking.binding_table import binding_table
    from hlsl_tool.reflection.linking.table import Table, as_json
    from hlsl_tool.spirv.decode import decode

    rows = binding_table(r.result.module or decode(r.result.spirv), r.result.interface, msl=r.slots)
    return as_json([Table(r.job.name, r.job.source, r.job.options.entry, r.job.options.profile, rows)]).encode()


RENDERERS: dict[str, Callable[[Rendering], bytes]] = {
    "spv": _spv,
    "debug": _spv,
    "spvasm": _assembly,
    "reflection": _reflection,
    "header": _header,
    "cpp": _cpp,
    "dep": _dep,
    "bindings": _bindings,
}
"""Kind of output → its bytes; `outputs.wgsl` renders `WGSL_KINDS`, `outputs.cross` renders `CROSS_KINDS`."""

WGSL_KINDS = ("wgsl", "wgsl_bindings")


def variable_name(name: str) -> str:
    """Convert a name to a C identifier: `lit/pbr.PSMain.SHADOWS=1` becomes `lit_pbr_PSMain_SHADOWS_1`."""
    clean = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    return "_" + clean if clean[:1].isdigit() else clean


def c_header(data: bytes, variable: str, element: str = "") -> str:
    """Return a C header that defines ``data`` as the array ``variable``.

    The elements are 32-bit words (for vkCreateShaderModule), or of the one-byte type ``element``.
    """
    if element in ("", "uint32_t"):
        element, values, row = "uint32_t", [f"0x{word:08x}" for (word,) in struct.iter_unpack("<I", data)], 8
    else:
        values, row = [f"0x{byte:02x}" for byte in data], 16
    body = ",\n    ".join(", ".join(values[at : at + row]) for at in range(0, len(values), row))
    declaration = f"static const {element} {variable}[{len(values)}]"
    return f"#pragma once\n\n#include <stdint.h>\n\n{declaration} = {{\n    {body}\n}};\n"
