"""Record functions of one module, and write them into others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hlsl_tool.base.system.dataclass import dataclass

from .. import op
from ..grammar.tables import ext_inst_flags, id_flags
from ..ir import Block, Function, Instruction, Operand
from . import ModuleBuilder
from .symbols import NotShareable, SymbolTable


@dataclass(slots=True, eq=False)
class RecordedFunction:
    """The instructions of a function with symbols (ids valid in all modules) in place of ids."""

    first: int
    """Symbol of the function; those of the other ids that it defines follow."""
    count: int
    """Number of these symbols, including the function's own; some are unused."""
    definition: Instruction
    parameters: list[Instruction]
    variables: list[Instruction]
    blocks: list[Block]
    names: dict[int, str]
    marks: dict[int, int]
    decorations: list[Instruction]
    outside: list[int]
    """Symbols of types and constants that its instructions name."""


class Recorder:
    """Records the function that a builder wrote last; ids from ``own_ids`` on are defined in it."""

    def __init__(self, b: ModuleBuilder, table: SymbolTable, symbols: dict[int, int], others: dict[int, int]) -> None:
        self.b = b
        self.table = table
        self.symbols = symbols
        """Id → symbol, of types and constants."""
        self.ids: dict[Operand, int] = dict(others.items())
        """Id → symbol, for everything in the function; initially without types and constants."""
        self.outside: dict[int, None] = {}
        self.set_names = {number: name for name, number in b.ext_sets.items()}

    def run(self, function: Function, decorations: Iterable[Instruction]) -> RecordedFunction:
        """Return the recording of a function; raise `NotShareable` if other modules cannot use it."""
        b, ids = self.b, self.ids
        variables = b.locals[function.id]
        own = [function.id, *(inst.result_id for inst in (*function.parameters, *variables))]
        for block in function.blocks:
            own.append(block.label)
            own += [inst.result_id for inst in block.instructions if inst.result_id]
        if function.prelude or function.header or function.epilogue or any(number < b.own_ids for number in own[1:]):
            raise NotShareable
        count = b.new_id() - b.own_ids + 1
        first = self.table.reserve(count)
        ids.update((number, first + 1 + number - b.own_ids) for number in own)
        ids[function.id] = first
        names = {ids[number]: b.names[number] for number in own if number in b.names}
        marks = {ids[number]: b.marks[number] for number in own if number in b.marks}
        if len(marks) != sum(number >= b.own_ids or number == function.id for number in b.marks):
            raise NotShareable  # a constant is marked
        return RecordedFunction(
            first,
            count,
            self._instruction(function.definition),
            [self._instruction(inst) for inst in function.parameters],
            [self._instruction(inst) for inst in variables],
            [Block(ids[block.label], [self._instruction(x) for x in block.instructions]) for block in function.blocks],
            names,
            marks,
            [self._decoration(inst) for inst in decorations],
            list(self.outside),
        )

    def require(self, number: int) -> int:
        """Return the symbol of a type or constant, and add it to those that the function uses."""
        symbol = self.table.symbol(self.b, number, self.symbols)
        self.outside[symbol] = None
        return symbol

    def _symbol(self, number: Operand) -> int:
        symbol = self.ids.get(number)
        if symbol is None:
            if not isinstance(number, int) or not (number in self.b.types or number in self.b.constants):
                raise NotShareable
            symbol = self.ids[number] = self.require(number)
        return symbol

    def _instruction(self, inst: Instruction) -> Instruction:
        opcode, operands = inst.op, inst.operands
        if inst.__class__ is not Instruction or inst.line is not None:
            raise NotShareable
        type_id, result = self._symbol(inst.type_id), self._symbol(inst.result_id)
        flags: Sequence[bool]
        if opcode == op.OpExtInst:
            flags = ext_inst_flags(self.set_names.get(inst.id(0), ""), operands)
        else:
            words = 2 if opcode == op.OpSwitch and self.b.type_of(inst.id(0)).width > 32 else 1
            flags = id_flags(opcode, operands, words)
        mapped = [self._symbol(x) if is_id else x for x, is_id in zip(operands, flags, strict=True)]
        return Instruction(opcode, type_id, result, mapped)

    def _decoration(self, inst: Instruction) -> Instruction:
        target, *operands = inst.operands
        if inst.op == op.OpDecorateId or target not in self.ids:
            raise NotShareable
        return Instruction(inst.op, 0, 0, [self.ids[target], *operands])


def write_recorded(b: ModuleBuilder, recorded: RecordedFunction, ids: dict[int, int]) -> None:
    """Write a recorded function after the module's other functions.

    ``ids`` maps symbols to ids: of the function itself, and of everything that it uses but does not define; 0 maps to
    0.
    """
    first = recorded.first + 1
    count = recorded.count - 1
    base = b.reserve(count)
    new: dict[Operand, int] = dict(zip(range(first, first + count), range(base, base + count), strict=True))
    new.update(ids.items())
    types = b._types_of
    definition = _placed(recorded.definition, new)
    function = Function(definition, [_placed(inst, new) for inst in recorded.parameters])
    variables = [_placed(inst, new) for inst in recorded.variables]
    for inst in (definition, *function.parameters, *variables):
        types[inst.result_id] = inst.type_id
    get = new.get
    for block in recorded.blocks:
        written = Block(new[block.label])
        append = written.instructions.append
        for inst in block.instructions:
            type_id, result, operands = inst.type_id, inst.result_id, inst.operands
            if result:
                type_id = new[type_id]
                result = new[result]
                types[result] = type_id
            append(Instruction(inst.op, type_id, result, [get(x, x) for x in operands]))
        b.blocks[written.label] = written
        function.blocks.append(written)
    b.locals[function.id] = variables
    b.names.update((new[symbol], name) for symbol, name in recorded.names.items())
    for symbol, flags in recorded.marks.items():
        b.mark(new[symbol], flags)
    for inst in recorded.decorations:
        b.annotate(inst.op, new[inst.operands[0]], tuple(inst.operands[1:]))
    b.functions.append(function)


def _placed(inst: Instruction, ids: dict[Operand, int]) -> Instruction:
    """Return an instruction with symbols replaced by ids.

    A literal is never mistaken for a symbol, since it is smaller.
    """
    get = ids.get
    operands = [get(x, x) for x in inst.operands]
    return Instruction(inst.op, ids[inst.type_id], ids[inst.result_id], operands)
