"""What the cleaning of functions works with: types and constants of a module, and functions in clean form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ARRAYS, OPAQUE
from hlsl_tool.spirv.ir import Instruction, Operand

Path = tuple[int, ...]
"""Indices of members and elements, outermost first."""

LARGEST = 256
"""Leaves that a variable may have to be taken apart; more stay in memory, unless they are resources."""

_CONSTANTS = (op.OpConstant, op.OpConstantTrue, op.OpConstantFalse, op.OpConstantComposite, op.OpConstantNull)


class Unsuited(Exception):
    """The module has something in it that this pass leaves to spirv-opt; the message says what."""


class Part(dict[int, Instruction]):
    """The instructions of a block of a function that was inlined, as far as they were asked for, by their places."""


Entry = list[Any] | Part
"""Among instructions: others that come later."""


@dataclass(slots=True)
class Piece:
    """A basic block of a clean function; while that is made, lists stand among the instructions, which grow later."""

    label: int
    instructions: list[Instruction | Entry] = field(default_factory=list)
    ends: list[Instruction] = field(default_factory=list)
    """The merge instruction, if there is one, and the terminator; nothing in the last block of a function to inline."""


@dataclass(slots=True)
class Body:
    """A function without local variables, as far as they can be without; ready to be inlined.

    Its values are ids, or tuples for what has been taken apart; None in ``written`` stands for what is as it was.
    """

    pieces: list[Piece]
    parameters: list[Instruction]
    by_place: frozenset[int]
    """The parameters that are read through ``inputs``: pointers to what can be taken apart, and composites."""
    variables: list[Instruction] = field(default_factory=list)
    """What stays in memory."""
    inputs: dict[tuple[int, Path], int] = field(default_factory=dict)
    """(parameter or private variable, path) → the id that stands for what is there at the start."""
    written: dict[int, object] = field(default_factory=dict)
    """Parameter or private variable → what is there at the end."""
    result: Any = None
    names: list[int] = field(default_factory=list)
    """The labels and variables."""
    made: dict[int, tuple[int, int, Instruction, list[int]]] = field(default_factory=dict)
    """Result → (piece, place in it, instruction, the ids among its operands)."""
    stays: list[tuple[int, int, Instruction]] = field(default_factory=list)
    """As in ``made``: what is needed whoever uses its result."""
    input_of: dict[int, tuple[int, Path]] = field(default_factory=dict)
    """``inputs`` the other way round."""
    has_kill: bool = False
    may_mix_storage: bool = False
    """Whether a pointer may be of another storage class than its type says."""


class Types:
    """Types, constants and variables of all modules, by ids of the shared space."""

    def __init__(self) -> None:
        self.definitions: dict[int, Instruction] = {}
        self.next_id = 1
        self._known: dict[tuple[object, ...], int] = {}
        self._kids: dict[int, tuple[int, ...] | None] = {}
        self._leaves: dict[int, int] = {}
        self._holds: dict[int, bool] = {}

    def new_id(self) -> int:
        number = self.next_id
        self.next_id = number + 1
        return number

    def known(self, key: tuple[object, ...], opcode: int, type_id: int, operands: list[Operand]) -> int:
        """The id of a definition, found by its key or made."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.new_id()
            self.definitions[found] = Instruction(opcode, type_id, found, operands)
        return found

    def make(self, opcode: int, type_id: int, *operands: int) -> int:
        """A type or constant without decorations."""
        return self.known((opcode, type_id, *operands), opcode, type_id, list(operands))

    def pointer(self, storage: int, pointee: int) -> int:
        return self.make(op.OpTypePointer, 0, storage, pointee)

    def index(self, value: int) -> int:
        """A constant to index with."""
        return self.make(op.OpConstant, self.make(op.OpTypeInt, 0, 32, 1), value)

    def undef(self, type_id: int) -> int:
        return self.make(op.OpUndef, type_id)

    def pointee(self, pointer_type: int) -> int:
        return self.definitions[pointer_type].id(1)

    def storage(self, pointer_type: int) -> int:
        """The storage class of a pointer type; -1 for other types."""
        inst = self.definitions[pointer_type]
        return inst.id(0) if inst.op == op.OpTypePointer else -1

    def constant(self, number: int) -> int | None:
        """The value of a constant of 32 bits that no specialisation changes."""
        inst = self.definitions.get(number)
        if inst is None or len(inst.operands) > 1:
            return None
        if inst.op == op.OpConstant:
            return inst.id(0)
        if inst.op == op.OpConstantNull and self.definitions[inst.type_id].op == op.OpTypeInt:
            return 0
        return None

    def composite(self, type_id: int, parts: list[int]) -> int | None:
        """A constant made of constants; none where they are not, or need not be tomorrow."""
        if all(self.definitions[part].op in _CONSTANTS for part in parts):
            return self.make(op.OpConstantComposite, type_id, *parts)
        return None

    def kids(self, type_id: int) -> tuple[int, ...] | None:
        """The types of the members of a structure or array; none for what is not taken apart."""
        try:
            return self._kids[type_id]
        except KeyError:
            inst = self.definitions[type_id]
            found: tuple[int, ...] | None = None
            if inst.op == op.OpTypeStruct:
                found = tuple(inst.ints())
            elif inst.op == op.OpTypeArray:
                size = self.constant(inst.id(1))
                if size is not None and size <= 4 * LARGEST:
                    found = (inst.id(0),) * size
            self._kids[type_id] = found
            return found

    def leaves(self, type_id: int) -> int:
        """How many values a value of this type is taken apart into."""
        known = self._leaves.get(type_id)
        if known is None:
            kids = self.kids(type_id)
            known = self._leaves[type_id] = 1 if kids is None else sum(self.leaves(kid) for kid in kids)
        return known

    def holds_handles(self, type_id: int) -> bool:
        """Whether there is a resource, or a logical pointer, in a value of this type."""
        known = self._holds.get(type_id)
        if known is None:
            inst = self.definitions[type_id]
            if inst.op == op.OpTypePointer:
                known = inst.id(0) != e.StorageClass.PhysicalStorageBuffer
            elif inst.op in ARRAYS:
                known = self.holds_handles(inst.id(0))
            else:
                known = inst.op in OPAQUE or any(self.holds_handles(kid) for kid in self.kids(type_id) or ())
            self._holds[type_id] = known
        return known

    def part(self, type_id: int, path: Path) -> int:
        """The type at a path, into vectors and matrices too."""
        for step in path:
            kids = self.kids(type_id)
            type_id = kids[step] if kids is not None else self.definitions[type_id].id(0)
        return type_id

    def constant_part(self, number: int, type_id: int, path: Path) -> int | None:
        """What a constant has at a path; none where that is no constant."""
        for at, step in enumerate(path):
            inst = self.definitions.get(number)
            if inst is None:
                return None
            if inst.op == op.OpConstantComposite:
                number = inst.id(step)
                type_id = self.part(type_id, (step,))
            elif inst.op == op.OpConstantNull:
                return self.make(op.OpConstantNull, self.part(type_id, path[at:]))
            elif inst.op == op.OpUndef:
                return self.undef(self.part(type_id, path[at:]))
            else:
                return None
        return number
