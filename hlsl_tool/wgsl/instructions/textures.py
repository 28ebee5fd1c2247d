"""Convert image instructions to texture functions, with the coordinate types that WGSL requires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.instructions import texel_buffers
from hlsl_tool.wgsl.instructions.arithmetic import as_integer, cast
from hlsl_tool.wgsl.instructions.memory import LETTERS, resource_index
from hlsl_tool.wgsl.interface.texture import Texture
from hlsl_tool.wgsl.module.image_operands import Operands, image_operands
from hlsl_tool.wgsl.module.uses import COMPARING, root_of
from hlsl_tool.wgsl.writer.expr import Expr, binary, call, postfix
from hlsl_tool.wgsl.writer.registry import statement, value

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.function import FunctionWriter

PROJECTED = frozenset(range(op.OpImageSampleProjImplicitLod, op.OpImageSampleProjDrefExplicitLod + 1))


def texture_of(w: FunctionWriter, handle: int) -> Texture:
    """Return the texture that a loaded handle comes from, also through copies and combined image samplers.

    The name of an element of an array has the index: ``textures[i]``.
    """
    handles = w.context.handles
    image = handles.resolve(handle)[0]
    texture = handles.textures[image]
    count = w.view.binding_arrays.get(image)
    if not count:
        return texture
    suffix = ".texels" if texture.texel_buffer else ""
    return replace(texture, name=f"{texture.name}[{_index(w, handle, 0, count)}]{suffix}")


def _index(w: FunctionWriter, handle: int, part: int, count: int) -> str:
    """Return the index of a texture (``part`` 0) or sampler (1) in its array, as text."""
    inst = w.view.defs[handle]
    while inst.op != op.OpLoad:
        inst = w.view.defs[inst.id(part if inst.op == op.OpSampledImage else 0)]
    (index,) = root_of(w.view, inst.id(0))[1]
    return resource_index(w, index, count)


def sampler_of(w: FunctionWriter, handle: int, *, comparing: bool) -> str:
    """Return the name of the comparison or filtering sampler that a handle comes from."""
    handles = w.context.handles
    image, sampler = handles.resolve(handle)
    name = handles.samplers[sampler][handles.sampler_kind(image, comparing=comparing)]
    count = w.view.binding_arrays.get(sampler)
    return f"{name}[{_index(w, handle, 1, count)}]" if count else name


# -------------------------------------------------------------------------------------------------------- coordinates


def cut(w: FunctionWriter, vector: Expr, length: int, count: int) -> Expr:
    """Return the first ``count`` of a vector's ``length`` components."""
    if length == count:
        return vector
    if length < count:
        raise Unsupported("a coordinate has fewer components than the texture has dimensions")
    return postfix(vector, f".{LETTERS[:count]}")


def projection(w: FunctionWriter, texture: Texture, operand: int) -> tuple[Expr, Expr]:
    """Return (coordinate divided by its last component, that component)."""
    length, dimensions = w.view.components(w.view.type_of(operand)), texture.dimensions
    if texture.arrayed or length <= dimensions:
        raise Unsupported("a projected coordinate has no place for a layer")
    coordinate = w.repeatable(w.hidden(w.expr(operand)))
    divisor = postfix(coordinate, f".{LETTERS[length - 1]}")
    return binary("/", cut(w, coordinate, length, dimensions), divisor), divisor


def coordinates(w: FunctionWriter, texture: Texture, operand: int) -> list[Expr]:
    """Return the arguments for a coordinate: the coordinate itself and, for an array texture, the layer."""
    type_id = w.view.type_of(operand)
    length, dimensions = w.view.components(type_id), texture.dimensions
    coordinate = w.expr(operand)
    if not texture.arrayed:
        return [cut(w, coordinate, length, dimensions)]
    coordinate = w.repeatable(coordinate)
    layer = postfix(coordinate, f".{LETTERS[dimensions]}")
    if w.view.scalar(type_id).op == op.OpTypeFloat:
        layer = call("i32", call("round", layer))
    return [cut(w, coordinate, length, dimensions), layer]


def offset(w: FunctionWriter, texture: Texture, operands: Operands) -> list[Expr]:
    """Return a list with the constant offset as an argument; an empty list without one."""
    return [constant_offset(w, texture, operands.offset)] if operands.offset else []


