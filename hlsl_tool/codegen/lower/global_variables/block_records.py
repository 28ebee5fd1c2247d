"""Record the layouts of blocks for reflection, whether the shader uses the blocks or not."""

from __future__ import annotations

from hlsl_tool.codegen.layout.blocks import BlockLayout, Usage, block_of_struct, block_of_type
from hlsl_tool.codegen.layout.rules import Member, Rule
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.types.kinds import is_structured_or_byte_buffer
from hlsl_tool.frontend.sema.model.hir import CBuffer, Variable
from hlsl_tool.frontend.sema.model.types import ObjectType, Struct, innermost


def members(
    ctx: Lowering,
    name: str,
    kind: str,
    rule: Rule,
    fields: list[Member],
    offsets: dict[int, int],
    variables: list[Variable],
    decl: CBuffer | None,
) -> None:
    """Record the layout of a block whose members are global variables: ``cbuffer``, ``tbuffer``, ``$Globals``.

    ``kind`` is one of these words; ``offsets`` maps indices of members to explicit byte offsets.
    """
    usage: Usage = "constant"
    if kind in ("push_constant", "shader_record"):
        usage = "storage"
    elif kind == "tbuffer":
        usage = "texture"
    block = BlockLayout(name, kind, usage, rule, ctx.types.default_row_major, fields, offsets)
    block.chunks = [v.chunk for v in variables]
    if decl is not None:
        block.pos, block.chunk = decl.pos, decl.chunk
    ctx.interface.blocks.append(block)


def variable(ctx: Lowering, v: Variable, kind: str = "") -> None:
    """Record the layout of the block of one variable: of a buffer, or of a struct with an attribute.

    Such attributes are ``push_constant`` and ``shader_record_ext``; ``kind`` is empty without one.
    """
    t, types = innermost(v.type), ctx.types
    default = types.default_row_major
    if isinstance(t, ObjectType) and t.name.endswith("StructuredBuffer") and is_structured_or_byte_buffer(t):
        block = block_of_type(v.name, t.name, types.sbuffer_rule, t.element, t.majorness, default)
        block.element_quals = t.quals
    else:
        name = t.name if isinstance(t, ObjectType) else ""
        s = t.element if isinstance(t, ObjectType) and name in ("ConstantBuffer", "TextureBuffer") else t
        if not isinstance(s, Struct):
            return
        if kind:
            block = block_of_struct(v.name, kind, "storage", types.sbuffer_rule, s, default)
        elif name == "TextureBuffer":
            block = block_of_struct(v.name, name, "texture", types.tbuffer_rule, s, default)
        else:
            block = block_of_struct(v.name, name, "constant", types.cbuffer_rule, s, default)
    block.pos, block.chunk = v.pos, v.chunk
    ctx.interface.blocks.append(block)
