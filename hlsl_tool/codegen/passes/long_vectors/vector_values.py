"""Types and values of a module with long vectors, and the instructions that replace theirs."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.codegen.passes.global_definitions import Globals
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder.limits import MAX_COMPONENTS
from hlsl_tool.spirv.enums import Decoration, StorageClass
from hlsl_tool.spirv.ir import Function, Instruction, Module, Operand

_OF_RESULTS = frozenset((Decoration.RelaxedPrecision, Decoration.NoContraction, Decoration.FPFastMathMode))
"""Decorations of an operation that also apply to the operations on its components."""


class Values:
    """Types of a module's values, and the instructions emitted for the current block."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.globals = Globals(module)
        self.long_types: dict[int, tuple[int, int]] = {}
        """Type → (type of the components, their number)."""
        for inst in module.globals:
            if inst.op == op.OpTypeVector and inst.id(1) > MAX_COMPONENTS:
                self.long_types[inst.result_id] = inst.id(0), inst.id(1)
        self.definitions = {inst.result_id: inst for inst in module.globals if inst.result_id}
        self.type_of: dict[int, int] = {inst.result_id: inst.type_id for inst in module.globals if inst.type_id}
        self.out: list[Instruction] = []
        self._components: dict[int, list[int]] = {}
        """Long vectors that were computed → their components."""
        self._extracted: dict[int, list[int]] = {}
        """Other long vectors → their components, within the block."""
        self._variables: list[Instruction] = []
        """New variables of the function."""
        self._structs: dict[int, int] = {}
        self._computed: set[int] = set()
        """Results that are composites of components now, of all functions."""
        self._decorations: dict[int, list[Instruction]] = {}
        for inst in module.annotations:
            if inst.op == op.OpDecorate and inst.operands[1] in _OF_RESULTS:
                self._decorations.setdefault(inst.id(0), []).append(inst)

    # ---- questions

    def shape(self, type_id: int) -> tuple[int, int]:
        """Return (component type, number of components) of a scalar or a vector of any size."""
        if type_id in self.long_types:
            return self.long_types[type_id]
        inst = self.definitions[type_id]
        return (inst.id(0), inst.id(1)) if inst.op == op.OpTypeVector else (type_id, 1)

    def is_long(self, value: Operand) -> bool:
        """Return whether an id is a value of a long vector type."""
        return isinstance(value, int) and self.type_of.get(value) in self.long_types

    def is_float(self, type_id: int) -> bool:
        """Return whether a type is a floating-point type."""
        return self.definitions[type_id].op == op.OpTypeFloat

    # ---- types

    def declare(self, opcode: int = op.OpTypeArray) -> None:
        """Change the types of long vectors to arrays, or to types of another opcode with the same operands."""
        for type_id, (_, count) in self.long_types.items():
            inst = self.definitions[type_id]
            inst.op = opcode
            inst.operands = [inst.id(0), self.globals.uint(count)]
            self._put_before(inst, inst.id(1))

    def _put_before(self, user: Instruction, constant: int) -> None:
        """Move a constant and its type before the instruction ``user`` if they come after it."""
        module = self.module
        definition = next(inst for inst in module.globals if inst.result_id == constant)
        for number in (definition.type_id, constant):
            at = next(i for i, inst in enumerate(module.globals) if inst is user)
            place = next(i for i, inst in enumerate(module.globals) if inst.result_id == number)
            if place > at:
                module.globals.insert(at, module.globals.pop(place))

    def finish(self) -> None:
        """Remove decorations that arrays cannot have."""
        gone = {id(inst) for number in self._computed for inst in self._decorations.get(number, ())}
        self.module.annotations = [inst for inst in self.module.annotations if id(inst) not in gone]

    def scalar_struct(self, struct: int) -> int:
        """Return the id of a struct type with a single component in place of each long vector member of ``struct``."""
        number = self._structs.get(struct)
        if number is None:
            number = self._structs[struct] = self.module.take_id()
            members = [self.shape(member)[0] for member in self.definitions[struct].ints()]
            self.module.globals.append(Instruction(op.OpTypeStruct, 0, number, [*members]))
        return number

    # ---- writing

    def begin_function(self, function: Function) -> None:
        """Record the types of a function's values."""
        self._components.clear()
        self._variables = []
        for inst in (*function.parameters, *function.instructions()):
            if inst.type_id:
                self.type_of[inst.result_id] = inst.type_id

    def end_function(self, function: Function) -> None:
        """Insert the declarations of the new local variables."""
        if self._variables:
            first = function.blocks[0].instructions
            first[:0] = self._variables

    def begin_block(self) -> None:
        """Clear the list of emitted instructions."""
        self.out = []
        self._extracted = {}

    def emit(self, opcode: int, type_id: int, *operands: Operand, like: int = 0, result: int = 0) -> int:
        """Emit an instruction; return its result id, which gets the decorations of ``like``."""
        number = result or self.module.take_id()
        self.out.append(Instruction(opcode, type_id, number, list(operands)))
        self.type_of[number] = type_id
        for decoration in self._decorations.get(like, ()):
            self.module.annotations.append(Instruction(op.OpDecorate, 0, 0, [number, *decoration.operands[1:]]))
        return number

    def components(self, value: int) -> list[int]:
        """Return the ids of a vector's components (or the scalar itself); emit extractions if they are not known."""
        known = self._components.get(value) or self._extracted.get(value)
        if known is not None:
            return known
        element, count = self.shape(self.type_of[value])
        if count == 1:
            return [value]
        definition = self.definitions.get(value)
        if definition is not None and definition.op == op.OpConstantComposite:
            return definition.ints()
        if definition is not None and definition.op == op.OpConstantNull:
            return [self.globals.null(element)] * count
        parts = [self.emit(op.OpCompositeExtract, element, value, i) for i in range(count)]
        self._extracted[value] = parts
        return parts

    def construct(self, inst: Instruction, parts: Sequence[int]) -> None:
        """Define the result of ``inst`` as the scalar, vector or array with these components."""
        if inst.type_id in self.long_types:
            self._components[inst.result_id] = list(parts)
            self._computed.add(inst.result_id)
        if len(parts) == 1:
            self.out.append(Instruction(op.OpCopyObject, inst.type_id, inst.result_id, [parts[0]]))
        else:
            self.out.append(Instruction(op.OpCompositeConstruct, inst.type_id, inst.result_id, [*parts]))

    def variable(self, type_id: int) -> int:
        pointer = self.globals.pointer(StorageClass.Function, type_id)
        number = self.module.take_id()
        self._variables.append(Instruction(op.OpVariable, pointer, number, [StorageClass.Function]))
        return number

    def element_pointer(self, array: int, type_id: int, index: int) -> int:
        """Store ``array`` in a new local variable, and return a pointer to one of its components."""
        holder = self.variable(self.type_of[array])
        self.out.append(Instruction(op.OpStore, 0, 0, [holder, array]))
        return self.chain(holder, type_id, index)

    def chain(self, holder: int, type_id: int, index: int) -> int:
        """Return a pointer to an element of a local variable."""
        return self.emit(op.OpAccessChain, self.globals.pointer(StorageClass.Function, type_id), holder, index)
