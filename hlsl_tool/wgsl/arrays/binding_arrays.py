"""Choose the arrays of resources that become WGSL's `binding_array`, by option.

`binding_array` is no part of WebGPU yet. Chrome (Dawn) has it for sampled textures behind a flag, with indices that are
uniform; wgpu (naga) has it for textures, samplers and storage buffers, in groups without uniform buffers. Other arrays
become variables for each element.
"""

from __future__ import annotations

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ARRAYS
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import Decoration, Dim, StorageClass
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.arrays.paths import ResourceArray
from hlsl_tool.wgsl.arrays.words import Words
from hlsl_tool.wgsl.module.texture_uses import compared_and_read
from hlsl_tool.wgsl.module.uses import root_of
from hlsl_tool.wgsl.module.view import View

GROUPS = 4
"""The number of groups that every device has, to which `bindings: compact` moves the others."""

_DIMENSIONS = frozenset((Dim.Dim1D, Dim.Dim2D, Dim.Dim3D, Dim.Cube))


def choose_binding_arrays(
    view: View, functions: list[Function], arrays: dict[int, ResourceArray], words: Words, options: CompileOptions
) -> None:
    """Record the chosen arrays in `View.binding_arrays`, and remove them from ``arrays``.

    ``words`` are the arrays that replace those with one binding.
    """
    unbounded, naga = options.wgsl_unbounded_arrays, options.wgsl_naga
    last = GROUPS - 1 if options.wgsl_bindings == "compact" else 1 << 31
    with_uniforms = {
        min(view.literal(inst.result_id, Decoration.DescriptorSet) or 0, last)
        for inst in view.module.globals
        if inst.op == op.OpVariable and inst.id(0) == StorageClass.Uniform and not _is_storage(view, inst)
    }
    compared, read = compared_and_read(view, functions)
    excluded = compared & read | _sharing(view, functions, arrays, words)
    dawn_excluded = set() if naga else compared | _differing(view, functions)
    for number, array in list(arrays.items()):
        count = array.lengths[0] or unbounded
        if len(array.lengths) > 1 or not count or number in excluded:
            continue
        if naga:
            group = min(view.literal(number, Decoration.DescriptorSet) or 0, last)
            allowed = _naga_has(view, array) and group not in with_uniforms
        else:
            allowed = _dawn_has(view, array) and number not in dawn_excluded
        if allowed and (number not in words.arrays or words.replaces_all(number, functions)):
            view.binding_arrays[number] = count
            del arrays[number]


def _differing(view: View, functions: list[Function]) -> set[int]:
    """Return the arrays with an index that may differ between invocations: one that is marked non-uniform.

    Compilers mark the index, the pointer, or the handle that is loaded.
    """
    found: set[int] = set()
    for function in functions:
        for inst in function.instructions():
            marked = [inst.result_id, *inst.ints()[1:]] if inst.op in ACCESS_CHAINS else [inst.result_id]
            is_path = inst.op in ACCESS_CHAINS or inst.op == op.OpLoad
            if is_path and any(view.has(value, Decoration.NonUniform) for value in marked):
                found.add(root_of(view, inst.id(0))[0].result_id)
    return found


def _sharing(view: View, functions: list[Function], arrays: dict[int, ResourceArray], words: Words) -> set[int]:
    """Return the arrays of buffers in use that share their binding with another one."""
    used = {number for function in functions for inst in function.instructions() for number in used_ids(inst)}
    places: dict[tuple[int | None, int | None], list[int]] = {}
    for number, array in arrays.items():
        is_buffer = array.variable.id(0) != StorageClass.UniformConstant
        if is_buffer and number in used and number not in words.arrays:
            place = view.literal(number, Decoration.DescriptorSet), view.literal(number, Decoration.Binding)
            places.setdefault(place, []).append(number)
    return {number for numbers in places.values() if len(numbers) > 1 for number in numbers}


def _dawn_has(view: View, array: ResourceArray) -> bool:
    """Return whether Dawn has arrays of a kind of resource, as far as its type decides."""
    kind = view.type(array.element)
    if kind.op != op.OpTypeImage:
        return False
    sampled, multisampled = kind.id(5) == 1, kind.id(4) == 1
    return sampled and not multisampled and kind.id(1) in _DIMENSIONS


def _naga_has(view: View, array: ResourceArray) -> bool:
    kind = view.type(array.element)
    if kind.op == op.OpTypeImage:
        return kind.id(1) in (*_DIMENSIONS, Dim.Buffer)
    return kind.op == op.OpTypeSampler or (kind.op == op.OpTypeStruct and _is_storage(view, array.variable))


def _is_storage(view: View, variable: Instruction) -> bool:
    """Return whether a variable is a storage buffer, or an array of them."""
    kind = view.type(view.pointee(variable.type_id))
    while kind.op in ARRAYS:
        kind = view.type(kind.id(0))
    return variable.id(0) == StorageClass.StorageBuffer or view.has(kind.result_id, Decoration.BufferBlock)