def constant_offset(w: FunctionWriter, texture: Texture, value: int) -> Expr:
    """Return the vector of offsets in texels; raise `Unsupported` if it is not constant, as WGSL requires."""
    if texture.cube:
        raise Unsupported("WGSL has no offsets for cube textures")
    if texture.dimensions == 1:
        raise Unsupported("WGSL has no offsets for 1D textures")
    numbers = [_component(w, value, index) for index in range(texture.dimensions)]
    if not all(-8 <= number <= 7 for number in numbers):
        raise Unsupported(f"WGSL has offsets from -8 to 7 only, not {', '.join(map(str, numbers))}")
    words = [f"{number}i" for number in numbers]
    return Expr(f"vec{len(words)}i({', '.join(words[:1] if len(set(words)) == 1 else words)})", constant=True, depth=1)


def _component(w: FunctionWriter, value: int, index: int) -> int:
    """Return a component of a constant vector as a signed integer."""
    inst = w.view.defs[value]
    if inst.op == op.OpConstantNull:
        return 0
    number = w.view.constant(inst.id(index)) if inst.op == op.OpConstantComposite else None
    if number is None:
        raise Unsupported("WGSL has only constant offsets in texture functions")
    return number - (1 << 32) if number >> 31 > 0 else number


# ------------------------------------------------------------------------------------------------------------ sampling


@value(*range(op.OpImageSampleImplicitLod, op.OpImageSampleProjDrefExplicitLod + 1))
def _sample(w: FunctionWriter, inst: Instruction) -> Expr:
    texture = texture_of(w, inst.id(0))
    comparing = inst.op in COMPARING
    if texture.multisampled:
        raise Unsupported("a texture with samples cannot be sampled")
    operands = image_operands(inst.ints()[3 if comparing else 2 :])
    divisor: Expr | None = None
    if inst.op in PROJECTED:
        coordinate, divisor = projection(w, texture, inst.id(1))
        where = [coordinate]
    else:
        where = coordinates(w, texture, inst.id(1))
    sampler = Expr(sampler_of(w, inst.id(0), comparing=comparing))
    arguments = [Expr(texture.name), sampler, *where]
    if comparing:
        reference = w.expr(inst.id(2))
        if divisor is not None:
            reference = binary("/", reference, divisor)
        return _compare(w, texture, [*arguments, reference], operands)
    name, extra = _level_arguments(w, texture, operands)
    if texture.depth and name in ("textureSampleGrad", "textureSampleBias"):
        raise Unsupported(
            f"WGSL has no {name} for depth textures, and comparisons make this one (`depth_textures: split` makes two)"
        )
    if texture.dimensions == 1 and name not in ("textureSample", "textureSampleLevel"):
        raise Unsupported(f"WGSL has no {name} for 1D textures")
    if name in ("textureSample", "textureSampleBias"):
        w.context.needs.derivatives = True
    sample = _read(name, [*arguments, *extra, *offset(w, texture, operands)])
    return _texel(w, inst, texture, sample)


def _level_arguments(w: FunctionWriter, texture: Texture, operands: Operands) -> tuple[str, list[Expr]]:
    """Return (name of the sampling function, its arguments that choose the mip level) for the image operands."""
    if operands.grad is not None:
        count = texture.dimensions
        return "textureSampleGrad", [
            cut(w, w.expr(operand), w.view.components(w.view.type_of(operand)), count) for operand in operands.grad
        ]
    if operands.lod:
        level = w.expr(operands.lod)
        return "textureSampleLevel", [call("i32", w.hidden(level)) if texture.depth else level]
    if not w.fragment:
        return "textureSampleLevel", [Expr("0i" if texture.depth else "0.0f")]
    if operands.bias:
        return "textureSampleBias", [w.expr(operands.bias)]
    return "textureSample", []


def _read(name: str, arguments: list[Expr]) -> Expr:
    result = call(name, *arguments)
    result.reads, result.constant = True, False
    return result


