"""Look-ups that several passes share: types, decorations and constants of a module by id."""

from __future__ import annotations

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction, Module

_ELEMENT_FIRST = frozenset(
    (
        op.OpTypeVector,
        op.OpTypeMatrix,
        op.OpTypeArray,
        op.OpTypeRuntimeArray,
        op.OpTypeSampledImage,
        op.OpTypeImage,
        op.OpTypeNodePayloadArrayAMDX,
    )
)


class TypeTable:
    """The module-level definitions of one module."""

    def __init__(self, module: Module) -> None:
        self.definitions = module.definitions()
        self.decorations: dict[int, list[Instruction]] = {}
        """Target → its OpDecorate…, OpDecorateId… and OpDecorateString, not those of members."""
        self.members: dict[int, list[Instruction]] = {}
        """Struct → its OpMemberDecorate…"""
        for inst in module.annotations:
            number = inst.op
            if number in (op.OpDecorate, op.OpDecorateId, op.OpDecorateString):
                self.decorations.setdefault(inst.id(0), []).append(inst)
            elif number in (op.OpMemberDecorate, op.OpMemberDecorateString):
                self.members.setdefault(inst.id(0), []).append(inst)

    def has_decoration(self, target: int, decoration: int) -> bool:
        """Whether an id has a decoration."""
        return any(inst.operands[1] == decoration for inst in self.decorations.get(target, ()))

    def element(self, inst: Instruction) -> Instruction | None:
        """The type that a vector, array, image or pointer is made of."""
        if inst.op in _ELEMENT_FIRST:
            return self.definitions.get(inst.id(0))
        if inst.op == op.OpTypePointer:
            return self.definitions.get(inst.id(1))
        return None

    def is_block(self, struct: int) -> bool:
        """Whether a struct is a block of a buffer."""
        return self.has_decoration(struct, e.Decoration.Block) or self.has_decoration(struct, e.Decoration.BufferBlock)

    def constant(self, number: int) -> int | None:
        """The value of an integer constant of 32 bits or less."""
        inst = self.definitions.get(number)
        if inst is None or inst.op not in (op.OpConstant, op.OpSpecConstant):
            return None
        return inst.id(0)

    def contains_width(self, number: int, width: int, *, ints_only: bool = False) -> bool:
        """Whether a type is or contains a number of ``width`` bits, also behind pointers."""
        seen: set[int] = set()
        todo = [number]
        while todo:
            type_id = todo.pop()
            inst = self.definitions.get(type_id)
            if inst is None or type_id in seen:
                continue
            seen.add(type_id)
            if inst.op == op.OpTypeInt or (inst.op == op.OpTypeFloat and not ints_only):
                if inst.operands[0] == width:
                    return True
            elif inst.op == op.OpTypeStruct:
                todo += inst.ints()
            elif inst.op == op.OpTypePointer:
                todo.append(inst.id(1))
            elif inst.op in _ELEMENT_FIRST:
                todo.append(inst.id(0))
        return False
