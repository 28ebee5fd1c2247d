"""A module with lookups: definitions, names, decorations, types; used by all other parts of the package."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import Decorations, ModuleIndex
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Function, Instruction, Module
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.folding import FOLDS

_NONE: Decorations = {}

HANDLES = frozenset((op.OpTypeImage, op.OpTypeSampler, op.OpTypeSampledImage))
"""Types of resources that WGSL has: acceleration structures are not among them."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an array of resources, for which the converter adds a variable."""

    array: int
    """The variable of the module."""
    place: int
    count: int
    """The length of the array; 0 without one."""


class View:
    """A decoded module with its lookup tables."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.functions: dict[int, Function] = {}
        self.origins: dict[int, int] = {}
        """Id in a copy of a function → id of the original."""
        self.originals: dict[int, Instruction] = {}
        """Result of an instruction in an added function → the module's instruction, for errors."""
        self.elements: dict[int, Element] = {}
        self.binding_arrays: dict[int, int] = {}
        """Array of resources that stays an array → its length."""
        self.vectors: dict[tuple[int, int], int] = {}
        """(scalar, number of components) → type."""
        self.pointers: dict[tuple[int, int], int] = {}
        """(storage class, type) → pointer type that was added."""
        self.pure: set[int] = set()
        """Functions without effects."""
        self.statics: dict[int, int] = {}
        """Private variable that never changes → its constant."""
        self.quad_readers: set[int] = set()
        """Added functions that read a value of another invocation in the quad."""
        self.next_id = module.bound
        index = ModuleIndex(module)
        self.defs: dict[int, Instruction] = index.definitions
        self.sets: dict[int, str] = index.sets
        self.names: dict[int, str] = index.names
        self.member_names: dict[tuple[int, int], str] = index.member_names
        self.decorations: dict[int, Decorations] = index.decorations
        self.member_decorations: dict[tuple[int, int], Decorations] = index.member_decorations
        for function in module.functions:
            self.add_function(function)

    def fresh(self) -> int:
        self.next_id += 1
        return self.next_id - 1

    def add(self, inst: Instruction) -> int:
        self.defs[inst.result_id] = inst
        return inst.result_id

    def glsl(self) -> int:
        """Return the id of the import of GLSL.std.450."""
        for number, name in self.sets.items():
            if name == "GLSL.std.450":
                return number
        inst = Instruction(op.OpExtInstImport, 0, self.fresh(), ["GLSL.std.450"])
        self.sets[inst.result_id] = "GLSL.std.450"
        return self.add(inst)

    def add_function(self, function: Function) -> None:
        """Add a function and its definitions to the lookup tables."""
        self.functions[function.id] = function
        defs = self.defs
        defs[function.id] = function.definition
        for inst in function.parameters:
            defs[inst.result_id] = inst
        for inst in function.instructions():
            if inst.result_id:
                defs[inst.result_id] = inst

    # ------------------------------------------------------------------------------------------------- decorations

    def has(self, target: int, decoration: int) -> bool:
        return decoration in self.decorations.get(target, _NONE)

    def literal(self, target: int, decoration: int) -> int | None:
        """Return the first operand of an id's decoration; ``None`` without the decoration."""
        operands = self.decorations.get(target, _NONE).get(decoration)
        return operands[0] if operands and isinstance(operands[0], int) else None

    def member(self, struct_id: int, index: int) -> Decorations:
        return self.member_decorations.get((struct_id, index), _NONE)

    def member_literal(self, struct_id: int, index: int, decoration: int) -> int | None:
        operands = self.member(struct_id, index).get(decoration)
        return operands[0] if operands and isinstance(operands[0], int) else None

    def matrix_layout(self, struct: int, index: int) -> tuple[bool, int]:
        """Return (is row-major, matrix stride) of a struct's member."""
        stride = self.member_literal(struct, index, Decoration.MatrixStride) or 0
        return Decoration.RowMajor in self.member(struct, index), stride

    # ------------------------------------------------------------------------------------------------------- types

    def type(self, type_id: int) -> Instruction:
        return self.defs[type_id]

    def vector_type(self, scalar: int, count: int) -> int:
        """Return the id of a vector type; add the type if the module lacks it."""
        key = scalar, count
        if key not in self.vectors:
            for inst in self.module.globals:
                if inst.op == op.OpTypeVector:
                    self.vectors.setdefault((inst.id(0), inst.id(1)), inst.result_id)
        if key not in self.vectors:
            self.vectors[key] = self.add(Instruction(op.OpTypeVector, 0, self.fresh(), [*key]))
        return self.vectors[key]

    def pointer_type(self, storage: int, type_id: int) -> int:
        """Return the id of a pointer type; add the type at the first request, whether the module has one or not."""
        key = storage, type_id
        if key not in self.pointers:
            self.pointers[key] = self.add(Instruction(op.OpTypePointer, 0, self.fresh(), [*key]))
        return self.pointers[key]

    def type_of(self, value: int) -> int:
        return self.defs[value].type_id

    def pointee(self, pointer_type: int) -> int:
        inst = self.defs[pointer_type]
        if inst.op != op.OpTypePointer:
            raise Unsupported("a value that is no pointer is used as one")
        return inst.id(1)

    def storage_class(self, pointer_type: int) -> int:
        return self.defs[pointer_type].id(0)

    def resource_type(self, variable: int) -> int:
        """Return the type of a resource; that of an element for an array of them."""
        type_id = self.type_of(variable)
        type_id = self.pointee(type_id) if self.is_pointer(type_id) else type_id
        return self.element(type_id) if variable in self.binding_arrays else type_id

    def is_pointer(self, type_id: int) -> bool:
        return self.defs[type_id].op == op.OpTypePointer

    def scalar(self, type_id: int) -> Instruction:
        """Return the scalar type of a scalar, vector or matrix."""
        inst = self.defs[type_id]
        while inst.op in (op.OpTypeVector, op.OpTypeMatrix):
            inst = self.defs[inst.id(0)]
        return inst

    def components(self, type_id: int) -> int:
        """Return the number of components of a vector; 1 for a scalar."""
        inst = self.defs[type_id]
        return inst.id(1) if inst.op == op.OpTypeVector else 1

    def element(self, type_id: int, index: int = 0) -> int:
        """Return the type of a composite's element, or of a struct's member at an index."""
        inst = self.defs[type_id]
        if inst.op == op.OpTypeStruct:
            return inst.id(index)
        if inst.op in (op.OpTypeVector, op.OpTypeMatrix, op.OpTypeArray, op.OpTypeRuntimeArray):
            return inst.id(0)
        raise Unsupported("a part is taken of what has none")

    def is_signed(self, type_id: int) -> bool:
        inst = self.scalar(type_id)
        return inst.op == op.OpTypeInt and inst.id(1) == 1

    # --------------------------------------------------------------------------------------------------- constants

    def constant(self, value: int) -> int | None:
        """Return the integer value of a constant (booleans: 0, 1); ``None`` for specialisation constants."""
        inst = self.defs[value]
        if inst.op == op.OpConstant:
            kind = self.defs[inst.type_id]
            if kind.op != op.OpTypeInt:
                return None
            bits = inst.id(0)
            return bits - (1 << 32) if kind.id(1) and bits >> 31 else bits
        if inst.op == op.OpConstantNull and self.defs[inst.type_id].op == op.OpTypeInt:
            return 0
        if inst.op in (op.OpConstantTrue, op.OpConstantFalse):
            return int(inst.op == op.OpConstantTrue)
        return None

    def default(self, value: int) -> int | None:
        """Return the integer value of a constant, or the default of a specialisation constant."""
        inst = self.defs[value]
        return inst.id(0) if inst.op == op.OpSpecConstant else self.constant(value)

    def float_constant(self, value: int) -> float | None:
        inst = self.defs[value]
        if inst.op == op.OpConstantNull:
            return 0.0
        if inst.op != op.OpConstant or self.defs[inst.type_id].op != op.OpTypeFloat:
            return None
        width = self.defs[inst.type_id].id(0)
        bits = inst.id(0)
        if width == 16:
            return float(struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0])
        return float(struct.unpack("<f", struct.pack("<I", bits))[0]) if width == 32 else None

    def length(self, array_type: int) -> int:
        """Return the length of an array type; a specialisation constant counts with its default."""
        return self.integer(self.defs[array_type].id(1))

    def integer(self, constant: int) -> int:
        """Return the value of an integer constant; specialisation constants count with their defaults.

        Raise `Unsupported` for an operation that no array length uses.
        """
        default = self.default(constant)
        if default is not None:
            return default
        inst = self.defs[constant]
        fold = FOLDS.get(inst.id(0)) if inst.op == op.OpSpecConstantOp else None
        if fold is None:
            raise Unsupported("the length of an array is computed in a way that is not supported", constant)
        return fold(*[self.integer(operand) for operand in inst.ints()[1:]]) & 0xFFFFFFFF

    # ----------------------------------------------------------------------------------------------------- the rest

    def entry_points(self) -> Iterator[tuple[Instruction, int, str]]:
        """Yield each entry point's instruction, execution model and name."""
        for inst in self.module.entry_points:
            yield inst, inst.id(0), inst.text(2)

    def execution_modes(self, function: int) -> Iterator[Instruction]:
        for inst in self.module.execution_modes:
            if inst.id(0) == function:
                yield inst
