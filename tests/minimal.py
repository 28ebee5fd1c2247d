"""Find capabilities and extensions that a module does not need, by the registry, independent of the trimming pass."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Capability, Decoration, Dim, GroupOperation
from hlsl_tool.spirv.grammar import core, tables
from hlsl_tool.spirv.ir import Instruction, Module

_C = Capability
_ROWS = core.ENUMERANTS["Capability"]
_NUMBERS = {row[0]: number for number, row in _ROWS.items()} | core.ENUMERANT_ALIASES["Capability"]
_WIDTHS = {
    (op.OpTypeInt, 8): {_C.Int8},
    (op.OpTypeInt, 16): {_C.Int16},
    (op.OpTypeInt, 64): {_C.Int64, _C.Int64Atomics, _C.Int64ImageEXT},
    (op.OpTypeFloat, 8): {_C.Float8EXT, _C.Float8CooperativeMatrixEXT},
    (op.OpTypeFloat, 16): {
        _C.Float16,
        _C.BFloat16TypeKHR,
        _C.BFloat16DotProductKHR,
        _C.BFloat16CooperativeMatrixKHR,
        _C.AtomicFloat16VectorNV,
        _C.AtomicFloat16AddEXT,
        _C.AtomicFloat16MinMaxEXT,
    },
    (op.OpTypeFloat, 32): {_C.AtomicFloat32AddEXT, _C.AtomicFloat32MinMaxEXT},
    (op.OpTypeFloat, 64): {_C.Float64, _C.AtomicFloat64AddEXT, _C.AtomicFloat64MinMaxEXT},
}
_STORED = {
    8: {_C.StorageBuffer8BitAccess, _C.UniformAndStorageBuffer8BitAccess, _C.StoragePushConstant8},
    16: {
        _C.StorageUniformBufferBlock16,
        _C.StorageUniform16,
        _C.StoragePushConstant16,
        _C.StorageInputOutput16,
    },
}
_NON_UNIFORM = {number for number, row in _ROWS.items() if row[0].endswith("ArrayNonUniformIndexing")}
_FEATURES = {
    op.OpTypeRuntimeArray: {_C.RuntimeDescriptorArray},
    op.OpTypePointer: {_C.VariablePointers, _C.VariablePointersStorageBuffer},
    op.OpImageRead: {_C.StorageImageReadWithoutFormat},
    op.OpImageSparseRead: {_C.StorageImageReadWithoutFormat},
    op.OpImageWrite: {_C.StorageImageWriteWithoutFormat},
    op.OpExtInst: {_C.InterpolationFunction},
    op.OpTypeRayQueryKHR: {_C.RayTraversalPrimitiveCullingKHR, _C.RayTracingOpacityMicromapKHR},
    op.OpTraceRayKHR: {_C.RayTraversalPrimitiveCullingKHR, _C.RayTracingOpacityMicromapKHR},
}
"""Opcodes whose operands decide, in ways that the registry does not list."""


def unneeded(module: Module) -> list[str]:
    """Return the names of a module's capabilities and extensions that no instruction needs."""
    needs = set(_needs(module))
    declared = {inst.id(0) for inst in module.capabilities} - {_C.Shader, _C.Linkage}
    names = [_ROWS[number][0] for number in declared if not _is_needed(number, declared, needs)]
    extensions = {inst.text(0) for inst in module.extensions}
    implied = frozenset().union(*map(_implied, declared))
    used = set(chain.from_iterable(_ROWS[number][3] for number in implied)) | _mentioned(module)
    return names + sorted(extensions - used)


def vendors(module: Module) -> list[str]:
    """Return the vendor extensions of a module."""
    return [name for name in (inst.text(0) for inst in module.extensions) if _is_vendors(name)]


def avoidable(module: Module) -> list[str]:
    """Return the vendor capabilities that are redundant, because other capabilities enable every use of them."""
    present = set(vendors(module))
    of_vendors = {number for number, row in _ROWS.items() if row[3] and all(map(_is_vendors, row[3]))}
    of_vendors |= {number for number, row in _ROWS.items() if row[3] and present.issuperset(row[3])}
    declared = {inst.id(0) for inst in module.capabilities} & of_vendors
    needs = set(_needs(module))
    return [_ROWS[number][0] for number in declared if not any(number in need <= of_vendors for need in needs)]


def _is_vendors(name: str) -> bool:
    return name.split("_")[1] not in ("KHR", "EXT", "GOOGLE")


