"""Decode modules from words; any other bytes raise a ``DecodeError`` with the offset of the fault."""

from __future__ import annotations

import sys
from array import array

from . import op
from .grammar import core, tables
from .ir import MAGIC, Block, Function, Instruction, Module, Operand

MAX_BOUND = 0x3FFFFF
"""The universal limit on ids (SPIR-V specification, 2.17), so that a forged header cannot allocate memory."""

_SWAPPED = int.from_bytes(MAGIC.to_bytes(4, "little"), "big")


class DecodeError(ValueError):
    """Raised for bytes that are not a SPIR-V module; ``offset`` is in words from the start of the file."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(f"{message} (word {offset})")
        self.reason = message
        self.offset = offset


def _least_words(number: int) -> int:
    """Return the minimum number of words of an instruction with this opcode, including its first word."""
    count = 1
    for spelled in tables.INSTRUCTIONS[number][1]:
        if spelled[-1] not in "?*":
            count += len(core.COMPOSITES.get(spelled, (spelled,)))
    return count


# opcode: (fewest words, words before the operands, has a type, has a string)
_PLAN: dict[int, tuple[int, int, bool, bool]] = {}


def _plan(number: int) -> tuple[int, int, bool, bool]:
    has_type, has_result = number in tables.HAS_TYPE, number in tables.HAS_RESULT
    plan = _PLAN[number] = (_least_words(number), has_type + has_result, has_type, number in tables.HAS_STRING)
    return plan


_SECTIONS = {
    op.OpCapability: "capabilities",
    op.OpExtension: "extensions",
    op.OpExtInstImport: "ext_inst_imports",
    op.OpMemoryModel: "memory_model",
    op.OpSamplerImageAddressingModeNV: "memory_model",
    op.OpEntryPoint: "entry_points",
    op.OpExecutionMode: "execution_modes",
    op.OpExecutionModeId: "execution_modes",
    op.OpString: "sources",
    op.OpSource: "sources",
    op.OpSourceContinued: "sources",
    op.OpSourceExtension: "sources",
    op.OpName: "names",
    op.OpMemberName: "names",
    op.OpModuleProcessed: "processed",
    op.OpDecorate: "annotations",
    op.OpDecorateId: "annotations",
    op.OpDecorateString: "annotations",
    op.OpMemberDecorate: "annotations",
    op.OpMemberDecorateString: "annotations",
    op.OpDecorationGroup: "annotations",
    op.OpGroupDecorate: "annotations",
    op.OpGroupMemberDecorate: "annotations",
    op.OpMemberDecorateIdEXT: "annotations",
}
"""Opcode → section, outside of functions; other opcodes are types, constants or variables."""

_RANKS = {name: rank for rank, name in enumerate(dict.fromkeys(_SECTIONS.values()))} | {"globals": 99}

_DEBUG_IN_FUNCTION = frozenset((op.OpLine, op.OpNoLine, op.OpExtInst, op.OpUndef))


def module_bytes(data: bytes | bytearray | memoryview) -> bytes:
    """Return the bytes of a module that a caller passes; raise ``TypeError`` for anything else, such as its text."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"a SPIR-V module is passed as bytes, not as '{type(data).__name__}'")
    return bytes(data)


