"""Texel buffers (HLSL's `Buffer` and `RWBuffer`), as storage buffers with elements of the texels' type.

WGSL has no buffers whose elements are converted when they are read.  SPIR-V names the format: where a texel is one,
two or four numbers of 32 bits, an element of a storage buffer has the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.spirv.enums import ImageFormat
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.writer.expr import Expr, call, postfix

if TYPE_CHECKING:
    from hlsl_tool.wgsl.interface.handles import Handles, Texture
    from hlsl_tool.wgsl.writer.function import FunctionWriter

F = ImageFormat

COMPONENTS = {
    F.R32f: 1,
    F.R32i: 1,
    F.R32ui: 1,
    F.Rg32f: 2,
    F.Rg32i: 2,
    F.Rg32ui: 2,
    F.Rgba32f: 4,
    F.Rgba32i: 4,
    F.Rgba32ui: 4,
}
"""Format → the numbers in a texel."""


def declare(handles: Handles, texture: Texture) -> None:
    """Declare the storage buffer of a texel buffer."""
    context, variable = handles.context, texture.variable
    count = _components(texture)
    scalar = context.types.scalar(handles.view.type(texture.image.id(0)))
    written = bool(texture.uses & {"write", "atomic"})
    if written and variable in handles.vertex:
        raise Unsupported("WebGPU's vertex shaders cannot write to buffers", variable)
    element = (
        f"atomic<{scalar}>" if is_atomic(texture) else scalar if count == 1 else context.types.vector(count, scalar)
    )
    kind, access = ("storage", "read_write") if written else ("read-only-storage", "read")
    layout = {"buffer": {"type": kind, "minBindingSize": 4 * count}}
    attributes = handles.attributes(variable, texture.name, layout)
    handles.declarations.append(f"{attributes}var<storage, {access}> {texture.name}: array<{element}>;\n")


def _components(texture: Texture) -> int:
    count = COMPONENTS.get(texture.image.id(6))
    if count is None:
        raise Unsupported(
            "WGSL has no texel buffers of this format: storage buffers have texels of one, two or four 32-bit numbers",
            texture.variable,
        )
    return count


def is_atomic(texture: Texture) -> bool:
    """Whether a texel buffer is used by atomics."""
    return "atomic" in texture.uses


def texel(w: FunctionWriter, texture: Texture, coordinate: int) -> str:
    """The element at a coordinate."""
    return f"{texture.name}[{w.expr(coordinate).text}]"


def read(w: FunctionWriter, inst: Instruction, texture: Texture) -> Expr:
    """Read a texel; what the format lacks is 0, and 1 in the last place."""
    count = _components(texture)
    text = texel(w, texture, inst.id(1))
    found = Expr(f"atomicLoad(&{text})" if is_atomic(texture) else text, depth=1)
    if count < 4:
        scalar = w.types.scalar(w.view.type(texture.image.id(0)))
        zero, one = {"f32": ("0.0f", "1.0f"), "i32": ("0i", "1i"), "u32": ("0u", "1u")}[scalar]
        rest = [Expr(zero, constant=True)] * (3 - count) + [Expr(one, constant=True)]
        found = call(w.types.vector(4, scalar), found, *rest)
    found.reads = True
    return found


def write(w: FunctionWriter, inst: Instruction, texture: Texture, value: Expr, have: int) -> None:
    """Write the components that the format has."""
    count = _components(texture)
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
    """The number of texels."""
    found = Expr(f"arrayLength(&{texture.name})", depth=1)
    return call("i32", found) if w.view.is_signed(inst.type_id) else found
