"""The stages of a compilation: preprocess, parse, analyse, lower, finish.

After each of the first three, the store is searched for an earlier result under the next key (`reuse`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import compiler as compiler_codes
from hlsl_tool.base.diagnostics.catalogue import lints as lint_codes
from hlsl_tool.base.diagnostics.catalogue import lower as lower_codes
from hlsl_tool.base.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.base.diagnostics.catalogue import tools as tool_codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.options.compile_options import HLSL_202X, CompileOptions
from hlsl_tool.base.source import FileSystem, SourceFile
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.debug_info import Sources
from hlsl_tool.codegen.lower.entry.stages import LIBRARY, STAGES
from hlsl_tool.codegen.lower.module import lower
from hlsl_tool.compiler.exporting import check_exports, export_names
from hlsl_tool.compiler.finishing import finish_module
from hlsl_tool.compiler.pipeline.facts import Requirements, requirements_of
from hlsl_tool.compiler.pipeline.journal import Journal
from hlsl_tool.compiler.pipeline.lowering import LOWERING, prepare
from hlsl_tool.compiler.pipeline.subject import Subject, run
from hlsl_tool.compiler.preprocessing import check_warning_names, preprocess_options, warning_options
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.compiler.stopwatch import Stopwatch
from hlsl_tool.frontend.preprocessor import TokenStream, preprocess
from hlsl_tool.frontend.sema.analysis import Places, analyze, is_faultless, report
from hlsl_tool.frontend.sema.checks.entries.stage_checks import shader_model
from hlsl_tool.frontend.sema.checks.reachable.checks import check_reachable
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import MAX_LONG_VECTOR, MAX_SHORT_VECTOR
from hlsl_tool.frontend.sema.scope.context import Language
from hlsl_tool.frontend.syntax.parser import SyntaxOptions, TranslationUnit, parse
from hlsl_tool.reflection.linking import collisions
from hlsl_tool.spirv.builder import ModuleBuilder, TooLarge
from hlsl_tool.spirv.encode import EncodeError
from hlsl_tool.spirv.features import Features
from hlsl_tool.spirv.ir import Module

if TYPE_CHECKING:
    from hlsl_tool.compiler.reuse import Results, Reuse


def language_of(options: CompileOptions) -> Language:
    """Return the options that affect the meaning of declarations."""
    stage = options.profile.partition("_")[0]
    max_vector = MAX_LONG_VECTOR if shader_model(options.profile) >= LONG_VECTORS else MAX_SHORT_VECTOR
    return Language(options.hlsl_version, options.enable_16bit_types, stage, max_vector, options.enable_8bit_types)


def syntax_options(options: CompileOptions) -> SyntaxOptions:
    """Return the options that affect parsing."""
    return SyntaxOptions(is_modern=options.hlsl_version >= HLSL_202X)


FEW_FUNCTIONS = 5
"""Up to this number, the functions of a shader without its entry point are listed."""
LONG_VECTORS = (6, 9)
"""The shader model that introduced vectors of more than four components."""


class Compilation:
    """The compilation of one shader: a method for each stage, and the data that stages pass to later ones.

    Each stage returns whether the next one must run; diagnostics are reported to the sink.
    """

    stream: TokenStream
    unit: TranslationUnit
    program: hir.Program
    places: Places
    features: Features
    lowering: Lowering
    module: Module
    requirements: Requirements
    result: CompileResult
    reuse: Reuse | None = None
    link_libraries: Callable[[Compilation], bool] | None = None
    """Joins the lowered module with the libraries of the options; ``None`` without any."""

    def __init__(self, source: SourceFile, options: CompileOptions, fs: FileSystem, memory: Memory) -> None:
        self.source = source
        self.options = options
        self.fs = fs
        self.memory = memory
        self.watch = Stopwatch()
        self.sink = Sink(warning_options(options), error_limit=options.error_limit)
        self.exports = export_names(options.exports, self.sink)
        self.language = language_of(options)
        self.journal = Journal() if options.print_steps else None

    def run(self, results: Results | None) -> bool:
        """Run the stages; return whether the last one ran, so that the result can be stored."""
        ran = (
            self.preprocess()
            and not self.find_by_tokens(results)
            and self.parse()
            and not self.find_by_shape()
            and self.analyse()
            and not self.find_by_reach()
            and self.lower()
            and self.prepare()
            and self.link()
            and self.finish()
        )
        if self.journal is not None:
            self.result.printed += self.journal.text()
        return ran

    def run_to_module(self) -> bool:
        """Run the stages up to the lowered module of a library; return whether there is one."""
        return self.preprocess() and self.parse() and self.analyse() and self.lower() and self.prepare()

    def preprocess(self) -> bool:
        """Run the preprocessor and create the result."""
        check_warning_names(self.options, self.sink)
        self.stream = preprocess(
            self.source, preprocess_options(self.options), fs=self.fs, memory=self.memory.preprocessor, sink=self.sink
        )
        self.watch.lap("preprocess")
        self.result = CompileResult(False, b"", None, self.sink.diagnostics, self.stream.trace, watch=self.watch)
        return self.sink.error_count == 0

    def find_by_tokens(self, results: Results | None) -> bool:
        """Look up the result under the token key (all tokens); return whether it was found."""
        if results is not None and not (self.options.print_all or self.options.print_steps):
            from hlsl_tool.compiler.reuse import Reuse  # start-up time

            self.reuse = Reuse(results, self.options, self.stream, self.source.name, self.sink, self.memory.reach)
        is_cached = self.reuse is not None and self.reuse.by_tokens(self.result)
        self.watch.lap("look up")
        return is_cached

    def parse(self) -> bool:
        """Parse the tokens; syntax errors do not prevent the analysis of other declarations."""
        self.unit = parse(self.stream, memory=self.memory.syntax, sink=self.sink, options=syntax_options(self.options))
        self.watch.lap("parse")
        return not self.sink.overflowed

    def find_by_shape(self) -> bool:
        """Look up the result before the analysis: if its shape key is cached, only changed bodies are analysed.

        The shape key is a hash of all tokens but those of function bodies (`reuse`). Return whether the result was
        found.
        """
        if self.reuse is None or self.sink.error_count:
            return False
        is_cached = self.reuse.by_shape(
            self.unit,
            self.result,
            lambda chunks: is_faultless(self.unit, self.language, chunks, memory=self.memory.sema),
        )
        if is_cached:
            self.watch.lap("look up")
        return is_cached

    def analyse(self) -> bool:
        """Analyse all declarations; check the entry point and the exports."""
        try:
            self._analyse()
        except RecursionError:  # long chains of `?:` need the stack of `with_deep_stack`
            self.memory.sema.clear_chunks()  # some are half analysed
            self.memory.sema.renewals.clear()
            self.sink.error(compiler_codes.TOO_LONG, Location(self.source.name))
        self.watch.lap("analyse")
        return self.sink.error_count == 0 and self._has_entry()

    def _analyse(self) -> None:
        entry, stage = self.options.entry, self.language.stage
        self.program = analyze(
            self.unit,
            self.language,
            entries=[entry] if stage != LIBRARY else [],
            memory=self.memory.sema,
            sink=self.sink,
            exports=self.exports,
            profile=self.options.profile,
        )
        check_exports(self.program, self.exports, self.sink)
        if not self.sink.error_count:
            found = check_reachable(
                self.program,
                self.language,
                self.options.profile,
                frozenset(self.exports),
                exports_all=self.options.default_linkage == "external",
            )
            report(self.unit, found, self.sink)

    def _has_entry(self) -> bool:
        """Report an error for a stage that cannot be compiled or an entry point that is missing."""
        entry, stage = self.options.entry, self.language.stage
        place = Location(self.source.name)
        if stage != LIBRARY and stage not in STAGES:
            self.sink.error(lower_codes.STAGE_UNSUPPORTED, place, profile=self.options.profile)
        elif not self.program.entries and stage != LIBRARY:
            hint = _missing_entry_hint(entry, self.program)
            self.sink.error(sema_codes.MISSING_ENTRY, place, hint=hint)
        return self.sink.error_count == 0

    def find_by_reach(self) -> bool:
        """Look up the result under the reach key (the reachable tokens); return whether it was found."""
        if self.reuse is not None and self.reuse.by_reach(self.unit, self.result):
            return True
        self.watch.lap("look up")
        return False

    def lower(self) -> bool:
        """Lower the program to SPIR-V; check block layouts, and the features that the module requires."""
        options, sink = self.options, self.sink
        self.places = places = Places(self.unit)
        self.features = features = self._features()
        builder = self._builder(features.env.version)
        builder.strict_ieee = options.ieee_strict
        builder.precise_calls = not options.codegen_only
        sources = Sources(self.unit.chunks, self.unit.bases, self._locate(), self.stream.trace.files)
        try:
            self.lowering = lower(
                self.program,
                options if options.exports == self.exports else replace(options, exports=self.exports),
                builder,
                self.language.stage,
                features,
                sources,
                self.memory.symbols,
            )
        except RecursionError:  # chains of operators that are not nested may still be too long for a walk
            sink.error(compiler_codes.TOO_LONG, Location(self.source.name))
            return False
        except TooLarge as excess:  # a name in debug information
            self._report_excess(excess)
            return False
        report(self.unit, self.lowering.messages, sink, in_order=True)
        interface = self.result.interface = self.lowering.interface
        is_validated = options.validate != "no" and not options.codegen_only and not sink.error_count
        if interface.blocks:
            from hlsl_tool.compiler.layout_checks import check_layouts  # start-up time

            check_layouts(interface.blocks, self.unit, sink, is_validated=is_validated)
        if any(map(sink.may_warn, lint_codes.ALL)):
            from hlsl_tool.frontend.lints.check import check_program  # start-up time

            report(self.unit, check_program(self.program, self.language.stage, sink), sink)
        interface.find = lambda declared: places.locate(*declared)
        for env, feature, pos, chunk in self.lowering.env_requests:
            features.request_env(env, feature, places.locate(pos, chunk))
        return sink.error_count == 0

    def _locate(self) -> Callable[[int], Location]:
        """Return the function that locates tokens for debug information; under ``-fcgl`` its columns equal DXC's."""
        if not self.options.codegen_only:
            return self.stream.locate
        from hlsl_tool.frontend.preprocessor.printed_places import PrintedPlaces  # start-up time

        return PrintedPlaces(self.stream).locate

    def _builder(self, version: tuple[int, int]) -> ModuleBuilder:
        if not self.options.debug_line:
            return ModuleBuilder(version=version)
        from hlsl_tool.spirv.builder.debugging import DebugModuleBuilder  # start-up time

        return DebugModuleBuilder(version=version)

    def _features(self) -> Features:
        options = self.options
        features = Features(
            options.target_env, options.extensions, sink=self.sink, vulkan_memory_model=options.vulkan_memory_model
        )
        if options.vulkan_memory_model and self.program.entries:
            first = self.program.entries[0]
            place = self.places.locate(first.pos, first.chunk)
            features.request_env("vulkan1.1", "Vulkan Memory Model", place)
        if options.debug_rich and not options.debug_vulkan:
            self.sink.warning(compiler_codes.RICH_METHODS, None)
        return features

    def prepare(self) -> bool:
        """Assign final ids, and declare the module's capabilities and extensions."""
        builder = self.lowering.b
        prepare(builder)
        self.module = builder.finalize()
        comparisons = tuple(self.places.locate(*at) for at in self.lowering.float_comparisons)
        self.requirements = requirements_of(self.lowering, comparisons)
        run(LOWERING, self._subject())
        self.watch.lap("lower")
        return self.sink.error_count == 0

    def _subject(self) -> Subject:
        return Subject(
            self.module,
            self.options,
            self.requirements,
            features=self.features,
            locate=self._place_of,
            journal=self.journal,
        )

    def _place_of(self, final_id: int) -> Location | None:
        """Return the location of the semantic of a stage variable, given by its final id; ``None`` for other ids."""
        for provisional, declared in self.lowering.positions.items():
            if self.lowering.b.final_ids.get(provisional) == final_id:
                return self.places.locate(*declared)
        return None

    def link(self) -> bool:
        """Join the module with the libraries that the options name."""
        if self.link_libraries is None:
            return True
        is_linked = self.link_libraries(self)
        self.watch.lap("link")
        return is_linked

    def finish(self) -> bool:
        """Legalise, optimise and validate the module."""
        result = self.result
        try:
            memory, journal = self.memory, self.journal
            finish_module(result, self.module, self.requirements, self.options, self.sink, memory, journal)
        except EncodeError as error:
            self._report_excess(error)
        self.lowering.release()
        if result.ok and result.module is not None and not self.options.codegen_only:
            collisions.check(result.module, result.interface, self.sink)
            result.ok = self.sink.error_count == 0
        self.watch.lap("check")
        return True

    def _report_excess(self, error: ValueError) -> None:
        from hlsl_tool.compiler import blame  # start-up time

        place = blame.place_of_excess(self.stream, self.options.entry)
        self.sink.error(tool_codes.MODULE_TOO_LARGE, place, reason=str(error))

    def store(self, later: list[Callable[[], None]] | None) -> None:
        """Store the result for later compilations: now, or when the caller runs the function appended to ``later``."""
        if self.reuse is None:
            return
        if later is not None:
            later.append(partial(self.reuse.store, self.result, self.places))
        else:
            self.reuse.store(self.result, self.places)
            self.watch.lap("look up")


def _missing_entry_hint(entry: str, program: hir.Program) -> str:
    """Return the hint for an entry point that does not exist: a similar function, or all of a few functions."""
    from hlsl_tool.base.similar import most_similar  # start-up time

    functions = list(dict.fromkeys(f.name for f in program.functions if f.has_body and f.owner is None))
    near = most_similar(entry, functions)
    hint = f"there is no function '{entry}' with a body"
    if near is not None:
        return f"{hint}; did you mean '{near}'?"
    if 0 < len(functions) <= FEW_FUNCTIONS:
        return f"{hint}; the shader defines {', '.join(map(repr, functions))}"
    return hint
