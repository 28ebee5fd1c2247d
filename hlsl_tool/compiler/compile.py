"""``compile_shader``: HLSL in, SPIR-V out.  One call per stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from hlsl_tool.compiler import blame
from hlsl_tool.compiler.exporting import check_exports, export_names
from hlsl_tool.compiler.finishing import finish_module
from hlsl_tool.compiler.layout_checks import check_layouts
from hlsl_tool.compiler.library_checks import check_options
from hlsl_tool.compiler.preprocessing import check_warning_names, preprocess_options, warning_options
from hlsl_tool.compiler.reach import ReachMemory
from hlsl_tool.compiler.reuse import Results, Reuse
from hlsl_tool.compiler.stopwatch import Stopwatch
from hlsl_tool.diagnostics import Sink
from hlsl_tool.diagnostics.catalogue import compiler as compiler_codes
from hlsl_tool.diagnostics.catalogue import lower as lower_codes
from hlsl_tool.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.diagnostics.catalogue import tools as tool_codes
from hlsl_tool.diagnostics.model import Diagnostic, Location
from hlsl_tool.linking import collisions
from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.lower.core.interface import InterfaceRecord
from hlsl_tool.lower.debug_info import Sources
from hlsl_tool.lower.entry.stages import LIBRARY, STAGES
from hlsl_tool.lower.module import lower
from hlsl_tool.options.model import CompileOptions
from hlsl_tool.passes import pipeline
from hlsl_tool.passes.equal_types import merge_equal_types
from hlsl_tool.passes.exact_remainder import compute_remainders_exactly
from hlsl_tool.passes.ssa.shared import Shared
from hlsl_tool.preprocessor import PreprocessorMemory, preprocess
from hlsl_tool.preprocessor.stream import IncludeTrace
from hlsl_tool.sema.analysis import Places, SemaMemory, analyze, is_faultless, report
from hlsl_tool.sema.context import Language
from hlsl_tool.source import CachedFileSystem, OSFileSystem, SourceFile
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.builder.debugging import DebugModuleBuilder
from hlsl_tool.spirv.encode import EncodeError
from hlsl_tool.spirv.features import Features
from hlsl_tool.syntax.memory import SyntaxMemory
from hlsl_tool.syntax.parser import parse

if TYPE_CHECKING:
    from hlsl_tool.reflect import Reflection
    from hlsl_tool.source import FileSystem
    from hlsl_tool.spirv.ir import Module


@dataclass(slots=True)
class Memory:
    """What is remembered between compilations, by content; an empty one changes nothing but the time it takes."""

    preprocessor: PreprocessorMemory = field(default_factory=PreprocessorMemory)
    syntax: SyntaxMemory = field(default_factory=SyntaxMemory)
    sema: SemaMemory = field(default_factory=SemaMemory)
    reach: ReachMemory = field(default_factory=ReachMemory)
    clean: Shared = field(default_factory=Shared)


@dataclass(slots=True)
class CompileResult:
    """What came of a compilation.  ``spirv`` is empty where ``ok`` is false; the trace is there in any case."""

    ok: bool
    spirv: bytes
    module: Module | None
    diagnostics: list[Diagnostic]
    trace: IncludeTrace
    interface: InterfaceRecord = field(default_factory=InterfaceRecord)
    printed: str = ""
    """What ``print_all`` asks for: the module before each pass of spirv-opt, and after the last."""
    reused: str = ""
    """``tokens`` or ``reach``: which key led to an earlier result.  There is no module then, nor are there blocks."""
    key: str = ""
    """That key."""
    watch: Stopwatch = field(default_factory=Stopwatch)
    """What the stages took."""

    def reflect(self) -> Reflection:
        """What the module wants from its host: resources, block layouts, stage variables (``docs/reflection.md``).

        Raises ``ValueError`` where there is no module.
        """
        if not self.spirv:
            raise ValueError("the shader has errors, so there is no module to reflect")
        from hlsl_tool.reflect import reflect
        from hlsl_tool.spirv.decode import decode

        return reflect(decode(self.spirv), self.interface)


def compile_shader(
    source: SourceFile | str | bytes,
    *,
    entry: str = "main",
    profile: str,
    options: CompileOptions | None = None,
    fs: FileSystem | None = None,
    memory: Memory | None = None,
    results: Results | None = None,
    later: list[Callable[[], None]] | None = None,
    name: str = "shader.hlsl",
) -> CompileResult:
    """Compile one shader.

    ``source``: a file, or HLSL as text or bytes (then called ``name``).  ``profile``: ``vs_6_0`` and so on.
    ``results``: where results are looked for and kept; ``later`` gets what keeps this one, to be called by whoever
    needs the words first.  Errors in the shader are diagnostics of the result, never
    exceptions; an option that cannot be is a ``ValueError``.
    """
    if isinstance(source, str):
        source = source.encode("utf-8", "surrogatepass")
    if isinstance(source, bytes):
        source = SourceFile.from_bytes(name, name, source)
    if not isinstance(source, SourceFile):
        raise TypeError(f"the source is a SourceFile, text or bytes, not {type(source).__name__}")
    options = replace(options or CompileOptions(), entry=entry, profile=profile)
    check_options(options)
    fs = fs or CachedFileSystem(OSFileSystem())
    memory = memory or Memory()
    sink = Sink(warning_options(options), error_limit=options.error_limit)
    watch = Stopwatch()
    exports = export_names(options.exports, sink)
    check_warning_names(options, sink)
    stream = preprocess(source, preprocess_options(options), fs=fs, memory=memory.preprocessor, sink=sink)
    watch.lap("preprocess")
    result = CompileResult(False, b"", None, sink.diagnostics, stream.trace, watch=watch)
    if sink.error_count > 0:
        return result
    reuse = None
    if results is not None and not options.print_all:
        reuse = Reuse(results, options, stream, source.name, sink, memory.reach)
    if reuse is not None and reuse.by_tokens(result):
        watch.lap("look up")
        return result
    watch.lap("look up")
    unit = parse(stream, memory=memory.syntax, sink=sink)
    watch.lap("parse")
    if sink.overflowed:
        return result
    language = Language(options.hlsl_version, options.enable_16bit_types, profile.partition("_")[0])
    if reuse is not None and sink.error_count == 0 and reuse.by_shape(
        unit, result, lambda chunks: is_faultless(unit, language, chunks, memory=memory.sema)
    ):  # fmt: skip
        watch.lap("look up")
        return result
    entries = _entries(entry, language.stage)
    program = analyze(unit, language, entries=entries, memory=memory.sema, sink=sink, exports=exports)
    check_exports(program, exports, sink)
    watch.lap("analyse")
    if language.stage != LIBRARY and language.stage not in STAGES and sink.error_count == 0:
        sink.error(lower_codes.STAGE_UNSUPPORTED, Location(source.name), profile=profile)
    elif not program.entries and language.stage != LIBRARY and sink.error_count == 0:
        sink.error(sema_codes.MISSING_ENTRY, Location(source.name), hint=f"there is no function '{entry}' with a body")
    if sink.error_count > 0 or (reuse is not None and reuse.by_reach(unit, result)):
        return result
    watch.lap("look up")
    features = Features(
        options.target_env, options.extensions, sink=sink, vulkan_memory_model=options.vulkan_memory_model
    )
    if options.vulkan_memory_model and program.entries:
        first = program.entries[0]
        features.request_env("vulkan1.1", "Vulkan Memory Model", Places(unit).locate(first.pos, first.chunk))
    if options.debug_rich and not options.debug_vulkan:
        sink.warning(compiler_codes.RICH_METHODS, None)
    builder = (DebugModuleBuilder if options.debug_line else ModuleBuilder)(version=features.env.version)
    builder.strict_ieee = options.ieee_strict
    try:
        lowering = lower(program, replace(options, exports=exports), builder, language.stage, features,
                         Sources(unit, stream.trace.files))
    except RecursionError:  # chains of operators that are not nested may still be too long for a walk
        sink.error(compiler_codes.TOO_LONG, Location(source.name))
        return result
    report(unit, lowering.messages, sink, in_order=True)
    result.interface = lowering.interface
    is_validated = options.validate != "no" and not options.codegen_only and not sink.error_count
    check_layouts(lowering.interface.blocks, unit, sink, is_validated=is_validated)
    places = Places(unit)
    result.interface.find = lambda declared: places.locate(*declared)
    for env, what, pos, chunk in lowering.env_requests:
        features.request_env(env, what, places.locate(pos, chunk))
    if sink.error_count > 0:
        return result
    pipeline.prepare(builder)
    module = builder.finalize()
    inline_types = frozenset(info.op for info in builder.types.values() if info.kind == "inline")
    if inline_types:
        merge_equal_types(module, inline_types)
    if options.exact_remainder:
        compute_remainders_exactly(module)
    pipeline.declare(module, features, place_of=partial(_place_of, builder, lowering, places))
    watch.lap("lower")
    if sink.error_count > 0:
        return result
    try:
        finish_module(result, module, lowering, options, sink, memory.clean)
    except EncodeError as error:
        sink.error(tool_codes.MODULE_TOO_LARGE, blame.place_of_excess(stream, entry), reason=str(error))
    if result.ok and result.module is not None and not options.codegen_only:
        collisions.check(result.module, result.interface, sink)
        result.ok = sink.error_count == 0
    watch.lap("check")
    if reuse is not None and later is not None:
        later.append(partial(reuse.keep, result, places))
    elif reuse is not None:
        reuse.keep(result, places)
        watch.lap("look up")
    if not result.ok:
        blame.name_shader(sink.diagnostics, stream.trace.files, entry)
    if not result.ok and (options.validate != "no" or not options.debug_line):  # else this is the second time
        blame.place_refusal(
            sink.diagnostics, stream.trace.files, options,
            again=lambda o: compile_shader(source, entry=entry, profile=profile, options=o, fs=fs, memory=memory),
        )  # fmt: skip
    return result


def _place_of(builder: ModuleBuilder, lowering: Lowering, places: Places, final_id: int) -> Location | None:
    """Return where a stage variable of the finished module gets its semantic; ``None`` for everything else."""
    for provisional, declared in lowering.positions.items():
        if builder.final_ids.get(provisional) == final_id:
            return places.locate(*declared)
    return None


def _entries(entry: str, stage: str) -> list[str]:
    return [entry] if stage != LIBRARY else []
