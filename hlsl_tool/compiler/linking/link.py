"""``link``: modules and libraries in, SPIR-V out; and the libraries of a compilation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import linking as codes
from hlsl_tool.base.diagnostics.catalogue import tools as tool_codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.base.source import CachedFileSystem, OSFileSystem, SourceFile
from hlsl_tool.base.system.collection import paused_collection
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.codegen.lower.core.function_names import signature_of
from hlsl_tool.codegen.lower.interface import InterfaceRecord
from hlsl_tool.compiler.finishing import finish_module
from hlsl_tool.compiler.library_checks import check_options
from hlsl_tool.compiler.linking.join import join
from hlsl_tool.compiler.linking.libraries import is_module, library_options, read_library
from hlsl_tool.compiler.linking.requirements import (
    joined_requirements,
    requirements_of_module,
    with_debug_information,
)
from hlsl_tool.compiler.linking.unit import Unit
from hlsl_tool.compiler.preprocessing import warning_options
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.compiler.stages import Compilation
from hlsl_tool.compiler.validation import validated_library
from hlsl_tool.frontend.preprocessor.stream import IncludeTrace
from hlsl_tool.frontend.sema.model.hir import Function, Variable
from hlsl_tool.reflection.check import ReflectError, check
from hlsl_tool.reflection.linking import collisions
from hlsl_tool.spirv.decode import DecodeError, decode
from hlsl_tool.spirv.encode import EncodeError
from hlsl_tool.spirv.ir import Module

if TYPE_CHECKING:
    from hlsl_tool.base.source import FileSystem

PROFILE = "lib_6_8"
"""The profile of HLSL among the inputs, if the options name none."""

Input = str | os.PathLike[str] | bytes | bytearray | memoryview | SourceFile


def link(
    inputs: Sequence[Input],
    *,
    entry: str = "",
    options: CompileOptions | None = None,
    fs: FileSystem | None = None,
    memory: Memory | None = None,
) -> CompileResult:
    """Link modules: resolve the functions that they import, then legalise, optimise and validate the result.

    ``inputs`` are paths of SPIR-V modules and of HLSL files, which are compiled as libraries with the same options;
    SPIR-V as bytes; or `SourceFile`.  The libraries of the options are further inputs; a file takes part once.
    ``entry`` names the entry point to retain; all are retained if it is empty.  Modules without entry points become one
    library.  Errors are diagnostics of the result, never exceptions; an invalid option raises ``ValueError``.
    """
    options = options or CompileOptions()
    options = replace(options, profile=options.profile or PROFILE, entry=entry)
    check_options(options)
    linker = Linker(options, fs or CachedFileSystem(OSFileSystem()), memory or Memory(finished=None))
    sink = linker.sink
    result = CompileResult(False, b"", None, sink.diagnostics, IncludeTrace.empty())
    with paused_collection():
        for number, one in enumerate((*inputs, *options.libraries)):
            linker.add(one, result.trace, f"module {number + 1}")
        joined = linker.join(result, entry) if linker.units and not sink.error_count else None
        if joined is not None:
            _finish(linker, joined, result)
    return result


def _finish(linker: Linker, joined: Module, result: CompileResult) -> None:
    """Give the joined module to the pipeline."""
    sink, options = linker.sink, with_debug_information(linker.options, linker.units)
    try:
        finish_module(result, joined, joined_requirements(linker.units), options, sink, linker.memory)
    except EncodeError as error:
        sink.error(tool_codes.MODULE_TOO_LARGE, None, reason=str(error))
    if result.ok and result.module is not None and not linker.options.codegen_only:
        collisions.check(result.module, result.interface, sink)
        result.ok = sink.error_count == 0


def link_libraries(compilation: Compilation) -> bool:
    """Join a lowered shader with the libraries of its options; return whether that succeeded."""
    options = compilation.options
    linker = Linker(options, compilation.fs, compilation.memory, compilation.sink)
    result = compilation.result
    linker.units.append(compiled_unit(compilation))
    linker.is_new(compilation.source)
    for name in options.libraries:
        linker.add(name, result.trace, name)
    if not options.profile.startswith("lib"):  # a shader of one stage has one entry point
        for library in linker.units[1:]:
            library.leave_out_entry_points()
    joined = linker.join(result, "") if not compilation.sink.error_count else None
    if joined is None:
        return False
    compilation.module = joined
    compilation.requirements = joined_requirements(linker.units)
    compilation.options = with_debug_information(options, linker.units)
    return True


def compiled_unit(compilation: Compilation) -> Unit:
    """Return a lowered shader as a module to link."""
    resources = {resource.name: resource for resource in compilation.result.interface.resources}
    final_ids = compilation.lowering.b.final_ids

    def locate(name: str) -> Location | None:
        resource = resources.get(name)
        if resource is not None and resource.token is not None:
            return compilation.places.locate(*resource.token)
        lowering = compilation.lowering
        declared: list[Function | Variable] = [*lowering.functions, *lowering.globals]
        return next((compilation.places.locate(x.pos, x.chunk) for x in declared if x.qualified_name == name), None)

    return Unit(
        compilation.source.name,
        compilation.module,
        compilation.requirements,
        compilation.result.interface,
        locate,
        {f.qualified_name for f in compilation.program.functions if f.has_body and "export" not in f.quals},
        {final_ids.get(number, 0): signature_of(f) for f, number in compilation.lowering.functions.items()},
    )


class Linker:
    """The modules of one link, and its diagnostics."""

    def __init__(self, options: CompileOptions, fs: FileSystem, memory: Memory, sink: Sink | None = None) -> None:
        self.options = options
        self.fs = fs
        self.memory = memory
        self.sink = sink or Sink(warning_options(options), error_limit=options.error_limit)
        self.units: list[Unit] = []
        self._files: set[tuple[str, bytes]] = set()
        """(path, digest) of the files that take part."""

    def add(self, one: Input, trace: IncludeTrace, name: str) -> None:
        """Add a module or a library; report an error if it cannot be read or compiled."""
        if isinstance(one, (bytes, bytearray, memoryview)):
            self._add_module(name, bytes(one))
            return
        file = one if isinstance(one, SourceFile) else self._read(os.fspath(one), trace)
        if file is None or not self.is_new(file):
            return
        if is_module(file.name, file.data):
            trace.add(IncludeTrace.of_file(file))
            self._add_module(file.name, file.data)
        else:
            self._compile(file, trace)

    def is_new(self, file: SourceFile) -> bool:
        """Record a file, and return whether it is there for the first time: it takes part once."""
        key = self.fs.resolve(file.path), file.digest
        is_new = key not in self._files
        self._files.add(key)
        return is_new

    def _read(self, name: str, trace: IncludeTrace) -> SourceFile | None:
        file = read_library(name, self.fs)
        if file is None:
            path = self.fs.resolve(name)
            trace.missing.append(path)
            reason = self.fs.why_unreadable(path) or "no such file or directory"
            folder, base = os.path.split(path)
            hint = did_you_mean(base, self.fs.listdir(folder) or ())
            self.sink.error(codes.LINK_INPUT, None, hint=hint, name=name, reason=reason)
        return file

    def _add_module(self, name: str, data: bytes) -> None:
        reason = self._fault(data)
        if reason:
            self.sink.error(codes.LINK_INPUT, None, name=name, reason=reason)
            return
        module = decode(data)
        self.units.append(Unit(name, module, requirements_of_module(module)))

    def _fault(self, data: bytes) -> str:
        """Return why a module cannot be linked; empty if it can."""
        try:
            check(decode(data))
        except (DecodeError, ReflectError) as error:
            return f"it is no SPIR-V module: {error}"
        unreported = Sink()
        if self.options.validate == "no" or validated_library(data, self.options, unreported):
            return ""
        _, _, complaint = unreported.diagnostics[-1].message.partition(": ")
        return f"it is not valid: {complaint}"

    def _compile(self, file: SourceFile, trace: IncludeTrace) -> None:
        """Compile a library up to its lowered module."""
        compilation = Compilation(file, library_options(self.options), self.fs, self.memory)
        is_lowered = compilation.run_to_module()
        trace.add(compilation.result.trace)
        _merge(self.sink, compilation.sink)
        if is_lowered:
            self.units.append(compiled_unit(compilation))

    def join(self, result: CompileResult, entry: str) -> Module | None:
        """Return the joined module, or ``None`` after an error; join the interfaces in the result."""
        joined = join(self.units, self.sink, entry)
        if joined is None or self.sink.error_count:
            return None
        result.interface = _joined_interface([unit.interface for unit in self.units])
        return joined


def _merge(sink: Sink, other: Sink) -> None:
    """Add the diagnostics of a library, except those that a shared header has already given."""
    new = [diagnostic for diagnostic in other.diagnostics if diagnostic not in sink.diagnostics]
    sink.diagnostics += new
    sink.error_count += sum(diagnostic.severity in ("error", "fatal") for diagnostic in new)


def _joined_interface(interfaces: Iterable[InterfaceRecord]) -> InterfaceRecord:
    """Return the record of all modules; what several of them declare is there once."""
    joined, *others = interfaces
    for record in (joined, *others):
        record.locate()
    for record in others:
        known = {(r.name, r.set, r.binding) for r in joined.resources}
        joined.resources += [r for r in record.resources if (r.name, r.set, r.binding) not in known]
        blocks = {block.name for block in joined.blocks}
        joined.blocks += [block for block in record.blocks if block.name not in blocks]
        joined.structs += record.structs
        joined.stage_variables += record.stage_variables
        joined.wave_sizes |= record.wave_sizes
        if not joined.entry:
            joined.entry, joined.stage, joined.workgroup_size = record.entry, record.stage, record.workgroup_size
    return joined
