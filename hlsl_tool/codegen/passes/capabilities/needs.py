"""Collect the capabilities and extensions that the instructions of a module need.

For most opcodes and enumerants, SPIR-V's registry lists alternatives (an acceleration structure needs ray queries or
ray tracing). ``Needs`` replaces them by one capability where the instruction itself decides: a reduction needs
GroupNonUniformArithmetic, although the registry lists partitioned operations, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from hlsl_tool.codegen.passes.capabilities.tables import FLOAT_ATOMIC_FEATURES, HALF_VECTOR_ATOMICS
from hlsl_tool.codegen.passes.capabilities.type_rules import (
    has_wide_texels,
    image_capabilities,
    is_resource,
    non_uniform_capabilities,
)
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.kinds import ATOMICS, CULLING_FLAGS, FLOAT_ATOMICS, INTERPOLATION
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Capability, Decoration, Dim, GroupOperation, ImageFormat, StorageClass
from hlsl_tool.spirv.grammar import core, tables
from hlsl_tool.spirv.ir import Instruction, Module, Operand

_C = Capability
_SC = StorageClass

_READS = frozenset((op.OpImageRead, op.OpImageSparseRead))
_SPECIAL = _READS | {
    op.OpTypeFloat, op.OpTypeInt, op.OpTypeImage, op.OpTypePointer, op.OpTypeRuntimeArray, op.OpImageWrite,
}  # fmt: skip
_ATOMICS = ATOMICS | FLOAT_ATOMICS
_RAY_FLAGS = {
    op.OpRayQueryInitializeKHR: 2,
    op.OpTraceRayKHR: 1,
    op.OpHitObjectTraceRayEXT: 2,
    op.OpHitObjectTraceRayNV: 2,
}
"""Instruction → the operand with its ray flags."""
_EXAMINED = _SPECIAL | _ATOMICS | frozenset(_RAY_FLAGS) | {op.OpExtInst}
"""Opcodes whose needs depend on every instruction."""
_REDUCTIONS = frozenset(range(op.OpGroupNonUniformIAdd, op.OpGroupNonUniformLogicalXor + 1))
_OF_GROUP_OPERATION = {
    GroupOperation.Reduce: _C.GroupNonUniformArithmetic,
    GroupOperation.InclusiveScan: _C.GroupNonUniformArithmetic,
    GroupOperation.ExclusiveScan: _C.GroupNonUniformArithmetic,
    GroupOperation.ClusteredReduce: _C.GroupNonUniformClustered,
    GroupOperation.PartitionedReduceNV: _C.GroupNonUniformPartitionedNV,
    GroupOperation.PartitionedInclusiveScanNV: _C.GroupNonUniformPartitionedNV,
    GroupOperation.PartitionedExclusiveScanNV: _C.GroupNonUniformPartitionedNV,
}
_ENUMS = ("ValueEnum", "BitEnum")
_PARAMETRIC = frozenset(("LiteralSpecConstantOpInteger",))
_ENUMERANT_AT: dict[int, int | None] = {}
_UNKNOWN = -2
_DECORATION_AT = {op.OpDecorate: 1, op.OpMemberDecorate: 2}
_ALL_OPERANDS = 0xFFFF
_PLAIN_OPERANDS: dict[int, int] = {}
"""Opcode → `_plain_operands` of it."""


def _only_enumerant(number: int, operands: list[Operand]) -> int | None:
    """Return the index of the only operand of an instruction that may need a capability.

    ``number`` is the opcode. The result is -1 without such an operand, ``None`` for several.
    """
    if number in _DECORATION_AT:
        at = _DECORATION_AT[number]
        decoration = operands[at]
        assert isinstance(decoration, int)
        row = core.ENUMERANTS["Decoration"].get(decoration)
        return at if row is not None and not any(core.CATEGORIES[_bare(kind)] in _ENUMS for kind in row[1]) else None
    position = _enumerant_at(number)
    return position if position is None or position < len(operands) else -1


def _enumerant_at(number: int) -> int | None:
    """Return the index of an opcode's only operand that may need a capability; -1 without one, ``None`` for several."""
    position = _ENUMERANT_AT.get(number, _UNKNOWN)
    if position == _UNKNOWN:
        if number not in tables.INSTRUCTIONS:
            return 0
        kinds = [_bare(kind) for kind in tables.operand_kinds(number)]
        places = [at for at, kind in enumerate(kinds) if core.CATEGORIES[kind] in _ENUMS]
        has_opcode = not _PARAMETRIC.isdisjoint(kinds)
        position = -1 if not places and not has_opcode else None
        if len(places) == 1 and not has_opcode:
            kind = kinds[places[0]]
            if kind == "ImageOperands" or kind not in tables.PARAMETRIC:  # all that its bits ask for are ids
                position = places[0]
        _ENUMERANT_AT[number] = position
    return position


