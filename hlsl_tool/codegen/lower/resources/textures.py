"""Methods of textures, sampled textures, texel buffers and subpass inputs (manual: *HLSL Methods*).

A table gives the arguments of each sampling method that come between the coordinate and the optional ones. The optional
arguments are an offset, a clamp and a status; their types distinguish them.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.base.diagnostics.catalogue import vulkan as vulkan_codes
from hlsl_tool.base.options.checks import shader_model
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.lower.core import constants, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.quads import need_derivatives
from hlsl_tool.codegen.lower.core.registry import METHODS, method
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.resources import texels
from hlsl_tool.codegen.lower.resources.residency import Status, write_uint
from hlsl_tool.frontend.sema.model import constants as evaluation
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.builder import ImageOperands

FAMILIES = ("texture", "sampled_texture")

# method -> its arguments behind the coordinate: c compare value, b bias, l lod, g two gradients, 0 a lod of zero
SAMPLING: dict[str, str] = {
    "Sample": "",
    "SampleBias": "b",
    "SampleLevel": "l",
    "SampleGrad": "g",
    "SampleCmp": "c",
    "SampleCmpBias": "cb",
    "SampleCmpGrad": "cg",
    "SampleCmpLevel": "cl",
    "SampleCmpLevelZero": "c0",
}

# method -> component gathered, whether it compares
GATHERING: dict[str, tuple[int, bool]] = {
    "Gather": (0, False),
    "GatherRed": (0, False),
    "GatherGreen": (1, False),
    "GatherBlue": (2, False),
    "GatherAlpha": (3, False),
    "GatherRaw": (0, False),
    "GatherCmp": (0, True),
    "GatherCmpRed": (0, True),
    "GatherCmpGreen": (1, True),
    "GatherCmpBlue": (2, True),
    "GatherCmpAlpha": (3, True),
}


@dataclass(slots=True)
class Optional:
    """The lowered optional arguments of a call: image operands, status, offsets of a gather."""

    operands: ImageOperands
    status: Status | None = None
    offsets: list[hir.Expr] | None = None
    """Four offsets that need a gather each."""

    @property
    def pointer(self) -> int | None:
        """The variable to which the instruction stores the residency code."""
        return self.status.pointer if self.status is not None else None

    def finish(self, ctx: Lowering, result: Value) -> Value:
        """Write the status to its argument; return the result of the call."""
        if self.status is not None:
            self.status.write(ctx)
        return result


def value(ctx: Lowering, a: hir.Expr) -> int:
    """Lower an argument to an r-value and return its id."""
    return memory.load(ctx, ctx.expr(a)).id


def _folded(ctx: Lowering, a: hir.Expr) -> int | None:
    """Return the id of a constant offset; ``None`` if the offset does not fold.

    Drop components that the texture's dimension does not need (``int2(1, 2)`` for 1D).
    """
    if isinstance(a, hir.Cast) and a.kind == "to_scalar":
        v = evaluation.evaluate(a.operand)
        if isinstance(v, list) and v and not isinstance(v[0], list):
            return constants.constant(ctx, v[0], a.type)
    return constants.folded(ctx, a)


def _offset(ctx: Lowering, a: hir.Expr, operands: ImageOperands) -> None:
    """Set the offset operand: ConstOffset if the offset folds, else Offset, which legalisation must make constant."""
    folded = _folded(ctx, a)
    if folded is not None:
        operands.const_offset = folded
    else:
        operands.offset = value(ctx, a)


def optional(ctx: Lowering, c: hir.MethodCall, first: int) -> Optional:
    """Lower the optional arguments (offset, clamp, status), which start at argument ``first``."""
    out = Optional(ImageOperands())
    rest = list(zip(c.args[first:], c.param_types[first:], c.directions[first:], strict=True))
    offsets = [a for a, t, d in rest if d == "in" and _is_int(t)]
    if len(offsets) == 1:
        _offset(ctx, offsets[0], out.operands)
    elif len(offsets) == 4:
        _four_offsets(ctx, offsets, out)
    for a, t, d in rest:
        if d == "in" and t is ty.FLOAT:
            out.operands.min_lod = value(ctx, a)
        elif d == "out":
            out.status = Status(ctx, a)
    return out


def _is_int(t: Type) -> bool:
    element = ty.element_of(t)
    return element is not None and element.category == "int"


# texel of the footprint in component i of a gather, relative to the texel that ConstOffsets selects
_FOOTPRINT = ((0, 1), (1, 1), (1, 0), (0, 0))
_MAX_GATHER_OFFSET = 7
"""The largest offset of a gather that every Vulkan device supports."""


def _four_offsets(ctx: Lowering, offsets: list[hir.Expr], out: Optional) -> None:
    """Set up a gather with four offsets: one instruction if all are constant and in range, else one per offset.

    HLSL takes component i from a gather with offset i. SPIR-V's ConstOffsets takes the first texel of each of the four
    footprints, so the position of component i within its footprint is added to the offset.
    """
    b = ctx.b
    pair = b.vector(b.i32(), 2)
    values = [_offset_value(a) for a in offsets]
    if ctx.options.codegen_only and None not in values:  # DXC's text
        folded = [f for a in offsets if (f := _folded(ctx, a)) is not None]
        out.operands.const_offsets = b.const_composite(b.array(pair, 4), folded)
        return
    moved = [
        [n + step for n, step in zip(v, steps, strict=True)]
        for v, steps in zip(values, _FOOTPRINT, strict=True)
        if v is not None
    ]
    if len(moved) == len(offsets) and max(map(max, moved)) <= _MAX_GATHER_OFFSET:
        pairs = [b.const_composite(pair, [b.const_i32(n) for n in v]) for v in moved]
        out.operands.const_offsets = b.const_composite(b.array(pair, 4), pairs)
        return
    out.offsets = offsets


def _offset_value(a: hir.Expr) -> list[int] | None:
    """Return the two integers of a constant offset; ``None`` for another argument."""
    v = evaluation.evaluate(a)
    numbers = v if isinstance(v, list) else [v, v] if v is not None else []
    integers = [n for n in numbers if isinstance(n, int)]
    return integers if len(integers) == 2 else None


def _head(ctx: Lowering, c: hir.MethodCall) -> tuple[int, int | None, int, int]:
    """Return (image, sampler, coordinate, index of the next argument) of a sampling method.

    The sampler is ``None`` for ``vk::`` types, which include one.
    """
    image = texels.image_of(ctx, c.object).id
    assert isinstance(c.object.type, ObjectType)
    if c.object.type.name.startswith("vk::"):
        return image, None, value(ctx, c.args[0]), 1
    sampler = value(ctx, c.args[0])
    return image, sampler, value(ctx, c.args[1]), 2


def _check_element(ctx: Lowering, c: hir.MethodCall) -> None:
    """Report textures that cannot be sampled: doubles, and integers before Shader Model 6.7 or with comparison."""
    assert isinstance(c.object.type, ObjectType)
    t = c.object.type.element
    element = ty.element_of(t)
    if element is None or (element.category == "float" and element.bits < 64):
        return
    is_new = shader_model(ctx.options.profile) >= 670 and not c.name.startswith("SampleCmp")
    if element.category == "float" or not is_new:
        ctx.error(codes.SAMPLED_ELEMENT, c.args[0].pos if c.args else c.pos, name=c.name, type=ty.display(t))


def _sample(ctx: Lowering, c: hir.MethodCall) -> Value:
    _check_element(ctx, c)
    image, sampler, coordinate, at = _head(ctx, c)
    dref: int | None = None
    bias = lod = None
    grad: tuple[int, int] | None = None
    for kind in SAMPLING[c.name]:
        if kind == "0":
            lod = ctx.b.const_f32(0.0)
            continue
        v = value(ctx, c.args[at])
        at += 1
        if kind == "c":
            dref = v
        elif kind == "b":
            bias = v
        elif kind == "l":
            lod = v
        else:
            grad = v, value(ctx, c.args[at])
            at += 1
    rest = optional(ctx, c, at)
    o = rest.operands
    o.bias, o.lod, o.grad = bias, lod, grad
    if o.offset is not None and not ctx.options.variable_offsets:
        ctx.needs_legalization()
    if not o.explicit_lod:
        if ctx.stage not in ("ps", "cs", "lib"):
            ctx.error(codes.IMPLICIT_LOD, c.pos)
        _derivatives(ctx)
    if dref is not None:
        component = ctx.types.scalar(ctx.types.texel_component(c.type))
        sample = ctx.b.image_sample(component, image, sampler, coordinate, o, dref=dref, residency=rest.pointer)
        return rest.finish(ctx, ctx.rvalue(texels.from_image(ctx, sample, c.type), c.type))
    texel = ctx.b.image_sample(texels.vector_of(ctx, c.type), image, sampler, coordinate, o, residency=rest.pointer)
    return rest.finish(ctx, texels.from_four(ctx, texel, c.type))


def _derivatives(ctx: Lowering) -> None:
    legal = ctx.b.needs_legalization
    need_derivatives(ctx)
    ctx.b.needs_legalization = legal


def _gather(ctx: Lowering, c: hir.MethodCall) -> Value:
    b = ctx.b
    image, sampler, coordinate, at = _head(ctx, c)
    component, compares = GATHERING[c.name]
    if compares and component:
        ctx.error(vulkan_codes.METHOD_NO_EQUIVALENT, c.pos, name=c.name)
    dref: int | None = None
    if compares:
        dref = value(ctx, c.args[at])
        at += 1
    rest = optional(ctx, c, at)
    which = b.const_i32(component)
    texel_type = texels.vector_of(ctx, c.type)
    if rest.offsets is not None:
        parts = []
        for i, offset in enumerate(rest.offsets):
            folded = _folded(ctx, offset)
            operands = ImageOperands(offset=folded if folded is not None else value(ctx, offset))
            r = b.image_gather(
                texel_type,
                image,
                sampler,
                coordinate,
                operands,
                component=which,
                dref=dref,
                residency=rest.pointer,
            )
            parts.append(b.extract(r, i))
        texel = b.construct(texel_type, parts)
        return rest.finish(ctx, ctx.rvalue(texels.from_image(ctx, texel, c.type), c.type))
    r = b.image_gather(
        texel_type, image, sampler, coordinate, rest.operands, component=which, dref=dref, residency=rest.pointer
    )
    return rest.finish(ctx, ctx.rvalue(texels.from_image(ctx, r, c.type), c.type))


@method("texture", "GatherRaw")
def _gather_raw(ctx: Lowering, c: hir.MethodCall) -> Value:
    """Lower ``GatherRaw`` to a plain gather: the view has an unsigned one-component format, so texels are raw data."""
    assert isinstance(c.object.type, ObjectType)
    t = c.object.type.element
    element = ty.element_of(t)
    if ty.component_count(t) != 1 or element is None or element.category != "uint" or element.bits == 8:
        ctx.fail(codes.GATHER_RAW_ELEMENT, c.pos, type=ty.display(t))
    if shader_model(ctx.options.profile) < 670:
        ctx.error(codes.GATHER_RAW_MODEL, c.pos)
    return _gather(ctx, c)


def _level_of_detail(ctx: Lowering, c: hir.MethodCall) -> Value:
    b = ctx.b
    image, sampler, coordinate, _ = _head(ctx, c)
    sampled = image if sampler is None else b.combine(image, sampler)
    query = b.image_query(op.OpImageQueryLod, b.vector(b.f32(), 2), sampled, coordinate)
    _derivatives(ctx)
    return ctx.rvalue(b.extract(query, 1 if c.name.endswith("Unclamped") else 0), c.type)


for _family in FAMILIES:
    for _name in SAMPLING:
        METHODS[_family, _name] = _sample
    for _name in GATHERING:
        if _name != "GatherRaw":
            METHODS[_family, _name] = _gather
    METHODS[_family, "CalculateLevelOfDetail"] = METHODS[_family, "CalculateLevelOfDetailUnclamped"] = _level_of_detail


# --------------------------------------------------------------------------------------------------------------- texels


def _texture_load(ctx: Lowering, c: hir.MethodCall) -> Value:
    """Lower ``Load``: the location's last component is the mip level.

    A multisampled texture has an argument for the sample instead.
    """
    b, t = ctx.b, c.object.type
    assert isinstance(t, ObjectType)
    ms = "MS" in t.name
    location = value(ctx, c.args[0])
    operands = ImageOperands()
    first = 1
    if ms:
        operands.sample = value(ctx, c.args[1])
        first = 2
    else:
        n = ty.component_count(c.param_types[0])
        ctx.at_begin(c.args[0])
        coordinate = b.extract(location, 0) if n == 2 else b.shuffle(location, location, range(n - 1))
        operands.lod = b.extract(location, n - 1)
        location = coordinate
    rest = optional(ctx, c, first)
    operands.const_offset, operands.offset = rest.operands.const_offset, rest.operands.offset
    if operands.offset is not None and not ctx.options.variable_offsets:
        if ctx.options.codegen_only:  # as DXC
            ctx.fail(codes.LOAD_OFFSET, c.object.pos)
        location = _moved(ctx, location, operands.offset)
        operands.offset = None
    ctx.at_begin(c)
    return rest.finish(ctx, texels.load(ctx, c.object, location, operands, status=rest.pointer))


def _moved(ctx: Lowering, location: int, offset: int) -> int:
    """Add an offset to a texel's coordinates; the layer of an array texture stays the same."""
    b = ctx.b
    t = b.type_of(location)
    if t.count != b.type_of(offset).count:
        offset = b.construct(t.id, [offset, b.const_i32(0)])
    return b.binary(op.OpIAdd, t.id, location, offset)