def to_words(data: bytes | bytearray | memoryview) -> array[int]:
    """Return the words of a file in either byte order."""
    raw = module_bytes(data)
    if len(raw) < 4:
        raise DecodeError("the file is too short for SPIR-V", 0)
    magic = int.from_bytes(raw[:4], "little")
    if magic not in (MAGIC, _SWAPPED):
        raise DecodeError(f"this is no SPIR-V: the first word is {magic:#010x} and not {MAGIC:#010x}", 0)
    if len(raw) % 4:
        raise DecodeError("the size of the file is no multiple of four bytes: it is cut short", len(raw) // 4)
    words = array("I")
    words.frombytes(raw)
    if (magic == _SWAPPED) != (sys.byteorder == "big"):
        words.byteswap()
    return words


def _string_end(words: list[int], start: int, end: int, base: int) -> int:
    """Return the index of the word after the string that starts at the word ``start``.

    Raise ``DecodeError`` at offset ``base`` if it does not end before the word ``end``.
    """
    for index in range(start, end):
        word = words[index]
        if not (word & 0xFF and word & 0xFF00 and word & 0xFF0000 and word & 0xFF000000):
            return index + 1
    raise DecodeError("a string has no end", base)


def _read_string(words: list[int], start: int, end: int) -> str:
    raw = b"".join(word.to_bytes(4, "little") for word in words[start:end])
    return raw.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")


_IDS_BEFORE_NAME = {op.OpName: 1, op.OpMemberName: 2, op.OpString: 0, op.OpExtension: 0, op.OpExtInstImport: 0}
"""Opcode → the number of words before its string, which is its last operand."""

_DECORATION_AT = {op.OpDecorate: 1, op.OpMemberDecorate: 2}


_LITERAL_COUNTS = {
    number: len(row[1])
    for number, row in tables.ENUMERANTS["Decoration"].items()
    if not any(kind == "LiteralString" or kind[-1] in "?*" for kind in row[1])
}
"""Decoration → the number of its operands, where it has neither strings nor optional operands."""


def _quick_operands(number: int, words: list[int], data: bytes, start: int, end: int) -> list[Operand] | None:
    """Return the operands of a name, or of a decoration with its usual number of operands.

    The result is `None` for all other instructions, and for a string that ends before the last word.
    """
    ids = _IDS_BEFORE_NAME.get(number)
    if ids is not None:
        text = data.find(b"\0", 4 * (start + ids), 4 * end)
        if text // 4 != end - 1:
            return None
        return [*words[start : start + ids], data[4 * (start + ids) : text].decode("utf-8", "surrogateescape")]
    at = _DECORATION_AT.get(number)
    if at is None or start + at >= end or _LITERAL_COUNTS.get(words[start + at]) != end - start - at - 1:
        return None
    return words[start:end]  # type: ignore[return-value]  # a new list


def _string_operands(number: int, words: list[int], start: int, end: int, base: int) -> list[Operand]:
    """Return the operands in the words from ``start`` to ``end``, excluded, of an instruction that may have strings.

    ``number`` is the opcode; ``base`` is the offset of the instruction, for a ``DecodeError``.
    """
    out: list[Operand] = []
    position = start
    pending = list(reversed(tables.operand_kinds(number)))
    while pending:
        spelled = pending.pop()
        if position >= end:
            if spelled[-1] in "?*":
                continue
            raise DecodeError(f"{tables.INSTRUCTIONS[number][0]} is cut short", base)
        if spelled[-1] == "*":
            pending.append(spelled)
        kind = spelled.rstrip("?*")
        if kind == "LiteralString":
            after = _string_end(words, position, end, base)
            out.append(_read_string(words, position, after))
            position = after
            continue
        word = words[position]
        out.append(word)
        position += 1
        if kind == "Decoration":
            row = tables.ENUMERANTS[kind].get(word)
            pending += reversed(row[1]) if row is not None else ()
    if position < end and number in tables.HAS_STRING and "Decoration" in tables.operand_kinds(number):
        out += words[position:end]  # parameters that are not in the tables
    elif position < end:
        raise DecodeError(f"{tables.INSTRUCTIONS[number][0]} has operands beyond its last one", base)
    return out


class _Reader:
    """Sorts instructions into sections, functions and blocks."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.function: Function | None = None
        self.block: Block | None = None
        self.pending: list[Instruction] = []
        """Debug instructions that belong to the next instruction."""
        self.ended = False
        """Whether the current block has its terminator."""
        self.rank = 0
        """Check that sections are in order, so that a round trip is exact."""

    def add(self, inst: Instruction, offset: int) -> None:
        """Add an instruction to its section, function or block."""
        number = inst.op
        if self.function is None:
            if number == op.OpFunction:
                self.function = Function(inst, prelude=self.pending)
                self.module.functions.append(self.function)
                self.pending = []
                self.block = None
            elif self.module.functions and number in (op.OpLine, op.OpNoLine):
                self.pending.append(inst)
            else:
                if self.module.functions and number not in (op.OpLine, op.OpNoLine, op.OpExtInst):
                    raise DecodeError(f"{tables.INSTRUCTIONS[number][0]} stands after a function", offset)
                name = _SECTIONS.get(number, "globals")
                if _RANKS[name] < self.rank:
                    raise DecodeError(f"{tables.INSTRUCTIONS[number][0]} stands in the wrong section", offset)
                self.rank = _RANKS[name]
                section: list[Instruction] = getattr(self.module, name)
                section.append(inst)
            return
        self._in_function(inst, self.function, offset)

    def _in_function(self, inst: Instruction, function: Function, offset: int) -> None:
        number = inst.op
        if number == op.OpFunctionParameter and self.block is None:
            function.header += [(len(function.parameters), debug) for debug in self.pending]
            self.pending = []
            function.parameters.append(inst)
        elif number == op.OpLabel:
            if self.block is not None and not self.ended:
                raise DecodeError("a block has no terminator", offset)
            self.block = Block(inst.result_id, prelude=self.pending)
            function.blocks.append(self.block)
            self.pending = []
            self.ended = False
        elif number == op.OpFunctionEnd:
            if self.block is not None and not self.ended:
                raise DecodeError("a block has no terminator", offset)
            if self.block is None:
                function.header += [(len(function.parameters), debug) for debug in self.pending]
            else:
                function.epilogue = self.pending
            self.pending = []
            self.function = self.block = None
        elif self.block is None or self.ended:
            if number not in _DEBUG_IN_FUNCTION:
                raise DecodeError(f"{tables.INSTRUCTIONS[number][0]} stands outside of a block", offset)
            self.pending.append(inst)
        else:
            if number in (op.OpFunction, op.OpFunctionParameter):
                raise DecodeError(f"{tables.INSTRUCTIONS[number][0]} stands inside of a block", offset)
            self.block.instructions.append(inst)
            self.ended = number in tables.TERMINATORS

    def finish(self, offset: int) -> None:
        """Check that the file is complete and finish the module."""
        if self.function is not None:
            raise DecodeError("the last function has no end: the file is cut short", offset)
        self.module.trailing = self.pending


_STRUCTURAL = tables.TERMINATORS | {op.OpFunction, op.OpFunctionParameter, op.OpFunctionEnd, op.OpLabel}
"""Opcodes that open or end a block or a function, or must not be in a block."""


def decode(data: bytes | bytearray | memoryview) -> Module:
    """Return the module in a ``.spv`` file.  Raises ``DecodeError``."""
    array_of_words = to_words(data)
    words = array_of_words.tolist()
    if sys.byteorder == "big":
        array_of_words.byteswap()
    data = array_of_words.tobytes()
    total = len(words)
    module = _header(words)
    bound = module.bound
    reader = _Reader(module)
    results = _Results(bytearray(bound) if bound <= 4 * total + 64 else None)
    seen = results.seen
    position = 5
    plans = _PLAN
    body: list[Instruction] | None = None
    """The instructions of the open block; most go there without further checks."""
    while position < total:
        first = words[position]
        count, number = first >> 16, first & 0xFFFF
        least, head, has_type, has_string = plans.get(number) or _known_plan(number, position)
        end = position + count
        if end > total or count < least:
            raise _wrong_size(number, count, 0 if end > total else least, position)
        start = position + 1 + head
        type_id = result_id = 0
        if head:
            result_id = words[start - 1] if head > has_type else 0
            if has_type:
                type_id = words[position + 1]
            if not (type_id < bound and result_id < bound and (type_id or not has_type)):
                name = tables.INSTRUCTIONS[number][0]
                raise DecodeError(f"an id of {name} is not below the bound {bound}", position)
            if head > has_type:
                if seen is not None and result_id and not seen[result_id]:
                    seen[result_id] = 1
                else:
                    results.add(result_id, number, position)
        operands: list[Operand]
        if has_string:
            quick = _quick_operands(number, words, data, start, end)
            operands = quick if quick is not None else _string_operands(number, words, start, end, position)
        else:
            operands = words[start:end]  # type: ignore[assignment]  # a new list
        inst = Instruction(number, type_id, result_id, operands)
        if body is not None and number not in _STRUCTURAL:
            body.append(inst)
        else:
            reader.add(inst, position)
            body = reader.block.instructions if reader.block is not None and not reader.ended else None
        position = end
    reader.finish(total)
    return module


def _header(words: list[int]) -> Module:
    """Return an empty module with the header of a file."""
    if len(words) < 5:
        raise DecodeError("the header is cut short", len(words))
    _, version, generator, bound, schema = words[:5]
    if version >> 16 != 1 or version & 0xFF0000FF:
        raise DecodeError(f"the version word {version:#010x} is none of SPIR-V 1", 1)
    if not 0 < bound <= MAX_BOUND + 1:
        raise DecodeError(f"the bound {bound} is out of range", 3)
    return Module(version, generator, bound, schema)


def _known_plan(number: int, position: int) -> tuple[int, int, bool, bool]:
    if number not in tables.INSTRUCTIONS:
        raise DecodeError(f"unknown opcode {number}", position)
    return _plan(number)


def _wrong_size(number: int, count: int, least: int, position: int) -> DecodeError:
    """Return the error for an instruction with ``count`` words that needs at least ``least``.

    ``least`` is 0 if the file ends within the instruction. ``number`` is the opcode, ``position`` the word offset.
    """
    name = tables.INSTRUCTIONS[number][0]
    if least == 0:
        return DecodeError(f"{name} is cut short", position)
    if count == 0:
        return DecodeError("an instruction has no words", position)
    return DecodeError(f"{name} has {count} words and needs {least}", position)


class _Results:
    """The result ids seen so far: one flag per id, or a set if the bound is far too large for the file."""

    def __init__(self, seen: bytearray | None) -> None:
        self.seen = seen
        self.ids: set[int] = set()

    def add(self, result_id: int, number: int, position: int) -> None:
        """Add the result id of opcode ``number`` at word ``position``. Raises ``DecodeError`` if it is 0 or not new."""
        if result_id == 0:
            raise DecodeError(f"the result id of {tables.INSTRUCTIONS[number][0]} is 0", position)
        if self.seen is not None or result_id in self.ids:
            raise DecodeError(f"the id {result_id} is defined twice", position)
        self.ids.add(result_id)