def _plain_operands(number: int) -> int:
    """Return the number of leading operands of an opcode that cannot need a capability.

    An instruction with no more operands than that needs only what its opcode needs. -1: every instruction must be
    examined.
    """
    if number in _EXAMINED:
        return -1
    if number in _DECORATION_AT:
        return tables.plain_ids(number)
    position = _enumerant_at(number)
    if position is None:
        return tables.plain_ids(number)
    return _ALL_OPERANDS if position < 0 else position


def _distinct(annotations: list[Instruction]) -> list[Instruction]:
    """Return the annotations with each decoration only once, unless its operands may need capabilities."""
    distinct: list[Instruction] = []
    seen: set[tuple[int, Operand]] = set()
    for inst in annotations:
        if inst.op in _DECORATION_AT:
            key = inst.op, inst.operands[_DECORATION_AT[inst.op]]
            if key in seen:
                continue
            if _only_enumerant(inst.op, inst.operands) is not None:
                seen.add(key)
        distinct.append(inst)
    return distinct


def _bare(kind: str) -> str:
    return kind.rstrip("?*")


_ROWS: dict[tuple[int, Operand], list[tuple[str, int]]] = {}
"""(opcode, its only enumerant) → the enumerants that need something: (kind, value)."""


@cache
def _needs_of(kind: str, value: int) -> tuple[frozenset[int], tuple[str, ...], tuple[int, ...]] | None:
    """Return (alternative capabilities, alternative extensions, core version) for an opcode (kind "") or enumerant.

    ``None`` if it needs nothing. From the core version on, no extension is needed.
    """
    row = tables.ENUMERANTS[kind].get(value) if kind else tables.INSTRUCTIONS.get(value)
    if row is None or not (row[2] or row[3]):
        return None
    capabilities, extensions, version = row[2], row[3], row[4]
    major_minor = tuple(int(part) for part in version.split(".")) if version else (99, 0)
    return frozenset(CAPABILITIES[name] for name in capabilities), extensions, major_minor


def _enumerants(inst: Instruction, literal_words: int) -> Iterator[tuple[str, int]]:
    """Yield (kind, value) for each enumerant among the operands, masks bit by bit; nested opcodes with the kind ""."""
    try:
        kinds = tables.parse_kinds(inst.op, inst.operands, literal_words)
    except tables.OperandError:
        return
    for kind, operand in zip(kinds, inst.operands, strict=True):
        if not isinstance(operand, int):
            continue
        category = core.CATEGORIES.get(kind)
        if category == "ValueEnum":
            yield kind, operand
        elif category == "BitEnum":
            yield from ((kind, 1 << bit) for bit in range(32) if operand >> bit & 1)
        elif kind == "LiteralSpecConstantOpInteger":
            yield "", operand


