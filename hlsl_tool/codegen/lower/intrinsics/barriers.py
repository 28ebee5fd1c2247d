"""Memory and control barriers (manual: *Synchronization intrinsics*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import availability
from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import constants
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import INTRINSICS, intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.spirv.enums import MemorySemantics, Scope

_DEVICE = MemorySemantics.ImageMemory | MemorySemantics.UniformMemory | MemorySemantics.AcquireRelease
_GROUP = MemorySemantics.WorkgroupMemory | MemorySemantics.AcquireRelease

# name -> memory scope, semantics
BARRIERS: dict[str, tuple[int, int]] = {
    "AllMemoryBarrier": (Scope.Device, _DEVICE | _GROUP),
    "DeviceMemoryBarrier": (Scope.Device, _DEVICE),
    "GroupMemoryBarrier": (Scope.Workgroup, _GROUP),
}


_WITHOUT_GROUPS = {"vs": "vertex", "ds": "domain", "gs": "geometry", "ps": "pixel"}
"""Stage whose threads cannot wait for each other → its name."""


def _barrier(ctx: Lowering, c: hir.IntrinsicCall) -> Value | None:
    name = c.name.removesuffix("WithGroupSync")
    if name != c.name and ctx.stage in _WITHOUT_GROUPS:
        ctx.error(availability.GROUP_SYNC_STAGE, c.pos, name=c.name, stage=_WITHOUT_GROUPS[ctx.stage])
    scope, semantics = BARRIERS[name]
    ctx.b.barrier(scope, semantics, Scope.Workgroup if name != c.name else None)
    return None


for _name in BARRIERS:
    INTRINSICS[_name] = INTRINSICS[f"{_name}WithGroupSync"] = _barrier


# memory flag of ``Barrier`` -> memory that it orders
MEMORY: dict[int, int] = {
    1: MemorySemantics.UniformMemory,
    2: MemorySemantics.WorkgroupMemory,
    8: MemorySemantics.OutputMemory,
}
_GROUP_SYNC, _GROUP_SCOPE, _DEVICE_SCOPE = 1, 2, 4
_DEVICE_SCOPES = _DEVICE_SCOPE | 8
"""DEVICE_SCOPE and REORDER_SCOPE: Vulkan has no smaller scope for threads that reordering has moved."""
_EVERY_FLAG = 0xFFFFFFFF


@intrinsic("Barrier")
def _flags(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``Barrier(memory flags or an object, semantic flags)``.

    Under ``-fcgl`` it equals DXC's barrier: an object means all kinds of memory, and the UAV flag does not include
    images.
    """
    b = ctx.b
    if not ctx.options.codegen_only:
        _exact(ctx, c)
        return
    kinds = _number(ctx, c.args[0]) if ty.is_numeric(c.args[0].type) else _EVERY_FLAG
    semantics = _number(ctx, c.args[1])
    if not kinds | semantics:
        return
    scope = Scope.Invocation
    if semantics & _DEVICE_SCOPE:
        scope = Scope.Device
    elif semantics & _GROUP_SCOPE:
        scope = Scope.Workgroup
    mask = MemorySemantics.AcquireRelease
    for flag, ordered in MEMORY.items():
        mask |= ordered if kinds & flag else 0
    if kinds & 8:
        ctx.require_env("vulkan1.3", "NODE_OUTPUT_MEMORY", c.pos)
    b.barrier(scope, mask, Scope.Workgroup if semantics & _GROUP_SYNC else None)


def _exact(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Write a barrier for exactly the kinds of memory that HLSL specifies.

    If the program writes images, the UAV flag and object arguments include image memory. Without a scope flag, nothing
    is ordered: no other thread is involved, and Vulkan has no such barrier.
    """
    first = c.args[0].type
    if ty.is_numeric(first):
        kinds = _number(ctx, c.args[0])
    else:
        kinds = 12 if isinstance(first, ty.ObjectType) and "Node" in first.name else 1
    semantics = _number(ctx, c.args[1])
    scope = Scope.Device if semantics & _DEVICE_SCOPES else Scope.Workgroup
    mask = 0
    if semantics & (_DEVICE_SCOPES | _GROUP_SCOPE):
        for flag, ordered in MEMORY.items():
            mask |= ordered if kinds & flag else 0
        mask |= MemorySemantics.ImageMemory if kinds & 1 and _writes_images(ctx) else 0
    if mask & MemorySemantics.OutputMemory:
        ctx.require_env("vulkan1.3", "NODE_OUTPUT_MEMORY", c.pos)
    if mask:
        mask |= MemorySemantics.AcquireRelease
    if mask or semantics & _GROUP_SYNC:
        ctx.b.barrier(scope, mask, Scope.Workgroup if semantics & _GROUP_SYNC else None)


_IMAGES = ("RWTexture", "RWBuffer", "RasterizerOrderedTexture", "RasterizerOrderedBuffer")
_HEAP = "ResourceDescriptorHeap"


def _writes_images(ctx: Lowering) -> bool:
    """Return whether the program declares writable images or uses a descriptor heap, which may contain some."""
    program = ctx.program
    for g in program.globals:
        leaves = ty.flatten(ty.innermost(g.type)) if isinstance(g, hir.Variable) else []
        if any(isinstance(leaf, ty.ObjectType) and leaf.name.startswith(_IMAGES) for leaf in leaves):
            return True
    return any(f.chunk is not None and _HEAP in f.chunk.tokens for f in program.functions)


def _number(ctx: Lowering, x: hir.Expr) -> int:
    value = constants.folded(ctx, x)
    number = ctx.b.constant_value(value) if value is not None else None
    if not isinstance(number, int) or number < 0:
        ctx.fail(codes.BARRIER_CONSTANT, x.pos)
    return number
