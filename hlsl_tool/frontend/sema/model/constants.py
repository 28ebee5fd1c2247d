"""Evaluation of constant expressions in HIR.

``evaluate`` returns what clang's ``EvaluateAsRValue`` returns for DXC: a value, or ``None`` if the expression is not
constant.  It follows ``const`` scalars to their initialisers, and evaluates constructors and splats of vectors; the
only calls it folds are ``min``, ``max`` and ``asuint`` of scalars.  Integers wrap to their width; floats are rounded to
theirs.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import TypeAlias

from hlsl_tool.base.rounding import round_up
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Enum, Scalar, Type, Vector

Value: TypeAlias = "bool | int | float | str | list[Value]"

MAX_DEPTH = 400

BOUND: dict[hir.Variable, Value] = {}
"""Variables of the ``constexpr`` function that is being evaluated → their current values."""


def evaluate(e: hir.Expr, depth: int = 0) -> Value | None:
    """Return the value of a constant expression: a bool, int, float or str, or a list of them for a vector.

    The result is ``None`` for other expressions, and beyond a nesting depth of `MAX_DEPTH`; ``depth`` is that of ``e``.
    """
    handler = HANDLERS.get(e.__class__)
    if handler is None or depth > MAX_DEPTH:
        return None
    return handler(e, depth + 1)


def evaluate_int(e: hir.Expr) -> int | None:
    """Return the value of an integral constant expression, or ``None``; no infinity or NaN converts to one."""
    operand = e
    while isinstance(operand, hir.Cast):
        operand = operand.operand
    number = evaluate(operand) if operand is not e else None
    if isinstance(number, float) and not math.isfinite(number):
        return None
    v = evaluate(e)
    if isinstance(v, bool):
        return int(v)
    return v if isinstance(v, int) else None


def convert(v: Value, to: Type) -> Value | None:
    """Convert a value to a scalar type or, component by component, to a vector type."""
    if isinstance(v, list):
        if not isinstance(to, Vector):
            return None
        out = [convert(x, to.element) for x in v]
        return None if any(x is None for x in out) else [x for x in out if x is not None]
    if isinstance(to, Enum):
        to = to.underlying
    if isinstance(v, str) or not isinstance(to, Scalar):
        return v
    if to.category == "bool":
        return bool(v)
    if to.category == "float":
        return round_float(float(v), to.constant_bits)
    if isinstance(v, float):
        return nearest_integer(v, to)
    return wrap(int(v), to)


def nearest_integer(v: float, t: Scalar) -> int:
    """Convert a number to an integer type: towards zero, and to the first or last number of the type beyond them.

    NaN becomes 0.
    """
    bits = t.constant_bits
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if t.category == "int" else (0, (1 << bits) - 1)
    if math.isnan(v):
        return 0
    return max(low, min(int(v), high)) if math.isfinite(v) else high if v > 0 else low


def wrap(v: int, t: Scalar) -> int:
    """Wrap ``v`` to the width of ``t``; the result is signed for signed types."""
    bits = t.constant_bits
    v &= (1 << bits) - 1
    if t.category == "int" and v >> (bits - 1):
        v -= 1 << bits
    return v


def round_float(v: float, bits: int) -> float:
    """Round ``v`` to a float of 16, 32 or 64 bits; infinity if it is out of range."""
    if bits == 32:
        try:
            return float(struct.unpack("<f", struct.pack("<f", v))[0])
        except OverflowError:
            return math.copysign(math.inf, v)
    if bits == 16:
        try:
            return float(struct.unpack("<e", struct.pack("<e", v))[0])
        except OverflowError:
            return math.copysign(math.inf, v)
    return v


def _literal(e: hir.Literal_, depth: int) -> Value | None:
    return e.value


def _load(e: hir.Load, depth: int) -> Value | None:
    return evaluate(e.operand, depth)


def _var(e: hir.VarRef, depth: int) -> Value | None:
    v = e.var
    if v in BOUND:
        return BOUND[v]
    if not v.is_const or v.init is None or not isinstance(v.type, (Scalar, Enum)):
        return None
    if v.storage in ("global", "cbuffer_member", "param", "groupshared"):
        return None
    if v.value_of is not v.init:
        value = evaluate(v.init, depth)
        if value is None:  # perhaps too deep from here only
            return None
        v.value, v.value_of = value, v.init
    return v.value  # type: ignore[no-any-return]


def _cast(e: hir.Cast, depth: int) -> Value | None:
    wide = _wide_literals(e, depth)
    if wide is not None:
        return wide
    v = evaluate(e.operand, depth)
    if v is None:
        return None
    if e.kind in ("numeric", "noop"):
        return convert(v, e.type) if ty.is_numeric(e.type) or isinstance(e.type, Enum) else None
    if e.kind == "splat" and isinstance(e.type, Vector) and not isinstance(v, list):
        return [v] * e.type.size
    if e.kind == "vector_truncate" and isinstance(e.type, Vector) and isinstance(v, list):
        return v[: e.type.size]
    if e.kind == "to_scalar" and isinstance(v, list) and len(v) == 1:
        return v[0]
    return None


def _wide_literals(e: hir.Cast, depth: int) -> Value | None:
    """Evaluate a 64-bit cast of an expression of literals in 64 bits, as in ``double d = sqrt(2.0)``; else ``None``."""
    if e.kind != "numeric" or not isinstance(e.type, Scalar) or e.type.bits != 64:
        return None
    value = _of_literals(e.operand, depth)
    return None if value is None else convert(value, e.type)


def _of_literals(e: hir.Expr, depth: int) -> bool | int | float | None:
    """Evaluate an expression of untyped literals in 64 bits; ``None`` if it contains anything else."""
    if depth > MAX_DEPTH or not isinstance(e.type, Scalar):
        return None
    if e.type.is_literal:
        value = evaluate(e, depth + 1)
        return None if isinstance(value, (str, list)) else value
    if isinstance(e, hir.Cast) and e.kind == "numeric" and not e.is_explicit and e.operand.type in _LITERALS:
        return _of_literals(e.operand, depth + 1)
    is_float = e.type.category == "float"
    if isinstance(e, hir.IntrinsicCall):
        args = [_of_literals(a, depth + 1) for a in e.args]
        values = [a for a in args if a is not None]
        if not values or len(values) != len(args):
            return None
        from hlsl_tool.frontend.sema.model import folding  # start-up time

        return folding.of_literals(e.name, values, is_float=is_float)
    wide = ty.LITERAL_FLOAT if is_float else ty.LITERAL_INT
    if isinstance(e, hir.Unary) and e.op in "+-":
        operand = _of_literals(e.operand, depth + 1)
        return None if operand is None else (-operand if e.op == "-" else operand)
    if isinstance(e, hir.Binary) and e.op in _ARITHMETIC | {"/": None}:
        left, right = _of_literals(e.left, depth + 1), _of_literals(e.right, depth + 1)
        if left is not None and right is not None:
            value = _binary_value(hir.Binary(e.op, e.left, e.right, wide, e.pos), left, right)
            return None if isinstance(value, (str, list)) else value
    return None


_LITERALS = (ty.LITERAL_INT, ty.LITERAL_FLOAT)


def _intrinsic(e: hir.IntrinsicCall, depth: int) -> Value | None:
    """Fold ``min``, ``max`` and ``asuint`` of constant scalars."""
    first = e.args[0].type if e.args else None
    if e.name not in ("min", "max", "asuint") or not isinstance(first, Scalar):
        return None
    args = [evaluate(a, depth) for a in e.args]
    numbers = [a for a in args if isinstance(a, (bool, int, float))]
    if len(numbers) != len(args):
        return None
    from hlsl_tool.frontend.sema.model import folding  # start-up time

    return folding.folded(e.name, numbers, first)


def _unary(e: hir.Unary, depth: int) -> Value | None:
    v = evaluate(e.operand, depth)
    if v is None:
        return None
    if isinstance(v, list):
        parts = [_unary_value(e.op, x, ty.element_of(e.type)) for x in v]
        return None if any(p is None for p in parts) else [p for p in parts if p is not None]
    return _unary_value(e.op, v, ty.element_of(e.type))


def _unary_value(op: str, v: Value, t: Scalar | None) -> Value | None:
    if isinstance(v, (str, list)) or t is None:
        return None
    if op == "!":
        return not v
    if op == "+":
        return v
    if op == "-":
        return convert(-v, t)
    if op == "~" and isinstance(v, int):
        return wrap(~int(v), t)
    return None


def _divide(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
_INTEGER: dict[str, Callable[[int, int], int]] = {
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def _binary(e: hir.Binary, depth: int) -> Value | None:
    # long left-deep chains: find the innermost left operand first, then fold upwards
    chain: list[hir.Binary] = []
    node: hir.Expr = e
    while isinstance(node, hir.Binary):
        chain.append(node)
        node = node.left
    value = evaluate(node, depth)
    for b in reversed(chain):
        if value is None:
            return None
        right = evaluate(b.right, depth)
        if right is None:
            return None
        if isinstance(value, list) and isinstance(right, list) and len(value) == len(right):
            parts = [_binary_value(b, x, y) for x, y in zip(value, right, strict=True)]
            value = None if any(p is None for p in parts) else [p for p in parts if p is not None]
        else:
            value = _binary_value(b, value, right)
    return value


def _binary_value(e: hir.Binary, a: Value, b: Value) -> Value | None:
    if isinstance(a, (str, list)) or isinstance(b, (str, list)):
        return None
    op = e.op
    if op in _COMPARE:
        return _COMPARE[op](a, b)
    t = ty.element_of(e.type)
    if t is None:
        return None
    if t.category == "float":
        return _float_op(op, float(a), float(b), t)
    x, y = int(a), int(b)
    if op in _ARITHMETIC:
        return wrap(int(_ARITHMETIC[op](x, y)), t)
    if op in _INTEGER:
        return wrap(_INTEGER[op](x, y), t)
    if op in ("/", "%"):
        if y == 0:
            return None
        q = _divide(x, y)
        return wrap(q if op == "/" else x - q * y, t)
    if op in ("<<", ">>"):
        y &= t.constant_bits - 1
        return wrap(x << y if op == "<<" else x >> y, t)
    return None


def _float_op(op: str, a: float, b: float, t: Scalar) -> Value | None:
    try:
        if op == "/":
            if b == 0:
                v = math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)
            else:
                v = a / b
        elif op == "%":
            v = math.fmod(a, b)
        elif op in _ARITHMETIC:
            v = _ARITHMETIC[op](a, b)
        else:
            return None
    except (OverflowError, ValueError):
        return None
    return round_float(v, t.constant_bits)


def _logical(e: hir.Logical, depth: int) -> Value | None:
    a = evaluate(e.left, depth)
    if a is None or isinstance(a, (list, str)):
        return None
    if e.op == "&&" and not a:
        return False
    if e.op == "||" and a:
        return True
    b = evaluate(e.right, depth)
    return None if b is None or isinstance(b, (list, str)) else bool(b)


def _ternary(e: hir.Ternary, depth: int) -> Value | None:
    c = evaluate(e.cond, depth)
    if c is None or isinstance(c, (list, str)):
        return None
    return evaluate(e.then if c else e.otherwise, depth)


def _construct(e: hir.InitList, depth: int) -> Value | None:
    if not isinstance(e.type, (Vector, Scalar)):
        return None
    out: list[Value] = []
    for item in e.items:
        v = evaluate(item, depth)
        if v is None:
            return None
        for x in v if isinstance(v, list) else [v]:
            c = convert(x, ty.element_of(e.type) or ty.FLOAT)
            if c is None:
                return None
            out.append(c)
    if isinstance(e.type, Scalar):
        return out[0] if len(out) == 1 else None
    return out


def _sizeof(e: hir.SizeOf, depth: int) -> Value | None:
    return size_of(e.operand)


def size_of(t: Type) -> int:
    """Return ``sizeof`` a type in bytes, in HLSL's scalar layout (no padding inside vectors)."""
    size, align = size_and_alignment(t)
    return round_up(size, align) if align else size


