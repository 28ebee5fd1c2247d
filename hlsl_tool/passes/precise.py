"""Propagate ``precise`` from declarations to the arithmetic that computes their values.

Before: ``PRECISE`` marks variables, parameters and functions (their return value) that are declared precise;
``Member.precise`` marks struct members.  After: it also marks every value that flows into one of them.  The builder
decorates those that are arithmetic with NoContraction.  The walk is backwards, so that uses come before definitions.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, BIT_FIELDS, SUBGROUP
from hlsl_tool.spirv.builder import PRECISE, ModuleBuilder
from hlsl_tool.spirv.ir import Instruction

from .walk import ATOMICS, BINARY, UNARY, function_body

_ALL_OPERANDS = UNARY | BINARY | {op.OpCompositeConstruct}


def propagate_precise(builder: ModuleBuilder) -> None:
    """Mark the values that flow into precise variables, members, parameters and results."""
    declared = any(member.precise for info in builder.types.values() for member in info.members)
    if not declared and not any(flags & PRECISE for flags in builder.marks.values()):
        return
    work = _Work(builder)
    for function in reversed(builder.functions):
        work.function_is_precise = builder.has_mark(function.id, PRECISE)
        for inst in reversed(list(function_body(builder, function))):
            work.visit(inst)
    for variable in reversed(builder.variables):
        work.visit(variable)


class _Work:
    """The walk over one module."""

    def __init__(self, builder: ModuleBuilder) -> None:
        self.b = builder
        self.function_is_precise = False
        self.chains = {
            inst.result_id: inst
            for function in builder.functions
            for inst in function.instructions()
            if inst.op in ACCESS_CHAINS
        }
        self.parameters = {function.id: [p.result_id for p in function.parameters] for function in builder.functions}

    def is_precise(self, value: int) -> bool:
        return self.b.has_mark(value, PRECISE)

    def visit(self, inst: Instruction) -> None:
        """Mark the values that flow into an instruction."""
        opcode = inst.op
        if opcode == op.OpStore:
            if self._target_is_precise(inst.id(0)):
                self.b.mark(inst.id(1), PRECISE)
        elif opcode == op.OpReturnValue:
            if self.function_is_precise:
                self.b.mark(inst.id(0), PRECISE)
        elif opcode == op.OpFunctionCall:
            params = self.parameters.get(inst.id(0), [])
            for param, argument in zip(params, inst.ints()[1:], strict=False):
                if self.is_precise(param):
                    self.b.mark(argument, PRECISE)
        elif inst.result_id and self.is_precise(inst.result_id):
            for source in self._sources(inst):
                self.b.mark(source, PRECISE)

    def _sources(self, inst: Instruction) -> list[int]:
        """Return the operands on which the precision of a result depends."""
        opcode, operands = inst.op, inst.operands
        if opcode in _ALL_OPERANDS:
            return inst.ints()
        if opcode == op.OpVariable:
            return inst.ints()[1:2]
        if opcode == op.OpSelect:
            return inst.ints()[1:3]
        if opcode in (op.OpLoad, op.OpCompositeExtract):
            return inst.ints()[:1]
        if opcode == op.OpCompositeInsert:
            return inst.ints()[:2]
        if opcode in BIT_FIELDS:
            return inst.ints()[: 2 if opcode == op.OpBitFieldInsert else 1]
        if opcode == op.OpExtInst:
            return inst.ints()[2:]
        if opcode in ATOMICS:
            return inst.ints()[3:4]
        if opcode in SUBGROUP:
            # The scope comes first; a group operation, which is not an id, may follow.
            skip = 2 if op.OpGroupNonUniformIAdd <= opcode <= op.OpGroupNonUniformLogicalXor else 1
            return [operand for operand in operands[skip:] if isinstance(operand, int)]
        if opcode == op.OpVectorShuffle:
            first, second, *selectors = inst.ints()
            size = self.b.type_of(first).count
            return [v for v, low in ((first, True), (second, False)) if any((s < size) == low for s in selectors)]
        return []

    def _target_is_precise(self, pointer: int) -> bool:
        """Return whether a pointer leads to a precise variable or member."""
        indexes: list[int] = []
        base = pointer
        while True:
            if self.is_precise(base):
                return True
            chain = self.chains.get(base)
            if chain is None:
                break
            indexes[:0] = chain.ints()[1:]
            base = chain.id(0)
        if not indexes:
            return False
        info = self.b.pointee_of(base)
        for index in indexes:
            while info.kind == "pointer":
                info = info.elem
            if info.kind == "struct":
                number = self.b.constant_value(index)
                if not isinstance(number, int):
                    return False
                if info.members[number].precise:
                    return True
                info = info.member_types[number]
            elif info.element is not None:
                info = info.element
            else:
                return False
        return False
