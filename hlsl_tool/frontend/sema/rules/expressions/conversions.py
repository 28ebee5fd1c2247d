"""Conversions between types: their existence, their cost, and the casts that implement them.

A conversion has a *shape* step and a *component* step.  Their order follows DXC's AST, since it shows in the output:
a splat converts the scalar first, everything else changes shape first (manual: *Expressions*, *Casting*).
"""

from __future__ import annotations

from typing import Literal

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Enum, Matrix, ObjectType, Scalar, Struct, Type, Vector

Step = Literal[
    "identity",
    "splat",
    "to_scalar",
    "truncate",
    "reshape",
    "flat",
    "derived_to_base",
    "noop",
    "heap",
    "void",
    "contents",
]


@dataclass(slots=True)
class Conversion:
    """The steps that convert a value of one type to another."""

    step: Step
    component: Scalar | None = None
    """The component type to convert to; ``None`` if it is unchanged."""
    truncates: bool = False
    """Components are dropped: an implicit conversion warns."""


IDENTITY = Conversion("identity")


# -------------------------------------------------------------------------------------- arithmetic on component types


ENUM = Scalar("enum", "int", 32)
"""Every unscoped enumeration."""

_NOMINAL_BITS = {
    ty.BOOL: 0,
    ty.LITERAL_INT: 0,
    ty.LITERAL_FLOAT: 0,
    ENUM: 0,
    ty.MIN10FLOAT: 10,
    ty.MIN12INT: 12,
    ty.MIN16FLOAT: 16,
    ty.MIN16INT: 16,
    ty.MIN16UINT: 16,
}
"""Computation width of types that are widened; 0 adapts to the other operand."""

_FLOATS = {(10, True): ty.MIN10FLOAT, (16, True): ty.MIN16FLOAT, (16, False): ty.FLOAT16, (64, False): ty.DOUBLE}
_INTEGERS = {
    (12, True, False): ty.MIN12INT,
    (16, True, False): ty.MIN16INT,
    (16, True, True): ty.MIN16UINT,
    (8, False, False): ty.INT8,
    (8, False, True): ty.UINT8,
    (16, False, False): ty.INT16,
    (16, False, True): ty.UINT16,
    (32, False, True): ty.UINT,
    (64, False, False): ty.INT64,
    (64, False, True): ty.UINT64,
}


def operand_kind(t: Type) -> Scalar | None:
    """Return the component type that arithmetic uses; ``None`` for scoped enumerations and non-numeric types."""
    if isinstance(t, Enum):
        return None if t.is_class else ENUM
    element = ty.element_of(t)
    return element if element is not None and element.category not in ("void", "string") else None


def _bits(t: Scalar) -> int:
    return _NOMINAL_BITS.get(t, t.bits)


def nominal_bits(t: Scalar) -> int:
    """Return the width in a type's name: 10 for ``min10float``."""
    return _NOMINAL_BITS.get(t) or t.bits


def combine(a: Scalar, b: Scalar) -> Scalar | None:
    """Return the common component type of two operands, or ``None`` if there is none."""
    if a is b:
        return a
    if a.category in ("void", "string") or b.category in ("void", "string"):
        return None
    floats = [t for t in (a, b) if t.category == "float"]
    if a.is_literal and b.is_literal:
        return ty.LITERAL_FLOAT if floats else ty.LITERAL_INT
    adapts = any(t.is_literal or t is ENUM or t.category == "bool" for t in (a, b))
    is_min = any(t.is_min_precision for t in (a, b)) if adapts else a.is_min_precision and b.is_min_precision
    if adapts and ty.HALF in (a, b):
        return ty.HALF
    bits = max(_bits(a), _bits(b))
    if len(floats) == 1:
        bits, is_min = _bits(floats[0]), floats[0].is_min_precision
    if floats:
        return _FLOATS.get((bits or 32, is_min), ty.FLOAT)
    return _INTEGERS.get((bits or 32, is_min, "uint" in (a.category, b.category)), ty.INT)


# ------------------------------------------------------------------------------------------------------------- shapes


