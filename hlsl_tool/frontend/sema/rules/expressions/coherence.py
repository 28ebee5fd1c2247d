"""Coherence of resources: conversions that change ``globallycoherent`` or ``reordercoherent``."""

from __future__ import annotations

from collections.abc import Collection

from hlsl_tool.base.diagnostics.catalogue import modifiers as codes
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, Type
from hlsl_tool.frontend.sema.scope.context import Context


def check(ctx: Context, e: hir.Expr, quals: Collection[str], t: Type) -> None:
    """Warn if a resource is copied to a target with other coherence modifiers: ``quals`` on the type ``t``."""
    target = ty.innermost(t)
    if not isinstance(target, ObjectType) or not _may_be_coherent(target):
        return
    source = quals_of(e)
    if source is None:
        return
    change = _change(_level(source), _level(quals))
    if change:
        src, dst = _shown(_level(source), e.type), _shown(_level(quals), t)
        ctx.warn(codes.COHERENCE_CHANGE, e.pos, src=src, dst=dst, change=change)


def _may_be_coherent(t: ObjectType) -> bool:
    return t.name == "RWDispatchNodeInputRecord" or ("Node" not in t.name and t.name.startswith(("RW", "Raster")))


def quals_of(e: hir.Expr) -> Collection[str] | None:
    """Return the qualifiers of the variable or member that contains a resource; ``None`` if it comes from a heap."""
    while True:
        if isinstance(e, hir.VarRef):
            return e.var.quals
        if isinstance(e, hir.Member):
            return e.field.quals
        if isinstance(e, hir.Call):
            return e.function.quals
        if isinstance(e, hir.Index):
            e = e.base
        elif isinstance(e, hir.Load) or (isinstance(e, hir.Cast) and e.kind != "heap"):
            e = e.operand
        else:
            return None


def _level(quals: Collection[str]) -> str:
    """Return the stronger of ``globallycoherent`` and ``reordercoherent`` in ``quals``; ``""`` if there is neither."""
    return next((word for word in ("globallycoherent", "reordercoherent") if word in quals), "")


def _change(source: str, target: str) -> str:
    if source == target:
        return ""
    if source and target:
        verb = "demotes" if source == "globallycoherent" else "promotes"
        return f"{verb} {source} to {target}"
    return f"loses {source}" if source else f"adds {target}"


def _shown(level: str, t: Type) -> str:
    return f"{level} {ty.display(t)}" if level else ty.display(t)
