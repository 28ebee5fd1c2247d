"""Single texels: fetching, reading, writing, pointing to them (manual: *Buffers and textures*, ``operator[]``).

Images give and take vectors of four components.
"""

from __future__ import annotations

from hlsl_tool.layout.rules import Rule
from hlsl_tool.lower import casts, memory
from hlsl_tool.lower.context import Lowering
from hlsl_tool.lower.types import type_name
from hlsl_tool.lower.values import Value
from hlsl_tool.sema import hir
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.types import ObjectType, Struct, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import NON_UNIFORM, ImageOperands


def plain_name(t: ObjectType) -> str:
    """The name without what only orders accesses: ``RWTexture2D`` of a rasterizer ordered one."""
    return t.name.replace("RasterizerOrdered", "RW")


def is_writable(t: ObjectType) -> bool:
    return plain_name(t).startswith("RW")


def is_texel(x: hir.Expr) -> bool:
    """``texture[i]``, ``buffer[i]``, ``texture.mips[m][i]``: accessed by image instructions."""
    if (
        not isinstance(x, hir.MethodCall)
        or not x.name.endswith("operator[]")
        or not isinstance(x.object.type, ObjectType)
    ):
        return False
    n = x.object.type.name.removeprefix("RasterizerOrdered").removeprefix("RW").removeprefix("vk::Sampled")
    return n == "Buffer" or (n.startswith("Texture") and n != "TextureBuffer")


def image_of(ctx: Lowering, obj: hir.Expr) -> Value:
    """The loaded image (or sampled image) of an object."""
    return memory.load(ctx, ctx.expr(obj))


def component(t: Type) -> ty.Scalar:
    """The component type of an element: of a struct, that of its members."""
    element = ty.element_of(t)
    if element is None:
        element = ty.element_of(ty.flatten(t)[0])
    assert element is not None
    return element


def load(ctx: Lowering, obj: hir.Expr, location: int, operands: ImageOperands, *, status: int | None = None) -> Value:
    """A texel as HLSL sees it."""
    b, t = ctx.b, obj.type
    assert isinstance(t, ObjectType)
    ordered = t.name.startswith("Rasterizer")
    if ordered:
        memory.begin_interlock(ctx)
    image = image_of(ctx, obj).id
    element = t.element
    scalar = component(element)
    stored = ty.UINT if scalar.category == "bool" else scalar
    texel_type = b.vector(ctx.types.scalar(stored), 4)
    if t.name.startswith("vk::Sampled"):
        image = b.unary(op.OpImage, b.type_of(image).elem.id, image)
    fetch = not is_writable(t) and not t.name.startswith("Subpass")
    read = b.image_fetch if fetch else b.image_read
    texel = read(texel_type, image, location, operands, residency=status)
    if ordered:
        memory.end_interlock(ctx)
    return from_four(ctx, texel, stored, element)


def from_four(ctx: Lowering, texel: int, stored: ty.Scalar, element: Type) -> Value:
    """The element type's components out of four."""
    b = ctx.b
    leaves = ty.flatten(element)
    n = len(leaves)
    ctx.relaxed(texel, element)
    value = texel if n == 4 else b.extract(texel, 0) if n == 1 else b.shuffle(texel, texel, range(n))
    if isinstance(element, Struct):
        return ctx.rvalue(_to_struct(ctx, value, stored, n, element), element)
    if component(element).category == "bool":
        value = casts.numeric(ctx, value, ty.with_element(element, ty.UINT), element)
    return ctx.rvalue(value, element)


def _to_struct(ctx: Lowering, value: int, stored: ty.Scalar, n: int, s: Struct) -> int:
    b = ctx.b
    parts: list[int] = []
    at = 0
    for p in ctx.types.placed(s, Rule.VOID):
        count = ty.component_count(p.type)
        if n == 1:
            parts.append(value)
        elif count == 1:
            parts.append(b.extract(value, at))
        else:
            parts.append(b.shuffle(value, value, range(at, at + count)))
        at += count
    return b.construct(ctx.type(s), parts)


def write(ctx: Lowering, target: hir.MethodCall, value: Value) -> None:
    """Store a texel of a writable texture or buffer."""
    b, t = ctx.b, target.object.type
    assert isinstance(t, ObjectType)
    location = memory.load(ctx, ctx.expr(target.args[-1])).id
    pointer = ctx.expr(target.object)
    ordered = t.name.startswith("Rasterizer")
    if ordered:
        memory.begin_interlock(ctx)
    image = memory.load(ctx, pointer).id
    texel = value.id
    if isinstance(value.type, Struct):
        parts = [
            x
            for p in ctx.types.placed(value.type, Rule.VOID)
            for x, _ in casts.components(ctx, b.extract(value.id, p.index), p.type)
        ]
        texel = b.construct(b.vector(ctx.types.scalar(component(value.type)), len(parts)), parts)
    elif component(value.type).category == "bool":
        texel = casts.numeric(ctx, texel, value.type, ty.with_element(value.type, ty.UINT))
    b.image_write(image, location, texel)
    if ordered:
        memory.end_interlock(ctx)


def pointer(ctx: Lowering, target: hir.MethodCall) -> int:
    """OpImageTexelPointer to a texel, for atomics."""
    b, t = ctx.b, target.object.type
    assert isinstance(t, ObjectType)
    image = ctx.expr(target.object)
    if image.is_rvalue:
        image = memory.temporary(ctx, image, f"temp.var.{type_name(t)}")
    location = memory.load(ctx, ctx.expr(target.args[-1])).id
    made = b.image_texel_pointer(ctx.types.scalar(component(t.element)), image.id, location, b.const_uint(0))
    if b.has_mark(image.id, NON_UNIFORM):
        b.mark(made, NON_UNIFORM)
    return made
