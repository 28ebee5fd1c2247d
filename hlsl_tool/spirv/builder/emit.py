"""Convert the tables of the builder to a ``Module``, with final order and ids.

The order is DXC's, which the tests of its suite describe: ids are assigned in the order of first use, names and layout
decorations are written with their targets, types right before their first use, all requested constants before the
variables, and functions last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .. import op
from ..enums import Decoration, StorageClass
from ..grammar.tables import PLAIN_IDS, TERMINATORS, ext_inst_flags, id_flags, plain_ids
from ..ir import Block, Function, Instruction, Module, Operand, RawInstruction
from ..literal import Literal
from .declarations import NON_UNIFORM, PRECISE, RELAXED, Entry
from .emit_types import TypeEmitter
from .images import ImageBuilder
from .lines import LineWriter

_ARITHMETIC = frozenset(
    (
        op.OpSNegate, op.OpFNegate, op.OpIAdd, op.OpFAdd, op.OpISub, op.OpFSub, op.OpIMul, op.OpFMul, op.OpUDiv,
        op.OpSDiv, op.OpFDiv, op.OpUMod, op.OpSRem, op.OpSMod, op.OpFRem, op.OpFMod, op.OpVectorTimesScalar,
        op.OpMatrixTimesScalar, op.OpVectorTimesMatrix, op.OpMatrixTimesVector, op.OpMatrixTimesMatrix,
        op.OpOuterProduct, op.OpDot, op.OpIAddCarry, op.OpISubBorrow, op.OpUMulExtended, op.OpSMulExtended,
    )
)  # fmt: skip
"""Opcodes that may be decorated NoContraction."""

_CONTEXTUAL = frozenset((op.OpExtInst, op.OpSwitch))
"""Opcodes whose operands depend on a set of instructions, or on a type."""


class InterfaceGlobals:
    """Module variables, other than stage variables, that entry points list from SPIR-V 1.4 on."""

    def __init__(self, variables: Sequence[Instruction]) -> None:
        stage = (StorageClass.Input, StorageClass.Output)
        self.order = {v.result_id: at for at, v in enumerate(variables) if v.operands[0] not in stage}
        self.owners: Mapping[int, int] | None = None
        self.common: list[int] = []
        self.owned: dict[int, list[int]] = {}

    def of(self, entry: Entry) -> list[int]:
        """Return the variables of this entry point and those common to all, in order of declaration."""
        if entry.owners is not self.owners:
            self._separate(entry.owners)
        owned = self.owned.get(entry.function)
        return sorted([*self.common, *owned], key=self.order.__getitem__) if owned else self.common

    def _separate(self, owners: Mapping[int, int]) -> None:
        self.owners, self.common, self.owned = owners, [], {}
        for variable in self.order:
            owner = owners.get(variable)
            (self.common if owner is None else self.owned.setdefault(owner, [])).append(variable)


class Emitter(TypeEmitter):
    """A single run of ``ModuleBuilder.finalize``."""

    __deletable__ = ("lines",)

    def __init__(self, builder: ImageBuilder, version: int) -> None:
        super().__init__(builder, version)
        self.set_names = {number: name for name, number in builder.ext_sets.items()}
        self.forward: dict[int, int] = dict(builder.forward_pointers)
        self.globals_out: list[Instruction] = []
        self.lines = LineWriter(self)
        self.marks = builder.marks
        self.names = builder.names
        self.quick = not builder.line_mode and not builder.strict_ieee
        """Whether most instructions only need their ids replaced."""

    # ---- instructions

    def instruction(self, inst: Instruction, out: list[Instruction]) -> None:
        """Append one instruction with final ids to ``out``."""
        self.instructions((inst,), out)

    def instructions(self, source: Iterable[Instruction], out: list[Instruction]) -> None:
        """Append instructions with final ids to ``out``; write decorations of their results, such as NonUniform.

        For most instructions, only ids are replaced, without further function calls.
        """
        ids, marks, names, plain = self.ids, self.marks, self.names, PLAIN_IDS
        ref, get, append = self.ref, self.ids.get, out.append
        for inst in source:
            opcode, provisional, operands = inst.op, inst.result_id, inst.operands
            if not self.quick or self.early or opcode in _CONTEXTUAL or inst.__class__ is not Instruction:
                self._instruction(inst, out)
                continue
            type_id = inst.type_id
            if type_id:
                type_id = get(type_id) or self.type(type_id)
            if provisional in marks:
                self._marks(opcode, provisional, marks[provisional])
            number = 0
            if provisional:
                number = get(provisional, 0)
                if not number:
                    number = ids[provisional] = self.next_id
                    self.next_id = number + 1
            words: list[Operand]
            if len(operands) <= plain.get(opcode, -1):
                words = [get(operand) or ref(operand) for operand in operands]  # type: ignore[arg-type]
            else:
                flags = id_flags(opcode, operands)
                words = [
                    get(operand) or ref(operand) if is_id else operand  # type: ignore[arg-type]
                    for operand, is_id in zip(operands, flags, strict=True)
                ]
                plain_ids(opcode)
            append(Instruction(opcode, type_id, number, words))
            if provisional in names:
                self.name(provisional)

    def _instruction(self, inst: Instruction, out: list[Instruction]) -> None:
        """Append one instruction with final ids; it may have decorations, a position and operands that are not ids."""
        opcode = inst.op
        provisional = inst.result_id
        type_id = self.type(inst.type_id) if inst.type_id else 0
        marks = self.b.marks.get(provisional) if provisional else None
        strict = self.b.strict_ieee
        if marks or (strict and opcode in _ARITHMETIC):
            self._marks(opcode, provisional, marks or 0)
        self.lines.before(inst, out)
        number = self.assign(provisional) if provisional else 0
        operands = inst.operands
        literal_words = 1
        flags: Sequence[bool]
        if opcode == op.OpSwitch:
            literal_words = 2 if self.b.type_of(inst.id(0)).width > 32 else 1
        if inst.__class__ is RawInstruction:
            flags = (True,) * len(operands)
        elif opcode == op.OpExtInst:
            flags = ext_inst_flags(self.set_names.get(inst.id(0), ""), operands)
        else:
            flags = id_flags(opcode, operands, literal_words)
        ref = self.ref
        ids = self.ids
        early = self.early
        final: list[Operand] = []
        for operand, is_id in zip(operands, flags, strict=True):
            if is_id and operand.__class__ is int:
                final_id = ids.get(operand)
                final.append(final_id if final_id is not None and operand not in early else ref(operand))
            else:
                final.append(int(operand) if operand.__class__ is Literal else operand)
        out.append(Instruction(opcode, type_id, number, final))
        if provisional in self.b.names:
            self.name(provisional)

    def _marks(self, opcode: int, provisional: int, marks: int) -> None:
        """Write NonUniform, RelaxedPrecision and NoContraction for an instruction's result, as ``marks`` selects."""
        if marks & NON_UNIFORM:
            self.decorate(self.assign(provisional), Decoration.NonUniform)
        if marks & RELAXED:
            self.decorate(self.assign(provisional), Decoration.RelaxedPrecision)
        if (marks & PRECISE or self.b.strict_ieee) and opcode in _ARITHMETIC:
            decoration = Decoration.NoContraction
            if (op.OpDecorate, provisional, decoration) not in self.b.decorations:  # `mad` is decorated already
                self.decorate(self.assign(provisional), decoration)

    def _mapped(self, inst: Instruction, *, write: bool) -> Instruction:
        """Return a preamble instruction with final ids.

        With ``write`` also write the types and constants that it uses.
        """
        flags = id_flags(inst.op, inst.operands)
        take = self.ref if write else self.mention
        operands = [
            take(operand) if flag and isinstance(operand, int) else operand
            for operand, flag in zip(inst.operands, flags, strict=True)
        ]
        return Instruction(inst.op, 0, 0, operands)

    # ---- functions

    def function(self, function: Function) -> None:
        """Write a function with its reachable blocks."""
        b = self.b
        definition = function.definition
        result_type = self.type(definition.type_id)
        signature = self.type(definition.id(1))
        written = Function(Instruction(op.OpFunction, result_type, 0, [definition.id(0), signature]))
        self.lines.begin_function(definition, written.prelude)
        written.definition.result_id = self.assign(definition.result_id)
        self.name(definition.result_id)
        if b.marks.get(definition.result_id, 0) & RELAXED:
            self.decorate(written.definition.result_id, Decoration.RelaxedPrecision)
        for place, inst in function.header:
            if place == 0:
                self._header(written, inst)
        for param in function.parameters:
            self._header(written, param)
            written.parameters.append(written.header.pop()[1])
        for place, inst in function.header:
            if place:
                self._header(written, inst)
        if function.blocks:
            for index, block in enumerate(b.ordered_blocks(function)):
                written.blocks.append(self.block(block, b.locals[definition.result_id] if index == 0 else ()))
        self.lines.end_function()
        self.module.functions.append(written)

    def _header(self, written: Function, inst: Instruction) -> None:
        """Append an instruction and its source position to ``written``, a function whose blocks are not written yet."""
        scratch: list[Instruction] = []
        self.instruction(inst, scratch)
        written.header += [(len(written.parameters), emitted) for emitted in scratch]

    def block(self, block: Block, variables: Iterable[Instruction]) -> Block:
        """Return a block with final ids; for the first block, ``variables`` are the function's local variables."""
        written = Block(self.assign(block.label))
        self.instructions(block.prelude, written.prelude)
        self.lines.before_label(written.prelude)
        self.name(block.label)
        if block.label in self.b.block_heads:
            self.instructions(self.b.block_heads[block.label], written.instructions)
        self.instructions(variables, written.instructions)
        self.instructions(block.instructions, written.instructions)
        if not written.instructions or written.instructions[-1].op not in TERMINATORS:
            written.instructions.append(Instruction(op.OpUnreachable, 0, 0, []))
        return written

    # ---- the module

    def run(self) -> Module:
        """Write all sections and return the finished module."""
        b, module = self.b, self.module
        module.capabilities = [Instruction(op.OpCapability, 0, 0, [number]) for number in b.capabilities]
        module.extensions = [Instruction(op.OpExtension, 0, 0, [name]) for name in b.extensions]
        for name, provisional in b.ext_sets.items():
            module.ext_inst_imports.append(Instruction(op.OpExtInstImport, 0, self.assign(provisional), [name]))
        module.memory_model = [Instruction(op.OpMemoryModel, 0, 0, [b.addressing_model, b.memory_model])]
        interface_globals = InterfaceGlobals(b.variables)
        for entry in b.entries:
            interface = dict.fromkeys(entry.interface)
            if module.version >= 0x00010400:
                interface.update(dict.fromkeys(interface_globals.of(entry)))
            operands: list[Operand] = [entry.model, self.assign(entry.function), entry.name]
            operands += [self.assign(variable) for variable in interface]
            module.entry_points.append(Instruction(op.OpEntryPoint, 0, 0, operands))
        module.execution_modes = [self._mapped(inst, write=True) for inst in b.execution_modes.values()]
        for text, provisional in b.strings.items():
            module.sources.append(Instruction(op.OpString, 0, self.assign(provisional), [text]))
        module.sources += [self._mapped(inst, write=True) for inst in b.sources]
        module.processed = [Instruction(op.OpModuleProcessed, 0, 0, [text]) for text in b.processed]
        module.annotations += [self._mapped(inst, write=False) for inst in b.decorations.values()]
        for provisional in b.constant_order:
            self.constant(provisional)
        for provisional in b.undefs.values():
            self.undef(provisional)
        self.instructions(b.variables, self.globals_out)
        self.instructions(b.debug_globals, self.globals_out)
        for function in b.functions:
            self.function(function)
        forward = [
            Instruction(op.OpTypeForwardPointer, 0, 0, [self.ids[pointer], storage])
            for pointer, storage in self.forward.items()
            if pointer in self.ids
        ]
        module.globals = forward + self.types_out + self.globals_out
        module.bound = self.next_id
        self._drop_dangling()
        del self.lines  # it refers to this object: a cycle, which only the garbage collector would free
        return module

    def _drop_dangling(self) -> None:
        """Remove decorations of ids that were not written, such as those in functions that are never called."""
        module = self.module
        defined = {inst.result_id for inst in module.globals}
        defined.update(inst.result_id for inst in module.sources)
        for function in module.functions:
            defined.add(function.id)
            defined.update(param.result_id for param in function.parameters)
            for block in function.blocks:
                defined.add(block.label)
                defined.update(inst.result_id for inst in block.instructions)
        module.annotations = [inst for inst in module.annotations if inst.operands[0] in defined]
