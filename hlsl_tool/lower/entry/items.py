"""Parameters and results as items of the interface; attributes of entry points."""

from __future__ import annotations

from hlsl_tool.lower.entry.stages import Stage
from hlsl_tool.lower.stage_io import semantics
from hlsl_tool.lower.stage_io.model import Item
from hlsl_tool.sema import types as ty
from hlsl_tool.sema.annotations.model import Semantic, find_attribute
from hlsl_tool.sema.hir import Function, Param
from hlsl_tool.sema.types import Array, ObjectType, Type
from hlsl_tool.spirv.enums import ExecutionMode


def word(f: Function, name: str) -> str | None:
    """Return the only argument of an attribute, a string in lower case (``[domain("tri")]``), or ``None``."""
    a = find_attribute(f.attributes, name)
    return a.args[0].lower() if a is not None and a.args and isinstance(a.args[0], str) else None


def number(f: Function, name: str) -> int | None:
    """Return the only argument of an attribute, an integer (``[maxvertexcount(3)]``), or ``None``."""
    a = find_attribute(f.attributes, name)
    return a.args[0] if a is not None and a.args and isinstance(a.args[0], int) else None


PRIMITIVES: dict[str, tuple[int, int]] = {
    "point": (ExecutionMode.InputPoints, 1),
    "line": (ExecutionMode.InputLines, 2),
    "triangle": (ExecutionMode.Triangles, 3),
    "lineadj": (ExecutionMode.InputLinesAdjacency, 4),
    "triangleadj": (ExecutionMode.InputTrianglesAdjacency, 6),
}
"""Primitive of a geometry shader → (execution mode, number of vertices)."""


def primitive(p: Param) -> str | None:
    """Return the qualifier that makes a parameter a geometry shader's input primitive, or ``None``."""
    return next((q for q in p.quals if q in PRIMITIVES), None)


def may_stand(t: Type) -> bool:
    """Return whether an entry point may have a parameter of a type: of objects only patches and streams."""
    inner = ty.innermost(t)
    if not isinstance(inner, ObjectType):
        return True
    return inner.name.startswith("vk::") or inner.name.endswith(("Patch", "Stream"))


def is_input(p: Param) -> bool:
    """Return whether a parameter is an input: output streams are ``inout`` in HLSL, but no inputs."""
    return not (isinstance(p.type, ObjectType) and p.type.name.endswith("Stream"))


def as_input(p: Param, stage: Stage) -> tuple[Item, str]:
    """Return an input parameter as an item, without the dimension of vertices, and its signature point."""
    item, t = item_of(p), p.type
    if isinstance(t, ObjectType) and t.name in ("InputPatch", "OutputPatch"):
        count = t.args[1]
        assert isinstance(count, int)
        item.type, item.array = t.element, count
        return item, stage.point_array
    if stage.name == "gs" and primitive(p) is not None and isinstance(t, Array):
        item.type, item.array = t.element, t.size or 0
        return item, stage.point_array
    return item, stage.point_in


def as_output(p: Param, stage: Stage) -> tuple[Item, str]:
    """Return an output parameter as an item (one vertex of a stream), and its signature point."""
    item, t = item_of(p), p.type
    if isinstance(t, ObjectType) and t.name.endswith("Stream"):
        item.type = t.element
    if stage.name == "ms" and isinstance(t, Array):
        item.type, item.array = t.element, t.size or 0
        return item, "MSPOut" if "primitives" in p.quals else "MSOut"
    return item, stage.point_out


def result(f: Function, stage: Stage) -> tuple[Item, str]:
    """Return the result as an item, and its signature point; a hull shader's result is one of an array."""
    item = Item(f.name, f.return_type, f.pos, f.quals, f.attributes, semantic_of(f.semantic))
    if stage.name == "hs":
        item.array = number(f, "outputcontrolpoints") or 0
    return item, stage.point_out


def item_of(p: Param) -> Item:
    """Return the item of the stage's interface for a parameter of an entry point."""
    item = Item(p.name, p.type, p.pos, p.quals, p.attributes, semantic_of(p.semantic))
    item.by_reference = p.direction == "out"
    return item


def semantic_of(semantic: Semantic | None) -> semantics.Semantic | None:
    """Return a declared semantic, split into name and index."""
    return semantics.parse(semantic.name, semantic.pos) if semantic is not None else None


_MESH_ROLES = frozenset(("vertices", "indices", "primitives", "payload"))


def mesh_role(p: Param) -> str:
    """Return ``vertices``, ``indices``, ``primitives`` or ``payload``; ``""`` for an ordinary parameter."""
    return next((q for q in p.quals if q in _MESH_ROLES), "")
