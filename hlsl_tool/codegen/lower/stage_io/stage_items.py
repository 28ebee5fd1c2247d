"""Data model of the stage interface: parameters and results in HLSL, and the SPIR-V variables for them."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.layout.rules import Rule, place
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.stage_io import semantics
from hlsl_tool.codegen.lower.stage_io.semantics import Semantic
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import Attribute
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Array, Scalar, Struct, Type, Vector


@dataclass(slots=True)
class StageVariable:
    """A SPIR-V variable of the interface."""

    id: int
    semantic: Semantic
    point: str
    type: Type
    is_builtin: bool
    location: int | None
    index: int | None
    locations: int
    family: tuple[object, ...] = ()
    """The properties that variables at one location must share: kind and width of numbers, interpolation."""


@dataclass(slots=True)
class Item:
    """An HLSL parameter or result of the entry point, or a member of one."""

    name: str
    type: Type
    pos: int
    quals: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    semantic: Semantic | None
    array: int = 0
    """The number of elements of the outer array in tessellation and geometry stages; 0 for no array."""
    chunk: SourceChunk | None = None
    """The declaration to which ``pos`` is relative, for a member of a structure; ``None`` for the entry point's."""
    by_reference: bool = False
    """Whether it is an ``out`` parameter, for which DXC does not change the interpolation of integers."""


@dataclass(slots=True)
class Leaf:
    """An output that is not a struct, with the variable that stores it."""

    item: Item
    semantic: Semantic
    point: str
    variable: StageVariable | None
    """The variable; ``None`` for a part of the clip or cull distances."""


INTERPOLATIONS = ("linear", "centroid", "nointerpolation", "noperspective", "sample")
"""Qualifiers for interpolation."""


def members(ctx: Lowering, t: Struct, outer: Item) -> list[Item]:
    """Return an `Item` for each member of a struct; it inherits the struct's interpolation.

    Bit-fields that share a word are one `Item`.
    """
    inherited = tuple(q for q in outer.quals if q in INTERPOLATIONS)
    out: list[Item] = []
    for p in ctx.types.words(t):
        f = p.field
        if f is None:
            out.append(Item("", p.type, outer.pos, inherited, (), None, outer.array, outer.chunk))
            continue
        s = f.semantic
        out.append(
            Item(
                f.name,
                p.stored_type,
                f.pos,
                (*inherited, *f.quals),
                f.attributes,
                semantics.parse(s.name, f.pos, t.chunk) if s is not None else None,
                outer.array,
                t.chunk,
            )
        )
    return out


def is_bool_variable(item: Item, semantic: Semantic, point: str) -> bool:
    """Return whether a parameter, result or member is a boolean with a location; its SPIR-V variable is then a uint."""
    element = ty.element_of(item.type) if isinstance(item.type, (Scalar, Vector)) else None
    if element is None or element.category != "bool":
        return False
    if any(a.scope == "vk" and a.name == "builtin" for a in item.attributes):
        return False
    return not ((semantic.system == "ISFRONTFACE" and point == "PSIn") or semantic.system == "CULLPRIMITIVE")


def element_count(t: Type) -> int:
    """Return how many consecutive semantic indices a struct member uses up: one for each array element."""
    count = 1
    while isinstance(t, Array):
        count *= t.size or 1
        t = t.element
    return count


def location_count(t: Type) -> int:
    """Return the number of locations that a type takes (Vulkan specification, *Location Assignment*)."""
    if isinstance(t, Array):
        return (t.size or 1) * location_count(t.element)
    if isinstance(t, ty.Matrix):
        if t.rows > 1 and t.cols > 1:
            return t.rows * location_count(ty.vector(t.element, t.cols))
        return location_count(ty.vector(t.element, t.rows * t.cols))
    if isinstance(t, Struct):
        words = {p.index: p.type for p in place(t, Rule.VOID, False)}
        return sum(map(location_count, words.values()))
    element = ty.element_of(t)
    return 2 if element is not None and element.bits == 64 and ty.component_count(t) >= 3 else 1
