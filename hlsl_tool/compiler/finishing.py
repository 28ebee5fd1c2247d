"""Finish a lowered module: legalise, optimise and validate it with SPIRV-Tools."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hlsl_tool.compiler.illegal import report_illegal
from hlsl_tool.compiler.validation import Validation, complain, tool_path, validated
from hlsl_tool.diagnostics import Sink
from hlsl_tool.diagnostics.catalogue import compiler as codes
from hlsl_tool.diagnostics.catalogue import layout as layout_codes
from hlsl_tool.diagnostics.catalogue import tools as tool_codes
from hlsl_tool.options.model import CompileOptions
from hlsl_tool.passes import pipeline
from hlsl_tool.passes.capabilities.trim import trim_capabilities
from hlsl_tool.passes.descriptors.errors import Unflattened
from hlsl_tool.passes.invocation_interlock import has_critical_sections
from hlsl_tool.passes.legality import find_illegal
from hlsl_tool.passes.legalization import has_structs_of_handles
from hlsl_tool.passes.masking import mask, unmask
from hlsl_tool.passes.pipeline import Subject
from hlsl_tool.passes.promote import promote
from hlsl_tool.passes.promote.volatile import spreads_volatile
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.enums import Capability, LoopControl, StorageClass
from hlsl_tool.spirv.ir import Module
from hlsl_tool.system.dataclass import replace
from hlsl_tool.tools.locate import INSTALL, Tool, find_tool
from hlsl_tool.tools.optimizer import (
    Form,
    OptimizerOptions,
    Rewrite,
    inline_and_promote,
    optimize,
    optimize_flags,
    upgrade_memory_model,
)

if TYPE_CHECKING:
    from hlsl_tool.compiler.result import CompileResult
    from hlsl_tool.lower.core.context import Lowering
    from hlsl_tool.passes.promote.function_cache import FunctionCache


def optimizer_options(options: CompileOptions, lowering: Lowering) -> OptimizerOptions:
    """Return the options for spirv-opt: the passes of the ``optimize`` option, and those that the module requires."""
    pairs = {
        (r.set, r.binding) for r in lowering.combined_image_samplers if r.set is not None and r.binding is not None
    }
    o = OptimizerOptions(
        target_env=options.target_env,
        combined_image_samplers=tuple(sorted(pairs)),
        reduce_load_size=options.reduce_load_size,
        fix_func_call_arguments=options.fix_func_call_arguments,
        preserve_bindings=options.preserve_bindings,
        print_all=options.print_all,
        max_id=options.max_id,
    )
    if options.optimize == "none":
        o.level = 0
    elif options.optimize == "size":
        o.config = ("-Os", "--spread-volatile-semantics", "--compact-ids")
    elif isinstance(options.optimize, tuple):
        o.config = options.optimize
    return o


def finish_module(
    result: CompileResult,
    module: Module,
    lowering: Lowering,
    options: CompileOptions,
    sink: Sink,
    functions: FunctionCache,
) -> None:
    """Legalise, optimise and validate a module, and store it in ``spirv`` and ``module`` of the result.

    After an error these remain empty.  ``functions`` caches promoted functions.
    """
    requested = optimizer_options(options, lowering)
    validation = Validation(options)
    finished: Subject | None = Subject(module, options)
    if options.vulkan_memory_model or _needs_vulkan_memory_model(module):
        finished = _in_vulkan_memory_model(module, requested, options, sink)
    if finished is not None and options.codegen_only:
        pipeline.run(pipeline.DESCRIPTOR_HEAPS, finished)
    elif finished is not None:
        finished = _optimized(finished.module, requested, lowering, validation, sink, functions)
    if finished is None or not _bounded(finished.module, options, sink):
        return
    data = encode(finished.module)
    result.watch.lap("optimise")
    if not options.codegen_only:
        result.printed = "".join(requested.printed)
        if options.validate != "no" and report_illegal(
            finished.index, sink, lambda: complain(data, options), variable_offsets=options.variable_offsets
        ):
            return
        if options.validate != "no" and not validation.run(data, sink):
            return
    elif options.validate != "no" and _is_misplaced(lowering, sink):
        trimmed = decode(data)
        trim_capabilities(trimmed)  # old validators lack some capabilities that are declared in advance
        if not validated(encode(trimmed), options, sink):
            return
    result.watch.lap("validate")
    result.ok, result.spirv, result.module = sink.error_count == 0, data, finished.module


def _is_misplaced(lowering: Lowering, sink: Sink) -> bool:
    """Return whether a member has an offset that violates the alignment rules, which no later pass can repair.

    Modules that need legalisation are excluded: the validator would complain about instructions that legalisation
    removes.
    """
    misplaced = any(diagnostic.code is layout_codes.OFFSET_ALIGNMENT for diagnostic in sink.diagnostics)
    return misplaced and not lowering.b.needs_legalization


def _in_vulkan_memory_model(
    module: Module, requested: OptimizerOptions, options: CompileOptions, sink: Sink
) -> Subject | None:
    subject = Subject(module, options)
    pipeline.run(pipeline.BEFORE_ANY_TOOL, subject)
    optimizer = find_tool("spirv-opt", tool_path(options, "spirv-opt"), sink=sink)
    if optimizer is None:
        return None
    masked = mask(module, subject.index)
    upgraded = upgrade_memory_model(encode(module), requested, tool=optimizer, sink=sink)
    if upgraded is None:
        return None
    module = decode(upgraded)
    unmask(module, masked)
    subject = Subject(module, options)
    pipeline.run(pipeline.AFTER_UPGRADE, subject)
    return subject


def _optimized(
    module: Module,
    requested: OptimizerOptions,
    lowering: Lowering,
    validation: Validation,
    sink: Sink,
    functions: FunctionCache,
) -> Subject | None:
    """Legalise and optimise the module as far as necessary and requested; return ``None`` after an error.

    Only spirv-opt preserves rich debug information and handles volatile built-ins, but it legalises less than our own
    passes.  If it fails, our passes are tried, with debug information reduced to lines.
    """
    options = validation.options
    if not options.debug_rich and not spreads_volatile(module):
        return _legalized(module, requested, lowering, options, sink, functions)
    data, heard = encode(module), Sink()
    legalized = _legalized(module, requested, lowering, options, heard, functions)
    if legalized is None or _illegal(legalized, options) or _is_broken(legalized, validation):
        other = _promoted(decode(data), requested, lowering, validation, functions)
        if other is not None and options.debug_rich:
            sink.warning(codes.DEBUG_INFO_REDUCED, None)
        if other is not None:
            return other
    for diagnostic in heard.diagnostics:
        sink.report(diagnostic)
    return legalized


def _illegal(subject: Subject, options: CompileOptions) -> bool:
    """Return whether a module uses a resource in a way that Vulkan does not allow."""
    return find_illegal(subject.module, subject.index, variable_offsets=options.variable_offsets) is not None


def _is_broken(subject: Subject, validation: Validation) -> bool:
    """Return whether the validator rejects a module with rich debug information.

    Only checked if the options require it.
    """
    options = validation.options
    if not options.debug_rich or options.validate == "no" or options.codegen_only:
        return False
    return not validation.accepts(subject.module)


def _promoted(
    module: Module, requested: OptimizerOptions, lowering: Lowering, validation: Validation, functions: FunctionCache
) -> Subject | None:
    """Return the module legalised by our own passes, without rich debug information; ``None`` if they fail."""
    options = validation.options
    if options.debug_rich:
        from hlsl_tool.passes.debug_info.lines import reduce_to_lines  # start-up time

        reduce_to_lines(module)
        options = replace(options, debug=("line",))
    if spreads_volatile(module):
        from hlsl_tool.passes.volatile_inputs import separate_volatile_inputs  # start-up time

        separate_volatile_inputs(module)
        requested = replace(requested, spread_volatile=True)
    legalized = _legalized(module, requested, lowering, options, Sink(), functions)
    if legalized is None or _illegal(legalized, options):
        return None
    if options.validate != "no" and not validation.accepts(legalized.module):
        return None
    return legalized


def _legalized(
    module: Module,
    requested: OptimizerOptions,
    lowering: Lowering,
    options: CompileOptions,
    sink: Sink,
    functions: FunctionCache,
) -> Subject | None:
    """Return the module legalised by our own passes or by spirv-opt; ``None`` after an error."""
    flatten = options.flatten_resource_arrays or lowering.flatten_resources or lowering.local_resource_arrays
    # These options are passes of legalisation; they apply to modules that are legal already, too.
    legalize = (
        lowering.b.needs_legalization
        or flatten
        or requested.reduce_load_size
        or requested.fix_func_call_arguments
        or bool(requested.combined_image_samplers)
        or options.signature_packing == "optimized"
        or has_structs_of_handles(module)
        or has_critical_sections(module)
        or (options.validate != "no" and _passes_node_records(module))  # with -Vd as DXC, which inlines nothing
    )
    subject = Subject(module, options)
    if options.optimize == "size" and _has_node_records(module):
        requested = replace(requested, config=())  # -Os of spirv-opt confuses records with their members
    can_promote = (legalize or requested.level) and not flatten and _is_promotable(module, requested, options)
    if can_promote and _promote(subject, functions):
        legalize = False
        pipeline.run(pipeline.AFTER_PROMOTION, subject)
        requested = replace(requested, form=_form(subject.index))
    else:
        pipeline.run(pipeline.BEFORE_ANY_TOOL, subject)
    if legalize or optimize_flags(requested):
        asked_for = legalize or options.optimize != "performance" or bool(options.spirv_tools)
        optimizer = find_tool("spirv-opt", tool_path(options, "spirv-opt"), sink=sink if asked_for else None)
        if optimizer is None and asked_for:
            return None
        rewrite = partial(_flattened, lowering=lowering, options=options, sink=sink) if flatten else None
        if optimizer is None:
            sink.warning(codes.NOT_CHECKED, None, tools="spirv-opt", what="optimized", install=INSTALL)
        elif not _run_optimizer(subject, requested, optimizer, sink, legalize=legalize, rewrite=rewrite):
            return None
    pipeline.run(pipeline.LAST, subject)
    return subject


def _promote(subject: Subject, functions: FunctionCache) -> bool:
    """Replace the module by its SSA form; return False if only spirv-opt can legalise it."""
    options = subject.options
    promoted, _ = promote(
        subject.module,
        keep_interface=options.preserve_interface,
        keep_bindings=options.preserve_bindings,
        cache=functions,
        has_lines=options.debug_line,
    )
    if promoted is not None:
        subject.replace_module(promoted)
    return promoted is not None


def _run_optimizer(
    subject: Subject,
    requested: OptimizerOptions,
    optimizer: Tool,
    sink: Sink,
    *,
    legalize: bool,
    rewrite: Rewrite | None,
) -> bool:
    """Legalise and optimise the module with spirv-opt; return False after an error."""
    if legalize:
        pipeline.run(pipeline.BEFORE_LEGALIZATION, subject)
    pipeline.run(pipeline.BEFORE_OPTIMIZER, subject)
    masked = mask(subject.module, subject.index)
    has_own_passes = isinstance(subject.options.optimize, tuple)  # those expect the module as it is
    if subject.options.debug_rich and (legalize or requested.level) and not has_own_passes:
        promoted = inline_and_promote(encode(subject.module), requested, tool=optimizer, sink=sink)
        if promoted is None:
            return False
        subject.replace_module(decode(promoted))
        requested = replace(requested, keep_ids=True)
    words = optimize(
        encode(subject.module), requested, tool=optimizer, sink=sink, legalize_first=legalize, rewrite=rewrite
    )
    if words is None:
        return False
    subject.before = subject.module
    subject.replace_module(decode(words))
    unmask(subject.module, masked)
    pipeline.run(pipeline.AFTER_OPTIMIZER, subject)
    return True


def _form(index: ModuleIndex) -> Form:
    """Return the kind of variables that a promoted module still has; it determines the useful passes of spirv-opt."""
    if any(inst.id(2) & LoopControl.Unroll for inst in index.with_opcodes((op.OpLoopMerge,))):
        return "any"
    variables = (inst for inst in index.module.globals if inst.op == op.OpVariable)
    has_private = any(inst.id(0) == StorageClass.Private for inst in variables)
    return "memory" if has_private or op.OpVariable in index.by_opcode else "ssa"


def _is_promotable(module: Module, requested: OptimizerOptions, options: CompileOptions) -> bool:
    """Return whether our own passes can replace the legalisation by spirv-opt."""
    return not (
        requested.combined_image_samplers
        or requested.reduce_load_size
        or requested.fix_func_call_arguments
        or requested.print_all
        or isinstance(options.optimize, tuple)  # passes of the user expect the input of spirv-opt
        or options.signature_packing == "optimized"
        or options.debug_rich
        or _has_node_records(module)
        or (spreads_volatile(module) and not requested.spread_volatile)
    )


def _has_node_records(module: Module) -> bool:
    """Return whether a module contains arrays of work graph records."""
    return any(inst.op == op.OpTypeNodePayloadArrayAMDX for inst in module.globals)


def _passes_node_records(module: Module) -> bool:
    """Return whether functions have parameters that point to work graph records, which only inlining makes legal."""
    if not _has_node_records(module):
        return False
    pointers = {
        inst.result_id
        for inst in module.globals
        if inst.op == op.OpTypePointer and inst.id(0) == StorageClass.NodePayloadAMDX
    }
    return any(inst.type_id in pointers for function in module.functions for inst in function.parameters)


def _flattened(data: bytes, *, lowering: Lowering, options: CompileOptions, sink: Sink) -> bytes | None:
    """Split arrays and structs of resources in a legalised module, as requested; return ``None`` after an error."""
    subject = Subject(decode(data), options, flatten_structs=lowering.flatten_resources)
    try:
        pipeline.run(pipeline.BETWEEN_OPTIMIZERS, subject)
    except Unflattened as problem:
        sink.error(tool_codes.NOT_FLATTENED, None, name=problem.name, why=problem.why)
        return None
    return encode(subject.module)


def _needs_vulkan_memory_model(module: Module) -> bool:
    """Return whether a feature, such as volatile ray tracing built-ins, declared the Vulkan memory model."""
    return any(inst.id(0) == Capability.VulkanMemoryModel for inst in module.capabilities)


def _bounded(module: Module, options: CompileOptions, sink: Sink) -> bool:
    """Return whether all ids are below ``max_id``, else report an error.

    Spirv-val supports no limit below ``MAX_ID``.
    """
    if module.bound - 1 <= options.max_id:
        return True
    sink.error(codes.ID_BOUND, None, highest=module.bound - 1, limit=options.max_id)
    return False
