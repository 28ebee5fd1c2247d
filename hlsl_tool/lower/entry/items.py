"""Parameters and results as items of the interface; attributes of entry points."""

from __future__ import annotations

from hlsl_tool.lower import semantics
from hlsl_tool.lower.stage_io import Item
from hlsl_tool.sema.hir import Function, Param
from hlsl_tool.sema.types import Attribute


def attribute(f: Function, name: str, scope: str | None = None) -> Attribute | None:
    """The attribute of a function by this name, if it is there."""
    for a in f.attributes:
        if a.name == name and a.scope == scope:
            return a
    return None


def word(f: Function, name: str) -> str | None:
    """The string that an attribute has as its only argument, in lower case: ``[domain("tri")]``."""
    a = attribute(f, name)
    return a.args[0].lower() if a is not None and a.args and isinstance(a.args[0], str) else None


def number(f: Function, name: str) -> int | None:
    """The integer that an attribute has as its only argument: ``[maxvertexcount(3)]``."""
    a = attribute(f, name)
    return a.args[0] if a is not None and a.args and isinstance(a.args[0], int) else None


def item_of(p: Param) -> Item:
    """A parameter as an item of the interface."""
    return Item(p.name, p.type, p.pos, p.quals, p.attributes, semantic_of(p.annotations))


def result_item(f: Function) -> Item:
    """What a function gives back as an item of the interface."""
    return Item(f.name, f.return_type, f.pos, f.quals, f.attributes, semantic_of(f.annotations))


def semantic_of(annotations: tuple[object, ...]) -> semantics.Semantic | None:
    """The semantic among what stands behind a colon."""
    for a in annotations:
        if a.__class__.__name__ == "Semantic":
            return semantics.parse(getattr(a, "name", ""), getattr(a, "pos", 0))
    return None
