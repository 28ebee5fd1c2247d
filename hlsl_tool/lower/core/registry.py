"""Registries that connect HIR to the handlers that lower it.

Expressions and statements dispatch by node class (``lowers``), assignments by the class of the target (``assigns``),
calls of functions by the ``vk::`` attribute of the function (``calls``), parameters and variables of object types by
the type's family (``passes``, ``declares``), intrinsic functions by name (``intrinsic``), and methods of built-in
objects by family and name (``method``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from hlsl_tool.sema import hir
from hlsl_tool.sema.hir import Expr, Function, Param, Variable
from hlsl_tool.sema.types import ObjectType, Type

if TYPE_CHECKING:
    from hlsl_tool.lower.core.context import Lowering
    from hlsl_tool.lower.core.values import Value

F = TypeVar("F", bound=Callable[..., Any])
K = TypeVar("K")

EXPRESSIONS: dict[type, Callable[..., Value | None]] = {}
STATEMENTS: dict[type, Callable[..., None]] = {}
ASSIGNMENTS: dict[type, Callable[[Lowering, Any, Value], bool]] = {}
"""Class of the target → handler; it returns whether it stored the value, or leaves the target to ``memory.store``."""
CALLS: dict[str, Callable[[Lowering, hir.Call, Function], Value]] = {}
ARGUMENTS: dict[str, Callable[[Lowering, Expr, Param], int]] = {}
DECLARATIONS: dict[str, Callable[[Lowering, Variable], None]] = {}
INTRINSICS: dict[str, Callable[[Lowering, hir.IntrinsicCall], Value | None]] = {}
METHODS: dict[tuple[str, str], Callable[[Lowering, hir.MethodCall], Value | None]] = {}


def _register(table: dict[K, Any], *keys: K) -> Callable[[F], F]:
    def register(handler: F) -> F:
        for key in keys:
            assert key not in table, f"{key} has two handlers"
            table[key] = handler
        return handler

    return register


def lowers(*nodes: type) -> Callable[[F], F]:
    """Register the handler of expression or statement classes."""
    table: dict[type, Any] = STATEMENTS if nodes[0] in hir.STATEMENTS else EXPRESSIONS
    return _register(table, *nodes)


def assigns(*targets: type) -> Callable[[F], F]:
    """Register the handler of assignments to expressions of these classes."""
    return _register(ASSIGNMENTS, *targets)


def calls(attribute: str) -> Callable[[F], F]:
    """Register the handler of calls of functions with this ``vk::`` attribute."""
    return _register(CALLS, attribute)


def passes(family: str) -> Callable[[F], F]:
    """Register the handler that returns the id of an argument for a parameter of a family of objects."""
    return _register(ARGUMENTS, family)


def declares(family: str) -> Callable[[F], F]:
    """Register the handler of local variables of a family of objects."""
    return _register(DECLARATIONS, family)


def intrinsic(*names: str) -> Callable[[F], F]:
    """Register the handler of intrinsic functions."""
    return _register(INTRINSICS, *names)


def method(family: str, *names: str) -> Callable[[F], F]:
    """Register the handler of methods of a family of objects."""
    return _register(METHODS, *((family, name) for name in names))


def family_of(t: Type) -> str:
    """Return the family of an object type, which selects its handlers; ``""`` for other types.

    Families are ``texture`` (sampled), ``rwtexture``, ``sampled_texture``, ``buffer`` (texel buffers), ``structured``,
    ``byte_address``, ``stream``, ``patch``, ``subpass``, ``ray_query``, ``buffer_pointer``, ``heap``, ``node`` and
    ``hit_object``.
    """
    if not isinstance(t, ObjectType):
        return ""
    n = t.name.replace("RasterizerOrdered", "RW")
    if n in _FAMILIES:
        return _FAMILIES[n]
    for prefix, family in _PREFIXES.items():
        if n.startswith(prefix):
            return family
    for suffix, family in _SUFFIXES.items():
        if n.endswith(suffix):
            return family
    return "node" if "Node" in n else n


_FAMILIES = {
    "Buffer": "buffer",
    "RWBuffer": "buffer",
    "InputPatch": "patch",
    "OutputPatch": "patch",
    "SubpassInput": "subpass",
    "SubpassInputMS": "subpass",
    "RayQuery": "ray_query",
    "vk::BufferPointer": "buffer_pointer",
    ".Resource": "heap",
    ".Sampler": "heap",
    "dx::HitObject": "hit_object",
}
_PREFIXES = {"Texture": "texture", "RWTexture": "rwtexture", "vk::SampledTexture": "sampled_texture"}
_SUFFIXES = {"StructuredBuffer": "structured", "ByteAddressBuffer": "byte_address", "Stream": "stream"}
