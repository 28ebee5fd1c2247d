"""Types of the module under construction: one ``TypeInfo`` for each, hash-consed.

A type has a provisional id from its first request on, but, as in DXC, is written only if something that is written uses
it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from .. import op
from ..enums import Dim, StorageClass
from ..ir import Operand
from .limits import MAX_COMPONENTS, MAX_MEMBERS, check_size
from .type_info import INTERFACE_NONE, INTERFACE_STORAGE, Member, TypeInfo

_IMAGE_NAMES = {
    Dim.Dim1D: "1d.",
    Dim.Dim2D: "2d.",
    Dim.Dim3D: "3d.",
    Dim.Cube: "cube.",
    Dim.Rect: "rect.",
    Dim.Buffer: "buffer.",
    Dim.SubpassData: "subpass.",
}


_Method = TypeVar("_Method", bound=Callable[..., Any])


def declares(method: _Method) -> _Method:
    """Count each call of a method, which adds a declaration outside of functions, in `TypeTable.module_changes`."""

    @wraps(method)
    def counted(table: TypeTable, *arguments: Any, **named: Any) -> Any:
        table.module_changes += 1
        return method(table, *arguments, **named)

    return cast("_Method", counted)


class TypeTable:
    """The types of one module; a base class of ``ModuleBuilder``.

    ``storage_buffer_class``: from SPIR-V 1.4 on there is no BufferBlock; blocks of storage buffers are decorated Block,
    and pointers to them that are requested in Uniform are in StorageBuffer, also behind further pointers.
    """

    def __init__(self, *, storage_buffer_class: bool = False) -> None:
        self.storage_buffer_class = storage_buffer_class
        self.types: dict[int, TypeInfo] = {}
        """Provisional id → type."""
        self._by_key: dict[tuple[object, ...], int] = {}
        self._next_id = 1
        self._types_of: dict[int, int] = {}
        self.forward_pointers: list[tuple[int, int]] = []
        """(pointer type, storage class) of the requested OpTypeForwardPointer, in order."""
        self.has_columns = False
        """Whether an array of the columns of a matrix exists."""
        self.has_long_vectors = False
        """Whether a vector has more components than SPIR-V allows; `codegen.passes.long_vectors` replaces it."""
        self.module_changes = 0
        """Number of declarations outside of functions so far, repeated ones included; types, constants and instruction
        sets do not count."""

    # ---- ids and look-up

    def new_id(self) -> int:
        """Return an unused provisional id, which ``finalize`` replaces."""
        number = self._next_id
        self._next_id = number + 1
        return number

    def reserve(self, count: int) -> int:
        """Return the first of ``count`` unused provisional ids."""
        number = self._next_id
        self._next_id = number + count
        return number

    def type_info(self, type_id: int) -> TypeInfo:
        return self.types[type_id]

    def type_id_of(self, value: int) -> int:
        """Return the id of a value's type; the value is an instruction, constant, variable or parameter."""
        return self._types_of[value]

    def type_of(self, value: int) -> TypeInfo:
        """Return the description of a value's type; for variables and access chains, that of the pointer type."""
        return self.types[self._types_of[value]]

    def pointee_of(self, pointer: int) -> TypeInfo:
        return self.type_of(pointer).elem

    def storage_of(self, pointer: int) -> int:
        """Return the storage class of a pointer value."""
        return self.type_of(pointer).storage

    def _type(self, key: tuple[object, ...], kind: str, opcode: int) -> TypeInfo | None:
        """Create, store and return the description of a type; return ``None`` if a type with this key exists."""
        if key in self._by_key:
            return None
        info = TypeInfo(self.new_id(), kind, opcode)
        self._by_key[key] = info.id
        self.types[info.id] = info
        return info

    # ---- scalars, vectors, matrices

    def void_type(self) -> int:
        self._type(("void",), "void", op.OpTypeVoid)
        return self._by_key["void",]

    def bool_type(self) -> int:
        self._type(("bool",), "bool", op.OpTypeBool)
        return self._by_key["bool",]

    def int_type(self, width: int = 32, signed: bool = True) -> int:
        key = ("int", width, signed)
        if info := self._type(key, "int", op.OpTypeInt):
            info.width, info.signed = width, signed
        return self._by_key[key]

    def float_type(self, width: int = 32) -> int:
        key = ("float", width)
        if info := self._type(key, "float", op.OpTypeFloat):
            info.width = width
        return self._by_key[key]

    def u32(self) -> int:
        """Return the id of the 32-bit unsigned integer type."""
        return self.int_type(32, False)

    def i32(self) -> int:
        """Return the id of the 32-bit signed integer type."""
        return self.int_type(32, True)

    def f32(self) -> int:
        """Return the id of the 32-bit float type."""
        return self.float_type(32)

    def vector(self, element: int, count: int) -> int:
        """Return the id of a vector type; for one component that of the scalar, since SPIR-V has no such vectors."""
        if count == 1:
            return element
        key = ("vector", element, count)
        if info := self._type(key, "vector", op.OpTypeVector):
            info.element, info.count = self.types[element], count
            self.has_long_vectors |= count > MAX_COMPONENTS
        return self._by_key[key]

    def matrix(self, column: int, count: int) -> int:
        """Return the id of a matrix type with ``count`` columns of the vector type ``column``."""
        key = ("matrix", column, count)
        if info := self._type(key, "matrix", op.OpTypeMatrix):
            info.element, info.count = self.types[column], count
        return self._by_key[key]

    # ---- aggregates

    def array(
        self, element: int, length: int, stride: int | None = None, *, length_id: int = 0, is_columns: bool = False
    ) -> int:
        """Return the id of an array type with ``length`` elements, or with the constant ``length_id`` as its length."""
        key = ("array", element, 0 if length_id else length, stride, length_id, is_columns)
        if info := self._type(key, "array", op.OpTypeArray):
            info.is_columns = is_columns
            self.has_columns |= is_columns
            info.element, info.count, info.stride = self.types[element], 0 if length_id else length, stride
            info.length_id = length_id
        return self._by_key[key]

    def runtime_array(self, element: int, stride: int | None = None) -> int:
        """Return the id of an array type without a length."""
        key = ("runtime_array", element, stride)
        if info := self._type(key, "runtime_array", op.OpTypeRuntimeArray):
            info.element, info.stride = self.types[element], stride
        return self._by_key[key]

    def node_payload_array(self, element: int, key: object) -> int:
        """Return the id of an AMDX payload array type; each ``key`` (the declaring parameter) gets a separate one."""
        full = ("node_payload_array", element, key)
        if info := self._type(full, "node_payload_array", op.OpTypeNodePayloadArrayAMDX):
            info.element = self.types[element]
        return self._by_key[full]

    def struct(
        self,
        name: str,
        members: list[Member] | tuple[Member, ...],
        *,
        interface: str = INTERFACE_NONE,
        read_only: bool = False,
        key: object = None,
    ) -> int:
        """Return the id of a struct type; equal name, members, layout and interface give the same type.

        ``interface``: "uniform" decorates Block; "storage" decorates BufferBlock, or Block from SPIR-V 1.4 on.
        ``read_only`` decorates all members NonWritable. ``key`` distinguishes otherwise equal structs.
        """
        check_size("members of a struct", len(members), MAX_MEMBERS)
        full = ("struct", name, tuple(members), interface, read_only, key)
        if info := self._type(full, "struct", op.OpTypeStruct):
            info.name, info.members = name, tuple(members)
            info.member_types = tuple(self.types[m.type] for m in members)
            info.interface, info.read_only = interface, read_only
        return self._by_key[full]

    def find_struct(
        self, name: str, members: tuple[Member, ...], interface: str = INTERFACE_NONE, *, read_only: bool = False
    ) -> int:
        """Return the id of the struct type that `struct` would return for these arguments; 0 if it does not exist."""
        return self._by_key.get(("struct", name, members, interface, read_only, None), 0)

    # ---- pointers and functions

    def _holds_storage_block(self, info: TypeInfo) -> bool:
        while info.kind in ("array", "runtime_array"):
            info = info.elem
        return info.kind == "struct" and info.interface == INTERFACE_STORAGE

    def pointer(self, storage: int, pointee: int) -> int:
        """Return the id of a pointer type; see ``TypeTable`` for pointers to storage blocks in Uniform."""
        info = self.types[pointee]
        if self.storage_buffer_class and storage == StorageClass.Uniform and self._holds_storage_block(info):
            storage = StorageClass.StorageBuffer
        key = ("pointer", storage, pointee)
        if new := self._type(key, "pointer", op.OpTypePointer):
            new.element, new.storage = info, storage
        return self._by_key[key]

    @declares
    def forward_pointer(self, storage: int) -> int:
        """Return the id of a pointer type whose pointee ``complete_pointer`` sets, for linked structs in buffers."""
        info = TypeInfo(self.new_id(), "pointer", op.OpTypePointer)
        info.storage = storage
        self.types[info.id] = info
        self.forward_pointers.append((info.id, storage))
        return info.id

    def complete_pointer(self, pointer: int, pointee: int) -> None:
        """Set the pointee of a forward pointer; later calls of ``pointer(storage, pointee)`` return this type."""
        info = self.types[pointer]
        info.element = self.types[pointee]
        self._by_key["pointer", info.storage, pointee] = pointer

    def untyped_pointer(self, storage: int) -> int:
        """Return the type of untyped pointers of a storage class."""
        key = ("untyped_pointer", storage)
        if info := self._type(key, "untyped_pointer", op.OpTypeUntypedPointerKHR):
            info.storage, info.name = storage, "type.untyped.pointer"
        return self._by_key[key]

    def function_type(self, result: int, params: list[int] | tuple[int, ...]) -> int:
        key = ("function", result, tuple(params))
        if info := self._type(key, "function", op.OpTypeFunction):
            info.element, info.params = self.types[result], tuple(self.types[p] for p in params)
        return self._by_key[key]

    # ---- opaque types

    def image(
        self,
        sampled_type: int,
        dim: int,
        *,
        depth: int = 2,
        arrayed: bool = False,
        ms: bool = False,
        sampled: int = 1,
        format: int = 0,
    ) -> int:
        """Return the id of an image type.

        ``sampled`` is 1 for use with a sampler, 2 for storage images and subpass inputs.
        """
        key = ("image", sampled_type, dim, depth, arrayed, ms, sampled, format)
        if info := self._type(key, "image", op.OpTypeImage):
            info.element, info.dim, info.depth, info.arrayed = self.types[sampled_type], dim, depth, arrayed
            info.ms, info.sampled, info.format = ms, sampled, format
            info.name = f"type.{_IMAGE_NAMES.get(dim, '')}image{'.array' if arrayed else ''}"
        return self._by_key[key]

    def sampler(self) -> int:
        if info := self._type(("sampler",), "sampler", op.OpTypeSampler):
            info.name = "type.sampler"
        return self._by_key["sampler",]

    def sampled_image(self, image: int) -> int:
        """Return the id of the type for an image combined with a sampler."""
        key = ("sampled_image", image)
        if info := self._type(key, "sampled_image", op.OpTypeSampledImage):
            info.element, info.name = self.types[image], "type.sampled.image"
        return self._by_key[key]

    def acceleration_structure(self) -> int:
        """Return the id of the acceleration structure type, with the name that DXC gives it."""
        key = ("acceleration_structure",)
        if info := self._type(key, "acceleration_structure", op.OpTypeAccelerationStructureKHR):
            info.name = "accelerationStructureNV"
        return self._by_key[key]

    def ray_query(self) -> int:
        if info := self._type(("ray_query",), "ray_query", op.OpTypeRayQueryKHR):
            info.name = "rayQueryKHR"
        return self._by_key["ray_query",]

    def opaque(self, opcode: int, operands: tuple[Operand, ...] = (), *, kind: str = "opaque", name: str = "") -> int:
        """Return the id of a type given by its opcode, for types without a separate method.

        ``kind`` and ``name`` become ``TypeInfo.kind`` and the type's ``OpName``.

        Ids among ``operands``, according to the grammar, are provisional ids of types and constants; an ``ir.Literal``
        is not an id.
        """
        key = ("opaque", opcode, operands, name)
        if info := self._type(key, kind, opcode):
            info.operands, info.name = operands, name
        return self._by_key[key]

    def inline_type(self, opcode: int, operands: tuple[Operand, ...], *, name: str) -> int:
        """Return the id of a type of inline SPIR-V.

        All operands except ``ir.Literal`` are ids, regardless of the grammar.
        """
        key = ("inline", opcode, operands, tuple(operand.__class__ for operand in operands))
        if info := self._type(key, "inline", opcode):
            info.operands, info.name = operands, name
        return self._by_key[key]

    def declare_inline_type(self, *, name: str) -> int:
        """Return the id of an inline type that can be used before ``define_inline_type`` is called for it."""
        info = TypeInfo(self.new_id(), "inline", 0)
        info.name = name
        self.types[info.id] = info
        return info.id

    def define_inline_type(self, type_id: int, opcode: int, operands: tuple[Operand, ...]) -> None:
        """Define a declared inline type; the operands are like those of ``inline_type``."""
        info = self.types[type_id]
        info.op, info.operands = opcode, operands

    def cooperative_matrix(self, component: int, scope: int, rows: int, columns: int, use: int) -> int:
        """Return the id of a cooperative matrix type; all arguments except ``component`` are ids of constants."""
        type_id = self.opaque(
            op.OpTypeCooperativeMatrixKHR, (component, scope, rows, columns, use), kind="cooperative_matrix"
        )
        self.types[type_id].element = self.types[component]
        return type_id

    def hit_object(self, *, nv: bool = False) -> int:
        """Return the hit object type of shader execution reordering."""
        return self.opaque(op.OpTypeHitObjectNV if nv else op.OpTypeHitObjectEXT, kind="hit_object")

    def decorate_type(self, type_id: int, decoration: int, *literals: int | str) -> None:
        """Add a decoration to a type; it is written with the type."""
        self.types[type_id].decorations.append((op.OpDecorate, (decoration, *literals)))

    def decorate_type_id(self, type_id: int, decoration: int, *ids: int) -> None:
        """Add a decoration with ids to a type; constants among them are written before the type."""
        self.types[type_id].decorations.append((op.OpDecorateId, (decoration, *ids)))
