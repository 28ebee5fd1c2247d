"""Types of inline SPIR-V (manual: *Inline SPIR-V*)."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.layout.rules import Rule
from hlsl_tool.codegen.lower.types.base import TypeTable
from hlsl_tool.frontend.sema.model.annotations import Attribute
from hlsl_tool.frontend.sema.model.types import ObjectType, Scalar, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.enums import AddressingModel, StorageClass
from hlsl_tool.spirv.grammar.tables import INSTRUCTIONS
from hlsl_tool.spirv.ir import Operand
from hlsl_tool.spirv.literal import Literal


class BadInlineType(ValueError):
    """Raised for an opcode or operands that do not form the type of a value."""


def check_inline_type(opcode: int, count: int) -> None:
    """Raise `BadInlineType` if ``opcode`` with ``count`` operands does not define a type that values can have.

    Opcodes that the grammar lacks are accepted, since they may belong to newer extensions.
    """
    row = INSTRUCTIONS.get(opcode)
    if row is None:
        return
    name, kinds = row[0], row[1][1:]
    if not name.startswith("OpType") or opcode in _NO_TYPES_OF_VALUES:
        raise BadInlineType(f"{name} makes no type of a value")
    least = sum(kind[-1] not in "?*" for kind in kinds)
    is_open = any(kind.endswith("*") for kind in kinds)
    if count < least or (count > len(kinds) and not is_open):
        raise BadInlineType(f"{name} has {least} operands, not {count}")


_NO_TYPES_OF_VALUES = frozenset((op.OpTypeVoid, op.OpTypeFunction, op.OpTypeForwardPointer))


def integral_value(t: object) -> tuple[Scalar, int]:
    """Return (type, value) of ``vk::integral_constant<T, v>``."""
    assert isinstance(t, ObjectType)
    scalar, value = t.args
    assert isinstance(scalar, Scalar) and isinstance(value, (int, bool))
    return scalar, int(value)


def require(b: ModuleBuilder, attributes: Sequence[Attribute]) -> None:
    """Declare the capabilities and extensions that ``vk::ext_capability`` and ``vk::ext_extension`` name."""
    for a in attributes:
        if a.scope != "vk" or not a.args:
            continue
        if a.name == "ext_capability" and isinstance(a.args[0], int):
            b.capability(a.args[0])
        elif a.name == "ext_extension" and isinstance(a.args[0], str):
            b.extension(a.args[0])


@dataclass(slots=True)
class InlineTypes(TypeTable):
    """Maps the types ``vk::SpirvType``, ``vk::SpirvOpaqueType`` and ``vk::ext_type`` to SPIR-V types."""

    def _inline(self, t: ObjectType, rule: Rule) -> int:
        """Lower ``vk::SpirvType<opcode, size, alignment, ...>`` and ``vk::SpirvOpaqueType<opcode, ...>``."""
        b = self.builder
        opcode = t.args[0]
        assert isinstance(opcode, int)
        operands = [self._inline_operand(x, rule) for x in t.args[3 if t.name == "vk::SpirvType" else 1 :]]
        check_inline_type(opcode, len(operands))
        if opcode == op.OpTypePointer and len(operands) == 2:
            storage, pointee = operands
            if isinstance(storage, Literal) and isinstance(pointee, int):
                if storage == StorageClass.PhysicalStorageBuffer:
                    b.promote_addressing_model(AddressingModel.PhysicalStorageBuffer64)
                return b.pointer(int(storage), pointee)
        return b.inline_type(opcode, tuple(operands), name="spirvIntrinsicType")

    def _inline_operand(self, x: object, rule: Rule) -> Operand:
        """Return a template argument as an operand: a type id, the id of an integral constant, or a literal."""
        if isinstance(x, ObjectType) and x.name == "vk::Literal":
            return Literal(integral_value(x.args[0])[1] & 0xFFFFFFFF)
        if isinstance(x, ObjectType) and x.name == "vk::integral_constant":
            scalar, value = integral_value(x)
            return self.builder.const_scalar(value, self.scalar(scalar))
        assert isinstance(x, Type)
        return self.id(x, rule)

    def ext_type(self, number: object) -> int:
        """Return the type id of ``vk::ext_type<number>``; a call of a ``vk::ext_type_def`` function defines it."""
        assert isinstance(number, int)
        if number not in self._ext_types:
            self._ext_types[number] = self.builder.declare_inline_type(name="spirvIntrinsicType")
        return self._ext_types[number]

    def define_ext_type(self, number: int, opcode: int, operands: tuple[Operand, ...]) -> None:
        """Define ``vk::ext_type<number>``; do nothing if it is defined already."""
        ext_type = self.ext_type(number)
        if not self.builder.type_info(ext_type).op:
            self.builder.define_inline_type(ext_type, opcode, operands)

    def undefined_ext_types(self) -> list[int]:
        """Return the numbers of all ``vk::ext_type`` that are used but not defined."""
        return [number for number, type_id in self._ext_types.items() if not self.builder.type_info(type_id).op]
