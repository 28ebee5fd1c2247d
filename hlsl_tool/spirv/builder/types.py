"""Types of the module under construction: one ``TypeInfo`` for each, hash-consed.

A type has a provisional id as soon as it is asked for, but is written only when something written uses it, just as
DXC does: a type that is only talked about leaves no trace.
"""

from __future__ import annotations

from .. import enums as e
from .. import op
from ..ir import Operand
from .limits import MAX_MEMBERS, check_size
from .type_info import INTERFACE_NONE, INTERFACE_STORAGE, Member, TypeInfo

_IMAGE_NAMES = {
    e.Dim.Dim1D: "1d.",
    e.Dim.Dim2D: "2d.",
    e.Dim.Dim3D: "3d.",
    e.Dim.Cube: "cube.",
    e.Dim.Rect: "rect.",
    e.Dim.Buffer: "buffer.",
    e.Dim.SubpassData: "subpass.",
}


class TypeTable:
    """The types of one module; base of ``ModuleBuilder``.

    ``storage_buffer_class``: from SPIR-V 1.4 on there is no BufferBlock; blocks of storage buffers are decorated
    Block, and pointers to them that are asked for in Uniform come in StorageBuffer, also behind further pointers.
    """

    def __init__(self, *, storage_buffer_class: bool = False) -> None:
        self.storage_buffer_class = storage_buffer_class
        self.types: dict[int, TypeInfo] = {}
        """Provisional id → type."""
        self._by_key: dict[tuple[object, ...], int] = {}
        self._next_id = 1
        self._types_of: dict[int, int] = {}
        self.forward_pointers: list[tuple[int, int]] = []
        """(pointer type, storage class) of the OpTypeForwardPointer asked for, in order."""

    # ---- ids and look-up

    def new_id(self) -> int:
        """A fresh provisional id; ``finalize`` renumbers."""
        number = self._next_id
        self._next_id = number + 1
        return number

    def type_info(self, type_id: int) -> TypeInfo:
        """What is known of a type id."""
        return self.types[type_id]

    def type_id_of(self, value: int) -> int:
        """The result type of a value (instruction, constant, variable, parameter)."""
        return self._types_of[value]

    def type_of(self, value: int) -> TypeInfo:
        """The result type of a value; for variables and access chains that is the pointer type."""
        return self.types[self._types_of[value]]

    def pointee_of(self, pointer: int) -> TypeInfo:
        """What a pointer value points to."""
        return self.type_of(pointer).elem

    def storage_of(self, pointer: int) -> int:
        """The storage class of a pointer value."""
        return self.type_of(pointer).storage

    def _type(self, key: tuple[object, ...], kind: str, opcode: int) -> TypeInfo | None:
        """None when the type exists (the caller returns ``_by_key[key]``), else a fresh description to fill in."""
        if key in self._by_key:
            return None
        info = TypeInfo(self.new_id(), kind, opcode)
        self._by_key[key] = info.id
        self.types[info.id] = info
        return info

    # ---- scalars, vectors, matrices

    def void_type(self) -> int:
        """void."""
        self._type(("void",), "void", op.OpTypeVoid)
        return self._by_key["void",]

    def bool_type(self) -> int:
        """bool."""
        self._type(("bool",), "bool", op.OpTypeBool)
        return self._by_key["bool",]

    def int_type(self, width: int = 32, signed: bool = True) -> int:
        """An integer type."""
        key = ("int", width, signed)
        if info := self._type(key, "int", op.OpTypeInt):
            info.width, info.signed = width, signed
        return self._by_key[key]

    def float_type(self, width: int = 32) -> int:
        """A floating point type."""
        key = ("float", width)
        if info := self._type(key, "float", op.OpTypeFloat):
            info.width = width
        return self._by_key[key]

    def u32(self) -> int:
        """32-bit unsigned integer."""
        return self.int_type(32, False)

    def i32(self) -> int:
        """32-bit signed integer."""
        return self.int_type(32, True)

    def f32(self) -> int:
        """32-bit float."""
        return self.float_type(32)

    def vector(self, element: int, count: int) -> int:
        """A vector; of one component it is the scalar itself, as there is no OpTypeVector of 1."""
        if count == 1:
            return element
        key = ("vector", element, count)
        if info := self._type(key, "vector", op.OpTypeVector):
            info.element, info.count = self.types[element], count
        return self._by_key[key]

    def matrix(self, column: int, count: int) -> int:
        """A matrix of ``count`` columns, each of the vector type ``column``."""
        key = ("matrix", column, count)
        if info := self._type(key, "matrix", op.OpTypeMatrix):
            info.element, info.count = self.types[column], count
        return self._by_key[key]

    # ---- aggregates

    def array(
        self, element: int, length: int, stride: int | None = None, *, length_id: int = 0, is_columns: bool = False
    ) -> int:
        """An array of ``length`` elements, or of as many as the constant ``length_id`` says."""
        key = ("array", element, 0 if length_id else length, stride, length_id, is_columns)
        if info := self._type(key, "array", op.OpTypeArray):
            info.is_columns = is_columns
            info.element, info.count, info.stride = self.types[element], 0 if length_id else length, stride
            info.length_id = length_id
        return self._by_key[key]

    def runtime_array(self, element: int, stride: int | None = None) -> int:
        """An array without a length."""
        key = ("runtime_array", element, stride)
        if info := self._type(key, "runtime_array", op.OpTypeRuntimeArray):
            info.element, info.stride = self.types[element], stride
        return self._by_key[key]

    def node_payload_array(self, element: int, key: object) -> int:
        """An AMDX payload array; one type for each ``key`` (the parameter that declares it)."""
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
        """A struct.  It is the same type only if name, members, layout and interface are all the same.

        ``interface``: "uniform" decorates Block; "storage" decorates BufferBlock, or Block from SPIR-V 1.4 on.
        ``read_only`` decorates all members NonWritable.  ``key`` keeps otherwise equal structs apart.
        """
        check_size("members of a struct", len(members), MAX_MEMBERS)
        full = ("struct", name, tuple(members), interface, read_only, key)
        if info := self._type(full, "struct", op.OpTypeStruct):
            info.name, info.members = name, tuple(members)
            info.member_types = tuple(self.types[m.type] for m in members)
            info.interface, info.read_only = interface, read_only
        return self._by_key[full]

    # ---- pointers and functions

    def _holds_storage_block(self, info: TypeInfo) -> bool:
        while info.kind in ("array", "runtime_array"):
            info = info.elem
        return info.kind == "struct" and info.interface == INTERFACE_STORAGE

    def pointer(self, storage: int, pointee: int) -> int:
        """A pointer type.  See the class for what becomes of storage blocks in Uniform."""
        info = self.types[pointee]
        if self.storage_buffer_class and storage == e.StorageClass.Uniform and self._holds_storage_block(info):
            storage = e.StorageClass.StorageBuffer
        key = ("pointer", storage, pointee)
        if new := self._type(key, "pointer", op.OpTypePointer):
            new.element, new.storage = info, storage
        return self._by_key[key]

    def forward_pointer(self, storage: int) -> int:
        """A pointer type whose pointee comes later (``complete_pointer``): linked structs in buffers."""
        info = TypeInfo(self.new_id(), "pointer", op.OpTypePointer)
        info.storage = storage
        self.types[info.id] = info
        self.forward_pointers.append((info.id, storage))
        return info.id

    def complete_pointer(self, pointer: int, pointee: int) -> None:
        """Say what a forward pointer points to; ``pointer(storage, pointee)`` gives the same type from now on."""
        info = self.types[pointer]
        info.element = self.types[pointee]
        self._by_key["pointer", info.storage, pointee] = pointer

    def untyped_pointer(self, storage: int) -> int:
        """OpTypeUntypedPointerKHR."""
        key = ("untyped_pointer", storage)
        if info := self._type(key, "untyped_pointer", op.OpTypeUntypedPointerKHR):
            info.storage, info.name = storage, "type.untyped.pointer"
        return self._by_key[key]

    def function_type(self, result: int, params: list[int] | tuple[int, ...]) -> int:
        """A function type."""
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
        """An image; ``sampled`` is 1 with a sampler, 2 for storage images and subpass inputs."""
        key = ("image", sampled_type, dim, depth, arrayed, ms, sampled, format)
        if info := self._type(key, "image", op.OpTypeImage):
            info.element, info.dim, info.depth, info.arrayed = self.types[sampled_type], dim, depth, arrayed
            info.ms, info.sampled, info.format = ms, sampled, format
            info.name = f"type.{_IMAGE_NAMES.get(dim, '')}image{'.array' if arrayed else ''}"
        return self._by_key[key]

    def sampler(self) -> int:
        """OpTypeSampler."""
        if info := self._type(("sampler",), "sampler", op.OpTypeSampler):
            info.name = "type.sampler"
        return self._by_key["sampler",]

    def sampled_image(self, image: int) -> int:
        """An image together with a sampler."""
        key = ("sampled_image", image)
        if info := self._type(key, "sampled_image", op.OpTypeSampledImage):
            info.element, info.name = self.types[image], "type.sampled.image"
        return self._by_key[key]

    def acceleration_structure(self) -> int:
        """OpTypeAccelerationStructureKHR (the name is DXC's)."""
        key = ("acceleration_structure",)
        if info := self._type(key, "acceleration_structure", op.OpTypeAccelerationStructureKHR):
            info.name = "accelerationStructureNV"
        return self._by_key[key]

    def ray_query(self) -> int:
        """OpTypeRayQueryKHR."""
        if info := self._type(("ray_query",), "ray_query", op.OpTypeRayQueryKHR):
            info.name = "rayQueryKHR"
        return self._by_key["ray_query",]

    def opaque(self, opcode: int, operands: tuple[Operand, ...] = (), *, kind: str = "opaque", name: str = "") -> int:
        """Any OpType… by its opcode; ids among ``operands`` are provisional ids of types and constants.

        Which are ids the grammar says; an ``ir.Literal`` never is one.

        For hit objects, cooperative matrices and whatever else has no method of its own.
        """
        key = ("opaque", opcode, operands, name)
        if info := self._type(key, kind, opcode):
            info.operands, info.name = operands, name
        return self._by_key[key]

    def inline_type(self, opcode: int, operands: tuple[Operand, ...], *, name: str) -> int:
        """A type of inline SPIR-V: all operands are ids but ``ir.Literal``, whatever the grammar says."""
        key = ("inline", opcode, operands, tuple(operand.__class__ for operand in operands))
        if info := self._type(key, "inline", opcode):
            info.operands, info.name = operands, name
        return self._by_key[key]

    def declare_inline_type(self, *, name: str) -> int:
        """A type that ``define_inline_type`` will say more about: it may be mentioned before."""
        info = TypeInfo(self.new_id(), "inline", 0)
        info.name = name
        self.types[info.id] = info
        return info.id

    def define_inline_type(self, type_id: int, opcode: int, operands: tuple[Operand, ...]) -> None:
        """Say what a declared type is; see ``inline_type`` for the operands."""
        info = self.types[type_id]
        info.op, info.operands = opcode, operands

    def cooperative_matrix(self, component: int, scope: int, rows: int, columns: int, use: int) -> int:
        """OpTypeCooperativeMatrixKHR; all but ``component`` are ids of constants."""
        type_id = self.opaque(
            op.OpTypeCooperativeMatrixKHR, (component, scope, rows, columns, use), kind="cooperative_matrix"
        )
        self.types[type_id].element = self.types[component]
        return type_id

    def hit_object(self, *, nv: bool = False) -> int:
        """The hit object type of shader execution reordering."""
        return self.opaque(op.OpTypeHitObjectNV if nv else op.OpTypeHitObjectEXT, kind="hit_object")

    def decorate_type(self, type_id: int, decoration: int, *literals: int | str) -> None:
        """A decoration written together with the type."""
        self.types[type_id].decorations.append((op.OpDecorate, (decoration, *literals)))

    def decorate_type_id(self, type_id: int, decoration: int, *ids: int) -> None:
        """OpDecorateId on a type: the constants come before the type."""
        self.types[type_id].decorations.append((op.OpDecorateId, (decoration, *ids)))
