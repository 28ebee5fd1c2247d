"""What Vulkan's own attributes ask of where they stand, and the execution modes that they are (manual: *Vulkan specific
attributes*)."""

from __future__ import annotations

from hlsl_tool.diagnostics.catalogue import declarations as declaration_codes
from hlsl_tool.diagnostics.catalogue import inline_spirv as codes
from hlsl_tool.lower.core import inline_spirv
from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.annotations.inline_spirv import attribute
from hlsl_tool.sema.hir import Function, Variable
from hlsl_tool.sema.types import ObjectType, Scalar, Vector, innermost
from hlsl_tool.spirv import enums as e

_MODE = e.ExecutionMode

MODES: dict[str, int] = {
    "early_and_late_tests": _MODE.EarlyAndLateFragmentTestsAMD,
    "depth_unchanged": _MODE.DepthUnchanged,
    "stencil_ref_unchanged_front": _MODE.StencilRefUnchangedFrontAMD,
    "stencil_ref_greater_equal_front": _MODE.StencilRefGreaterFrontAMD,
    "stencil_ref_less_equal_front": _MODE.StencilRefLessFrontAMD,
    "stencil_ref_unchanged_back": _MODE.StencilRefUnchangedBackAMD,
    "stencil_ref_greater_equal_back": _MODE.StencilRefGreaterBackAMD,
    "stencil_ref_less_equal_back": _MODE.StencilRefLessBackAMD,
}
"""Attribute of a pixel shader's entry point → its execution mode, in the order in which they are written."""


def entry_modes(ctx: Lowering, f: Function, wrapper: int) -> None:
    """Execution modes that an entry point's attributes ask for."""
    for a in reversed(f.attributes):  # DXC has the attributes of a declaration from the last to the first
        if a.scope == "vk" and a.name == "spvexecutionmode":
            inline_spirv.execution_mode(ctx, wrapper, a)
    limit = next((a for a in f.attributes if a.scope is None and a.name == "groupsharedlimit"), None)
    if limit is not None and ctx.stage in ("vs", "hs", "ds", "gs", "ps"):
        ctx.error(declaration_codes.GROUP_SHARED_STAGE, limit.pos)
    if ctx.stage == "ps":
        names = [name for name in MODES if attribute(f.attributes, name) is not None]
        for side in ("front", "back"):
            if sum(name.endswith(side) for name in names) > 1:
                ctx.error(codes.STENCIL_TWICE, f.pos, side=side)
        for name in names:
            ctx.b.execution_mode(wrapper, MODES[name])


def check_variable(ctx: Lowering, v: Variable) -> bool:
    """Whether a global variable may be declared: its attributes go together, and with its type and storage."""
    for name in ("push_constant", "shader_record_ext", "shader_record_nv"):
        a = attribute(v.attributes, name)
        if a is not None and attribute(v.attributes, "binding") is not None:
            ctx.error(codes.EXCLUSIVE_ATTRIBUTES, a.pos, first=name, second="binding")
            return False
    if attribute(v.attributes, "constant_id") is not None:
        return _check_spec_constant(ctx, v)
    if attribute(v.attributes, "input_attachment_index") is not None:
        return _check_subpass(ctx, v)
    return True


def _check_spec_constant(ctx: Lowering, v: Variable) -> bool:
    if v.storage == "static":
        ctx.error(codes.SPEC_CONSTANT_STATIC, v.pos)
        return False
    return True


def _check_subpass(ctx: Lowering, v: Variable) -> bool:
    """An input of a subpass; in other stages than the pixel shader it is not there unless it is used, an error."""
    if v.storage == "static":
        ctx.error(codes.SUBPASS_STATIC, v.pos)
        return False
    t = innermost(v.type)
    if isinstance(t, ObjectType) and t.args and not isinstance(t.args[0], (Scalar, Vector)):
        ctx.error(codes.SUBPASS_ELEMENT, v.pos)
        return False
    return ctx.stage == "ps" or not isinstance(t, ObjectType)


SPEC_CONSTANT_TYPES = (ty.BOOL, ty.INT, ty.UINT, ty.FLOAT)
"""What DXC takes for a specialisation constant."""
