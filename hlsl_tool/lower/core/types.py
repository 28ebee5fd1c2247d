"""HLSL types as SPIR-V types, one for each layout rule (manual: *HLSL Types*).

Without a layout ``bool`` is OpTypeBool, with one a 32-bit unsigned integer.  Vectors and matrices of one component are
scalars, 1xN and Nx1 matrices vectors.  Matrices of integers and booleans are arrays of row vectors; column-major ones
in memory with a layout are arrays of column vectors (``TypeInfo.is_columns``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hlsl_tool.layout.rules import Placed, Rule, extent, is_row_major, place
from hlsl_tool.lower.interface import BitFieldRecord, MemberRecord, StructRecord
from hlsl_tool.lower.resources.resource_types import image_format, sampled_component, texture_dim
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.annotations.inline_spirv import VALUES
from hlsl_tool.sema.annotations.model import Attribute
from hlsl_tool.sema.types import Array, Field, Majorness, Matrix, ObjectType, Scalar, Struct, Type, Vector, innermost
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import INTERFACE_STORAGE, INTERFACE_UNIFORM, Member, ModuleBuilder
from hlsl_tool.spirv.grammar.tables import INSTRUCTIONS
from hlsl_tool.spirv.ir import Operand
from hlsl_tool.spirv.literal import Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def is_opaque(t: Type) -> bool:
    """A texture, sampler, buffer view or the like: a handle without contents of its own."""
    if not isinstance(t, ObjectType):
        return False
    n = t.name
    return (
        n.startswith(
            (
                "Texture",
                "RWTexture",
                "Buffer",
                "RWBuffer",
                "Sampler",
                "RasterizerOrderedTexture",
                "RasterizerOrderedBuffer",
                "Subpass",
                "Raytracing",
                "RayQuery",
                "vk::SampledTexture",
            )
        )
        and n != "TextureBuffer"
    )


def is_structured_or_byte_buffer(t: Type) -> bool:
    """Resources that are pointers to memory: locals of these types hold pointers (aliases)."""
    return isinstance(t, ObjectType) and t.name.endswith(("StructuredBuffer", "ByteAddressBuffer"))


def is_value_object(t: Type) -> bool:
    """Objects of ``vk::`` that have a size: they lie in memory and are copied like numbers."""
    return isinstance(t, ObjectType) and t.name in VALUES


def is_append_consume(t: Type) -> bool:
    return isinstance(t, ObjectType) and t.name in ("AppendStructuredBuffer", "ConsumeStructuredBuffer")


def has_counter(t: Type) -> bool:
    """Buffers with an associated counter variable."""
    return isinstance(t, ObjectType) and t.name in (
        "RWStructuredBuffer",
        "RasterizerOrderedStructuredBuffer",
        "AppendStructuredBuffer",
        "ConsumeStructuredBuffer",
    )


def is_relaxed(t: Type) -> bool:
    """Decorated RelaxedPrecision: ``min16float`` and its like, and aggregates only of them."""
    element = ty.element_of(innermost(t))
    return element is not None and element.is_min_precision


def holds_relaxed(t: Type) -> bool:
    """`is_relaxed`, or a resource of such elements."""
    inner = innermost(t)
    if isinstance(inner, ObjectType):
        element = inner.args[0] if inner.args else None
        return isinstance(element, (Scalar, Vector)) and is_relaxed(element)
    return is_relaxed(inner)


class BadInlineType(ValueError):
    """An opcode or its operands make no type of a value."""


def check_inline_type(opcode: int, count: int) -> None:
    """Raise BadInlineType for an opcode of the grammar that makes no type of a value with so many operands.

    Opcodes that the grammar lacks are those of newer extensions.
    """
    row = INSTRUCTIONS.get(opcode)
    if row is None:
        return
    name, kinds = row[0], row[1][1:]
    if not name.startswith("OpType") or opcode in _NO_TYPES_OF_VALUES:
        raise BadInlineType(f"{name} makes no type of a value")
    least = sum(kind[-1] not in "?*" for kind in kinds)
    is_open = any(kind.endswith("*") for kind in kinds)
    if count < least or (count > len(kinds) and not is_open):
        raise BadInlineType(f"{name} has {least} operands, not {count}")


_NO_TYPES_OF_VALUES = frozenset((op.OpTypeVoid, op.OpTypeFunction, op.OpTypeForwardPointer))


@dataclass(slots=True)
class Types:
    """Type lowering for one module."""

    builder: ModuleBuilder
    default_row_major: bool
    unknown_image_format: bool
    cbuffer_rule: Rule
    tbuffer_rule: Rule
    sbuffer_rule: Rule
    unsupported: Callable[[str], None]
    """Told the name of a type that has no lowering."""
    integer_columns: bool = False
    """Lay out column-major matrices of integers as such.  DXC keeps their rows contiguous, or refuses them."""
    pointer_arrays: bool = False
    """Local arrays of buffers hold a pointer for each buffer.  DXC has one pointer to a global array instead, so that
    no element can be assigned."""
    widened_texels: bool = False
    """Images of 16-bit components have a sampled type of 32 bits, as Vulkan demands.  DXC has one of 16 bits."""
    has_columns: bool = False
    """A type with an array of columns exists."""
    structs: list[StructRecord] = field(default_factory=list)
    """What lies in memory, for the interface record."""
    _cache: dict[tuple[Type, Rule, Majorness | None], int] = field(default_factory=dict)
    _placed: dict[tuple[Struct, Rule], list[Placed]] = field(default_factory=dict)
    _placed_fields: dict[Struct, dict[Field | None, Placed]] = field(default_factory=dict)
    _forward: dict[ObjectType, int] = field(default_factory=dict)
    _visiting: list[ObjectType] = field(default_factory=list)
    _ext_types: dict[int, int] = field(default_factory=dict)

    def id(self, t: Type, rule: Rule = Rule.VOID, majorness: Majorness | None = None) -> int:
        """The type id of ``t`` laid out by ``rule``."""
        key = (t, rule, majorness)
        found = self._cache.get(key)
        if found is None:
            found = self._make(t, rule, majorness)
            if not self._visiting:
                self._cache[key] = found
        return found

    def pointer(self, t: Type, storage: int, rule: Rule = Rule.VOID, majorness: Majorness | None = None) -> int:
        return self.builder.pointer(storage, self.id(t, rule, majorness))

    # ------------------------------------------------------------------------------------------------------- numeric

    def scalar(self, t: Scalar, rule: Rule = Rule.VOID) -> int:
        b = self.builder
        if t.category == "void":
            return b.void_type()
        if t.category == "bool":
            return b.bool_type() if rule is Rule.VOID else b.u32()
        if t.category == "float":
            return b.float_type(32 if t.is_literal else t.bits)
        if t in (ty.INT8X4_PACKED, ty.UINT8X4_PACKED):
            return b.u32()
        return b.int_type(32 if t.is_literal else t.bits, t.category == "int")

    def _make(self, t: Type, rule: Rule, majorness: Majorness | None) -> int:
        b = self.builder
        if isinstance(t, Scalar):
            return self.scalar(t, rule)
        if isinstance(t, ty.Enum):
            return self.scalar(t.underlying, rule)
        if isinstance(t, Vector):
            return b.vector(self.scalar(t.element, rule), t.size)
        if isinstance(t, Matrix):
            return self._matrix(t, rule, majorness)
        if isinstance(t, Array):
            return self._array(t, rule, majorness)
        if isinstance(t, Struct):
            return b.struct(t.name if not t.is_anonymous else "", self.members(t, rule))
        return self._object(t, rule)

    def _matrix(self, t: Matrix, rule: Rule, majorness: Majorness | None) -> int:
        b = self.builder
        row_major = is_row_major(majorness, self.default_row_major)
        element = self.scalar(t.element, rule)
        if rule is Rule.FXC_CBUFFER:
            inner, count = (t.cols, t.rows) if row_major else (t.rows, t.cols)
            if inner == 1 and count > 1:
                return b.array(element, count, extent(t, rule, row_major, self.default_row_major).stride)
        if t.rows == 1 or t.cols == 1:
            return b.vector(element, t.rows * t.cols)
        row = b.vector(element, t.cols)
        if t.element.category == "float":
            return b.matrix(row, t.rows)
        if rule is Rule.VOID:
            return b.array(row, t.rows)
        stride = extent(t, rule, row_major, self.default_row_major).stride
        if row_major or not self.integer_columns:
            return b.array(row, t.rows, stride)
        self.has_columns = True
        return b.array(b.vector(element, t.rows), t.cols, stride, is_columns=True)

    def is_pointer_array(self, t: Type) -> bool:
        """Whether variables of this type outside the interface are arrays of pointers to buffers."""
        if not isinstance(t, Array) or not self.pointer_arrays or not is_structured_or_byte_buffer(innermost(t)):
            return False
        element: Type = t
        while isinstance(element, Array):
            if element.size is None:
                return False
            element = element.element
        return True

    def _array(self, t: Array, rule: Rule, majorness: Majorness | None) -> int:
        b = self.builder
        if rule is Rule.VOID and self.is_pointer_array(t):
            return b.array(self.id(t.element), t.size or 0)
        local_buffers = rule is Rule.VOID and is_structured_or_byte_buffer(t.element)
        element = self.id(t.element, self.sbuffer_rule if local_buffers else rule, majorness)
        stride: int | None = None
        inner = innermost(t)
        if rule is not Rule.VOID and (not isinstance(inner, ObjectType) or is_value_object(inner)):
            stride = extent(t, rule, is_row_major(majorness, self.default_row_major), self.default_row_major).stride
        made = b.runtime_array(element, stride) if t.size is None else b.array(element, t.size, stride)
        return b.pointer(e.StorageClass.Uniform, made) if local_buffers else made

    # ------------------------------------------------------------------------------------------------------- structs

    def placed(self, s: Struct, rule: Rule) -> list[Placed]:
        """The members of a struct with offsets and SPIR-V member indices."""
        key = (s, rule)
        found = self._placed.get(key)
        if found is None:
            found = self._placed[key] = place(s, rule, self.default_row_major)
        return found

    def placed_field(self, s: Struct, f: Field) -> Placed:
        """Return where a field is among the members of a value in registers; KeyError if it has no place."""
        fields = self._placed_fields.get(s)
        if fields is None:
            fields = self._placed_fields[s] = {p.field: p for p in reversed(self.placed(s, Rule.VOID))}
        return fields[f]

    def members(self, s: Struct, rule: Rule) -> list[Member]:
        return self.lower_members(self.placed(s, rule), rule)

    def lower_members(self, placed: list[Placed], rule: Rule) -> list[Member]:
        """SPIR-V members of placed HLSL members; bit-fields that share a word are one member."""
        out: list[Member] = []
        for p in placed:
            if p.index < len(out):
                continue
            out.append(self.member(p, rule))
        if rule is not Rule.VOID:
            self._remember(placed, out)
        return out

    def _remember(self, placed: list[Placed], lowered: list[Member]) -> None:
        """What the source says of the members of a struct in memory, for reflection."""
        members: dict[int, MemberRecord] = {}
        for p in placed:
            order = "column_major" if self._is_columns(p) else ""
            record = members.setdefault(p.index, MemberRecord(ty.display(p.type), order))
            if p.bits is not None and p.field is not None:
                record.bit_fields.append(BitFieldRecord(p.field.name, record.type, p.bit_offset, p.bits))
        names = tuple(m.name for m in lowered)
        offsets = tuple(m.offset or 0 for m in lowered)
        self.structs.append(StructRecord(names, offsets, list(members.values())))

    def member(self, p: Placed, rule: Rule) -> Member:
        majorness: Majorness = "row" if p.row_major else "column"
        name = p.field.name if p.field is not None else ""
        inner = innermost(p.type)
        type_id = self.id(p.type, rule, majorness if isinstance(inner, Matrix) else None)
        precise = p.field is not None and "precise" in p.field.quals
        relaxed = holds_relaxed(p.type)
        decorations = _ext_decorations(p.field) if p.field is not None else ()
        if p.field is not None and p.field.attributes:
            require(self.builder, p.field.attributes)
        if rule is Rule.VOID:
            return Member(type_id, name, relaxed=relaxed, precise=precise, decorations=decorations)
        stride: int | None = None
        row_major: bool | None = None
        if self.is_spirv_matrix(inner):
            stride = extent(inner, rule, p.row_major, self.default_row_major).stride
            row_major = not p.row_major  # SPIR-V's majorness is the opposite of HLSL's
        return Member(type_id, name, p.offset, stride, row_major, relaxed, precise, decorations)

    def _is_columns(self, p: Placed) -> bool:
        """Whether a member holds matrices that are arrays of their columns."""
        t = innermost(p.type)
        is_array = isinstance(t, Matrix) and t.rows > 1 and t.cols > 1 and t.element.category != "float"
        return is_array and self.integer_columns and not p.row_major

    @staticmethod
    def is_spirv_matrix(t: Type) -> bool:
        """Lowered to OpTypeMatrix: floats, more than one row and column."""
        return isinstance(t, Matrix) and t.rows > 1 and t.cols > 1 and t.element.category == "float"

    # ------------------------------------------------------------------------------------------------------- objects

    def _object(self, t: ObjectType, rule: Rule) -> int:
        b, name = self.builder, t.name
        if name in ("SamplerState", "SamplerComparisonState"):
            return b.sampler()
        if name == "RaytracingAccelerationStructure":
            return b.acceleration_structure()
        if name == "RayQuery":
            return b.ray_query()
        if name == "dx::HitObject":
            return b.hit_object()
        if is_structured_or_byte_buffer(t):
            block = self.buffer_block(t, rule)
            return b.pointer(e.StorageClass.Uniform, block) if rule is Rule.VOID else block
        if name in ("ConstantBuffer", "TextureBuffer"):
            return self.constant_buffer(t)
        if name in ("InputPatch", "OutputPatch"):
            count = t.args[1]
            assert isinstance(count, int)
            return b.array(self.id(t.element, rule), count)
        if name.endswith("Stream"):
            return self.id(t.element, rule)
        if name == "vk::BufferPointer":
            return self._buffer_pointer(t)
        if name == "vk::ext_result_id":
            return self.id(t.element, rule)
        if name == "vk::ext_type":
            return self.ext_type(t.args[0])
        if name in ("vk::SpirvType", "vk::SpirvOpaqueType"):
            return self._inline(t, rule)
        if name.startswith("vk::SampledTexture"):
            dim, arrayed, ms = texture_dim(name[18:])
            return b.sampled_image(b.image(self._texel(t), dim, depth=0, arrayed=arrayed, ms=ms, sampled=1))
        if is_opaque(t):
            return self._image(t)
        self.unsupported(name)
        return b.u32()

    def texel_component(self, element: Type) -> Scalar:
        """The type that the components of texels have in image instructions; ``texels`` converts them."""
        return sampled_component(element, is_widened=self.widened_texels)

    def _texel(self, t: ObjectType) -> int:
        """The sampled type of an image."""
        return self.scalar(self.texel_component(t.element))

    def _image(self, t: ObjectType) -> int:
        b, name = self.builder, t.name.replace("RasterizerOrdered", "RW")
        texel = self._texel(t)
        image_fmt = 0 if self.unknown_image_format else image_format(t.element, is_widened=self.widened_texels)
        if name in ("Buffer", "RWBuffer"):
            return b.image(texel, e.Dim.Buffer, sampled=1 if name == "Buffer" else 2, format=image_fmt)
        if name in ("SubpassInput", "SubpassInputMS"):
            return b.image(texel, e.Dim.SubpassData, ms=name.endswith("MS"), sampled=2)
        if name.startswith("RWTexture"):
            dim, arrayed, ms = texture_dim(name[9:])
            return b.image(texel, dim, arrayed=arrayed, ms=ms, sampled=2, format=image_fmt)
        dim, arrayed, ms = texture_dim(name[7:])
        return b.image(texel, dim, arrayed=arrayed, ms=ms, sampled=1)

    def buffer_block(self, t: ObjectType, rule: Rule = Rule.VOID) -> int:
        """The struct with a runtime array that a structured or byte-address buffer is."""
        b, name = self.builder, t.name
        if name.endswith("ByteAddressBuffer"):
            read_only = name == "ByteAddressBuffer"
            member = Member(b.runtime_array(b.u32(), 4), "", 0)
            return b.struct(
                "type.ByteAddressBuffer" if read_only else "type.RWByteAddressBuffer",
                [member],
                interface=INTERFACE_STORAGE,
                read_only=read_only,
            )
        if rule is Rule.VOID:
            rule = self.sbuffer_rule
        row_major = is_row_major(t.majorness, self.default_row_major)
        element = t.element
        stride = extent(ty.array(element, 1), rule, row_major, self.default_row_major).stride
        array = b.runtime_array(self.id(element, rule, t.majorness), stride)
        matrix_stride: int | None = None
        decorated: bool | None = None
        if self.is_spirv_matrix(element) or (isinstance(element, Matrix) and not self.integer_columns):
            matrix_stride = extent(element, rule, row_major, self.default_row_major).stride
            decorated = not row_major
        return b.struct(
            f"type.{name}.{type_name(element)}",
            [Member(array, "", 0, matrix_stride, decorated)],
            interface=INTERFACE_STORAGE,
            read_only=name == "StructuredBuffer",
        )

    def constant_buffer(self, t: ObjectType) -> int:
        """The block of ``ConstantBuffer<T>`` or ``TextureBuffer<T>``: ``T``'s members."""
        is_texture = t.name == "TextureBuffer"
        rule = self.tbuffer_rule if is_texture else self.cbuffer_rule
        s = t.element
        assert isinstance(s, Struct)
        return self.builder.struct(
            f"type.{t.name}.{s.name}",
            self.members(s, rule),
            interface=INTERFACE_STORAGE if is_texture else INTERFACE_UNIFORM,
            read_only=is_texture,
        )

    def _buffer_pointer(self, t: ObjectType) -> int:
        """``vk::BufferPointer<T>``: a physical pointer; one inside its own struct is declared forward."""
        b = self.builder
        b.promote_addressing_model(e.AddressingModel.PhysicalStorageBuffer64)
        if t in self._visiting:
            if t not in self._forward:
                self._forward[t] = b.forward_pointer(e.StorageClass.PhysicalStorageBuffer)
            return self._forward[t]
        if t in self._forward:
            return self._forward[t]
        self._visiting.append(t)
        pointee = self.id(t.element, self.sbuffer_rule)
        self._visiting.pop()
        if t in self._forward:
            b.complete_pointer(self._forward[t], pointee)
            return self._forward[t]
        return b.pointer(e.StorageClass.PhysicalStorageBuffer, pointee)

    # --------------------------------------------------------------------------------------------------- inline SPIR-V

    def _inline(self, t: ObjectType, rule: Rule) -> int:
        """``vk::SpirvType<opcode, size, alignment, operands...>``, ``vk::SpirvOpaqueType<opcode, operands...>``."""
        b = self.builder
        opcode = t.args[0]
        assert isinstance(opcode, int)
        operands = [self._inline_operand(x, rule) for x in t.args[3 if t.name == "vk::SpirvType" else 1 :]]
        check_inline_type(opcode, len(operands))
        if opcode == op.OpTypePointer and len(operands) == 2:
            storage, pointee = operands
            if isinstance(storage, Literal) and isinstance(pointee, int):
                if storage == e.StorageClass.PhysicalStorageBuffer:
                    b.promote_addressing_model(e.AddressingModel.PhysicalStorageBuffer64)
                return b.pointer(int(storage), pointee)
        return b.inline_type(opcode, tuple(operands), name="spirvIntrinsicType")

    def _inline_operand(self, x: object, rule: Rule) -> Operand:
        """A type by its id, ``vk::integral_constant`` as a constant, ``vk::Literal`` of one as a literal."""
        if isinstance(x, ObjectType) and x.name == "vk::Literal":
            return Literal(integral_value(x.args[0])[1] & 0xFFFFFFFF)
        if isinstance(x, ObjectType) and x.name == "vk::integral_constant":
            scalar, value = integral_value(x)
            return self.builder.const_scalar(value, self.scalar(scalar))
        assert isinstance(x, Type)
        return self.id(x, rule)

    def ext_type(self, number: object) -> int:
        """``vk::ext_type<number>``, which a call of a ``vk::ext_type_def`` function defines."""
        assert isinstance(number, int)
        if number not in self._ext_types:
            self._ext_types[number] = self.builder.declare_inline_type(name="spirvIntrinsicType")
        return self._ext_types[number]

    def define_ext_type(self, number: int, opcode: int, operands: tuple[Operand, ...]) -> None:
        """The first definition counts."""
        made = self.ext_type(number)
        if not self.builder.type_info(made).op:
            self.builder.define_inline_type(made, opcode, operands)

    def undefined_ext_types(self) -> list[int]:
        """Numbers of the ``vk::ext_type`` in use that nothing has defined."""
        return [number for number, made in self._ext_types.items() if not self.builder.type_info(made).op]


