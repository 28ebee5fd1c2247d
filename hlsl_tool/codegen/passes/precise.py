"""Propagate ``precise`` from declarations to the arithmetic that computes their values.

Before: ``PRECISE`` marks variables, parameters and functions (their return value) that are declared precise;
``Member.precise`` marks struct members. After: every value that flows into one of them is marked as well; the builder
decorates the arithmetic among them with NoContraction. Instructions are visited backwards, so that uses come before
definitions.

If the builder requests it (``precise_calls``), the visit is repeated until nothing changes, and follows values through
calls, methods, outputs and local variables: a function is marked if one of its calls has a precise result, and so is a
variable if a precise value is loaded from it. Without the request, as in DXC and under ``-fcgl``, this does not happen.
In a struct with members that are declared precise, only these are marked.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, BIT_FIELDS, SUBGROUP
from hlsl_tool.spirv.builder import PRECISE, ModuleBuilder, TypeInfo
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Instruction

from .walk import ATOMICS, BINARY, UNARY, function_body

_OWN_MEMORY = frozenset((StorageClass.Function, StorageClass.Private, StorageClass.Workgroup))
_ALL_OPERANDS = UNARY | BINARY | {op.OpCompositeConstruct}


def propagate_precise(builder: ModuleBuilder) -> None:
    """Mark the values that flow into precise variables, members, parameters and results."""
    declared = any(member.precise for info in builder.types.values() for member in info.members)
    if not declared and not any(flags & PRECISE for flags in builder.marks.values()):
        return
    work = _Work(builder)
    work.walk()
    while builder.precise_calls and work.changed:
        work.changed = False
        work.walk()


class _Work:
    """The backward propagation in one module."""

    def __init__(self, builder: ModuleBuilder) -> None:
        self.b = builder
        self.function_is_precise = False
        self.changed = False
        """Whether a value was marked since this was last cleared."""
        self.chains = {
            inst.result_id: inst
            for function in builder.functions
            for inst in function.instructions()
            if inst.op in ACCESS_CHAINS
        }
        self.parameters = {function.id: [p.result_id for p in function.parameters] for function in builder.functions}

    def walk(self) -> None:
        """Visit every instruction once, in reverse order."""
        for function in reversed(self.b.functions):
            self.function_is_precise = self.is_precise(function.id)
            for inst in reversed(list(function_body(self.b, function))):
                self.visit(inst)
        for variable in reversed(self.b.variables):
            self.visit(variable)

    def mark(self, value: int) -> None:
        """Mark a value as precise."""
        if not self.is_precise(value):
            self.b.mark(value, PRECISE)
            self.changed = True

    def is_precise(self, value: int) -> bool:
        return self.b.has_mark(value, PRECISE)

    def visit(self, inst: Instruction) -> None:
        """Mark the operands of an instruction that flow into a precise result or precise memory."""
        opcode = inst.op
        if opcode == op.OpStore:
            if self._target_is_precise(inst.id(0)):
                self.mark(inst.id(1))
        elif opcode == op.OpReturnValue:
            if self.function_is_precise:
                self.mark(inst.id(0))
        elif opcode == op.OpFunctionCall:
            self._call(inst)
        elif inst.result_id and self.is_precise(inst.result_id):
            for source in self._sources(inst):
                self.mark(source)
            if opcode == op.OpLoad and self.b.precise_calls:
                self._mark_memory(inst.id(0))

    def _call(self, inst: Instruction) -> None:
        """Mark the arguments of precise parameters.

        With ``precise_calls`` also the callee of a precise result or output.
        """
        params = self.parameters.get(inst.id(0), [])
        follows = self.b.precise_calls
        if follows and self.is_precise(inst.result_id) and not self._is_declared(self.b.type_info(inst.type_id)):
            self.mark(inst.id(0))
        for param, argument in zip(params, inst.ints()[1:], strict=False):
            if self.is_precise(param):
                self.mark(argument)
                if follows:
                    self._mark_memory(argument)
            elif follows and self._is_pointer(param) and self._target_is_precise(argument):
                self.mark(param)

    def _mark_memory(self, pointer: int) -> None:
        """Mark the variable or parameter that a pointer points into, unless it is an interface variable or a buffer."""
        while pointer in self.chains:
            pointer = self.chains[pointer].id(0)
        is_own = self._is_pointer(pointer) and self.b.storage_of(pointer) in _OWN_MEMORY
        if is_own and not self._is_declared(self.b.pointee_of(pointer)):
            self.mark(pointer)

    def _is_pointer(self, value: int) -> bool:
        return self.b.type_of(value).kind == "pointer"

    @staticmethod
    def _is_declared(info: TypeInfo) -> bool:
        """Return whether a struct has members that are declared precise; the others are then not precise."""
        return any(member.precise for member in info.members)

    def _sources(self, inst: Instruction) -> list[int]:
        """Return the operands from which a precise result is computed."""
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
        """Return whether a pointer points into a precise variable or member."""
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