def shape_step(src: Type, dst: Type) -> tuple[Step, bool] | None:
    """Return (conversion step between two numeric shapes, whether it truncates); ``None`` if they do not convert."""
    n_src, n_dst = ty.component_count(src), ty.component_count(dst)
    truncates = n_dst < n_src
    if isinstance(dst, Scalar):
        return ("identity", False) if isinstance(src, Scalar) else ("to_scalar", truncates)
    if isinstance(src, Scalar):
        return "splat", False
    if isinstance(src, Vector) and isinstance(dst, Vector):
        return _vector_step(src.size, dst.size)
    if not isinstance(src, (Vector, Matrix)) or not isinstance(dst, (Vector, Matrix)):
        return None
    if n_src == 1 and n_dst != 1:
        return "splat", False
    if isinstance(src, Matrix) and isinstance(dst, Matrix):
        if dst.rows > src.rows or dst.cols > src.cols:
            return None
        return ("truncate", True) if truncates else ("identity", False)
    if n_src == n_dst:
        return "reshape", False
    matrix = dst if isinstance(dst, Matrix) else src
    if n_dst == 1 or (truncates and isinstance(matrix, Matrix) and 1 in (matrix.rows, matrix.cols)):
        return "truncate", True
    return None


def _vector_step(src: int, dst: int) -> tuple[Step, bool] | None:
    """Return (conversion step between vector sizes, whether it truncates); ``None`` if they do not convert."""
    if src == dst:
        return "identity", False
    if src == 1:
        return "splat", False
    return ("truncate", True) if dst < src else None


def combine_shapes(a: Type, b: Type) -> Type | None:
    """Return the common shape of two operands; ``None`` if neither converts to the other.

    It is the larger shape if the smaller one converts to it, otherwise the smaller shape.
    """
    first, second = (a, b) if ty.component_count(a) >= ty.component_count(b) else (b, a)
    if shape_step(second, first) is not None:
        return first
    if shape_step(first, second) is not None:
        return second
    return None


# ----------------------------------------------------------------------------------------------------- classification


def classify(src: Type, dst: Type, *, explicit: bool, hlsl_version: int = 2021) -> Conversion | None:
    """Return the conversion from ``src`` to ``dst``; ``None`` if there is none."""
    if src is dst:
        return IDENTITY
    pair = src, dst
    if pair in _NUMERIC:
        return _NUMERIC[pair]
    if dst is ty.VOID:
        return Conversion("void") if explicit else None
    if src is ty.VOID:
        return None
    if ty.is_numeric(src) and ty.is_numeric(dst):
        return _numeric(src, dst)
    if isinstance(src, Enum) or isinstance(dst, Enum):
        return _enum(src, dst, explicit)
    if isinstance(src, ObjectType) or isinstance(dst, ObjectType):
        return _object(src, dst, explicit)
    if src is ty.STRING or dst is ty.STRING:
        return None
    return _aggregate(src, dst, explicit, hlsl_version)


_NUMERIC: dict[tuple[Type, Type], Conversion | None] = {}
"""Pair of numeric types → the conversion or `None`, of all pairs seen so far."""


def _numeric(src: Type, dst: Type) -> Conversion | None:
    step = shape_step(src, dst)
    if step is None:
        _NUMERIC[src, dst] = None
        return None
    s, d = ty.element_of(src), ty.element_of(dst)
    conversion = _NUMERIC[src, dst] = Conversion(step[0], d if s is not d else None, step[1])
    return conversion


def _enum(src: Type, dst: Type, explicit: bool) -> Conversion | None:
    if isinstance(dst, Enum):
        if not explicit or (not isinstance(src, Enum) and not ty.is_numeric(src)) or ty.component_count(src) != 1:
            return None
        s = ty.element_of(src)
        return Conversion("identity", dst.underlying if s is not dst.underlying else None)
    assert isinstance(src, Enum)
    if (src.is_class and not explicit) or not ty.is_numeric(dst):
        return None
    return _numeric(src.underlying, dst)


def _object(src: Type, dst: Type, explicit: bool) -> Conversion | None:
    if isinstance(src, ObjectType) and src.name in (".Resource", ".Sampler"):
        return Conversion("heap") if isinstance(dst, ObjectType) else None
    if isinstance(src, ObjectType) and isinstance(dst, ObjectType):
        if src.name == dst.name and src.args == dst.args:
            return Conversion("noop")
        if src.name == "vk::BufferPointer" == dst.name and explicit:
            return Conversion("noop")
        return None
    if isinstance(src, ObjectType) and src.name in ("ConstantBuffer", "TextureBuffer"):
        return Conversion("contents") if src.args and src.args[0] is dst else None
    if isinstance(src, ObjectType) and src.name == "vk::BufferPointer":
        return Conversion("noop") if dst is ty.UINT64 else None
    if isinstance(dst, ObjectType) and dst.name == "vk::BufferPointer" and explicit:
        if src is ty.UINT64:
            return Conversion("noop")
        if isinstance(src, Scalar) and src.is_integer:
            return Conversion("noop", ty.UINT64)
    return None


