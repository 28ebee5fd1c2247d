"""SPIR-V as plain data: the builder and the decoder create it, passes rewrite it and the encoder writes it.

Ids and enumerants are ints, strings are ``str``; there are no lookup tables. ``operands`` are those after the result
id: ids, enumerants and literals are non-negative ints below 2**32 (a 64-bit literal is two of them, low word first), a
literal string is one ``str`` of any length.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.system.dataclass import dataclass, field

Operand = int | str

MAGIC = 0x07230203

GENERATOR = 14 << 16
"""The generator word: the tool id under which DXC's SPIR-V back end is registered ("Google spiregg"), version 0.

Drivers have work-arounds by this number, which must apply to our output as to DXC's.
"""


@dataclass(slots=True)
class Instruction:
    """An instruction; ``type_id`` and ``result_id`` are 0 if the opcode has none."""

    op: int
    type_id: int
    result_id: int
    operands: list[Operand]
    line: tuple[int, ...] | None = field(default=None, compare=False, repr=False)
    """Builder only: (file id, line, column[, end line, end column]) for the ``OpLine`` written by ``finalize``."""

    def copy(self) -> Instruction:
        """Return a copy with a separate list of operands."""
        return Instruction(self.op, self.type_id, self.result_id, [*self.operands], self.line)

    def ints(self) -> list[int]:
        """Return the operands as ints; the opcode must not have strings."""
        return self.operands  # type: ignore[return-value]  # the caller knows the opcode

    def id(self, index: int) -> int:
        """Return operand ``index`` as an id or number."""
        operand = self.operands[index]
        assert isinstance(operand, int)
        return operand

    def text(self, index: int) -> str:
        operand = self.operands[index]
        assert isinstance(operand, str)
        return operand


class RawInstruction(Instruction):
    """An instruction of inline SPIR-V, in the builder only; all operands except strings and ``Literal`` are ids."""

    __slots__ = ()


def _copies(instructions: list[Instruction]) -> list[Instruction]:
    return [inst.copy() for inst in instructions]


@dataclass(slots=True)
class Block:
    """A basic block; its last instruction is the terminator, possibly preceded by a merge instruction."""

    label: int
    instructions: list[Instruction] = field(default_factory=list)
    prelude: list[Instruction] = field(default_factory=list)
    """Debug instructions between the end of the block before and this ``OpLabel``."""

    def copy(self) -> Block:
        """Return a copy with separate instructions."""
        return Block(self.label, _copies(self.instructions), _copies(self.prelude))


@dataclass(slots=True)
class Function:
    """A function; ``definition`` is its ``OpFunction``, and without blocks it is an import."""

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
        """Return the function's result id."""
        return self.definition.result_id

    def copy(self) -> Function:
        """Return a copy with separate instructions."""
        return Function(
            self.definition.copy(),
            _copies(self.parameters),
            [block.copy() for block in self.blocks],
            _copies(self.prelude),
            [(before, inst.copy()) for before, inst in self.header],
            _copies(self.epilogue),
        )

    def instructions(self) -> Iterator[Instruction]:
        """Yield the instructions of all blocks in order, without labels."""
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
    """``OpLine`` after the last function, which applies to nothing."""

    @property
    def version_tuple(self) -> tuple[int, int]:
        """Return the version as a tuple, such as (1, 3)."""
        return self.version >> 16 & 0xFF, self.version >> 8 & 0xFF

    def take_id(self) -> int:
        """Return an unused id, and raise the module's bound."""
        number = self.bound
        self.bound = number + 1
        return number

    def preamble(self) -> Iterator[Instruction]:
        """Yield the instructions before the functions, in order."""
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
        """Return a mapping from ids to module-level instructions: imports, strings, types, constants, variables."""
        definitions = {inst.result_id: inst for inst in self.ext_inst_imports}
        definitions.update((inst.result_id, inst) for inst in self.sources if inst.result_id)
        definitions.update((inst.result_id, inst) for inst in self.globals if inst.result_id)
        return definitions


def version_word(major: int, minor: int) -> int:
    """Return a version as in the second word of a module: 0x00010300 for 1.3."""
    return major << 16 | minor << 8
