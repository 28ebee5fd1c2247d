"""Vulkan features that atomics on floats require, by the kind of memory that they access.

The capabilities of SPIR-V do not distinguish kinds of memory, and atomic exchanges have no capability; Vulkan has a
feature for each of buffers, shared memory and images (Vulkan specification, *Features*, the two structs of atomics on
floats).
"""

from __future__ import annotations

from hlsl_tool.reflection.reflection import Feature
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import FLOAT_ATOMICS
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Instruction, Module

_FIRST, _SECOND = "VK_EXT_shader_atomic_float", "VK_EXT_shader_atomic_float2"
_STRUCTS = {
    _FIRST: "VkPhysicalDeviceShaderAtomicFloatFeaturesEXT",
    _SECOND: "VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT",
}
_MEMORY = {StorageClass.Workgroup: "Shared", StorageClass.Image: "Image"}
_OPERATIONS = {op.OpAtomicFAddEXT: "AtomicAdd", op.OpAtomicFMinEXT: "AtomicMinMax", op.OpAtomicFMaxEXT: "AtomicMinMax"}
_NAMES = {op.OpAtomicLoad: "OpAtomicLoad", op.OpAtomicStore: "OpAtomicStore", op.OpAtomicExchange: "OpAtomicExchange"}
_ON_NUMBERS = frozenset((*_NAMES, *FLOAT_ATOMICS))
"""Atomics that may be on floats."""


def with_float_atomics(features: list[Feature], module: Module) -> list[Feature]:
    """Replace the features of float atomics by the exact ones for each kind of memory that the module accesses.

    ``features`` are those of the capabilities, which list the features of all kinds of memory as alternatives.
    """
    exact: dict[tuple[str, str], Feature] = {}
    for function in module.functions:
        atomics = [inst for inst in function.instructions() if inst.op in _ON_NUMBERS]
        if atomics:
            _collect(module, atomics, exact)
    if not exact:
        return features
    names = {name for name, _ in exact}
    return [feature for feature in features if feature.name not in names] + [exact[key] for key in sorted(exact)]


def _collect(module: Module, atomics: list[Instruction], exact: dict[tuple[str, str], Feature]) -> None:
    definitions = {inst.result_id: inst for inst in module.globals}
    for function in module.functions:
        definitions.update((inst.result_id, inst) for inst in (*function.parameters, *function.instructions()))
    for inst in atomics:
        value = definitions[inst.type_id or definitions[inst.id(3)].type_id]
        if value.op != op.OpTypeFloat:
            continue
        width, operation = value.id(0), _OPERATIONS.get(inst.op, "Atomics")
        memory = _MEMORY.get(definitions[definitions[inst.id(0)].type_id].id(0), "Buffer")
        extension = _SECOND if width == 16 or operation == "AtomicMinMax" else _FIRST
        feature = f"{_STRUCTS[extension]}::shader{memory}Float{width}{operation}"
        name = (
            f"AtomicFloat{width}{operation.removeprefix('Atomic')}EXT" if inst.op in FLOAT_ATOMICS else _NAMES[inst.op]
        )
        exact[name, feature] = Feature(name, [feature], [extension])
