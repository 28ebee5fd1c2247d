"""SPIR-V as plain data: what the builder makes, the decoder reads, passes rewrite and the encoder writes.

Nothing here looks anything up; ids and enumerants are ints, strings are ``str``.  ``operands`` holds what follows the
result id: ids, enumerants and literals as non-negative ints below 2**32 (a literal of 64 bits is two of them, low word
first), a literal string as one ``str`` whatever its length.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.system.dataclass import dataclass, field

Operand = int | str

MAGIC = 0x07230203

GENERATOR = 14 << 16
"""The generator word: the tool id under which DXC's SPIR-V back end is registered ("Google spiregg"), version 0.

Output is meant to be told apart by what it says, not by who wrote it, and drivers have work-arounds by this number.
"""


@dataclass(slots=True)
class Instruction:
    """One instruction.  ``type_id`` and ``result_id`` are 0 where the opcode has none."""

    op: int
    type_id: int
    result_id: int
    operands: list[Operand]
    line: tuple[int, ...] | None = field(default=None, compare=False, repr=False)
    """Builder only: (file id, line, column[, end line, end column]) for the ``OpLine`` written by ``finalize``."""

    def copy(self) -> Instruction:
        """The same once more, with a list of its own."""
        return Instruction(self.op, self.type_id, self.result_id, [*self.operands], self.line)

    def ints(self) -> list[int]:
        """The operands of an opcode that has no string among them."""
        return self.operands  # type: ignore[return-value]  # the caller knows the opcode

    def id(self, index: int) -> int:
        """Operand ``index`` as an id or number."""
        operand = self.operands[index]
        assert isinstance(operand, int)
        return operand

    def text(self, index: int) -> str:
        """Operand ``index`` as a string."""
        operand = self.operands[index]
        assert isinstance(operand, str)
        return operand


class RawInstruction(Instruction):
    """Builder only: inline SPIR-V.  All operands are ids but strings and ``Literal``, whatever the grammar says."""

    __slots__ = ()


def _copies(instructions: list[Instruction]) -> list[Instruction]:
    return [inst.copy() for inst in instructions]


@dataclass(slots=True)
class Block:
    """A basic block; the last instruction is the terminator, a merge instruction stands right before it."""

    label: int
    instructions: list[Instruction] = field(default_factory=list)
    prelude: list[Instruction] = field(default_factory=list)
    """Debug instructions between the end of the block before and this ``OpLabel``."""

    def copy(self) -> Block:
        """The same once more, with instructions of its own."""
        return Block(self.label, _copies(self.instructions), _copies(self.prelude))


@dataclass(slots=True)
class Function:
    """``definition`` is the ``OpFunction``; a function without blocks is an import."""

    definition: Instruction
    parameters: list[Instruction] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    prelude: list[Instruction] = field(default_factory=list)
    """``OpLine`` and the like before ``OpFunction``."""
    header: list[tuple[int, Instruction]] = field(default_factory=list)
    """Debug instructions among the parameters: (number of parameters before it, instruction)."""
    epilogue: list[Instruction] = field(default_factory=list)
    """Debug instructions between the last terminator and ``OpFunctionEnd``."""

    @property
    def id(self) -> int:
        """The function's result id."""
        return self.definition.result_id

    def copy(self) -> Function:
        """The same once more, with instructions of its own."""
        return Function(
            self.definition.copy(),
            _copies(self.parameters),
            [block.copy() for block in self.blocks],
            _copies(self.prelude),
            [(before, inst.copy()) for before, inst in self.header],
            _copies(self.epilogue),
        )

    def instructions(self) -> Iterator[Instruction]:
        """The instructions of all blocks in order, without labels."""
        for block in self.blocks:
            yield from block.instructions


@dataclass(slots=True)
class Module:
    """A module in its logical layout (SPIR-V specification, 2.4)."""

    version: int = 0x00010000
    """The version word of the header: 0x00010300 is 1.3."""
    generator: int = GENERATOR
    bound: int = 1
    schema: int = 0
    capabilities: list[Instruction] = field(default_factory=list)
    extensions: list[Instruction] = field(default_factory=list)
    ext_inst_imports: list[Instruction] = field(default_factory=list)
    memory_model: list[Instruction] = field(default_factory=list)
    """At most one ``OpMemoryModel`` (and ``OpSamplerImageAddressingModeNV``)."""
    entry_points: list[Instruction] = field(default_factory=list)
    execution_modes: list[Instruction] = field(default_factory=list)
    sources: list[Instruction] = field(default_factory=list)
    """``OpString``, ``OpSource``, ``OpSourceContinued``, ``OpSourceExtension``."""
    names: list[Instruction] = field(default_factory=list)
    """``OpName`` and ``OpMemberName``."""
    processed: list[Instruction] = field(default_factory=list)
    """``OpModuleProcessed``; DXC writes it before the annotations."""
    annotations: list[Instruction] = field(default_factory=list)
    globals: list[Instruction] = field(default_factory=list)
    """Types, constants, global variables and module-level debug instructions."""
    functions: list[Function] = field(default_factory=list)
    trailing: list[Instruction] = field(default_factory=list)
    """``OpLine`` behind the last function, which belongs to nothing."""

    @property
    def version_tuple(self) -> tuple[int, int]:
        """(1, 3) for version 1.3."""
        return self.version >> 16 & 0xFF, self.version >> 8 & 0xFF

    def preamble(self) -> Iterator[Instruction]:
        """Everything before the functions, in order."""
        for section in (
            self.capabilities,
            self.extensions,
            self.ext_inst_imports,
            self.memory_model,
            self.entry_points,
            self.execution_modes,
            self.sources,
            self.names,
            self.processed,
            self.annotations,
            self.globals,
        ):
            yield from section

    def definitions(self) -> dict[int, Instruction]:
        """Result id → instruction, for ids made at module level (imports, strings, types, constants, variables)."""
        found = {inst.result_id: inst for inst in self.ext_inst_imports}
        found.update((inst.result_id, inst) for inst in self.sources if inst.result_id)
        found.update((inst.result_id, inst) for inst in self.globals if inst.result_id)
        return found


def version_word(major: int, minor: int) -> int:
    """The header's version word."""
    return major << 16 | minor << 8