@method("buffer", "Load")
@method("rwtexture", "Load")
def _plain_load(ctx: Lowering, c: hir.MethodCall) -> Value:
    location = value(ctx, c.args[0])
    assert isinstance(c.object.type, ObjectType)
    operands = ImageOperands(sample=value(ctx, c.args[1])) if "MS" in c.object.type.name else ImageOperands()
    rest = Optional(operands, Status(ctx, c.args[-1]) if c.directions[-1] == "out" else None)
    return rest.finish(ctx, texels.load(ctx, c.object, location, operands, status=rest.pointer))


@method("buffer", "operator[]")
@method("rwtexture", "operator[]")
@method("texture", "operator[]")
@method("sampled_texture", "operator[]")
def _subscript(ctx: Lowering, c: hir.MethodCall) -> Value:
    """Lower ``texture[i]``, which reads mip level 0 (or sample 0)."""
    t = c.object.type
    assert isinstance(t, ObjectType)
    operands = ImageOperands()
    location = value(ctx, c.args[0])
    if "MS" in t.name:
        operands.sample = ctx.b.const_uint(0)
    elif t.name.startswith(("Texture", "vk::")):
        operands.lod = ctx.b.const_uint(0)
    return texels.load(ctx, c.object, location, operands)


@method("texture", "mips.operator[]", "sample.operator[]")
@method("sampled_texture", "mips.operator[]", "sample.operator[]")
@method("rwtexture", "sample.operator[]")
def _two_levels(ctx: Lowering, c: hir.MethodCall) -> Value:
    which = value(ctx, c.args[0])
    location = value(ctx, c.args[1])
    operands = ImageOperands(sample=which) if c.name.startswith("sample") else ImageOperands(lod=which)
    ctx.at_begin(c.object)
    return texels.load(ctx, c.object, location, operands)