def _texel(w: FunctionWriter, inst: Instruction, texture: Texture, value: Expr) -> Expr:
    """Convert a sampled value to the result type; WGSL's depth textures give a scalar, all others four components."""
    if texture.depth:
        if w.view.components(inst.type_id) == 1:
            return value
        value = Expr(f"vec4f({value.text}, 0.0f, 0.0f, 0.0f)", 0, value.reads, False, False, value.depth + 1)
    count = w.view.components(inst.type_id)
    if count < 4:
        value = postfix(value, f".{LETTERS[:count]}")
    scalar = w.view.scalar(inst.type_id)
    sampled = w.view.type(texture.image.id(0))
    if scalar.op == op.OpTypeInt and scalar.id(1) != sampled.id(1):
        reads = value.reads
        value = cast(w, value, inst.type_id, scalar.id(1) == 1)
        value.reads = reads
    return value


def _compare(w: FunctionWriter, texture: Texture, arguments: list[Expr], operands: Operands) -> Expr:
    name = "textureSampleCompare"
    if operands.grad is not None or operands.bias:
        raise Unsupported("WGSL compares at the level that it finds, or at level 0")
    if operands.lod:
        name = "textureSampleCompareLevel"
        if w.view.float_constant(operands.lod) != 0.0:
            raise Unsupported("WGSL compares at the level that it finds, or at level 0")
    elif not w.fragment:
        name = "textureSampleCompareLevel"
    else:
        w.context.needs.derivatives = True
    return _read(name, [*arguments, *offset(w, texture, operands)])


@value(op.OpImageGather, op.OpImageDrefGather)
def _gather(w: FunctionWriter, inst: Instruction) -> Expr:
    texture = texture_of(w, inst.id(0))
    comparing = inst.op == op.OpImageDrefGather
    operands = image_operands(inst.ints()[3:])
    if (texture.dimensions == 3 and not texture.cube) or texture.dimensions == 1:
        raise Unsupported("WGSL gathers from 2D and cube textures only")
    where = coordinates(w, texture, inst.id(1))
    sampler = Expr(sampler_of(w, inst.id(0), comparing=comparing), named=True)
    arguments = [Expr(texture.name, named=True), sampler, *where]
    if comparing:
        name = "textureGatherCompare"
        arguments.append(w.expr(inst.id(2)))
    else:
        name = "textureGather"
        component = w.view.constant(inst.id(2))
        if component is None or not 0 <= component < 4:
            raise Unsupported("WGSL gathers a component that is known, one of four")
        if not texture.depth:
            arguments.insert(0, Expr(f"{component}", constant=True, named=True))
        elif component != 0:
            raise Unsupported("a depth texture has one component")
    if operands.offsets:
        result = _four_gathers(w, texture, name, arguments, operands.offsets)
    else:
        result = _read(name, [*arguments, *offset(w, texture, operands)])
    if comparing or texture.depth:
        return result
    return _texel(w, inst, texture, result)


def _four_gathers(w: FunctionWriter, texture: Texture, name: str, arguments: list[Expr], offsets: int) -> Expr:
    """Write a gather for each of the four offsets; the component ``w`` of each is the texel at its offset."""
    arguments = [w.repeatable(argument) for argument in arguments]
    inst = w.view.defs[offsets]
    if inst.op not in (op.OpConstantComposite, op.OpConstantNull):
        raise Unsupported("WGSL has only constant offsets in texture functions")
    per_component = inst.ints() or [offsets] * 4
    own = [constant_offset(w, texture, number) for number in per_component]
    return _read("vec4", [postfix(_read(name, [*arguments, shift]), ".w") for shift in own])


# ------------------------------------------------------------------------------------------------- loading and storing


@value(op.OpImageFetch, op.OpImageRead)
def _fetch(w: FunctionWriter, inst: Instruction) -> Expr:
    texture = texture_of(w, inst.id(0))
    operands = image_operands(inst.ints()[2:])
    _check_texel(w, texture, operands)
    if texture.texel_buffer:
        return _texel(w, inst, texture, texel_buffers.read(w, inst, texture))
    where = coordinates(w, texture, inst.id(1))
    if operands.offset:
        signed = w.view.is_signed(w.view.type_of(inst.id(1)))
        added = as_integer(w, operands.offset, signed)
        where[0] = binary("+", w.hidden(where[0]), added)
    arguments = [Expr(texture.name), *where]
    if texture.multisampled:
        arguments.append(w.expr(operands.sample) if operands.sample else Expr("0i"))
    elif not texture.storage:
        arguments.append(w.expr(operands.lod) if operands.lod else Expr("0i"))
    value = _read("textureLoad", arguments)
    if texture.widened:
        value = _narrowed(w, texture, value)
    return _texel(w, inst, texture, value)