def _aggregate(src: Type, dst: Type, explicit: bool, hlsl_version: int) -> Conversion | None:
    src_agg, dst_agg = isinstance(src, (Struct, Array)), isinstance(dst, (Struct, Array))
    if not explicit and src_agg != dst_agg:
        return None
    if isinstance(src, Struct) and isinstance(dst, Struct) and src.derives_from(dst):
        return Conversion("derived_to_base")
    if (
        explicit
        and ty.is_numeric(src)
        and ty.component_count(src) == 1
        and all(ty.element_of(t) for t in ty.flatten(dst))
    ):
        return Conversion("flat")
    by_name = hlsl_version >= 2021 and (isinstance(src, Struct) or isinstance(dst, Struct))
    if not explicit and by_name and not (isinstance(dst, Struct) and dst.is_anonymous):
        return None
    a, b = ty.flatten(src), ty.flatten(dst)
    if not a or len(a) < len(b):
        return None
    if not explicit and (len(a) != len(b) or any(x is not y for x, y in zip(a, b, strict=True))):
        return None
    for x, y in zip(a, b, strict=False):
        if x is not y and classify(x, y, explicit=explicit, hlsl_version=hlsl_version) is None:
            return None
    return Conversion("flat", truncates=len(a) > len(b))


# -------------------------------------------------------------------------------------------------------- application


def load(e: hir.Expr) -> hir.Expr:
    """Load an l-value; return an r-value unchanged."""
    return hir.Load(e, e.type, e.pos) if e.is_lvalue else e


def apply(e: hir.Expr, dst: Type, c: Conversion, *, explicit: bool = False) -> hir.Expr:
    """Convert ``e`` to ``dst`` with the conversion ``c``.

    The result is an r-value; only the cast of an l-value to its base class is an l-value.
    """
    pos = e.pos
    if c.step == "derived_to_base":
        return hir.Cast("derived_to_base", e, dst, pos, is_lvalue=e.is_lvalue, is_explicit=explicit)
    if c.step == "contents":
        return hir.Load(hir.Cast("contents", e, dst, pos, is_lvalue=True), dst, pos)
    if c.step == "void":
        return hir.Cast("void", e, dst, pos, is_explicit=explicit)
    e = load(e)
    if c.step == "identity" and c.component is None:
        return e if e.type is dst else hir.Cast("noop", e, dst, pos, is_explicit=explicit)
    if c.step == "noop" and c.component is not None:  # an address of another integer type
        e = hir.Cast("numeric", e, c.component, pos)
    if c.step in ("flat", "noop", "heap"):
        return hir.Cast(c.step, e, dst, pos, is_explicit=explicit)
    return _apply_numeric(e, dst, c, explicit=explicit)


def _apply_numeric(e: hir.Expr, dst: Type, c: Conversion, *, explicit: bool) -> hir.Expr:
    """Convert the shape of an r-value first, and then its component type."""
    pos = e.pos
    source = ty.element_of(e.type)
    assert source is not None
    component = c.component or source
    if isinstance(e.type, Enum):
        e = hir.Cast("noop", e, e.type.underlying, pos)
    if c.step == "splat":
        if not isinstance(e.type, Scalar):
            e = hir.Cast("to_scalar", e, source, pos)
        if component is not source:
            e = hir.Cast("numeric", e, component, pos, is_explicit=explicit)
        return hir.Cast("splat", e, dst, pos, is_explicit=explicit)
    if c.step == "to_scalar":
        e = hir.Cast("to_scalar", e, source, pos, is_explicit=explicit)
    elif c.step in ("truncate", "reshape"):
        e = _reshape(e, dst, source)
    if component is not source:
        target = dst.underlying if isinstance(dst, Enum) else dst
        e = hir.Cast("numeric", e, target, pos, is_explicit=explicit)
    return hir.Cast("noop", e, dst, pos, is_explicit=explicit) if isinstance(dst, Enum) else e


def _reshape(e: hir.Expr, dst: Type, source: Scalar) -> hir.Expr:
    src, pos = e.type, e.pos
    n = ty.component_count(dst)
    if isinstance(src, Vector):
        if n < src.size:
            e = hir.Cast("vector_truncate", e, ty.vector(source, n), pos)
        if isinstance(dst, Matrix):
            e = hir.Cast("vector_to_matrix", e, ty.with_element(dst, source), pos)
        return e
    assert isinstance(src, Matrix)
    if n < ty.component_count(src):
        if isinstance(dst, Matrix):
            return hir.Cast("matrix_truncate", e, ty.with_element(dst, source), pos)
        rows, cols = (n, 1) if src.cols == 1 else (1, n)
        e = hir.Cast("matrix_truncate", e, ty.matrix(source, rows, cols), pos)
    if isinstance(dst, Vector):
        e = hir.Cast("matrix_to_vector", e, ty.vector(source, n), pos)
    return e