class Needs:
    """The capabilities and extensions that the instructions of a module need."""

    def __init__(self, module: Module, index: ModuleIndex) -> None:
        self.module = module
        self.index = index
        self.certain: set[int] = set()
        self.alternatives: dict[frozenset[int], None] = {}
        self.extensions: dict[tuple[str, ...], None] = {}
        """Tuples of alternative extensions for features that are not core in the module's version."""
        self.mentioned: set[str] = set()
        """Extensions of everything in the module, core or not."""
        self.has_unformatted = False
        self.has_bytes = any(inst.operands[0] in _STORAGE_8.values() for inst in module.capabilities)
        """Whether a capability for numbers of 8 bits in memory is declared."""
        self._types_of: dict[int, int] = {}

    def scan(self) -> None:
        """Collect the needs of every instruction except sources, names and OpModuleProcessed, which have none."""
        module = self.module
        for section in (module.ext_inst_imports, module.memory_model, module.entry_points, module.execution_modes):
            self._scan(section)
        self._scan(_distinct(module.annotations))
        self._scan(module.globals)
        self._scan([function.definition for function in module.functions])
        for number, instructions in self.index.by_opcode.items():
            self._scan_opcode(number, instructions)
        self._non_uniform()

    def _scan(self, instructions: Iterable[Instruction]) -> None:
        by_opcode: dict[int, list[Instruction]] = {}
        for inst in instructions:
            by_opcode.setdefault(inst.op, []).append(inst)
        for number, each in by_opcode.items():
            self._scan_opcode(number, each)

    def _non_uniform(self) -> None:
        for inst in self.module.annotations:
            if inst.op == op.OpDecorate and inst.operands[1] == Decoration.NonUniform:
                self.certain.update(non_uniform_capabilities(self.index, self.type_of(inst.id(0))))

    def _scan_opcode(self, number: int, instructions: list[Instruction]) -> None:
        if number in _REDUCTIONS:
            operations = {inst.id(1) for inst in instructions}
            self.certain.update(_OF_GROUP_OPERATION.get(operation, 0) for operation in operations)
            return
        self._row("", number)
        plain = _PLAIN_OPERANDS.get(number)
        if plain is None:
            plain = _PLAIN_OPERANDS[number] = _plain_operands(number)
        if plain == _ALL_OPERANDS:
            return
        if number == op.OpExtInst:
            self._ext_insts(instructions)
            return
        for inst in instructions:
            if len(inst.operands) > plain:
                self._examine(inst)

    def _examine(self, inst: Instruction) -> None:
        """Collect the needs of an instruction's operands and types; those of its opcode are known already."""
        number = inst.op
        if len(inst.operands) > tables.plain_ids(number):
            at = _only_enumerant(number, inst.operands)
            if at is None:
                self._operands(inst)
            elif at >= 0:
                key = number, inst.operands[at]
                rows = _ROWS.get(key)
                if rows is None:
                    rows = _ROWS[key] = [row for row in _enumerants(inst, 1) if _needs_of(*row) is not None]
                for row in rows:
                    self._row(*row)
        if number in _RAY_FLAGS:
            if self._known_bits(inst.id(_RAY_FLAGS[number])) & CULLING_FLAGS:
                self.certain.add(_C.RayTraversalPrimitiveCullingKHR)
        elif number in _SPECIAL:
            self._special(inst)
        elif number in _ATOMICS:
            self._atomic(inst)

    def type_of(self, value: int) -> int:
        """Return the type of a value in a function; the mapping is built at the first call, as few modules need it."""
        if not self._types_of:
            for function in self.module.functions:
                self._types_of.update((inst.result_id, inst.type_id) for inst in function.parameters)
                self._types_of.update((inst.result_id, inst.type_id) for inst in function.instructions())
            self._types_of.update((inst.result_id, inst.type_id) for inst in self.module.globals)
        return self._types_of.get(value, 0)

    def _known_bits(self, value: int) -> int:
        """Return the bits of a value that are set regardless of the shader's inputs."""
        constant = self.index.constant(value)
        if constant is not None:
            return constant
        for inst in self.index.by_opcode.get(op.OpBitwiseOr, ()):
            if inst.result_id == value:
                return self._known_bits(inst.id(0)) | self._known_bits(inst.id(1))
        return 0

    def _row(self, kind: str, value: int) -> None:
        """Record the needs of an opcode (kind "") or an enumerant, as the registry lists them."""
        needs = _needs_of(kind, value)
        if needs is None:
            return
        alternatives, extensions, version = needs
        if alternatives:
            self.alternatives[alternatives] = None
        self.mentioned.update(extensions)
        if extensions and version > self.module.version_tuple:
            self.extensions[extensions] = None

    def _operands(self, inst: Instruction) -> None:
        words = 2 if inst.op == op.OpSwitch and self._wide_selector(inst) else 1
        for kind, value in _enumerants(inst, words):
            self._row(kind, value)

    def _wide_selector(self, inst: Instruction) -> bool:
        inst_type = self.index.definitions.get(self.type_of(inst.id(0)))
        return inst_type is not None and inst_type.op == op.OpTypeInt and inst_type.id(0) > 32

    def _ext_insts(self, instructions: list[Instruction]) -> None:
        sets = self.index.sets
        if any(inst.operands[1] in INTERPOLATION and sets.get(inst.id(0)) == glsl.SET for inst in instructions):
            self.certain.add(_C.InterpolationFunction)

    def _atomic(self, inst: Instruction) -> None:
        value = self.index.definitions[inst.type_id or self.type_of(inst.id(3))]
        if value.op == op.OpTypeVector:
            self.certain.add(HALF_VECTOR_ATOMICS[0])
        elif value.op == op.OpTypeInt:
            self.certain.update((_C.Int64Atomics,) if value.id(0) == 64 else ())
        elif feature := FLOAT_ATOMIC_FEATURES.get((inst.op, value.id(0))):
            self.certain.add(feature[0])

    def _special(self, inst: Instruction) -> None:
        number = inst.op
        if number == op.OpTypeFloat:
            is_encoded = len(inst.operands) > 1  # bfloat16 or float8, whose capabilities are not trimmed
            self.certain.update({16: (_C.Float16,), 64: (_C.Float64,)}.get(0 if is_encoded else inst.id(0), ()))
        elif number == op.OpTypeInt:
            self.certain.update({8: (_C.Int8,), 16: (_C.Int16,), 64: (_C.Int64,)}.get(inst.id(0), ()))
        elif number == op.OpTypeRuntimeArray:
            if is_resource(self.index, inst.id(0)):
                self.certain.add(_C.RuntimeDescriptorArray)
        elif number == op.OpTypeImage:
            self._image(inst)
        elif number == op.OpTypePointer:
            self._pointer(inst)
        else:
            self._image_access(inst)

    def _image(self, inst: Instruction) -> None:
        self.certain.update(image_capabilities(inst))
        if has_wide_texels(self.index, inst):
            self.certain.add(_C.Int64ImageEXT)
        if inst.id(5) == 2 and inst.id(6) == ImageFormat.Unknown:
            self.has_unformatted = True

    def _image_access(self, inst: Instruction) -> None:
        """Collect the needs of a read or write of a storage image."""
        image = self.index.definitions.get(self.type_of(inst.id(0)))
        if image is None or image.op != op.OpTypeImage:
            return
        if image.id(6) != ImageFormat.Unknown and not self._may_be_unformatted:
            return
        if inst.op == op.OpImageWrite:
            self.certain.add(_C.StorageImageWriteWithoutFormat)
        elif image.id(1) != Dim.SubpassData:
            self.certain.add(_C.StorageImageReadWithoutFormat)

    @property
    def _may_be_unformatted(self) -> bool:
        """Return whether an image whose type has a format may really have none.

        Before inlining, a parameter's type may have a format although the argument has none.
        """
        return self.has_unformatted and len(self.module.functions) > len(self.module.entry_points)

    def _pointer(self, inst: Instruction) -> None:
        storage, pointee = inst.id(0), inst.id(1)
        if self.has_bytes and storage in _STORAGE_8 and self.index.contains_width(pointee, 8, behind_pointers=False):
            self.certain.add(_STORAGE_8[storage])
        if storage not in _STORAGE_16 or not self.index.contains_width(pointee, 16, behind_pointers=False):
            return
        if storage == _SC.Uniform and self._in_buffer_block(pointee):
            self.certain.add(_C.StorageUniformBufferBlock16)
        else:
            self.certain.add(_STORAGE_16[storage])

    def _in_buffer_block(self, type_id: int) -> bool:
        inst = self.index.definitions.get(type_id)
        if inst is None:
            return False
        inst = self.index.without_arrays(inst)
        if inst.op != op.OpTypeStruct or not self.index.is_block(inst.result_id):
            # A pointer into a block: the pointer to the block itself decides.
            return _C.StorageUniformBufferBlock16 in self._declared()
        return self.index.has_decoration(inst.result_id, Decoration.BufferBlock)

    def _declared(self) -> set[int]:
        return {inst.id(0) for inst in self.module.capabilities}


_STORAGE_16 = {
    _SC.Input: _C.StorageInputOutput16,
    _SC.Output: _C.StorageInputOutput16,
    _SC.PushConstant: _C.StoragePushConstant16,
    _SC.Uniform: _C.StorageUniform16,
    _SC.StorageBuffer: _C.StorageUniformBufferBlock16,
    _SC.PhysicalStorageBuffer: _C.StorageUniformBufferBlock16,
}

_STORAGE_8 = {
    _SC.PushConstant: _C.StoragePushConstant8,
    _SC.Uniform: _C.UniformAndStorageBuffer8BitAccess,
    _SC.StorageBuffer: _C.StorageBuffer8BitAccess,
    _SC.PhysicalStorageBuffer: _C.StorageBuffer8BitAccess,
}

CAPABILITIES: dict[str, int] = {row[0]: value for value, row in core.ENUMERANTS["Capability"].items()}
CAPABILITIES |= core.ENUMERANT_ALIASES["Capability"]
"""Capability by every spelling."""
