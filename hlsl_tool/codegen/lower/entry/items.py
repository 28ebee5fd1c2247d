"""Describe parameters and results of entry points as `Item`, and read attributes of entry points."""

from __future__ import annotations

from hlsl_tool.codegen.lower.entry.stages import Stage
from hlsl_tool.codegen.lower.stage_io import semantics
from hlsl_tool.codegen.lower.stage_io.stage_items import Item
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Semantic, find_attribute
from hlsl_tool.frontend.sema.model.hir import Function, Param
from hlsl_tool.frontend.sema.model.types import Array, ObjectType, Type
from hlsl_tool.frontend.sema.scope.context import BodySource
from hlsl_tool.spirv.enums import ExecutionMode


def word(f: Function, name: str) -> str | None:
    """Return the string argument of an attribute in lower case (``[domain("tri")]``); ``None`` without one."""
    a = find_attribute(f.attributes, name)
    return a.args[0].lower() if a is not None and a.args and isinstance(a.args[0], str) else None


def number(f: Function, name: str) -> int | None:
    """Return the integer argument of an attribute (``[maxvertexcount(3)]``); ``None`` without one."""
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
    """Return the qualifier (``triangle``, ``line``, …) that declares a geometry shader's input primitive.

    The result is ``None`` without one.
    """
    return next((q for q in p.quals if q in PRIMITIVES), None)


def may_stand(t: Type) -> bool:
    """Return whether an entry point may have a parameter of this type.

    Built-in objects are excluded, except for patches, output streams, and types of the namespace ``vk``.
    """
    inner = ty.innermost(t)
    if not isinstance(inner, ObjectType):
        return True
    return inner.name.startswith("vk::") or inner.name.endswith(("Patch", "Stream"))


def is_input(p: Param) -> bool:
    """Return whether a parameter is an input; output streams are not, although HLSL declares them ``inout``."""
    return not (isinstance(p.type, ObjectType) and p.type.name.endswith("Stream"))


def as_input(p: Param, stage: Stage) -> tuple[Item, str]:
    """Return (an input parameter as `Item`, its signature point); for an array of vertices, describe one vertex."""
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
    """Return (an output parameter as `Item`, its signature point).

    For a stream or an array of vertices, describe one vertex.
    """
    item, t = item_of(p), p.type
    if isinstance(t, ObjectType) and t.name.endswith("Stream"):
        item.type = t.element
    if stage.name == "ms" and isinstance(t, Array):
        item.type, item.array = t.element, t.size or 0
        return item, "MSPOut" if "primitives" in p.quals else "MSOut"
    return item, stage.point_out


def result(f: Function, stage: Stage) -> tuple[Item, str]:
    """Return (the function's result as `Item`, its signature point).

    Of a hull shader, describe one element of the output array.
    """
    item = Item(f.name, f.return_type, f.pos, f.quals, f.attributes, semantic_of(f.semantic))
    if stage.name == "hs":
        item.array = number(f, "outputcontrolpoints") or 0
    return item, stage.point_out


def item_of(p: Param) -> Item:
    """Return the `Item` of an entry point's parameter: its type, semantic, attributes and position."""
    item = Item(p.name, p.type, p.pos, p.quals, p.attributes, semantic_of(p.semantic))
    item.by_reference = p.direction == "out"
    return item


def semantic_of(semantic: Semantic | None) -> semantics.Semantic | None:
    """Split a declared semantic into name and index; return ``None`` without a semantic."""
    return semantics.parse(semantic.name, semantic.pos) if semantic is not None else None


_MESH_ROLES = frozenset(("vertices", "indices", "primitives", "payload"))


def mesh_role(p: Param) -> str:
    """Return the role of a mesh shader's parameter: ``vertices``, ``indices``, ``primitives``, ``payload``.

    The result is ``""`` for none.
    """
    return next((q for q in p.quals if q in _MESH_ROLES), "")


def used_params(f: Function) -> set[Param]:
    """Return the parameters that the body names; the variables of the others are not filled."""
    source = f.source
    if not isinstance(source, BodySource):
        return set(f.params)
    named = set(source.variables)
    return {p for p in f.params if p in named}
