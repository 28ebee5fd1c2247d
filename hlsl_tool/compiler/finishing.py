"""Finish a lowered module: legalise, optimise and validate it with SPIRV-Tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.catalogue import compiler as codes
from hlsl_tool.base.diagnostics.catalogue import layout as layout_codes
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.codegen.passes.capabilities.trim import trim_capabilities
from hlsl_tool.codegen.passes.legality import find_illegal
from hlsl_tool.codegen.passes.promote.program import inlined_size
from hlsl_tool.codegen.passes.promote.volatile import spreads_volatile
from hlsl_tool.compiler.finished_modules import Slot, key_of
from hlsl_tool.compiler.illegal import report_illegal
from hlsl_tool.compiler.pipeline.facts import Facts, Requirements, facts_of, is_library
from hlsl_tool.compiler.pipeline.journal import Journal
from hlsl_tool.compiler.pipeline.spirv_opt import optimizer_options
from hlsl_tool.compiler.pipeline.steps import choose_steps
from hlsl_tool.compiler.pipeline.subject import Declined, Failed, Subject, run
from hlsl_tool.compiler.validation import Validation, complain, tool_path, validated, validated_library
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.ir import Module
from hlsl_tool.spirv.tools.locate import INSTALL, find_tool

if TYPE_CHECKING:
    from hlsl_tool.compiler.result import CompileResult, Memory


def finish_module(
    result: CompileResult,
    module: Module,
    requirements: Requirements,
    options: CompileOptions,
    sink: Sink,
    memory: Memory,
    journal: Journal | None = None,
) -> None:
    """Legalise, optimise and validate a module, and store it in ``spirv`` and ``module`` of the result.

    After an error these remain empty.  ``memory`` caches finished modules and promoted functions; ``journal`` records
    the steps.
    """
    cache = memory.finished
    slot = Slot(cache, key_of(module, requirements, options) if cache is not None else None)
    cached = slot.get()
    if cached is not None:
        result.ok, result.spirv, result.module = True, cached, decode(cached)
        return
    optimizer = optimizer_options(module, options, requirements)
    functions = memory.functions
    subject = Subject(
        module, options, requirements, sink=sink, functions=functions, optimizer=optimizer, journal=journal
    )
    reported = len(sink.diagnostics)
    _finish(result, subject, sink, slot)
    if result.ok and len(sink.diagnostics) == reported:
        slot.put(result.spirv)


def _finish(result: CompileResult, subject: Subject, sink: Sink, slot: Slot) -> None:
    options = subject.options
    validation = Validation(options)
    try:
        finished = _finished(subject, validation)
    except Failed:
        return
    if not _bounded(finished.module, options, sink):
        return
    data = encode(finished.module)
    result.watch.lap("optimise")
    if not options.codegen_only:
        result.printed = "".join(subject.optimizer.printed)
    if options.validate != "no" and not (slot.is_valid(data) or _is_valid(finished, data, validation, sink)):
        return
    result.watch.lap("validate")
    result.ok, result.spirv, result.module = sink.error_count == 0, data, finished.module


def _finished(subject: Subject, validation: Validation) -> Subject:
    """Return the module legalised and optimised as far as necessary and requested; raise `Failed` after an error.

    Spirv-opt handles rich debug information and volatile built-ins, but it legalises less than our own passes, and it
    takes minutes for large modules with rich debug information.  For these, and if it fails, our passes are tried; the
    last attempt reduces debug information to lines.
    """
    facts = facts_of(subject.module, subject.requirements, subject.options, subject.optimizer)
    if not facts.has_alternative:
        _run_steps(facts, subject)
        return subject
    if _is_large(subject):
        promoted = _promoted_with_scopes(encode(subject.module), subject, validation, facts)
        if promoted is not None:
            return promoted
    first = replace(subject, sink=Sink())
    failed = False
    try:
        _run_steps(facts, first)
    except Failed:
        failed = True
    if failed or _is_illegal(first) or _is_broken(first, validation):
        if subject.journal is not None:
            subject.journal.note("spirv-opt leaves the module illegal: promotion is tried on the copy")
        upgraded = replace(facts, upgrades_memory_model=False)
        other = _promoted_with_scopes(first.copy, subject, validation, upgraded) if first.copy else None
        if other is not None:
            return other
        other = _promoted(first.copy, subject, validation) if first.copy else None
        if other is not None and subject.options.debug_rich:
            subject.sink.warning(codes.DEBUG_INFO_REDUCED, None, hint=_reason(first.sink))
        if other is not None:
            return other
    for diagnostic in first.sink.diagnostics:
        subject.sink.report(diagnostic)
    if failed:
        raise Failed
    return first


def _reason(sink: Sink) -> str | None:
    """Return the error that spirv-opt ended with, such as an exceeded limit of time; ``None`` without one."""
    return next((diagnostic.message for diagnostic in sink.diagnostics if diagnostic.severity == "error"), None)


def _run_steps(facts: Facts, subject: Subject) -> None:
    """Run the steps of the pipeline that a module with these properties needs; raise `Failed` after an error.

    If promotion declines the module, start again with the legalisation of spirv-opt. If spirv-opt is missing and only
    optimises, warn.
    """
    try:
        subject.facts = _with_optimizer(facts, subject)
        run(choose_steps(subject.facts), subject)
    except Declined as reason:
        if subject.journal is not None:
            subject.journal.note(f"promotion declines the module ({reason}): the stages start again without it")
        facts = replace(facts, upgrades_memory_model=False, promotes=False)  # the upgrade is done
        subject.facts = _with_optimizer(facts, subject)
        run(choose_steps(subject.facts), subject)
    if not subject.facts.has_optimizer:
        subject.sink.warning(codes.NOT_CHECKED, None, tools="spirv-opt", what="optimized", install=INSTALL)


def _with_optimizer(facts: Facts, subject: Subject) -> Facts:
    """Return ``facts``, without an optimiser if spirv-opt is not installed; raise `Failed` if it is necessary."""
    options = subject.options
    # An optimisation that the user named must run; that of the default may be left out with a warning
    is_necessary = facts.legalizes_by_spirv_opt or options.optimize != "performance" or bool(options.spirv_tools)
    if not facts.runs_spirv_opt or find_tool(
        "spirv-opt", tool_path(options, "spirv-opt"), sink=subject.sink if is_necessary else None
    ):
        return facts
    if is_necessary:
        raise Failed
    return replace(facts, has_optimizer=False)


LARGE = 25_000
"""Instructions after inlining above which promotion is preferred to spirv-opt for rich debug information.

