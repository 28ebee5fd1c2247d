"""The functions of a module, cleaned from the innermost to the entry points."""

from __future__ import annotations

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module

from . import survey
from .cleaner import Cleaner
from .model import Body, Types, Unsuited
from .structure import targets_are_labels, with_one_exit

_DECORATIONS = (op.OpDecorate, op.OpDecorateId, op.OpDecorateString)


class Program:
    """What the cleaning of one module shares."""

    def __init__(self, module: Module) -> None:
        if any(inst.id(0) == e.Capability.Linkage for inst in module.capabilities):
            raise Unsuited("functions for others to call")
        self.module = module
        self.types = Types(module)
        self.functions = {function.id: function for function in module.functions}
        self.entries = {inst.id(1) for inst in module.entry_points}
        self.glsl = next((i.result_id for i in module.ext_inst_imports if i.operands[0] == glsl.SET), 0)
        self.decorations: dict[int, list[Instruction]] = {}
        """Id made in a function → its decorations."""
        self.volatile: set[int] = set()
        for inst in module.annotations:
            number = inst.id(0)
            if inst.op in _DECORATIONS and number not in self.types.definitions:
                self.decorations.setdefault(number, []).append(inst)
        self.new_annotations: list[Instruction] = []
        self.bodies: dict[int, Body | None] = {}
        self.blocks: dict[int, list[Block]] = {}
        self.roots: dict[int, dict[int, int]] = {}
        self.may_mix_storage = False
        """Whether a pointer may be of another storage class than its type says."""
        self.in_memory: dict[int, frozenset[int]] = {}
        self.privates: dict[int, int | None] = {}
        """Private variable that is taken apart → its initializer."""
        self.private_types: dict[int, int] = {}
        self._survey()

    # ---- what can be taken apart

    def _survey(self) -> None:
        types = self.types
        privates = {}
        for inst in self.module.globals:
            if inst.op == op.OpVariable and inst.operands[0] == e.StorageClass.Private:
                value_type = types.pointee(inst.type_id)
                if survey.is_suited(types, value_type):
                    privates[inst.result_id] = value_type
        refused: set[int] = set()
        for number in self._callees_first():
            function = self.functions[number]
            if not function.blocks:
                raise Unsuited("a function that is imported")
            if not targets_are_labels(function.blocks):
                raise Unsuited("a switch by 64 bits")
            blocks = function.blocks if number in self.entries else with_one_exit(function, types)
            self.blocks[number] = blocks
            roots = survey.candidates(function, blocks, types)
            bad = survey.kept_in_memory(blocks, {**roots, **privates}, types, self.in_memory)
            refused |= bad
            self.in_memory[number] = frozenset(
                n for n, parameter in enumerate(function.parameters)
                if types.storage(parameter.type_id) == e.StorageClass.Function
                and (parameter.result_id in bad or parameter.result_id not in roots)
            )  # fmt: skip
            self.roots[number] = {root: type_id for root, type_id in roots.items() if root not in bad}
        for number, value_type in privates.items():
            if number not in refused:
                inst = types.definitions[number]
                self.privates[number] = inst.id(1) if len(inst.operands) > 1 else None
                self.private_types[number] = value_type

    def _callees_first(self) -> list[int]:
        order: list[int] = []
        state: dict[int, int] = {}

        def visit(number: int) -> None:
            if state.get(number) == 1:
                raise Unsuited("a recursion")
            if number in state:
                return
            state[number] = 1
            for inst in self.functions[number].instructions():
                if inst.op == op.OpFunctionCall:
                    visit(inst.id(0))
            state[number] = 2
            order.append(number)

        for number in sorted(self.entries):
            visit(number)
        return order

    def roots_of(self, function: Function) -> dict[int, int]:
        """What is taken apart in a function → its type."""
        return {**self.private_types, **self.roots[function.id]}

    # ---- bodies

    def body(self, number: int) -> Body:
        """The clean form of a function."""
        found = self.bodies.get(number)
        if found is None:
            function = self.functions[number]
            cleaner = Cleaner(self, function, self.blocks[number], is_entry=number in self.entries)
            found = self.bodies[number] = cleaner.run()
            cleaner.forget()
        return found

    def run(self) -> None:
        """Replace the functions of the module; the module stays as it is where that is not to be."""
        bodies = {}
        for number in self._callees_first():
            if number in self.entries:
                bodies[number] = self._function(number, self.body(number))
            else:
                self.body(number)
        module = self.module
        module.functions = [bodies[function.id] for function in module.functions if function.id in bodies]
        module.globals = module.globals + self.types.added
        module.annotations = module.annotations + self.new_annotations
        module.bound = self.types.next_id

    def _function(self, number: int, body: Body) -> Function:
        made = Function(self.functions[number].definition)
        for piece in body.pieces:
            made.blocks.append(Block(piece.label, [*piece.instructions, *piece.ends]))  # type: ignore[list-item]
        made.blocks[0].instructions[:0] = body.variables
        return made

    # ---- ids

    def copy_of(self, number: int) -> int:
        """A new id with the decorations of another."""
        made = self.types.new_id()
        if number in self.decorations:
            self.decorate_as(number, made)
        return made

    def decorate_as(self, number: int, made: int) -> None:
        """The decorations of one id for another, too."""
        for inst in self.decorations.get(number, ()):
            self.new_annotations.append(Instruction(inst.op, 0, 0, [made, *inst.operands[1:]]))
        self.decorations[made] = self.decorations[number]

    def storage_of(self, pointer: int, cleaner: Cleaner) -> int:
        """The storage class that a pointer points into."""
        chain = cleaner.chains.get(pointer)
        if chain is not None:
            return self.types.storage(chain.type_id)
        type_id = cleaner.type_of.get(pointer)
        if type_id is None:
            inst = self.types.definitions.get(pointer)
            if inst is None:
                raise Unsuited("a pointer from another function")
            type_id = inst.type_id
        return self.types.storage(type_id)
