"""Overload resolution of intrinsics, and the types of their arguments.

HLSL's intrinsics are not overloads in the sense of C++: an overload whose types refer to each other is matched against
all arguments at once.  Component types that must be equal combine like those of operands; shapes that must be equal
have to agree, except for scalars, which splat; a component type that an overload does not accept becomes the first one
that it accepts, unless an exact match is required.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.builtin_types import triangle_positions
from hlsl_tool.frontend.sema.model.types import Enum, Matrix, ObjectType, Scalar, Struct, Type, Vector
from hlsl_tool.frontend.sema.rules.expressions.conversions import combine
from hlsl_tool.frontend.sema.rules.intrinsics.functions import TABLE

_FLOATS = (ty.FLOAT, ty.HALF, ty.FLOAT16, ty.MIN10FLOAT, ty.MIN16FLOAT)
_INTS = (ty.INT, ty.UINT, ty.INT16, ty.UINT16, ty.INT64, ty.UINT64, ty.INT8, ty.UINT8)
_NUMERIC = (*_FLOATS, ty.DOUBLE, *_INTS, ty.MIN12INT, ty.MIN16INT, ty.MIN16UINT)

# class -> (accepted component types, others convert to the first; exact: no conversion)
COMPONENTS: dict[str, tuple[tuple[Scalar, ...], bool]] = {
    "bool": ((ty.BOOL,), False),
    "int": ((ty.INT,), False),
    "uint": ((ty.UINT,), False),
    "u64": ((ty.UINT64,), False),
    "float": ((ty.FLOAT, ty.HALF), False),
    "double": ((ty.DOUBLE,), False),
    "double_only": ((ty.DOUBLE,), True),
    "float16": ((ty.FLOAT16,), False),
    "int16": ((ty.INT16,), False),
    "uint16": ((ty.UINT16,), False),
    "float_like": (_FLOATS, False),
    "any_float": ((*_FLOATS, ty.DOUBLE), False),
    "any_int": (_INTS, False),
    "any_int32": ((ty.INT, ty.UINT), False),
    "any_int64": ((ty.INT64, ty.UINT64), False),
    "int32_only": ((ty.INT, ty.UINT), True),
    "int64_only": ((ty.UINT64, ty.INT64), True),
    "float32_only": ((ty.FLOAT,), True),
    "float32_or_half_only": ((ty.FLOAT, ty.HALF), True),
    "float16_only": ((ty.FLOAT16,), True),
    "uint_only": ((ty.UINT, ty.UINT64), True),
    "numeric": (_NUMERIC, False),
    "numeric32_only": ((ty.FLOAT, ty.HALF, ty.INT, ty.UINT), True),
    "numeric16_only": ((ty.FLOAT16, ty.INT16, ty.UINT16), True),
    "any": ((*_NUMERIC, ty.BOOL), False),
    "int8_4packed": ((ty.INT8X4_PACKED, ty.UINT), False),
    "uint8_4packed": ((ty.UINT8X4_PACKED, ty.UINT), False),
    "any_int16or32": ((ty.INT, ty.UINT, ty.INT16, ty.UINT16), False),
    "sint16or32_only": ((ty.INT, ty.INT16), True),
    "void": ((ty.VOID,), False),
    "string": ((ty.STRING,), True),
}


@dataclass(slots=True)
class Slot:
    """The result type or a parameter type of an overload."""

    direction: str
    component: str
    shape: tuple[str, ...]
    """Shape: ``()`` scalar, ``("<>",)`` any, ``("4",)``/``("c",)`` vector, ``("r", "c")`` matrix."""
    shape_tie: int
    component_tie: int


@dataclass(slots=True)
class Row:
    """One overload of an intrinsic function, parsed from the table."""

    name: str
    slots: list[Slot]
    variadic: bool
    text: str


@dataclass(slots=True)
class Match:
    """A selected overload with concrete result and parameter types."""

    result: Type
    params: tuple[Type, ...]
    directions: tuple[str, ...]
    row: Row


_TYPE = re.compile(
    r"(?:(?P<dir>out|inout|ref|in)\s+)?(?:\$(?P<same>\d)|(?P<comp>[\w:]+)(?:<(?P<shape>[^>]*)>)?(?:~(?P<st>\d))?(?:%(?P<ct>\d))?)$"
)


def _slot(text: str, index: int, slots: list[Slot]) -> Slot:
    m = _TYPE.match(text.strip())
    assert m, text
    direction = m["dir"] or "in"
    if m["same"]:
        tie = int(m["same"])
        return Slot(direction, "", ("$",), tie, tie)
    if m["shape"] is None:
        shape: tuple[str, ...] = ()
    elif m["shape"] == "":
        shape = ("<>",)
    else:
        shape = tuple(s.strip() for s in m["shape"].split(","))
    return Slot(direction, m["comp"], shape, int(m["st"] or index), int(m["ct"] or index))


@cache
def _rows() -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    for line in TABLE.strip().splitlines():
        head, _, params = line.rstrip(")").partition("(")
        name, _, result = head.rpartition(": ")
        slots: list[Slot] = []
        parts = [p for p in re.split(r",\s*(?![^<]*>)", params) if p]
        variadic = bool(parts) and parts[-1].strip() == "..."
        if variadic:
            parts.pop()
        slots.append(_slot(result, 0, slots))
        for i, p in enumerate(parts, 1):
            slots.append(_slot(p, i, slots))
        for s in slots:  # "$n" copies the description of the slot it refers to
            if s.shape == ("$",):
                other = slots[s.shape_tie]
                s.component, s.shape = other.component, other.shape
                s.shape_tie, s.component_tie = other.shape_tie, other.component_tie
        rows.setdefault(name, []).append(Row(name, slots, variadic, line))
    return rows


def is_intrinsic(name: str) -> bool:
    """Return whether an intrinsic function has this qualified name (``vk::ReadClock``)."""
    return name in _rows()


def names() -> list[str]:
    """Return the qualified names of all intrinsic functions."""
    return list(_rows())


def overloads(name: str) -> list[Row]:
    """Return the overloads of an intrinsic function; empty if there is no function of that name."""
    return _rows().get(name, [])


def match(
    name: str,
    args: Sequence[Type],
    template_arg: Type | None = None,
    *,
    negated: Collection[int] = (),
) -> Match | None:
    """Return the first overload of ``name`` that accepts the argument types, with concrete types; ``None`` without one.

    ``negated`` are the indices of arguments with a minus sign: literals without one become unsigned if possible.
    """
    key = (name, *args, template_arg, "-", *sorted(negated))
    first = _remembered.get(key)
    if first is None:
        first = _first_match(name, args, template_arg, negated)
        if (
            first is not None
            and all(map(ty.is_numeric, args))
            and (template_arg is None or ty.is_numeric(template_arg))
        ):
            _remembered[key] = first
    return first


_remembered: dict[tuple[object, ...], Match] = {}
"""Arguments of `match`, all types numeric → the overload, of all calls seen so far."""


def _first_match(name: str, args: Sequence[Type], template_arg: Type | None, negated: Collection[int]) -> Match | None:
    for row in _rows().get(name, ()):
        n = len(row.slots) - 1
        if len(args) != n and not (row.variadic and len(args) >= n):
            continue
        m = _match_row(row, args, template_arg, negated)
        if m is not None:
            return m
    return None


def accepts(row: Row, args: Sequence[Type]) -> bool:
    """Return whether an overload accepts arguments of these types, one for each parameter."""
    return _match_row(row, args, None, ()) is not None


def _shape_kind(t: Type) -> str:
    return "vector" if isinstance(t, Vector) else "matrix" if isinstance(t, Matrix) else "scalar"


def _match_row(row: Row, args: Sequence[Type], template_arg: Type | None, negated: Collection[int]) -> Match | None:
    slots = row.slots
    kinds: dict[int, str] = {}
    components: dict[int, Scalar] = {}
    sizes: dict[str, int] = {}
    special: dict[int, Type] = {}
    for i, (slot, arg) in enumerate(zip(slots[1:], args, strict=False), 1):
        c = slot.component
        if c in ("udt", "RayDesc", "funcT", "any_object", "string") or c.startswith("object:"):
            t = _special(c, arg, template_arg)
            if t is None or special.get(slot.component_tie, t) is not t:
                return None
            special[i] = t
            continue
        element = ty.element_of(arg)
        is_scoped = isinstance(arg, Enum) and arg.is_class
        if element is None or element.category in ("void", "string") or is_scoped:
            return None
        accepted, exact = COMPONENTS[c]
        literal_fits = element.is_literal and any(a.category == "float" or a.is_integer for a in accepted)
        if exact and (isinstance(arg, Enum) or (element not in accepted and not literal_fits)):
            return None
        affects_result = slots[0].component_tie == slot.component_tie
        if element.is_literal and not affects_result:
            element = _concrete_literal(element, accepted, i - 1 in negated)
        kind = _shape_kind(arg)
        old = kinds.get(slot.shape_tie)
        if old is None or (old == "scalar" and kind != "scalar"):
            kinds[slot.shape_tie] = kind
        elif kind != "scalar" and kind != old:
            return None
        previous = components.get(slot.component_tie)
        merged = element if previous is None else combine(previous, element)
        if merged is None:
            return None
        components[slot.component_tie] = merged
        if kind != "scalar" and not _narrow(slot, arg, sizes):
            return None
    return _conclude(row, args, kinds, components, sizes, special, template_arg)


def _special(c: str, arg: Type, template_arg: Type | None) -> Type | None:
    if c == "udt":
        return arg if isinstance(arg, Struct) else None
    if c == "RayDesc":
        return arg if isinstance(arg, Struct) and arg.name == "RayDesc" else None
    if c == "funcT":
        return template_arg or (_by_default(arg) if arg not in (ty.STRING, ty.VOID) else None)
    if c == "any_object":
        return arg if isinstance(arg, ObjectType) else None
    if c == "string":
        return arg if arg is ty.STRING else None
    return arg if isinstance(arg, ObjectType) and arg.name in (c[7:], ".Resource") else None


def _by_default(arg: Type) -> Type:
    """Return the type of an argument whose parameter accepts any type: ``uint`` and ``float`` for untyped literals."""
    if arg is ty.LITERAL_INT:
        return ty.UINT
    return ty.FLOAT if arg is ty.LITERAL_FLOAT else arg


def _concrete_literal(element: Scalar, accepted: tuple[Scalar, ...], is_negated: bool) -> Scalar:
    """Return the component type of a literal argument that does not determine the result type.

    It is a 32-bit type if the parameter accepts one, else the first accepted type.
    """
    if element is ty.LITERAL_FLOAT:
        preferred = [ty.FLOAT, ty.DOUBLE]
    else:
        preferred = [ty.INT if is_negated else ty.UINT]
    return next((t for t in preferred if t in accepted), accepted[0])


def _dims(t: Type) -> tuple[int, int]:
    if isinstance(t, Matrix):
        return t.rows, t.cols
    return 1, t.size if isinstance(t, Vector) else 1


def _names(slot: Slot) -> tuple[str, str]:
    """Return the symbolic names, or sizes, of the rows and columns of a slot's shape."""
    if slot.shape == ("<>",):
        return "*r", "*c"
    if len(slot.shape) == 2:
        return slot.shape[0], slot.shape[1]
    return "1", slot.shape[0] if slot.shape else "1"


