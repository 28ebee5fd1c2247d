"""Find the variables and parameters of a function that can be scalar-replaced.

These are only loaded, stored to, and indexed by constants (vectors by any index), directly or through access chains, or
passed to functions whose parameters can be replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hlsl_tool.codegen.passes.promote.promoted_body import DECLARED, MAX_SCALARS, PromotedTypes, Unsuited
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, INTERPOLATION
from hlsl_tool.spirv.analysis.uses import uses
from hlsl_tool.spirv.enums import MemoryAccess, StorageClass
from hlsl_tool.spirv.ir import Block, Function, Instruction

_VOLATILE = MemoryAccess.Volatile


def candidates(function: Function, blocks: Iterable[Block], types: PromotedTypes) -> dict[int, int]:
    """Return the variables and parameters that may be replaced because of their types, each with its value type."""
    variables = {}
    for inst in function.parameters:
        if types.storage(inst.type_id) == StorageClass.Function and is_suited(types, types.pointee(inst.type_id)):
            variables[inst.result_id] = types.pointee(inst.type_id)
    for block in blocks:
        for inst in block.instructions:
            if inst.op == op.OpVariable and is_suited(types, types.pointee(inst.type_id)):
                variables[inst.result_id] = types.pointee(inst.type_id)
    return variables


def is_suited(types: PromotedTypes, type_id: int) -> bool:
    """Return whether a type is small enough to be replaced and has values, unlike ray queries."""
    opcode = types.definitions[type_id].op
    if opcode in (op.OpTypeRayQueryKHR, op.OpTypeHitObjectNV, op.OpTypeHitObjectEXT, op.OpTypeRuntimeArray):
        return False
    elements = types.elements(type_id)
    if elements is None:
        return opcode != op.OpTypeArray
    return (types.scalar_count(type_id) <= MAX_SCALARS or types.holds_handles(type_id)) and all(
        is_suited(types, element) for element in set(elements)
    )


def refused(
    blocks: Iterable[Block], roots: Mapping[int, int], types: PromotedTypes, in_memory: Mapping[int, frozenset[int]]
) -> set[int]:
    """Return the variables and parameters that must stay in memory because of how they are used.

    ``roots`` maps variables and parameters to types. ``in_memory`` maps functions to the positions of their parameters
    that must be in memory. Raises ``Unsuited`` for interpolation instructions.
    """
    search = _Search(types, in_memory)
    search.pointers = {number: (number, type_id) for number, type_id in roots.items()}
    for block in blocks:
        for inst in block.instructions:
            search.visit(inst)
    return search.refused


class _Search:
    def __init__(self, types: PromotedTypes, in_memory: Mapping[int, frozenset[int]]) -> None:
        self.types = types
        self.in_memory = in_memory
        self.pointers: dict[int, tuple[int, int]] = {}
        """Pointer → (root, type of the part of it that it points to)."""
        self.refused: set[int] = set()

    def visit(self, inst: Instruction) -> None:
        """Add the variables that an instruction uses in a manner that requires memory to ``refused``."""
        opcode, operands, pointers = inst.op, inst.operands, self.pointers
        if opcode == op.OpLoad:
            self._volatile(inst, 1)
        elif opcode == op.OpStore:
            if operands[1] in pointers:
                self._refuse(inst.id(1))
            self._volatile(inst, 2)
        elif opcode in ACCESS_CHAINS:
            self._chain(inst)
        elif opcode == op.OpImageTexelPointer:
            return  # its operand is a loaded handle: `finish` finds the variable it was loaded from
        elif opcode == op.OpFunctionCall:
            self._call(inst)
        elif opcode == op.OpExtInst and operands[1] in INTERPOLATION:
            raise Unsuited("interpolation")
        elif opcode not in (op.OpVariable, DECLARED):  # a marker keeps nothing alive
            for operand in operands:
                if operand in pointers and uses(inst, (operand,)):
                    self._refuse(operand)

    def _refuse(self, pointer: int) -> None:
        self.refused.add(self.pointers[pointer][0])

    def _volatile(self, inst: Instruction, position: int) -> None:
        """Add the variable of a volatile access to ``refused``; ``position`` is the index of the memory operands."""
        operands = inst.operands
        if len(operands) > position and operands[0] in self.pointers and inst.id(position) & _VOLATILE:
            self._refuse(inst.id(0))

    def _chain(self, inst: Instruction) -> None:
        base = self.pointers.get(inst.id(0))
        if base is None:
            return
        type_id = _type_at(inst, base[1], self.types)
        if type_id is None:
            self.refused.add(base[0])
        else:
            self.pointers[inst.result_id] = (base[0], type_id)

    def _call(self, inst: Instruction) -> None:
        positions = self.in_memory.get(inst.id(0), frozenset())
        pointers = self.pointers
        roots = [pointers[x][0] for x in inst.ints()[1:] if x in pointers]
        self.refused.update(root for root in roots if roots.count(root) > 1)  # the parameters may alias
        self.refused.update(pointers[x][0] for n, x in enumerate(inst.ints()[1:]) if n in positions and x in pointers)


def _type_at(inst: Instruction, type_id: int, types: PromotedTypes) -> int | None:
    """Return the type at the end of an access chain; ``None`` if an index decides at run time which element it is."""
    indices = inst.ints()[1:]
    for n, index in enumerate(indices):
        value = types.constant(index)
        elements = types.elements(type_id)
        if elements is not None:
            if value is None or value >= len(elements):
                return None
            type_id = elements[value]
            continue
        shape = types.definitions[type_id]
        if shape.op == op.OpTypeMatrix:
            if value is None or value >= shape.id(1):
                return None
        elif shape.op != op.OpTypeVector or n + 1 < len(indices) or (value is not None and value >= shape.id(1)):
            return None
        type_id = shape.id(0)
    return type_id
