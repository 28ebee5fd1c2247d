"""Properties of a module and its options that decide which steps of the pipeline run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.passes.invocation_interlock import has_critical_sections
from hlsl_tool.codegen.passes.legalization import has_structs_of_handles
from hlsl_tool.codegen.passes.promote.volatile import spreads_volatile
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Capability, StorageClass
from hlsl_tool.spirv.ir import Module
from hlsl_tool.spirv.tools.optimizer import OptimizerOptions, optimize_flags

if TYPE_CHECKING:
    from hlsl_tool.codegen.lower.core.context import Lowering


@dataclass(frozen=True, slots=True)
class Requirements:
    """Properties of the HLSL program that its module does not show, such as whether legalisation is necessary."""

    inline_types: frozenset[int] = frozenset()
    """The opcodes of inline SPIR-V types."""
    has_long_vectors: bool = False
    float_comparisons: tuple[Location | None, ...] = ()
    """The locations of atomics that compare the bits of floats."""
    needs_legalization: bool = False
    flatten_structs: bool = False
    """Whether structs of resources, and arrays of such structs, become one variable for each resource."""
    has_local_resource_arrays: bool = False
    combined_image_samplers: tuple[tuple[int, int], ...] = ()
    """(descriptor set, binding) of the textures and samplers to combine."""


def requirements_of(lowering: Lowering, float_comparisons: tuple[Location | None, ...]) -> Requirements:
    """Return the properties of a lowered program that later steps need, but that its module does not show."""
    records = lowering.combined_image_samplers
    pairs = {(r.set, r.binding) for r in records if r.set is not None and r.binding is not None}
    return Requirements(
        inline_types=frozenset(info.op for info in lowering.b.types.values() if info.kind == "inline"),
        has_long_vectors=lowering.b.has_long_vectors,
        float_comparisons=float_comparisons,
        needs_legalization=lowering.b.needs_legalization,
        flatten_structs=lowering.flatten_resources,
        has_local_resource_arrays=lowering.local_resource_arrays,
        combined_image_samplers=tuple(sorted(pairs)),
    )


@dataclass(frozen=True, slots=True)
class Facts:
    """The properties of a module and its options that decide which steps run; the defaults are those of -fcgl."""

    upgrades_memory_model: bool = False
    codegen_only: bool = True
    """With -fcgl: only the memory model and descriptor heaps change what the lowering wrote."""
    is_library: bool = False
    """Whether the module is linked before it is legalised and optimised."""
    legalizes: bool = False
    """Whether the module is not legal for Vulkan, or an option selects a pass of legalisation."""
    flattens: bool = False
    """Whether arrays or structs of resources are split between legalisation and optimisation."""
    promotes: bool = False
    """Whether our own promotion replaces legalisation."""
    optimizes: bool = False
    has_alternative: bool = False
    """Whether promotion is tried if spirv-opt fails, although it does not preserve all."""
    has_optimizer: bool = True
    """Whether spirv-opt is installed."""

    @property
    def runs_spirv_opt(self) -> bool:
        """Whether spirv-opt legalises or optimises the module."""
        return self.has_optimizer and (self.optimizes or self.legalizes_by_spirv_opt)

    @property
    def legalizes_by_spirv_opt(self) -> bool:
        """Whether spirv-opt, and not promotion, legalises the module."""
        return self.legalizes and not self.promotes


def facts_of(module: Module, requirements: Requirements, options: CompileOptions, optimizer: OptimizerOptions) -> Facts:
    """Return the properties that decide which steps run; the module's capabilities must have been declared.

    ``optimizer`` has the options of spirv-opt.
    """
    upgrades = options.vulkan_memory_model or _declares_vulkan_memory_model(module)
    if options.codegen_only:
        return Facts(upgrades_memory_model=upgrades)
    if is_library(module, options):
        return Facts(upgrades_memory_model=upgrades, codegen_only=False, is_library=True)
    flattens = options.flatten_resource_arrays or requirements.flatten_structs or requirements.has_local_resource_arrays
    # These options are passes of legalisation; they apply to modules that are legal already, too.
    legalizes = (
        requirements.needs_legalization
        or flattens
        or optimizer.reduce_load_size
        or optimizer.fix_func_call_arguments
        or bool(optimizer.combined_image_samplers)
        or options.signature_packing == "optimized"
        or has_structs_of_handles(module)
        or has_critical_sections(module)
        or (options.validate != "no" and _passes_node_records(module))  # with -Vd as DXC, which inlines nothing
    )
    promotes = (legalizes or optimizer.level > 0) and not flattens and _is_promotable(module, options, optimizer)
    return Facts(
        upgrades_memory_model=upgrades,
        codegen_only=False,
        legalizes=legalizes,
        flattens=flattens,
        promotes=promotes,
        optimizes=bool(optimize_flags(optimizer)),
        has_alternative=options.debug_rich or spreads_volatile(module),
    )


def is_library(module: Module, options: CompileOptions) -> bool:
    """Return whether a module is to be linked, after which it is legalised and optimised.

    Before, spirv-opt would take variables of the module for those of a single function. Passes that the options select
    run nevertheless.
    """
    has_passes = options.reduce_load_size or options.fix_func_call_arguments or isinstance(options.optimize, tuple)
    return options.profile.startswith("lib") and not has_passes and has_linkage(module)


def has_linkage(module: Module) -> bool:
    """Return whether a module imports or exports functions or variables."""
    return any(inst.id(0) == Capability.Linkage for inst in module.capabilities)


def _is_promotable(module: Module, options: CompileOptions, optimizer: OptimizerOptions) -> bool:
    """Return whether our own passes can replace the legalisation of spirv-opt."""
    return not (
        optimizer.combined_image_samplers
        or optimizer.reduce_load_size
        or optimizer.fix_func_call_arguments
        or optimizer.print_all
        or isinstance(options.optimize, tuple)  # passes of the user expect the input of spirv-opt
        or options.signature_packing == "optimized"
        or options.debug_rich
        or has_node_records(module)
        or (spreads_volatile(module) and not optimizer.spread_volatile)
    )


def _declares_vulkan_memory_model(module: Module) -> bool:
    """Return whether the module declares the capability VulkanMemoryModel.

    Features such as volatile built-ins of ray tracing shaders declare it.
    """
    return any(inst.id(0) == Capability.VulkanMemoryModel for inst in module.capabilities)


def has_node_records(module: Module) -> bool:
    """Return whether a module has arrays of records of work graphs."""
    return any(inst.op == op.OpTypeNodePayloadArrayAMDX for inst in module.globals)


def _passes_node_records(module: Module) -> bool:
    """Return whether functions take pointers to records of work graphs, which only inlining makes legal."""
    if not has_node_records(module):
        return False
    pointers = {
        inst.result_id
        for inst in module.globals
        if inst.op == op.OpTypePointer and inst.id(0) == StorageClass.NodePayloadAMDX
    }
    return any(inst.type_id in pointers for function in module.functions for inst in function.parameters)
