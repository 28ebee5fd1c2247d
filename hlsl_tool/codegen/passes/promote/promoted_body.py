"""Data of promotion: types and constants of all modules, and promoted function bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ARRAYS, OPAQUE
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Instruction, Operand

Path = tuple[int, ...]
"""Indices of members and elements, outermost first."""

AccessPath = tuple[int, Path, tuple[int, ...]]
"""(variable, path in it, ids that index the vector or matrix there)."""

MAX_SCALARS = 256
"""Maximum number of scalars to split a variable into; a larger one stays in memory unless it has resources."""

_CONSTANTS = (op.OpConstant, op.OpConstantTrue, op.OpConstantFalse, op.OpConstantComposite, op.OpConstantNull)

DECLARED = 0x1FFFE
"""Pseudo opcode of the marker of a variable in memory, for DebugDeclare."""
VALUE = 0x1FFFF
"""Pseudo opcode of the marker of a promoted variable's value, for DebugValue."""
MARKERS = (DECLARED, VALUE)
"""A marker's operand is a value or variable that it does not keep alive.

Its line is (0, position, declaration, *path), which ``scopes`` reads.
"""


class Unsuited(Exception):
    """Raised for a module that promotion does not support.

    The message is the reason, and spirv-opt processes it instead.
    """


class LazyComposite:
    """A composite whose elements are loaded or copied when they are used."""

    __slots__ = ("cached", "type_id")

    def __init__(self, type_id: int) -> None:
        self.type_id = type_id
        self.cached: dict[int, Value] = {}
        """Index → element; -1 → the whole."""

    def element(self, index: int) -> Value:
        """Return an element: an id, or another lazy composite."""
        raise NotImplementedError

    def whole(self) -> int:
        """Emit the instructions that compute the complete composite, once, and return its id."""
        raise NotImplementedError

    def computed(self) -> dict[int, Value]:
        """Return the elements, by index, and the whole (-1), as far as they have been computed."""
        return self.cached


Composite = tuple[object, ...]
"""The elements of a composite: values, or None for elements that are unset."""
Value = int | Composite | LazyComposite


def scalar(value: Value) -> int:
    """Return the id of a value that is not scalar-replaced; compute a lazy composite."""
    if isinstance(value, int):
        return value
    assert isinstance(value, LazyComposite)
    return value.whole()


class CopiedBlock(dict[int, Instruction]):
    """The instructions copied so far from one block of an inlined function, by their index in that block."""


Entry = list[Any] | CopiedBlock
"""A placeholder among instructions, filled in later."""
Instructions = list[Instruction | Entry]


@dataclass(slots=True)
class EmittedBlock:
    """A basic block of a promoted function; during promotion its instructions include placeholders."""

    label: int
    instructions: list[Instruction | Entry] = field(default_factory=list)
    tail: list[Instruction] = field(default_factory=list)
    """The merge instruction, if any, and the terminator; empty in the last block of a function to be inlined."""


Definition = tuple[int, int, Instruction, list[int], Sequence[bool] | None]
"""An instruction of a body: its block, its index there, itself, the ids among its operands, which operands are ids.

The last is None if all are.
"""


@dataclass(slots=True)
class Body:
    """A promoted function, ready to be inlined.

    Its values are ids, or tuples for composites that are scalar-replaced; in ``written``, ``None`` is an element that
    the function does not change.
    """

    blocks: list[EmittedBlock]
    parameters: list[Instruction]
    by_path: frozenset[int]
    """Parameters that are read through ``inputs``: composites, and pointers to variables that can be replaced."""
    variables: list[Instruction] = field(default_factory=list)
    """Variables that stay in memory."""
    inputs: dict[tuple[int, Path], int] = field(default_factory=dict)
    """(parameter or private variable, path) → the id of its value on entry."""
    written: dict[int, object] = field(default_factory=dict)
    """Parameter or private variable → its value on exit."""
    result: Any = None
    local_ids: list[int] = field(default_factory=list)
    """Labels and ids of variables, which every inlined copy gets anew."""
    definitions: dict[int, Definition] = field(default_factory=dict)
    """Result id → its instruction."""
    effects: list[tuple[int, int, Instruction]] = field(default_factory=list)
    """(block, index in it, instruction) for instructions with side effects."""
    marks: list[tuple[int, int, Instruction]] = field(default_factory=list)
    """(block, index in it, marker) for the values of declared variables."""
    input_of: dict[int, tuple[int, Path]] = field(default_factory=dict)
    """The inverse of ``inputs``."""
    has_kill: bool = False
    may_mix_storage: bool = False
    """Whether a pointer may be of another storage class than its type names."""
    _accesses: tuple[frozenset[int], frozenset[int]] | None = None

    def accesses(self) -> tuple[frozenset[int], frozenset[int]]:
        """Return (ids that the body uses, those among them whose memory it may write to).

        An instruction with side effects may write to the memory that any of its operands points to.
        """
        if self._accesses is None:
            named = {number for _, _, _, needed, _ in self.definitions.values() for number in needed}
            written: set[int] = set()
            for _, _, inst in self.effects:
                ids = used_ids(inst)
                named.update(ids)
                written.update(self._root(number) for number in ids[:1])
                written.update(self._root(number) for number in ids[1:] if self._may_point(number))
            self._accesses = frozenset(named), frozenset(written)
        return self._accesses

    def _may_point(self, number: int) -> bool:
        """Return whether an id may be a pointer: a variable, a parameter or an access chain."""
        definition = self.definitions.get(number)
        return definition is None or definition[2].op in ACCESS_CHAINS

    def _root(self, number: int) -> int:
        """Return the id from which a value is computed, by first operands: the variable of a pointer or of a handle."""
        while number in self.definitions:
            number = next(iter(self.definitions[number][3]), 0)
        return number


