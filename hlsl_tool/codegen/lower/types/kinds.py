"""Predicates on HLSL types, and their names in SPIR-V."""

from __future__ import annotations

import re
from collections.abc import Collection

from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import (
    VALUE_OBJECTS,
    Array,
    Matrix,
    ObjectType,
    Scalar,
    Struct,
    Type,
    Vector,
    innermost,
)

_OPAQUE = (
    "Texture",
    "RWTexture",
    "Buffer",
    "RWBuffer",
    "Sampler",
    "RasterizerOrderedTexture",
    "RasterizerOrderedBuffer",
    "Subpass",
    "Raytracing",
    "RayQuery",
    "vk::SampledTexture",
)
"""Prefixes of the names of opaque types."""
VERTICES = 3
"""Vertices of a triangle, whose attributes a pixel shader may read."""


def is_opaque(t: Type) -> bool:
    """Return whether a type is an opaque handle: a texture, sampler, typed buffer or the like."""
    return isinstance(t, ObjectType) and t.name.startswith(_OPAQUE) and t.name != "TextureBuffer"


def is_coherent(quals: Collection[str]) -> bool:
    """Return whether a resource is ``globallycoherent`` or ``reordercoherent``.

    SPIR-V only has the former, coherence between all invocations, which includes the latter.
    """
    return "globallycoherent" in quals or "reordercoherent" in quals


def is_structured_or_byte_buffer(t: Type) -> bool:
    """Return whether a type is a structured or byte-address buffer.

    Local variables of such types hold pointers (aliases).
    """
    return isinstance(t, ObjectType) and t.name.endswith(("StructuredBuffer", "ByteAddressBuffer"))


def is_assignable_handle(t: Type) -> bool:
    """Return whether an object is a handle that variables can hold and functions can replace: not a ray query."""
    return (is_opaque(t) and not holds_queries(t)) or is_structured_or_byte_buffer(t)


def is_block(t: Type) -> bool:
    """Return whether a type is a block with its element's members; Vulkan has no local variables of blocks."""
    return isinstance(t, ObjectType) and t.name in ("ConstantBuffer", "TextureBuffer")


def is_value_object(t: Type) -> bool:
    """Return whether a ``vk::`` object type has a size, and can be stored and copied like a number."""
    return isinstance(t, ObjectType) and t.name in VALUE_OBJECTS


def is_node(t: Type) -> bool:
    """Return whether a type is a node's input, output or records in a work graph."""
    return isinstance(t, ObjectType) and "Node" in t.name


def is_append_consume(t: Type) -> bool:
    """Return whether a type is an append or consume buffer."""
    return isinstance(t, ObjectType) and t.name in ("AppendStructuredBuffer", "ConsumeStructuredBuffer")


def has_counter(t: Type) -> bool:
    """Return whether a buffer has a counter variable."""
    return isinstance(t, ObjectType) and t.name in (
        "RWStructuredBuffer",
        "RasterizerOrderedStructuredBuffer",
        "AppendStructuredBuffer",
        "ConsumeStructuredBuffer",
    )


def is_relaxed(t: Type) -> bool:
    """Return whether values of a type are decorated RelaxedPrecision: minimum-precision numbers and arrays of them."""
    element = ty.element_of(innermost(t))
    return element is not None and element.is_min_precision


_IMAGES = re.compile(r"(RW|RasterizerOrdered)?(Texture(1D|2D|3D|Cube)(MS)?(Array)?|Buffer)|SubpassInput(MS)?")


def holds_relaxed(t: Type) -> bool:
    """Return whether a type, or the element type of an image, has minimum precision."""
    inner = innermost(t)
    if isinstance(inner, ObjectType):
        element = inner.args[0] if inner.args and _IMAGES.fullmatch(inner.name) else None
        return isinstance(element, (Scalar, Vector)) and is_relaxed(element)
    return is_relaxed(inner)


def type_name(t: Type) -> str:
    """Return DXC's spelling of a type for names of buffer types: ``v4float``, ``mat2v3float``."""
    if isinstance(t, Vector):
        return type_name(t.element) if t.size == 1 else f"v{t.size}{type_name(t.element)}"
    if isinstance(t, Matrix):
        if t.rows == 1 or t.cols == 1:
            n = t.rows * t.cols
            return type_name(t.element) if n == 1 else f"v{n}{type_name(t.element)}"
        return f"mat{t.rows}v{t.cols}{type_name(t.element)}"
    if isinstance(t, Struct):
        return t.name
    if isinstance(t, Array):
        return f"arr{t.size or ''}{type_name(t.element)}"
    if isinstance(t, ty.Enum):
        return ""  # DXC writes no name for an enumeration
    if isinstance(t, ObjectType):
        return t.name.rpartition("::")[2]
    assert isinstance(t, Scalar)
    return _SCALAR_NAMES.get(t.name, t.name)


_SCALAR_NAMES = {f"{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 64)}


def _leaves(t: Type) -> list[Type]:
    """Return the types of all non-struct members at any depth; an array is represented by its element type."""
    t = innermost(t)
    return [leaf for f in t.all_fields() for leaf in _leaves(f.type)] if isinstance(t, Struct) else [t]


def _is_resource(t: Type) -> bool:
    return isinstance(t, ObjectType) and not is_value_object(t)


def holds_resources(t: Type) -> bool:
    """Return whether a type, or a member of it at any depth, is a resource."""
    return any(map(_is_resource, _leaves(t)))


def holds_queries(t: Type) -> bool:
    """Return whether a type, or a member of it at any depth, is a ray query, which cannot be copied."""
    return any(isinstance(leaf, ObjectType) and leaf.name == "RayQuery" for leaf in _leaves(t))


def only_resources(t: Type) -> bool:
    """Return whether a type is a resource, or an array or struct of nothing but resources."""
    leaves = _leaves(t)
    return bool(leaves) and all(map(_is_resource, leaves))


def holds_buffers(t: Type) -> bool:
    """Return whether a type contains a resource that SPIR-V represents as a block."""
    return any(is_structured_or_byte_buffer(leaf) or is_constants(leaf) for leaf in _leaves(t))


def is_constants(t: Type) -> bool:
    """Return whether a type is a ``ConstantBuffer`` or ``TextureBuffer``."""
    return isinstance(t, ObjectType) and t.name in ("ConstantBuffer", "TextureBuffer")
