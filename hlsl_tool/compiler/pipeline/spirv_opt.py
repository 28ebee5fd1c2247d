"""The steps that call spirv-opt, and promotion, which replaces its legalisation."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.codegen.passes.descriptors.errors import Unflattened
from hlsl_tool.codegen.passes.masking import mask, unmask
from hlsl_tool.codegen.passes.promote import promote
from hlsl_tool.compiler.pipeline.facts import Requirements, has_node_records
from hlsl_tool.compiler.pipeline.form import form_of
from hlsl_tool.compiler.pipeline.subject import Declined, Failed, Subject
from hlsl_tool.compiler.validation import tool_path
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.ir import Module
from hlsl_tool.spirv.tools.locate import Tool, find_tool
from hlsl_tool.spirv.tools.optimizer import (
    Legalization,
    OptimizerOptions,
    inline_and_promote,
    legalize,
    optimize,
    upgrade_memory_model,
)


def optimizer_options(module: Module, options: CompileOptions, requirements: Requirements) -> OptimizerOptions:
    """Return the configuration of spirv-opt: the passes of the ``optimize`` option, and those that the module needs."""
    configured = OptimizerOptions(
        target_env=options.target_env,
        combined_image_samplers=requirements.combined_image_samplers,
        reduce_load_size=options.reduce_load_size,
        fix_func_call_arguments=options.fix_func_call_arguments,
        preserve_bindings=options.preserve_bindings,
        print_all=options.print_all,
        max_id=options.max_id,
    )
    if options.optimize == "none":
        configured.level = 0
    elif options.optimize == "size" and not has_node_records(module):  # -Os confuses records with their members
        configured.config = ("-Os", "--spread-volatile-semantics", "--compact-ids")
    elif isinstance(options.optimize, tuple):
        configured.config = options.optimize
    return configured


def _tool(subject: Subject) -> Tool:
    """Return spirv-opt; raise `Failed` if it is not installed."""
    tool = find_tool("spirv-opt", tool_path(subject.options, "spirv-opt"), sink=subject.sink)
    if tool is None:
        raise Failed
    return tool


def _replace(subject: Subject, words: bytes | None) -> None:
    """Replace the module by the output of spirv-opt; raise `Failed` if there is none."""
    if words is None:
        raise Failed
    subject.replace_module(decode(words))


def mask_unknown(subject: Subject) -> None:
    """Replace instructions that an old spirv-opt does not know by calls, until `unmask_unknown` restores them."""
    subject.mask = mask(subject.module, subject.index)


def unmask_unknown(subject: Subject) -> None:
    """Restore the instructions that `mask_unknown` has hidden."""
    assert subject.mask is not None
    unmask(subject.module, subject.mask)
    subject.mask = None


def upgrade(subject: Subject) -> None:
    """Upgrade the memory model to Vulkan's."""
    tool = _tool(subject)
    _replace(subject, upgrade_memory_model(encode(subject.module), subject.optimizer, tool=tool, sink=subject.sink))


def copy_module(subject: Subject) -> bool:
    """Store the encoded module, so that promotion can be tried if spirv-opt fails. Return False: it is unchanged."""
    subject.copy = encode(subject.module)
    return False


def promote_variables(subject: Subject) -> bool:
    """Replace the module by the promoted one; raise `Declined` if it must be left to spirv-opt."""
    options = subject.options
    has_scopes = options.debug_rich
    promoted, reason = promote(
        subject.module,
        keep_interface=options.preserve_interface,
        keep_bindings=options.preserve_bindings,
        cache=subject.functions,
        has_lines=options.debug_line and not has_scopes,
        has_scopes=has_scopes,
    )
    if promoted is None:
        raise Declined(reason)
    subject.replace_module(promoted)
    subject.optimizer = replace(subject.optimizer, form=form_of(subject.index), keep_ids=has_scopes)
    return False


def inlines_first(subject: Subject) -> bool:
    """Return whether variables are promoted before dead code is removed, so that their debug values are retained."""
    has_own_passes = isinstance(subject.options.optimize, tuple)  # those expect the module as it is
    is_changed = subject.facts.legalizes_by_spirv_opt or subject.optimizer.level > 0
    return subject.options.debug_rich and is_changed and not (has_own_passes or subject.facts.promotes)


def inline_calls(subject: Subject) -> None:
    """Inline calls and promote variables, and leave the dead code."""
    tool = _tool(subject)
    _replace(subject, inline_and_promote(encode(subject.module), subject.optimizer, tool=tool, sink=subject.sink))
    subject.optimizer = replace(subject.optimizer, keep_ids=True)


def legalize_first(subject: Subject) -> None:
    """Legalise the module, so that resources can be flattened before it is optimised."""
    subject.before = subject.module
    _replace(subject, legalize(encode(subject.module), subject.optimizer, tool=_tool(subject), sink=subject.sink))


def flatten(subject: Subject) -> None:
    """Replace arrays and structs of resources by a variable for each resource; raise `Failed` if that is impossible."""
    from hlsl_tool.codegen.passes.descriptors.flatten import flatten_descriptors  # start-up time

    arrays, composites = subject.options.flatten_resource_arrays, subject.requirements.flatten_structs
    try:
        flatten_descriptors(subject.module, arrays=arrays, composites=composites)
    except Unflattened as problem:
        subject.sink.error(codes.NOT_FLATTENED, None, name=problem.name, why=problem.why)
        raise Failed from None


def run_optimizer(subject: Subject) -> None:
    """Legalise and optimise the module, as far as it is necessary and requested."""
    before = subject.module
    legalization: Legalization = "none"
    if subject.facts.legalizes_by_spirv_opt:
        legalization = "begun" if subject.facts.flattens else "whole"
    words = optimize(
        encode(before), subject.optimizer, tool=_tool(subject), sink=subject.sink, legalization=legalization
    )
    _replace(subject, words)
    if not subject.facts.flattens:
        subject.before = before