def _narrow(slot: Slot, arg: Type, sizes: dict[str, int]) -> bool:
    for name, have in zip(_names(slot), _dims(arg), strict=True):
        if name.isdigit():
            if have < int(name):
                return False
        else:
            sizes[name] = min(sizes.get(name, have), have)
    return True


def _conclude(
    row: Row,
    args: Sequence[Type],
    kinds: dict[int, str],
    components: dict[int, Scalar],
    sizes: dict[str, int],
    special: dict[int, Type],
    template_arg: Type | None,
) -> Match | None:
    types: list[Type] = []
    for i, slot in enumerate(row.slots):
        if i in special:
            types.append(special[i])
            continue
        if slot.component == "funcT":
            types.append(template_arg or ty.UINT)
            continue
        if slot.component == "triangle_positions":
            types.append(triangle_positions())
            continue
        if slot.component in ("udt", "any_object"):
            types.append(special[slot.component_tie])
            continue
        accepted, exact = COMPONENTS[slot.component]
        component = components.get(slot.component_tie)
        if component is None or component not in accepted:
            if component is not None and component.is_literal and ty.concrete(component) in accepted:
                component = ty.concrete(component)
            elif exact and component is not None and not component.is_literal:
                return None
            else:
                component = accepted[0]
        kind = kinds.get(slot.shape_tie)
        t = _shaped(slot, kind, component, sizes)
        if t is None:
            return None
        written = i and slot.direction != "in" and ty.is_numeric(t) and ty.is_numeric(args[i - 1])
        if written and _dims(t) != _dims(args[i - 1]):
            return None  # a written-back value is neither truncated nor splatted
        types.append(t)
    return Match(types[0], tuple(types[1:]), tuple(s.direction for s in row.slots[1:]), row)


def _shaped(slot: Slot, kind: str | None, component: Scalar, sizes: dict[str, int]) -> Type | None:
    if component is ty.VOID:
        return ty.VOID
    rows, cols = (int(n) if n.isdigit() else sizes.get(n, 1) for n in _names(slot))
    if slot.shape == ():
        return None if kind not in (None, "scalar") else component
    if slot.shape == ("<>",):
        if kind == "matrix":
            return ty.matrix(component, rows, cols)
        return ty.vector(component, cols) if kind == "vector" else component
    if len(slot.shape) == 2:
        return None if kind == "vector" else ty.matrix(component, rows, cols)
    return None if kind == "matrix" else ty.vector(component, cols)
