"""Checks of ``Barrier`` calls: whether the stage has the memory and scopes that the flags name."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import availability as codes
from hlsl_tool.frontend.sema.checks.reachable.root import Root
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate_int
from hlsl_tool.frontend.sema.model.types import ObjectType

UAV, GROUP_SHARED, NODES, ALL = 1, 2, 12, 15
GROUP_SYNC, GROUP_SCOPE, DEVICE_SCOPE = 1, 2, 4
_GROUP_STAGES = frozenset(("compute", "mesh", "amplification", "node", ""))
"""Stages with a visible thread group; ``""``: an exported function."""


def check(root: Root, call: hir.IntrinsicCall) -> None:
    """Report flags that require a thread group, a work graph node or memory that the entry point does not have."""
    if root.model < (6, 8):
        root.error(codes.FUNCTION_MODEL, call.pos, name="Barrier", entry=root.name, model="6.8")
        return
    has_group = root.stage in _GROUP_STAGES and not (root.stage == "node" and root.launch == "thread")
    memory, semantics = call.args
    group_memory = device_memory = True
    t = memory.type
    if ty.is_numeric(t):
        flags = evaluate_int(memory)
        if flags is not None:
            flags = _check_memory(root, memory.pos, flags, has_group=has_group)
            group_memory, device_memory = flags != 0, flags & (UAV | NODES) != 0
    elif isinstance(t, ObjectType):
        group_memory = not t.name.startswith(("Thread", "RWThread"))
        device_memory = group_memory and not t.name.startswith(("Group", "RWGroup"))
    flags = evaluate_int(semantics)
    if flags is None:
        return
    if not has_group and flags & (GROUP_SYNC | GROUP_SCOPE):
        root.error(codes.BARRIER_GROUP, semantics.pos)
    if not device_memory and flags & DEVICE_SCOPE:
        root.error(codes.BARRIER_SCOPE, semantics.pos, scope="DEVICE_SCOPE")
    if not group_memory and flags & GROUP_SCOPE:
        root.error(codes.BARRIER_SCOPE, semantics.pos, scope="GROUP_SCOPE")


def _check_memory(root: Root, pos: int, flags: int, *, has_group: bool) -> int:
    """Report memory flags that the entry point does not support, and return the others.

    Of ``ALL_MEMORY`` only the supported flags are returned, without an error.
    """
    kept = flags
    if not has_group and flags & GROUP_SHARED:
        if flags == ALL:
            kept &= ~GROUP_SHARED
        else:
            root.error(codes.BARRIER_GROUP_MEMORY, pos)
    if root.stage not in ("node", "") and flags & NODES:
        if flags == ALL:
            kept &= ~NODES
        else:
            root.error(codes.BARRIER_NODE_MEMORY, pos)
    return kept