for _family in FAMILIES:
    METHODS[_family, "Load"] = _texture_load


@method("subpass", "SubpassLoad")
def _subpass_load(ctx: Lowering, c: hir.MethodCall) -> Value:
    if ctx.stage not in ("ps", "lib"):  # the link checks the stages that call an exported function
        ctx.fail(codes.SUBPASS_STAGE, c.object.pos)
    operands = ImageOperands(sample=value(ctx, c.args[0])) if c.args else ImageOperands()
    zero = ctx.b.const_i32(0)
    location = ctx.b.const_composite(ctx.b.vector(ctx.b.i32(), 2), [zero, zero])
    return texels.load(ctx, c.object, location, operands)


# -------------------------------------------------------------------------------------------------------------- queries


@method("texture", "GetDimensions")
@method("sampled_texture", "GetDimensions")
@method("rwtexture", "GetDimensions")
@method("buffer", "GetDimensions")
def _get_dimensions(ctx: Lowering, c: hir.MethodCall) -> None:
    """Lower ``GetDimensions``: store the sizes, then the number of levels (if a mip level is given) or samples."""
    b, t = ctx.b, c.object.type
    assert isinstance(t, ObjectType)
    image = texels.image_of(ctx, c.object).id
    if t.name.startswith("vk::Sampled"):
        image = b.unary(op.OpImage, b.type_of(image).elem.id, image)
    mip = c.args[0] if c.directions[0] == "in" else None
    outs = [a for a, d in zip(c.args, c.directions, strict=True) if d == "out"]
    last: int | None = None
    multisampled = "MS" in t.name
    if mip is not None or (multisampled and not texels.is_writable(t)):
        last = op.OpImageQuerySamples if multisampled else op.OpImageQueryLevels
    sizes = outs[:-1] if last is not None else outs
    result = b.vector(b.u32(), len(sizes))
    takes_lod = t.name.startswith(("Texture", "vk::Sampled")) and not multisampled
    lod = (value(ctx, mip) if mip is not None else b.const_i32(0)) if takes_lod else None
    opcode = op.OpImageQuerySizeLod if takes_lod else op.OpImageQuerySize
    query = b.image_query(opcode, result, image, lod)
    for i, target in enumerate(sizes):
        write_uint(ctx, target, query if len(sizes) == 1 else b.extract(query, i))
        ctx.at(c)
    if last is not None:
        write_uint(ctx, outs[-1], b.image_query(last, b.u32(), image))
