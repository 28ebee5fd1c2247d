"""Compare-exchange floats by their bits, since SPIR-V has the instruction for integers only.

Before: ``OpAtomicCompareExchange`` on floats, which is invalid. After: the variables that it accesses have unsigned
integers in place of 32-bit floats, and loads, stores and atomics convert; matrices are not changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.codegen.passes.global_definitions import Globals, order_definitions
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ARRAYS
from hlsl_tool.spirv.analysis.uses import uses
from hlsl_tool.spirv.ir import Instruction, Module

_ATOMIC_VALUES: dict[int, tuple[int, ...]] = {
    op.OpAtomicCompareExchange: (4, 5),
    op.OpAtomicExchange: (3,),
    op.OpAtomicLoad: (),
    op.OpAtomicStore: (3,),
}
"""Atomic that integers and floats have → its operands of the type of the memory."""
_OTHER_USES = frozenset((op.OpArrayLength, op.OpExtInst))
"""Instructions that name a pointer without accessing what it points to."""


class NotTraceable(Exception):
    """Raised for memory whose type cannot be changed; its message is the reason."""


def compare_floats_as_integers(module: Module) -> None:
    """Change the types of variables with compare-exchanges of floats, in place.

    Raise `NotTraceable` if that is impossible.
    """
    retyping = _Retyping(module)
    targets = set(retyping.compared_variables())
    if not targets:
        return
    for variable in targets:
        retyping.retype_variable(variable)
    for function in module.functions:
        for block in function.blocks:
            block.instructions = [emitted for inst in block.instructions for emitted in retyping.rewritten(inst)]
    order_definitions(module)


class _Retyping:
    """The changed types of variables, and the pointers into these variables."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.globals = Globals(module)
        self.definitions = module.definitions()
        self.pointees: dict[int, tuple[int, int]] = {}
        """Pointer into a retyped variable → types of its pointee, before and after."""
        self.types: dict[int, int] = {}

    def compared_variables(self) -> Iterator[int]:
        """Yield the variables that compare-exchanges of floats access."""
        for function in self.module.functions:
            chains = {inst.result_id: inst.id(0) for inst in function.instructions() if inst.op in ACCESS_CHAINS}
            for inst in function.instructions():
                if inst.op != op.OpAtomicCompareExchange or self._opcode(inst.type_id) != op.OpTypeFloat:
                    continue
                pointer = inst.id(0)
                while pointer in chains:
                    pointer = chains[pointer]
                if self._opcode(pointer) != op.OpVariable:
                    raise NotTraceable("on a parameter or a local name of memory")
                yield pointer

    def _opcode(self, number: int) -> int:
        """Return the opcode of a module-level definition; 0 for a value inside a function."""
        definition = self.definitions.get(number)
        return definition.op if definition is not None else 0

    def retype_variable(self, variable: int) -> None:
        definition = self.definitions[variable]
        pointer = self.definitions[definition.type_id]
        before, after = pointer.id(1), self.retyped(pointer.id(1))
        definition.type_id = self.globals.pointer(pointer.id(0), after)
        self.pointees[variable] = before, after

    def retyped(self, type_id: int) -> int:
        """Return the id of a type like this with unsigned integers in place of floats."""
        number = self.types.get(type_id)
        if number is None:
            number = self.types[type_id] = self._retype(type_id)
        return number

    def _retype(self, type_id: int) -> int:
        inst = self.definitions[type_id]
        if inst.op == op.OpTypeFloat:
            return self.globals.find(op.OpTypeInt, 0, 32, 0) if inst.id(0) == 32 else type_id
        if inst.op == op.OpTypeVector:
            element = self.retyped(inst.id(0))
            return type_id if element == inst.id(0) else self.globals.find(op.OpTypeVector, 0, element, inst.id(1))
        if inst.op not in ARRAYS and inst.op != op.OpTypeStruct:
            return type_id
        parts = inst.ints()
        count = 1 if inst.op in ARRAYS else len(parts)
        changed = [*(self.retyped(part) for part in parts[:count]), *parts[count:]]
        if changed == parts:
            return type_id
        number = self.globals.take_id()
        self.definitions[number] = copy = Instruction(inst.op, 0, number, list(changed))
        self.module.globals.append(copy)
        for section in (self.module.names, self.module.annotations):
            copies = [annotation.copy() for annotation in section if annotation.operands[0] == type_id]
            for annotation in copies:
                annotation.operands[0] = number
            section += copies
        return number

    # ---- instructions

    def rewritten(self, inst: Instruction) -> list[Instruction]:
        """Return the instructions that replace an instruction.

        The result is only ``inst`` if it does not access a changed variable.
        """
        if inst.op in _OTHER_USES or not uses(inst, self.pointees):
            return [inst]
        if inst.op in ACCESS_CHAINS and inst.id(0) in self.pointees:
            self._follow(inst)
            return [inst]
        if (inst.op in (op.OpLoad, op.OpStore) or inst.op in _ATOMIC_VALUES) and inst.id(0) in self.pointees:
            return self._accessed(inst)
        before, after = self.pointees.get(inst.id(0), (0, 1))
        if before == after:  # an atomic on another member
            return [inst]
        raise NotTraceable(
            "on a variable that is also passed to a function, copied, or changed by another atomic on floats"
        )

    def _follow(self, chain: Instruction) -> None:
        before, after = self.pointees[chain.id(0)]
        for index in chain.ints()[1:]:
            before, after = self._element(before, index), self._element(after, index)
        self.pointees[chain.result_id] = before, after
        storage = self.definitions[chain.type_id].id(0)
        chain.type_id = self.globals.pointer(storage, after) if before != after else chain.type_id

    def _element(self, type_id: int, index: int) -> int:
        inst = self._type(type_id)
        if inst.op == op.OpTypeStruct:
            return inst.id(self.definitions[index].id(0))
        return inst.id(0)

    def _type(self, number: int) -> Instruction:
        """Return the instruction that defines a type, including types added by this pass."""
        if number not in self.definitions:
            self.definitions.update(self.module.definitions())
        return self.definitions[number]

    def _accessed(self, inst: Instruction) -> list[Instruction]:
        """Return a load, store or atomic together with the conversions of the values that it reads and writes."""
        before, after = self.pointees[inst.id(0)]
        if before == after:
            if inst.op == op.OpAtomicCompareExchange and self._type(after).op == op.OpTypeFloat:
                raise NotTraceable("on a component of a matrix")
            return [inst]
        out: list[Instruction] = []
        for at in (1,) if inst.op == op.OpStore else _ATOMIC_VALUES.get(inst.op, ()):
            inst.operands[at] = self._convert(inst.id(at), before, after, out)
        out.append(inst)
        if inst.type_id:
            result, inst.result_id, inst.type_id = inst.result_id, self.module.take_id(), after
            last = self._convert(inst.result_id, after, before, out)
            assert out[-1].result_id == last
            out[-1].result_id = result
        return out

    def _convert(self, value: int, source: int, target: int, out: list[Instruction]) -> int:
        """Append to ``out`` the instructions that convert a value from type ``source`` to type ``target``.

        Return the id of the result.
        """
        if source == target:
            return value
        inst, wanted = self._type(source), self._type(target)
        if inst.op not in (op.OpTypeArray, op.OpTypeStruct):
            return self._emit(op.OpBitcast, target, [value], out)
        is_array = inst.op == op.OpTypeArray
        count = self.definitions[inst.id(1)].id(0) if is_array else len(inst.operands)
        parts = []
        for i in range(count):
            at = 0 if is_array else i
            part = self._emit(op.OpCompositeExtract, inst.id(at), [value, i], out)
            parts.append(self._convert(part, inst.id(at), wanted.id(at), out))
        return self._emit(op.OpCompositeConstruct, target, parts, out)

    def _emit(self, opcode: int, type_id: int, operands: list[int], out: list[Instruction]) -> int:
        number = self.module.take_id()
        out.append(Instruction(opcode, type_id, number, list(operands)))
        return number
