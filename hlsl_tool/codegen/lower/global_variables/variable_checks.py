"""Checks of the ``vk::`` attributes of global variables (manual: *Vulkan specific attributes*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import inline_spirv as codes
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import vk_attribute
from hlsl_tool.frontend.sema.model.hir import Variable
from hlsl_tool.frontend.sema.model.types import ObjectType, Scalar, Vector, innermost


def check_variable(ctx: Lowering, v: Variable) -> bool:
    """Report ``vk::`` attributes that conflict or do not apply; return whether the variable may be declared."""
    for name in ("push_constant", "shader_record_ext", "shader_record_nv"):
        a = vk_attribute(v.attributes, name)
        if a is not None and vk_attribute(v.attributes, "binding") is not None:
            ctx.error(codes.EXCLUSIVE_ATTRIBUTES, a.pos, first=name, second="binding")
            return False
    if vk_attribute(v.attributes, "constant_id") is not None:
        return _check_spec_constant(ctx, v)
    if vk_attribute(v.attributes, "input_attachment_index") is not None:
        return _check_subpass(ctx, v)
    return True


def _check_spec_constant(ctx: Lowering, v: Variable) -> bool:
    if v.storage == "static":
        ctx.error(codes.SPEC_CONSTANT_STATIC, v.pos)
        return False
    return True


def _check_subpass(ctx: Lowering, v: Variable) -> bool:
    """Report a subpass input that is static, or whose elements are neither scalars nor vectors.

    Return whether to declare it now. In other stages than pixel shaders the result is false, and a use of the variable
    is reported later.
    """
    if v.storage == "static":
        ctx.error(codes.SUBPASS_STATIC, v.pos)
        return False
    t = innermost(v.type)
    if isinstance(t, ObjectType) and t.args and not isinstance(t.args[0], (Scalar, Vector)):
        ctx.error(codes.SUBPASS_ELEMENT, v.pos)
        return False
    return ctx.stage in ("ps", "lib") or not isinstance(t, ObjectType)


SPEC_CONSTANT_TYPES = (ty.BOOL, ty.INT, ty.UINT, ty.FLOAT)
"""Types that DXC accepts for a specialisation constant."""
