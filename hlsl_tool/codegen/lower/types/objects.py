"""Types of built-in objects: images, buffers, pointers."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.layout.rules import Rule, extent, is_row_major
from hlsl_tool.codegen.lower.types import linear_algebra
from hlsl_tool.codegen.lower.types.images import image_format, sampled_component, texture_dim
from hlsl_tool.codegen.lower.types.kinds import is_opaque, is_structured_or_byte_buffer, type_name
from hlsl_tool.codegen.lower.types.structs import StructTypes
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Matrix, ObjectType, Scalar, Struct, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import INTERFACE_STORAGE, INTERFACE_UNIFORM, Member, ModuleBuilder
from hlsl_tool.spirv.enums import AddressingModel, Dim, StorageClass
from hlsl_tool.spirv.literal import Literal

_HANDLES: dict[str, Callable[[ModuleBuilder], int]] = {
    "SamplerState": ModuleBuilder.sampler,
    "SamplerComparisonState": ModuleBuilder.sampler,
    "RaytracingAccelerationStructure": ModuleBuilder.acceleration_structure,
    "RayQuery": ModuleBuilder.ray_query,
}
_OF_THEIR_ELEMENT = frozenset(("vk::ext_result_id",))
"""Objects with the type of their element; output streams are, too."""


@dataclass(slots=True)
class ObjectTypes(StructTypes):
    """Map built-in object types to SPIR-V types."""

    def _object(self, t: ObjectType, rule: Rule) -> int:
        b, name = self.builder, t.name
        if name in _HANDLES:
            return _HANDLES[name](b)
        if name == "dx::HitObject":
            return b.hit_object(nv=self.nv_hit_objects)
        if name in _OF_THEIR_ELEMENT or name.endswith("Stream"):
            return self.id(t.element, rule)
        lower = _OBJECTS.get(name)
        if lower is not None:
            return lower(self, t, rule)
        if is_structured_or_byte_buffer(t):
            block = self.buffer_block(t, rule)
            return b.pointer(StorageClass.Uniform, block) if rule is Rule.VOID else block
        if name.startswith("vk::SampledTexture"):
            dim, arrayed, ms = texture_dim(name[18:])
            return b.sampled_image(b.image(self._texel(t), dim, depth=0, arrayed=arrayed, ms=ms, sampled=1))
        if is_opaque(t):
            return self._image(t)
        self.unsupported(name)
        return b.u32()

    def _patch(self, t: ObjectType, rule: Rule) -> int:
        count = t.args[1]
        assert isinstance(count, int)
        return self.builder.array(self.id(t.element, rule), count)

    def texel_component(self, element: Type) -> Scalar:
        """Return the component type that image instructions use for an element type."""
        return sampled_component(element, is_widened=self.widened_texels)

    def _texel(self, t: ObjectType) -> int:
        """Return the id of an image's Sampled Type."""
        return self.scalar(self.texel_component(t.element))

    def _image(self, t: ObjectType) -> int:
        b, name = self.builder, t.name.replace("RasterizerOrdered", "RW")
        texel = self._texel(t)
        image_fmt = 0 if self.unknown_image_format else image_format(t.element, is_widened=self.widened_texels)
        if name in ("Buffer", "RWBuffer"):
            return b.image(texel, Dim.Buffer, sampled=1 if name == "Buffer" else 2, format=image_fmt)
        if name in ("SubpassInput", "SubpassInputMS"):
            return b.image(texel, Dim.SubpassData, ms=name.endswith("MS"), sampled=2)
        if name.startswith("RWTexture"):
            dim, arrayed, ms = texture_dim(name[9:])
            return b.image(texel, dim, arrayed=arrayed, ms=ms, sampled=2, format=image_fmt)
        dim, arrayed, ms = texture_dim(name[7:])
        return b.image(texel, dim, arrayed=arrayed, ms=ms, sampled=1)

    def buffer_block(self, t: ObjectType, rule: Rule = Rule.VOID) -> int:
        """Return the type id of a structured or byte-address buffer: a struct with a runtime array."""
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
        is_matrix = isinstance(element, Matrix) and element.rows > 1 and element.cols > 1
        if self.is_spirv_matrix(element) or (is_matrix and not self.integer_columns):
            matrix_stride = extent(element, rule, row_major, self.default_row_major).stride
            decorated = not row_major
        return b.struct(
            f"type.{name}.{type_name(element)}",
            [Member(array, "", 0, matrix_stride, decorated)],
            interface=INTERFACE_STORAGE,
            read_only=name == "StructuredBuffer",
        )

    def constant_buffer(self, t: ObjectType, _rule: Rule = Rule.VOID) -> int:
        """Return the type id of ``ConstantBuffer<T>`` or ``TextureBuffer<T>``: a block with the members of ``T``."""
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

    def _buffer_pointer(self, t: ObjectType, _rule: Rule) -> int:
        """Return the type id of ``vk::BufferPointer<T>``: a physical pointer.

        Inside the definition of its own pointee it is declared forward.
        """
        b = self.builder
        b.promote_addressing_model(AddressingModel.PhysicalStorageBuffer64)
        if t in self._visiting:
            if t not in self._forward:
                self._forward[t] = b.forward_pointer(StorageClass.PhysicalStorageBuffer)
            return self._forward[t]
        if t in self._forward:
            return self._forward[t]
        self._visiting.append(t)
        pointee = self.id(t.element, self.sbuffer_rule)
        self._visiting.pop()
        if t in self._forward:
            b.complete_pointer(self._forward[t], pointee)
            return self._forward[t]
        return b.pointer(StorageClass.PhysicalStorageBuffer, pointee)

    def _matrix_handle(self, t: ObjectType, _rule: Rule) -> int:
        """Return the type id of a linear algebra matrix."""
        shape = linear_algebra.shape_of(t)
        if shape is not None and shape.is_cooperative:
            return self.matrix(shape)
        if shape is not None and shape.scope == linear_algebra.THREAD and shape.use != linear_algebra.USE_B:
            return self._matrix_of_a_thread(shape)
        self.unsupported(ty.display(t))
        return self.builder.u32()

    def _matrix_of_a_thread(self, shape: linear_algebra.Shape) -> int:
        """Return the type id of a place in a buffer, or of the two factors of an outer product."""
        if shape.use == linear_algebra.USE_A:
            numbers = [Member(self.builder.u32(), name) for name in ("offset", "stride", "layout")]
            buffer = self.id(ty.object_type("ByteAddressBuffer", ()))
            return self.builder.struct("matrix.place", [Member(buffer, "buffer"), *numbers])
        column, row = (self.id(ty.vector(ty.FLOAT16, size)) for size in (shape.rows, shape.columns))
        return self.builder.struct("matrix.factors", [Member(column, "column"), Member(row, "row")])

    def matrix(self, shape: linear_algebra.Shape) -> int:
        """Return the type id of a cooperative matrix."""
        b = self.builder
        sizes = (linear_algebra.SCOPES[shape.scope], shape.rows, shape.columns, shape.use)
        return b.cooperative_matrix(self.matrix_component(shape), *map(b.const_uint, sizes))

    def matrix_component(self, shape: linear_algebra.Shape) -> int:
        """Return the type id of the components of a linear algebra matrix."""
        if shape.component in linear_algebra.COMPONENTS:
            return self.scalar(linear_algebra.COMPONENTS[shape.component])
        bits, encoding = linear_algebra.ENCODED[shape.component]
        return self.builder.inline_type(op.OpTypeFloat, (Literal(bits), Literal(encoding)), name="spirvIntrinsicType")

    def _ext_type(self, t: ObjectType, _rule: Rule) -> int:
        return self.ext_type(t.args[0])


_OBJECTS: dict[str, Callable[[ObjectTypes, ObjectType, Rule], int]] = {
    "ConstantBuffer": ObjectTypes.constant_buffer,
    "TextureBuffer": ObjectTypes.constant_buffer,
    "InputPatch": ObjectTypes._patch,
    "OutputPatch": ObjectTypes._patch,
    "vk::BufferPointer": ObjectTypes._buffer_pointer,
    "vk::ext_type": ObjectTypes._ext_type,
    linear_algebra.HANDLE: ObjectTypes._matrix_handle,
    "vk::SpirvType": ObjectTypes._inline,
    "vk::SpirvOpaqueType": ObjectTypes._inline,
}
