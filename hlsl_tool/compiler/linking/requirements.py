"""The requirements of linked modules: of compiled ones they are recorded, of SPIR-V they are derived."""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.compiler.linking.unit import Unit
from hlsl_tool.compiler.pipeline.facts import Requirements
from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.analysis.kinds import ARRAYS, HANDLES
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Module


def requirements_of_module(module: Module) -> Requirements:
    """Return the requirements of a module whose source is not known."""
    index = ModuleIndex(module)
    variables = [inst for inst in module.globals if inst.op == op.OpVariable]
    constants = [inst for inst in variables if inst.operands[0] == StorageClass.UniformConstant]
    arrays = _arrays_of_handles(module)
    return Requirements(
        needs_legalization=True,
        flatten_structs=any(index.without_arrays(index.pointee(v)).op == op.OpTypeStruct for v in constants),
        has_local_resource_arrays=any(
            index.pointee(inst).result_id in arrays for inst in index.with_opcodes((op.OpVariable,))
        ),
    )


def _arrays_of_handles(module: Module) -> set[int]:
    """Return the ids of the arrays of resources, of the arrays of structs with resources, and of what contains them."""
    handles: set[int] = set()
    arrays: set[int] = set()
    for inst in module.globals:
        if inst.op in HANDLES:
            handles.add(inst.result_id)
        elif inst.op in ARRAYS and inst.operands[0] in handles:
            handles.add(inst.result_id)
            arrays.add(inst.result_id)
        elif inst.op == op.OpTypeStruct and not handles.isdisjoint(inst.operands):
            handles.add(inst.result_id)
            if not arrays.isdisjoint(inst.operands):
                arrays.add(inst.result_id)
    return arrays


def with_debug_information(options: CompileOptions, units: Iterable[Unit]) -> CompileOptions:
    """Return the options with the categories of debug information that the modules have, unless they name their own."""
    if options.debug_line:
        return options
    sets = {name for unit in units for name in unit.index.sets.values()}
    if shader_debug.SET in sets or opencl_debug.SET in sets:
        category = "vulkan" if shader_debug.SET in sets else "rich"
        return replace(options, debug=(*options.debug, category))
    has_lines = any(inst.op == op.OpLine for unit in units for f in unit.module.functions for inst in f.instructions())
    return replace(options, debug=(*options.debug, "line")) if has_lines else options


def joined_requirements(units: Iterable[Unit]) -> Requirements:
    """Return what the joined module requires: calls between modules must be inlined, the rest is that of any module."""
    each = [unit.requirements for unit in units]
    return Requirements(
        inline_types=frozenset[int]().union(*(r.inline_types for r in each)),
        has_long_vectors=any(r.has_long_vectors for r in each),
        needs_legalization=True,
        flatten_structs=any(r.flatten_structs for r in each),
        has_local_resource_arrays=any(r.has_local_resource_arrays for r in each),
        combined_image_samplers=tuple(sorted({pair for r in each for pair in r.combined_image_samplers})),
    )
