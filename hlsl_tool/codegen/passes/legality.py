"""Find constructs that are valid HLSL but illegal in Vulkan, and name them as the shader does.

spirv-val would report each of these in terms of instructions. They are what legalisation could not remove: a resource
that is selected at run time, a resource in a local variable, an offset that did not become constant, arrays of arrays
of resources, resources in a struct in a block, a copy of a hit object, and a matrix of a cooperative vector whose
layout did not become constant. The module is not changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ARRAYS, CHOICES, OPAQUE, RESOURCE_STORAGE
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import Capability, ImageOperands, StorageClass
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module

Kind = Literal["chosen", "local", "offset", "nested", "member", "copied", "held", "layout"]

_HIT_OBJECTS = (op.OpTypeHitObjectEXT, op.OpTypeHitObjectNV)
_COPIES = frozenset((op.OpLoad, op.OpPhi, op.OpSelect))
"""Instructions whose result would be a copy of a hit object."""
_BLOCKS = (StorageClass.Uniform, StorageClass.StorageBuffer, StorageClass.PushConstant)
_VARIABLE_POINTERS = (Capability.VariablePointers, Capability.VariablePointersStorageBuffer)
_THROUGH = ACCESS_CHAINS | {op.OpLoad, op.OpCopyObject, op.OpSampledImage}
_SAMPLES = frozenset(
    (
        op.OpImageSampleImplicitLod,
        op.OpImageSampleExplicitLod,
        op.OpImageSampleDrefImplicitLod,
        op.OpImageSampleDrefExplicitLod,
        op.OpImageSparseSampleImplicitLod,
        op.OpImageSparseSampleExplicitLod,
        op.OpImageSparseSampleDrefImplicitLod,
        op.OpImageSparseSampleDrefExplicitLod,
        op.OpImageFetch,
        op.OpImageSparseFetch,
    )
)
_WITH_REFERENCE = frozenset(
    (
        op.OpImageSampleDrefImplicitLod,
        op.OpImageSampleDrefExplicitLod,
        op.OpImageSparseSampleDrefImplicitLod,
        op.OpImageSparseSampleDrefExplicitLod,
    )
)

_LAYOUT_AT = {op.OpCooperativeVectorMatrixMulNV: 7, op.OpCooperativeVectorMatrixMulAddNV: 10}
"""Product → the operand that is the layout of its matrix; the next one is whether the matrix is transposed."""


@dataclass(slots=True)
class Illegal:
    """An illegal construct; ``names`` are the names of the resources or variables involved, where known."""

    kind: Kind
    names: tuple[str, ...]
    line: tuple[str, int, int] | None = None
    """(file, line, column) from ``OpLine``, counted from 1."""


def find_illegal(module: Module, index: ModuleIndex | None = None, *, variable_offsets: bool = False) -> Illegal | None:
    """Return the first illegal construct of a module, or ``None``; ``variable_offsets``: variable offsets are legal."""
    found = _Search(index or ModuleIndex(module)).findings()
    return next((illegal for illegal in found if illegal.kind != "offset" or not variable_offsets), None)


class _Search:
    """The search for illegal constructs in one module."""

    def __init__(self, index: ModuleIndex) -> None:
        self.module = module = index.module
        self.index = index
        self.variable_pointers = any(inst.id(0) in _VARIABLE_POINTERS for inst in module.capabilities)
        self.hit_objects = {inst.result_id for inst in module.globals if inst.op in _HIT_OBJECTS}
        self.order = {inst.result_id: i for i, inst in enumerate(module.globals)}

    def findings(self) -> Iterator[Illegal]:
        """Yield the illegal constructs: first those of global variables, then those in functions."""
        for inst in self.module.globals:
            if inst.op == op.OpVariable and inst.id(0) == StorageClass.UniformConstant and self._is_nested(inst):
                yield Illegal("nested", self._names([inst.result_id]))
            elif inst.op == op.OpVariable and inst.id(0) in _BLOCKS:
                path = self._resource_in(self.index.definitions[inst.type_id].id(1))
                if path:
                    yield Illegal("member", tuple(name + path for name in self._names([inst.result_id])))
        if not self._is_any_in_functions():
            return
        for function in self.module.functions:
            for block in function.blocks:
                for at, inst in enumerate(block.instructions):
                    kind = self._kind(inst)
                    if kind is not None:
                        where = self._access(inst, function) if kind == "local" else None
                        yield Illegal(kind, self._subjects(kind, inst, function), self._line(*(where or (block, at))))

    def _kind(self, inst: Instruction) -> Kind | None:
        """Return the kind of illegality of an instruction; ``None`` if it is legal."""
        if inst.op in CHOICES and self._is_handle(inst.type_id):
            return "chosen"
        if inst.op == op.OpVariable and self._holds_opaque(inst.type_id):
            return "local"
        if inst.op in _COPIES and inst.type_id in self.hit_objects:
            return "held" if self._holds_hit_objects() else "copied"
        if inst.op in _LAYOUT_AT and self._has_variable_layout(inst):
            return "layout"
        return "offset" if inst.op in _SAMPLES and self._has_variable_offset(inst) else None

    def _holds_hit_objects(self) -> bool:
        """Return whether the module has a struct or an array that contains a hit object."""
        aggregates = (inst for inst in self.module.globals if inst.op in ARRAYS or inst.op == op.OpTypeStruct)
        return not self.hit_objects.isdisjoint(number for inst in aggregates for number in used_ids(inst))

    def _subjects(self, kind: Kind, inst: Instruction, function: Function) -> tuple[str, ...]:
        """Return the names of the variables that an illegal instruction concerns."""
        if kind == "chosen":
            definitions = {i.result_id: i for i in function.instructions() if i.result_id}
            return self._names(self._sources(inst, definitions))
        return self._names([inst.result_id]) if kind == "local" else ()

    def _access(self, variable: Instruction, function: Function) -> tuple[Block, int] | None:
        """Return (block, position) of the access that keeps a local variable in memory.

        This is the first access with an index that is no constant, else the first one that reads the variable.
        """
        pointers = {variable.result_id}
        read = None
        for block in function.blocks:
            for at, inst in enumerate(block.instructions):
                if not inst.operands or inst.operands[0] not in pointers:
                    continue
                if inst.op in ACCESS_CHAINS:
                    if any(number not in self.order for number in inst.ints()[1:]):
                        return block, at
                    pointers.add(inst.result_id)
                elif inst.op == op.OpLoad and read is None:
                    read = block, at
        return read

    def _is_any_in_functions(self) -> bool:
        """Return whether functions contain any illegal construct; faster than `findings`, since it needs no order."""
        index = self.index
        types = {inst.type_id for inst in index.with_opcodes(CHOICES)}
        return (
            any(self._is_handle(number) for number in types)
            or any(self._holds_opaque(inst.type_id) for inst in index.with_opcodes((op.OpVariable,)))
            or any(self._has_variable_offset(inst) for inst in index.with_opcodes(_SAMPLES))
            or any(self._has_variable_layout(inst) for inst in index.with_opcodes(_LAYOUT_AT))
            or bool(self.hit_objects and self.hit_objects & {i.type_id for i in index.with_opcodes(_COPIES)})
        )

    def _is_nested(self, variable: Instruction) -> bool:
        outer = self.index.pointee(variable)
        return outer.op in ARRAYS and self.index.definitions[outer.id(0)].op in ARRAYS

    def _resource_in(self, type_id: int) -> str:
        """Return the path ``.member.member`` to the first resource in a struct; ``""`` if there is none."""
        inst = self.index.without_arrays(self.index.definitions[type_id])
        for n, member in enumerate(inst.ints() if inst.op == op.OpTypeStruct else ()):
            path = f".{self.index.member_names.get((inst.result_id, n), n)}"
            if self._is_opaque(member) or self._is_buffer(member):
                return path
            deeper = self._resource_in(member)
            if deeper:
                return path + deeper
        return ""

    def _is_handle(self, type_id: int) -> bool:
        """Return whether a type is a resource, or a pointer that must not be selected at run time."""
        inst = self.index.definitions[type_id]
        if inst.op == op.OpTypePointer:
            return inst.id(0) in RESOURCE_STORAGE and not self.variable_pointers
        return inst.op in OPAQUE

    def _holds_opaque(self, pointer: int) -> bool:
        """Return whether a pointer type points to a resource, or to an array or a struct with one."""
        return self._contains_opaque(self.index.definitions[pointer].id(1))

    def _contains_opaque(self, type_id: int) -> bool:
        inst = self.index.without_arrays(self.index.definitions[type_id])
        if inst.op == op.OpTypeStruct:
            return any(map(self._contains_opaque, inst.ints()))
        return self._is_opaque(inst.result_id)

    def _is_opaque(self, type_id: int) -> bool:
        inst = self.index.without_arrays(self.index.definitions[type_id])
        return inst.op in OPAQUE or (inst.op == op.OpTypePointer and inst.id(0) in RESOURCE_STORAGE)

    def _is_buffer(self, type_id: int) -> bool:
        """Return whether a type is a buffer's block, or an array of such blocks."""
        return self.index.is_block(self.index.without_arrays(self.index.definitions[type_id]).result_id)

    def _has_variable_offset(self, inst: Instruction) -> bool:
        at = 3 if inst.op in _WITH_REFERENCE else 2
        return len(inst.operands) > at and bool(inst.id(at) & ImageOperands.Offset)

    def _has_variable_layout(self, inst: Instruction) -> bool:
        at = _LAYOUT_AT[inst.op]
        return not all(inst.id(n) in self.order for n in (at, at + 1))

    def _sources(self, choice: Instruction, definitions: dict[int, Instruction]) -> list[int]:
        """Return the variables that a phi or select chooses between."""
        variables: list[int] = []
        seen: set[int] = set()
        todo = [choice.result_id]
        while todo:
            number = todo.pop()
            if number in seen:
                continue
            seen.add(number)
            inst = definitions.get(number)
            if inst is None:
                variables.append(number)
            elif inst.op in CHOICES:
                operands = inst.ints()[1:] if inst.op == op.OpSelect else inst.ints()[::2]
                todo += operands
            elif inst.op in _THROUGH:
                todo.append(inst.id(0))
        return variables

    def _names(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Return the names of variables, in order of declaration."""
        numbers = sorted(set(numbers), key=lambda number: self.order.get(number, 0))
        names = self.index.names
        return tuple(names[number] for number in numbers if number in names)

    def _line(self, block: Block, at: int) -> tuple[str, int, int] | None:
        """Return the source position of an instruction.

        For a phi or select, that of the next instruction after them.
        """
        before = next((inst for inst in reversed(block.instructions[:at]) if inst.op == op.OpLine), None)
        after = next((inst for inst in block.instructions[at:] if inst.op == op.OpLine), None)
        line = after or before if block.instructions[at].op in CHOICES else before or after
        return (self.index.strings.get(line.id(0), ""), line.id(1), line.id(2)) if line is not None else None