def size_and_alignment(t: Type) -> tuple[int, int]:
    """Return size and alignment in bytes, in HLSL's scalar layout; the size is not rounded up for arrays."""
    if isinstance(t, (ty.Vector, ty.Matrix)):
        s, a = size_and_alignment(t.element)
        return s * ty.component_count(t), a
    if isinstance(t, Scalar):
        return (4, 4) if t.category == "bool" else (t.bits // 8, t.bits // 8)
    if isinstance(t, Enum):
        return size_and_alignment(t.underlying)
    if isinstance(t, ty.Array):
        s, a = size_and_alignment(t.element)
        return s * (t.size or 0), a
    if isinstance(t, ty.Struct):
        offset, align = 0, 1
        for f in t.all_fields():
            s, a = size_and_alignment(f.type)
            offset = round_up(offset, a) + s
            align = max(align, a)
        return round_up(offset, align), align
    if isinstance(t, ty.ObjectType) and t.name == "vk::BufferPointer":
        return 8, 8
    if isinstance(t, ty.ObjectType) and t.name == "vk::SpirvType":
        return int(str(t.args[1])), int(str(t.args[2]))
    return 0, 1


HANDLERS: dict[type, Callable[..., Value | None]] = {
    hir.Literal_: _literal,
    hir.Load: _load,
    hir.VarRef: _var,
    hir.Cast: _cast,
    hir.Unary: _unary,
    hir.Binary: _binary,
    hir.Logical: _logical,
    hir.Ternary: _ternary,
    hir.InitList: _construct,
    hir.SizeOf: _sizeof,
    hir.IntrinsicCall: _intrinsic,
}
"""Class of expression → what evaluates it."""
