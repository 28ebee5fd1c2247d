"""From the builder's tables to a ``Module``: the walk that decides order and numbers of everything.

It mirrors DXC's, whose output the tests of its suite describe: ids are given in the order of first mention, names and
layout decorations are written with what they belong to, types right before their first use, all constants that were
asked for in front of the variables, and functions last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .. import enums as e
from .. import op
from ..grammar.tables import TERMINATORS, ext_inst_flags, id_flags, plain_ids
from ..ir import Block, Function, Instruction, Module, Operand, RawInstruction
from ..literal import Literal
from .declarations import NON_UNIFORM, PRECISE, RELAXED, Entry
from .images import ImageBuilder
from .lines import LineWriter
from .order import readable_order
from .types import INTERFACE_STORAGE, INTERFACE_UNIFORM, TypeInfo

_ARITHMETIC = frozenset(
    (
        op.OpSNegate, op.OpFNegate, op.OpIAdd, op.OpFAdd, op.OpISub, op.OpFSub, op.OpIMul, op.OpFMul, op.OpUDiv,
        op.OpSDiv, op.OpFDiv, op.OpUMod, op.OpSRem, op.OpSMod, op.OpFRem, op.OpFMod, op.OpVectorTimesScalar,
        op.OpMatrixTimesScalar, op.OpVectorTimesMatrix, op.OpMatrixTimesVector, op.OpMatrixTimesMatrix,
        op.OpOuterProduct, op.OpDot, op.OpIAddCarry, op.OpISubBorrow, op.OpUMulExtended, op.OpSMulExtended,
    )
)  # fmt: skip
"""Opcodes that may be decorated NoContraction."""


class InterfaceGlobals:
    """Module variables that entry points list from SPIR-V 1.4 on, besides the stage variables."""

    def __init__(self, variables: Sequence[Instruction]) -> None:
        stage = (e.StorageClass.Input, e.StorageClass.Output)
        self.order = {v.result_id: at for at, v in enumerate(variables) if v.operands[0] not in stage}
        self.owners: Mapping[int, int] | None = None
        self.common: list[int] = []
        self.owned: dict[int, list[int]] = {}

    def of(self, entry: Entry) -> list[int]:
        """Return the variables that belong to all entry points or to this one, in order of declaration."""
        if entry.owners is not self.owners:
            self._separate(entry.owners)
        owned = self.owned.get(entry.function)
        return sorted([*self.common, *owned], key=self.order.__getitem__) if owned else self.common

    def _separate(self, owners: Mapping[int, int]) -> None:
        self.owners, self.common, self.owned = owners, [], {}
        for variable in self.order:
            owner = owners.get(variable)
            (self.common if owner is None else self.owned.setdefault(owner, [])).append(variable)


class Emitter:
    """One run of ``ModuleBuilder.finalize``."""

    def __init__(self, builder: ImageBuilder, version: int) -> None:
        self.b = builder
        self.module = Module(version=version)
        self.ids: dict[int, int] = {}
        self.early: set[int] = set()
        """Types and constants mentioned by a decoration before they are written."""
        self.next_id = 1
        self.writing: set[int] = set()
        """Structs whose members are being written."""
        self.postponed: list[int] = []
        self.undef_types = {number: type_id for type_id, number in builder.undefs.items()}
        self.set_names = {number: name for name, number in builder.ext_sets.items()}
        self.forward: dict[int, int] = dict(builder.forward_pointers)
        self.types_out: list[Instruction] = []
        self.globals_out: list[Instruction] = []
        self.lines = LineWriter(self)
        self.marks = builder.marks
        self.names = builder.names
        self.quick = not builder.line_mode and not builder.strict_ieee
        """Whether most instructions need nothing but their ids replaced."""

    # ---- ids

    def fresh(self) -> int:
        """The next id."""
        number = self.next_id
        self.next_id = number + 1
        return number

    def assign(self, provisional: int) -> int:
        """The final id, given now if need be; nothing is written."""
        number = self.ids.get(provisional)
        if number is None:
            number = self.ids[provisional] = self.fresh()
        return number

    def mention(self, provisional: int) -> int:
        """``assign`` for something that will be written later."""
        b = self.b
        if provisional not in self.ids and (
            provisional in b.types or provisional in b.constants or provisional in self.undef_types
        ):
            self.early.add(provisional)
        return self.assign(provisional)

    def ref(self, provisional: int) -> int:
        """The final id of an operand; types, constants and undefs are written if they are not yet."""
        number = self.ids.get(provisional)
        if number is not None and provisional not in self.early:
            return number
        if provisional in self.b.types:
            return self.type(provisional)
        if provisional in self.b.constants:
            return self.constant(provisional)
        if provisional in self.undef_types:
            return self.undef(provisional)
        return self.assign(provisional)

    # ---- names and decorations

    def name(self, provisional: int) -> None:
        """OpName, if there is one."""
        text = self.b.names.get(provisional)
        if text:
            self.module.names.append(Instruction(op.OpName, 0, 0, [self.ids[provisional], text]))

    def decorate(self, number: int, *operands: Operand, opcode: int = op.OpDecorate) -> None:
        """A decoration of a final id."""
        self.module.annotations.append(Instruction(opcode, 0, 0, [number, *operands]))

    # ---- types

    def type(self, provisional: int) -> int:
        """The final id of a type, which is written if it is not yet."""
        known = self.ids.get(provisional)
        if known is not None and provisional not in self.early:
            return known
        self.early.discard(provisional)
        info = self.b.types[provisional]
        number = self.assign(provisional)
        if info.kind == "pointer" and info.elem.id in self.writing:
            self.postponed.append(provisional)  # declared forward: it is written behind the struct that holds it
            return number
        if info.name:
            self.module.names.append(Instruction(op.OpName, 0, 0, [number, info.name]))
        if info.kind == "struct":
            self.writing.add(provisional)
        operands = self._type_operands(info, number)
        self.types_out.append(Instruction(info.op, 0, number, operands))
        if info.kind == "struct":
            self._write_postponed(provisional, number)
        if info.kind in ("array", "runtime_array"):
            if info.stride is not None:
                self.decorate(number, e.Decoration.ArrayStride, info.stride)
            self._type_decorations(info, number)
        return number

    def _write_postponed(self, struct: int, number: int) -> None:
        """The pointers to a struct that stand in it, now that it is written."""
        self.writing.discard(struct)
        for pointer in [p for p in self.postponed if self.b.types[p].elem.id == struct]:
            self.postponed.remove(pointer)
            storage = self.b.types[pointer].storage
            self.types_out.append(Instruction(op.OpTypePointer, 0, self.ids[pointer], [storage, number]))

    def _type_operands(self, info: TypeInfo, number: int) -> list[Operand]:
        kind = info.kind
        if kind in ("void", "bool", "sampler", "acceleration_structure", "ray_query"):
            return []
        if kind == "int":
            return [info.width, int(info.signed)]
        if kind == "float":
            return [info.width]
        if kind in ("vector", "matrix"):
            return [self.type(info.elem.id), info.count]
        if kind == "array":
            length = self.ref(info.length_id or self.b.lazy_uint(info.count))
            return [self.type(info.elem.id), length]
        if kind in ("runtime_array", "sampled_image"):
            return [self.type(info.elem.id)]
        if kind == "node_payload_array":
            element = self.type(info.elem.id)
            self._type_decorations(info, number)
            return [element]
        if kind == "struct":
            return self._struct_operands(info, number)
        if kind == "pointer":
            return [info.storage, self.type(info.elem.id)]
        if kind in ("untyped_pointer", "buffer"):
            return [info.storage]
        if kind == "function":
            return [self.type(info.elem.id), *(self.type(param.id) for param in info.params)]
        if kind == "image":
            sampled = self.type(info.elem.id)
            return [sampled, info.dim, info.depth, int(info.arrayed), int(info.ms), info.sampled, info.format]
        flags = (True,) * len(info.operands) if kind == "inline" else id_flags(info.op, info.operands)
        out: list[Operand] = [
            self.ref(operand) if flag and operand.__class__ is int else int(operand)
            for operand, flag in zip(info.operands, flags, strict=True)
        ]
        self._type_decorations(info, number)
        return out

    def _struct_operands(self, info: TypeInfo, number: int) -> list[Operand]:
        for index, member in enumerate(info.members):
            if member.name:
                self.module.names.append(Instruction(op.OpMemberName, 0, 0, [number, index, member.name]))
        operands: list[Operand] = [self.type(member.type) for member in info.members]
        deco = e.Decoration
        member_op = op.OpMemberDecorate
        for index, member in enumerate(info.members):
            if member.offset is not None:
                self.decorate(number, index, deco.Offset, member.offset, opcode=member_op)
            if member.matrix_stride is not None:
                self.decorate(number, index, deco.MatrixStride, member.matrix_stride, opcode=member_op)
            if member.row_major is not None:
                self.decorate(number, index, deco.RowMajor if member.row_major else deco.ColMajor, opcode=member_op)
            if member.relaxed:
                self.decorate(number, index, deco.RelaxedPrecision, opcode=member_op)
            if info.read_only:
                self.decorate(number, index, deco.NonWritable, opcode=member_op)
            for decoration, literals in member.decorations:
                self.decorate(number, index, decoration, *literals, opcode=member_op)
        if info.interface == INTERFACE_STORAGE:
            self.decorate(number, deco.Block if self.b.storage_buffer_class else deco.BufferBlock)
        elif info.interface == INTERFACE_UNIFORM:
            self.decorate(number, deco.Block)
        self._type_decorations(info, number)
        return operands

    def _type_decorations(self, info: TypeInfo, number: int) -> None:
        for opcode, operands in info.decorations:
            out = list(operands)
            if opcode == op.OpDecorateId:
                out[1:] = [self.ref(operand) for operand in out[1:] if isinstance(operand, int)]
            self.decorate(number, *out, opcode=opcode)

    # ---- constants

    def constant(self, provisional: int) -> int:
        """The final id of a constant, which is written if it is not yet."""
        known = self.ids.get(provisional)
        if known is not None and provisional not in self.early:
            return known
        self.early.discard(provisional)
        info = self.b.constants[provisional]
        operands = info.operands
        if info.op in (op.OpConstantComposite, op.OpSpecConstantComposite):
            operands = [self.ref(part) for part in operands if isinstance(part, int)]
        elif info.op == op.OpSpecConstantOp:
            flags = id_flags(info.op, operands)
            operands = [
                self.ref(part) if flag and isinstance(part, int) else part
                for part, flag in zip(operands, flags, strict=True)
            ]
        type_id = self.type(info.type_id) if info.type_id else 0
        number = self.assign(provisional)
        self.types_out.append(Instruction(info.op, type_id, number, list(operands)))
        self.name(provisional)
        return number

    def undef(self, provisional: int) -> int:
        """The final id of an undef, which is written if it is not yet."""
        known = self.ids.get(provisional)
        if known is not None and provisional not in self.early:
            return known
        self.early.discard(provisional)
        type_id = self.type(self.undef_types[provisional])
        number = self.assign(provisional)
        self.types_out.append(Instruction(op.OpUndef, type_id, number, []))
        self.name(provisional)
        return number

    # ---- instructions

    def instruction(self, inst: Instruction, out: list[Instruction]) -> None:
        """``instructions`` for one."""
        self.instructions((inst,), out)

    def instructions(self, source: Iterable[Instruction], out: list[Instruction]) -> None:
        """Instructions with final ids, and the decorations by their marks, appended to ``out``.

        Most need nothing but their ids replaced: those take the quick way.
        """
        ids, marks, names = self.ids, self.marks, self.names
        ref, get, append = self.ref, self.ids.get, out.append
        for inst in source:
            opcode, provisional, operands = inst.op, inst.result_id, inst.operands
            if (
                not self.quick
                or self.early
                or opcode == op.OpExtInst
                or inst.__class__ is not Instruction
                or provisional in marks
                or len(operands) > plain_ids(opcode)
            ):
                self._instruction(inst, out)
                continue
            type_id = inst.type_id
            if type_id:
                type_id = get(type_id) or self.type(type_id)
            number = 0
            if provisional:
                number = get(provisional, 0)
                if not number:
                    number = ids[provisional] = self.next_id
                    self.next_id = number + 1
            words = [get(operand) or ref(operand) for operand in operands]  # type: ignore[arg-type]
            append(Instruction(opcode, type_id, number, words))  # type: ignore[arg-type]
            if provisional in names:
                self.name(provisional)

    def _instruction(self, inst: Instruction, out: list[Instruction]) -> None:
        """The general case of ``instruction``."""
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
                known = ids.get(operand)
                final.append(known if known is not None and operand not in early else ref(operand))
            else:
                final.append(int(operand) if operand.__class__ is Literal else operand)
        out.append(Instruction(opcode, type_id, number, final))
        if provisional in self.b.names:
            self.name(provisional)

    def _marks(self, opcode: int, provisional: int, marks: int) -> None:
        if marks & NON_UNIFORM:
            self.decorate(self.assign(provisional), e.Decoration.NonUniform)
        if marks & RELAXED:
            self.decorate(self.assign(provisional), e.Decoration.RelaxedPrecision)
        if (marks & PRECISE or self.b.strict_ieee) and opcode in _ARITHMETIC:
            decoration = e.Decoration.NoContraction
            if (op.OpDecorate, provisional, decoration) not in self.b.decorations:  # `mad` has it by itself
                self.decorate(self.assign(provisional), decoration)

    def _mapped(self, inst: Instruction, *, write: bool) -> Instruction:
        """A preamble instruction with final ids: mentioned only, or written (execution modes) as need be."""
        flags = id_flags(inst.op, inst.operands)
        take = self.ref if write else self.mention
        operands = [
            take(operand) if flag and isinstance(operand, int) else operand
            for operand, flag in zip(inst.operands, flags, strict=True)
        ]
        return Instruction(inst.op, 0, 0, operands)

    # ---- functions

    def function(self, function: Function) -> None:
        """A function with its reachable blocks."""
        b = self.b
        definition = function.definition
        result_type = self.type(definition.type_id)
        signature = self.type(definition.id(1))
        made = Function(Instruction(op.OpFunction, result_type, 0, [definition.id(0), signature]))
        self.lines.begin_function(definition, made.prelude)
        made.definition.result_id = self.assign(definition.result_id)
        self.name(definition.result_id)
        if b.marks.get(definition.result_id, 0) & RELAXED:
            self.decorate(made.definition.result_id, e.Decoration.RelaxedPrecision)
        for place, inst in function.header:
            if place == 0:
                self._header(made, inst)
        for param in function.parameters:
            self._header(made, param)
            made.parameters.append(made.header.pop()[1])
        for place, inst in function.header:
            if place:
                self._header(made, inst)
        if function.blocks:
            wide = frozenset(
                block.label
                for block in function.blocks
                if block.instructions
                and block.instructions[-1].op == op.OpSwitch
                and b.type_of(block.instructions[-1].id(0)).width > 32
            )
            for index, block in enumerate(readable_order(function.blocks, wide)):
                made.blocks.append(self.block(block, b.locals[definition.result_id] if index == 0 else ()))
        self.lines.end_function()
        self.module.functions.append(made)

    def _header(self, made: Function, inst: Instruction) -> None:
        """An instruction before the first block, with its line if it has one."""
        scratch: list[Instruction] = []
        self.instruction(inst, scratch)
        made.header += [(len(made.parameters), each) for each in scratch]

    def block(self, block: Block, variables: Iterable[Instruction]) -> Block:
        """A block, led by the function's variables if it is the first."""
        made = Block(self.assign(block.label))
        self.instructions(block.prelude, made.prelude)
        self.name(block.label)
        if block.label in self.b.block_heads:
            self.instructions(self.b.block_heads[block.label], made.instructions)
        self.instructions(variables, made.instructions)
        self.instructions(block.instructions, made.instructions)
        if not made.instructions or made.instructions[-1].op not in TERMINATORS:
            made.instructions.append(Instruction(op.OpUnreachable, 0, 0, []))
        return made

    # ---- the module

    def run(self) -> Module:
        """The module."""
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
        return module

    def _drop_dangling(self) -> None:
        """Remove decorations of what was not written: functions never called, blocks never reached."""
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