@cache
def _implied(number: int) -> frozenset[int]:
    return frozenset((number,)).union(*(_implied(_NUMBERS[name]) for name in _ROWS[number][2]))


def _is_needed(number: int, declared: set[int], needs: set[frozenset[int]]) -> bool:
    others = declared - {number}
    rest = frozenset().union(*map(_implied, others))
    if number in rest:
        return True
    own = _implied(number)
    return any(own & need and not rest & need for need in needs) or _is_asked_for(number, needs)


def _is_asked_for(number: int, needs: set[frozenset[int]]) -> bool:
    """Return whether an instruction requires exactly this capability, although another one implies it."""
    return frozenset((number,)) in needs


def _needs(module: Module) -> Iterator[frozenset[int]]:
    """Yield, for every instruction and operand, the alternative capabilities that enable it."""
    for kind, value in _rows(module):
        row = tables.ENUMERANTS[kind].get(value) if kind else tables.INSTRUCTIONS.get(value)
        if row is not None and row[2] and kind != "GroupOperation":
            yield frozenset(_NUMBERS[name] for name in row[2])
    for inst in _instructions(module):
        yield from (frozenset((number,)) for number in _by_operands(inst, module))
    index = ModuleIndex(module)
    for width, numbers in _STORED.items():
        pointers = (inst for inst in module.globals if inst.op == op.OpTypePointer)
        if any(index.contains_width(inst.id(1), width) for inst in pointers):
            yield from (frozenset((number,)) for number in numbers)
    if any(inst.op == op.OpDecorate and inst.id(1) == Decoration.NonUniform for inst in module.annotations):
        yield from (frozenset((number,)) for number in _NON_UNIFORM)


def _by_operands(inst: Instruction, module: Module) -> set[int]:
    if inst.op in (op.OpTypeInt, op.OpTypeFloat):
        return _WIDTHS.get((inst.op, inst.id(0)), set())
    if inst.op == op.OpTypeImage:
        return _of_image(inst)
    if op.OpGroupNonUniformIAdd <= inst.op <= op.OpGroupNonUniformLogicalXor:
        plain = inst.id(1) <= GroupOperation.ExclusiveScan
        return {_C.GroupNonUniformArithmetic if plain else _C.GroupNonUniformPartitionedNV}
    return _FEATURES.get(inst.op, set())


def _of_image(inst: Instruction) -> set[int]:
    buffer = {_C.SampledBuffer, _C.ImageBuffer} if inst.id(1) == Dim.Buffer else set()
    line = {_C.Sampled1D, _C.Image1D} if inst.id(1) == Dim.Dim1D else set()
    samples = {_C.StorageImageMultisample, _C.ImageMSArray} if inst.id(4) else set()
    return buffer | line | samples


def _instructions(module: Module) -> Iterator[Instruction]:
    yield from module.execution_modes
    yield from module.memory_model
    yield from module.entry_points
    yield from module.annotations
    yield from module.globals
    for function in module.functions:
        yield function.definition
        yield from function.instructions()


def _rows(module: Module) -> Iterator[tuple[str, int]]:
    """Yield (kind, number) of each enumerant in the module, and of each opcode with the kind ""."""
    wide = frozenset().union(*(ModuleIndex(module).wide_switches(function) for function in module.functions))
    for inst in _instructions(module):
        yield "", inst.op
        try:
            kinds = tables.parse_kinds(inst.op, inst.operands, 2 if inst.op == op.OpSwitch and wide else 1)
        except tables.OperandError:
            continue
        for kind, operand in zip(kinds, inst.operands, strict=True):
            category = core.CATEGORIES.get(kind)
            if category == "ValueEnum" and isinstance(operand, int):
                yield kind, operand
            elif category == "BitEnum" and isinstance(operand, int):
                yield from ((kind, 1 << bit) for bit in range(32) if operand >> bit & 1)


def _mentioned(module: Module) -> set[str]:
    """Return all extensions that some instruction or operand of the module requires."""
    found: set[str] = set()
    for kind, value in _rows(module):
        row = tables.ENUMERANTS[kind].get(value) if kind else tables.INSTRUCTIONS.get(value)
        found.update(row[3] if row is not None else ())
    if any(inst.text(0).startswith("NonSemantic.") for inst in module.ext_inst_imports):
        found.add("SPV_KHR_non_semantic_info")
    return found