class PromotedTypes:
    """Types, constants and variables of all modules, by their ids in the `FunctionCache`."""

    def __init__(self) -> None:
        self.definitions: dict[int, Instruction] = {}
        self.next_id = 1
        self._by_key: dict[tuple[object, ...], int] = {}
        self._elements: dict[int, tuple[int, ...] | None] = {}
        self._scalar_counts: dict[int, int] = {}
        self._holds: dict[int, bool] = {}

    def new_id(self) -> int:
        """Return an unused id."""
        number = self.next_id
        self.next_id = number + 1
        return number

    def find(self, key: tuple[object, ...], opcode: int, type_id: int, operands: list[Operand]) -> int:
        """Return the id of the definition with a key; add the definition if it is missing."""
        number = self._by_key.get(key)
        if number is None:
            number = self._by_key[key] = self.new_id()
            self.definitions[number] = Instruction(opcode, type_id, number, operands)
        return number

    def make(self, opcode: int, type_id: int, *operands: int) -> int:
        """Return the id of a type or constant without decorations; add it if it is missing."""
        return self.find((opcode, type_id, *operands), opcode, type_id, list(operands))

    def pointer(self, storage: int, pointee: int) -> int:
        """Return the id of a pointer type."""
        return self.make(op.OpTypePointer, 0, storage, pointee)

    def index(self, value: int) -> int:
        """Return the id of the constant for an index of an access chain."""
        return self.make(op.OpConstant, self.make(op.OpTypeInt, 0, 32, 1), value)

    def undef(self, type_id: int) -> int:
        """Return the id of an undefined value."""
        return self.make(op.OpUndef, type_id)

    def pointee(self, pointer_type: int) -> int:
        """Return the type that a pointer type points to."""
        return self.definitions[pointer_type].id(1)

    def storage(self, pointer_type: int) -> int:
        """Return the storage class of a pointer type; -1 for other types."""
        inst = self.definitions[pointer_type]
        return inst.id(0) if inst.op == op.OpTypePointer else -1

    def constant(self, number: int) -> int | None:
        """Return the value of a 32-bit constant; ``None`` for other ids, including specialisation constants."""
        inst = self.definitions.get(number)
        if inst is None or len(inst.operands) > 1:
            return None
        if inst.op == op.OpConstant:
            return inst.id(0)
        if inst.op == op.OpConstantNull and self.definitions[inst.type_id].op == op.OpTypeInt:
            return 0
        return None

    def composite(self, type_id: int, parts: list[int]) -> int | None:
        """Return the id of a constant composite; ``None`` if an element is not a constant, or can be specialised."""
        if all(self.definitions[part].op in _CONSTANTS for part in parts):
            return self.make(op.OpConstantComposite, type_id, *parts)
        return None

    def elements(self, type_id: int) -> tuple[int, ...] | None:
        """Return the member types of a struct or array; ``None`` for types that are not scalar-replaced."""
        try:
            return self._elements[type_id]
        except KeyError:
            inst = self.definitions[type_id]
            elements: tuple[int, ...] | None = None
            if inst.op == op.OpTypeStruct:
                elements = tuple(inst.ints())
            elif inst.op == op.OpTypeArray:
                size = self.constant(inst.id(1))
                if size is not None and size <= 4 * MAX_SCALARS:
                    elements = (inst.id(0),) * size
            self._elements[type_id] = elements
            return elements

    def scalar_count(self, type_id: int) -> int:
        """Return the number of values into which scalar replacement splits a value of this type."""
        count = self._scalar_counts.get(type_id)
        if count is None:
            elements = self.elements(type_id)
            count = 1 if elements is None else sum(self.scalar_count(element) for element in elements)
            self._scalar_counts[type_id] = count
        return count

    def holds_handles(self, type_id: int) -> bool:
        """Return whether a value of a type contains a resource or a logical pointer."""
        holds = self._holds.get(type_id)
        if holds is None:
            inst = self.definitions[type_id]
            if inst.op == op.OpTypePointer:
                holds = inst.id(0) != StorageClass.PhysicalStorageBuffer
            elif inst.op in ARRAYS:
                holds = self.holds_handles(inst.id(0))
            else:
                elements = self.elements(type_id) or ()
                holds = inst.op in OPAQUE or any(self.holds_handles(element) for element in elements)
            self._holds[type_id] = holds
        return holds

    def part(self, type_id: int, path: Path) -> int:
        """Return the type of the element at a path, which may lead into vectors and matrices."""
        for step in path:
            elements = self.elements(type_id)
            type_id = elements[step] if elements is not None else self.definitions[type_id].id(0)
        return type_id

    def constant_part(self, number: int, type_id: int, path: Path) -> int | None:
        """Return the id of the element of a constant at a path; ``None`` if ``number`` is not a constant."""
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
