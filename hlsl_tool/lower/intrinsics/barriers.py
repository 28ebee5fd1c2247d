"""Memory and control barriers (manual: *Synchronization intrinsics*)."""

from __future__ import annotations

from hlsl_tool.lower.context import INTRINSICS, Lowering
from hlsl_tool.lower.values import Value
from hlsl_tool.sema import hir
from hlsl_tool.spirv import enums as e

_M = e.MemorySemantics
_DEVICE = _M.ImageMemory | _M.UniformMemory | _M.AcquireRelease
_GROUP = _M.WorkgroupMemory | _M.AcquireRelease

# name -> memory scope, semantics
BARRIERS: dict[str, tuple[int, int]] = {
    "AllMemoryBarrier": (e.Scope.Device, _DEVICE | _GROUP),
    "DeviceMemoryBarrier": (e.Scope.Device, _DEVICE),
    "GroupMemoryBarrier": (e.Scope.Workgroup, _GROUP),
}


def _barrier(ctx: Lowering, c: hir.IntrinsicCall) -> Value | None:
    name = c.name.removesuffix("WithGroupSync")
    scope, semantics = BARRIERS[name]
    ctx.b.barrier(scope, semantics, e.Scope.Workgroup if name != c.name else None)
    return None


for _name in BARRIERS:
    INTRINSICS[_name] = INTRINSICS[f"{_name}WithGroupSync"] = _barrier
