"""Checks of ``SV_DispatchGrid`` in the records of work graph nodes."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import entries as codes
from hlsl_tool.frontend.sema.checks.entries.reporting import Reporter
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Field, Struct, Type, Vector


def check(report: Reporter, record: Type, *, has_grid: bool) -> bool:
    """Report each ``SV_DispatchGrid`` in a record that has a wrong type, or that is not the first one.

    ``has_grid``: an earlier record of the same kind has one. Return whether this record or an earlier one has one.
    """
    todo: list[tuple[Field, Struct]] = _own_fields(record)
    while todo:
        f, owner = todo.pop(0)
        if f.semantic is not None and f.semantic.name == "SV_DispatchGrid":
            if has_grid:
                report.error(codes.NODE_GRID_SEMANTIC_TWICE, f.semantic.pos, owner.chunk)
            elif not _fits(f.type):
                report.error(codes.NODE_GRID_SEMANTIC_TYPE, f.semantic.pos, owner.chunk, type=ty.display(f.type))
            has_grid = True
        todo[:0] = _own_fields(f.type)
    return has_grid


def _own_fields(t: Type) -> list[tuple[Field, Struct]]:
    if not isinstance(t, Struct):
        return []
    inherited = [pair for b in t.bases for pair in _own_fields(b)]
    return [*inherited, *((f, t) for f in t.fields)]


def _fits(t: Type) -> bool:
    count: int | None = 1
    element = t
    if isinstance(t, (Vector, Array)):
        element, count = t.element, t.size
    return count is not None and count <= 3 and element in (ty.UINT, ty.UINT16)