def require(b: ModuleBuilder, attributes: Sequence[Attribute]) -> None:
    """The module declares what ``vk::ext_capability`` and ``vk::ext_extension`` name."""
    for a in attributes:
        if a.scope != "vk" or not a.args:
            continue
        if a.name == "ext_capability" and isinstance(a.args[0], int):
            b.capability(a.args[0])
        elif a.name == "ext_extension" and isinstance(a.args[0], str):
            b.extension(a.args[0])


def _ext_decorations(f: ty.Field) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """``[[vk::ext_decorate(n, literals...)]]`` of a member."""
    out: list[tuple[int, tuple[int, ...]]] = []
    for a in f.attributes:
        numbers = [x & 0xFFFFFFFF for x in a.args if isinstance(x, int)]
        if a.scope == "vk" and a.name == "ext_decorate" and numbers:
            out.append((numbers[0], tuple(numbers[1:])))
    return tuple(out)


def integral_value(t: object) -> tuple[Scalar, int]:
    """The type and value of ``vk::integral_constant<T, v>``."""
    assert isinstance(t, ObjectType)
    scalar, value = t.args
    assert isinstance(scalar, Scalar) and isinstance(value, (int, bool))
    return scalar, int(value)


def type_name(t: Type) -> str:
    """A type's name as DXC writes it into the names of buffer types: ``v4float``, ``mat2v3float``, ``arr...``."""
    if isinstance(t, Vector):
        return type_name(t.element) if t.size == 1 else f"v{t.size}{type_name(t.element)}"
    if isinstance(t, Matrix):
        if t.rows == 1 or t.cols == 1:
            n = t.rows * t.cols
            return type_name(t.element) if n == 1 else f"v{n}{type_name(t.element)}"
        return f"mat{t.rows}v{t.cols}{type_name(t.element)}"
    if isinstance(t, Struct):
        return t.name
    if isinstance(t, Array):
        return f"arr{t.size or ''}{type_name(t.element)}"
    if isinstance(t, ty.Enum):
        return ""  # DXC writes no name for an enumeration
    if isinstance(t, ObjectType):
        return t.name.rpartition("::")[2]
    return _SCALAR_NAMES.get(t.name, t.name)


_SCALAR_NAMES = {"int64_t": "int64", "uint64_t": "uint64", "int16_t": "int16", "uint16_t": "uint16"}
