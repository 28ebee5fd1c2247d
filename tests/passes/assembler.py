"""A SPIR-V assembler for tests: the syntax of spirv-as, with this package's grammar tables.

``; Version: 1.5`` in a comment sets the version; 1.0 is the default.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field

from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.grammar import core, extinst, tables
from hlsl_tool.spirv.ir import Instruction, Module, Operand, version_word

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|;.*|[^\s;]+')
_VERSION = re.compile(r"^; *Version: *(\d+)\.(\d+)", re.M)
_FLOATS = {16: "<e", 32: "<f", 64: "<d"}

ENUMERANTS: dict[str, dict[str, int]] = {
    kind: {row[0]: value for value, row in values.items()} | core.ENUMERANT_ALIASES.get(kind, {})
    for kind, values in core.ENUMERANTS.items()
}


class AssemblyError(ValueError):
    """Raised for a line that is not SPIR-V assembly."""


@dataclass
class Assembly:
    """A module, with a mapping from names to ids."""

    module: Module
    ids: dict[str, int]
    """Name, without the percent sign → id."""


@dataclass
class _Line:
    """The operands of one instruction during parsing."""

    tokens: list[str]
    operands: list[Operand] = field(default_factory=list)
    type_name: str = ""

    def take(self) -> str:
        if not self.tokens:
            raise AssemblyError("an operand is missing")
        return self.tokens.pop(0)


class _Assembler:
    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self.numbers: dict[str, tuple[int, int, bool]] = {}
        """Name of a number type → (opcode, width, signed)."""
        self.type_of: dict[str, str] = {}
        self.sets: dict[str, str] = {}
        self.instructions: list[Instruction] = []

    def id(self, token: str) -> int:
        if not token.startswith("%"):
            raise AssemblyError(f"{token} is no id")
        return self.ids.setdefault(token[1:], len(self.ids) + 1)

    def line(self, tokens: list[str]) -> None:
        result = ""
        if len(tokens) > 1 and tokens[1] == "=":
            result, tokens = tokens[0], tokens[2:]
        opcode = tables.OPCODES.get(tokens[0])
        if opcode is None:
            raise AssemblyError(f"{tokens[0]} is no opcode")
        if (opcode in tables.HAS_RESULT) != bool(result):
            raise AssemblyError(f"{tokens[0]} has {'no' if result else 'a'} result")
        line = _Line(tokens[1:])
        if opcode in tables.HAS_TYPE:
            line.type_name = line.take()
            self.type_of[result] = line.type_name
        type_id = self.id(line.type_name) if line.type_name else 0
        if opcode in (op.OpExtInst, op.OpExtInstWithForwardRefsKHR):
            self._ext_inst(line)
        else:
            self._operands(tables.operand_kinds(opcode), line)
        if line.tokens:
            raise AssemblyError(f"{tokens[0]} has operands beyond its last one: {line.tokens}")
        if opcode in (op.OpTypeInt, op.OpTypeFloat):
            width, *rest = line.operands
            assert isinstance(width, int)
            self.numbers[result] = opcode, width, rest[:1] == [1]
        elif opcode == op.OpExtInstImport:
            self.sets[result] = str(line.operands[0])
        result_id = self.id(result) if result else 0
        self.instructions.append(Instruction(opcode, type_id, result_id, line.operands))

    def _ext_inst(self, line: _Line) -> None:
        name = self.sets[line.tokens[0]]
        line.operands.append(self.id(line.take()))
        word = line.take()
        rows = extinst.SETS.get(name, {})
        number = int(word) if word.isdigit() else next(n for n, row in rows.items() if row[0] == word)
        line.operands.append(number)
        own = extinst.SET_ENUMERANTS.get(name, {})
        for kind in tables.ext_inst_kinds(name, number, len(line.tokens)):
            if kind in own:
                values = {row[0]: value for value, row in own[kind][1].items()}
                line.operands.append(sum(values[part] for part in line.take().split("|")))
            else:
                self._operand(kind, line)

    def _operands(self, kinds: tuple[str, ...], line: _Line) -> None:
        for spelled in kinds:
            kind = spelled.rstrip("?*")
            if spelled.endswith("*"):
                while line.tokens:
                    self._operand(kind, line)
            elif not spelled.endswith("?") or line.tokens:
                self._operand(kind, line)

    def _operand(self, kind: str, line: _Line) -> None:
        category = core.CATEGORIES[kind]
        if category == "Composite":
            for base in tables.composite_kinds(kind):
                self._operand(base, line)
        elif category == "ValueEnum":
            value = ENUMERANTS[kind][line.take()]
            line.operands.append(value)
            self._operands(core.ENUMERANTS[kind][value][1], line)
        elif category == "BitEnum":
            parts = sorted(ENUMERANTS[kind][part] for part in line.take().split("|"))
            line.operands.append(sum(parts))
            for part in parts:
                self._operands(core.ENUMERANTS[kind][part][1], line)
        elif kind in tables.ID_KINDS:
            line.operands.append(self.id(line.take()))
        elif kind == "LiteralString":
            line.operands.append(re.sub(r"\\(.)", r"\1", line.take()[1:-1], flags=re.S))
        elif kind == "LiteralSpecConstantOpInteger":
            opcode = tables.OPCODES["Op" + line.take()]
            line.operands.append(opcode)
            self._operands(tables.operand_kinds(opcode), line)
        elif kind == "LiteralContextDependentNumber":
            selector = next((name for name, number in self.ids.items() if [number] == line.operands[:1]), "")
            self._number(line.type_name or self.type_of.get("%" + selector, ""), line)
        else:
            line.operands.append(int(line.take(), 0))

    def _number(self, type_name: str, line: _Line) -> None:
        opcode, width, _ = self.numbers[type_name]
        text = line.take()
        if opcode == op.OpTypeFloat:
            value = float.fromhex(text) if "0x" in text else float(text)
            bits = int.from_bytes(struct.pack(_FLOATS[width], value), "little")
        else:
            bits = int(text, 0) & ((1 << max(width, 32)) - 1)
        line.operands += [bits >> at & 0xFFFFFFFF for at in range(0, max(width, 32), 32)]


def assemble(text: str) -> Assembly:
    """Return the module of an assembly text.  Raises ``AssemblyError`` with the number of the line."""
    assembler = _Assembler()
    for number, line in enumerate(text.splitlines(), 1):
        tokens = [token for token in _TOKEN.findall(line) if not token.startswith(";")]
        if tokens:
            try:
                assembler.line(tokens)
            except (AssemblyError, KeyError, StopIteration, ValueError) as error:
                raise AssemblyError(f"line {number}: {error!r}: {line.strip()}") from error
    version = _VERSION.search(text)
    word = version_word(int(version[1]), int(version[2])) if version else version_word(1, 0)
    stream = Module(word, bound=len(assembler.ids) + 1, globals=assembler.instructions)
    return Assembly(decode(encode(stream)), assembler.ids)
