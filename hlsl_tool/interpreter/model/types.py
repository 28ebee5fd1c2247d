"""Types of a module, as the interpreter needs them: numpy type and shape, members, strides.

A numeric type is one array per value: scalars have the shape ``(lanes,)``, vectors ``(components, lanes)``, matrices
``(columns, rows, lanes)``, and arrays of them one more axis in front.  A struct is a list of its members' values; an
array of structs is a list, too, whose parts have one more axis in front.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Dim, ExecutionMode, Scope, StorageClass
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError

COOPERATIVE_WAVE = 32
"""The number of lanes of a wave that holds cooperative matrices."""
POINTER = np.dtype(np.int64)
"""The type of addresses in memory with an explicit layout."""
MEMORY = frozenset(
    (
        StorageClass.Uniform,
        StorageClass.StorageBuffer,
        StorageClass.PushConstant,
        StorageClass.PhysicalStorageBuffer,
        StorageClass.Workgroup,
        StorageClass.TaskPayloadWorkgroupEXT,
        StorageClass.Image,
        StorageClass.ShaderRecordBufferKHR,
    )
)
"""Storage classes whose pointers are addresses; variables of others are cells of typed arrays."""


_AXES = {Dim.Dim1D: 1, Dim.Dim2D: 2, Dim.Dim3D: 3, Dim.Cube: 2, Dim.Rect: 2, Dim.Buffer: 1, Dim.SubpassData: 2}


@dataclass(slots=True)
class ImageFacts:
    """The operands of ``OpTypeImage``."""

    dim: int
    arrayed: bool
    sampled: int

    @property
    def is_cube(self) -> bool:
        return self.dim == Dim.Cube

    @property
    def axes(self) -> int:
        """The number of coordinates of a texel, without its layer or face."""
        return _AXES[self.dim]

    @property
    def coordinates(self) -> int:
        """The number of coordinates of a sample, without the layer; of a cube, a direction."""
        return self.axes + self.is_cube


@dataclass(slots=True)
class MatrixFacts:
    """The operands of ``OpTypeCooperativeMatrixKHR``."""

    rows: int
    columns: int
    lanes: int
    """The number of lanes that hold a matrix."""


@dataclass(slots=True)
class Type:
    """A type; ``dtype`` is ``None`` for types that are not numeric."""

    id: int
    kind: str
    """``bool``, ``int``, ``float``, ``vector``, ``matrix``, ``array``, ``struct``, ``pointer``, or an opaque kind;
    ``cooperative`` is the array of elements that a lane has of a cooperative matrix."""
    dtype: np.dtype[Any] | None = None
    """The numpy type of the components; integers are unsigned, whatever their declaration."""
    shape: tuple[int, ...] = ()
    """The shape of a value without the axis of lanes; of an array of structs, only its lengths."""
    signed: bool = False
    element: Type | None = None
    """The type of the elements, columns or components, or the pointee."""
    length: int | None = None
    """The number of elements, columns or components; ``None`` for run-time arrays."""
    members: list[Type] = field(default_factory=list)
    storage: int = -1
    image: ImageFacts | None = None
    matrix: MatrixFacts | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether values are single arrays."""
        return self.dtype is not None

    @property
    def is_address(self) -> bool:
        """Whether values are pointers to memory with an explicit layout."""
        return self.kind == "pointer" and self.dtype is not None

    @property
    def scalar(self) -> Type:
        """The type of the components."""
        return self if self.element is None or self.kind == "pointer" else self.element.scalar

    @property
    def innermost(self) -> Type:
        """The type of the elements of nested arrays; this type if it is no array."""
        return self.element.innermost if self.kind == "array" and self.element is not None else self

    def part(self, index: int) -> Type:
        if self.kind == "struct":
            return self.members[index]
        assert self.element is not None
        return self.element


