"""Constant folding of intrinsic functions.

``FOLDED`` contains the functions that DXC's evaluator folds; only these may be called in array sizes, enumerators etc.
``OF_LITERALS`` contains the functions that are computed in 64 bits, without rounding to 32 bits in between, if all
arguments are untyped literals.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Scalar

Number = bool | int | float
Folder = Callable[..., Number]


def folded(name: str, args: list[Number], t: Scalar) -> Number | None:
    """Return the value of a call in a constant expression; ``None`` if it does not fold.

    ``t`` is the type of the first parameter.
    """
    if name == "asuint" and len(args) == 1:
        return _as_uint(args[0], t)
    if name in ("min", "max") and len(args) == 2:
        return FOLDED[name](*args)
    return None


def _as_uint(value: Number, t: Scalar) -> int | None:
    if t.is_integer:
        return int(value) & 0xFFFFFFFF
    if t not in (ty.FLOAT, ty.HALF) or isinstance(value, int):
        return None
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


FOLDED: dict[str, Folder] = {
    "min": lambda a, b: a if a < b else b,
    "max": lambda a, b: a if a > b else b,
}


def _round(x: float) -> float:
    return float(round(x))  # to even, as SPIR-V's RoundEven


def _clamp(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


def _smoothstep(low: float, high: float, x: float) -> float:
    t = _clamp((x - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


OF_LITERALS: dict[str, Folder] = {
    **FOLDED,
    "abs": abs, "acos": math.acos, "asin": math.asin, "atan": math.atan, "atan2": math.atan2, "ceil": math.ceil,
    "clamp": _clamp, "cos": math.cos, "cosh": math.cosh, "degrees": math.degrees, "exp": math.exp,
    "exp2": lambda x: 2.0**x, "floor": math.floor, "fmod": math.fmod, "frac": lambda x: x - math.floor(x),
    "ldexp": lambda x, e: x * 2.0**e, "lerp": lambda a, b, s: a + s * (b - a), "log": math.log, "log10": math.log10,
    "log2": math.log2, "mad": lambda a, b, c: a * b + c, "pow": math.pow, "radians": math.radians,
    "rcp": lambda x: 1.0 / x, "round": _round, "rsqrt": lambda x: 1.0 / math.sqrt(x),
    "saturate": lambda x: _clamp(x, 0.0, 1.0), "sin": math.sin, "sinh": math.sinh, "smoothstep": _smoothstep,
    "sqrt": math.sqrt, "step": lambda edge, x: 1.0 if x >= edge else 0.0, "tan": math.tan, "tanh": math.tanh,
    "trunc": math.trunc,
}  # fmt: skip


def of_literals(name: str, args: list[Number], *, is_float: bool) -> Number | None:
    """Return the value of a call with untyped literal arguments, computed in 64 bits; ``None`` if it does not fold."""
    function = OF_LITERALS.get(name)
    if function is None:
        return None
    try:
        value = function(*(float(a) for a in args)) if is_float else function(*(int(a) for a in args))
    except (ArithmeticError, ValueError, TypeError):
        return None
    return float(value) if is_float else int(value)
