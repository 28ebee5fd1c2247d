"""Reads, writes and queries of texel buffers, which are storage buffers in WGSL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.interface.texture import Texture
from hlsl_tool.wgsl.writer.expr import Expr, call, postfix

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.function import FunctionWriter
from hlsl_tool.wgsl.interface.texel_buffers import components, is_atomic


def texel(w: FunctionWriter, texture: Texture, coordinate: int) -> str:
    """Return the expression for the texel at a coordinate, an element of the array that replaces the buffer."""
    return f"{texture.name}[{w.expr(coordinate).text}]"


def read(w: FunctionWriter, inst: Instruction, texture: Texture) -> Expr:
    """Write a read of a texel; components that the format lacks are 0, the last one 1."""
    count = components(texture)
    text = texel(w, texture, inst.id(1))
    value = Expr(f"atomicLoad(&{text})" if is_atomic(texture) else text, depth=1)
    if count < 4:
        scalar = w.types.scalar(w.view.type(texture.image.id(0)))
        zero, one = {"f32": ("0.0f", "1.0f"), "i32": ("0i", "1i"), "u32": ("0u", "1u")}[scalar]
        rest = [Expr(zero, constant=True)] * (3 - count) + [Expr(one, constant=True)]
        first = value.text if count == 1 else ""
        value = call(w.types.vector(4, scalar), value, *rest)
        value.first = first
    value.reads = True
    return value


def write(w: FunctionWriter, inst: Instruction, texture: Texture, value: Expr, have: int) -> None:
    """Write a store of a texel; drop those of the ``have`` components of ``value`` that its format lacks."""
    count = components(texture)
    if have < count:
        raise Unsupported("a texel with fewer components than its format is written")
    if have > count:
        value = postfix(value, f".{'xyzw'[:count]}")
    place = texel(w, texture, inst.id(1))
    w.flush()
    if is_atomic(texture):
        w.line(f"atomicStore(&{place}, {value.text});")
    else:
        w.assign(place, value.text)


def size(w: FunctionWriter, inst: Instruction, texture: Texture) -> Expr:
    """Write a query for the number of texels."""
    count = Expr(f"arrayLength(&{texture.name})", depth=1)
    return call("i32", count) if w.view.is_signed(inst.type_id) else count
