"""Parameters that a function cannot have in one module while another module calls it."""

from __future__ import annotations

from hlsl_tool.frontend.sema.model.hir import Function, Param
from hlsl_tool.frontend.sema.model.types import ObjectType, innermost

_MESH_OUTPUTS = frozenset(("vertices", "primitives", "indices"))
"""Words in front of the outputs of mesh shaders."""


def entry_parameter(f: Function) -> Param | None:
    """Return the first parameter that belongs to the outputs or records of an entry point; ``None`` without one.

    Such a parameter is no value: its uses become instructions that name the entry point's variables.
    """
    return next((p for p in f.params if _is_of_entry(p)), None)


def _is_of_entry(p: Param) -> bool:
    if not _MESH_OUTPUTS.isdisjoint(p.quals):
        return True
    t = innermost(p.type)
    return isinstance(t, ObjectType) and (t.name.endswith("Stream") or "Record" in t.name or "NodeOutput" in t.name)