Inlining copies all local variables with their debug instructions. spirv-opt reads all debug instructions of the module
level whenever it removes a variable, and so takes quadratic time: as long as promotion at 20,000 instructions, three to
five times as long at 55,000, and more than a minute for shaders that promotion takes 4 seconds for.
"""


def _is_large(subject: Subject) -> bool:
    """Return whether a module with rich debug information becomes so large by inlining that spirv-opt takes minutes."""
    return subject.options.debug_rich and inlined_size(subject.module) > LARGE


def _promoted_with_scopes(data: bytes, subject: Subject, validation: Validation, facts: Facts) -> Subject | None:
    """Return a module legalised by our own passes, with its scopes and variables; ``None`` if they decline or fail."""
    module, options = decode(data), subject.options
    from hlsl_tool.codegen.passes.promote.scopes import has_scopes  # start-up time

    if not (options.debug_rich and has_scopes(module)):
        return None
    upgrades = facts.upgrades_memory_model
    facts = facts_of(module, subject.requirements, replace(options, debug=("line",)), subject.optimizer)
    facts = replace(facts, upgrades_memory_model=upgrades, has_alternative=False)
    other = replace(subject, module=module, sink=Sink(), _index=None)
    if not facts.promotes:
        return None
    try:
        other.facts = _with_optimizer(facts, other)
        run(choose_steps(other.facts), other)
    except (Failed, Declined):
        return None
    is_refused = options.validate != "no" and not validation.accepts(other.module)
    return None if is_refused or _is_illegal(other) else other


def _promoted(data: bytes, subject: Subject, validation: Validation) -> Subject | None:
    """Return a module legalised by our own passes, without rich debug information; ``None`` if they fail."""
    module, options, optimizer = decode(data), subject.options, subject.optimizer
    if options.debug_rich:
        from hlsl_tool.codegen.passes.debug_info.reduction import reduce_to_lines  # start-up time

        reduce_to_lines(module)
        options = replace(options, debug=("line",))
    if spreads_volatile(module):
        from hlsl_tool.codegen.passes.volatile_inputs import separate_volatile_inputs  # start-up time

        separate_volatile_inputs(module)
        optimizer = replace(optimizer, spread_volatile=True)
    other = replace(subject, module=module, options=options, optimizer=optimizer, sink=Sink(), _index=None)
    facts = facts_of(module, subject.requirements, options, optimizer)
    try:
        _run_steps(replace(facts, upgrades_memory_model=False, has_alternative=False), other)
    except Failed:
        return None
    if _is_illegal(other) or (options.validate != "no" and not validation.accepts(other.module)):
        return None
    return other


def _is_illegal(subject: Subject) -> bool:
    """Return whether a module has a construct that Vulkan forbids, such as a local variable of a resource type."""
    return find_illegal(subject.module, subject.index, variable_offsets=subject.options.variable_offsets) is not None


def _is_broken(subject: Subject, validation: Validation) -> bool:
    """Return whether spirv-val rejects a module that has rich debug information and is to be validated."""
    options = subject.options
    return options.debug_rich and options.validate != "no" and not validation.accepts(subject.module)


def _is_valid(finished: Subject, data: bytes, validation: Validation, sink: Sink) -> bool:
    """Return whether the finished module is legal for Vulkan and valid, or report why not."""
    options = validation.options
    if not options.codegen_only:
        if is_library(finished.module, options):
            return validated_library(data, options, sink)
        is_illegal = report_illegal(
            finished.index, sink, lambda: complain(data, options), variable_offsets=options.variable_offsets
        )
        return not is_illegal and validation.run(data, sink)
    if not _is_misplaced(finished.requirements, sink):
        return True
    trimmed = decode(data)
    trim_capabilities(trimmed)  # old validators lack some capabilities that are declared in advance
    return validated(encode(trimmed), options, sink)


def _is_misplaced(requirements: Requirements, sink: Sink) -> bool:
    """Return whether a layout check has found a misaligned member, so that even output of -fcgl must be validated.

    False for a module that needs legalisation: spirv-val would stop at instructions that legalisation removes.
    """
    misplaced = any(diagnostic.code is layout_codes.OFFSET_ALIGNMENT for diagnostic in sink.diagnostics)
    return misplaced and not requirements.needs_legalization


def _bounded(module: Module, options: CompileOptions, sink: Sink) -> bool:
    """Return whether all ids are below ``max_id``, else report an error.

    Spirv-val supports no limit below ``MAX_ID``.
    """
    if module.bound - 1 <= options.max_id:
        return True
    sink.error(codes.ID_BOUND, None, highest=module.bound - 1, limit=options.max_id)
    return False
