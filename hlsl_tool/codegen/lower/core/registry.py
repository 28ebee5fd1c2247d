"""Registries that connect HIR to the handlers that lower it.

Expressions and statements dispatch by node class (``lowers``), assignments by the class of the target (``assigns``),
calls of functions by the ``vk::`` attribute of the function (``calls``), parameters and variables of object types by
the type's family (``passes``, ``declares``), intrinsic functions by name (``intrinsic``), and methods of built-in
objects by family and name (``method``). Entry points get the execution modes of their stage (``writes_modes``).
`codegen.lower.areas` lists the modules of the handlers, which are loaded on demand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hlsl_tool.base.system.handlers import HandlerTable
from hlsl_tool.codegen.lower.core.context import EXPRESSIONS, STATEMENTS, Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.hir import Expr, Function, Param, Variable
from hlsl_tool.frontend.sema.model.types import ObjectType, Type

F = TypeVar("F", bound=Callable[..., Any])

ASSIGNMENTS: HandlerTable[type, Callable[[Lowering, Any, Value], bool]] = HandlerTable()
"""Class of the target → handler; if it returns false, ``memory.store`` stores the value instead."""
CALLS: HandlerTable[str, Callable[[Lowering, hir.Call, Function], Value]] = HandlerTable()
ARGUMENTS: HandlerTable[str, Callable[[Lowering, Expr, Param], int]] = HandlerTable()
DECLARATIONS: HandlerTable[str, Callable[[Lowering, Variable], None]] = HandlerTable()
INTRINSICS: HandlerTable[str, Callable[[Lowering, hir.IntrinsicCall], Value | None]] = HandlerTable()
METHODS: HandlerTable[tuple[str, str], Callable[[Lowering, hir.MethodCall], Value | None]] = HandlerTable()
MODES: HandlerTable[str, Callable[[Lowering, Function, int], None]] = HandlerTable()
"""Stage → handler; its last argument is the id of the wrapper."""


def lowers(*nodes: type) -> Callable[[F], F]:
    """Register the handler that lowers expressions or statements of these HIR classes."""
    table: HandlerTable[type, Any] = STATEMENTS if nodes[0] in hir.STATEMENTS else EXPRESSIONS
    return table.register(nodes)


def assigns(*targets: type) -> Callable[[F], F]:
    """Register the handler of assignments to expressions of these classes."""
    return ASSIGNMENTS.register(targets)


def calls(attribute: str) -> Callable[[F], F]:
    """Register the handler for calls of functions that have this ``vk::`` attribute."""
    return CALLS.register((attribute,))


def passes(family: str) -> Callable[[F], F]:
    """Register the handler that lowers an argument whose parameter has an object type of this family.

    It returns an id.
    """
    return ARGUMENTS.register((family,))


def declares(family: str) -> Callable[[F], F]:
    """Register the handler that declares local variables with an object type of this family."""
    return DECLARATIONS.register((family,))


def intrinsic(*names: str) -> Callable[[F], F]:
    """Register the handler of intrinsic functions."""
    return INTRINSICS.register(names)


def method(family: str, *names: str) -> Callable[[F], F]:
    """Register the handler of methods of a family of objects."""
    return METHODS.register((family, name) for name in names)


def writes_modes(*stages: str) -> Callable[[F], F]:
    """Register the function that writes the execution modes for entry points of these stages."""
    return MODES.register(stages)


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
