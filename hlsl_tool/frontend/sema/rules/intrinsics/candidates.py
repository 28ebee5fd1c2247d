"""Format overloads of intrinsic functions for notes: as HLSL signatures, with the argument that does not match."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.frontend.sema.rules.intrinsics.matching import COMPONENTS, Row, Slot, accepts

_WORDS = {"float_like": "float", "udt": "struct", "any_object": "object", "funcT": "T"}


_NO_NUMBERS = frozenset(("udt", "any_object", "funcT"))
"""Kinds of parameters that take other arguments than numbers."""


def signature(row: Row, args: Sequence[Type] = ()) -> str:
    """Return an overload as ``float3 lerp(float3, float3, float3)``.

    Generic shapes take that of the call's arguments.
    """
    shape = _shape_of(row, args)
    result, *params = (_spelled(s, shape) for s in row.slots)
    shapes = ", of any shape" if shape is None and any(s.shape == _ANY for s in row.slots) else ""
    return f"{result} {row.name}({', '.join([*params, *(['...'] if row.variadic else [])])}){shapes}"


_ANY = ("<>",)
"""The shape of parameters that take every shape, all the same."""


def _shape_of(row: Row, args: Sequence[Type]) -> Type | None:
    """Return the first vector or matrix argument whose parameter accepts any shape; ``None`` if there is none."""
    shaped = (arg for arg, slot in zip(args, row.slots[1:], strict=False) if slot.shape == _ANY)
    return next((arg for arg in shaped if isinstance(arg, (ty.Vector, ty.Matrix))), None)


def _spelled(slot: Slot, shape: Type | None = None) -> str:
    direction = f"{slot.direction} " if slot.direction != "in" else ""
    name = _WORDS.get(slot.component, slot.component.removeprefix("object:").removesuffix("_only"))
    if slot.shape == _ANY and shape is not None:
        element = ty.element_of(shape)
        assert element is not None
        dimensions = ty.display(shape).removeprefix(ty.display(element))
        return f"{direction}{ty.display(element) if name == 'numeric' else name}{dimensions}"
    if slot.shape in ((), _ANY):
        return direction + name
    if all(n.isdigit() for n in slot.shape):
        return f"{direction}{name}{'x'.join(slot.shape)}"
    return f"{direction}{name}<{','.join(slot.shape)}>"


def misfit(row: Row, args: Sequence[Type]) -> str:
    """Return the reason why an overload does not accept ``args``; their number is that of its parameters.

    The result is ``""`` if no single argument is the reason.
    """
    params = row.slots[1:]
    if any(s.component not in COMPONENTS or s.direction != "in" for s in params):
        return ""
    shape = _shape_of(row, args)
    for i, (arg, param) in enumerate(zip(args, params, strict=False)):
        if isinstance(arg, (ty.Struct, ty.ObjectType, ty.Array)) and param.component not in _NO_NUMBERS:
            return f"no known conversion from '{ty.display(arg)}' to '{_spelled(param, shape)}' for argument {i + 1}"
    fitting: list[Type] = [ty.LITERAL_INT] * len(params)  # a scalar of any type
    for i, (arg, param) in enumerate(zip(args, params, strict=False)):
        fitting[i] = arg
        if accepts(row, fitting):
            continue
        if i > 0 and param.shape == _ANY and isinstance(arg, (ty.Vector, ty.Matrix)):
            return f"the shape of '{ty.display(arg)}', argument {i + 1}, does not fit those before it"
        return f"no known conversion from '{ty.display(arg)}' to '{_spelled(param, shape)}' for argument {i + 1}"
    return ""
