"""SPIR-V types, storage classes and layouts of resource variables."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.diagnostics.catalogue import vulkan as vulkan_codes
from hlsl_tool.codegen.layout.rules import is_row_major
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.types import images
from hlsl_tool.codegen.lower.types.kinds import (
    is_opaque,
    is_structured_or_byte_buffer,
)
from hlsl_tool.frontend.sema.model.annotations import vk_attribute
from hlsl_tool.frontend.sema.model.hir import Variable
from hlsl_tool.frontend.sema.model.types import (
    Array,
    Majorness,
    Matrix,
    ObjectType,
    Struct,
    Type,
    innermost,
)
from hlsl_tool.spirv.builder import INTERFACE_STORAGE, Member
from hlsl_tool.spirv.enums import StorageClass


def element_and_dims(t: Type) -> tuple[Type, list[int | None]]:
    """Return (innermost element type, dimensions from the outermost inwards); an unbounded dimension is ``None``."""
    dims: list[int | None] = []
    while isinstance(t, Array):
        dims.append(t.size)
        t = t.element
    return t, dims


def has_integer_columns(t: Type, majorness: Majorness | None, row_major: bool) -> bool:
    """Return whether a type contains a column-major matrix of integers or booleans, which DXC rejects."""
    t = innermost(t)
    if isinstance(t, Matrix):
        return t.rows > 1 and t.cols > 1 and t.element.category != "float" and not is_row_major(majorness, row_major)
    if isinstance(t, Struct):
        return any(has_integer_columns(f.type, f.majorness, row_major) for f in t.all_fields())
    if isinstance(t, ObjectType) and t.name.endswith("StructuredBuffer"):
        return has_integer_columns(t.element, t.majorness, row_major)
    return False


def resource_type(ctx: Lowering, v: Variable) -> int:
    """Return the type id of a resource variable: a block for a buffer, an array without stride for an array."""
    t = v.type
    t, dims = element_and_dims(t)
    if is_structured_or_byte_buffer(t):
        assert isinstance(t, ObjectType)
        type_id = ctx.types.buffer_block(t)
    elif isinstance(t, ObjectType) and is_opaque(t):
        type_id = _image_type(ctx, v, t)
    else:
        type_id = ctx.type(t)
    return in_arrays(ctx, type_id, dims)


def in_arrays(ctx: Lowering, type_id: int, dims: list[int | None]) -> int:
    """Return the type id of an array (without strides) with these dimensions; of ``type_id`` itself for none."""
    b = ctx.b
    for n in reversed(dims):
        type_id = b.runtime_array(type_id) if n is None else b.array(type_id, n)
    return type_id


def _image_type(ctx: Lowering, v: Variable, t: ObjectType) -> int:
    """Return the type id of an image, with the format that ``vk::image_format`` gives."""
    type_id = ctx.type(t)
    sampled = ctx.b.type_info(type_id).element
    is_half = sampled is not None and sampled.kind == "float" and sampled.width < 32
    if is_half and ctx.options.target_env.startswith("vulkan"):  # only with -fcgl, as DXC
        ctx.error(codes.HALF_TEXELS, v.pos, chunk=v.chunk)
    fmt = vk_attribute(v.attributes, "image_format")
    if fmt is not None and fmt.args and isinstance(fmt.args[0], str):
        number = images.image_format_by_name(fmt.args[0])
        info = ctx.b.type_info(type_id)
        if number is not None and info.kind == "image":
            assert info.element is not None
            if v.type is t and not images.format_fits(number, images.component(t.element)):
                ctx.error(vulkan_codes.IMAGE_FORMAT_TYPE, v.pos, chunk=v.chunk)
            type_id = ctx.b.image(
                info.element.id,
                info.dim,
                depth=info.depth,
                arrayed=info.arrayed,
                ms=info.ms,
                sampled=info.sampled,
                format=number,
            )
            ctx.needs_legalization()
    return type_id


def counter_type(ctx: Lowering, t: Type) -> int:
    """Return the id of the counter's type for a buffer; for an array of buffers, an array of counters."""
    b = ctx.b
    block = b.struct("type.ACSBuffer.counter", [Member(b.i32(), "counter", 0)], interface=INTERFACE_STORAGE)
    return in_arrays(ctx, block, element_and_dims(t)[1])


def storage_class_of(inner: Type) -> int:
    """Return the storage class for a resource: Uniform for buffers with a block, else UniformConstant."""
    if is_structured_or_byte_buffer(inner):
        return StorageClass.Uniform
    if isinstance(inner, ObjectType) and inner.name in ("ConstantBuffer", "TextureBuffer"):
        return StorageClass.Uniform
    return StorageClass.UniformConstant


def layout_name(ctx: Lowering, inner: Type) -> str:
    """Return the name of the layout rule for a buffer's contents; ``""`` for resources without a layout."""
    types = ctx.types
    if is_structured_or_byte_buffer(inner):
        return types.sbuffer_rule.value
    blocks = {"ConstantBuffer": types.cbuffer_rule, "TextureBuffer": types.tbuffer_rule}
    rule = blocks.get(inner.name) if isinstance(inner, ObjectType) else None
    return rule.value if rule is not None else ""
