"""Single texels: fetches, reads, writes and texel pointers (manual: *Buffers and textures*, ``operator[]``).

Image instructions take and return vectors of four components.  If their component type differs from that of the
element, `from_image` and `to_image` convert them.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.diagnostics.catalogue import vulkan as vulkan_codes
from hlsl_tool.codegen.lower.core import casts, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.interlock import interlocked, is_rasterizer_ordered
from hlsl_tool.codegen.lower.core.registry import assigns
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.types.images import component
from hlsl_tool.codegen.lower.types.kinds import type_name
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import NON_UNIFORM, ImageOperands
from hlsl_tool.spirv.enums import ImageFormat


def plain_name(t: ObjectType) -> str:
    """Return the name of a type without ``RasterizerOrdered``: ``RWTexture2D`` for ``RasterizerOrderedTexture2D``."""
    return t.name.replace("RasterizerOrdered", "RW")


def is_writable(t: ObjectType) -> bool:
    """Return whether the texels of an object type can be written."""
    return plain_name(t).startswith("RW")


def is_texel(x: hir.Expr) -> bool:
    """Return whether an expression is ``texture[i]``, ``buffer[i]`` or ``texture.mips[m][i]``, a texel of an image."""
    if (
        not isinstance(x, hir.MethodCall)
        or not x.name.endswith("operator[]")
        or not isinstance(x.object.type, ObjectType)
    ):
        return False
    n = x.object.type.name.removeprefix("RasterizerOrdered").removeprefix("RW").removeprefix("vk::Sampled")
    return n == "Buffer" or (n.startswith("Texture") and n != "TextureBuffer")


def image_of(ctx: Lowering, obj: hir.Expr) -> Value:
    """Load the image (or sampled image) of an object; report components that Vulkan's images cannot have."""
    _check_components(ctx, obj)
    return memory.load(ctx, ctx.expr(obj))


def _check_components(ctx: Lowering, obj: hir.Expr) -> None:
    """Report images of doubles, which Vulkan lacks; DXC writes them, and spirv-val rejects its modules."""
    t = obj.type
    assert isinstance(t, ObjectType)
    scalar = component(t.element)
    if scalar.category == "float" and scalar.bits == 64 and not ctx.options.codegen_only:
        ctx.fail(codes.DOUBLE_TEXELS, obj.pos, type=ty.display(t))


def vector_of(ctx: Lowering, element: Type) -> int:
    """Return the id of the four-component vector type that image instructions use for an element type."""
    return ctx.b.vector(ctx.types.scalar(ctx.types.texel_component(element)), 4)


def from_image(ctx: Lowering, value: int, element: Type) -> int:
    """Convert components from an image instruction to the element type: uint to bool, 32 bits to 16."""
    return casts.numeric(ctx, value, ty.with_element(element, ctx.types.texel_component(element)), element)


def to_image(ctx: Lowering, value: int, element: Type) -> int:
    """Convert components of the element type for an image instruction: bool to uint, 16 bits to 32."""
    return casts.numeric(ctx, value, element, ty.with_element(element, ctx.types.texel_component(element)))


def load(ctx: Lowering, obj: hir.Expr, location: int, operands: ImageOperands, *, status: int | None = None) -> Value:
    """Load a texel and convert it to the element type."""
    b, t = ctx.b, obj.type
    assert isinstance(t, ObjectType)
    element = t.element
    with interlocked(ctx, is_rasterizer_ordered(t)):
        image = image_of(ctx, obj).id
        if t.name.startswith("vk::Sampled"):
            image = b.unary(op.OpImage, b.type_of(image).elem.id, image)
        fetch = not is_writable(t) and not t.name.startswith("Subpass")
        read = b.image_fetch if fetch else b.image_read
        texel = read(vector_of(ctx, element), image, location, operands, residency=status)
    return from_four(ctx, texel, element)


def from_four(ctx: Lowering, texel: int, element: Type) -> Value:
    """Return a value of the element type from the first components of an image instruction's four."""
    b = ctx.b
    n = ty.component_count(element)
    ctx.relaxed(texel, element)
    value = texel if n == 4 else b.extract(texel, 0) if n == 1 else b.shuffle(texel, texel, range(n))
    return ctx.rvalue(from_image(ctx, value, element), element)


@assigns(hir.MethodCall)
def _write(ctx: Lowering, target: hir.MethodCall, value: Value) -> bool:
    """Store a texel of a writable texture or buffer; return false for another target."""
    if not is_texel(target):
        return False
    b, t = ctx.b, target.object.type
    assert isinstance(t, ObjectType)
    operands = ImageOperands()
    if "MS" in t.name:
        is_chosen = target.name.startswith("sample")
        operands.sample = memory.load(ctx, ctx.expr(target.args[0])).id if is_chosen else b.const_uint(0)
    location = memory.load(ctx, ctx.expr(target.args[-1])).id
    _check_components(ctx, target.object)
    pointer = ctx.expr(target.object)
    with interlocked(ctx, is_rasterizer_ordered(t)):
        image = memory.load(ctx, pointer).id
        b.image_write(image, location, to_image(ctx, value.id, value.type), operands)
    return True


_ATOMIC_FORMATS = frozenset(
    (
        ImageFormat.R32f,
        ImageFormat.R32i,
        ImageFormat.R32ui,
        ImageFormat.R64i,
        ImageFormat.R64ui,
    )
)
_HALF_VECTOR_FORMATS = frozenset((ImageFormat.Rg16f, ImageFormat.Rgba16f))


def _check_atomic_format(ctx: Lowering, image: int, element: Type, pos: int) -> None:
    """Report an image format that Vulkan does not allow for atomics; under ``-fcgl`` accept it, as DXC does."""
    info = ctx.b.pointee_of(image)
    while info.kind in ("array", "runtime_array"):
        info = info.elem
    is_half_vector = isinstance(element, ty.Vector)
    allowed = _HALF_VECTOR_FORMATS if is_half_vector else _ATOMIC_FORMATS
    if info.kind == "image" and info.format not in allowed and not ctx.options.codegen_only:
        name = next((name for name, value in vars(ImageFormat).items() if value == info.format), "another")
        names = "rg16f or rgba16f" if is_half_vector else "r32f, r32i, r32ui, r64i or r64ui"
        ctx.error(vulkan_codes.ATOMIC_FORMAT, pos, allowed=names, format=name.lower())


def pointer(ctx: Lowering, target: hir.MethodCall) -> int:
    """Return an OpImageTexelPointer to a texel, for atomics on it."""
    b, t = ctx.b, target.object.type
    assert isinstance(t, ObjectType)
    image = ctx.expr(target.object)
    if image.is_rvalue:
        image = memory.temporary(ctx, image, f"temp.var.{type_name(t)}")
    _check_components(ctx, target.object)
    _check_atomic_format(ctx, image.id, t.element, target.pos)
    location = memory.load(ctx, ctx.expr(target.args[-1])).id
    is_half_vector = isinstance(t.element, ty.Vector)
    pointee = ctx.type(t.element) if is_half_vector else ctx.types.scalar(component(t.element))
    texel = b.image_texel_pointer(pointee, image.id, location, b.const_uint(0))
    if b.has_mark(image.id, NON_UNIFORM):
        b.mark(texel, NON_UNIFORM)
    return texel
