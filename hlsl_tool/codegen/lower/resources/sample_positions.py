"""``GetSamplePosition``: look up the standard positions in a constant array.

Vulkan has no query (manual: *Texture2DMS*).

The positions are the standard sample locations of D3D and Vulkan, in sixteenths of a pixel from its centre.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import method
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.resources import texels
from hlsl_tool.codegen.lower.resources.textures import value
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.types import ObjectType
from hlsl_tool.spirv import op

STANDARD_POSITIONS: dict[int, tuple[tuple[int, int], ...]] = {
    2: ((4, 4), (-4, -4)),
    4: ((-2, -6), (6, -2), (-6, 2), (2, 6)),
    8: ((1, -3), (-1, 3), (5, 1), (-3, -5), (-5, 5), (-7, -1), (3, 7), (7, -7)),
    16: ((1, 1), (-1, -3), (-3, 2), (4, -1), (-5, -2), (2, 5), (5, 3), (3, -5),
         (-2, 6), (0, -7), (-4, -6), (-6, 4), (-8, 0), (7, -4), (6, 7), (-7, -8)),
}  # fmt: skip


@method("texture", "GetSamplePosition")
@method("sampled_texture", "GetSamplePosition")
def _get_sample_position(ctx: Lowering, c: hir.MethodCall) -> Value:
    """Look up the position for the texture's number of samples.

    For numbers without standard positions, it is (0, 0).
    """
    b, t = ctx.b, c.object.type
    assert isinstance(t, ObjectType)
    image = texels.image_of(ctx, c.object).id
    if t.name.startswith("vk::Sampled"):
        image = b.unary(op.OpImage, b.type_of(image).elem.id, image)
    count = b.image_query(op.OpImageQuerySamples, b.u32(), image)
    if not ctx.options.no_warn_emulated_features:
        ctx.warn(codes.EMULATED_SAMPLE_POSITION, c.pos)
    index = value(ctx, c.args[0])
    pair = b.vector(b.f32(), 2)
    tables = {n: _table(ctx, pair, n) for n in STANDARD_POSITIONS}
    result = b.local_variable(pair, "var.GetSamplePosition.result")
    merges: list[int] = []
    for n, table in tables.items():
        then, otherwise, merge = (b.new_block(f"if.GetSamplePosition.{what}{n}") for what in ("then", "else", "merge"))
        merges.append(merge)
        is_n = b.binary(op.OpIEqual, b.bool_type(), count, b.const_uint(n))
        b.branch_conditional(is_n, then, otherwise, merge=merge)
        b.set_insert_point(then)
        b.store(result, b.load(b.access_chain(pair, table, [index])))
        b.branch(merge)
        b.set_insert_point(otherwise)
    b.store(result, b.const_composite(pair, [b.const_f32(0.0)] * 2))
    for merge in reversed(merges):
        b.branch(merge)
        b.set_insert_point(merge)
    return ctx.rvalue(b.load(result), c.type)


def _table(ctx: Lowering, pair: int, n: int) -> int:
    b = ctx.b
    entries = [b.const_composite(pair, [b.const_f32(x / 16), b.const_f32(y / 16)]) for x, y in STANDARD_POSITIONS[n]]
    array = b.array(pair, n)
    table = b.local_variable(array, f"var.GetSamplePosition.data.{n}")
    b.store(table, b.const_composite(array, entries))
    return table
