"""The limits that a shader needs above WebGPU's defaults: the content of ``requiredLimits`` for ``requestDevice``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from hlsl_tool.base.rounding import round_up
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import ExecutionMode, ExecutionModel, StorageClass
from hlsl_tool.wgsl.interface.bind_group_layouts import IMMEDIATE, VISIBILITY, Binding
from hlsl_tool.wgsl.interface.binding_arrays import array_limits
from hlsl_tool.wgsl.module.usage import Usage
from hlsl_tool.wgsl.module.view import View

DEFAULTS = {
    "maxBindGroups": 4,
    "maxBindingsPerBindGroup": 1000,
    "maxSampledTexturesPerShaderStage": 16,
    "maxSamplersPerShaderStage": 16,
    "maxStorageBuffersPerShaderStage": 8,
    "maxStorageTexturesPerShaderStage": 4,
    "maxUniformBuffersPerShaderStage": 12,
    "maxUniformBufferBindingSize": 65536,
    "maxBindingArrayElementsPerShaderStage": 0,
    "maxBindingArraySamplerElementsPerShaderStage": 0,
    "maxComputeWorkgroupStorageSize": 16384,
    "maxComputeInvocationsPerWorkgroup": 256,
    "maxComputeWorkgroupSizeX": 256,
    "maxComputeWorkgroupSizeY": 256,
    "maxComputeWorkgroupSizeZ": 64,
}
"""WebGPU's default limits (*Limits*), of those that depend on a shader, and wgpu's on arrays of resources."""

_COUNTS = {"texture": "SampledTextures", "sampler": "Samplers", "storageTexture": "StorageTextures"}


def required_limits(view: View, usage: Usage, bindings: Sequence[Binding]) -> dict[str, int]:
    """Return limit → value, for those that are above the defaults."""
    needed = _of_bindings([b for b in bindings if b.visibility and b.group != IMMEDIATE])
    for entry in view.module.entry_points:
        if entry.id(0) == ExecutionModel.GLCompute:
            for name, value in _of_compute(view, usage, entry.id(1)).items():
                needed[name] = max(needed.get(name, 0), value)
    return above_defaults(needed.items())


def above_defaults(needed: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the largest value of each limit, sorted by name, without values that every device has."""
    limits: dict[str, int] = {}
    for name, value in sorted(needed):
        if value > DEFAULTS[name]:
            limits[name] = max(value, limits.get(name, 0))
    return limits


def _of_bindings(bindings: list[Binding]) -> dict[str, int]:
    needed = {
        "maxBindGroups": max((b.group + 1 for b in bindings), default=0),
        "maxBindingsPerBindGroup": max((_end(b) for b in bindings), default=0),
    }
    for stage in VISIBILITY.values():
        counts: dict[str, int] = {}
        for binding in bindings:
            if not binding.visibility & stage:
                continue
            own = {f"max{_kind(binding)}PerShaderStage": binding.count}
            for name, count in (array_limits(binding) if binding.count_member == "count" else own).items():
                counts[name] = counts.get(name, 0) + count
        for name, count in counts.items():
            needed[name] = max(count, needed.get(name, 0))
    sizes = [b.layout["buffer"].get("minBindingSize", 0) for b in bindings if _kind(b) == "UniformBuffers"]
    return {**needed, "maxUniformBufferBindingSize": max(sizes, default=0)}


def _end(binding: Binding) -> int:
    """Return the binding number behind those of a variable: an array has one for each element in Dawn."""
    return binding.binding + (binding.count if binding.count_member == "bindingArraySize" else 1)


def _kind(binding: Binding) -> str:
    (kind,) = binding.layout
    if kind != "buffer":
        return _COUNTS[kind]
    return "UniformBuffers" if binding.layout[kind]["type"] == "uniform" else "StorageBuffers"


def _of_compute(view: View, usage: Usage, function: int) -> dict[str, int]:
    needed: dict[str, int] = {}
    for mode in view.execution_modes(function):
        sizes: list[int] = []
        if mode.id(1) == ExecutionMode.LocalSize:
            sizes = mode.ints()[2:]
        elif mode.id(1) == ExecutionMode.LocalSizeId:
            sizes = [view.integer(number) for number in mode.ints()[2:]]
        if sizes:
            needed["maxComputeInvocationsPerWorkgroup"] = prod(sizes)
            needed |= {f"maxComputeWorkgroupSize{axis}": size for axis, size in zip("XYZ", sizes, strict=True)}
    reached, total = usage.reached(function), 0
    for inst in view.module.globals:
        is_shared = inst.op == op.OpVariable and inst.id(0) == StorageClass.Workgroup
        if is_shared and usage.users.get(inst.result_id, set()) & reached:
            total += round_up(_layout(view, view.pointee(inst.type_id))[0], 16)
    return {**needed, "maxComputeWorkgroupStorageSize": total}


def _layout(view: View, type_id: int) -> tuple[int, int]:
    """Return the (size, alignment) in bytes of a type in WGSL (*Memory Layout*)."""
    inst = view.type(type_id)
    if inst.op in (op.OpTypeVector, op.OpTypeMatrix):
        size, align = _layout(view, inst.id(0))
        count = inst.id(1)
        if inst.op == op.OpTypeVector:
            return size * count, size * (2 if count == 2 else 4)
        return count * round_up(size, align), align
    if inst.op == op.OpTypeArray:
        size, align = _layout(view, inst.id(0))
        return view.length(type_id) * round_up(size, align), align
    if inst.op == op.OpTypeStruct:
        end, most = 0, 1
        for member in inst.ints():
            size, align = _layout(view, member)
            end, most = round_up(end, align) + size, max(most, align)
        return round_up(end, most), most
    width = inst.id(0) // 8 if inst.operands else 4  # a boolean has four bytes
    return width, width