def _narrowed(w: FunctionWriter, texture: Texture, value: Expr) -> Expr:
    """Replace the components that WGSL's wider format adds to a texel: by 0, the last one by 1."""
    scalar = w.types.scalar(w.view.type(texture.image.id(0)))
    zero, one = {"f32": ("0.0f", "1.0f"), "i32": ("0i", "1i"), "u32": ("0u", "1u")}[scalar]
    rest = [Expr(zero, constant=True)] * (3 - texture.widened) + [Expr(one, constant=True)]
    return call(w.types.vector(4, scalar), postfix(value, f".{LETTERS[: texture.widened]}"), *rest)


def _check_texel(w: FunctionWriter, texture: Texture, operands: Operands) -> None:
    """Report image operands for which WGSL's texel functions have no parameter."""
    if texture.storage and operands.lod:
        raise Unsupported("WGSL has no levels of detail of storage textures")
    sampled = w.view.type(texture.image.id(0))
    if operands.signed is not None and sampled.op == op.OpTypeInt and operands.signed != bool(sampled.id(1)):
        raise Unsupported("a texel has another sign than the texture, which WGSL does not know")


@statement(op.OpImageWrite)
def _write(w: FunctionWriter, inst: Instruction) -> None:
    texture = texture_of(w, inst.id(0))
    _check_texel(w, texture, image_operands(inst.ints()[3:]))
    where = [] if texture.texel_buffer else coordinates(w, texture, inst.id(1))
    type_id = w.view.type_of(inst.id(2))
    texel = w.expr(inst.id(2))
    count = w.view.components(type_id)
    scalar = w.view.scalar(type_id)
    sampled = w.view.type(texture.image.id(0))
    if scalar.op == op.OpTypeInt and scalar.id(1) != sampled.id(1):
        texel = cast(w, texel, type_id, sampled.id(1) == 1)
    if texture.texel_buffer:
        texel_buffers.write(w, inst, texture, texel, count)
        return
    if count < 4:
        spelled = w.types.vector(4, w.types.scalar(sampled))
        zero = {"f": "0.0f", "i": "0i", "u": "0u"}.get(spelled[-1], "0")
        texel = call(spelled, texel, *[Expr(zero)] * (4 - count))
    w.flush()
    arguments = ", ".join(argument.text for argument in (Expr(texture.name), *where, texel))
    w.line(f"textureStore({arguments});")


# ------------------------------------------------------------------------------------------------------------- queries


@value(op.OpImageQuerySizeLod, op.OpImageQuerySize)
def _size(w: FunctionWriter, inst: Instruction) -> Expr:
    texture = texture_of(w, inst.id(0))
    if texture.texel_buffer:
        return texel_buffers.size(w, inst, texture)
    arguments = [Expr(texture.name)]
    if inst.op == op.OpImageQuerySizeLod:
        arguments.append(w.expr(inst.id(1)))
    size = call("textureDimensions", *arguments)
    size.constant = False
    count = w.view.components(inst.type_id)
    own = 2 if texture.cube else texture.dimensions
    if texture.arrayed:
        size = Expr(f"{w.types.vector(own + 1, 'u32')}({size.text}, textureNumLayers({texture.name}))", depth=2)
    if count != own + texture.arrayed:
        raise Unsupported("a size has as many components as the texture has dimensions")
    return cast(w, size, inst.type_id, True) if w.view.is_signed(inst.type_id) else size


@value(op.OpImageQueryLevels, op.OpImageQuerySamples)
def _count(w: FunctionWriter, inst: Instruction) -> Expr:
    texture = texture_of(w, inst.id(0))
    name = "textureNumLevels" if inst.op == op.OpImageQueryLevels else "textureNumSamples"
    count = Expr(f"{name}({texture.name})", depth=1)
    return cast(w, count, inst.type_id, True) if w.view.is_signed(inst.type_id) else count


@value(op.OpImageQueryLod)
def _level(w: FunctionWriter, inst: Instruction) -> Expr:
    raise Unsupported("WGSL cannot tell the level of detail")