class TypeTable:
    """The types of a module, made when they are first needed; ``length`` returns the value of a length's id.

    With ``shares_outputs`` the lanes of a group share the outputs, which then are memory.
    """

    def __init__(self, index: ModuleIndex, length: Any, *, shares_outputs: bool = False) -> None:
        self.index = index
        self._memory = MEMORY | {StorageClass.Output} if shares_outputs else MEMORY
        self._length = length
        self._types: dict[int, Type] = {}

    def __getitem__(self, number: int) -> Type:
        of = self._types.get(number)
        if of is None:
            inst = self.index.definitions.get(number)
            if inst is None:
                raise NotInterpretedError(f"a type that is not defined (id {number})")
            if inst.op not in _KINDS:
                raise NotInterpretedError(tables.INSTRUCTIONS[inst.op][0])
            kind, complete = _KINDS[inst.op]
            of = self._types[number] = Type(number, kind)  # a pointee may contain its pointer
            if complete is not None:
                complete(self, of, inst)
        return of

    def of(self, inst: Instruction) -> Type:
        """Return the result type of an instruction."""
        return self[inst.type_id]

    # ---- what each kind has beside its name

    def _bool(self, of: Type, _: Instruction) -> None:
        of.dtype = np.dtype(np.bool_)

    def _int(self, of: Type, inst: Instruction) -> None:
        width, of.signed = inst.id(0), bool(inst.id(1))
        if width not in (8, 16, 32, 64):
            raise NotInterpretedError(f"OpTypeInt of {width} bits")
        of.dtype = np.dtype(f"u{width // 8}")

    def _float(self, of: Type, inst: Instruction) -> None:
        width, has_encoding = inst.id(0), len(inst.operands) > 1
        if width not in (16, 32, 64) or has_encoding:
            raise NotInterpretedError(f"OpTypeFloat of {width} bits{' with an encoding' * has_encoding}")
        of.dtype = np.dtype(f"f{width // 8}")

    def _vector(self, of: Type, inst: Instruction) -> None:
        self._repeat(of, inst.id(0), inst.id(1))

    def _array(self, of: Type, inst: Instruction) -> None:
        self._repeat(of, inst.id(0), self._length(inst.id(1)) if inst.op == op.OpTypeArray else None)

    def _repeat(self, of: Type, element: int, length: int | None) -> None:
        of.element, of.length = self[element], length
        of.dtype, of.signed, of.shape = of.element.dtype, of.element.signed, (length or 0, *of.element.shape)

    def _cooperative(self, of: Type, inst: Instruction) -> None:
        element, scope, rows, columns = (inst.id(0), *(self._length(number) for number in inst.ints()[1:4]))
        lanes = COOPERATIVE_WAVE if scope == Scope.Subgroup else self._threads()
        count, rest = divmod(rows * columns, lanes)
        if rest or lanes % COOPERATIVE_WAVE or scope not in (Scope.Subgroup, Scope.Workgroup):
            raise NotInterpretedError(f"a cooperative matrix of {rows} x {columns} elements that {lanes} lanes hold")
        self._repeat(of, element, count)
        of.matrix = MatrixFacts(rows, columns, lanes)

    def _threads(self) -> int:
        """Return the threads of a group, which only modules with one entry point have."""
        sizes = [inst.ints()[2:] for inst in self.index.module.execution_modes if inst.id(1) == ExecutionMode.LocalSize]
        if len(sizes) != 1:
            raise NotInterpretedError("a cooperative matrix of a group whose size is not a constant")
        return math.prod(sizes[0])

    def _struct(self, of: Type, inst: Instruction) -> None:
        of.members = [self[member] for member in inst.ints()]

    def _pointer(self, of: Type, inst: Instruction) -> None:
        of.storage = inst.id(0)
        of.dtype = POINTER if of.storage in self._memory else None
        of.element = self[inst.id(1)] if inst.op == op.OpTypePointer else None

    def _image(self, of: Type, inst: Instruction) -> None:
        _, dim, _, arrayed, _, sampled, *_ = inst.ints()
        of.image = ImageFacts(dim, bool(arrayed), sampled)

    def _sampled_image(self, of: Type, inst: Instruction) -> None:
        of.image = self[inst.id(0)].image


_KINDS: dict[int, tuple[str, Callable[[TypeTable, Type, Instruction], None] | None]] = {
    op.OpTypeVoid: ("void", None),
    op.OpTypeFunction: ("function", None),
    op.OpTypeSampler: ("sampler", None),
    op.OpTypeBufferEXT: ("buffer", None),
    op.OpTypeAccelerationStructureKHR: ("acceleration_structure", None),
    op.OpTypeRayQueryKHR: ("ray_query", None),
    op.OpTypeBool: ("bool", TypeTable._bool),
    op.OpTypeInt: ("int", TypeTable._int),
    op.OpTypeFloat: ("float", TypeTable._float),
    op.OpTypeVector: ("vector", TypeTable._vector),
    op.OpTypeMatrix: ("matrix", TypeTable._vector),
    op.OpTypeArray: ("array", TypeTable._array),
    op.OpTypeRuntimeArray: ("array", TypeTable._array),
    op.OpTypeCooperativeMatrixKHR: ("cooperative", TypeTable._cooperative),
    op.OpTypeStruct: ("struct", TypeTable._struct),
    op.OpTypePointer: ("pointer", TypeTable._pointer),
    op.OpTypeUntypedPointerKHR: ("pointer", TypeTable._pointer),
    op.OpTypeImage: ("image", TypeTable._image),
    op.OpTypeSampledImage: ("sampled_image", TypeTable._sampled_image),
}
